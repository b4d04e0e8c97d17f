"""Old addresses and dead links from outside: a web is written, its files are read, the tools open its pages."""

import asyncio
import json
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from harbours import harbour_spec, harbour_tables

from worldforge.builders.audit.audit_tasks import check_search
from worldforge.builders.audit.check_web import check_links
from worldforge.builders.pages.pages_stage import write_pages
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.environments.search.dialects import SEARCH_DIALECTS
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.requests import OpenRequest
from worldforge.environments.search.views import PageView
from worldforge.models.chat import ToolCall
from worldforge.search.index_writer import write_index
from worldforge.search.search_index import open_index
from worldforge.world.table_files import read_parquet

WEB = {"redirects": 0.4, "dead_links": 0.15}
ADDRESS = re.compile(r"\]\((https://[^)]+)\)")


def write(folder, web=None, workers=1):
    spec = harbour_spec(**({"web": web} if web else {}))
    write_pages(spec, harbour_tables(), folder, LocalEngine(workers), Progress())
    return folder


def read(folder, name):
    return read_parquet(folder / f"{name}.parquet")


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A folder with the pages of a web that has both, and their index."""
    folder = write(tmp_path_factory.mktemp("web"), WEB)
    write_index(folder, folder / "index", Progress())
    return folder


def test_each_address_in_a_text_leads_where_links_on_file_say(web):
    """Read without the audit: a page's own address, one it has left, or none of any page."""
    pages = read(web, "pages").to_pylist()
    leads = {page["url"]: page["id"] for page in pages}
    left = {row["url"]: row["target"] for row in read(web, "redirects").to_pylist()}
    assert not leads.keys() & left.keys()
    in_texts = [(p["id"], (leads | left).get(url)) for p in pages for url in ADDRESS.findall(p["text"])]
    assert in_texts == [(link["source"], link["target"]) for link in read(web, "links").to_pylist()]


def test_shares_are_kept(web):
    pages, links = read(web, "pages").to_pylist(), read(web, "links")
    left = {row["url"] for row in read(web, "redirects").to_pylist()}
    assert len(left) / len(pages) == pytest.approx(WEB["redirects"], abs=0.08)
    assert links["target"].null_count / links.num_rows == pytest.approx(WEB["dead_links"], abs=0.05)
    by_old = sum(url in left for page in pages for url in ADDRESS.findall(page["text"]))
    assert 0.1 < by_old / links.num_rows < 0.3


def test_parts_of_a_list_stay_linked(web):
    anchors = read(web, "links").filter(pc.is_null(read(web, "links")["target"]))["anchor"].to_pylist()
    assert anchors and not {"Next page", "Previous page"} & {*anchors}


def test_marks_move_with_what_stands_before_them(web):
    texts = {page["id"]: page["text"] for page in read(web, "pages").to_pylist()}
    for mention in read(web, "mentions").to_pylist():
        assert texts[mention["page"]][mention["start"] : mention["end"]] == mention["value"]


def test_authority_flows_over_what_holds(web):
    assert pc.mean(read(web, "authority")["authority"]).as_py() == pytest.approx(1, abs=0.01)


def test_the_audit_holds_and_can_fail(web):
    pages, links, left = (read(web, name) for name in ("pages", "links", "redirects"))
    assert check_links(pages, links, left).n_failed == 0
    assert check_search(pages, open_index(web / "index"), left).n_failed == 0
    assert check_links(pages, links, left.slice(1)).n_failed  # a link's address that leads nowhere any more
    alive = links.set_column(1, "target", pc.fill_null(links["target"], "page/000000"))
    assert "do not lead" in check_links(pages, alive, left).failures[0]
    lost = left.set_column(1, "target", pa.array(["page/999999"] * len(left)))
    assert "is not there" in check_links(pages, links, lost).failures[0]
    own = pa.concat_tables([left, pa.table({"url": pages["url"][:1], "target": pages["id"][:1]})])
    assert "is that of a page" in check_links(pages, links, own).failures[0]


@pytest.mark.parametrize("name", SEARCH_DIALECTS)
def test_tools_follow_an_old_address_and_say_so(web, name):
    dialect = SEARCH_DIALECTS[name]
    environment = SearchEnvironment(open_index(web / "index"), dialect)
    row = read(web, "redirects").to_pylist()[3]
    page = next(page for page in read(web, "pages").to_pylist() if page["id"] == row["target"])

    def opened(url):
        [(tool, arguments)] = dialect.ask(OpenRequest(url))
        call = ToolCall("1", tool, json.dumps(arguments))
        return asyncio.run(environment.session().step(call))

    moved, direct = opened(row["url"]), opened(page["url"])
    view = dialect.parse(OpenRequest(row["url"]), moved.text)
    assert isinstance(view, PageView) and "moved" in view.notice and view.url == page["url"]
    assert moved.text.replace(f"Note: {view.notice}\n", "") == direct.text
    assert "Note:" not in direct.text and moved.disclosed == direct.disclosed
    texts = read(web, "pages")["text"].to_pylist()
    gone = next(url for text in texts for url in ADDRESS.findall(text) if "/node/" in url)
    assert opened(gone).error == "page_not_found"


def test_results_show_real_addresses_alone(web):
    index = open_index(web / "index")
    urls = {page["url"] for page in read(web, "pages").to_pylist()}
    assert {hit.url for hit in index.search("harbour depth ship", 200)} <= urls


def test_what_is_not_asked_for_leaves_no_trace(web, tmp_path):
    write(tmp_path, WEB)
    write(tmp_path)
    assert not (tmp_path / "redirects.parquet").exists()
    plain = pq.read_table(tmp_path / "links.parquet")
    assert plain["target"].null_count == 0 and plain["anchor"].equals(read(web, "links")["anchor"])
