"""Pages in passages that an embedding model takes whole: the title, and a stretch of the plain text below it."""

from __future__ import annotations

from worldforge.search.analysis import is_cjk


def cut_passages(title: str, plain: str, characters: int) -> list[str]:
    """Cut a page's plain text (one line) into stretches of at most `characters`, each under the title; at least one.

    Cuts fall on blanks, or between any two characters where one is Chinese, Japanese or Korean; a word that is longer
    than a stretch is cut through.
    """
    stretches = []
    start = 0
    while len(plain) - start > characters:
        end = _cut(plain, start, start + characters)
        stretches.append(plain[start:end])
        start = end
    stretches.append(plain[start:])
    return [f"{title}\n{stretch.strip()}".strip() for stretch in stretches]


def _cut(plain: str, start: int, latest: int) -> int:
    """Return where the stretch ends that begins at `start` and may reach `latest`."""
    if is_cjk(plain[latest - 1]) or is_cjk(plain[latest]):
        return latest
    blank = plain.rfind(" ", start + 1, latest + 1)
    return blank + 1 if blank > start and blank < latest else latest
