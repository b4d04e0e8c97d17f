"""PageRank against networkx's, which has the same definition and another way."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.builders.pages import pagerank
from worldforge.builders.pages.pagerank import page_rank

GRAPHS = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2))))


@given(GRAPHS)
def test_authority_is_networkx_page_rank_with_mean_one(graph):
    n, links = graph
    reference = nx.MultiDiGraph()
    reference.add_nodes_from(range(n))
    reference.add_edges_from(links)
    expected = [rank * n for rank in nx.pagerank(reference, alpha=0.85, tol=1e-12, max_iter=1000).values()]
    source, target = np.array(sorted(links), np.int32).reshape(-1, 2).T
    assert page_rank(source, target, n) == pytest.approx(expected, abs=2e-6)


@given(GRAPHS, st.integers(1, 3))
def test_many_links_give_the_same_bits_to_any_number_of_threads(graph, threads):
    n, links = graph
    source, target = np.array(sorted(links), np.int32).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pagerank, "_BLOCK", 2)
        counted = page_rank(source, target, n)
        patch.setattr(pagerank, "_MANY", 0)
        assert page_rank(source, target, n, threads=threads).tobytes() == counted.tobytes()


def test_no_pages_have_no_authority():
    assert len(page_rank(np.empty(0, np.int32), np.empty(0, np.int32), 0)) == 0
