"""Check kinds of page: what they are about, state, copy and are written in, and the site that they stand on."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from typing import Any

from worldforge.core.columns import StatedColumn
from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.check_generators import check_parameters, find_code, parameters_of
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import all_drawn
from worldforge.schema.site_authority import authority_of
from worldforge.schema.web_section import PageKind
from worldforge.schema.yaml_tree import Path


def check_pages(draft: PartialSpec) -> Iterator[Rejection]:
    """Check every kind of page, and that no two sites share a host."""
    hosts: dict[str, str] = {}
    for name, site in draft.spec.sites.items():
        if site.host is not None and site.host in hosts:
            message = f"`{site.host}` is the host of `{hosts[site.host]}` already"
            yield Rejection(draft.at_value(("sites", name, "host"), message))
        elif site.host is not None:
            hosts[site.host] = name
    yield from check_conflicts(draft)
    for name, kind in draft.spec.pages.items():
        yield from _check_kind(draft, ("pages", name), kind)


def _check_kind(draft: PartialSpec, path: Path, kind: PageKind) -> Iterator[Rejection]:
    if ":" in kind.generator or kind.generator.startswith("pages."):
        yield from _check_generator(draft, path, kind)
    else:
        message = f"`{kind.generator}` makes no pages"
        yield Rejection(draft.at_value((*path, "generator"), message, "page generators are `pages.…`"), path)
    if kind.site is not None:
        excluded = draft.is_excluded(("sites", kind.site))
        yield from draft.check_known((*path, "site"), kind.site, draft.spec.sites, "site", excluded=excluded)
    yield from check_copies(draft, path, kind)
    if kind.about in draft.spec.types:
        yield from _check_states(draft, path, kind)
        if kind.by is not None:
            yield from draft.check_references((*path, "by"), kind.about, kind.by)
        return
    excluded = draft.may_have_table(kind.about)
    yield from draft.check_known(
        (*path, "about"), kind.about, draft.spec.types, "type", excluded=excluded, exclude=path
    )


def _check_generator(draft: PartialSpec, path: Path, kind: PageKind) -> Iterator[Rejection]:
    function, missing = find_code(draft, path, "generator", kind.generator)
    if function is None:
        yield from () if missing is None else (missing,)
        return
    try:
        known = parameters_of(function)
    except InputError as error:
        yield Rejection(draft.at_value((*path, "generator"), error.message, error.hint), path)
        return
    yield from check_written_language(draft, path, kind, function)
    yield from check_parameters(draft, path, kind.generator, kind.params, known)
    for name, parameter in known.items():
        if StatedColumn in (parameter.annotation, *typing.get_args(parameter.annotation)) and name in kind.params:
            yield from _check_column(draft, (*path, "params", name), kind, kind.params[name])


def _check_column(draft: PartialSpec, path: Path, kind: PageKind, column: object) -> Iterator[Rejection]:
    """Check that a parameter names a column which pages of the kind state."""
    if kind.about not in draft.spec.types or not isinstance(column, str) or draft.may_have_column(kind.about, column):
        return
    declared = [name for name in draft.declared_columns(kind.about) if name != "name"]
    stated = [name for name in declared if kind.states == "all" or name in kind.states]
    if column not in stated:
        message = f"`{column}` is no column that these pages state"
        hint = did_you_mean(column, stated) or "name one of their `states`"
        yield Rejection(draft.at_value(path, message, hint))


def _check_states(draft: PartialSpec, path: Path, kind: PageKind) -> Iterator[Rejection]:
    if kind.states == "all":
        return
    relations = [name for name, one in draft.spec.relations.items() if kind.about in (one.source, one.target)]
    known = [*draft.declared_columns(kind.about), *relations]
    for number, name in enumerate(kind.states):
        hidden = draft.may_have_column(kind.about, name) or draft.is_excluded(("relations", name))
        if name not in known and not hidden:
            message = f"`{kind.about}` has no attribute and no relation `{name}`"
            yield Rejection(draft.at_value((*path, "states", number), message, did_you_mean(name, known)), path)


_OF_THE_ORIGINAL = ("states", "completeness", "by", "page_size", "part_rows")
"""What an original says, its copy says after it."""


def check_copies(draft: PartialSpec, path: Path, kind: PageKind) -> Iterator[Rejection]:
    """Check a kind of page that copies another."""
    if kind.copies is None:
        return
    where = (*path, "copies")
    others = {name: one for name, one in draft.spec.pages.items() if one.copies is None}
    if kind.copies not in others:
        if kind.copies in draft.spec.pages:
            message, hint = f"`{kind.copies}` is a copy itself", "copies are of pages that were first written there"
            yield Rejection(draft.at_value(where, message, hint), path)
        excluded = draft.is_excluded(("pages", kind.copies))
        yield from draft.check_known(
            where, kind.copies, draft.spec.pages, "kind of page", excluded=excluded, exclude=path
        )
        return
    about = others[kind.copies].about
    if kind.about != about:
        message = f"`{kind.copies}` is about `{about}`, and so are its copies"
        yield Rejection(draft.at_value((*path, "about"), message, f"write `about: {about}`"), path)
    first = draft.spec.languages[0]
    said = others[kind.copies].language or first
    if (kind.language or first) != said:
        message = f"`{kind.copies}` is in `{said}`, and so are its copies"
        yield Rejection(draft.at_value((*path, "language"), message, f"write `language: {said}`"))
    for name in _OF_THE_ORIGINAL:
        if getattr(kind, name) != PageKind.model_fields[name].default:
            message = f"`{name}` does not go with `copies`: a copy says what its original says"
            yield Rejection(draft.at_key((*path, name), message), path)


def check_written_language(
    draft: PartialSpec, path: Path, kind: PageKind, generator: Callable[..., Any]
) -> Iterator[Rejection]:
    """Check that a kind's generator writes its language, where the generator's `Layout` says what it writes."""
    language = kind.language or draft.spec.languages[0]
    written = languages_of(generator)
    if written is not None and language not in written:
        hint = f"it writes {' and '.join(f'`{one}`' for one in written)}"
        message = f"`{kind.generator}` does not write `{language}`"
        yield Rejection(draft.at_value((*path, "generator"), message, hint))


def languages_of(generator: Callable[..., Any]) -> tuple[str, ...] | None:
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


def check_styles(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that currencies are words with a worth, the first worth one, and that sites name no other."""
    currencies = draft.spec.web.currencies
    for place, (name, worth) in enumerate(currencies.items()):
        path = ("web", "currencies", name)
        if not name.isalpha():
            message = f"`{name}` is no word that stands in a unit"
            yield Rejection(draft.at_key(path, message, "write it as units have it: `crowns` of `million crowns`"))
        if not _LEAST <= worth <= _MOST:
            message = f"`{name}` is worth {worth:g}, which is not above 0" if not worth > 0 else f"{worth:g} is no rate"
            hint = f"say how many {next(iter(currencies))} one is worth, from {_LEAST:g} to {_MOST:g}"
            yield Rejection(draft.at_value(path, message, hint))
        elif place == 0 and worth != 1:
            message = f"the first currency is what the others are counted in, and `{name}` is worth {worth:g}"
            yield Rejection(draft.at_value(path, message, f"write `{name}: 1`, or another currency first"))
    yield from _check_languages(draft)
    for name, site in draft.spec.sites.items():
        wanted = site.style.currency
        if wanted is not None and wanted not in currencies:
            message = f"unknown currency `{wanted}`"
            hint = did_you_mean(wanted, currencies) or "name it in the world's `web.currencies`, with its worth"
            yield Rejection(draft.at_value(("sites", name, "style", "currency"), message, hint))


def _check_languages(draft: PartialSpec) -> Iterator[Rejection]:
    """Check that the pages on a site can be in its style: no English months on Chinese ones, for one."""
    for name, site in draft.spec.sites.items():
        keys = [key for key, kind in draft.spec.pages.items() if kind.site == name]
        for field, value, other, hint in _OF_ONE_LANGUAGE:
            pages = [key for key in keys if (draft.spec.pages[key].language or draft.spec.languages[0]) == other]
            if pages and getattr(site.style, field) == value:
                message = f"`{value}` is not written in `{other}`, and `{pages[0]}` is"
                yield Rejection(draft.at_value(("sites", name, "style", field), message, hint))


_RULE = "name the rule that settles it: `web: {settled_by: date}`, or `authority`, or `majority`"


def check_conflicts(draft: PartialSpec) -> Iterator[Rejection]:
    """Check what the spec says of pages that are out of date or mistaken."""
    sites = {name: site for name, site in draft.spec.sites.items() if site.outdated or site.mistaken}
    rule = draft.spec.web.settled_by
    varies = any(attribute.varies for _, attribute in all_drawn(draft.spec))
    for name, site in sites.items():
        for key in ("outdated", "mistaken"):
            if getattr(site, key) and rule is None and not draft.is_excluded(("web",)):
                message = f"pages of `{name}` would disagree with others, and nothing says who is right"
                yield Rejection(draft.at_key(("sites", name, key), message, _RULE))
        if site.outdated and not varies and not any(draft.excluded):
            message = f"no page of `{name}` could be out of date: no column varies"
            yield Rejection(draft.at_key(("sites", name, "outdated"), message, "say of some attributes `varies: 0.05`"))
        if site.mistaken and rule is not None and not _could_be_settled(draft, name):
            message = f"no mistake on `{name}` could be settled by {rule}: it would hold none"
            hint = "some pages on another site have to be " + (
                "without mistakes" if rule == "date" else "of more authority"
            )
            yield Rejection(draft.at_key(("sites", name, "mistaken"), message, hint))


def _could_be_settled(draft: PartialSpec, name: str) -> bool:
    spec = draft.spec
    own = [key for key, kind in spec.pages.items() if kind.site == name]
    others = [key for key, kind in spec.pages.items() if kind.site != name]
    known = all(kind.site is None or kind.site in spec.sites for kind in spec.pages.values())
    if spec.web.settled_by == "majority" or not known or not own:
        return True
    if spec.web.settled_by == "date":
        sound = [spec.pages[key].site for key in others]
        return any(site is None or not spec.sites[site].mistaken for site in sound)
    return any(authority_of(spec, key) > authority_of(spec, own[0]) for key in others)
