"""Whatever validates, builds and passes the audit; or says in a line why it cannot be."""

import json
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from any_spec import YEAR, specs
from command import digest
from hypothesis import HealthCheck, given, settings

from worldforge.builders.audit.run_audit import audit_world
from worldforge.core.errors import InputError
from worldforge.entry_points.build_world import build
from worldforge.world.world import open_world

IMPAIRED = ("recall_loss", "top_k", "ranking_noise")  # with which a search need not lead to every page
EVERY = 5  # of the worlds that are built, one is built again, by two workers


def test_whatever_validates_builds_and_passes_the_audit():
    refused, worlds = [], []

    @settings(max_examples=6, suppress_health_check=list(HealthCheck))
    @given(specs())
    def check(spec):
        with tempfile.TemporaryDirectory() as folder:
            path, world = Path(folder) / "world.yaml", Path(folder) / "world"
            path.write_text(json.dumps(spec))
            try:
                build(path, world)
            except InputError as error:
                refused.append(str(error))
                return
            assert broken(world, spec) == []
            worlds.append(digest(world))
            if len(worlds) % EVERY == 1:
                build(path, Path(folder) / "again", workers=2)
                assert digest(Path(folder) / "again") == worlds[-1]

    check()
    assert len(worlds) > len(refused), refused


def broken(world, spec):
    """Name what of a world breaks a check of `worldforge audit`."""
    impaired = any(spec["search"].get(key) for key in IMPAIRED)
    failed = [finding for finding in audit_world(open_world(world)) if finding.n_failed]
    return [one for one in failed if one.check != "reachability" or not impaired]


def test_lists_by_their_own_type_hold_and_no_two_families_ask_the_same(tmp_path):
    venue = {
        "count": 9,
        "name": {"generator": "names.venue", "aliases": {"share": 1.0, "used": 0.5}},
        "attributes": {"opened": YEAR, "above": {"references": "venue", "acyclic": True}},
    }
    asked = {"family": "list", "count": 6, "rows": {"low": 1, "high": 9}, "columns": {"low": 1, "high": 3}}
    spec = {
        "name": "venues",
        "types": {"venue": venue},
        "pages": {
            "article": {"generator": "pages.encyclopedia", "about": "venue"},
            "below": {"generator": "pages.directory", "about": "venue", "by": "above"},
        },
        "tasks": {"one": asked, "two": asked},
    }
    path, world = tmp_path / "world.yaml", tmp_path / "world"
    path.write_text(json.dumps(spec))
    build(path, world)
    assert broken(world, {"search": {}}) == []
    reasons = pq.read_table(world / "set_aside.parquet")["reason"].to_pylist()
    assert any(reason.startswith("duplicate: ") for reason in reasons)
