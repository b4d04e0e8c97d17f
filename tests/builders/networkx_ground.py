"""The graph that a user gets of a world, to walk on: what the walk over arrays is held to."""

from bisect import bisect_left

import numpy as np

from worldforge.world.subgraphs import build_graph


class NetworkxGround:
    """Answers by nodes and edges of networkx alone; a relation's rows are numbered as they are met."""

    def __init__(self, spec, entities, relations):
        self.graph = build_graph(spec, entities, relations)
        self._references = {}
        self._rows = {name: [] for name in relations}
        for source, target, key, columns in self.graph.edges(keys=True, data=True):
            name = key.partition("/")[0]
            if name in relations:
                self._rows[name].append((source, target, columns))

    def n_rows(self, table):
        return len(self._of(table))

    def references(self, table):
        keys = self._references.setdefault(table, {})
        if keys:
            return keys
        for source, target, key in self.graph.edges(keys=True):
            if self.graph.nodes[source]["type"] == table and key not in self._rows:
                keys[key] = self.graph.nodes[target]["type"]
        return keys

    def find(self, id_):
        return self._node(id_) if id_ in self.graph else None

    def id_of(self, node):
        return f"{node[0]}/{node[1]:04d}"

    def at(self, node, column):
        table, row = node
        if table in self._rows:
            source, target, columns = self._rows[table][row]
            ends = {"source": self._node(source), "target": self._node(target)}
            return ends.get(column, columns.get(column))
        attributes = self.graph.nodes[self.id_of(node)]
        if column in attributes:
            return attributes[column]
        ahead = [target for _, target, key in self.graph.out_edges(self.id_of(node), keys=True) if key == column]
        return self._node(ahead[0]) if ahead else None

    def pointing(self, node, table, column):
        if table in self._rows:
            rows = [row for row in range(len(self._rows[table])) if self.at((table, row), column) == node]
        else:
            edges = self.graph.in_edges(self.id_of(node), keys=True)
            found = (self._node(source) for source, _, key in edges if key == column)
            rows = [row for there, row in found if there == table]
        return np.array(rows, np.int64)

    def rising(self, table, column):
        values, rows = [], []
        for node in self._of(table):
            value = self.at(node, column)
            if value is not None and not isinstance(value, tuple):
                place = bisect_left(values, value)
                values.insert(place, value)
                rows.insert(place, node[1])
        return np.array(rows, np.int64)

    def _of(self, table):
        return [self._node(id_) for id_, kind in self.graph.nodes(data="type") if kind == table]

    @staticmethod
    def _node(id_):
        table, _, digits = id_.partition("/")
        return table, int(digits)
