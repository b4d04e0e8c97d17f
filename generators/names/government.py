"""Names of what a state has: parties, ministries, districts, constituencies."""

from __future__ import annotations

from itertools import product

import pyarrow as pa

from generators.names.frames import words
from generators.names.places import Forms, after_region, after_town
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_IDEAS = words(
    "Agrarian Centre Citizens' Civic Conservative Constitutional Cooperative Democratic Farmers' Federal Green Heritage"
    " Independent Labour Liberal Maritime Moderate National Northern People's Pirate Progressive Radical Reform"
    " Republican Rural Social Unity Workers'"
)
_BODIES = words("Party, Union, Alliance, Movement, League, Front, Bloc, Coalition")
_IDEAS_ZH = words(
    "民主 进步 自由 劳动 农民 公民 绿色 社会 宪政 统一 改革 保守 共和 联邦 中间 渔民 青年 革新 人民 正义 和平 乡土"
)
_BODIES_ZH = words("党 联盟 阵线 同盟 运动")
PARTIES: Forms = {
    "en": (
        *(f"{idea} {body} of {{}}" for idea, body in product(_IDEAS, _BODIES)),
        *(f"{{}} {idea} {body}" for idea, body in product(_IDEAS, _BODIES)),
    ),
    "zh": tuple(f"{{}}{idea}{body}" for idea, body in product(_IDEAS_ZH, _BODIES_ZH)),
}
_TASKS = words(
    "Agriculture, Archives, Aviation, Commerce, Communications, Culture, Customs, Defence, Education, Employment,"
    " Energy, Environment, Finance, Fisheries, Food, Foreign Affairs, Forests, Harbours, Health, Heritage, Housing,"
    " Industry, Infrastructure, Justice, Labour, Land, Local Government, Mines, Planning, Pensions, Public Works,"
    " Railways, Research, Science, Shipping, Sport, Statistics, Tourism, Trade, Transport, Veterans, Water, Weather,"
    " Welfare, Youth, the Budget, the Coast, the Interior"
)
_OFFICES = words("Ministry, Department, Office, Directorate")
_TASKS_ZH = words(
    "农业 档案 民航 商务 通信 文化 海关 国防 教育 就业 能源 环境 财政 渔业 粮食 外交 林业 港口 卫生 住房 工业 司法 劳动"
    " 国土 矿产 规划 公共工程 铁路 科技 航运 体育 统计 旅游 贸易 交通 水利 气象 福利 青年 预算 内政 移民"
)
_OFFICES_ZH = words("部 总局 委员会 署")
MINISTRIES: Forms = {
    "en": tuple(f"{{}} {office} of {task}" for office, task in product(_OFFICES, _TASKS)),
    "zh": tuple(f"{{}}{task}{office}" for task, office in product(_TASKS_ZH, _OFFICES_ZH)),
}
_PARTS = words(
    "North, South, East, West, Central, North East, North West, South East, South West, Harbour, Riverside, Hillside,"
    " Old Town, New Town, Outer, Inner, Valley, Lakeside, Heath, Woodlands"
)
_PARTS_ZH = words("东 西 南 北 中 东南 东北 西南 西北 城中 滨江 滨海 高新 老城 新城 湖滨 山前 上 下 前 后")
DISTRICTS: Forms = {
    "en": (*(f"{{}} {part}" for part in _PARTS), *(f"{{}} {part} District" for part in _PARTS)),
    "zh": (*(f"{{}}{part}区" for part in _PARTS_ZH), *(f"{{}}{part}街道" for part in _PARTS_ZH)),
}
_NUMBERS_ZH = words("一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十")
CONSTITUENCIES: Forms = {
    "en": (
        *(f"{{}} {part}" for part in _PARTS),
        *(f"{part} {{}}" for part in ("North", "South", "East", "West", "Mid", "Greater")),
        *(f"{{}} {part} and Rural" for part in _PARTS),
    ),
    "zh": (*(f"{{}}第{number}选区" for number in _NUMBERS_ZH), *(f"{{}}{part}选区" for part in _PARTS_ZH)),
}


def party(stream: Stream, rows: Rows, *, region: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name political parties after their country or region: `Brenania Rural Alliance`, 槐湘民主党.

    There are 464 a country (110 in Chinese), then a founder's name is added; no two the same.
    """
    return after_region(stream, rows, region, culture, PARTIES)


def ministry(stream: Stream, rows: Rows, *, region: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name ministries and offices of a country or region: `Brenania Ministry of Fisheries`, 槐湘渔业部.

    There are 192 a country (168 in Chinese), then a founder's name is added; no two the same.
    """
    return after_region(stream, rows, region, culture, MINISTRIES)


def district(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name districts of towns: `Velomar Riverside`, 鹭湾滨江区. 40 a town, then a founder's name is added."""
    return after_town(stream, rows, town, culture, DISTRICTS)


def constituency(stream: Stream, rows: Rows, *, town: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name constituencies after towns: `North Velomar`, 鹭湾第三选区. Some 40 a town, then founders."""
    return after_town(stream, rows, town, culture, CONSTITUENCIES)
