"""Names of festivals."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.frames import words
from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

THEMES = (
    "Autumn", "Book", "Bread", "Chess", "Choir", "Cider", "Film", "Fire", "Garden", "Harbour", "Harvest",
    "Jazz", "Kite", "Lantern", "Marble", "Mask", "Midsummer", "Mountain", "Organ", "Pottery", "Puppet",
    "Sail", "Silver", "Spring", "Theatre", "Wine", "Winter", "Wool",
)  # fmt: skip
KINDS = ("Days", "Fair", "Festival", "Gathering", "Parade", "Week")
THEMES_ZH = words(
    "荷花 牡丹 梅花 龙舟 风筝 灯笼 春茶 丰收 剪纸 皮影 陶瓷 书香 电影 戏曲 合唱 围棋 冰雪 渔歌 枫叶 丝绸 木偶 美食"
)
KINDS_ZH = words("节 文化节 艺术节 庙会 博览会 嘉年华")
FORMS: Forms = {
    "en": tuple(f"{{}} {theme} {kind}" for theme, kind in product(THEMES, KINDS)),
    "zh": tuple(f"{{}}{theme}{kind}" for theme, kind in product(THEMES_ZH, KINDS_ZH)),
}


def festival(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name festivals after their towns (one a row, one for all, or invented): `Velomar Kite Fair`. No two the same.

    A town with more festivals than there are forms has a founder's name added.
    """
    return after_town(stream, rows, town, culture, FORMS)
