"""Names of sports clubs."""

from __future__ import annotations

import pyarrow as pa

from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

FORMS: Forms = {"en": (
    "{} Academicals", "{} Albion", "{} Argonauts", "{} Athletic", "{} Casuals", "{} City",
    "{} Corinthians", "{} County", "{} Crusaders", "{} Harriers", "{} Mariners", "{} Olympic",
    "{} Orient", "{} Pilgrims", "{} Rangers", "{} Rovers", "{} Swifts", "{} Thistle", "{} Town",
    "{} Union", "{} United", "{} Victoria", "{} Wanderers", "AC {}", "Dynamo {}", "FC {}", "Fortuna {}",
    "Olympia {}", "Racing {}", "Sporting {}", "Unity {}",
), "zh": (
    "{}飞虎足球俱乐部", "{}海燕足球俱乐部", "{}联队", "{}竞技", "{}流浪者", "{}远征队", "{}水手", "{}学院",
    "{}钢城足球俱乐部", "{}青松足球俱乐部", "{}骑士", "{}奔马足球俱乐部", "{}雄鹿足球俱乐部", "{}星火足球俱乐部",
    "{}晨光足球俱乐部", "{}凤舞足球俱乐部", "{}铁路足球俱乐部", "{}矿工足球俱乐部", "{}灯塔足球俱乐部",
    "{}老城足球俱乐部",
)}  # fmt: skip


def club(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name clubs after their towns (one a row, one for all, or invented): `Velomar Rovers`. No two the same.

    A town with more clubs than there are forms has a founder's name added: `Velomar Barabesko Rovers`. In Chinese
    the town is called by its word alone: 安溪飞虎足球俱乐部.
    """
    return after_town(stream, rows, town, culture, FORMS)
