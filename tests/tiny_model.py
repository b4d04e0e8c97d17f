"""A tiny random model that is made in a second, and what runs it: one engine a test session, and a server before it."""

import asyncio
import contextlib
import json
import random
import threading
from pathlib import Path

import pytest

# Of an engine: one process, where vLLM on a CPU has two.
LIGHT = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
VOCABULARY = 2_000
ENDS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]

# In the manner of Qwen3's: tools as JSON in the system message, calls in Hermes' form, an empty thought where thinking
# is off. All that was said stays as it was, so that a longer conversation begins with the shorter one's text.
TEMPLATE = """\
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}Call one with <tool_call>{"name": ..., "arguments": {...}}</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% elif message.role == 'assistant' %}<|im_start|>assistant
{% if message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>

{% elif enable_thinking is defined and enable_thinking is false %}<think>

</think>

{% endif %}{{ message.content }}
{%- for call in message.tool_calls or [] %}
{%- if not loop.first or message.content %}{{ '\n' }}{% endif %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson
    if call.function.arguments is not string else call.function.arguments }}}
</tool_call>{% endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and enable_thinking is false %}<think>

</think>

{% endif %}{% endif %}"""


def make_tiny_model(folder, context_tokens=8_192, seed=0):
    """Make a random Qwen3 of one layer of 128, with a byte-level tokenizer of 2,000 tokens; return its folder."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    folder = Path(folder)
    tokenizer = _tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=64,
        max_position_embeddings=context_tokens,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
        dtype="bfloat16",
    )
    model = Qwen3ForCausalLM(config)
    _lean(model, tokenizer)
    model.to(torch.bfloat16).save_pretrained(folder)
    return folder


def _lean(model, tokenizer):
    """Make the tokens with which texts, thoughts and JSON strings end some twenty times as likely as others.

    Even odds among 2,000 tokens let a model write hundreds of them before it ends what it has begun. All embeddings
    point a little in one direction, so that what the last layer gives does too; those tokens point there further, and
    embeddings are what the output is compared with.
    """
    import torch

    ends = [token for text, token in tokenizer.get_vocab().items() if '"' in text or text in ("<|im_end|>", "</think>")]
    with torch.no_grad():
        embeddings = model.get_input_embeddings().weight
        embeddings[:, 0] = 0.2
        embeddings[ends, 0] = 1.0


def _tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import AddedToken, PreTrainedTokenizerFast

    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(ENDS) - len(MARKS),
        initial_alphabet=_alphabet(),
        show_progress=False,
    )
    bare.train_from_iterator(_text(), trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bare, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    tokenizer.add_tokens([AddedToken(mark, normalized=False) for mark in MARKS])
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _alphabet():
    """Return all bytes but control characters: structured output lets them into JSON strings, and JSON does not."""
    from tokenizers import pre_tokenizers

    control = [0x7F, *(byte for byte in range(32) if chr(byte) != "\n")]
    # Byte-level tokenizers write unprintable bytes as letters from U+0100 on, in their order.
    unprintable = [byte for byte in range(256) if not (0x21 <= byte < 0x7F or 0xA1 <= byte < 0xAD or byte >= 0xAE)]
    left_out = {chr(0x100 + unprintable.index(byte)) for byte in control}
    return [letter for letter in pre_tokenizers.ByteLevel.alphabet() if letter not in left_out]


def _text():
    """Yield text at hand: the project's own documents, and JSON as tools and models write it."""
    for path in sorted((Path(__file__).parent.parent / "docs").glob("**/*.md")):
        yield path.read_text(encoding="utf-8")
    draw = random.Random(0)
    for _ in range(500):
        yield json.dumps({"name": "web_search", "arguments": {"queries": [f"town {draw.randrange(999)}"]}})


class Running:
    """A model in an event loop of its own, in a thread of its own, so that many tests can share one engine."""

    def __init__(self, address):
        from worldforge.models.model_pool import open_model

        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self._opened = open_model(address)
        self.model = self.run(self._opened.__aenter__())

    def run(self, coroutine, timeout_s=240):
        """Wait for a coroutine that runs in the model's loop; return what it returns."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(timeout_s)

    def close(self):
        """Close the model, and end the loop."""
        self.run(self._opened.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(30)
        self.loop.close()


@contextlib.contextmanager
def running(address, environment=LIGHT):
    """Open a model for as long as the block lasts; its engine begins under `environment`, forked."""
    import forking_engines  # noqa: F401

    from worldforge.models.model_address import ModelAddress

    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        model = Running(ModelAddress.parse(address))
    try:
        yield model
    finally:
        model.close()


@contextlib.contextmanager
def serving(engine, *options):
    """Put vLLM's own server before the engine of `running`, which it calls `tiny`; give its address, `http://…/v1`.

    It is what `vllm serve` runs, on a socket of its own, in the engine's event loop: the engine is not started again.
    It passes no seeds on: vLLM 0.32 on a CPU dies of a request with a seed whose prompt comes in chunks.
    """
    import uvicorn
    from vllm.entrypoints.launchers.api_server.app_state import init_app_state
    from vllm.entrypoints.launchers.app import build_app
    from vllm.entrypoints.launchers.cli_args import make_arg_parser
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    client = engine.model._engine
    generate, model = client.generate, client.model_config.model

    def without_seed(prompt, sampling_params, *arguments, **named):
        sampling_params.seed = None
        return generate(prompt, sampling_params, *arguments, **named)

    client.generate = without_seed
    told = make_arg_parser(FlexibleArgumentParser()).parse_args(
        ["--model", model, "--served-model-name", "tiny", *options]
    )
    told.structured_outputs_config = client.vllm_config.structured_outputs_config  # with the engine's reasoning parser

    async def start():
        tasks = await client.get_supported_tasks()
        app = build_app(told, tasks, client.model_config)
        await init_app_state(client, app.state, told, tasks)
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
        task = asyncio.create_task(server.serve())
        while not server.started:
            assert not task.done(), task
            await asyncio.sleep(0.05)
        return server, task

    async def end():
        server.should_exit = True
        await task

    server, task = engine.run(start())
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
    finally:
        client.generate = generate
        engine.run(end())
