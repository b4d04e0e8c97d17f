"""Pages that disagree: that a rule settles it, that something could be out of date, that some site is right."""

from __future__ import annotations

from collections.abc import Iterator

from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.site_authority import authority_of

_RULE = "name the rule that settles it: `web: {settled_by: date}`, or `authority`, or `majority`"


def check_dissent(draft: PartialSpec) -> Iterator[Rejection]:
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
