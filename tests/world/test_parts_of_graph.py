"""A part of a world's graph is that part of the whole; the whole of a large one is refused, with its size."""

from itertools import pairwise

import networkx as nx
import pytest

from worldforge.core.errors import InputError
from worldforge.world.subgraphs import ids_of_task
from worldforge.world.world import open_world


@pytest.fixture(scope="module")
def whole(world):
    return world.graph()


def reached(whole, ids, hops):
    """What breadth-first search over the whole graph reaches, whichever way edges point."""
    either = nx.Graph(whole)
    return {near for id_ in ids for near in nx.single_source_shortest_path_length(either, id_, cutoff=hops)}


def same(one, other):
    assert dict(one.nodes(data=True)) == dict(other.nodes(data=True))
    edges = [sorted(graph.edges(keys=True, data=True), key=lambda edge: edge[:3]) for graph in (one, other)]
    assert edges[0] == edges[1]


@pytest.mark.parametrize("hops", [0, 1, 2])
@pytest.mark.parametrize("ids", [["club/0007"], ["region/0001", "player/0003"]])
def test_a_neighbourhood_is_that_part_of_the_whole_graph(world, whole, ids, hops):
    near = world.neighbourhood(ids, hops)
    same(near, whole.subgraph(reached(whole, ids, hops)))
    assert near.number_of_edges() > 0 or hops == 0


def test_a_tasks_neighbourhood_holds_what_it_is_about(world, whole):
    for task in world.tasks[:5]:
        about = {row[0].partition("#")[0] for row in task.facts}
        near = world.neighbourhood(task)
        assert about <= set(near) and about <= set(ids_of_task(task))
        same(near, whole.subgraph(near))


def test_a_sample_is_of_the_size_asked_for_and_the_same_again(world, whole):
    first = world.sample(60, seed=3)
    assert first.number_of_nodes() == 60 and first.number_of_edges() >= 59  # it hangs together
    same(first, whole.subgraph(first))
    same(first, open_world(world.path).sample(60, seed=3))
    assert set(first) != set(world.sample(60, seed=4))
    assert world.sample(10**6).number_of_nodes() == whole.number_of_nodes()
    assert world.sample(0).number_of_nodes() == 0


def test_the_whole_of_a_large_world_is_refused_with_its_size_and_the_ways_to_ask_for_less(world, whole):
    nodes, edges = whole.number_of_nodes(), whole.number_of_edges()
    with pytest.raises(InputError) as refused:
        world.graph(limit=max(nodes, edges) - 1)
    assert f"{nodes:,} nodes and {edges:,} edges" in refused.value.message
    assert all(way in refused.value.hint for way in ("graph([", "neighbourhood(", "sample(", "limit=None"))
    assert world.graph(limit=max(nodes, edges)).number_of_edges() == edges
    part = world.graph(["town", "region"], limit=200)
    assert set(nx.get_node_attributes(part, "type").values()) == {"town", "region"}


def test_a_neighbourhood_that_grows_too_large_is_refused(world):
    sizes = [world.neighbourhood("region/0001", hops).number_of_nodes() for hops in range(3)]
    assert all(one < more for one, more in pairwise(sizes))
    with pytest.raises(InputError, match=f"1 hops lead to {sizes[1]:,} entities"):
        world.neighbourhood("region/0001", 2, limit=sizes[1] - 1)


@pytest.mark.parametrize("id_", ["club/9999", "club", "", "club/x", "pub/0001", "club/7", "club/٣"])
def test_an_entity_that_is_not_there_is_refused(world, id_):
    with pytest.raises(InputError, match="no entity"):
        world.neighbourhood(id_)


def test_less_than_nothing_is_refused(world):
    with pytest.raises(InputError, match="a sample of -1"):
        world.sample(-1)
    with pytest.raises(InputError, match="-1 hops"):
        world.neighbourhood("club/0007", -1)


def test_a_type_that_is_not_there_is_refused(world):
    with pytest.raises(InputError, match="no type `pub`"):
        world.graph(["pub"])
