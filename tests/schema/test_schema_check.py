"""What is wrong with a spec: each kind of problem at its place with its hint, all of them at once, none twice."""

import pytest
from schema_small import SMALL

from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec

SPEC = (
    SMALL
    + """\
sites:
  paper: {title: The Paper}
pages:
  articles: {generator: pages.encyclopedia, about: firm, states: [town, founded, works_for], site: paper}
  lists: {generator: pages.directory, about: firm, by: town.land, states: [founded]}
tasks:
  list: {family: list, about: [firm], count: 5, rows: {low: 1, high: 5}, columns: {low: 2, high: 3}}
"""
)


@pytest.fixture
def problems(tmp_path):
    """Load the spec with edits (old, new) made in its text, and return its text and problems."""

    def load(*edits, code_from=None):
        text = SPEC
        for old, new in edits:
            assert text.count(old) >= 1, old
            text = text.replace(old, new, 1)
        path = tmp_path / "w.yaml"
        path.write_text(text)
        try:
            load_spec(path, code_from=code_from)
        except SpecError as error:
            return text, error.problems
        return text, ()

    return load


def place_of(text, old, new, at):
    """Line and column, from 1, of where `at` stands in `new`, which an edit put in the place of `old`."""
    offset = SPEC.index(old) + new.index(at)
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def test_the_spec_itself_has_no_problems(problems):
    assert problems()[1] == ()


SHAPE = [
    ("count: 10\n", "count: many\n", "many", "types.town.count", "must be a whole number, not the text `many`", ""),
    ("count: 10\n", "count: 0\n", "0", "types.town.count", "must be at least 1, not 0", ""),
    ("count: 10\n", "count: 1.5\n", "1.5", "types.town.count", "must be a whole number, not 1.5", ""),
    ("count: 10\n", "count: true\n", "true", "types.town.count", "must be a whole number, not `true`", ""),
    ("    count: 10\n", "    cuont: 10\n    count: 10\n", "cuont", "types.town.cuont", "unknown key `cuont`",
     "did you mean `count`?"),
    ("  town:\n    count: 10\n", "  town:\n", "town", "types.town", "missing key `count`", ""),
    ("  town:\n", "  Town:\n", "Town", "types.Town", "`Town` cannot be a name", "a name begins with a small letter"),
    ("name: small", "name: Small World", "Small", "name", "must not be the text `Small World`", "small letters"),
    ("name: small", "name: small\nas_of: 30.6.2031", "30.6", "as_of", "must not be the text `30.6.2031`",
     "write it as 2031-06-30"),
    ("name: small", "name: small\nas_of: 2031-06-31", "2031-06-31", "as_of",
     "`2031-06-31` is no day of the calendar", ""),
    ("name: small", "name: small\nlanguages: [de]", "de", "languages.0", "must not be the text `de`", "known are `en`"),
    ("name: small", "name: small\nlanguages: []", "[]", "languages", "must hold at least one", ""),
    ("name: small", "name: small\nscale: 0", "0", "scale", "must be more than 0, not 0", "Multiplies"),
    ("name: small", "name: small\nrollouts: {trials: 5000}", "5000", "rollouts.trials",
     "must be at most 1024, not 5000", "Episodes a task."),
    ("name: small", "name: small\njobs: {nightly: 3}", "nightly", "jobs.nightly", "unknown key `nightly`", ""),
    ("land: {references: land}", "land: {references: land, generator: values.boolean}", "land",
     "types.town.attributes.land", "give exactly one of `generator` and `references`", ""),
    ("land: {references: land}", "land: {references: land, params: {low: 1}}", "land", "types.town.attributes.land",
     "`params` belong to a generator", ""),
    ("land: {references: land}", "land: {references: land, distribution: zipfy}", "zipfy",
     "types.town.attributes.land.distribution", "must not be the text `zipfy`", "did you mean `zipf`?"),
    ("per_source: {low: 1, high: 2}", "per_source: {low: 3, high: 2}", "per_source", "relations.works_for.per_source",
     "low (3) is above high (2)", ""),
    ("    per_source: {low: 1, high: 2}\n", "", "", "relations.works_for", "give exactly one of `per_source`", ""),
    ("constraints:\n", "constraints:\n  - {on: firm}\n", "{on", "constraints.0", "give exactly one of `sql`", ""),
    ("constraints:\n", "constraints:\n  - {on: firm, acyclic: town, redraw: town}\n", "{on", "constraints.0",
     "`redraw` does not go with `acyclic`: write `acyclic: true` on the attribute", ""),
    ("constraints:\n", "constraints:\n  - {on: firm, unique: 3}\n", "3}", "constraints.0.unique",
     "must be a list, not 3", "Columns that no two rows share"),
    ("constraints:\n", "constraints:\n  - {on: firm, unique: [town, 3]}\n", "3]", "constraints.0.unique.1",
     "must be a name or a list of names, not 3", ""),
    ("constraints:\n", "constraints:\n  - {on: firm, unique: [[town, 3]]}\n", "3]", "constraints.0.unique.0.1",
     "must be text, not 3", ""),
    ("constraints:\n", "constraints:\n  - {on: firm, unique: []}\n", "[]", "constraints.0.unique",
     "must hold at least one", "Columns that no two rows share"),
    ("age: {sql: 2031 - founded}", "age: {within: town, sql: founded}", "age", "types.firm.derived.age",
     "`within` belongs to `rank`", ""),
    ("age: {sql: 2031 - founded}", "age: {sql: founded, rank: founded}", "age", "types.firm.derived.age",
     "give exactly one of `sql` and `rank`", ""),
    ("states: [founded]", "states: every", "every", "pages.lists.states",
     "must be `all` or a list of names, not the text `every`", ""),
    ("states: [founded]", "states: [3]", "3", "pages.lists.states.0", "must be text, not 3", ""),
    ("states: [founded]", "states: [founded], share: 2", "2", "pages.lists.share", "must be at most 1, not 2", ""),
    ("family: list", "family: lists", "lists", "tasks.list.family", "unknown task family `lists`", "`list`"),
    ("title: The Paper", "host: paper.com", "paper.com", "sites.paper.host", "must not be the text `paper.com`",
     "every host ends in `.example`"),
    ("title: The Paper", "title: [The, Paper]", "[", "sites.paper.title", "must be text, not a list", ""),
    ("paper: {title: The Paper}", "paper:", "paper", "sites.paper", "nothing is written under `paper`", "write `{}`"),
    ("land: {references: land}", "land: ~", "land", "types.town.attributes.land", "nothing is written under `land`",
     "write `{}`"),
    ("sites:\n  paper: {title: The Paper}", "sites: {paper: 3}", "3", "sites.paper", "must be a mapping, not 3", ""),
]  # fmt: skip

MEANING = [
    ("listed: {generator: values.boolean}", "listed: [a, b]", "[a", "types.firm.attributes.listed",
     "must be a mapping, not a list", "values.choice"),
    ("name: {generator: names.region}", "name: names.region", "names", "types.land.name", "must be a mapping", "gen"),
    ("count: 10\n", "count: 1,000\n", "1,", "types.town.count", "must be a whole number", "write it as 1000"),
    ("per_source: {low: 1, high: 2}", "per_source: 2", "2", "relations.works_for.per_source", "must be a mapping",
     "{low: 1, high: 2}"),
    ("= town.chartered + 1", "= town.chartered && 1", "&&", "types.firm.attributes.founded.params.low",
     "`&&` has no place", "write `and`"),
    ("params: {low: 10, high: 20}", "params: {low: '10', high: 20}", "'10", "types.land.attributes.area.params.low",
     "cannot be the text `10`", "without quotes: 10"),
    ("listed: {generator: values.boolean}", "listed: {generator: values.choice, params: {options: [1, 2]}}", "[1",
     "types.firm.attributes.listed.params.options", "cannot be the list", 'quotes: ["1", "2"]'),
    # ranks, and what holds between rows
    ("age: {sql: 2031 - founded}", "age: {rank: 'listed desc, fonded'}", "fonded", "types.firm.derived.age.rank",
     "`firm` has no column `fonded`", "did you mean `founded`?"),
    ("age: {sql: 2031 - founded}", "age: {rank: 'listed, max(founded)'}", "max(", "types.firm.derived.age.rank",
     "`max` is an aggregate", ""),
    ("age: {sql: 2031 - founded}", "age: {rank: 'listed,, founded'}", ", founded", "types.firm.derived.age.rank",
     "an expression is missing beside a comma", ""),
    ("age: {sql: 2031 - founded}", "age: {rank: 'founded + name'}", "'founded", "types.firm.derived.age.rank",
     "DuckDB says", ""),
    ("age: {sql: 2031 - founded}", "age: {rank: founded, within: town.people}", "town.people",
     "types.firm.derived.age.within", "`within: town.people` is no path of references", "are `town`"),
    ("age: {sql: 2031 - founded}", "age: {rank: founded, within: twn}", "twn}", "types.firm.derived.age.within",
     "`firm` has no column `twn`", "did you mean `town`?"),
    ("age: {sql: 2031 - founded}", "age: {rank: decades}", "age:", "types.firm.derived.age",
     "columns need one another in a circle: firm.age -> firm.decades -> firm.age", ""),
    ("land: {references: land}", "land: {references: land, acyclic: true}", "acyclic",
     "types.town.attributes.land.acyclic", "it refers to `land`, not to `town`: nothing", "`references`"),
    ("{generator: values.boolean}", "{generator: values.boolean, acyclic: true}", "acyclic",
     "types.firm.attributes.listed.acyclic", "`acyclic` belongs to a reference", "`references`"),
    ("founded: {", "parent: {references: firm, acyclic: true, capacity: 3}\n      founded: {", "capacity",
     "types.firm.attributes.parent.capacity", "`capacity` and `acyclic` do not go together", "leave one"),
    ("constraints:\n", "constraints:\n  - {on: firm, unique: [town, nmae]}\n", "nmae", "constraints.0.unique.1",
     "`firm` has no column `nmae`", "did you mean `name`?"),
    ("constraints:\n", "constraints:\n  - {on: works_for, unique: [[source, from]]}\n", "[source",
     "constraints.0.unique.0", "they hold different things, which no rows can share: `source` person, `from` year", ""),
    ("constraints:\n", "constraints:\n  - {on: works_for, unique: [[], from]}\n", "[],", "constraints.0.unique.0",
     "the list names no column", "[source, target]"),
    ("constraints:\n", "constraints:\n  - {on: firm, unique: [town], redraw: founded}\n", "founded}",
     "constraints.0.redraw", "drawing `founded` again mends nothing", "name one of `town`"),
    ("constraints:\n", "constraints:\n  - {on: works_for, exclusive: {per: target}, redraw: from}\n", "from}",
     "constraints.0.redraw", "it draws `from` again, on which hangs what it reads", "name another column"),
    ("constraints:\n", "constraints:\n  - {on: firm, exclusive: {per: town, begin: opened, end: founded}}\n", "opened",
     "constraints.0.exclusive.begin", "`opened` holds date and `founded` year: no period lies between them", "a year"),
    ("constraints:\n", "constraints:\n  - {on: firm, exclusive: {per: town, begin: founded}}\n", "exclusive",
     "constraints.0.exclusive", "`firm` has no column `until`", "begin: opened, end: closed"),
    ("constraints:\n", "constraints:\n  - {on: firm, acyclic: town}\n", "town}", "constraints.0.acyclic",
     "`town` refers to `town`, not to `firm`: nothing could come back", "to itself"),
    ("constraints:\n", "constraints:\n  - {on: firm, acyclic: founded}\n", "founded}", "constraints.0.acyclic",
     "`founded` is no reference", "to itself"),
    # names, references, phrasings
    ("born: {", "source: {generator: values.boolean}\n      born: {", "source",
     "types.person.attributes.source", "`source` is a reserved name", "`aliases`"),
    ("age: {sql", "founded: {sql: 1 + 1}\n      age: {sql", "founded", "types.firm.derived.founded",
     "`firm` has an attribute `founded` already", ""),
    ("relations:\n", "relations:\n  town: {source: person, target: firm, per_source: {low: 0, high: 1}}\n", "town",
     "relations.town", "a type is called `town` already", ""),
    ("references: land", "references: lnad", "lnad", "types.town.attributes.land.references", "unknown type `lnad`",
     "did you mean `land`?"),
    ("target: firm", "target: frim", "frim", "relations.works_for.target", "unknown type `frim`",
     "did you mean `firm`?"),
    ("people: {generator", "people: {label: charter year, generator", "charter", "types.town.attributes.people.label",
     "the label `charter year` is that of `chartered` already", "apart"),
    ("unit: km²", "unit: a|b", "a|b", "types.land.attributes.area.unit", "`unit` stands in lines and tables", ""),
    ("    count: 20\n", "    count: 20\n    plural: \"a\\nb\"\n", "\"a", "types.firm.plural",
     "`plural` stands in lines and tables", ""),
    ("title: The Paper", "title: The|Paper", "The|", "sites.paper.title", "`title` stands in lines and tables", ""),
    ("generator: names.region", "generator: names.region, params: {culture: elvish}", "elvish",
     "types.land.name.params.culture", "unknown culture `elvish`", "choose among chinese"),
    ("{town: = town.name}", "{town: = town.name, culture: elvish}", "elvish", "types.firm.name.params.culture",
     "unknown culture `elvish`", "choose among chinese"),
    ("params: {low: 10, high: 20}", "params: {low: = 5 * 5, high: 20}", "= 5", "types.land.attributes.area.params.low",
     "`low` is above `high` (25", ""),
    ("params: {low: 1992-01-01, high: 1999-12-31}", "params: {low: '= make_date(2001, 2, 3)', high: 1999-12-31}",
     "'=", "types.firm.attributes.opened.params.low", "(2001-02-03 > 1999-12-31)", ""),
    ("listed: {generator: values.boolean}",
     "listed: {generator: values.choice, params: {options: [a, b], weights: [1]}}", "[1]",
     "types.firm.attributes.listed.params.weights", "1 weights for 2 options", "one weight an option"),
    ("listed: {generator: values.boolean}", "listed: {generator: values.choice, params: {options: []}}", "[]",
     "types.firm.attributes.listed.params.options", "must list at least one option", ""),
    ("listed: {generator: values.boolean}", "listed: {generator: values.code, params: {pattern: '0'}}", "'0'",
     "types.firm.attributes.listed.params.pattern", "`0` makes 10 codes, and 20 are asked for", "lengthen"),
    ("sql: founded > town.chartered", "sql: 1 = 2", "1 =", "constraints.0.sql", "false in every row", ""),
    ("sql: founded > town.chartered", "sql: founded > 2000", "founded", "constraints.0.sql",
     "no row can keep `founded > 2000`: `founded` is drawn up to 2000", "loosen"),
    ("sql: founded > town.chartered}", "sql: founded > 1950}\n  - {on: firm, sql: 1940 >= founded}", "1940",
     "constraints.1.sql", "no row can keep both `1940 >= founded` and, in line 44, `founded > 1950`", "loosen"),
    ("= town.chartered + 1", "= now()", "now", "types.firm.attributes.founded.params.low", "unknown function `now`",
     "no clock"),
    ("unit: km²", "label: 'area of {subject}'", "'area", "types.land.attributes.area.label", "`label` holds a brace",
     "`sentences` have the slots"),
    ("unit: km²", "sentences: ['{subject} has {vlaue}.']", "'{", "types.land.attributes.area.sentences.0",
     "the sentence has an unknown slot `{vlaue}`", "the slots are"),
    ("unit: km²", "sentences: ['{value}', '{subject} has some.']", "'{subject",
     "types.land.attributes.area.sentences.1", "the sentence must have the slot `{value}` once", "the slots are"),
    ("unit: km²", "sentences: ['{subject} has {value:>3}.']", "'{", "types.land.attributes.area.sentences.0",
     "a slot of a sentence takes no format", ""),
    ("unit: km²", "sentences: ['{subject} has {value.']", "'{", "types.land.attributes.area.sentences.0",
     "the sentence has a brace without its partner", ""),
    ("{on: firm,", "{on: fim,", "fim", "constraints.0.on", "unknown type or relation `fim`", "did you mean `firm`?"),
    ("founded > town.chartered}", "founded > town.chartered, redraw: age}", "age}", "constraints.0.redraw",
     "`firm` draws no column `age`", ""),
    # generators
    ("values.number", "values.nubmer", "values.nubmer", "types.land.attributes.area.generator",
     "unknown generator `values.nubmer`", "did you mean `values.number`?"),
    ("values.number", "number", "number", "types.land.attributes.area.generator", "`number` names no generator",
     "write it as"),
    ("values.number", "own:number", "own:number", "types.land.attributes.area.generator",
     "`own:number` is your own code", "--allow-code"),
    ("values.number", "pages.news", "pages.news", "types.land.attributes.area.generator",
     "`pages.news` does not say what it returns", ""),
    ("names.region", "values.boolean", "values.boolean", "types.land.name.generator", "a name must be text",
     "use a generator of `names`"),
    ("{low: 10, high: 20}", "{low: 10, high: 20, lwo: 3}", "lwo", "types.land.attributes.area.params.lwo",
     "`values.number` has no parameter `lwo`", "did you mean `low`?"),
    ("{generator: values.number, params: {low: 10, high: 20}", "{generator: values.number, params: {low: 10}",
     "values.number", "types.land.attributes.area.generator", "`values.number` needs the parameter `high`",
     "it takes a whole number or a number or an expression"),
    ("{low: 10, high: 20}", "{low: ten, high: 20}", "ten", "types.land.attributes.area.params.low",
     "`low` cannot be the text `ten`", "it takes a whole number or a number or an expression"),
    ("{low: 10, high: 20}", "{low: 10, high: 20, decimals: = 1}", "= 1", "types.land.attributes.area.params.decimals",
     "`decimals` takes a plain value, not an expression", "it takes a whole number"),
    ("{low: 10, high: 20}", "{low: 10, high: 20, distribution: flat}", "flat",
     "types.land.attributes.area.params.distribution", "`distribution` cannot be the text `flat`", "`log_uniform`"),
    ("{low: 10, high: 20}", "{low: 30, high: 20}", "30", "types.land.attributes.area.params.low",
     "`low` is above `high` (30 > 20)", ""),
    ("1992-01-01", "2002-01-01", "2002", "types.firm.attributes.opened.params.low",
     "`low` is above `high` (2002-01-01 > 1999-12-31)", ""),
    ("1992-01-01", "1992-13-01", "1992-13", "types.firm.attributes.opened.params.low",
     "`low` must be a day such as 1992-01-31", ""),
    # expressions
    ("2031 - founded", "2031 - fonded", "fonded", "types.firm.derived.age.sql", "`firm` has no column `fonded`",
     "did you mean `founded`?"),
    ("= town.chartered + 1", "= town.charterd + 1", "town.charterd", "types.firm.attributes.founded.params.low",
     "`town` has no column `charterd`", "did you mean `chartered`?"),
    ("= town.name", "= town.nme", "town.nme", "types.firm.name.params.town", "`town` has no column `nme`", "`name`"),
    ("= from + 1", "= until_ + 1", "until_", "relations.works_for.columns.until.params.low",
     "`works_for` has no column `until_`", "did you mean `until`?"),
    ("founded > town.chartered}", "founded >}", ">", "constraints.0.sql", "it does not parse", ""),
    ("founded > town.chartered}", "founded + 1}", "founded", "constraints.0.sql",
     "it must be true or false for each row; its values are of the kind integer", "compare it"),
    ("founded > town.chartered}", "founded > opened}", "founded", "constraints.0.sql", "DuckDB says", ""),
    ("2031 - founded", "2031 - listed", "2031", "types.firm.derived.age.sql", "DuckDB says", ""),
    ("2031 - founded", "max(founded)", "max", "types.firm.derived.age.sql", "`max` is an aggregate", "`over`"),
    ("2031 - founded}", "2031 - founded, where: listed}", "", "types.firm.derived.age",
     "`where` needs `over`", ""),
    ("2031 - founded}", "name, kind: year}", "year", "types.firm.derived.age.kind",
     "`kind` is year, but the values of `sql` are of the kind text", ""),
    ("over: works_for", "over: work_for", "work_for", "types.firm.derived.staff.over",
     "`over: work_for` names no relation and no reference", "did you mean `works_for`?"),
    ("over: town.land, sql: count", "over: firm.town, sql: count", "firm.town", "types.land.derived.towns.over",
     "`over: firm.town` does not refer to `land`", "`firm.town.land`"),
    ("land: {references: land}", "land: {references: land, where: land.nam = name}", "land.nam =",
     "types.town.attributes.land.where", "`land` has no column `nam`", "did you mean `name`?"),
    ("land: {references: land}", "land: {references: land, where: length(name) > 3}", "length(",
     "types.town.attributes.land.where", "it says nothing of `land`", "`land.…`"),
    ("land: {references: land}", "land: {references: land, where: length(land.name)}", "length(",
     "types.town.attributes.land.where", "it must be true or false for each row", ""),
    ("land: {references: land}", "land: {references: land, optional: true}", "land",
     "types.town.attributes.land", "`optional` belongs to `where`", ""),
    ("over: town.land, sql: count", "tree: town, sql: count", "town", "types.land.derived.towns.tree",
     "`town` of `land` is no reference", "a reference of `land` to itself"),
    ("2031 - founded}", "town.land}", "town.land", "types.firm.derived.age.sql",
     "its values are ids of `land`", "`{references: land, where: age = town.land}`"),
    ("where: until is null", "where: untl is null", "untl", "types.firm.derived.staff.where",
     "`works_for` has no column `untl`", "did you mean `until`?"),
    ("where: until is null", "where: until", "until", "types.firm.derived.staff.where",
     "it must be true or false for each row", ""),
    ("= year(source.born) + 18", "= source.name", "= source", "relations.works_for.columns.from.params.low",
     "`low` takes no values of the kind text", ""),
    # circles
    ("= from + 1", "= until + 1", "", "relations.works_for.columns.until",
     "columns need one another in a circle: works_for.until -> works_for.until", ""),
    ("age: {sql: 2031 - founded", "age: {sql: decades + 1", "age", "types.firm.derived.age",
     "columns need one another in a circle: firm.age -> firm.decades -> firm.age", ""),
    ("{on: firm, sql: founded > town.chartered}", "{on: works_for, sql: until > from, redraw: from}", "until",
     "constraints.0.sql", "it draws `from` again, on which hangs what it reads", "name another column"),
    # cardinalities
    ("town: {references: town}", "town: {references: town, capacity: 1}", "1}", "types.firm.attributes.town.capacity",
     "20 rows cannot refer to 10 of `town` with 1 each: there is room for 10", "let it be 2 at least"),
    ("per_source: {low: 1, high: 2}", "per_source: {low: 21, high: 22}", "21", "relations.works_for.per_source.low",
     "a source needs 21 different targets; there are 20", "distinct: false"),
    ("per_source: {low: 1, high: 2}", "per_source: {low: 2, high: 2}\n    per_target: {low: 0, high: 1}", "1}",
     "relations.works_for.per_target.high", "30 sources need 60 rows at least; 20 targets take 20 at most", "be 3"),
    ("per_source: {low: 1, high: 2}", "per_source: {low: 1, high: 2}\n    per_target: {low: 4, high: 9}", "4,",
     "relations.works_for.per_target.low", "20 targets need 80 rows at least; 30 sources have 60 at most", "be 3"),
    # pages
    ("pages.directory", "pages.dirctory", "pages.dirctory", "pages.lists.generator",
     "unknown generator `pages.dirctory`", "did you mean `pages.directory`?"),
    ("pages.directory", "values.year", "values.year", "pages.lists.generator", "`values.year` makes no pages", ""),
    ("pages.directory,", "pages.directory, params: {size: 3},", "size", "pages.lists.params.size",
     "`pages.directory` has no parameter `size`", ""),
    ("pages.directory,", "pages.statistics, params: {merge: town},", "town", "pages.lists.params.merge",
     "`town` is no column that these pages state", "known are `founded`"),
    ("about: firm, by", "about: frim, by", "frim", "pages.lists.about", "unknown type `frim`", "did you mean `firm`?"),
    ("by: town.land", "by: town.lnd", "town.lnd", "pages.lists.by", "`town` has no column `lnd`",
     "did you mean `land`?"),
    ("by: town.land", "by: town.people", "town.people", "pages.lists.by", "`town.people` is no reference", "`land`"),
    ("works_for], site", "work_for], site", "work_for", "pages.articles.states.2",
     "`firm` has no attribute and no relation `work_for`", "did you mean `works_for`?"),
    ("site: paper", "site: papr", "papr", "pages.articles.site", "unknown site `papr`", "did you mean `paper`?"),
    ("paper: {title: The Paper}", "paper: {host: a.example}\n  other: {host: 'a.example'}", "'a.example'",
     "sites.other.host", "`a.example` is the host of `paper` already", ""),
    # as many values as rows
    ("constraints:\n", "constraints:\n  - {on: firm, unique: [listed], redraw: listed}\n", "[listed]",
     "constraints.0.unique", "20 rows of `firm` cannot differ: it holds 2 different values", "lower the count to 2"),
    ("constraints:\n", "constraints:\n  - {on: town, unique: [land, [land]]}\n", "[land,",
     "constraints.0.unique", "10 rows of `town` cannot differ: its columns hold 9", "name a further column"),
    ("relations:\n", "relations:\n  match:\n    {source: firm, target: firm, pairs: {within: town}, "
     "columns: {code: {generator: values.code, params: {pattern: '0'}}}}\n", "'0'",
     "relations.match.columns.code.params.pattern", "`0` makes 10 codes, and 20 are asked for", "lengthen"),
    # tasks
    ("about: [firm]", "about: [firm, frim]", "frim", "tasks.list.about.1", "unknown type `frim`", "`firm`"),
    ("about: [firm]", "about: [firm, land]", "land", "tasks.list.about.1", "no page states anything about `land`",
     "add a kind of page"),
    ("columns: {low: 2, high: 3}", "columns: {low: 5, high: 6}", "5", "tasks.list.columns.low",
     "pages state 3 columns of `firm`, its name included", "let it be 3 at most"),
    ("rows: {low: 1, high: 5}", "rows: {low: 21, high: 25}", "21", "tasks.list.rows.low", "there are 20 of `firm`",
     "let it be 20 at most"),
    ("rows: {low: 1, high: 5}", "rows: {low: 1, high: 5}, conditions: {low: 9, high: 9}", "9",
     "tasks.list.conditions.low", "pages about `firm` carry 3 conditions at most", "let it be 3 at most"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "at", "path", "message", "hint"), SHAPE + MEANING)
def test_each_mistake_is_told_once_at_its_place_with_a_hint(problems, old, new, at, path, message, hint):
    text, found = problems((old, new))
    shown = "\n".join(map(str, found))
    matching = [one for one in found if one.path == path and message in one.message]
    assert len(matching) == 1, shown
    assert hint in matching[0].hint, shown
    if at:
        assert (matching[0].line, matching[0].column) == place_of(text, old, new, at), shown
    assert len(found) == 1, shown


def paths(found):
    return [one.path for one in found]


def test_all_mistakes_are_told_at_once(problems):
    _, found = problems(
        ("    count: 3\n", "    cuont: 3\n"),
        ("{low: 10, high: 20}", "{low: ten, high: 20}"),
        ("references: land", "references: lnad"),
        ("label: charter year", "lable: charter year"),
        ("2031 - founded", "2031 - fonded"),
        ("where: until is null", "where: untl is null"),
        ("values.boolean", "values.bolean"),
        ("1950-01-01", "1950-01-41"),
        ("per_source: {low: 1, high: 2}", "per_source: {low: 2, high: 1}"),
        ("= from + 1", "= from + 'a' + 1"),
        ("founded > town.chartered", "founded >"),
        ("title: The Paper", "title: 3"),
        ("works_for], site: paper", "work_for], site: papr"),
        ("by: town.land", "by: town.people"),
        ("family: list", "family: lists"),
    )
    assert paths(found) == [
        "types.land",
        "types.land.cuont",
        "types.land.attributes.area.params.low",
        "types.town.attributes.land.references",
        "types.town.attributes.chartered.lable",
        "types.firm.attributes.listed.generator",
        "types.firm.derived.age.sql",
        "types.firm.derived.staff.where",
        "types.person.attributes.born.params.low",
        "relations.works_for.per_source",
        "relations.works_for.columns.until.params.low",
        "constraints.0.sql",
        "sites.paper.title",
        "pages.articles.states.2",
        "pages.articles.site",
        "pages.lists.by",
        "tasks.list.family",
    ]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (
            "founded: {generator: values.year",
            "founded: {generator: values.yaer",
            "types.firm.attributes.founded.generator",
        ),
        ("    attributes:\n      land: {ref", "    atributes:\n      land: {ref", "types.town.atributes"),
        ("    derived:\n      towns:", "    derivd:\n      towns:", "types.land.derivd"),
        ("    source: person\n", "    source: [person]\n", "relations.works_for.source"),
        ("relations:\n", "relation:\n", "relation"),
        ("pages:\n", "page:\n", "page"),
        ("sites:\n", "site:\n", "site"),
        (
            "generator: pages.encyclopedia, about: firm",
            "generator: pages.encyclopedia, about: fimr",
            "pages.articles.about",
        ),
        ("{generator: names.town}", "{generator: names.twon}", "types.town.name.generator"),
        ("      founded: {generator", "      Founded: {generator", "types.firm.attributes.Founded"),
    ],
)
def test_what_hangs_on_a_mistake_is_not_told_as_another(problems, old, new, path):
    assert paths(problems((old, new))[1]) == [path]


def test_a_circle_may_lead_through_names_references_and_aggregates(problems):
    _, found = problems(
        ("{generator: names.town}", "{generator: names.club, params: {town: = land.name}}"),
        ("{generator: names.region}", "{generator: names.club, params: {town: = first}}"),
        ("towns: {over", "first: {over: town.land, sql: min(name)}\n      towns: {over"),
    )
    assert [one.message for one in found] == [
        "columns need one another in a circle: land.name -> land.first -> town.name -> land.name"
    ]


def test_types_may_refer_to_one_another_in_a_circle(problems):
    assert (
        problems(
            ("born: {", "home: {references: firm}\n      born: {"),
            ("opened: {", "head: {references: person}\n      opened: {"),
        )[1]
        == ()
    )


def test_scale_counts_where_rows_are_counted(problems):
    tight = ("town: {references: town}", "town: {references: town, capacity: 2}")
    assert problems(tight)[1] == ()
    assert (
        problems(
            tight, ("    count: 20\n", "    count: 20\n    scaled: false\n"), ("name: small", "name: small\nscale: 0.5")
        )[1]
        != ()
    )


def test_no_entity_is_linked_to_itself(problems):
    own = ("target: firm\n    per_source: {low: 1, high: 2}", "target: person\n    per_source: {low: 30, high: 30}")
    staff = ("      staff: {over: works_for, sql: count(*), where: until is null}\n", "")
    _, found = problems(own, staff, ("founded, works_for]", "founded]"))
    assert [one.message for one in found] == ["a source needs 30 different targets; there are 29"]


def test_rows_that_are_left_empty_need_no_room(problems):
    roomy = "town: {references: town, capacity: 1, missing: 0.5}"
    assert problems(("town: {references: town}", roomy))[1] == ()


def test_tasks_about_everything_need_one_type_that_pages_tell_of(problems):
    everything = ("about: [firm]", "about: all")
    assert problems(everything)[1] == ()
    _, found = problems(
        everything, ("states: [town, founded, works_for]", "states: []"), ("states: [founded]", "states: []")
    )
    assert paths(found) == ["tasks.list"]
    _, found = problems(("states: [town, founded, works_for]", "completeness: 0"), ("states: [founded]", "share: 0"))
    assert paths(found) == ["tasks.list.about.0"]


OWN = """\
import pyarrow as pa
from worldforge.core.columns import Integers

def dice(stream, rows, *, sides: int = 6, most: int | pa.Array = 6) -> Integers: ...
def silent(stream, rows): ...
def open_ended(stream, rows, **more) -> Integers: ...
not_a_function = 3
"""


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("own_dice:dice", None),
        ("own_dice:dice, params: {sides: 8, most: = people}", None),
        ("own_dice:open_ended, params: {anything: [1]}", None),
        ("own_dice:dice, params: {sids: 8}", "`own_dice:dice` has no parameter `sids`"),
        ("own_dice:dice, params: {sides: eight}", "`sides` cannot be the text `eight`"),
        ("own_dice:dice, params: {sides: = people}", "`sides` takes a plain value, not an expression"),
        ("own_dice:dice, params: {most: = name}", "`most` takes no values of the kind text"),
        ("own_dice:silent", "`own_dice:silent` does not say what it returns"),
        ("own_dice:not_a_function", "unknown generator `own_dice:not_a_function`"),
        ("own_dice:nothing", "unknown generator `own_dice:nothing`"),
        ("own_nothing:dice", "cannot import `own_nothing` for `own_nothing:dice`: No module named 'own_nothing'"),
        ("own_broken:dice", "`own_broken:dice` cannot be imported: ZeroDivisionError: division by zero"),
        ("own_garbled:dice", "`own_garbled:dice` cannot be imported: SyntaxError: "),
    ],
)
def test_generators_of_ones_own_are_checked_like_others(problems, tmp_path, use, message):
    (tmp_path / "own_dice.py").write_text(OWN)
    (tmp_path / "own_broken.py").write_text("1 / 0\n")
    (tmp_path / "own_garbled.py").write_text("def dice(\n")
    edit = ("people: {generator", f"luck: {{generator: {use}}}\n      people: {{generator")
    _, found = problems(edit, code_from=tmp_path)
    assert [one.message for one in found if message is None or message not in one.message] == []
    assert len(found) == (message is not None)
    assert "allow" in problems(edit)[1][0].hint


@pytest.fixture
def warnings(tmp_path):
    """Load the spec with edits made in its text, and return the text and the warnings."""

    def load(*edits):
        text = SPEC
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new, 1)
        (tmp_path / "w.yaml").write_text(text)
        found = []
        load_spec(tmp_path / "w.yaml", on_warning=found.append)
        return text, found

    return load


def test_translations_hold_slots_where_their_text_does(problems):
    texts = "land: '土{地', town: '{subject}城', '{subject} has {value}': '{subject}有{value}', 'a {}': 的"
    _, found = problems(("name: small\n", f"name: small\nlanguages: [en, zh]\ntranslations: {{zh: {{{texts}}}}}\n"))
    told = {one.path: one for one in found if one.path.startswith("translations.")}
    assert list(told) == ["translations.zh.land", "translations.zh.town", "translations.zh.a {}"]
    assert all((one.line, one.column > 20, bool(one.hint)) == (3, True, True) for one in told.values())


WARNED = [
    ("  firm:\n", "  firm:\n    label: in the trade\n", "types.firm.label", "Velmar is an in the trade"),
    ("  firm:\n", "  firm:\n    label: trading firms\n", "types.firm.label", "Velmar is a trading firms"),
    ("  firm:\n", "  firm:\n    label: the firm\n", "types.firm.label", "Velmar is a the firm"),
    ("  firm:\n", "  firm:\n    label: staff\n", "types.firm.label", "Velmar is a staff"),
    ("  firm:\n", "  firm:\n    label: city\n    plural: city\n", "types.firm.plural", "list all city"),
    (
        "label: charter year",
        "label: in office since",
        "types.town.attributes.chartered.label",
        "whose in office since is",
    ),
    ("label: charter year", "label: chartered", "types.town.attributes.chartered.label", "whose chartered is later"),
    (
        "listed: {generator: values.boolean}",
        "listed: {generator: values.boolean, label: is listed}",
        "types.firm.attributes.listed.label",
        "entry for is listed",
    ),
    ("      age: {", "      sold: {sql: 3 * founded}\n      age: {", "types.firm.derived.sold", "with a sold of more"),
    (
        "high: 2031}, missing: 0.5}",
        "high: 2031}, missing: 0.5}\n      sold: {generator: values.integer, params: {low: 1, high: 2}}",
        "relations.works_for.columns.sold",
        "and sold of more than 40",
    ),
    ("high: 1900}", "high: 9999}", "types.town.attributes.chartered.params.high", "9999"),
    ("high: 1990-12-31", "high: 2040-12-31", "types.person.attributes.born.params.high", "after the world's today"),
    ("name: small", "name: small\nas_of: 1960-01-01", "types.person.attributes.born.params.high", "1990-12-31"),
]


@pytest.mark.parametrize(("old", "new", "path", "said"), WARNED)
def test_what_is_hardly_meant_is_warned_of_at_its_place(warnings, old, new, path, said):
    text, found = warnings((old, new))
    matching = [one for one in found if one.path == path]
    assert len(matching) == 1, found
    assert said in matching[0].message
    assert matching[0].hint and path.rpartition(".")[2] in text.splitlines()[matching[0].line - 1]


@pytest.mark.parametrize(
    "label", ["top speed", "seat won", "hours open", "year first held", "number of seats", "UFO sightings"]
)
def test_labels_that_stand_in_sentences_give_no_warning(warnings, label):
    _, found = warnings(("label: charter year", f"label: {label}"))
    assert "types.town.attributes.chartered.label" not in {warning.path for warning in found}
