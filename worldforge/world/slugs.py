"""Writes names as parts of addresses, and marks: random letters that cannot be counted up.

    slugs(["Velmar Rovers", "鹭湾市", "Recall 12"], marks)      velmar-rovers, lu-wan-shi, recall-12-kdwqzht

Whoever has one address must not find others by counting: a name that holds a number has a mark after it, and a name
that has no Latin form is replaced by a mark.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Rows, Stream

_LETTERS = np.frombuffer(b"bcdfghjklmnpqrstvwxz", np.uint8)  # no vowels, so that no word comes out
_MARK_LENGTH = 7
_LONGEST_STEM = 40  # characters; a part of a host name may have 63
_CUT_MARKED = rf"^(.{{{_LONGEST_STEM - _MARK_LENGTH - 1}}}).*(-[{_LETTERS.tobytes().decode()}]{{{_MARK_LENGTH}}})$"
_FOLDED = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "đ": "d", "ł": "l", "ı": "i"}
"""Letters that Unicode's compatibility decomposition leaves whole, in ASCII."""
NUMBER_WORDS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|"
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|i{1,3}|iv|vi{0,3}|ix|xi{0,3}"
)
_NUMBER_WORD = rf"\b({NUMBER_WORDS})\b"
_CHINESE_NUMERAL = "[〇零一二三四五六七八九十两]"


def marks(stream: Stream, rows: Rows) -> pa.Array:
    """Draw a mark of seven letters for each of `rows`."""
    bits = stream.bits(rows)
    letters = np.empty((len(rows), _MARK_LENGTH), np.uint8)
    for place in range(_MARK_LENGTH):
        letters[:, place] = _LETTERS[(bits % np.uint64(len(_LETTERS))).astype(np.int64)]
        bits = bits // np.uint64(len(_LETTERS))
    bounds = np.arange(len(rows) + 1, dtype=np.int32) * _MARK_LENGTH
    return pa.StringArray.from_buffers(len(rows), pa.py_buffer(bounds), pa.py_buffer(letters.tobytes()))


def slugs(names: pa.Array, own_marks: pa.Array) -> pa.Array:
    """Write names in lower-case ASCII letters, digits and hyphens; Chinese names in pinyin, a syllable a word.

    A name that holds a number, in figures or words, has its mark after it; one that has no Latin form is its mark.
    """
    text = latin(names)
    empty, counted = pc.equal(text, ""), _holds_number(pc.utf8_lower(names), text)
    if not pc.any(pc.or_(empty, counted), min_count=0).as_py():
        return text
    marked = pc.if_else(counted, pc.binary_join_element_wise(text, own_marks, "-"), text)
    return pc.if_else(empty, own_marks, marked)


def latin(names: pa.Array) -> pa.Array:
    """Write names in lower-case ASCII letters, digits and hyphens; the empty text where nothing is left of one."""
    text = pc.utf8_lower(names)
    if not pc.all(pc.string_is_ascii(text), min_count=0).as_py():
        text = _romanised(text)
        for letter, plain_letters in _FOLDED.items():
            text = pc.replace_substring(text, letter, plain_letters)
        text = pc.utf8_normalize(text, "NFKD")
        text = pc.replace_substring_regex(text, r"\p{Mn}+", "")
    return pc.utf8_trim(pc.replace_substring_regex(text, "[^a-z0-9]+", "-"), "-")


def host_stems(own: pa.Array) -> pa.Array:
    """Cut slugs to what fits a host name; a mark at a slug's end stays."""
    text = pc.if_else(pc.greater(pc.utf8_length(own), _LONGEST_STEM), _cut_marked(own), own)
    return pc.utf8_rtrim(pc.utf8_slice_codeunits(text, 0, _LONGEST_STEM), "-")


def without_repeats(addresses: pa.Array, own_marks: pa.Array) -> pa.Array:
    """Put `~` and the page's mark after every address that an earlier page has too."""
    encoded = addresses.dictionary_encode()
    if len(encoded.dictionary) == len(addresses):
        return addresses
    _, first = np.unique(encoded.indices.to_numpy(), return_index=True)
    repeated = np.ones(len(addresses), np.bool_)
    repeated[first] = False
    marked = pc.if_else(pa.array(repeated), pc.binary_join_element_wise(addresses, own_marks, "~"), addresses)
    longer = pc.binary_join_element_wise(own_marks, marks(Stream(0, "again"), np.arange(len(addresses))), "")
    return without_repeats(marked, longer)


def _cut_marked(own: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(own, _CUT_MARKED, r"\1\2")


def _holds_number(names: pa.Array, written: pa.Array) -> pa.Array:
    """Say which names hold a number; words are looked for before Chinese is in pinyin, where 西 is `xi`, as eleven."""
    chinese = pc.match_substring_regex(names, r"\p{Han}")
    words = pc.match_substring_regex(pc.if_else(chinese, names, written), _NUMBER_WORD)
    numeral = pc.match_substring_regex(names, _CHINESE_NUMERAL)
    return pc.or_(pc.or_(words, numeral), pc.match_substring_regex(written, "[0-9]"))


def _romanised(text: pa.Array) -> pa.Array:
    """Write the Chinese in texts in pinyin without tones, a blank around each syllable; each text once."""
    chinese = pc.match_substring_regex(text, r"\p{Han}")
    if not pc.any(chinese, min_count=0).as_py():
        return text
    from pypinyin import lazy_pinyin  # takes longer to import than most worlds' addresses take to write

    encoded = pc.if_else(chinese, text, "").dictionary_encode()
    latin = [" ".join(lazy_pinyin(name, v_to_u=False)) for name in encoded.dictionary.to_pylist()]
    return pc.if_else(chinese, pa.array(latin, pa.string()).take(encoded.indices), text)
