"""Names of universities and schools."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.frames import words
from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_SUBJECTS = words(
    "Agriculture, Applied Arts, Architecture, Design, Education, Engineering, Forestry, Languages,"
    " Law, Maritime Studies,"
    " Medicine, Mining, Music, Science, Technology, Theatre, Veterinary Science"
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
