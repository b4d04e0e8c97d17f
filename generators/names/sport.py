"""Names of teams, clubs, tournaments and venues."""

from __future__ import annotations

import pyarrow as pa

from generators.names.cultures import culture_of
from generators.names.frames import ByLanguage, Frames, distinct_names, framed, words
from generators.names.invented_words import vocabulary
from generators.names.places import Forms, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_SIDES = words(
    "Badgers Barons Bisons Blacksmiths Captains Comets Condors Cormorants Cyclones Falcons Ferrets Foxes Geysers"
    " Griffins Herons Hornets Ibexes Jackals Kestrels Lynxes Mammoths Meteors Millers Monarchs Mustangs Navigators"
    " Orcas Otters Owls Pelicans Quarrymen Ravens Sentinels Sharks Stags Stallions Stingrays Tempests Vipers Wolverines"
)
_SIDES_ZH = words(
    "飞鹰 雄狮 猛虎 海豚 骏马 雷霆 旋风 火箭 闪电 金牛 黑熊 银狐 白鲨 战斧 骑兵 巨人 彗星 流星 领航者 守卫者 猎豹 苍狼"
    " 大雁 海盗 钢铁 火山 冰川 独角兽 角斗士 先锋"
)
TEAMS: Forms = {"en": tuple(f"{{}} {side}" for side in _SIDES), "zh": tuple(f"{{}}{side}队" for side in _SIDES_ZH)}
_GAMES = words(
    "Archery Badminton Bowls Chess Cricket Croquet Curling Cycling Fencing Football Golf Handball Hockey Judo Netball"
    " Orienteering Polo Regatta Rowing Rugby Sailing Skating Skiing Snooker Squash Swimming Tennis Volleyball"
)
_CUPS = words("Cup, Open, Championship, Trophy, Classic, Masters, Shield, Grand Prix, Invitational")
TOURNAMENTS: ByLanguage = {
    "en": Frames(
        ("{place} {cup}", "{family} {cup}", "{region} {game} {cup}", "{place} {game} {cup}", "{family} Memorial {cup}"),
        {"game": _GAMES, "cup": _CUPS},
        ("Winter {}", "Junior {}", "{} of Champions", "{} for Pairs"),
    ),
    "zh": Frames(
        ("{place}{cup}", "{region}{game}{cup}", "{place}{game}{cup}"),
        {
            "game": words(
                "射箭 羽毛球 象棋 围棋 击剑 足球 篮球 排球 乒乓球 自行车 赛艇 帆船 滑冰 滑雪 游泳 网球 马拉松 龙舟 武术"
            ),
            "cup": words("杯 公开赛 锦标赛 大师赛 邀请赛 大奖赛 联赛"),
        },
        ("冬季{}", "青年{}", "国际{}"),
    ),
}


def team(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name teams after their towns: `Velomar Herons`, 鹭湾飞鹰队.

    There are 40 a town (30 in Chinese), then a founder's name is added; no two the same.
    """
    return after_town(stream, rows, town, culture, TEAMS)


def tournament(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name tournaments: `Velomar Rowing Trophy`, 鹭湾围棋公开赛. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, TOURNAMENTS)


CLUBS: Forms = {"en": (
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
    return after_town(stream, rows, town, culture, CLUBS)


VENUES = {
    "en": pa.array([
        "Arena", "Bowl", "Common", "Court", "Dome", "Field", "Garden", "Gate", "Ground", "Lane", "Meadow",
        "Oval", "Park", "Place", "Road", "Row", "Stadium", "Terrace",
    ]),
    "zh": pa.array(words("体育场 体育馆 体育中心 剧场 大剧院 音乐厅 会堂 公园 广场 文化宫 游泳馆 球场 会展中心")),
}  # fmt: skip
VENUES_AGAIN = {
    "en": ("Old {}", "New {}", "Great {}", "Little {}", "North {}", "South {}", "East {}", "West {}"),
    "zh": ("老{}", "大{}", "小{}", "东{}", "西{}", "南{}", "北{}"),
}


def venue(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name venues: `Barabesko Park`, 安溪大剧院. Tens of thousands or more, no two the same."""
    chosen = culture_of(culture)
    after = vocabulary(culture, "place" if chosen.language == "zh" else "family")
    return distinct_names(
        stream, rows, [after, VENUES[chosen.language]], VENUES_AGAIN[chosen.language], space=chosen.space
    )
