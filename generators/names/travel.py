"""Names of hotels, stations, lines, airports and ships."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.frames import ByLanguage, Frames, framed, words
from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_SIGNS = words(
    "Anchor Arcade Belvedere Bellevue Castle Chandelier Cloister Compass Crescent Crown Garden Harbour Heron Lantern"
    " Lighthouse Meadow Mirador Orchard Palace Panorama Pavilion Promenade Sundial Terrace Viaduct Willow"
)
_HOUSES = words("Hotel, Inn, Lodge, Guesthouse, Suites")
_SIGNS_ZH = words("锦绣 望江 听涛 明珠 翠湖 银河 金桂 云顶 兰亭 悦来 瑞华 春晖 星辉 东篱 花园 海天 松月 聚贤 逸景 长虹")
_HOUSES_ZH = words("酒店 大酒店 宾馆 饭店 客栈 度假村")
HOTELS: Forms = {
    "en": (
        "Grand Hotel {}",
        "{} Grand",
        "Hotel {}",
        *(f"{{}} {sign} {house}" for sign, house in product(_SIGNS, _HOUSES)),
        *(f"The {sign} at {{}}" for sign in _SIGNS),
    ),
    "zh": tuple(f"{{}}{sign}{house}" for sign, house in product(_SIGNS_ZH, _HOUSES_ZH)),
}
_SPOTS = words(
    "Arsenal, Aqueduct, Canal, Castle, Central, Docks, East, Exhibition, Ferry, Gasworks, Hospital, Market, Mill Lane,"
    " Museum, North, Observatory, Old Gate, Park, Power Station, Quay, Racecourse, South, Stadium, Tower, Town Hall,"
    " University, Viaduct, West, Wharf, Zoo"
)
_SPOTS_ZH = words(
    "东 西 南 北 中心 老街 码头 大桥 公园 体育场 博物馆 大学城 市场 医院 工业园 会展中心 古城 湖滨 钟楼 天文台 动物园"
    " 植物园 渡口 电厂 新区 广场 文化宫 科技园 机场 港湾"
)
STATIONS: Forms = {
    "en": ("{}", *(f"{{}} {spot}" for spot in _SPOTS), *(f"{{}} {spot} Road" for spot in _SPOTS)),
    "zh": ("{}站", *(f"{{}}{spot}站" for spot in _SPOTS_ZH), *(f"{{}}{spot}路站" for spot in _SPOTS_ZH)),
}
AIRPORTS: Forms = {
    "en": (
        "{} Airport",
        "{} International Airport",
        "{} Regional Airport",
        *(
            f"{{}} {spot} {kind}"
            for spot, kind in product(
                words("City Coast Downs East Fields Heath Island Lake North Plain South Valley West"),
                words("Airport, Airfield, International Airport"),
            )
        ),
    ),
    "zh": (
        "{}机场",
        "{}国际机场",
        *(
            f"{{}}{spot}{kind}"
            for spot, kind in product(
                words("白鹭 云顶 龙门 双流河 清风 东郊 西郊 南苑 北湖 望海"), words("机场 国际机场")
            )
        ),
    ),
}
LINES: ByLanguage = {
    "en": Frames(
        ("{place} Line", "{place}–{place2} Line", "{place} Valley Line", "{place} Coast Line", "{family} Line"),
        again=("Old {}", "New {}", "{} North", "{} South"),
    ),
    "zh": Frames(
        ("{place}线", "{place}—{place2}线", "{place}快线", "{place}环线"), again=("新{}", "老{}", "{}北段", "{}南段")
    ),
}
_VESSELS = words(
    "Star Spirit Pride Queen Princess Venture Pearl Dawn Breeze Voyager Courage Horizon Grace Merchant Trader"
)
SHIPS: ByLanguage = {
    "en": Frames(
        ("MV {place} {vessel}", "SS {place}", "{place} {vessel}", "{given} {family}", "{region} {vessel}"),
        {"vessel": _VESSELS},
        ("{} II", "{} III", "{} IV"),
    ),
    "zh": Frames(
        ("{place}号", "{place}{vessel}号", "{region}{vessel}号"),
        {"vessel": words("之星 之光 明珠 女王 先锋 远航 晨曦 海风 勇士 商人 希望 荣光")},
        ("新{}", "大{}", "小{}"),
    ),
}


def hotel(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name hotels after their towns: `Velomar Lantern Inn`, 鹭湾望江酒店.

    There are 159 a town (120 in Chinese), then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, HOTELS)


def station(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name stations and stops after their towns: `Velomar Canal`, 鹭湾码头站.

    There are 61 a town, then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, STATIONS)


def airport(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name airports after their towns: `Velomar Heath Airport`, 鹭湾国际机场.

    There are 42 a town (22 in Chinese), then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, AIRPORTS)


def line(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name railway, tram and bus lines: `Velomar–Ostarvisa Line`, 鹭湾环线. Tens of thousands or more."""
    return framed(stream, rows, culture, LINES)


def ship(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name ships: `MV Velomar Star`, 鹭湾之星号. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, SHIPS)
