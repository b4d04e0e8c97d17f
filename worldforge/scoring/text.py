"""A cell's words as they are compared: without case, spaces and Markdown, typographic signs made plain.

same_text("**St John’s** Park")  ->  "stjohn'spark"
"""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 2_000  # characters; a longer cell is compared as it stands
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_SIGNS = str.maketrans(dict.fromkeys("‘’ʼ´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—−", "-"))
_SMALLEST_SHARE = 3  # a contained answer is at least a third of the gold's characters
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_LISTED = re.compile(r"[,;/|()、，；（）]")


def same_text(cell: str) -> str:
    """Return the form in which two cells that say the same are equal strings."""
    if len(cell) > _LONGEST:
        return cell
    text = _LINK.sub(r"\1", cell) if "](" in cell else cell
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    return "".join(text.casefold().replace("*", "").replace("`", "").split())


def contained(answer: str, gold: str) -> bool:
    """Tell whether `answer` is one of the things that `gold` lists, or whole words that make up a third of it."""
    said = same_text(answer)
    if not said or len(said) > _LONGEST:
        return False
    if said in map(same_text, [gold, *_LISTED.split(gold)]):
        return True
    run, whole = _spaced(answer), _spaced(gold)
    return run.strip() != "" and run in whole and len(run) * _SMALLEST_SHARE >= len(whole)


def _spaced(cell: str) -> str:
    """Write the words of a cell with one space before, between and after, so that only whole words are found in it."""
    text = unicodedata.normalize("NFKC", _LINK.sub(r"\1", cell)).casefold()
    return f" {' '.join(_WORDS.findall(text))} "
