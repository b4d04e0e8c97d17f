"""Names of universities, schools, museums, works of art and festivals."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.frames import ByLanguage, Frames, framed, words
from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_SUBJECTS = words(
    "Agriculture, Applied Arts, Architecture, Design, Education, Engineering, Forestry, Languages, Law, Maritime"
    " Studies, Medicine, Mining, Music, Science, Technology, Theatre, Veterinary Science"
)
_SUBJECTS_ZH = words(
    "师范 理工 农业 医科 海洋 财经 政法 外国语 艺术 体育 矿业 林业 工业 科技 传媒 建筑 音乐 交通 邮电 水利"
)
UNIVERSITIES: Forms = {
    "en": (
        "University of {}",
        "{} University",
        "{} State University",
        "{} Free University",
        "{} Metropolitan University",
        "Royal University of {}",
        *(f"{{}} {kind} of {subject}" for kind, subject in product(("University", "Institute", "Academy"), _SUBJECTS)),
    ),
    "zh": ("{}大学", *(f"{{}}{subject}{kind}" for subject, kind in product(_SUBJECTS_ZH, ("大学", "学院")))),
}
_KINDS = words("Grammar School, High School, Primary School, College, Academy, School")
_SITES = words("Abbey, Castle, Harbour, Hill, Lakeside, Meadow, Mill, North, Park, River, South, Station, West, Wood")
_KINDS_ZH = words("中学 小学 实验中学 实验小学 外国语学校 高级中学 职业学校")
_SITES_ZH = words("第一 第二 第三 第四 第五 第六 第七 第八 第九 第十 城东 城西 城南 城北 滨江 育才")
SCHOOLS: Forms = {
    "en": (*(f"{{}} {kind}" for kind in _KINDS), *(f"{{}} {site} {kind}" for site, kind in product(_SITES, _KINDS))),
    "zh": tuple(f"{{}}{site}{kind}" for site, kind in product(_SITES_ZH, _KINDS_ZH)),
}


def university(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name universities after their towns: `University of Velomar`, 鹭湾理工大学.

    There are 57 a town (41 in Chinese), then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, UNIVERSITIES)


def school(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name schools after their towns: `Velomar Lakeside Grammar School`, 鹭湾第二中学.

    There are 90 a town (112 in Chinese), then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, SCHOOLS)


_MATTERS = words(
    "Applied Arts, Aviation, Bells, Ceramics, Clocks, Costume, Ethnography, Fishing, Folklore, Geology, Glass, History,"
    " Instruments, Maps, Modern Art, Musical Boxes, Natural History, Navigation, Painting, Paper, Photography,"
    " Printing, Puppetry, Railways, Salt, Science, Sculpture, Steam, Textiles, Toys"
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
    "Apples Bathers Blacksmith Bridge Cardplayers Cows Fishermen Gleaners Horses Lemons Lighthouse Lovers Mirror"
    " Musicians Oysters Pears Pilgrims Reapers Sailors Shepherdess Skaters Snow Storm Sunflowers Swans Threshers Tulips"
    " Washerwomen Widow Windmill"
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


_THEMES = (
    "Autumn", "Book", "Bread", "Chess", "Choir", "Cider", "Film", "Fire", "Garden", "Harbour", "Harvest",
    "Jazz", "Kite", "Lantern", "Marble", "Mask", "Midsummer", "Mountain", "Organ", "Pottery", "Puppet",
    "Sail", "Silver", "Spring", "Theatre", "Wine", "Winter", "Wool",
)  # fmt: skip
_FESTIVAL_KINDS = ("Days", "Fair", "Festival", "Gathering", "Parade", "Week")
_THEMES_ZH = words(
    "荷花 牡丹 梅花 龙舟 风筝 灯笼 春茶 丰收 剪纸 皮影 陶瓷 书香 电影 戏曲 合唱 围棋 冰雪 渔歌 枫叶 丝绸 木偶 美食"
)
_FESTIVAL_KINDS_ZH = words("节 文化节 艺术节 庙会 博览会 嘉年华")
FESTIVALS: Forms = {
    "en": tuple(f"{{}} {theme} {kind}" for theme, kind in product(_THEMES, _FESTIVAL_KINDS)),
    "zh": tuple(f"{{}}{theme}{kind}" for theme, kind in product(_THEMES_ZH, _FESTIVAL_KINDS_ZH)),
}


def festival(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name festivals after their towns (one a row, one for all, or invented): `Velomar Kite Fair`. No two the same.

    A town with more festivals than there are forms has a founder's name added.
    """
    return after_town(stream, rows, town, culture, FESTIVALS)
