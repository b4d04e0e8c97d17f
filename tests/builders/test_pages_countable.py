"""No page of a shipped world is found by trying addresses: counting up, ids, known words and numbers."""

import re
from functools import cache
from itertools import product

import pyarrow as pa
import pytest
from small_worlds import small

from worldforge.builders.audit.check_web import check_countable
from worldforge.builders.pages.alias_choice import call_by_aliases
from worldforge.builders.pages.outline import outline_pages
from worldforge.builders.pages.rendered_values import write_tables
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.progress import Progress
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs

NUMBERS = [str(n) for n in range(25)] + [f"{n:0{width}}" for n in range(25) for width in (2, 4, 6)] + ["2019", "2024"]
ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "one", "two", "three", "first", "second", "third"]
FORMS = ["{word}-{n}", "{word}_{n}", "{word}/{n}", "{word}{n}", "{n}", "{word}"]
QUERIES = ["/{n}", "~{n}", "-{n}", "?page={n}", "?id={n}", "?after={n}"]


def addresses(spec):
    """The addresses of a world's pages, and those that they have left."""
    tables = populate(spec, Progress())
    outline = outline_pages(spec, *call_by_aliases(spec, tables, write_tables(spec, tables)))
    return {*outline.urls.to_pylist()} | {url for url in outline.redirects.old.to_pylist() if url}


def folders(urls):
    """Hosts and folders that hold several pages, as someone would know them who has seen a few."""
    seen = {}
    for url in urls:
        below = url.split("?")[0].rpartition("/")[0]
        seen[below] = seen.get(below, 0) + 1
    roots = {re.match("https://[^/]*", below)[0] for below, n in seen.items() if n > 5}
    return sorted(roots | {below for below, n in seen.items() if n > 5})


def tried(spec, urls):
    """Make addresses up: ids of everything that a spec names, in every folder; and numbers after known addresses."""
    words = [word.replace("_", "-") for word in (*spec.types, *spec.relations, *spec.pages)]
    words += [*spec.types, "page", "node", "item", "all", "index"]
    ids = {form.format(word=word, n=n) for form, word, n in product(FORMS, words, NUMBERS)}
    for folder in folders(urls):
        yield from (f"{folder}/{one}" for one in ids)
        yield from (folder + query.format(n=n) for query, n in product(QUERIES, NUMBERS))
    yield from (f"https://{www}{one}.example/" for one in ids if "/" not in one for www in ("", "www."))
    for url in urls:
        yield from (url.rstrip("/") + query.format(n=n) for query, n in product(QUERIES, ("2", "3", "1", "0")))
        for number in re.finditer(r"\d+", url):
            near = (int(number[0]) + step for step in range(-10, 11) if step)
            forms = (f"{n:0{len(number[0])}}" for n in near if n >= 0)
            yield from (url[: number.start()] + one + url[number.end() :] for one in forms)
        for number in re.finditer(rf"(?<![a-z])({'|'.join(ROMAN)})(?![a-z])", url):
            others = (one for one in ROMAN if one != number[0])
            yield from (url[: number.start()] + one + url[number.end() :] for one in others)


@pytest.mark.parametrize("topic", sorted(shipped_specs())[::5])  # each world's audit looks as well, for less
def test_trying_addresses_finds_no_page(topic):
    spec = small(topic, "scale=0.25")
    urls = addresses(spec)
    assert not {url for url in tried(spec, urls) if url in urls}
    assert check_countable(spec, pa.table({"url": sorted(urls)})).n_failed == 0
    if topic.endswith("_zh"):
        assert_read_as_names(urls)


def assert_read_as_names(urls):
    """Chinese addresses are Pinyin, and no ids: a page in a hundred at most has nothing but a mark for a name."""
    syllables = [url for url in urls if re.search(r"[a-z]*[aeiou][a-z]*-[a-z]*[aeiou]", re.sub(r"^https://", "", url))]
    assert len(syllables) > 0.99 * len(urls)


@cache
def geography():
    return load_spec("geography")


@pytest.mark.parametrize(
    ("urls", "n_found"),
    [
        (["https://a.example/wiki/velmar", "https://a.example/wiki/tarn"], 0),
        (["https://a.example/wiki/city-0000"], 1),
        (["https://a.example/wiki/17"], 1),
        (["https://a.example/?id=418"], 1),
        (["https://a.example/wiki/cup-2019", "https://a.example/wiki/cup-2020"], 2),
        (["https://a.example/wiki/cup-ii", "https://a.example/wiki/cup-iii"], 2),
        (["https://a.example/wiki/cup-2019-bcdfghj", "https://a.example/wiki/cup-2020-bcdfghk"], 0),
        (["https://a.example/list/tarn", "https://a.example/list/tarn/2"], 1),
        (["https://a.example/list/tarn", "https://a.example/list/tarn~5"], 1),
        (["https://www.city-0003.example/"], 1),
        (["https://www.velmar-3.example/", "https://www.velmar-4.example/"], 2),
        (["https://herald-1.example/news/velmar", "https://herald-2.example/news/velmar"], 0),
    ],
)
def test_the_audit_counts_addresses_that_are_found_by_counting(urls, n_found):
    spec = geography()
    assert "city" in spec.types
    finding = check_countable(spec, pa.table({"url": urls}))
    assert (finding.n_checked, finding.n_failed) == (len(urls), n_found)
