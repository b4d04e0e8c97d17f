"""Prompts are tokenised as the tokenizer would, piece by piece, and keep what a model wrote in its own tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_model import ENDS, MARKS

from worldforge.models.prompt_tokens import PromptTokens, prompt_tokens


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tiny_model)


def encode(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False)


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)
PROMPTS = st.lists(st.one_of(TEXTS, st.sampled_from(ENDS + MARKS)), max_size=12).map("".join)
MARK = st.sampled_from(MARKS)


@given(text=PROMPTS)
def test_pieces_have_the_tokens_of_the_whole(tokenizer, text):
    assert prompt_tokens(tokenizer).ids(text) == encode(tokenizer, text)


@given(prompt=PROMPTS, written=st.lists(st.one_of(st.lists(st.integers(0, 1990)), MARK), max_size=5), rest=TEXTS)
def test_what_was_written_keeps_its_tokens(tokenizer, prompt, written, rest):
    """A model may write the same text in other tokens than the tokenizer: those are what the engine has cached."""
    tokens = prompt_tokens(tokenizer)
    start = prompt + "<|im_start|>assistant\n"
    start_ids = tokens.ids(start)
    ids = [
        identity
        for part in written
        for identity in ([tokenizer.convert_tokens_to_ids(part)] if isinstance(part, str) else part)
    ]
    text = "".join(part if isinstance(part, str) else tokenizer.decode(part) for part in written)
    tokens.remember(start, start_ids, text, ids)
    longer = tokens.ids(start + text + "<|im_end|>\n" + rest)
    assert longer == start_ids + ids + encode(tokenizer, "<|im_end|>\n" + rest)


def test_what_was_written_elsewhere_is_not_taken(tokenizer):
    tokens = prompt_tokens(tokenizer)
    odd = [tokenizer.convert_tokens_to_ids(letter) for letter in "town"]
    start = "<|im_start|>one<|im_end|><|im_start|>"
    tokens.remember(start, tokens.ids(start), "town", odd)
    there = tokens.ids(f"{start}town<|im_end|>")
    elsewhere = tokens.ids("<|im_start|>two<|im_end|><|im_start|>town<|im_end|>")
    assert there[-5:-1] == odd
    assert elsewhere == encode(tokenizer, "<|im_start|>two<|im_end|><|im_start|>town<|im_end|>")


def test_an_added_token_that_the_text_hides_is_not_kept(tokenizer):
    tokens = prompt_tokens(tokenizer)
    hidden = [*encode(tokenizer, "a"), tokenizer.convert_tokens_to_ids("<|im_start|>"), *encode(tokenizer, "b")]
    tokens.remember("<|im_start|>", tokens.ids("<|im_start|>"), "ab", hidden)
    assert tokens.ids("<|im_start|>ab<|im_end|>") == encode(tokenizer, "<|im_start|>ab<|im_end|>")


def test_a_tokenizer_without_marks_is_asked_for_the_whole():
    asked = []
    tokens = PromptTokens(lambda text: asked.append(text) or [len(text)], {})
    assert tokens.ids("one two") == [7]
    assert asked == ["one two"]


def test_each_message_is_tokenised_once(tokenizer):
    asked = []
    marks = {token.content: identity for identity, token in tokenizer.added_tokens_decoder.items()}
    tokens = PromptTokens(lambda text: asked.append(text) or encode(tokenizer, text), marks)
    conversation = ""
    for turn in range(20):
        conversation += f"<|im_start|>user\nquestion {turn}<|im_end|>"
        tokens.ids(conversation)
    assert len(asked) == 20
