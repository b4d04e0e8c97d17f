"""A tiny random model that is made in a second, and what serves it: one engine a test session, one server process."""

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

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
    """Make a random Qwen3 of 2 layers of 128, with a byte-level tokenizer of 2,000 tokens; return its folder."""
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
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=context_tokens,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
        dtype="bfloat16",
    )
    Qwen3ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return folder


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
    for path in sorted((Path(__file__).parent.parent / "docs").glob("*.md")):
        yield path.read_text(encoding="utf-8")
    draw = random.Random(0)
    for _ in range(500):
        yield json.dumps({"name": "web_search", "arguments": {"queries": [f"town {draw.randrange(999)}"]}})


class Running:
    """A model in an event loop of its own, in a thread of its own, so that many tests can share one engine."""

    def __init__(self, address):
        from worldforge.models.pool import open_model

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
def running(address):
    """Open a model for as long as the block lasts."""
    from worldforge.models.address import ModelAddress

    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    model = Running(ModelAddress.parse(address))
    try:
        yield model
    finally:
        model.close()


@contextlib.contextmanager
def serving(model, *options):
    """Run `vllm serve` on the folder `model` in a process of its own; give its address, `http://127.0.0.1:PORT/v1`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # What `vllm serve` runs; the command itself asks for a package called vllm, which the CPU build is not.
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--host", "127.0.0.1"]
    command += ["--port", str(port), "--served-model-name", "tiny", "--enforce-eager", *options]
    quiet = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
    log = Path(model).with_name(f"serve-{port}.log")
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, **quiet}, start_new_session=True
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        _stop(server)


def _wait_for(url, server, log, seconds=240):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        assert server.poll() is None, f"the server has ended:\n{log.read_text(errors='replace')[-4000:]}"
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.3)
    raise AssertionError(f"no answer from {url} in {seconds} s:\n{log.read_text(errors='replace')[-4000:]}")


def _stop(server):
    """End the server and the engine that it started: they have a process group of their own."""
    server.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait(20)
