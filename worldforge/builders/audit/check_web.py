"""Checks on the web of a world: addresses, links, redirects, authority."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding, open_files
from worldforge.builders.pages.pagerank import DAMPING
from worldforge.schema.spec import WorldSpec
from worldforge.world.parquet_reader import Table
from worldforge.world.slugs import NUMBER_WORDS
from worldforge.world.table_files import REDIRECTS

_CLOSE = 1e-4  # authority is rounded, and rounds end when pages change little in the mean
_NUMBER = rf"[0-9]+|\b(?:{NUMBER_WORDS})\b"
_OWN_HOST = r"^https?://[^/]*/?(?:[?~].*)?$"
_COMMON_WORDS = ("page", "pages", "node", "item", "entry", "entity", "id", "no", "p", "row", "wiki", "article", "all")
_LINK_QUERIES = {
    "the address {} is there {} times": "SELECT url, count(*) FROM pages GROUP BY url HAVING count(*) > 1 ORDER BY ALL",
    "a link's source is {}, which is not there": """
        SELECT DISTINCT source FROM links WHERE source IS NULL OR source NOT IN (SELECT id FROM pages) ORDER BY ALL
    """,
    "a link's target is {}, which is not there": """
        SELECT DISTINCT target FROM links WHERE target NOT IN (SELECT id FROM pages) ORDER BY ALL
    """,
    "the address {} leads on {} times": """
        SELECT url, count(*) FROM redirects GROUP BY url HAVING count(*) > 1 ORDER BY ALL
    """,
    "the address {}, which {} has left, leads to a page that is not there": """
        SELECT url, target FROM redirects WHERE target NOT IN (SELECT id FROM pages) ORDER BY ALL
    """,
    "the address {}, which {} has left, is that of a page": """
        SELECT url, target FROM redirects WHERE url IN (SELECT url FROM pages) ORDER BY ALL
    """,
    "{} has links that do not lead where they do on file ({} in its text, {} on file)": r"""
        WITH known AS (SELECT url, id AS target FROM pages UNION SELECT url, target FROM redirects),
        written AS (SELECT id, unnest(regexp_extract_all(text, '\]\((https?://[^)]*)', 1)) AS url FROM pages),
        in_text AS (
            SELECT written.id, count(*) AS n, sum(hash(coalesce(target, ''))) AS targets
            FROM written LEFT JOIN known USING (url) GROUP BY ALL
        ),
        on_file AS (
            SELECT source AS id, count(*) AS n, sum(hash(coalesce(target, ''))) AS targets FROM links GROUP BY ALL
        )
        SELECT id, coalesce(in_text.n, 0), coalesce(on_file.n, 0) FROM in_text FULL JOIN on_file USING (id)
        WHERE in_text.targets IS DISTINCT FROM on_file.targets ORDER BY id
    """,
}
_GIVEN_AUTHORITY = f"""
    WITH followed AS (SELECT source, target FROM links WHERE target IN (SELECT id FROM pages)),
    led AS (SELECT source AS page, count(*) AS n FROM followed GROUP BY ALL),
    flow AS (
        SELECT target AS page, sum(authority / n) AS flow
        FROM followed JOIN authority ON source = page JOIN led USING (page) GROUP BY ALL
    ),
    even AS (SELECT sum(authority) / (SELECT count(*) FROM pages) AS share FROM authority ANTI JOIN led USING (page)),
    given AS (
        SELECT page, authority,
            1 - {DAMPING} + {DAMPING} * (coalesce(flow, 0) + coalesce((SELECT share FROM even), 0)) AS given
        FROM authority LEFT JOIN flow USING (page)
    )
    SELECT page, authority, given FROM given WHERE abs(given - authority) > {_CLOSE} * (1 + authority) ORDER BY page
"""


def check_links(pages: Table, links: Table, redirects: pa.Table | None = None) -> Finding:
    """Check that every address is there once, and that links in texts lead from page to page as those on file do.

    A link whose target is null leads nowhere; an address that a page has left (`redirects`) leads to that page.
    """
    finding = Finding("links")
    left = REDIRECTS.empty_table() if redirects is None else redirects
    finding.n_checked += links.num_rows + pages.num_rows + left.num_rows
    connection = open_files({"pages": pages, "links": links, "redirects": left})
    for message, query in _LINK_QUERIES.items():
        finding.query(connection, message, query)
    return finding


def check_authority(pages: Table, links: Table, authority: pa.Table) -> Finding:
    """Check PageRank's own equation: what pages hand on along the links on file is the authority of each."""
    finding = Finding("authority")
    finding.n_checked += pages.num_rows
    if not authority["page"].combine_chunks().equals(pages["id"].combine_chunks()):
        finding.fail(["authority.parquet does not list the pages of pages.parquet, in their order"], pages.num_rows)
        return finding
    connection = open_files({"pages": pages, "links": links, "authority": authority})
    finding.query(connection, "{} has authority {:.6f}, its links give {:.6f}", _GIVEN_AUTHORITY)
    return finding


def check_countable(spec: WorldSpec, pages: Table, redirects: pa.Table | None = None) -> Finding:
    """Check that no page, and no address that one has left, is found by counting.

    Whoever tries addresses knows the world's hosts and folders, the names of its types, relations and kinds of page,
    and any other address. An address is countable where it can be made out of these by putting other numbers in, as
    figures, Roman numerals or English words.
    """
    finding = Finding("addresses")
    left = [] if redirects is None else [redirects["url"].combine_chunks().cast(pa.string())]
    urls = pa.concat_arrays([pages["url"].combine_chunks().cast(pa.string()), *left]).unique()
    finding.n_checked += len(urls)
    words = [*spec.types, *spec.relations, *spec.pages, *_COMMON_WORDS]
    found = pc.or_(_differ_by_numbers(_spelt(urls, words)), pc.or_(_are_ids(urls, words), _follow_on(urls)))
    finding.fail(f"{url} is found by counting" for url in urls.filter(found).to_pylist())
    return finding


def _spelt(urls: pa.Array, words: list[str]) -> pa.Array:
    """Write the digits in a spec's own names as letters: `t0-list` and `t1-list` are two lists, and not counted."""
    for word in {word.replace("_", "-") for word in words if re.search("[0-9]", word)}:
        letters = re.sub("[0-9]", lambda digit: "qwxyzjkvfh"[int(digit[0])] + "q", word)
        urls = pc.replace_substring_regex(urls, rf"\b{re.escape(word)}\b", letters)
    return urls


def _differ_by_numbers(urls: pa.Array) -> pa.Array:
    """Mark addresses that are another's with other numbers in it; of a site's pages, below its host."""
    host = pc.replace_substring_regex(urls, r"^(https?://[^/]*).*$", r"\1")
    below = pc.replace_substring_regex(urls, r"^https?://[^/]*", "")
    own_host = pc.match_substring_regex(urls, _OWN_HOST)
    host = pc.if_else(own_host, pc.replace_substring_regex(host, _NUMBER, "#"), host)
    same = pc.binary_join_element_wise(host, pc.replace_substring_regex(below, _NUMBER, "#"), "")
    codes = same.dictionary_encode().indices.to_numpy()
    return pa.array(np.bincount(codes)[codes] > 1)


def _are_ids(urls: pa.Array, words: list[str]) -> pa.Array:
    """Mark addresses whose own host, or last part, is a number or a known word with one."""
    known = "|".join(sorted({re.escape(word).replace("_", "[-_]") for word in words}, key=len, reverse=True))
    number = rf"(?:(?:{known})[-_/=~]?)?[0-9]+"
    host = pc.match_substring_regex(urls, rf"^https?://(?:www\.)?{number}\.")
    return pc.or_(
        pc.and_(host, pc.match_substring_regex(urls, _OWN_HOST)), pc.match_substring_regex(urls, rf"[/=?~]{number}/?$")
    )


def _follow_on(urls: pa.Array) -> pa.Array:
    """Mark addresses that are another one with a number after it."""
    before = pc.replace_substring_regex(urls, r"(?:[/~_-]|\?[a-z]+=)[0-9]+$", "")
    known = pa.concat_arrays([urls, pc.utf8_rtrim(urls, "/")])
    return pc.and_(pc.not_equal(before, urls), pc.is_in(before, value_set=known))
