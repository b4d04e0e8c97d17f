"""How sites write values: the currencies of the web, and those that sites name."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection

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
