"""The ledger takes up whatever a kill, at any byte, has left of a unit."""

import json
import shutil

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.core.files import file_digest
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.ledger import Ledger, read_records, unit_of, unit_places
from worldforge.rollouts.shards import encode_shard
from worldforge.rollouts.trajectory import TRAJECTORIES

UNIT = 8
IDS = [f"task/list-{number:04d}#0" for number in range(UNIT + 3)]
LAST = range(UNIT, len(IDS))


def blank(kind):
    if pa.types.is_list(kind):
        return []
    return "" if pa.types.is_string(kind) else False if pa.types.is_boolean(kind) else 0


EMPTY = {field.name: blank(field.type) for field in TRAJECTORIES}


def line(place):
    return to_line(EMPTY | {"id": IDS[place], "answer": f"répondu {place}\n", "item_f1": place / 7})


def play(folder, places=None, ids=IDS):
    """Play the episodes that are missing, or some of them, the last first; return which were missing."""
    ledger = Ledger(folder, ids)
    missing = ledger.missing
    record(ledger, list(reversed(missing if places is None else places)))
    return missing


def record(ledger, places):
    """Put episodes on record as workers do: in the journals of their units, and where one is whole as its shard."""
    for unit in dict.fromkeys(map(unit_of, places)):
        played = [place for place in places if unit_of(place) == unit]
        ledger.keep(unit, [line(place) for place in played], played)
        if not set(unit_places(unit, len(ledger.ids))) & set(ledger.missing):
            rows = {row["id"]: row for row in map(json.loads, ledger.journal_lines(unit))}
            content, described = encode_shard(f"{unit:05d}.parquet", [rows[id_] for id_ in ledger.unit_ids(unit)])
            ledger.commit(unit, described, content)


def journal_of_the_last(folder):
    (folder / "shards").mkdir()
    return folder / "shards" / "00001.jsonl"


def contents(folder):
    return {path.name: file_digest(path) for path in (folder / "shards").iterdir()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    assert play(folder) == list(range(len(IDS)))
    return contents(folder)


def test_a_whole_run_is_shards_and_nothing_else(undisturbed):
    assert sorted(undisturbed) == ["00000.parquet", "00001.parquet"]


@settings(max_examples=40, deadline=None)
@given(kept=st.floats(0, 1), torn=st.binary(max_size=40))
def test_a_journal_cut_at_any_byte_costs_only_what_the_cut_hit(tmp_path_factory, undisturbed, kept, torn):
    folder = tmp_path_factory.mktemp("cut")
    journal = journal_of_the_last(folder)
    whole = b"".join(line(place) for place in LAST)
    cut = whole[: round(kept * len(whole))]
    journal.write_bytes(cut + torn.replace(b"\n", b""))
    n_whole = cut.count(b"\n")
    missing = play(folder)
    assert missing == [*range(UNIT), *LAST[n_whole:]]
    assert contents(folder) == undisturbed


def test_a_journal_that_holds_all_becomes_its_shard_without_playing(tmp_path, undisturbed):
    journal_of_the_last(tmp_path).write_bytes(b"".join(map(line, reversed(LAST))))
    assert play(tmp_path) == list(range(UNIT))
    assert contents(tmp_path) == undisturbed


def test_killed_between_shard_and_journal_the_shard_counts(tmp_path, undisturbed):
    play(tmp_path)
    (tmp_path / "shards" / "00001.jsonl").write_bytes(line(LAST[0]))
    assert play(tmp_path) == []
    assert contents(tmp_path) == undisturbed


def test_a_half_written_shard_is_not_taken_for_one(tmp_path, undisturbed):
    play(tmp_path, places=[0])
    (tmp_path / "shards" / ".00000.parquet.partial").write_bytes(b"PAR1, and then it was killed")
    assert play(tmp_path) == list(range(1, len(IDS)))
    assert contents(tmp_path) == undisturbed


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda _: b"", lambda data: b"Q" + data[1:]])
def test_a_damaged_shard_is_played_again(tmp_path, undisturbed, damage):
    play(tmp_path)
    path = tmp_path / "shards" / "00000.parquet"
    path.write_bytes(damage(path.read_bytes()))
    assert play(tmp_path) == list(range(UNIT))
    assert contents(tmp_path) == undisturbed


def test_a_shard_of_other_episodes_is_not_taken(tmp_path, undisturbed):
    play(tmp_path)
    shutil.copy(tmp_path / "shards" / "00000.parquet", tmp_path / "shards" / "00001.parquet")
    assert play(tmp_path) == list(LAST)


def test_killed_before_the_ledger_knew_the_shard_is_made_again_from_its_journal(tmp_path, undisturbed):
    journal_of_the_last(tmp_path).write_bytes(b"".join(map(line, LAST)))
    (tmp_path / "shards" / "00001.parquet").write_bytes(b"whole, but nobody says so")
    (tmp_path / "ledger.jsonl").write_bytes(b'{"id": "00001.parquet", "sha')
    assert play(tmp_path) == list(range(UNIT))
    assert contents(tmp_path) == undisturbed
    assert play(tmp_path) == []


@settings(max_examples=25, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_bit_that_a_disk_has_turned_in_a_journal_is_played_again(tmp_path_factory, undisturbed, place, bit):
    folder = tmp_path_factory.mktemp("turned")
    play(folder, LAST[:2])
    journal = folder / "shards" / "00001.jsonl"
    content = bytearray(journal.read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    journal.write_bytes(content)
    play(folder)
    assert contents(folder) == undisturbed


@settings(max_examples=25, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_bit_that_a_disk_has_turned_in_the_ledger_changes_no_record(tmp_path_factory, undisturbed, place, bit):
    folder = tmp_path_factory.mktemp("turned")
    play(folder)
    whole = records_by_shard(folder)
    ledger = folder / "ledger.jsonl"
    content = bytearray(ledger.read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    ledger.write_bytes(content)
    play(folder)
    assert contents(folder) == undisturbed and records_by_shard(folder) == whole
    assert play(folder) == []


def records_by_shard(folder):
    """What the ledger says of each shard; a checksum whose own name a disk has changed is not it."""
    lines = {name: lines[-1] for name, lines in read_records(folder).items()}
    return {name: (line["sha256"], line["counts"], line["failed"]) for name, line in lines.items()}


def test_a_ledger_that_tells_of_no_digest_makes_no_shard_whole(tmp_path, undisturbed):
    play(tmp_path)
    (tmp_path / "ledger.jsonl").write_bytes(to_line({"id": "00000.parquet"}))
    assert play(tmp_path) == list(range(len(IDS)))
    assert contents(tmp_path) == undisturbed


def test_a_ledger_in_order_does_not_tell_who_was_first_or_what_was_made_twice(tmp_path):
    play(tmp_path)
    shard = tmp_path / "shards" / "00001.parquet"
    as_closed = (tmp_path / "ledger.jsonl").read_bytes()
    Ledger(tmp_path, IDS).put_in_order()
    in_order = (tmp_path / "ledger.jsonl").read_bytes()
    assert in_order == b"".join(reversed(as_closed.splitlines(keepends=True)))
    shard.write_bytes(b"damaged")
    assert play(tmp_path) == list(LAST)
    assert (tmp_path / "ledger.jsonl").read_bytes() != in_order
    Ledger(tmp_path, IDS).put_in_order()
    assert (tmp_path / "ledger.jsonl").read_bytes() == in_order
    assert play(tmp_path) == []


def test_the_first_units_are_small_and_none_depends_on_what_follows():
    units = [[*unit_places(unit, 10_000)] for unit in range(unit_of(9_999) + 1)]
    assert [place for unit in units for place in unit] == [*range(10_000)]
    assert all(unit_of(place) == number for number, unit in enumerate(units) for place in unit)
    assert {len(unit) for unit in units[:512]} == {8} and len(units[512]) == 128
    assert [*unit_places(1, 11)] == [8, 9, 10]


def test_a_last_shard_to_which_episodes_are_added_keeps_what_was_played(tmp_path, undisturbed):
    assert play(tmp_path, ids=IDS[:-1]) == list(range(len(IDS) - 1))
    assert play(tmp_path) == [len(IDS) - 1]
    assert contents(tmp_path) == undisturbed
