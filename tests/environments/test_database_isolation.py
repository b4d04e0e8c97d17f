"""Sessions that change things in turns, each beside a plain dictionary: what one does, no other sees."""

import copy

import pytest
from database_isles import RECORDS, Client, write_isles
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from worldforge.environments.database.environment import DatabaseEnvironment

N_SESSIONS = 3
DRAWN = {
    "region": {"name", "area", "part_of"},
    "town": {"name", "region", "population", "chartered", "opened", "capital"},
    "twinned": {"source", "target", "since"},
}
REFERENCES = {
    ("region", "part_of"): "region",
    ("town", "region"): "region",
    ("twinned", "source"): "town",
    ("twinned", "target"): "town",
}
UNIQUE = {"region": ["name"], "town": ["name"], "twinned": ["source", "target"]}

sessions = st.integers(0, N_SESSIONS - 1)
tables = st.sampled_from(list(DRAWN))
rows = st.integers(0, 9)
names = st.sampled_from(["Arbel", "Fell", "Gorm", "Hald", "Ibis", "Ost", "Nord"])
cells = {
    "name": names,
    "area": st.none() | st.floats(0, 1000).map(lambda number: round(number, 3)),
    "region": st.none() | st.integers(0, 5).map(lambda row: f"region/{row:04d}"),
    "part_of": st.none() | st.integers(0, 5).map(lambda row: f"region/{row:04d}"),
    "population": st.none() | st.integers(0, 1000),
    "chartered": st.none() | st.integers(1000, 2000),
    "opened": st.none() | st.dates().map(lambda date: date.isoformat()),
    "capital": st.none() | st.booleans(),
    "source": rows.map(lambda row: f"town/{row:04d}"),
    "target": rows.map(lambda row: f"town/{row:04d}"),
    "since": st.none() | st.integers(1900, 1905),
}


def some(table):
    return st.fixed_dictionaries({}, optional={name: cells[name] for name in sorted(DRAWN[table])})


@pytest.fixture(scope="module", autouse=True)
def isles(tmp_path_factory):
    Interleaved.environment = DatabaseEnvironment(write_isles(tmp_path_factory.mktemp("isles")))
    yield
    del Interleaved.environment


class Model:
    """The tables as one session should see them: dictionaries, searched from end to end."""

    def __init__(self):
        self.tables = {name: {record["id"]: record for record in records} for name, records in RECORDS.items()}
        self.tables = copy.deepcopy(self.tables)
        self.n_rows = {name: len(records) for name, records in RECORDS.items()}

    def create(self, table, given):
        if any(given.get(name) is None for name in UNIQUE[table]):
            return "bad_value"
        record = dict.fromkeys(RECORDS[table][0]) | given | {"id": f"{table}/{self.n_rows[table]:04d}"}
        record |= {"aliases": []} if "aliases" in record else {}
        wrong = self.wrong(table, record)
        if not wrong:
            self.tables[table][record["id"]] = record
            self.n_rows[table] += 1
        return wrong

    def update(self, table, id_, changes):
        if id_ not in self.tables[table]:
            return "not_found"
        record = self.tables[table][id_] | changes
        wrong = self.wrong(table, record)
        if not wrong:
            self.tables[table][id_] = record
        return wrong

    def delete(self, table, id_):
        if id_ not in self.tables[table]:
            return "not_found"
        for (other, column), target in REFERENCES.items():
            if target == table and any(r[column] == id_ and r["id"] != id_ for r in self.tables[other].values()):
                return "still_referenced"
        del self.tables[table][id_]
        return ""

    def wrong(self, table, record):
        for (of, column), target in REFERENCES.items():
            if of == table and record[column] is not None and record[column] not in self.tables[target]:
                return "bad_reference"
        for other in self.tables[table].values():
            if other["id"] != record["id"] and all(other[name] == record[name] for name in UNIQUE[table]):
                return "already_exists"
        return ""

    def records(self, table):
        """The records of a table in order, computed columns computed from scratch."""
        return [record | self.computed(table, record) for record in self.tables[table].values()]

    def computed(self, table, record):
        if table == "twinned":
            return {}
        inside = [one for one in self.tables["town"].values() if one["region"] == self.region_of(table, record)]
        people = sum(one["population"] or 0 for one in inside)
        if table == "region":
            commons = [one["population"] for one in inside if one["capital"] is False and one["population"] is not None]
            return {"towns": len(inside), "people": people, "largest": max(commons, default=None)}
        no_share = record["region"] is None or record["population"] is None or people == 0
        return {
            "age": None if record["chartered"] is None else 2031 - record["chartered"],
            "share": None if no_share else pytest.approx(record["population"] / people, abs=0.0051),
        }

    def region_of(self, table, record):
        return record["id"] if table == "region" else record["region"] or "nowhere"


class Interleaved(RuleBasedStateMachine):
    environment: DatabaseEnvironment

    @initialize()
    def open(self):
        self.clients = [Client(self.environment) for _ in range(N_SESSIONS)]
        self.models = [Model() for _ in range(N_SESSIONS)]

    @rule(which=sessions, data=st.data(), table=tables)
    def create(self, which, data, table):
        records = data.draw(st.lists(some(table), min_size=1, max_size=3))
        told = [self.models[which].create(table, record) for record in records]
        self.compare(self.clients[which]("create_records", table=table, records=records), told)

    @rule(which=sessions, data=st.data(), table=tables, ids=st.lists(rows, min_size=1, max_size=3, unique=True))
    def update(self, which, data, table, ids):
        changes = data.draw(some(table).filter(bool))
        named = [f"{table}/{row:04d}" for row in ids]
        told = [self.models[which].update(table, id_, changes) for id_ in named]
        self.compare(self.clients[which]("update_records", table=table, ids=named, changes=changes), told)

    @rule(which=sessions, table=tables, ids=st.lists(rows, min_size=1, max_size=3, unique=True))
    def delete(self, which, table, ids):
        named = [f"{table}/{row:04d}" for row in ids]
        told = [self.models[which].delete(table, id_) for id_ in named]
        self.compare(self.clients[which]("delete_records", table=table, ids=named), told)

    @rule(which=sessions, row=rows, table=tables)
    def get(self, which, row, table):
        found = self.clients[which]("get_records", table=table, ids=[f"{table}/{row:04d}"])["records"]
        wanted = [record for record in self.models[which].records(table) if record["id"] == f"{table}/{row:04d}"]
        assert found == wanted

    @rule(
        which=sessions,
        order=st.sampled_from(["", "name", "population", "opened", "capital", "age", "region"]),
        descending=st.booleans(),
        least=st.none() | st.integers(0, 1000),
        limit=st.integers(1, 4),
    )
    def walk(self, which, order, descending, least, limit):
        filters = [] if least is None else [{"column": "population", "comparison": ">=", "value": least}]
        how = {"filters": filters, "order_by": order, "descending": descending, "limit": limit}
        wanted = [
            record
            for record in self.models[which].records("town")
            if least is None or (record["population"] is not None and record["population"] >= least)
        ]
        if order:
            there = [record for record in wanted if record[order] is not None]
            there.sort(key=lambda record: record[order], reverse=descending)
            wanted = there + [record for record in wanted if record[order] is None]
        assert self.clients[which].all("town", **how) == wanted

    @invariant()
    def each_session_sees_its_own(self):
        for client, model in zip(getattr(self, "clients", []), getattr(self, "models", []), strict=True):
            for table in DRAWN:
                assert client.all(table, limit=50) == model.records(table)

    def compare(self, said, told):
        assert [failure["code"] for failure in said.get("failures", [])] == [error for error in told if error]
        assert len(said["records"]) == told.count("")

    def teardown(self):
        fresh = Client(self.environment)
        assert {table: fresh.all(table) for table in DRAWN} == RECORDS


Interleaved.TestCase.settings = settings(max_examples=30, stateful_step_count=12, deadline=None)
TestInterleaved = Interleaved.TestCase
