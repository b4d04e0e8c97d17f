"""Shipped worlds as small as their tasks allow."""

from worldforge.schema.spec_loader import load_spec

SMALL = "scale=0.06"
FIT = {
    "academia": ("types.council.attributes.seat.capacity=9",),
    "automobiles": ("types.show.attributes.town.capacity=8", "relations.tested.per_source.low=6"),
    "culture": ("types.school.attributes.town.capacity=9",),
    "education": ("types.agency.attributes.seat.capacity=8", "relations.rated.per_source.low=2"),
    "electronics": ("scale=0.1",),
    "finance": ("scale=0.1",),
    "food": (
        "scale=0.1",
        "types.market.attributes.town.capacity=12",
    ),
    "games": ("relations.reviewed.per_source.low=8",),
    "government": ("scale=0.3",),
    "sports": (
        "scale=0.1",
        "tasks.groups.groups.members={low: 3, high: 9}",
    ),
    "transport": ("gates.page_share=1",),  # one page states all stops of so few lines
    "travel": ("scale=0.1", "relations.serves.per_source.low=2"),
}
"""By topic, settings without which the small world would be refused: capacities, rows a source, sizes of groups."""


def small(topic, *settings):
    """Load a shipped spec as small as it can be."""
    return load_spec(topic, [SMALL, *FIT.get(topic.partition("_")[0], ()), *settings])
