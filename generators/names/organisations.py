"""Names of organisations: companies of any trade, banks and funds, airlines."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa
from faker.providers.company import Provider

from generators.names.cultures import culture_of
from generators.names.distinct import distinct_names
from generators.names.frames import ByLanguage, Frames, framed, framed_by, words
from generators.names.invented_words import vocabulary
from generators.names.trades import TRADES_OF
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

TRADES = pa.array([
    "Brewing", "Carriage", "Ceramics", "Chemical", "Clockworks", "Electric", "Engineering", "Export",
    "Foundry", "Glass", "Insurance", "Joinery", "Lamp", "Leather", "Linen", "Mining", "Optics", "Paper",
    "Publishing", "Railway", "Salt", "Shipping", "Steel", "Telegraph", "Textile", "Timber", "Trading",
])  # fmt: skip
_GROUPS = ("{} Group", "{} International", "{} Holdings", "New {}", "United {}", "{} Partners")
_GROUPS_ZH = ("新{}", "中{}", "华{}", "东方{}", "联合{}", "环球{}")
COMPANIES: ByLanguage = {
    "en": Frames(
        (
            "{family} {trade}",
            "{family} {trade} {suffix}",
            "{place} {trade}",
            "{place} {trade} {suffix}",
            "{family} & {family2} {trade}",
            "{family} Brothers {trade}",
        ),
        {"suffix": words("Ltd, Inc, PLC, Group, Corporation, Company, Holdings, Partners")},
        _GROUPS,
    ),
    "zh": Frames(
        (
            "{place}{trade}有限公司",
            "{place}{luck}{trade}有限公司",
            "{place}{trade}股份有限公司",
            "{place}{luck}{trade}集团",
        ),
        {"luck": words("兴业 恒通 启明 鼎盛 华瑞 鸿远 天成 嘉禾 同创 永信 宏图 金石 博远 汇丰 德润 泰和")},
        _GROUPS_ZH,
    ),
}
BANKS: ByLanguage = {
    "en": Frames(
        (
            "{place} {bank} Bank",
            "Bank of {place}",
            "{family} & {family2} Bank",
            "{region} {bank} Bank",
            "{place} Building Society",
            "{family} Banking Company",
        ),
        {"bank": words("Savings Merchant Mutual Cooperative Commercial Provincial Farmers Mariners Trust Credit")},
        _GROUPS,
    ),
    "zh": Frames(
        ("{place}{bank}银行", "{place}银行", "{region}{bank}银行"),
        {"bank": words("商业 储蓄 农村 合作 城市 实业 信托 发展 民生 渔业")},
        _GROUPS_ZH,
    ),
}
FUNDS: ByLanguage = {
    "en": Frames(
        ("{family} {theme} {fund}", "{place} {theme} {fund}", "{family} & {family2} {fund}", "{region} {theme} {fund}"),
        {
            "theme": words(
                "Growth Income Value Balanced Opportunity Infrastructure Climate Frontier Small-Cap Dividend"
            ),
            "fund": words("Fund, Trust, Index Fund, Bond Fund, Equity Fund, Ventures, Capital"),
        },
        ("{} II", "{} III", "{} IV", "{} V", "{} VI"),
    ),
    "zh": Frames(
        ("{place}{theme}{fund}", "{place}{style}{theme}{fund}"),
        {
            "theme": words("成长 价值 红利 均衡 消费 医药 科技 制造 能源 稳健 债券 指数"),
            "style": words("优选 精选 领先 新锐 长青 聚利 安心 远见"),
            "fund": words("基金 混合基金 股票基金 信托 增强基金"),
        },
        ("{}二号", "{}三号", "{}四号", "{}五号", "{}六号"),
    ),
}
AIRLINES: ByLanguage = {
    "en": Frames(
        ("{place} {air}", "{region} {air}", "Air {place}", "Fly {place}", "{family} {air}"),
        {"air": words("Airways, Airlines, Air, Wings, Aviation, Air Lines, Jet, Sky")},
        ("{} Express", "{} Regional", "{} Connect", "{} Cargo"),
    ),
    "zh": Frames(
        ("{place}{air}", "{region}{air}"),
        {"air": words("航空 国际航空 通用航空 货运航空 快运航空 支线航空")},
        ("新{}", "东方{}", "联合{}", "华{}"),
    ),
}


def organisation(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name companies after a family and a trade: `Barabesko Shipping Ltd`. Millions, no two the same."""
    if culture_of(culture).language == "zh":
        return company(stream, rows, culture=culture)
    return distinct_names(stream, rows, [vocabulary(culture, "family"), TRADES, _suffixes()])


def company(stream: Stream, rows: Rows, *, trade: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name companies by their trade (one for all, one a row, or any): `Velomar Robotics Ltd`, 安溪恒通物流有限公司.

    Tens of thousands or more a trade, no two the same. Raises InputError for an unknown trade.
    """
    return framed_by(stream, rows, culture, COMPANIES, TRADES_OF, trade, "trade")


def bank(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name banks: `Velomar Savings Bank`, 安溪商业银行. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, BANKS)


def fund(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name investment funds: `Barabesko Frontier Equity Fund`, 安溪稳健混合基金. Hundreds of thousands."""
    return framed(stream, rows, culture, FUNDS)


def airline(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name airlines: `Velomar Airways`, 安溪航空. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, AIRLINES)


@lru_cache
def _suffixes() -> pa.Array:
    """List what companies end their names with, from Faker."""
    return pa.array(sorted(set(Provider.company_suffixes)))
