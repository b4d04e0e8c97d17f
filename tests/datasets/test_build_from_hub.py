"""A world rebuilt from the spec of a dataset on the Hub. A spec there is a stranger's: small, alone, without code."""

import json
from dataclasses import replace

import pytest
from command import digest, worldforge
from hub_datasets import finish, make_dataset

from worldforge.core.files import write_text
from worldforge.datasets.manifest import read_manifest, record_file

SMALLER = ["--set", "scale=0.2", "--set", "tasks.list.count=3"]


def with_spec(folder, text):
    """A dataset with another spec."""
    make_dataset(folder)
    write_text(folder / "spec" / "spec.yaml", text)
    manifest = read_manifest(folder)
    files = {**manifest.files, "spec/spec.yaml": record_file(folder / "spec" / "spec.yaml")}
    return finish(folder, replace(manifest, files=files))


def validate(hub, address, *options, code=2):
    """`validate` reads a spec as `build` does."""
    return hub.run("validate", address, *options, code=code)


def test_a_world_built_from_the_hub_is_the_same_world(hub, tmp_path):
    env = {**hub.env, "HF_TOKEN": ""}
    worldforge("build", "quickstart", *SMALLER, "-o", tmp_path / "first")
    text = (tmp_path / "first" / "spec.yaml").read_text()
    hub.push(with_spec(tmp_path / "dataset", text), "--public", "--tag", "v1")
    hub.push(make_dataset(tmp_path / "newer", run="newer"), "--public")
    worldforge("build", f"hf://datasets/{hub.name}@v1", "-o", tmp_path / "second", env={**env, "PYTHONHASHSEED": "5"})
    assert digest(tmp_path / "first") == digest(tmp_path / "second")


def test_the_address_may_say_datasets_and_a_revision(hub, small_dataset):
    head = hub.push(small_dataset, "--tag", "v1", "--branch", "wip/one")["head"]
    for address in (f"hf://{hub.name}@v1", f"hf://datasets/{hub.name}@wip/one", f"hf://{hub.name}@{head}"):
        validate(hub, address, code=0)
    refused = validate(hub, f"hf://{hub.name}")
    assert "spec/spec.yaml" in refused.err and hub.name in refused.err


@pytest.mark.parametrize(
    "address",
    [
        "hf://",
        "hf://me",
        "hf://me/",
        "hf://a/b/c",
        "hf://me/mine@",
        "hf://me/mine@../x",
        "hf://me/mine@-x",
        "hf://a b/c",
    ],
)
def test_an_address_that_is_none(hub, address):
    refused = validate(hub, address)
    assert "hf://owner/name" in refused.err or "owner/name" in refused.err


def test_what_is_not_there_or_not_for_us(hub, small_dataset):
    assert "cannot be read" in validate(hub, "hf://me/nothing-here").err
    hub.push(small_dataset)
    assert "cannot be read" in validate(hub, f"hf://{hub.name}@v9").err
    validate(hub, f"hf://{hub.name}", code=0)
    unseen = hub.run("validate", f"hf://{hub.name}", code=2, HF_TOKEN="")
    assert "token" in unseen.err


def test_a_busy_hub_is_asked_again_and_one_that_is_away_is_an_error(hub, small_dataset):
    hub.push(small_dataset)
    hub.fault("GET .*/resolve/", 503, times=2)
    validate(hub, f"hf://{hub.name}", code=0)
    hub.fault("GET .*/resolve/", 503, times=100)
    assert "503" in validate(hub, f"hf://{hub.name}").err


def test_code_is_never_taken_from_the_hub(hub, small_dataset, tmp_path):
    hub.push(small_dataset)
    assert "never taken from the Hub" in validate(hub, f"hf://{hub.name}", "--allow-code").err
    text = "name: own\ntypes: {club: {count: 3, name: {generator: 'mine:names'}}}\n"
    hub.push(with_spec(tmp_path / "code", text))
    assert "mine:names" in validate(hub, f"hf://{hub.name}").err


def test_a_spec_from_the_hub_extends_no_file_of_ours(hub, tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_text("name: very-secret\n")
    for number, extended in enumerate((str(secret), "quickstart", "../../secret.yaml")):
        hub.push(with_spec(tmp_path / f"d{number}", f"extends: {json.dumps(extended)}\nname: own\n"))
        refused = validate(hub, f"hf://{hub.name}")
        assert "cannot extend" in refused.err and "very-secret" not in refused.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"x" * (5 << 20), "larger than 4 MiB"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"[1, 2]", "mapping"),
        (b"name: [", "error"),
        (b"a: &a [1]\nb: [" + b"*a," * 1000 + b"]", "error"),
        (b"", "is empty"),
    ],
)
def test_rubbish_instead_of_a_spec(hub, content, says):
    hub.repository.create(private=False)
    hub.repository.commit({"spec/spec.yaml": content})
    assert says in validate(hub, f"hf://{hub.name}").err


def test_settings_are_laid_over_a_spec_from_the_hub(hub, small_dataset):
    hub.push(small_dataset)
    assert "nonsense" in validate(hub, f"hf://{hub.name}", "--set", "nonsense.key=1").err
    validate(hub, f"hf://{hub.name}", "--set", "seed=7", code=0)
