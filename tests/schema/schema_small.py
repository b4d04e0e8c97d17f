"""A small spec that uses every part of the language but pages: two references deep, a relation, aggregates."""

from worldforge.schema.document import read_document
from worldforge.schema.spec import WorldSpec

SMALL = """\
name: small
types:
  land:
    count: 3
    name: {generator: names.region}
    attributes:
      area: {generator: values.number, params: {low: 10, high: 20}, unit: km²}
    derived:
      towns: {over: town.land, sql: count(*)}
      people: {over: town.land, sql: sum(people)}
  town:
    count: 10
    name: {generator: names.town}
    attributes:
      land: {references: land}
      chartered: {generator: values.year, params: {low: 1100, high: 1900}, label: charter year}
      people: {generator: values.integer, params: {low: 0, high: 900}}
  firm:
    count: 20
    name: {generator: names.club, params: {town: = town.name}}
    attributes:
      town: {references: town}
      founded: {generator: values.year, params: {low: = town.chartered + 1, high: 2000}}
      opened: {generator: values.date, params: {low: 1992-01-01, high: 1999-12-31}}
      listed: {generator: values.boolean}
    derived:
      age: {sql: 2031 - founded}
      decades: {sql: age // 10}
      staff: {over: works_for, sql: count(*), where: until is null}
  person:
    count: 30
    name: {generator: names.person}
    attributes:
      born: {generator: values.date, params: {low: 1950-01-01, high: 1990-12-31}}
relations:
  works_for:
    source: person
    target: firm
    per_source: {low: 1, high: 2}
    columns:
      from: {generator: values.year, params: {low: = year(source.born) + 18, high: 2020}}
      until: {generator: values.year, params: {low: = from + 1, high: 2031}, missing: 0.5}
constraints:
  - {on: firm, sql: founded > town.chartered}
"""


def small_spec(*edits: tuple[str, str]) -> WorldSpec:
    """Return the small spec as its models, unchecked, each edit (old, new) made in its text."""
    text = SMALL
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return WorldSpec.model_validate(read_document(text, "small.yaml")[0].data)
