"""Check kinds of page, the sites that they stand on, and families of tasks, which these pages have to answer."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from typing import Any

from worldforge.core.columns import StatedColumn
from worldforge.core.errors import InputError
from worldforge.core.imports import is_own, shipped_families
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_generators import check_parameters, find_code, parameters_of
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_paths import all_drawn, names_of, references_of
from worldforge.schema.document import KeyPath
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import generator_kind, makes_addresses
from worldforge.schema.task_section import GROUPING, ROWS, TaskFamily
from worldforge.schema.web_section import OWN_SITE, PageKind, authority_of, has_conflicting_pages


def check_pages(checker: Checker) -> None:
    """Check every kind of page, and that no two sites share a host."""
    hosts: dict[str, str] = {}
    for name, site in checker.spec.sites.items():
        if site.host is not None and hosts.setdefault(site.host, name) != name:
            checker.reject(("sites", name, "host"), f"`{site.host}` is the host of `{hosts[site.host]}` already")
    _check_conflicts(checker)
    for name, kind in checker.spec.pages.items():
        path: KeyPath = ("pages", name)
        _check_generator(checker, path, kind)
        if kind.site is not None:
            checker.is_known((*path, "site"), kind.site, "sites")
        _check_copies(checker, path, kind)
        _check_archives(checker, path, kind)
        if checker.is_known((*path, "about"), kind.about, breaks=path):
            _check_states(checker, path, kind)
            _check_rows(checker, path, kind)
            _check_address(checker, path, kind)
            if kind.by is not None:
                checker.check_references((*path, "by"), kind.about, kind.by)


def _check_generator(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    where = (*path, "generator")
    if ":" not in kind.generator and not kind.generator.startswith("pages."):
        checker.reject(where, f"`{kind.generator}` makes no pages", "page generators are `pages.…`", path)
        return
    function = find_code(checker, path, "generator", kind.generator)
    if function is None:
        return
    try:
        known = parameters_of(function)
    except InputError as error:
        checker.reject_error(where, error, path)
        return
    language, written = kind.language or checker.spec.languages[0], _languages_of(function)
    if written is not None and language not in written:
        hint = f"it writes {' and '.join(f'`{one}`' for one in written)}"
        checker.reject(where, f"`{kind.generator}` does not write `{language}`", hint)
    check_parameters(checker, path, kind.generator, kind.params, known)
    for name, parameter in known.items():
        if StatedColumn in (parameter.annotation, *typing.get_args(parameter.annotation)) and name in kind.params:
            _check_column(checker, (*path, "params", name), kind, kind.params[name])


def _check_column(checker: Checker, path: KeyPath, kind: PageKind, column: object) -> None:
    """Check that a parameter names a column which pages of the kind state."""
    if kind.about not in checker.spec.types or not isinstance(column, str) or checker.hides(kind.about, column):
        return
    declared = [name for name in checker.declared_columns(kind.about) if name != "name"]
    stated = [name for name in declared if kind.states == "all" or name in kind.states]
    if column not in stated:
        hint = did_you_mean(column, stated) or "name one of their `states`"
        checker.reject(path, f"`{column}` is no column that these pages state", hint)


def _check_states(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    relations = [name for name, one in checker.spec.relations.items() if kind.about in (one.source, one.target)]
    known = [*checker.declared_columns(kind.about), *relations]
    for number, name in enumerate(kind.states if kind.states != "all" else ()):
        if name not in known and not checker.hides(kind.about, name) and not checker.is_broken(("relations", name)):
            message = f"`{kind.about}` has no attribute and no relation `{name}`"
            checker.reject((*path, "states", number), message, did_you_mean(name, known), path)


def _check_address(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    """Check that `address` names a column of addresses, and that pages are on hosts of their own, one an entity."""
    if kind.address is None:
        return
    spec = checker.spec
    drawn = spec.types[kind.about].attributes.get(kind.address)
    if drawn is None or drawn.generator is None or not _makes_addresses(checker, drawn.generator):
        known = [key for key, one in spec.types[kind.about].attributes.items() if one.generator == _WEBSITE]
        hint = did_you_mean(kind.address, known) or f"draw the column by `{_WEBSITE}`"
        checker.reject((*path, "address"), f"`{kind.address}` is no column of addresses of `{kind.about}`", hint)
    if kind.generator != _OWN_SITE or kind.site is not None:
        hint = f"`address` is for pages of `{_OWN_SITE}` without a `site`"
        checker.reject((*path, "address"), "these pages stand on no host of their own", hint)
    for name in ("share", "unless"):
        if getattr(kind, name) != PageKind.model_fields[name].default:
            message = f"`{name}` does not go with `address`: who has an address has such a page"
            checker.reject((*path, name), message, "let the column have some `missing`", key=True)


def _makes_addresses(checker: Checker, generator: str) -> bool:
    try:
        return makes_addresses(generator, checker.code_from)
    except InputError:
        return True  # there is no such generator: that is said elsewhere


_WEBSITE, _OWN_SITE = "values.website", "pages.official"
_NOT_WITH_ROWS = ("states", "completeness", "by", "part_rows", "unless", "copies", "archives")


def _check_rows(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    """Check that pages about rows of a relation are filed under one of its ends."""
    if kind.rows is None or not checker.is_known((*path, "rows"), kind.rows, "relations", breaks=path):
        return
    relation = checker.spec.relations[kind.rows]
    if kind.about not in (relation.source, relation.target):
        message = f"`{kind.rows}` relates `{relation.source}` to `{relation.target}`, not `{kind.about}`"
        checker.reject((*path, "about"), message, f"write `about: {relation.source}`", path)
    for name in _NOT_WITH_ROWS:
        if getattr(kind, name) != PageKind.model_fields[name].default:
            message = f"`{name}` does not go with `rows`: such a page tells of one row, all that it has"
            checker.reject((*path, name), message, "", path, key=True)


_OF_THE_ORIGINAL = ("states", "completeness", "by", "page_size", "part_rows")
"""What an original says, its copy says after it."""


def _check_copies(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    """Check a kind of page that copies another."""
    if kind.copies is None or not checker.is_known((*path, "copies"), kind.copies, "pages", breaks=path):
        return
    original, first = checker.spec.pages[kind.copies], checker.spec.languages[0]
    if original.copies is not None:
        message, hint = f"`{kind.copies}` is a copy itself", "copies are of pages that were first written there"
        checker.reject((*path, "copies"), message, hint, path)
        return
    if kind.about != original.about:
        message = f"`{kind.copies}` is about `{original.about}`, and so are its copies"
        checker.reject((*path, "about"), message, f"write `about: {original.about}`", path)
    if (kind.language or first) != (language := original.language or first):
        message = f"`{kind.copies}` is in `{language}`, and so are its copies"
        checker.reject((*path, "language"), message, f"write `language: {language}`")
    for name in _OF_THE_ORIGINAL:
        if getattr(kind, name) != PageKind.model_fields[name].default:
            message = f"`{name}` does not go with `copies`: a copy says what its original says"
            checker.reject((*path, name), message, "", path, key=True)


def _check_archives(checker: Checker, path: KeyPath, kind: PageKind) -> None:
    """Check a kind of archived copies: of pages about entities, on another site, under a rule that settles them."""
    if kind.archives is None or not checker.is_known((*path, "archives"), kind.archives, "pages", breaks=path):
        return
    original, where = checker.spec.pages[kind.archives], (*path, "archives")
    if original.copies is not None or original.archives is not None:
        checker.reject(where, f"`{kind.archives}` is a copy itself", "archived are pages that are a site's own", path)
    elif kind.about != original.about:
        message = f"`{kind.archives}` is about `{original.about}`, and so are its archived copies"
        checker.reject((*path, "about"), message, f"write `about: {original.about}`", path)
    elif original.rows is not None:
        checker.reject(where, f"`{kind.archives}` is about rows, which never were otherwise", "archive another", path)
    elif kind.site == original.site:
        checker.reject(where, "archived copies stand on another site", "give the archive a site of its own", path)
    if checker.spec.web.settled_by is None and not checker.is_broken(("web",)):
        checker.reject(where, "archived pages would disagree with others, and nothing says who is right", _RULE)


def _languages_of(generator: Callable[..., Any]) -> tuple[str, ...] | None:
    """Read off a page generator's annotation what it writes; None where that cannot be read."""
    try:
        returned = typing.get_type_hints(generator, include_extras=True).get("return")
    except (NameError, TypeError):
        return None
    notes = getattr(returned, "__metadata__", ())
    found: tuple[str, ...] | None = next((note.languages for note in notes if hasattr(note, "languages")), None)
    return found


_LEAST, _MOST = 1e-6, 1e9
_OF_ONE_LANGUAGE = (
    ("dates", "month day, year", "zh", "Chinese pages write 2024年6月18日 if nothing else is asked, or `iso`"),
    ("numbers", "myriads", "en", "万 and 亿 are for sites whose pages are all in Chinese"),
)
"""What a style may say that one language cannot: the field, its value, that language, what to do."""


def check_styles(checker: Checker) -> None:
    """Check that currencies are words with a worth, the first worth one, and that sites can keep their style."""
    spec, currencies = checker.spec, checker.spec.web.currencies
    for place, (name, worth) in enumerate(currencies.items()):
        path: KeyPath = ("web", "currencies", name)
        if not name.isalpha():
            hint = "write it as units have it: `crowns` of `million crowns`"
            checker.reject(path, f"`{name}` is no word that stands in a unit", hint, key=True)
        if not _LEAST <= worth <= _MOST:
            message = f"`{name}` is worth {worth:g}, which is not above 0" if not worth > 0 else f"{worth:g} is no rate"
            hint = f"say how many {next(iter(currencies))} one is worth, from {_LEAST:g} to {_MOST:g}"
            checker.reject(path, message, hint)
        elif place == 0 and worth != 1:
            message = f"the first currency is what the others are counted in, and `{name}` is worth {worth:g}"
            checker.reject(path, message, f"write `{name}: 1`, or another currency first")
    for name, site in spec.sites.items():
        for field, value, other, hint in _OF_ONE_LANGUAGE:
            kinds = [(key, kind) for key, kind in spec.pages.items() if kind.site == name]
            pages = [key for key, kind in kinds if (kind.language or spec.languages[0]) == other]
            if pages and getattr(site.style, field) == value:
                message = f"`{value}` is not written in `{other}`, and `{pages[0]}` is"
                checker.reject(("sites", name, "style", field), message, hint)
        wanted = site.style.currency
        if wanted is not None and wanted not in currencies:
            hint = did_you_mean(wanted, currencies) or "name it in the world's `web.currencies`, with its worth"
            checker.reject(("sites", name, "style", "currency"), f"unknown currency `{wanted}`", hint)


_RULE = "name the rule that settles it: `web: {settled_by: date}`, or `authority`, or `majority`"


def _check_conflicts(checker: Checker) -> None:
    """Check what the spec says of pages that are out of date or mistaken."""
    rule = checker.spec.web.settled_by
    if OWN_SITE in checker.spec.sites:
        message = f"`{OWN_SITE}` stands for the site that an entity has itself"
        checker.reject(("sites", OWN_SITE), message, "give the site another name", key=True)
    varies = any(attribute.varies for _, attribute in all_drawn(checker.spec))
    for name, site in checker.spec.sites.items():
        for key in ("outdated", "mistaken"):
            if getattr(site, key) and rule is None and not checker.is_broken(("web",)):
                message = f"pages of `{name}` would disagree with others, and nothing says who is right"
                checker.reject(("sites", name, key), message, _RULE, key=True)
        if site.outdated and not varies and not checker.broken:
            message = f"no page of `{name}` could be out of date: no column varies"
            checker.reject(("sites", name, "outdated"), message, "say of some attributes `varies: 0.05`", key=True)
        if site.mistaken and rule is not None and not _could_be_settled(checker, name):
            message = f"no mistake on `{name}` could be settled by {rule}: it would hold none"
            needed = "without mistakes" if rule == "date" else "of more authority"
            hint = f"some pages on another site have to be {needed}"
            checker.reject(("sites", name, "mistaken"), message, hint, key=True)


def _could_be_settled(checker: Checker, name: str) -> bool:
    spec = checker.spec
    own = [key for key, kind in spec.pages.items() if kind.site == name]
    others = [key for key, kind in spec.pages.items() if kind.site != name]
    known = all(kind.site is None or kind.site in spec.sites for kind in spec.pages.values())
    if spec.web.settled_by == "majority" or not known or not own:
        return True
    if spec.web.settled_by == "date":
        sites = [spec.pages[key].site for key in others]
        return any(site is None or not spec.sites[site].mistaken for site in sites)
    return any(authority_of(spec, key) > authority_of(spec, own[0]) for key in others)


_Obstacle = tuple[KeyPath, str, str]
"""Why a type cannot be asked about: the path of the value at fault, the message, the hint."""


def check_tasks(checker: Checker) -> None:
    """Check every task family against the types it asks about and the pages about them."""
    for name, family in checker.spec.tasks.items():
        path: KeyPath = ("tasks", name)
        if is_own(family.family):
            if find_code(checker, path, "family", family.family) is not None:
                _check_family(checker, path, family)
        elif family.family in shipped_families():
            _check_family(checker, path, family)
        else:
            hint = did_you_mean(family.family, shipped_families()) or f"write one of {', '.join(shipped_families())}"
            checker.reject((*path, "family"), f"unknown task family `{family.family}`", hint, path)
    by = checker.spec.split.by if checker.spec.split is not None else None
    if by is not None and checker.is_known(("split", "by"), by) and checker.spec.n_entities(by) < 2:
        message = f"there is one of `{by}`: nothing to split"
        checker.reject(("split", "by"), message, "split by a type of more entities")


def stated_columns(spec: WorldSpec, type_name: str) -> list[str]:
    """List the columns of a type that some page about it may state, the name left out, in the spec's order."""
    kinds = [kind for kind in spec.pages.values() if kind.about == type_name and kind.completeness and kind.share]
    kinds = [kind for kind in kinds if kind.copies is None and kind.rows is None]
    columns = names_of(spec, type_name)[1:]
    return [column for column in columns if any(kind.states == "all" or column in kind.states for kind in kinds)]


def _check_family(checker: Checker, path: KeyPath, family: TaskFamily) -> None:
    """Check each type that the family names; with `about: all` one type that fits is enough."""
    uncertain = {  # whose broken parts might make them answerable
        name
        for name in checker.spec.types
        if any(broken[0] == "pages" or broken[:2] == ("types", name) for broken in checker.broken)
    }
    _check_columns(checker, path, family, uncertain)
    if family.about == "all":
        doubts = [next(_obstacles(checker, path, name, family), None) for name in checker.spec.types]
        if doubts[0] is not None and all(doubts) and not uncertain:
            where, message, hint = doubts[0]
            checker.reject(where or path, message, hint, key=not where)
        return
    for number, name in enumerate(family.about):
        if checker.is_known((*path, "about", number), name) and name not in uncertain:
            for where, message, hint in _obstacles(checker, path, name, family):
                checker.reject(where or (*path, "about", number), message, hint)
                break


def _check_columns(checker: Checker, path: KeyPath, family: TaskFamily, uncertain: set[str]) -> None:
    """Check that columns that a family names, of groups or of answers, are stated of some type that is asked about."""
    types = [name for name in checker.spec.types if family.about == "all" or name in family.about]
    if not types or uncertain.intersection(types):
        return
    stated = [(name, column) for name in types for column in stated_columns(checker.spec, name)]
    fits = {
        "by": {column for name, column in stated if _may_group(checker, name, column)},
        "of": {column for name, column in stated if column not in references_of(checker.spec, name)},
    }
    for key, wanted in (("by", "a reference or a text"), ("of", "values")):
        for number, column in enumerate(getattr(family.groups, key) or ()):
            if column not in fits[key]:
                message = f"pages about what is asked about state no column `{column}` of {wanted}"
                checker.reject((*path, "groups", key, number), message, did_you_mean(column, sorted(fits[key])))
    known = sorted({column for _, column in stated})
    for number, column in enumerate(family.include):
        if column not in known:
            message = f"pages about what is asked about state no column `{column}`"
            checker.reject((*path, "include", number), message, did_you_mean(column, known))


def _obstacles(checker: Checker, path: KeyPath, type_name: str, family: TaskFamily) -> Iterator[_Obstacle]:
    """Yield why no task of the family can be asked about a type; an empty path stands for the name of the type."""
    stated, count = stated_columns(checker.spec, type_name), checker.spec.n_entities(type_name)
    if not stated:
        message = f"no page states anything about `{type_name}`: no task about it could be answered"
        yield (), message, "add a kind of page about it under `pages`"
    if family.columns.low > len(stated) + 1:
        message = f"pages state {len(stated) + 1} columns of `{type_name}`, its name included: too few to ask for"
        yield (*path, "columns", "low"), message, f"let it be {len(stated) + 1} at most"
    if family.least_rows > count:
        message = f"there are {count} of `{type_name}`: too few to ask for {family.least_rows} rows"
        part, most = ("rows", count) if family.cells is None else ("cells", count * family.columns.high)
        yield (*path, part, "low"), message, f"let it be {most} at most"
    if lacking := _missing_tables(checker, type_name, family):
        yield (), lacking, "ask of another type, or of a family that needs no other tables, such as `filter`"
    if family.family == "aggregate" and (wanted := family.groups.members.low) > count:
        message = f"there are {count} of `{type_name}`: too few to put {wanted} into groups"
        yield (*path, "groups", "members", "low"), message, f"let it be {count} at most"
    references = references_of(checker.spec, type_name)
    further = sum(len(references_of(checker.spec, references[one])) for one in stated if one in references)
    if family.conditions.low > (most := len(stated) + further):
        message = f"pages about `{type_name}` carry {most} conditions at most"
        yield (*path, "conditions", "low"), message, f"let it be {most} at most"


def _missing_tables(checker: Checker, type_name: str, family: TaskFamily) -> str:
    """Say what a family needs of a type that it does not have: rows that refer to it, or references of its own."""
    spec = checker.spec
    if family.family == "described" and not references_of(spec, type_name):
        return f"`{type_name}` refers to nothing: there is no entity to describe"
    if family.family == "by_site" and not has_conflicting_pages(spec):
        return "no site has pages that are outdated or mistaken: two sites never give different figures"
    columns = stated_columns(spec, type_name)
    referred = [references_of(spec, type_name).get(one, type_name) for one in columns]
    if family.family == "joined_lists" and all(one == type_name for one in referred):
        return f"pages state no reference of `{type_name}` to another type: there is no list to join it with"
    if family.family in GROUPING and not any(_may_group(checker, type_name, one) for one in columns):
        return f"pages state neither a reference nor a text of `{type_name}`: there is nothing to group by"
    tables = (*spec.types, *spec.relations)
    if family.family in ROWS and not any(one.source == type_name for one in spec.relations.values()):
        return f"no relation begins at `{type_name}`: there are no rows to ask for"
    if family.family == "join" and not any(type_name in references_of(spec, table).values() for table in tables):
        return f"nothing refers to `{type_name}`: there is no other table to ask about"
    return ""


def _may_group(checker: Checker, type_name: str, column: str) -> bool:
    """Say whether entities of a type may be grouped by a column: a reference, or what may be a text."""
    kind = checker.spec.types[type_name]
    if column in kind.derived:
        return kind.derived[column].kind in ("text", None)
    drawn = kind.attributes.get(column)
    if drawn is None or drawn.generator is None:
        return column in references_of(checker.spec, type_name)
    try:
        return generator_kind(drawn.generator, checker.code_from) == "text"
    except InputError:
        return True  # there is none: that is said elsewhere
