"""Names of museums and of what hangs in them."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.frames import ByLanguage, Frames, framed, words
from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_MATTERS = words(
    "Applied Arts, Aviation, Bells, Ceramics, Clocks, Costume, Ethnography, Fishing, Folklore, Geology, Glass, History,"
    " Instruments, Maps, Modern Art, Musical Boxes, Natural History, Navigation, Painting, Paper,"
    " Photography, Printing,"
    " Puppetry, Railways, Salt, Science, Sculpture, Steam, Textiles, Toys"
)
_MATTERS_ZH = words(
    "历史 自然 美术 科技 民俗 陶瓷 钟表 服饰 渔业 地质 玻璃 乐器 地图 铁路 盐业 造纸 摄影 印刷 木偶"
    " 丝绸 玩具 航海 茶叶 兵器 钱币"
)
MUSEUMS: Forms = {
    "en": (
        *(f"{{}} Museum of {matter}" for matter in _MATTERS),
        *(f"{{}} {kind}" for kind in ("City Museum", "Gallery", "State Museum", "Art House", "Open-Air Museum")),
        *(f"{kind} of {matter} in {{}}" for kind, matter in product(("Collection", "Gallery"), _MATTERS)),
    ),
    "zh": tuple(f"{{}}{matter}{kind}" for matter, kind in product(_MATTERS_ZH, ("博物馆", "陈列馆", "馆"))),
}
_SHOWN = words(
    "Apples Bathers Blacksmith Bridge Cardplayers Cows Fishermen Gleaners Horses Lemons Lighthouse"
    " Lovers Mirror Musicians"
    " Oysters Pears Pilgrims Reapers Sailors Shepherdess Skaters Snow Storm Sunflowers Swans"
    " Threshers Tulips Washerwomen"
    " Widow Windmill"
)
_LIGHTS = words(
    "at Dawn, at Dusk, at Noon, by Candlelight, by the River, in Autumn, in Blue, in Rain, in Spring, under Snow"
)
ARTWORKS: ByLanguage = {
    "en": Frames(
        (
            "Portrait of {given} {family}",
            "View of {place} {light}",
            "{shown} near {place}",
            "The {shown} of {place} {light}",
            "{given} with {shown}",
            "Still Life from {place} with {shown}",
        ),
        {"shown": _SHOWN, "light": _LIGHTS},
        ("{} (second version)", "{} (third version)", "{} (study)"),
    ),
    "zh": Frames(
        ("{family}{given}像", "{place}{light}图", "{place}{shown}图", "{shown}与{given}", "{place}{light}{shown}"),
        {
            "shown": words(
                "牧牛 渔舟 寒梅 双鹤 归雁 秋荷 墨竹 樵夫 浣女 行旅 对弈 抚琴 奔马 石桥 茅屋 瀑布 钓叟 雪松 童戏 花鸟"
            ),
            "light": words("春晓 晚照 秋色 雪霁 烟雨 月夜 晴岚 暮雪 清晨 夕照"),
        },
        ("{}（其二）", "{}（其三）", "{}（稿本）"),
    ),
}


def museum(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name museums after their towns: `Velomar Museum of Clocks`, 鹭湾民俗博物馆.

    There are 95 a town (75 in Chinese), then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, MUSEUMS)


def artwork(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name works of art: `View of Velomar at Dusk`, 鹭湾烟雨图. Hundreds of thousands or more, no two the same."""
    return framed(stream, rows, culture, ARTWORKS)
