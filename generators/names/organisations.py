"""Names of organisations: companies of any trade, banks and funds, airlines; no word serves two trades."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa
from faker.providers.company import Provider

from generators.names.cultures import culture_of
from generators.names.frames import ByLanguage, Frames, Kind, Kinds, distinct_names, framed, framed_by, words
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts


def _trade(english: str, chinese: str) -> Kind:
    return {"en": {"trade": words(english)}, "zh": {"trade": words(chinese)}}


TRADES_OF: Kinds = {
    "automotive": _trade("Motors Automobiles Carriageworks Motorworks Autoworks", "汽车 动力 机车 车辆 轮毂"),
    "aviation": _trade("Aircraft Aeronautics Aerospace Rotorcraft Airframes", "航天 飞行器 航发 直升机 航电"),
    "biotechnology": _trade("Biotech Genomics Biosciences Bioworks Genetics", "生物 基因 生命科学 生物技术 细胞"),
    "chemicals": _trade("Chemicals Polymers Plastics Fertilisers Coatings", "化工 材料 塑料 化肥 涂料"),
    "construction": _trade("Construction Builders Masonry Bridgeworks Contractors", "建设 建筑 路桥 工程 建材"),
    "education": _trade("Learning Tutoring Academies Coursework Schooling", "教育 学堂 培训 课业 启蒙"),
    "electronics": _trade("Electronics Semiconductors Circuits Displays Microdevices", "电子 半导体 光电 显示 微电"),
    "energy": _trade("Energy Power Petroleum Windpower Solar", "能源 电力 石油 风电 光伏"),
    "fashion": _trade("Fashion Tailors Footwear Garments Outfitters", "服饰 制衣 鞋业 时装 裁缝"),
    "film": _trade("Pictures Films Studios Productions Cinema", "影业 影视 制片 院线 传媒"),
    "finance": _trade("Finance Securities Brokerage Leasing Investments", "金融 证券 投资 租赁 资本"),
    "food": _trade("Foods Bakeries Dairies Brewery Confectionery", "食品 粮油 乳业 酒业 糖果"),
    "games": _trade("Games Playworks Interactive Arcades Pixelworks", "游戏 互娱 网游 娱乐 电玩"),
    "healthcare": _trade("Clinics Hospitals Healthcare Diagnostics Medical", "医疗 医院 健康 诊断 器械"),
    "hospitality": _trade("Hotels Resorts Inns Hospitality Lodges", "酒店 度假 旅馆 旅业 客栈"),
    "insurance": _trade("Insurance Assurance Underwriters Indemnity Reinsurance", "保险 人寿 财险 再保险 养老"),
    "logistics": _trade("Logistics Freight Haulage Couriers Warehousing", "物流 货运 快递 仓储 速运"),
    "manufacturing": _trade("Engineering Machinery Toolworks Foundries Fabrication", "机械 重工 制造 铸造 工具"),
    "media": _trade("Media Press Broadcasting Publishing Newspapers", "报业 广播 出版 文化 通讯社"),
    "mining": _trade("Mining Minerals Quarries Metals Smelting", "矿业 冶金 有色 钢铁 煤业"),
    "music": _trade("Records Audio Recordings Phonographic Soundworks", "唱片 音乐 音像 乐器 录音"),
    "pharmaceuticals": _trade("Pharma Pharmaceuticals Laboratories Therapeutics Remedies", "药业 制药 医药 疫苗 药材"),
    "retail": _trade("Stores Markets Supermarkets Emporium Outlets", "商贸 百货 超市 零售 商城"),
    "shipping": _trade("Shipping Shipyards Maritime Ferries Steamships", "航运 造船 船务 港务 轮渡"),
    "software": _trade("Software Systems Technologies Cloud Data", "软件 科技 信息 云计算 数据"),
    "telecommunications": _trade("Telecom Networks Mobile Broadband Wireless", "通信 电信 网络 移动 无线"),
    "textiles": _trade("Textiles Mills Weaving Cotton Silks", "纺织 棉业 丝绸 针织 印染"),
    "transport": _trade("Railways Transit Coaches Tramways Transport", "铁路 客运 公交 地铁 运输"),
}


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
