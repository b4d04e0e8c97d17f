"""Names of rivers, mountains and lakes."""

from __future__ import annotations

from generators.names.frames import ByLanguage, Frames, framed
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_AGAIN = ("Upper {}", "Lower {}", "Little {}", "Great {}")
_AGAIN_ZH = ("小{}", "大{}", "东{}", "西{}")
RIVERS: ByLanguage = {
    "en": Frames(("River {place}", "{place} River", "{place} Brook", "{place} Water"), again=_AGAIN),
    "zh": Frames(("{place}河", "{place}江", "{place}溪"), again=_AGAIN_ZH),
}
MOUNTAINS: ByLanguage = {
    "en": Frames(("Mount {place}", "{place} Peak", "{place} Horn", "{family} Ridge", "{place} Fell"), again=_AGAIN),
    "zh": Frames(("{place}山", "{place}峰", "{place}岭"), again=_AGAIN_ZH),
}
LAKES: ByLanguage = {
    "en": Frames(("Lake {place}", "{place} Lake", "{place} Water", "{family} Lake", "{place} Lagoon"), again=_AGAIN),
    "zh": Frames(("{place}湖", "{place}池", "{place}泊"), again=_AGAIN_ZH),
}


def river(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name rivers: `River Velomar`, 鹭湾河. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, RIVERS)


def mountain(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name mountains: `Mount Velomar`, 鹭湾山. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, MOUNTAINS)


def lake(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name lakes: `Lake Velomar`, 鹭湾湖. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, LAKES)
