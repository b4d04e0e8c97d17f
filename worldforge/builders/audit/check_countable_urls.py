"""Check that no page is found by counting: by changing the numbers of known addresses, or by trying ids.

Whoever tries addresses knows the world's hosts and folders, the names of its types, relations and kinds of page, and
any other address. An address is countable where it can be made out of these by putting other numbers in, as figures,
Roman numerals or English words.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.builders.pages.slugs import NUMBER_WORDS
from worldforge.schema.spec import WorldSpec
from worldforge.world.parquet_reader import Table

_NUMBER = rf"[0-9]+|\b(?:{NUMBER_WORDS})\b"
_OWN_HOST = r"^https?://[^/]*/?(?:[?~].*)?$"
_COMMON_WORDS = ("page", "pages", "node", "item", "entry", "entity", "id", "no", "p", "row", "wiki", "article", "all")


def check_countable(spec: WorldSpec, pages: Table, redirects: pa.Table | None = None) -> Finding:
    """Count the addresses, with those that pages have left, that can be found by counting."""
    tally = CheckCounter("addresses")
    left = [] if redirects is None else [redirects["url"].combine_chunks().cast(pa.string())]
    urls = pa.concat_arrays([pages["url"].combine_chunks().cast(pa.string()), *left]).unique()
    tally.checked(len(urls))
    words = [*spec.types, *spec.relations, *spec.pages, *_COMMON_WORDS]
    found = pc.or_(_differ_by_numbers(_spelt(urls, words)), pc.or_(_are_ids(urls, words), _follow_on(urls)))
    wrong = urls.filter(found)
    tally.failed([f"{url} is found by counting" for url in wrong.slice(0, MOST_SHOWN).to_pylist()], len(wrong))
    return tally.finding()


def _spelt(urls: pa.Array, words: list[str]) -> pa.Array:
    """Write the digits in a spec's own names as letters: `t0-list` and `t1-list` are two lists, and not counted."""
    for word in {word.replace("_", "-") for word in words if re.search("[0-9]", word)}:
        letters = re.sub("[0-9]", lambda digit: "qwxyzjkvfh"[int(digit[0])] + "q", word)
        urls = pc.replace_substring_regex(urls, rf"\b{re.escape(word)}\b", letters)
    return urls


def _differ_by_numbers(urls: pa.Array) -> pa.Array:
    """Say which addresses are another's with other numbers in it; of a site's pages, below its host."""
    host = pc.replace_substring_regex(urls, r"^(https?://[^/]*).*$", r"\1")
    below = pc.replace_substring_regex(urls, r"^https?://[^/]*", "")
    own_host = pc.match_substring_regex(urls, _OWN_HOST)
    host = pc.if_else(own_host, pc.replace_substring_regex(host, _NUMBER, "#"), host)
    same = pc.binary_join_element_wise(host, pc.replace_substring_regex(below, _NUMBER, "#"), "")
    codes = same.dictionary_encode().indices.to_numpy()
    return pa.array(np.bincount(codes)[codes] > 1)


def _are_ids(urls: pa.Array, words: list[str]) -> pa.Array:
    """Say which addresses have for their own host's name, or their last part, a number or a known word with one."""
    known = "|".join(sorted({re.escape(word).replace("_", "[-_]") for word in words}, key=len, reverse=True))
    number = rf"(?:(?:{known})[-_/=~]?)?[0-9]+"
    host = pc.match_substring_regex(urls, rf"^https?://(?:www\.)?{number}\.")
    return pc.or_(
        pc.and_(host, pc.match_substring_regex(urls, _OWN_HOST)), pc.match_substring_regex(urls, rf"[/=?~]{number}/?$")
    )


def _follow_on(urls: pa.Array) -> pa.Array:
    """Say which addresses are another one with a number after it."""
    before = pc.replace_substring_regex(urls, r"(?:[/~_-]|\?[a-z]+=)[0-9]+$", "")
    known = pa.concat_arrays([urls, pc.utf8_rtrim(urls, "/")])
    return pc.and_(pc.not_equal(before, urls), pc.is_in(before, value_set=known))
