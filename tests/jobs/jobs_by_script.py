"""A folder with a jobs.yaml whose steps are done by `stand_in_command`, as its script says."""

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from worldforge.cli.jobs_commands import check_arguments
from worldforge.jobs import step_process
from worldforge.jobs.job_ledger import JobLedger
from worldforge.jobs.job_runner import JobRunner
from worldforge.jobs.jobs_file import read_jobs
from worldforge.jobs.run_execution import JobContext
from worldforge.jobs.step_commands import Permissions

CHAIN = """\
jobs:
  chain:
    spec: quickstart
    set: {seed: "{run_number}"}
    steps: [build, {rollout: {agent: oracle}}, export]
    retries: {times: 2, wait: 0}
"""
NOW = datetime(2031, 6, 30, 0, 30, tzinfo=UTC)


def steps(others):
    return CHAIN.replace("[build, {rollout: {agent: oracle}}, export]", others)


class Place:
    """The folder, and what can be done there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.logged = folder, []

    def jobs(self, text: str) -> None:
        (self.folder / "jobs.yaml").write_text(text)
        self.plan = read_jobs(self.folder, check_arguments)
        self.ledger = JobLedger(self.plan.folder)
        if not (self.folder / "script.json").exists():
            self.script()

    def script(self, *acts) -> None:
        (self.folder / "script.json").write_text(json.dumps(acts))

    def context(self, stop=None, **allowed) -> JobContext:
        stop = stop or threading.Event()
        return JobContext(self.plan, self.ledger, Permissions(**allowed), stop, self.logged.append)

    def runner(self, stop=None, **allowed) -> JobRunner:
        return JobRunner(self.context(stop, **allowed))

    def calls(self) -> list[list[str]]:
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def place(tmp_path, monkeypatch):
    here = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", here)
    monkeypatch.setattr(step_process, "MODULE", "stand_in_command")
    return Place(tmp_path)
