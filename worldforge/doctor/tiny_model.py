"""A random language model of 200,000 parameters, made in a second: enough to see whether an engine starts."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

CONTEXT_TOKENS = 256
_TEMPLATE = "{% for message in messages %}{{ message.content }}\n{% endfor %}"


def make_tiny_model(folder: Path) -> None:
    """Write a Qwen3 of 2 layers with a tokenizer of bytes into `folder`. Needs torch, transformers, tokenizers."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    transformers: Any = import_module("transformers")  # typed in parts
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {word: number for number, word in enumerate([*letters, "<|end|>"])}
    bare = Tokenizer(models.BPE(vocab=words, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bare, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = _TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=CONTEXT_TOKENS,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
        dtype="bfloat16",
    )
    transformers.Qwen3ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
