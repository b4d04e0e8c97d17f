"""Checks on the tables of entities and relations: ids, references, names, aliases, constraints, pairs and series."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import duckdb
import networkx as nx
import pyarrow as pa

from worldforge.builders.audit.finding import Finding
from worldforge.schema.column_dependencies import constraint_text
from worldforge.schema.column_paths import references_of
from worldforge.schema.expression_sql import select_sql
from worldforge.schema.expressions import compile_expression
from worldforge.schema.reference_conditions import conditions_of
from worldforge.schema.spec import Constraint, Exclusive, Name, Pairs, WorldSpec
from worldforge.world.database import quote

Connection = duckdb.DuckDBPyConnection

_SIGMAS = 5  # how far a share that was drawn may be from the share that was asked for
_ALONE = 2  # entities that may be left over where names are shared


def check_keys(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: Connection) -> Finding:
    """Check that ids count from 0, names and aliases are unique as far as asked, and references lead somewhere."""
    finding = Finding("keys")
    for name, table in tables.items():
        finding.n_checked += table.num_rows
        finding.query(
            connection,
            f"{name}: row {{}} has the id {{}}",
            f"SELECT _row, id FROM {quote(name)} WHERE id IS DISTINCT FROM printf('{name}/%04d', _row) ORDER BY 1",
        )
        if name in spec.types:
            check_called(finding, connection, name, spec.types[name].name)
    for name in (*spec.types, *spec.relations):
        for column, target in references_of(spec, name).items():
            value = f"own.{quote(column)}"
            finding.query(
                connection,
                f"{{}}#{column} refers to {{}}, which is not there",
                f"SELECT own.id, {value} FROM {quote(name)} AS own ANTI JOIN {quote(target)} AS target "
                f"ON {value} = target.id WHERE {value} IS NOT NULL ORDER BY own._row",
            )
    return finding


def check_called(finding: Finding, connection: Connection, name: str, settings: Name) -> None:
    """Check that names are unique but for the namesakes asked for, and aliases are unique and nobody's name."""
    table = quote(name)
    finding.query(
        connection,
        f"{name}: the name `{{}}` is missing or not unique",
        f"SELECT coalesce(name, '') AS called FROM {table} GROUP BY called "
        f"HAVING called = '' OR (count(*) > 1 AND {not settings.namesakes}) ORDER BY min(_row)",
    )
    finding.query(
        connection,
        f"{name}: the alias `{{}}` is {{}}",
        f"""
        WITH aliases AS (
            SELECT _row, coalesce(alias, '') AS alias, lower(trim(coalesce(alias, ''))) AS key
            FROM {table}, unnest(aliases) AS unnested(alias)
        ),
        judged AS (
            SELECT _row, alias, CASE
                WHEN key = '' THEN 'empty'
                WHEN key IN (SELECT lower(name) FROM {table} WHERE name IS NOT NULL) THEN 'a name'
                WHEN row_number() OVER (PARTITION BY key ORDER BY _row) > 1 THEN 'there before'
            END AS wrong FROM aliases
        )
        SELECT alias, wrong FROM judged WHERE wrong IS NOT NULL ORDER BY _row
        """,
    )
    n_shared, n_aliased, n = connection.execute(
        f"SELECT coalesce(sum(n) FILTER (n > 1), 0), coalesce(sum(n_aliased), 0), coalesce(sum(n), 0) FROM "
        f"(SELECT count(*) AS n, count(*) FILTER (len(aliases) > 0) AS n_aliased FROM {table} GROUP BY name)"
    ).fetchall()[0]
    if settings.namesakes:
        _check_share(finding, f"{name}: names are shared by", n_shared, n, settings.namesakes, at_least=True)
    share = settings.aliases.share if settings.aliases else 0.0
    _check_share(finding, f"{name}: aliases are borne by", n_aliased, n, share, at_least=False)


def _check_share(finding: Finding, label: str, n: int, of: int, share: float, *, at_least: bool) -> None:
    slack = _SIGMAS * math.sqrt(of * share * (1 - share)) + _ALONE * (share > 0)
    if n > of * share + slack or (at_least and n < of * share - slack):
        finding.fail([f"{label} {n} of {of}, where a share of {share} is asked for"])


def check_constraints(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: Connection) -> Finding:
    """Check that every constraint holds in every row and between rows; an expression that is null counts as held."""
    finding = Finding("constraints")
    for constraint in spec.constraints:
        finding.n_checked += tables[constraint.on].num_rows
        if constraint.sql is None:
            check_between_rows(finding, connection, constraint)
        else:
            outputs = {"holds": compile_expression(constraint.sql, constraint.on, spec)}
            query = select_sql(spec, constraint.on, outputs)
            _check_rows(finding, connection, constraint.on, constraint.sql, f"({query}) WHERE NOT holds")
    for table, column, where in conditions_of(spec):
        finding.n_checked += tables[table].num_rows
        outputs = {
            "holds": compile_expression(where, table, spec),
            "refers": compile_expression(f'"{column}"', table, spec),
        }
        query = select_sql(spec, table, outputs)
        _check_rows(finding, connection, table, where, f"({query}) WHERE holds IS NOT true AND refers IS NOT NULL")
    return finding


def _check_rows(finding: Finding, connection: Connection, table: str, rule: str, broken: str) -> None:
    """Count the rows of a table whose `_row` is among those of the query `broken`."""
    rule = rule.replace("{", "{{").replace("}", "}}")
    query = f"SELECT id FROM {quote(table)} WHERE _row IN (SELECT _row FROM {broken}) ORDER BY _row"
    finding.query(connection, f"{{}}: `{rule}` does not hold", query)


def check_between_rows(finding: Finding, connection: Connection, constraint: Constraint) -> None:
    """Check one constraint between the rows of a table."""
    on, rule = quote(constraint.on), constraint_text(constraint)
    if constraint.acyclic is not None:
        query = f"SELECT id, {quote(constraint.acyclic)} FROM {on} WHERE {quote(constraint.acyclic)} IS NOT NULL"
        circles = list(nx.simple_cycles(nx.DiGraph(connection.execute(query).fetchall())))
        finding.fail(f"{' -> '.join([*circle, circle[0]])}: `{rule}` does not hold" for circle in circles)
        return
    rows = _sharing(constraint) if constraint.unique is not None else _overlapping(constraint)
    broken = connection.execute(
        f"SELECT concat_ws(' and ', one.id, other.id) FROM ({rows}) AS broken LEFT JOIN {on} AS one "
        f"ON broken.first = one._row JOIN {on} AS other ON broken._row = other._row ORDER BY broken.first, broken._row"
    ).fetchall()
    finding.fail(f"{ids}: `{rule}` does not hold" for (ids,) in broken)


def _sharing(constraint: Constraint) -> str:
    """Write the SQL for pairs of rows: the first that holds some values, and another that holds the same."""
    choices = [[one] if isinstance(one, str) else one for one in constraint.unique or ()]
    keys = [f"_{place}" for place in range(len(choices))]
    parts = []
    for columns in itertools.product(*choices):
        listed = ", ".join(f"{quote(column)} AS {key}" for column, key in zip(columns, keys, strict=True))
        filled = " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
        parts.append(f"SELECT _row, {listed} FROM {quote(constraint.on)} WHERE {filled}")
    together = ", ".join(keys)
    return f"""
        WITH _held AS ({" UNION ".join(parts)}),
        _firsts AS (SELECT {together}, min(_row) AS first FROM _held GROUP BY {together} HAVING count(*) > 1)
        SELECT DISTINCT first, _row FROM _held JOIN _firsts USING ({together}) WHERE _row > first
    """


def _overlapping(constraint: Constraint) -> str:
    """Write the SQL for rows whose period ends before it begins, or overlaps one of their owner before: both rows."""
    period = constraint.exclusive or Exclusive(per="")
    return f"""
        WITH _periods AS (
            SELECT _row, {quote(period.per)} AS _owner, {quote(period.begin)} AS _start, {quote(period.end)} AS _stop
            FROM {quote(constraint.on)} WHERE _owner IS NOT NULL AND _start IS NOT NULL
        ),
        _placed AS (
            SELECT *, max(_stop) OVER before AS reach, arg_max(_row, _stop) OVER before AS reaching,
                max(_row) FILTER (WHERE _stop IS NULL) OVER before AS still_open
            FROM _periods
            WINDOW before AS (
                PARTITION BY _owner ORDER BY _start, _stop NULLS LAST, _row
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            )
        )
        SELECT coalesce(still_open, CASE WHEN _start < reach THEN reaching END) AS first, _row FROM _placed
        WHERE _stop < _start OR _start < reach OR still_open IS NOT NULL
    """


def check_relations(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: Connection) -> Finding:
    """Check that in pairs all of a group meet as often as they should, and in series positions count on from 1."""
    finding = Finding("relations")
    for name, relation in spec.relations.items():
        queries = list(_of_pairs(spec, name, relation.source, relation.pairs)) if relation.pairs else []
        queries += list(_of_series(name, relation.series)) if relation.series else []
        finding.n_checked += tables[name].num_rows if queries else 0
        for message, query in queries:
            finding.query(connection, f"{name}: {message}", query)
    return finding


def _of_pairs(spec: WorldSpec, name: str, type_name: str, pairs: Pairs) -> Iterator[tuple[str, str]]:
    within = compile_expression(pairs.within or "'all'", type_name, spec)
    grouped = select_sql(spec, type_name, {"within": within})
    entities = f"SELECT id, within FROM {quote(type_name)} JOIN ({grouped}) USING (_row)"
    met = f"""
        met AS (
            SELECT least(source, target) AS one, greatest(source, target) AS other,
                count(*) FILTER (source < target) AS n_first, count(*) AS n
            FROM {quote(name)} GROUP BY ALL
        )
    """
    yield (
        "{} and {} meet {} times, where they should meet {} times",
        f"""
        WITH entities AS ({entities}),
        due AS (
            SELECT one.id AS one, other.id AS other, {pairs.legs} AS n
            FROM entities AS one JOIN entities AS other ON one.within = other.within AND one.id < other.id
        ), {met}
        SELECT one, other, coalesce(met.n, 0), coalesce(due.n, 0) FROM due FULL JOIN met USING (one, other)
        WHERE met.n IS DISTINCT FROM due.n ORDER BY ALL
        """,
    )
    yield (
        "{0} meets {2} others in round {1}",
        f"""
        WITH met AS (
            SELECT source AS id, round FROM {quote(name)} UNION ALL SELECT target, round FROM {quote(name)}
        )
        SELECT id, round, count(*) FROM met GROUP BY ALL HAVING count(*) > 1 OR round < 1 OR round IS NULL ORDER BY ALL
        """,
    )
    yield (
        "{0} and {1} have {2} rows with {0} first, of {3}",
        f"WITH {met} SELECT one, other, n_first, n FROM met WHERE abs(2 * n_first - n) > 1 ORDER BY ALL",
    )


def _of_series(name: str, owner: str) -> Iterator[tuple[str, str]]:
    yield (
        "the positions of {} run from {} to {} in {} rows",
        f"""
        SELECT {owner}, min(position), max(position), count(*) FROM {quote(name)} GROUP BY {owner}
        HAVING min(position) != 1 OR max(position) != count(*) OR count(DISTINCT position) != count(*) ORDER BY ALL
        """,
    )
    yield (
        "{} comes after {}, not after {}",
        f"""
        SELECT own.id, own.previous, before.id FROM {quote(name)} AS own LEFT JOIN {quote(name)} AS before
        ON own.{owner} = before.{owner} AND own.position = before.position + 1
        WHERE own.previous IS DISTINCT FROM before.id ORDER BY ALL
        """,
    )
