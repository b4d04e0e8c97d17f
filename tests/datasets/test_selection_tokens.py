"""Token counts: by a tokenizer that is named, as a trainer would see the conversation."""

import json

import pytest
from shards_by_hand import WORLD, rows_of, trajectory, write_run
from tiny_model import _tokenizer

from worldforge.core.errors import InputError
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.selection.token_counts import open_tokenizer
from worldforge.rollouts.shards import read_shard

TOOLS = json.dumps([{"type": "function", "function": {"name": "web_search", "parameters": {"type": "object"}}}])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tokenizer with a chat template, as a model's folder holds it."""
    folder = tmp_path_factory.mktemp("tiny")
    _tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture
def source(tmp_path):
    rows = [trajectory(0, trial, ["velmar"] * trial, "word " * 3**trial, tools=TOOLS) for trial in range(5)]
    return write_run(tmp_path, rows)


def test_a_conversation_counts_as_its_template_writes_it(folder, source):
    from transformers import AutoTokenizer

    table = read_shard(source.shards[0])
    counted = open_tokenizer(str(folder)).count(table)
    peer = AutoTokenizer.from_pretrained(folder)
    row = table.to_pylist()[3]
    chat = [{key: value for key, value in message.items() if value is not None} for message in row["messages"]]
    for message in chat:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    ids = peer.apply_chat_template(chat, tools=json.loads(TOOLS), return_dict=False)
    assert counted[3] == len(ids) and counted.dtype == "int32" and sorted(counted) == counted.tolist()


def test_without_a_template_texts_are_counted(folder, source):
    table = read_shard(source.shards[0])
    opened = open_tokenizer(str(folder / "tokenizer.json"))
    assert not opened.record.has_template and opened.record.name == f"{folder.name}/tokenizer.json"
    assert (opened.count(table) < open_tokenizer(str(folder)).count(table)).all()
    assert opened.record.sha256 != open_tokenizer(str(folder)).record.sha256


def test_counts_become_a_column_and_a_limit(folder, source):
    def selected(**selection):
        with select([source], Selection(tokenizer=str(folder), **selection), WORLD) as chosen:
            rows = rows_of(chosen)
            assert chosen.schema.names[-1] == "n_tokens" and next(chosen.tables()).schema.equals(chosen.schema)
            assert next(chosen.groups()).schema.equals(chosen.schema)
            return {row["trial"]: row["n_tokens"] for row in rows}, chosen.report

    counts, report = selected(order="shuffled")
    assert report.tokenizer.name == folder.name and report.tokenizer.has_template
    assert counts == selected()[0]
    most = counts[2]
    fewer, report = selected(max_tokens=most)
    assert fewer == {trial: count for trial, count in counts.items() if count <= most}
    assert report.steps[0].name == "max_tokens" and report.steps[0].n_removed == 2


def test_a_tokenizer_that_would_cut_does_not(folder, source, tmp_path):
    said = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    said["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    cutting = tmp_path / "tokenizer.json"
    cutting.write_text(json.dumps(said), encoding="utf-8")
    table = read_shard(source.shards[0])
    assert open_tokenizer(str(cutting)).count(table).min() > 4


def test_what_is_no_tokenizer_is_said(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    for name in (tmp_path / "tokenizer.json", tmp_path):
        with pytest.raises(InputError, match="tokenizer"):
            open_tokenizer(str(name))
    with pytest.raises(ValueError, match="needs `tokenizer`"):
        Selection(max_tokens=5)
