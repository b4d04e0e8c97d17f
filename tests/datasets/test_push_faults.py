"""Pushes through a Hub that fails: busy, cut off, overtaken. What is there in the end is whole, and came once."""

from importlib.metadata import version

import pytest
from command import worldforge
from hub_datasets import make_dataset
from hub_stand_in import CUT, SILENT

ENDPOINTS = {
    "repository": "GET /api/datasets/[^/]+/[^/]+$",
    "create": "POST /api/repos/create",
    "head": "GET .*/revision/main",
    "tree": "GET .*/tree/",
    "tags": "GET .*/refs",
    "preupload": "POST .*/preupload/",
    "batch": "POST .*/objects/batch",
    "put": "PUT /lfs/",
    "verify": "POST /verify/",
    "commit": "POST .*/commit/",
    "tag": "POST .*/tag/",
}
PASSING = (429, 500, 502, 503, SILENT)
UPLOADS_HEED_RETRY_AFTER = tuple(map(int, version("huggingface-hub").split(".")[:2])) >= (1, 22)


def fail(hub, endpoint, status, **options):
    """Let an endpoint fail; the creation of repositories names none in its address."""
    repository = "" if endpoint == "create" else hub.name
    hub.server.fault(repository, ENDPOINTS[endpoint], status, **options)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_passing_fault_of_any_endpoint_is_survived(hub, small_dataset, endpoint):
    for status in PASSING:
        fail(hub, endpoint, status)
    done = hub.push(small_dataset, "--tag", "v1")
    assert hub.server.heal() == 0, "a fault was never met"
    assert hub.holds(small_dataset, "v1") and len(done["commits"]) == hub.repository.n_commits == 1
    assert set(hub.uploads.values()) == {1}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_what_was_done_though_the_answer_was_a_fault_is_not_done_again(hub, small_dataset, endpoint):
    fail(hub, endpoint, 503, after=True)
    fail(hub, endpoint, SILENT, after=True, skip=0)
    hub.push(small_dataset, "--tag", "v1")
    assert hub.holds(small_dataset, "v1") and hub.repository.n_commits == 1
    counts = hub.uploads
    if endpoint == "put":  # the server had it, but the client could not know
        assert sum(counts.values()) <= len(counts) + 2
    else:
        assert set(counts.values()) == {1}


def test_the_card_is_checked_by_a_hub_that_is_busy(hub, small_dataset):
    hub.server.fault("", "POST /api/validate-yaml", 503)
    hub.server.fault("", "POST /api/validate-yaml", 500, body=b'{"error": "busy"}')
    hub.push(small_dataset)
    assert hub.holds(small_dataset) and hub.repository.n_commits == 1


def test_a_connection_that_breaks_in_the_middle_of_an_upload(hub, wide_dataset):
    for skip in (0, 3, 40, 90):
        hub.fault("PUT /lfs/", CUT, skip=skip)
    hub.push(wide_dataset)
    assert hub.server.heal() == 0
    assert hub.holds(wide_dataset) and set(hub.uploads.values()) == {1}


@pytest.mark.parametrize("headers", [{"Retry-After": "7"}, {"RateLimit": '"api";r=0;t=7'}])
@pytest.mark.parametrize("endpoint", ["repository", "put", "commit"])
def test_a_hub_that_asks_for_patience_is_given_as_much(hub, small_dataset, headers, endpoint):
    if endpoint == "put" and "Retry-After" in headers and not UPLOADS_HEED_RETRY_AFTER:
        pytest.skip("the library's own wait, which took no notice of it before 1.22")
    fail(hub, endpoint, 429, headers=headers)
    done = hub.run("push", small_dataset, "--to", hub.name)
    assert any(wait in (7, 8) for wait in done.waits), done.waits
    assert hub.holds(small_dataset)


@pytest.mark.parametrize("endpoint", ["head", "put", "commit"])
def test_a_hub_that_stays_away_is_an_error_and_the_same_command_goes_on(hub, small_dataset, endpoint):
    fail(hub, endpoint, 503, times=1000)
    refused = hub.push(small_dataset, code=1)
    assert "503" in refused.err and "run the same command again" in refused.err and "secret" not in refused.err
    hub.server.heal()
    hub.push(small_dataset)
    assert hub.holds(small_dataset) and set(hub.uploads.values()) == {1}


@pytest.mark.parametrize("skip", [0, 1, 2])
def test_another_writer_is_not_overwritten(hub, wide_dataset, skip):
    hub.fault("POST .*/commit/", skip=skip, action=lambda: hub.repository.commit({"notes.txt": b"theirs"}))
    refused = hub.push(wide_dataset, code=1)
    assert "another writer" in refused.err and hub.repository.n_commits == skip + 1
    assert hub.repository.content("notes.txt") == b"theirs"
    hub.push(wide_dataset)
    assert hub.repository.content("notes.txt") == b"theirs" and hub.repository.n_commits == 4
    assert set(hub.uploads.values()) == {1}


def test_another_writer_who_comes_between_a_failed_commit_and_its_repetition(hub, small_dataset):
    hub.fault("POST .*/commit/", 503, action=lambda: hub.repository.commit({"notes.txt": b"theirs"}))
    refused = hub.push(small_dataset, code=1)
    assert "another writer" in refused.err and hub.repository.n_commits == 1


def test_another_writer_who_builds_upon_a_commit_that_seemed_to_fail(hub, small_dataset):
    hub.fault("POST .*/commit/", 503, after=True, action=lambda: hub.repository.commit({"notes.txt": b"theirs"}))
    refused = hub.push(small_dataset, code=1)
    assert "another writer" in refused.err and hub.repository.n_commits == 2
    assert hub.push(small_dataset)["commits"] == []


def test_what_is_there_is_compared_with_what_was_meant(hub, small_dataset, tmp_path):
    """The server loses a file after the commit."""
    lost = make_dataset(tmp_path / "dataset", run="lost")
    path = "sft/train-00000-of-00002.parquet"
    hub.push(small_dataset)
    hub.fault("GET .*/revision/main", skip=1, action=lambda: hub.repository.commit({}, deleted=[path]))
    refused = hub.push(lost, code=1)
    assert path in refused.err and "does not hold what was pushed" in refused.err
    hub.push(lost)
    assert hub.holds(lost)


def test_a_card_that_the_hub_refuses(hub, small_dataset):
    hub.server.fault("", "POST /api/validate-yaml", 400, body=b'{"errors": [{"message": "no such licence"}]}')
    refused = hub.push(small_dataset, code=2)
    assert "no such licence" in refused.err


def test_offline_is_offline(hub, small_dataset):
    refused = worldforge("push", small_dataset, "--to", hub.name, env={**hub.env, "HF_HUB_OFFLINE": "1"}, code=2)
    assert "HF_HUB_OFFLINE" in refused.stderr
