"""What the README links to is there, and it stays short."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_the_readme_links_to_is_there():
    for target in [part.split(")")[0] for part in README.split("](")[1:]]:
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_the_readme_fits_on_two_screens():
    assert len(README.splitlines()) <= 90
