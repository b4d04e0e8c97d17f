"""Normalises a cell's text for comparison: case, spaces, markup, quotes and signs.

same_text("**St John’s** Park")       ->  "stjohn'spark"
loose_text("St John's Park [1].")     ->  "stjohn'spark"
"""

from __future__ import annotations

import re
import unicodedata

from worldforge.scoring.cell_markup import LONGEST, plain, without_marks

_SIGNS = str.maketrans(dict.fromkeys("‘’ʼ´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—−", "-"))
_POWER = re.compile(r"(?<=[0-9])(?=[⁰¹²³⁴⁵⁶⁷⁸⁹])")  # the square of 1 is not 12
_QUOTES = ('""', "()", "''", "「」", "『』", "《》", "〈〉", "‹›", "[]", "【】")
_SMALLEST_SHARE = 3  # a contained answer is at least a third of the gold's characters
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_LISTED = re.compile(r"[,;/|()、，；（）]")


def same_text(cell: str) -> str:
    """Return the form in which two cells that say the same are equal strings."""
    return cell if len(cell) > LONGEST else _folded(plain(cell))


def loose_text(cell: str) -> str:
    """Return the form of a cell without what a reader passes over: marks of footnotes, bullets, emoji, a last stop."""
    return cell if len(cell) > LONGEST else _folded(without_marks(cell))


def contained(answer: str, gold: str) -> bool:
    """Tell whether `answer` is one of the things that `gold` lists, or whole words that make up a third of it."""
    said = same_text(answer)
    if not said or len(said) > LONGEST:
        return False
    if not {said, loose_text(answer)}.isdisjoint(map(same_text, [gold, *_LISTED.split(gold)])):
        return True
    run, whole = _spaced(answer), _spaced(gold)
    return run.strip() != "" and run in whole and len(run) * _SMALLEST_SHARE >= len(whole)


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _POWER.sub("^", text)).translate(_SIGNS)
    folded = "".join(text.casefold().split())
    while len(folded) > 2 and folded[0] + folded[-1] in _QUOTES:
        folded = folded[1:-1]
    return folded


def _spaced(cell: str) -> str:
    """Write the words of a cell with one space before, between and after, so that only whole words are found in it."""
    text = unicodedata.normalize("NFKC", plain(cell)).casefold()
    return f" {' '.join(_WORDS.findall(text))} "
