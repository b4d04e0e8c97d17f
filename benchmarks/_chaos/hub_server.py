"""The Hub that pushes go to: the stand-in on loopback that the tests push to."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from pathlib import Path

from benchmarks._chaos.command import ROOT

sys.path.insert(0, str(ROOT / "tests" / "datasets"))
from hub_stand_in import CUT, SILENT, WRITER, HubStandIn

REPOSITORY = "me/world"


class Hub:
    """The stand-in, its state in `folder`. `env` has commands take it for the Hub.

    `n_asked` is how many requests the first push made, which nobody disturbs: known when it was first emptied.
    """

    def __init__(self, folder: Path) -> None:
        self.server = HubStandIn(folder / "state")
        self.env = {"HF_ENDPOINT": self.server.url, "HF_HOME": str(folder / "home"), "HF_TOKEN": WRITER}
        self.n_asked = 0
        self.env |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def empty(self) -> None:
        """Forget all repositories, and what was uploaded."""
        self.server.settle()
        self.n_asked = self.n_asked or len(self.server.requests)
        shutil.rmtree(self.server.folder)
        self.server.folder.mkdir()
        for told in (self.server.uploads, self.server.inline, self.server.requests):
            told.clear()

    def faults_in(self, dataset: Path) -> list[str]:
        """Say what is not as it should be: the repository holds the dataset and nothing else, each file came once."""
        repository = self.server.repository(REPOSITORY)
        names = {"manifest.json", *json.loads((dataset / "manifest.json").read_text())["files"]}
        there = {name: repository.content(name) for name in repository.files() if name != ".gitattributes"}
        found = [f"`{name}` is not there, or not to be there" for name in sorted(names ^ there.keys())]
        found += [f"`{name}` differs" for name in names & there.keys() if (dataset / name).read_bytes() != there[name]]
        counts = {**self.server.uploads, **self.server.inline}
        found += [f"`{key}` came {n} times" for key, n in counts.items() if n > 1]
        return found + ([f"there were {repository.n_commits} commits"] if repository.n_commits != 1 else [])


__all__ = ["CUT", "REPOSITORY", "SILENT", "Hub"]
