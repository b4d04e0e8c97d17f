"""Read the text of a cell: strip markup, and fold case, spaces, quotes and signs for comparison.

    plain("[**Velmar** Park](https://a.sarn/Velmar_(town))")    ->  "Velmar Park"
    without_marks("• Velmar Park [1] ⚽")                        ->  "Velmar Park"
    same_text("**St John’s** Park")                             ->  "stjohn'spark"
    loose_text("St John's Park [1].")                           ->  "stjohn'spark"

`plain` undoes markup, and takes nothing off that a reader sees. `without_marks` takes off what a reader sees and passes
over (marks of footnotes, bullets, emoji, a last stop), so it is for answers alone, and where the cell as it stands is
not gold's: gold's own `[1]` counts.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable

LONGEST = 2_000  # characters; a longer cell stays as it is
FULL_WIDTH: dict[int, str | int] = {0x3000: " ", **{0xFF01 + code: 0x21 + code for code in range(94)}}
_ORDINARY = re.compile(r"[A-Za-z0-9 ,'\u00c0-\u024f\u3400-\u9fff]*")
_UNSEEN = ((0xAD, 0xAD), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F))
_INVISIBLE = dict.fromkeys([0xFEFF, *(code for first, last in _UNSEEN for code in range(first, last + 1))])
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_TO_RAISED = str.maketrans("0123456789", _RAISED)
_MARK_WORDS = (
    r"\^?[0-9]{1,3}(?:[-,–][0-9 ]{1,4})*|[a-z]|(?:note|nb|n|ref|fn|注释?|来源|参考) ?\.? ?[0-9]{0,3}|"
    r"sources?|refs?|links?|cite|citation needed|verify|update|\*+|†|‡|[0-9]{1,2}†[^\[\]【】]{0,40}"
)
_MARK = re.compile(rf"(?i:(?<=\S)\s*(?:\[(?:{_MARK_WORDS})\]|【(?:{_MARK_WORDS})】|〔(?:{_MARK_WORDS})〕))")
_LABEL_OF_MARK = re.compile(rf"\[?(?:{_MARK_WORDS})\]?", re.IGNORECASE)
_COMMENT = re.compile(r"<!--[^<>]*-->")
_RAISED_TAG = re.compile(r"<su[pb]\b[^<>]*>([^<>]*)</su[pb]>", re.IGNORECASE)
_GONE_TAG = re.compile(r"<(ref|del|s|strike)\b[^<>]*>[^<>]*</\1>|<ref\b[^<>]*/>", re.IGNORECASE)
_AUTOLINK = re.compile(r"<(https?://[^<>\s]*)>", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|p|div|li|hr)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]*)?/?>")
_ADDRESS = r"\((?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*+)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
_IMAGE = re.compile(rf"!\[([^\[\]]*)\]{_ADDRESS}")
_LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]*\])*+)\]{_ADDRESS}")
_NAMED_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_STRUCK = re.compile(r"~~[^~]+~~")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_RULED = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_CARETS = re.compile(r"\^\[?[0-9a-z]{1,2}\]?\^")
_NOTE = re.compile(
    r"(?<=\S)\s*\([\s,;]*\)|(?<=\S)\s*[(（](?:(?:sources?|see|refs?|note|cf|via|according to)[\s.:：]|"
    r"来源|参见|注|见)[^()（）]*[)）]"
    r"|(?<=\S)\s+[(（]?https?://[^\s()]*[)）]?\s*$",
    re.IGNORECASE,
)
_RAISED_MARKS = re.compile(rf"(?<=\S)\s*[{_RAISED}⁺⁽⁾ᵃᵇᶜᵈᵉᶠ]+")
_BULLET = re.compile(r"^(?:[·∙*+>#–—-]\s+|[•‣⁃→①-⑳❶-❿]\s*|[0-9]\u20e3\s*|\(?[0-9]{1,3}[.)、]\s+(?=[^\W\d_]))+")
_END = re.compile(r"[\s.,;:!。，；：！、*†‡§¶]+$")
_COUNTED = re.compile(r"\s*[(（](?:[1-9][0-9]?|[a-z])[)）]$")
_SIGNS = str.maketrans(dict.fromkeys("‘’ʼ´", "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys("‐‑‒–—−", "-"))
_POWER = re.compile(r"(?<=[0-9])(?=[⁰¹²³⁴⁵⁶⁷⁸⁹])")  # the square of 1 is not 12
_QUOTES = ('""', "()", "''", "「」", "『』", "《》", "〈〉", "‹›", "[]", "【】")
_SMALLEST_SHARE = 3  # a contained answer is at least a third of the gold's characters
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_LISTED = re.compile(r"[,;/|()、，；（）]")


def plain(cell: str) -> str:
    """Return what a reader of the rendered cell sees: no Markdown, no HTML, no characters of no width."""
    return _rendered(cell, _label)


def without_marks(cell: str) -> str:
    """Return a cell in `plain` form, without marks of footnotes, sources, bullets, emoji and stops at its end."""
    text = _rendered(cell, _label_or_mark)
    if _ORDINARY.fullmatch(text) or len(text) > LONGEST:
        return text
    rest = _RAISED_MARKS.sub("", _CARETS.sub("", _NOTE.sub("", _MARK.sub("", text))))
    rest = "".join(character for character in rest if not _is_picture(character)).strip()
    return without_stop(_BULLET.sub("", rest)).strip() or text


def without_stop(cell: str) -> str:
    """Return a cell without stops, stars and daggers at its end."""
    return _END.sub("", cell)


def with_raised_figures(cell: str) -> str:
    """Return a cell with figures in `<sup>` written as raised ones."""
    return _RAISED_TAG.sub(_raised, cell) if "<" in cell else cell


def without_count(cell: str) -> str:
    """Return a cell without a number or letter in round brackets at its end, `Velmar (1)`; else as it stands."""
    return _COUNTED.sub("", cell) if cell.endswith((")", "）")) else cell


def _rendered(cell: str, label: Callable[[re.Match[str]], str]) -> str:
    if _ORDINARY.fullmatch(cell) or len(cell) > LONGEST:
        return cell
    text = cell.translate(_INVISIBLE)
    if "&" in text:
        text = html.unescape(text).translate(_INVISIBLE)
    if "<" in text:
        text = _without_tags(text)
    if "](" in text or "[[" in text:
        text = _without_links(text, label)
    text = _ESCAPED.sub(r"\1", _STRUCK.sub("", text)) if "~~" in text or "\\" in text else text
    text = _RULED.sub("", text) if "_" in text else text
    return text.replace("*", "").replace("`", "").replace("==", "").strip()


def _without_tags(text: str) -> str:
    text = _RAISED_TAG.sub(_raised, _COMMENT.sub("", text))
    text = _BREAK.sub(" ", _GONE_TAG.sub("", _AUTOLINK.sub(r"\1", text)))
    return _TAG.sub("", text)


def _raised(found: re.Match[str]) -> str:
    """Write raised figures as such, so that no footnote becomes a digit of a number; a letter as a footnote's mark."""
    inner = found[1].strip()
    if inner.isascii() and inner.isdigit():
        return inner.translate(_TO_RAISED)
    return f"[{inner}]" if len(inner) == 1 and inner.isalpha() else inner


def _without_links(text: str, label: Callable[[re.Match[str]], str]) -> str:
    """Put the labels of links in their place."""
    alone = _IMAGE.fullmatch(text.strip())
    text = alone[1] if alone else _IMAGE.sub("", text)
    return _NAMED_LINK.sub(r"\1", _LINK.sub(label, text)).strip()


def _label(found: re.Match[str]) -> str:
    """Return a link's label; a figure set right behind something stays in brackets, as a footnote's mark."""
    attached = found.start() > 0 and not found.string[found.start() - 1].isspace()
    return _label_or_mark(found) if attached and found[1].strip("[] ").isdigit() else found[1].strip()


def _label_or_mark(found: re.Match[str]) -> str:
    """Return a link's label; in brackets where it only marks a source of what stands before it."""
    label = found[1].strip()
    alone = not found.string[: found.start()].strip("([ ")
    return label if alone or not _LABEL_OF_MARK.fullmatch(label) else f"[{label.strip('[]')}]"


def _is_picture(character: str) -> bool:
    """Return whether a character is an emoji or another symbol that is not a letter, digit or mathematical sign."""
    return unicodedata.category(character) == "So" or "\U0001f000" <= character <= "\U0001faff"


def same_text(cell: str) -> str:
    """Return the form in which two cells that say the same are equal strings."""
    return cell if len(cell) > LONGEST else _folded(plain(cell))


def loose_text(cell: str) -> str:
    """Return the form of a cell without what a reader passes over: marks of footnotes, bullets, emoji, a last stop."""
    return cell if len(cell) > LONGEST else _folded(without_marks(cell))


def contained(answer: str, gold: str) -> bool:
    """Tell whether `answer` is one of the things that `gold` lists, or whole words that make up a third of it."""
    text = same_text(answer)
    if not text or len(text) > LONGEST:
        return False
    if not {text, loose_text(answer)}.isdisjoint(map(same_text, [gold, *_LISTED.split(gold)])):
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
