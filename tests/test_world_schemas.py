"""The shipped worlds: each is as deep as a topic asks, builds, and passes its own audit."""

import pyarrow.parquet as pq
import pytest
from harper_check import assert_right
from small_worlds import small

from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import read_source, shipped_specs
from worldforge.schema.table_columns import columns_of
from worldforge.world.world import open_world

SHIPPED = sorted(set(shipped_specs()) - {"quickstart"})
EDITIONS = [name for name in SHIPPED if name.endswith("_zh")]
TOPICS = [name for name in SHIPPED if name not in EDITIONS] + EDITIONS[::3]  # the others are validated, as all are
WHOLE = ("history", "geography_zh")  # built as large as they ship, with every gate
UNSEARCHED = "gates.searcher.max_steps=0"  # saves a third of the time; the searcher's proof has tests of its own
N_TASKS, N_SMALL = 2, 1  # of a family in those, and in the others
N_READ = 60  # pages whose English is checked


@pytest.mark.parametrize("topic", TOPICS)
def test_a_world_builds_and_passes_its_audit(topic, tmp_path):
    """With fewer tasks than it ships with: each that is kept was solved by the oracle through the tools."""
    spec = load_spec(topic, few(topic, N_TASKS)) if topic in WHOLE else small(topic, *few(topic, N_SMALL), UNSEARCHED)
    assert_a_little_universe(spec)
    folder = build(spec, tmp_path / topic).folder
    world = open_world(folder)
    assert len(world.tasks) == sum(family.count for family in spec.tasks.values())
    for name in world.spec.relations:
        assert pq.read_metadata(folder / "relations" / f"{name}.parquet").num_rows > 0, f"no row of `{name}`"
    if spec.languages == ["en"] and spec.phrases:
        texts = world.pages["text"].to_pylist()
        read = [*texts[:: len(texts) // N_READ + 1], *(task.wording.partition("\n")[0] for task in world.tasks)]
        assert_right(read)


def few(topic, count):
    """Settings for so many tasks of a family; to read the spec for its families takes less than to check it."""
    tree, _ = read_source(topic)
    return [f"tasks.{family}.count={count}" for family in tree.data["tasks"]]


def assert_a_little_universe(spec):
    own = {
        f"{table}.{name}"
        for table in (*spec.types, *spec.relations)
        for name in columns_of(spec, table).keys() - {"name", "source", "target", "previous"}
    }
    assert len(spec.types) >= 6 and len(own) >= 25
    assert any(kind.derived for kind in spec.types.values())
    assert any(relation.series or relation.pairs for relation in spec.relations.values()), "nothing follows in time"
    assert len(spec.constraints) >= 4 and len(spec.sites) >= 4 and len(spec.pages) >= 8
