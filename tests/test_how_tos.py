"""Every how-to guide works: its files are written and its commands and scripts run, in order, in a folder of its own.

A block with a title is a file. `console` and `python` blocks are run; `shell` blocks need hardware or an account and
are not. A page that names output/quickstart finds that world there, and a run of the searcher. Worlds that a page
derives from quickstart are built smaller than its readers build them.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from forked_path import forked_path

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SMALLER = {
    "extends: quickstart\n": "extends: quickstart\nscale: 0.15\n",
    "      tasks.list.count: 5\n": "      tasks.list.count: 5\n      scale: 0.15\n",
    "tasks: {list: {count: 20}}\n": "tasks: {list: {count: 8}}\n",
    "build quickstart ": "build quickstart --set scale=0.15 --set tasks.list.count=5 ",
}


def script(text):
    """Return a page as a shell script: what a reader would type."""
    return "\n".join(["set -euo pipefail", *[_step(*block) for block in BLOCK.findall(text)]])


def _step(language, title, body):
    if title:
        return f"mkdir -p \"$(dirname '{title}')\"\ncat > '{title}' <<'END_OF_FILE'\n{body}END_OF_FILE"
    if language == "python":
        return f"python - <<'END_OF_FILE'\n{body}END_OF_FILE"
    return "\n".join(_commands(body)) if language == "console" else ""


def _commands(body):
    """Yield the commands of a console block, without what they print."""
    goes_on = False
    for line in body.splitlines():
        if goes_on or line.startswith("$ "):
            yield line if goes_on else line.removeprefix("$ ")
            goes_on = line.endswith("\\")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_how_to_guide_works(page, tmp_path, searched, request):
    text = page.read_text(encoding="utf-8")
    assert _commands(text) or "```python" in text
    if "output/quickstart" in text:
        shutil.copytree(searched, tmp_path / "output" / "quickstart")
    for whole, part in SMALLER.items():
        text = text.replace(whole, part)
    environment = dict(os.environ)
    if "$MODEL" in text:
        environment["MODEL"] = str(request.getfixturevalue("tiny_model"))
    command = ["bash", "-c", script(text)]
    with forked_path() as environment["PATH"]:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_there_are_a_dozen():
    assert len(PAGES) >= 12
