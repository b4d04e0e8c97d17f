"""Models that are open: each address's engine or client once, however many ask, and all of them closed at the end.

async with ModelPool() as models:
    agent = await models.get(ModelAddress.parse("qwen3"))
    world = await models.get(ModelAddress.parse("qwen3?temperature=0.9"))  # the same engine
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Self

from worldforge.models.model import Model, identity_of
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_weights import engine_identity
from worldforge.models.request_meter import RequestMeter
from worldforge.models.scripted_model import read_script
from worldforge.models.server_group import open_servers
from worldforge.models.vllm_engine import open_vllm


@asynccontextmanager
async def open_model(address: ModelAddress) -> AsyncIterator[Model]:
    """Open the model at `address`, and close it at the end.

    Raises InputError where it cannot be opened: a package, a file or a server that is not there.
    """
    if address.backend == "scripted":
        yield read_script(Path(address.model), address.settings.identity)
    else:
        async with open_vllm(address) if address.backend == "vllm" else open_servers(address) as model:
            yield model


async def weights_identity(address: ModelAddress, opened: Mapping[str, Model] | None = None) -> str:
    """Return the identity that the model at `address` has once it is open; `opened` are open models, by address.

    Raises InputError where that cannot be told: a server that does not answer, a script that is not there.
    """
    if model := _by_address(opened or {}).get(address.engine):
        return identity_of(model)
    if address.backend == "vllm":
        return engine_identity(address)
    async with open_model(address.engine) as model:  # a server is asked which models it has, and loads nothing
        return identity_of(model)


def _by_address(opened: Mapping[str, Model]) -> dict[ModelAddress, Model]:
    return {ModelAddress.parse(text).engine: model for text, model in opened.items()}


class ModelPool:
    """Opens models when they are first asked for; two addresses that only draw tokens differently share one.

    `opened` are models that are open already, by their address as text; whoever opened them closes them. `meter` counts
    what all are asked, and `tell` is told in a few words which model is being opened, and with none when it is. Of the
    requests that may be under way at a server, this process has its part as one of `n_workers`.
    """

    def __init__(
        self,
        opened: Mapping[str, Model] | None = None,
        meter: RequestMeter | None = None,
        tell: Callable[[str], None] = lambda words: None,
        n_workers: int = 1,
    ) -> None:
        self._meter, self._tell, self._n_workers = meter or RequestMeter(), tell, n_workers
        self._opened = {address: self._meter.over(model) for address, model in _by_address(opened or {}).items()}
        self._opening: dict[ModelAddress, asyncio.Task[Model]] = {}
        self._stack = AsyncExitStack()
        self._one_at_a_time = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self._opening.values():
            task.cancel()
        await asyncio.gather(*self._opening.values(), return_exceptions=True)
        await self._stack.aclose()

    async def get(self, address: ModelAddress) -> Model:
        """Return the model at `address`, opened on first use. Raises InputError where it cannot be opened."""
        engine = address.engine
        if engine in self._opened:
            return self._opened[engine]
        if engine not in self._opening:
            self._opening[engine] = asyncio.create_task(self._open(engine))
        return await asyncio.shield(self._opening[engine])

    async def _open(self, engine: ModelAddress) -> Model:
        async with self._one_at_a_time:  # two engines that measure free memory at once would each take it all
            self._tell(f"{'connecting to' if engine.backend == 'openai' else 'loading the model'} {engine.model}")
            await asyncio.sleep(0)  # loading blocks the loop
            model = await self._stack.enter_async_context(open_model(engine.shared_by(self._n_workers)))
            self._tell("")
            return self._meter.over(model)
