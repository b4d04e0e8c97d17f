"""Names of companies, venues, works and libraries: patterns of `tables/` with rules of their own."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

import pyarrow as pa

from generators.names.cultures import culture_of
from generators.names.frames import distinct_names, framed_by, frames_of, kinds_of, read_table, words
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

Form = Literal["film", "series", "book", "song", "album", "game"]


def company(stream: Stream, rows: Rows, *, trade: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Draw names of companies by their trade: `Velomar Cloud Ltd`, 安溪恒通物流有限公司.

    The trade is one for all rows, one a row, or any. Raises InputError for an unknown trade.
    """
    frames, trades = frames_of("organisations.company"), kinds_of("organisations.trades")
    return framed_by(stream, rows, culture, frames, trades, trade, "trade")


def organisation(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Draw names of companies from a family name and a trade: `Barabesko Shipping Ltd`. There are millions of them."""
    if culture_of(culture).language == "zh":
        return company(stream, rows, culture=culture)
    from faker.providers.company import Provider  # a fifth of a second, and hardly a world names organisations

    trades = pa.array(words(read_table("organisations.organisation_trades")))
    endings = pa.array(sorted(set(Provider.company_suffixes)))
    return distinct_names(stream, rows, [vocabulary(culture, "family"), trades, endings])


def venue(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Draw names of venues: `Barabesko Park`, 安溪大剧院."""
    chosen = culture_of(culture)
    table = read_table(f"sport.venue.{chosen.language}")
    after = vocabulary(culture, "place" if chosen.language == "zh" else "family")
    return distinct_names(stream, rows, [after, pa.array(words(table["kind"]))], table["again"], space=chosen.space)


def title(
    stream: Stream, rows: Rows, *, form: Form = "film", genre: pa.Array | str | None = None, culture: str = "sarnese"
) -> Texts:
    """Draw titles of films, series, books, songs, albums or games: `The Locked Manuscript of Velomar`, 鹭湾的手稿.

    The words are the genre's (one for all rows, one a row, or any that suits the form), which may be called in Chinese.
    Raises InputError for an unknown form or genre.
    """
    if form not in get_args(Form):
        raise InputError(f"unknown form `{form}`", f"choose among {', '.join(get_args(Form))}")
    genres = kinds_of("creative_works.genres")
    if genre is None:
        musical = words(read_table("creative_works.musical_genres"))
        known = {name: pools for name, pools in genres.items() if (name in musical) == (form in ("song", "album"))}
    else:
        chinese = read_table("creative_works.genres_in_chinese")
        known = {**genres, **{name: genres[english] for name, english in chinese.items()}}
    return framed_by(stream, rows, culture, frames_of(f"creative_works.titles.{form}"), known, genre, "genre")


def library(stream: Stream, rows: Rows) -> Texts:
    """Draw names of programming libraries, in every culture alike: `veltofetch-json`."""
    return distinct_names(stream, rows, list(_library_words()), read_table("products.library.again"), space="-")


@lru_cache
def _library_words() -> tuple[pa.Array, pa.Array]:
    stems, parts = (words(read_table(f"products.library.{name}")) for name in ("stem", "part"))
    return pa.array([f"{stem}{part}" for stem in stems for part in parts]), pa.array(parts)
