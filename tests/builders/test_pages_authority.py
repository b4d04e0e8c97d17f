"""PageRank against networkx's, which has the same definition and another way."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_no_pages_have_no_authority():
    assert len(page_rank(np.empty(0, np.int32), np.empty(0, np.int32), 0)) == 0
