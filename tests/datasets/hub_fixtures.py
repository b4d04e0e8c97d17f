"""A Hub on loopback for all tests of a process, and small datasets to push to it: each test has its own repository."""

import itertools
import json
from dataclasses import dataclass

import pytest
from hub_datasets import listed, make_dataset
from hub_stand_in import WRITER, HubStandIn, standing_in
from warm_command import Done, Running, warm_up


@dataclass
class Hub:
    """The stand-in, and a repository of the test's own."""

    server: HubStandIn
    name: str
    env: dict

    @property
    def repository(self):
        return self.server.repository(self.name)

    def start(self, *arguments, **env):
        return Running(*arguments, env={**self.env, **env})

    def run(self, *arguments, code=0, **env) -> Done:
        done = self.start(*arguments, **env).wait()
        assert done is not None, "it died"
        assert done.code == code, f"exit code {done.code}\n{done.out}\n{done.err}"
        assert "Traceback" not in done.err
        return done

    def push(self, folder, *options, code=0, **env):
        """Push to the test's repository; return the JSON, or what came of it where it is to fail."""
        done = self.run("push", folder, "--to", self.name, "--json", *options, code=code, **env)
        return json.loads(done.out) if code == 0 else done

    def fault(self, where, status=None, **options):
        self.server.fault(self.name, where, status, **options)

    def holds(self, folder, revision="main"):
        """Check that the repository holds the dataset in a folder, and nothing else but what every one holds."""
        repository = self.repository
        there = {path: repository.content(path, revision) for path in repository.files(revision)}
        del there[".gitattributes"]
        assert there == listed(folder)
        return True

    @property
    def uploads(self):
        """How often each object came, LFS or within a commit."""
        counts = [*self.server.uploads.items(), *self.server.inline.items()]
        return {key[1:]: count for key, count in counts if key[0] == self.name}


@pytest.fixture(scope="session")
def hub_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    with standing_in(folder / "state") as server:
        env = {"HF_ENDPOINT": server.url, "HF_HOME": str(folder / "home"), "HF_HUB_DISABLE_XET": "1"}
        env |= {"HF_TOKEN": WRITER, "HF_HUB_DISABLE_TELEMETRY": "1", "WORLDFORGE_DEBUG": ""}
        warm_up(env)
        server.env = env
        yield server


_numbers = itertools.count()


@pytest.fixture
def hub(hub_server):
    yield Hub(hub_server, f"me/mine-{next(_numbers):04d}", hub_server.env)
    hub_server.heal()


@pytest.fixture(scope="session")
def small_dataset(tmp_path_factory):
    """A dataset of two tables and seven files. Not to be changed."""
    return make_dataset(tmp_path_factory.mktemp("small") / "dataset")


@pytest.fixture(scope="session")
def wide_dataset(tmp_path_factory):
    """A dataset of 150 shards. Not to be changed."""
    return make_dataset(tmp_path_factory.mktemp("wide") / "dataset", n_shards=150, rows_per_shard=1)
