"""A folder with a jobs.yaml whose steps are done by `stand_in_command`, as its script says."""

import json
import os
from pathlib import Path

import pytest

from worldforge.cli.jobs import _forms
from worldforge.jobs import child
from worldforge.jobs.commands import Permits
from worldforge.jobs.ledger import FILE, Ledger
from worldforge.jobs.reading import read_jobs
from worldforge.jobs.running import Runner

FORMS = _forms()


class Place:
    """The folder, and what can be done there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.told = folder, []

    def jobs(self, text: str) -> None:
        (self.folder / "jobs.yaml").write_text(text)
        self.plan = read_jobs(self.folder, FORMS)
        self.ledger = Ledger(self.plan.folder / FILE)
        if not (self.folder / "script.json").exists():
            self.script()

    def script(self, *acts) -> None:
        (self.folder / "script.json").write_text(json.dumps(acts))

    def runner(self, stop=None, **permits) -> Runner:
        return Runner(self.plan, self.ledger, FORMS, Permits(**permits), stop, self.told.append)

    def calls(self) -> list[list[str]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def place(tmp_path, monkeypatch):
    here = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", here)
    monkeypatch.setattr(child, "MODULE", "stand_in_command")
    return Place(tmp_path)
