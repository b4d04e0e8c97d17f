"""A shop's listing: what it costs, how it is had, a table of what is told of it, offers and the like in tables."""

from __future__ import annotations

from typing import Annotated

from generators.pages.banks.shop_bank import SHOP
from generators.pages.english_starts import capitalised
from generators.pages.layout import dated, days_before, draw, draw_filled, section, under_heading
from worldforge.core.chance import Stream
from worldforge.core.columns import StatedColumn
from worldforge.core.errors import InputError
from worldforge.world.page_draft import Layout, PageColumn, PageDraft, Subjects
from worldforge.world.passages import Part, concat, fill

_LISTED_DAYS = 240


def shop(
    stream: Stream, subjects: Subjects, *, price: StatedColumn | None = None
) -> Annotated[PageDraft, Layout(path="/shop/{kind}/{name}", site="Shop")]:
    """Write a listing of each subject; `price` names the column that stands on top, before all others."""
    rows, bank = subjects.rows, SHOP[subjects.language]
    published = days_before(stream.child("published"), subjects, _LISTED_DAYS)
    others = [column for column in subjects.columns if column.key != price]
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        *_price(stream, subjects, price),
        draw_filled(stream.child("blurb"), rows, bank.blurbs, name=subjects.linked_names, plural=subjects.plural),
        "\n\n",
        draw(stream.child("way"), rows, bank.ways),
        "\n\n",
        *_specifications(stream, subjects, others),
        *[section(related) for related in subjects.relations],
        *_also(stream, subjects),
        draw(stream.child("service"), rows, bank.services),
        "\n\n",
        draw_filled(
            stream.child("footer"), rows, bank.footers, date=dated(published, subjects.language), site=subjects.site
        ),
        "\n",
    )
    return PageDraft(subjects.names.text, text, published)


def _price(stream: Stream, subjects: Subjects, key: str | None) -> list[Part]:
    """Write what the listing costs. Raises InputError where the pages do not state it."""
    if key is None:
        return []
    columns = {column.key: column for column in subjects.columns}
    if key not in columns:
        raise InputError(f"`price: {key}` is no column that the listing states", f"it states {', '.join(columns)}")
    prices, column = SHOP[subjects.language].prices, columns[key]
    said: dict[str, Part] = {"label": capitalised(column.label), "value": column.value}
    return [draw_filled(stream.child("price"), subjects.rows, prices, **said)]


def _specifications(stream: Stream, subjects: Subjects, columns: list[PageColumn]) -> list[Part]:
    """Write a table of columns under a heading; nothing where there is nothing to tell."""
    bank = SHOP[subjects.language]
    lines = [fill("| {label} | {value} |\n", label=capitalised(column.label), value=column.value) for column in columns]
    heading = draw(stream.child("head"), subjects.rows, bank.specifications)
    return under_heading(["## ", heading, f"\n\n| {bank.feature} | {bank.detail} |\n|:---|:---|\n"], lines)


def _also(stream: Stream, subjects: Subjects) -> list[Part]:
    """Link to what is like it; nothing where there is nothing."""
    links = [fill("- {link}\n", link=link) for link in subjects.elsewhere()]
    also = draw(stream.child("also"), subjects.rows, SHOP[subjects.language].also)
    return under_heading(["## ", also, "\n\n"], links)
