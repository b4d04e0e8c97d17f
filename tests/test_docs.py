"""What the documentation names is there, and the README stays short."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_the_readme_links_to_is_there():
    for target in [part.split(")")[0] for part in README.split("](")[1:]]:
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_the_readme_fits_on_two_screens():
    assert len(README.splitlines()) <= 90


def test_the_modules_that_the_docs_name_are_there():
    missing = []
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))):
        for path in re.findall(r"`([a-z_]+/[\w/]+\.py)`", page.read_text(encoding="utf-8")):
            if not any((folder / path).exists() for folder in (ROOT, ROOT / "worldforge")):
                missing.append(f"{page.relative_to(ROOT)}: {path}")
    assert missing == []
