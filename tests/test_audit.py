"""The audit holds on what was built, and names what broke in what was changed afterwards."""

import hashlib
import json
import shutil

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from command import worldforge


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Quickstart at a third of its size."""
    folder = tmp_path_factory.mktemp("audited") / "world"
    worldforge("build", "quickstart", "-o", folder, "--set", "scale=0.3", "--set", "tasks.list.count=6")
    return folder


@pytest.fixture
def world(built, tmp_path):
    return shutil.copytree(built, tmp_path / "world")


def audit(world, code):
    done = worldforge("audit", world, "--json", "--no-report", code=code)
    return {check["check"]: check for check in json.loads(done.stdout)["checks"] if check["n_failed"]}, done.stderr


def change(world, name, column, row, value, *, forge):
    """Write another value into one cell; with `forge`, also make world.json agree with the changed file."""
    table = pq.read_table(world / name)
    values = table[column].to_pylist()
    values[row] = value(values[row]) if callable(value) else value
    index = table.column_names.index(column)
    changed = pa.array(values, table.schema.field(column).type)
    pq.write_table(table.set_column(index, table.schema.field(column), changed), world / name)
    if forge:
        manifest = json.loads((world / "world.json").read_text())
        manifest["files"][name]["sha256"] = hashlib.sha256((world / name).read_bytes()).hexdigest()
        (world / "world.json").write_text(json.dumps(manifest))


def test_a_built_world_passes(quickstart):
    failed, _ = audit(quickstart, 0)
    assert failed == {}


def test_the_audit_changes_nothing(world):
    before = {path: path.read_bytes() for path in world.rglob("*") if path.is_file()}
    audit(world, 0)
    assert {path: path.read_bytes() for path in world.rglob("*") if path.is_file()} == before


def test_a_changed_page_is_named(world):
    change(world, "pages.parquet", "text", 0, lambda text: "#" + text, forge=True)
    failed, message = audit(world, 3)
    assert "page/000000" in failed["spans"]["failures"][0] and "spans" in message
    assert failed.keys() >= {"spans", "search"} and "files" not in failed


def test_two_workers_find_what_one_does(world):
    change(world, "pages.parquet", "text", 5, lambda text: "#" + text, forge=True)
    alone, spread = (
        json.loads(worldforge("audit", world, "--json", "--no-report", f"--workers={n}", code=3).stdout) for n in (1, 2)
    )
    for checks in (alone["checks"], spread["checks"]):
        assert all(check.pop("seconds") >= 0 for check in checks)
    assert alone == spread and not alone["passed"]


def test_a_changed_file_is_named_without_knowing_what_it_means(world):
    change(world, "links.parquet", "anchor", 0, "elsewhere", forge=False)
    failed, _ = audit(world, 3)
    assert failed["files"]["failures"] == ["links.parquet is not as it was written"]


def test_a_changed_cell_is_named(world):
    change(world, "entities/club.parquet", "founded", 7, lambda year: year + 1, forge=True)
    failed, _ = audit(world, 3)
    assert "club/0007#founded" in failed["facts"]["failures"][0]


def test_a_broken_constraint_is_named(world):
    change(world, "entities/club.parquet", "founded", 7, 900, forge=True)
    failed, _ = audit(world, 3)
    assert "club/0007" in failed["constraints"]["failures"][0]


def test_a_dangling_reference_is_named(world):
    change(world, "entities/club.parquet", "town", 2, "town/9999", forge=True)
    failed, _ = audit(world, 3)
    assert "town/9999" in failed["keys"]["failures"][0]


def test_a_name_that_is_there_twice_is_named(world):
    names = pq.read_table(world / "entities/club.parquet")["name"]
    change(world, "entities/club.parquet", "name", 2, names[3].as_py(), forge=True)
    failed, _ = audit(world, 3)
    assert names[3].as_py() in failed["keys"]["failures"][0]


def test_a_changed_gold_table_is_named(world):
    def swapped(rows):
        return [["Somebody Else", *rows[0][1:]], *rows[1:]]

    change(world, "tasks.parquet", "gold", 4, swapped, forge=True)
    failed, _ = audit(world, 3)
    assert "task/list-0004" in failed["gold"]["failures"][0]


def test_a_link_to_nowhere_is_named(world):
    change(world, "links.parquet", "target", 0, "page/999999", forge=True)
    failed, _ = audit(world, 3)
    assert "page/999999" in failed["links"]["failures"][0]


def test_an_authority_that_links_do_not_give_is_named(world):
    change(world, "authority.parquet", "authority", 3, lambda authority: authority + 0.01, forge=True)
    failed, _ = audit(world, 3)
    assert failed.keys() == {"authority"} and "page/000003 has authority" in "".join(failed["authority"]["failures"])


def test_authority_of_other_pages_is_named(world):
    change(world, "authority.parquet", "page", 3, "page/000002", forge=True)
    failed, _ = audit(world, 3)
    assert failed.keys() == {"authority"} and "pages.parquet" in failed["authority"]["failures"][0]


def test_facts_nobody_states_are_named(world):
    facts = pq.read_table(world / "tasks.parquet")["facts"][0].as_py()
    mentions = pq.read_table(world / "mentions.parquet")
    pq.write_table(mentions.filter(pc.not_equal(mentions["fact"], facts[0][1])), world / "mentions.parquet")
    failed, _ = audit(world, 3)
    assert facts[0][1] in failed["evidence"]["failures"][0]


def test_a_fact_that_is_none_is_named(world):
    change(world, "mentions.parquet", "fact", 9, "rubbish", forge=True)
    failed, _ = audit(world, 3)
    assert "`rubbish` is no fact id" in failed["facts"]["failures"][0]


@pytest.mark.parametrize("name", ["pages.parquet", "entities/town.parquet", "tasks.parquet", "index/tantivy/meta.json"])
def test_a_damaged_file_fails_the_audit_and_not_the_program(world, name):
    (world / name).write_bytes(b"not what it was")
    failed, _ = audit(world, 3)
    assert f"{name} is not as it was written" in failed["files"]["failures"]


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"{}", b"\xff\xfe"])
def test_no_world_is_the_users_mistake(tmp_path, content):
    if content is not None:
        (tmp_path / "world.json").write_bytes(content)
    worldforge("audit", tmp_path, code=2)


def test_a_world_of_another_version_is_to_be_built_again(world):
    manifest = json.loads((world / "world.json").read_text())
    (world / "world.json").write_text(json.dumps(manifest | {"format": 1}))
    told = worldforge("audit", world, code=2).stderr
    assert "is a world of format 1" in told and f"worldforge build {world}/spec.yaml" in told
