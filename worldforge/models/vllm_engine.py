"""vLLM in this process: its asynchronous engine, continuous batching, the prefix cache on. Nothing else imports vllm.

Chat templates, tool calls, reasoning and structured output are vLLM's own, as its server uses them. The engine itself
runs in processes that vLLM starts, and that end with it.
"""

from __future__ import annotations

import itertools
import json
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.redaction import first_line
from worldforge.core.suggestions import did_you_mean
from worldforge.models.address_settings import AddressSettings
from worldforge.models.chat import Finish, Reply, Request, Sampling, ToolCall, Usage, to_openai
from worldforge.models.model import Model, ModelError, ModelUnavailableError
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_weights import engine_identity, read_template
from worldforge.models.vllm_loading import LOUDER, engine_arguments, loaded_engine, prepare_vllm

_SHUTDOWN_S = 10
_WHITESPACE = 1  # blanks in a row between the parts of JSON: without a bound, some models write nothing else
_RANDOM_IDENTITY = "chatcmpl-tool-"  # of vLLM's own making, where a model's format has no ids


@asynccontextmanager
async def open_vllm(address: ModelAddress) -> AsyncIterator[Model]:
    """Load the model into an engine, and stop the engine at the end. Raises InputError where it cannot be loaded."""
    prepare_vllm()
    _check_parsers(address.settings)
    template = read_template(address.settings.chat_template)
    with loaded_engine(address, lambda: _load(address)) as engine:
        try:
            yield VllmModel(address, engine, template)
        finally:
            engine.shutdown(timeout=_SHUTDOWN_S)
            # Its __del__ calls this again, when at exit the modules it needs may be gone.
            engine.shutdown = lambda timeout=None: None


@dataclass(frozen=True, slots=True)
class _ReplyFormat:
    """How a reply is to look: vLLM's own request for it, what its chat template is told, and the reply's parser."""

    request: Any
    template: dict[str, Any]
    parser: Any


class VllmModel:
    """A model in vLLM's engine. The engine batches requests as they come; none waits for another."""

    def __init__(self, address: ModelAddress, engine: Any, template: str | None) -> None:
        self.name = address.model_name
        self.identity = engine_identity(address)
        self.context_tokens = int(engine.model_config.max_model_len)
        self.at_once = int(engine.vllm_config.scheduler_config.max_num_seqs)
        self._engine = engine
        self._template = template
        self._tokenizer = engine.get_tokenizer()
        self._parser_class = _parser_class(address, engine)
        self._count = itertools.count()

    async def reply(self, request: Request) -> Reply:
        """Answer one request. Raises ModelError for a prompt that is too long.

        Raises ModelUnavailableError once the engine has died, InputError where there are tools and the address names
        no parser of calls.
        """
        start = time.perf_counter()
        form = self._form(request)
        ids = self._prompt_ids(request, form)
        room = self.context_tokens - len(ids)
        if room < 1:
            raise ModelError(
                f"{self.name}: the prompt has {len(ids):,} tokens, the model's context {self.context_tokens:,}"
            )
        output = await self._generate(ids, form, _parameters(request.sampling, room, form.request))
        written = output.outputs[0]
        if written.finish_reason not in ("stop", "length"):
            raise ModelError(f"{self.name}: vLLM broke the reply off: {written.finish_reason}")
        reasoning, text, calls = _parse(form, written)
        finish: Finish = "tool_calls" if calls and written.finish_reason == "stop" else written.finish_reason
        usage = Usage(len(ids), output.num_cached_tokens or 0, len(written.token_ids))
        return Reply(text, _with_ids(calls, request), reasoning, usage, finish, time.perf_counter() - start)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens `text` has on its own."""
        return len(self._encode(text))

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def _prompt_ids(self, request: Request, form: _ReplyFormat) -> list[int]:
        """Return the tokens of the conversation as the chat template writes it."""
        from vllm.renderers import ChatParams

        messages = [to_openai(message, parsed=True) for message in request.messages]
        params = ChatParams(self._template, "auto", form.template, tool_choice=form.request.tool_choice)
        try:
            _, prompt = self._engine.renderer.render_messages(messages, params)
        except Exception as error:
            raise ModelError(
                f"{self.name}: the chat template cannot write the conversation: {first_line(error)}"
            ) from error
        if "prompt_token_ids" in prompt:  # of a tokenizer that has no template, such as Mistral's
            return list(prompt["prompt_token_ids"])
        return self._encode(prompt["prompt"])

    async def _generate(self, ids: list[int], form: _ReplyFormat, parameters: Any) -> Any:
        from vllm.inputs import tokens_input
        from vllm.v1.engine.exceptions import EngineDeadError

        reasons = form.parser is not None and form.parser.reasoning_parser is not None
        shaped = form.request.structured_outputs is not None
        outputs = self._engine.generate(
            tokens_input(ids),
            parameters,
            str(next(self._count)),
            reasoning_ended=form.request.resolve_reasoning_ended(form.parser, ids) if shaped else None,
            reasoning_parser_kwargs={"chat_template_kwargs": form.template} if reasons else None,
        )
        try:
            async for output in outputs:
                last = output
        except EngineDeadError as error:
            raise ModelUnavailableError(f"{self.name}: vLLM's engine has died", LOUDER) from error
        except Exception as error:
            cause = first_line(error.__cause__ or error)
            raise ModelError(f"{self.name}: vLLM refused the request: {cause}") from error
        return last

    def _form(self, request: Request) -> _ReplyFormat:
        if request.tools and (self._parser_class is None or self._parser_class.tool_parser_cls is None):
            raise InputError(
                f"{self.name}: tools need a tool parser",
                "name the form in which the model writes calls in its address: ?tool_parser=hermes, qwen3_coder, …",
            )
        template: dict[str, Any] = {"add_generation_prompt": True, "tokenize": False}
        template["tools"] = list(request.tools) or None
        if request.thinking is not None:
            template["enable_thinking"] = request.thinking
        try:
            chat_request = _vllm_request(request)
            if self._parser_class is None:
                return _ReplyFormat(chat_request, template, None)
            parser = self._parser_class(
                self._tokenizer,
                chat_request.tools,
                chat_template_kwargs=template,
                model_config=self._engine.model_config,
            )
            return _ReplyFormat(_bounded(parser.adjust_request(chat_request)), template, parser)
        except ValueError as error:  # pydantic's and vLLM's own are ValueErrors
            raise ModelError(f"{self.name}: tools or structure cannot be used: {first_line(error)}") from error


def _load(address: ModelAddress) -> Any:
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    defaults = {"enable_prefix_caching": True, "disable_log_stats": True}
    arguments = defaults | engine_arguments(address, ("chat_template", "tool_parser"))
    engine = AsyncLLM.from_engine_args(AsyncEngineArgs(model=address.model, **arguments))
    # A call that does not parse is text, and no error of ours.
    logging.getLogger("vllm.tool_parsers").setLevel(logging.CRITICAL)
    return engine


def _check_parsers(settings: AddressSettings) -> None:
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager

    for setting, name, parsers in (
        ("tool_parser", settings.tool_parser, ToolParserManager),
        ("reasoning_parser", settings.reasoning_parser, ReasoningParserManager),
    ):
        names = parsers.list_registered()
        if name is not None and name not in names:
            raise InputError(f"vLLM has no {setting} called `{name}`", did_you_mean(name, sorted(names)))


def _parser_class(address: ModelAddress, engine: Any) -> Any:
    from vllm.parser import ParserManager

    try:
        return ParserManager.get_parser(
            tool_parser_name=address.settings.tool_parser,
            reasoning_parser_name=address.settings.reasoning_parser,
            enable_auto_tools=True,
            model_name=address.model,
            tokenizer=engine.get_tokenizer(),
        )
    except TypeError as error:
        raise InputError(f"vLLM cannot parse what `{address.model}` writes: {first_line(error)}") from error


def _parameters(sampling: Sampling, room: int, request: Any) -> Any:
    """Return vLLM's own parameters.

    Without the seed on a CPU: there vLLM 0.32 dies of a request that has one and whose prompt comes in chunks, since
    the generator that it means to set back has no offset.
    """
    from vllm import SamplingParams
    from vllm.platforms import current_platform
    from vllm.sampling_params import RequestOutputKind

    bounds = {"max_tokens": min(sampling.max_tokens, room), "stop": list(sampling.stop)}
    return SamplingParams(
        **(asdict(sampling) | bounds | ({"seed": None} if current_platform.is_cpu() else {})),
        structured_outputs=request.structured_outputs,
        skip_special_tokens=request.skip_special_tokens,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def _vllm_request(request: Request) -> Any:
    """Return the request as vLLM's server would be sent it, but for the messages, which its parsers do not read.

    Where a tool must be called, its arguments must be as its schema says.
    """
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    tools, structure = [dict(tool) for tool in request.tools], request.structure
    shape: dict[str, str] | None = None
    if request.tool_choice == "required":
        tools = [tool | {"function": {"strict": True} | tool["function"]} for tool in tools]
    if structure is not None and isinstance(structure.form, str):
        shape = {structure.kind: structure.form}
    elif structure is not None and not isinstance(structure.form, str):
        tag = {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": dict(structure.form)}}
        shape = {"structural_tag": json.dumps(_with_bound_whitespace(tag))}
    return ChatCompletionRequest(
        messages=[{"role": "user", "content": ""}],
        tools=tools or None,
        tool_choice=request.tool_choice if tools else "none",
        structured_outputs=shape,
    )


def _bounded(request: Any) -> Any:
    """Return a request of vLLM's in which no JSON may run on in blanks."""
    from vllm.sampling_params import StructuredOutputsParams

    form = request.structured_outputs
    if form is not None and form.structural_tag is not None:
        tag = json.dumps(_with_bound_whitespace(json.loads(form.structural_tag)))
        request.structured_outputs = StructuredOutputsParams(structural_tag=tag)
    return request


def _with_bound_whitespace(part: Any) -> Any:
    """Return a structural tag, or a part of one, in which no JSON may run on in blanks."""
    if isinstance(part, list):
        return [_with_bound_whitespace(one) for one in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "json_schema" and "json_schema" in part:
        return part | {"max_whitespace_cnt": _WHITESPACE}
    return {name: _with_bound_whitespace(one) for name, one in part.items()}


def _with_ids(calls: Sequence[Any], request: Request) -> tuple[ToolCall, ...]:
    """Give each call an id of its own in the conversation, unless the model's format has ids."""
    before = sum(len(message.tool_calls) for message in request.messages)
    return tuple(
        ToolCall(
            f"call_{number}" if call.id is None or call.id.startswith(_RANDOM_IDENTITY) else call.id,
            call.name,
            call.arguments,
        )
        for number, call in enumerate(calls, before)
    )


def _parse(form: _ReplyFormat, written: Any) -> tuple[str, str, list[Any]]:
    """Return reasoning, text and calls."""
    if form.parser is None:
        return "", written.text, []
    reasoning, text, calls = form.parser.parse(
        written.text, form.request, enable_auto_tools=True, model_output_token_ids=list(written.token_ids)
    )
    return reasoning or "", text or "", calls or []
