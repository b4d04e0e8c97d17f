"""Check kinds of page: what they are about, state, copy and are written in, and the site that they stand on."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

from worldforge.core.columns import StatedColumn
from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_generators import check_parameters, find_code, parameters_of
from worldforge.schema.checks.checker import Checker
from worldforge.schema.column_paths import all_drawn
from worldforge.schema.document import KeyPath
from worldforge.schema.site_authority import authority_of
from worldforge.schema.web_section import PageKind


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
