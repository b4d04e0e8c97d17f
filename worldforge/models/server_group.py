"""Several servers of one model: replicas behind one address, `openai:MODEL@URL1,URL2`.

A conversation goes to the server that has its beginning in the prefix cache, unless another has clearly less to do. A
server that fails is left out for a while; its requests go to the others.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.models.chat import Reply, Request
from worldforge.models.model import Model, ModelUnavailableError
from worldforge.models.model_address import ModelAddress
from worldforge.models.openai_server import CONCURRENCY, CONNECTIONS, ServerModel, estimate_tokens, open_endpoint

_LEAVE_OUT_S = 30.0  # for so long a server that failed is asked nothing, as long as another answers
_BEGINNING = 512  # characters of the second message by which conversations are told apart


@asynccontextmanager
async def open_servers(address: ModelAddress) -> AsyncIterator[Model]:
    """Connect to the servers of a model.

    Raises InputError where one is not there, refuses the key, or lacks the model, and where two have other weights.
    """
    async with AsyncExitStack() as stack:
        members = [await stack.enter_async_context(open_endpoint(address, url)) for url in address.endpoints or (None,)]
        at_once = min(address.settings.concurrency or CONCURRENCY * len(members), CONNECTIONS * len(members))
        yield ServerGroup(members, at_once)


class ServerGroup:
    """A model at several servers. At most `at_once` requests are under way at all of them; the others wait here."""

    def __init__(self, members: Sequence[ServerModel], at_once: int) -> None:
        """Join servers that have been greeted. Raises InputError where they have loaded different weights."""
        self.name = members[0].name
        self.context_tokens = min((one.context_tokens for one in members if one.context_tokens), default=0)
        self.at_once = at_once
        self.identity = members[0].identity
        if other := next((one for one in members if one.identity != self.identity), None):
            raise InputError(
                f"{members[0].url} and {other.url} serve different weights as `{self.name}`",
                "start all endpoints from the same folder or name on the Hub",
            )
        self._members = list(members)
        self._slots = asyncio.Semaphore(at_once)
        self._under_way: Counter[ServerModel] = Counter()
        self._left_out_until: dict[ServerModel, float] = {}

    async def reply(self, request: Request) -> Reply:
        """Answer one request. Raises ModelError where it is refused, ModelUnavailableError where all servers fail."""
        async with self._slots:
            tried: list[ServerModel] = []
            while True:
                member = self._choose(request, tried)
                tried.append(member)
                self._under_way[member] += 1
                try:
                    return await member.reply(request)
                except ModelUnavailableError as error:
                    self._left_out_until[member] = time.monotonic() + _LEAVE_OUT_S
                    emit("endpoint_failed", logging.WARNING, url=member.url, reason=error.message)
                    if len(tried) == len(self._members):
                        raise
                finally:
                    self._under_way[member] -= 1

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens `text` has."""
        return estimate_tokens(text)

    def _choose(self, request: Request, tried: Sequence[ServerModel]) -> ServerModel:
        """Choose among the servers that were not tried, of these among those that do not rest."""
        now = time.monotonic()
        left = [one for one in self._members if one not in tried]
        ready = [one for one in left if self._left_out_until.get(one, 0.0) <= now] or left
        own = max(ready, key=lambda one: _affinity(request, one.url))
        least = min(ready, key=self._under_way.__getitem__)
        slack = self.at_once // (2 * len(self._members))  # half of a fair share
        return own if self._under_way[own] <= self._under_way[least] + slack else least


def _affinity(request: Request, url: str) -> bytes:
    """Return what decides which server a conversation is for: the largest (rendezvous hashing)."""
    beginning = [message.content[:_BEGINNING] for message in request.messages[:2]]
    return hashlib.blake2b("\0".join([url, *beginning]).encode("utf-8", "surrogatepass"), digest_size=8).digest()
