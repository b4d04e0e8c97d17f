"""Check sites: the currencies and formats that they write values in, and that page conflicts can be resolved."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.site_authority import authority_of

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
    varies = any(
        attribute.varies
        for table in [*draft.spec.types, *draft.spec.relations]
        for attribute in drawn_columns(draft.spec, table).values()
    )
    for name, site in sites.items():
        for key in ("outdated", "mistaken"):
            if getattr(site, key) and rule is None and not draft.is_broken(("web",)):
                message = f"pages of `{name}` would disagree with others, and nothing says who is right"
                yield Rejection(draft.at_key(("sites", name, key), message, _RULE))
        if site.outdated and not varies and not any(draft.broken):
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
