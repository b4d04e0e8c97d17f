"""A world whose search has vectors too: built, solved and audited through that search, by a server and by vLLM."""

import json
import os

import numpy as np
import pytest
from embedding_server import serving_embeddings

from worldforge.builders.audit.run_audit import audit_world
from worldforge.core.errors import InputError
from worldforge.entry_points.build_world import build, plan_build
from worldforge.entry_points.play_run import rollout
from worldforge.models.embedding import VARIABLE, NoEmbedderError, embedder_of
from worldforge.schema.problems import SpecError
from worldforge.schema.resolved_spec import write_resolved
from worldforge.schema.spec_loader import load_spec
from worldforge.search.search_index import open_index
from worldforge.world.world import open_world

SPEC = """\
name: nearby
seed: 3
types:
  club:
    count: 12
    name: {generator: names.club}
    attributes:
      founded: {generator: values.year, params: {low: 1890, high: 2008}}
pages:
  club_article: {generator: pages.encyclopedia, about: club}
tasks:
  list: {family: list, about: [club], count: 2, rows: {low: 3, high: 6}, columns: {low: 2, high: 2}}
"""


ASKED = ("search.dense.model=bag", "search.dense.page_prefix=page>", "search.dense.weight=2.0")


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dense")
    (folder / "world.yaml").write_text(SPEC, encoding="utf-8")
    return lambda *overrides: load_spec(folder / "world.yaml", overrides)


@pytest.fixture
def server(monkeypatch):
    with serving_embeddings() as (server, address):
        monkeypatch.setenv(VARIABLE, f"{address}?retries=0")
        yield server


def test_a_world_with_vectors_is_built_solved_and_audited(spec, server, tmp_path, monkeypatch):
    dense, address = spec(*ASKED), os.environ[VARIABLE]
    built = build(dense, tmp_path / "world")
    texts = set(server.texts)
    manifest = json.loads((built.folder / "world.json").read_text())
    assert manifest["dense"]["model"] == "bag" and manifest["dense"]["passages"] == built.counts["pages"]
    assert manifest["dense"]["dimension"] == 64
    assert sum(text.startswith("page>") for text in texts) == built.counts["pages"]
    world = open_world(built.folder)
    assert rollout(world, limit=2).tally.scores["success"] == 1
    assert not any(finding.n_failed for finding in audit_world(world))
    monkeypatch.delenv(VARIABLE)
    assert not any(stage.reason for stage in plan_build(dense, built.folder))
    assert build(dense, built.folder, fresh=True).digest == built.digest  # all is kept, and no model needed
    server.asked.clear()
    with monkeypatch.context() as patch:
        patch.setenv(VARIABLE, address)
        build(spec(*ASKED, "search.freshness=1.0"), built.folder)
    assert len({text for text in server.texts if "\n" in text}) <= 1  # one, by which the model is known to be the same
    world = open_world(built.folder)  # built anew since
    (built.folder / "embeddings.sqlite").unlink()
    with pytest.raises(NoEmbedderError):
        audit_world(world)
    with pytest.raises(NoEmbedderError):
        rollout(world, agent="noisy-searcher", run="again")


def test_without_the_model_nothing_is_begun(spec, tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(NoEmbedderError, match="vectors of `bag`"):
        build(spec("search.dense.model=bag"), tmp_path / "world")
    assert not (tmp_path / "world").exists()


def test_a_world_without_vectors_knows_nothing_of_them(spec):
    assert write_resolved(spec()) == write_resolved(spec("search.dense=null"))
    assert "dense" not in write_resolved(spec())
    assert "dense" in write_resolved(spec("search.dense.model=bag"))


def test_a_spec_names_no_address(spec):
    for wrong in ("openai:bag@http://127.0.0.1/v1", "vllm:bag", "/etc", "a/b/c", ""):
        with pytest.raises(SpecError, match=r"search\.dense\.model"):
            spec(f"search.dense.model={wrong}")


@pytest.mark.xdist_group("vllm")
def test_vectors_by_vllm(spec, tiny_model, tmp_path, monkeypatch):
    """A real engine, with random weights: what they say means nothing, but what is equal is near."""
    monkeypatch.setenv("VLLM_ENABLE_V1_MULTIPROCESSING", "0")  # one import less
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    monkeypatch.setenv(VARIABLE, f"vllm:{tiny_model}?enforce_eager=true&max_model_len=512")
    built = build(spec("search.dense.model=tiny", "tasks.list.count=1", "scale=0.5"), tmp_path / "world")
    said = json.loads((built.folder / "world.json").read_text())["dense"]
    assert (said["model"], said["dimension"], len(said["revision"])) == ("tiny", 128, 64)
    index = open_index(built.folder / "index")
    own = [" ".join(index.store.cells(row, "title", "plain")) for row in range(index.n_pages)]
    vectors = np.load(built.folder / "index" / "dense" / "vectors.npy").astype(np.float32)
    texts = ["\n".join(index.store.cells(row, "title", "plain")) for row in range(index.n_pages)]
    assert np.allclose(vectors, embedder_of("tiny").embed(texts), atol=0.02)
    queries = embedder_of("tiny").embed(own).astype(np.float16).astype(np.float32)
    for row, text in enumerate(own):
        rows, cosines = index.dense.nearest(text, text, None)
        products = vectors @ queries[row]
        assert np.allclose(cosines, np.sort(products)[::-1], atol=0.02)
        assert products[rows[0]] >= products.max() - 0.02
    assert np.isfinite(embedder_of("tiny").embed(["town " * 5_000])).all()  # cut at the model's context
    with pytest.raises(InputError, match="cannot serve 2 workers"):
        rollout(open_world(built.folder), workers=2)
