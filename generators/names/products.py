"""Names of products: software, programming libraries, devices by their makers, cars by theirs."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import culture_of
from generators.names.frames import ByLanguage, Frames, distinct_forms, distinct_names, framed, words
from generators.names.invented_words import vocabulary
from generators.names.places import Forms
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_COINED = words(
    "Axen Brevi Calo Cirro Cora Delvi Dexo Elari Emba Fenno Flexa Galvi Grano Helvi Ilumo Inzo Jorva Kalto Kyro Lento"
    " Lumo Mendo Mirro Navo Nexi Nolo Orbi Ostro Parvo Penta Quanto Quilo Ravi Rondo Selvo Sinto Solvi Tavo Tenso Tilva"
    " Torvo Ultri Umbro Valvo Velto Vindo Wavi Xelo Yarro Zenvo Zorvi"
)
_TAILS = words(
    "base board cast chart crypt deck desk dock draft drive feed file flow form frame gate graph grid hive hub kit lane"
    " lens line link loop mark mesh nest note pad path pilot plan port post press pulse queue rack ray room scan scope"
    " script shelf sheet slate space spark stack store stream sync tape team track trail vault view vox wire works zone"
)
_OFFICES = words("Studio, Cloud, Server, Desktop, Mobile, Pro, Suite, Enterprise, One, Lite")
SOFTWARE: ByLanguage = {
    "en": Frames(
        ("{coined}{tail}", "{coined}{tail} {office}", "{given} {office}", "{given}{tail}"),
        {"coined": _COINED, "tail": _TAILS, "office": _OFFICES},
        ("{} Next", "{} Classic", "{} Plus", "{} Edge", "{} Neo"),
    ),
    "zh": Frames(
        ("{given}{matter}", "{image}{matter}{office}", "{given}{office}"),
        {
            "image": words(
                "云舟 星图 青鸟 雁书 竹简 墨池 灯塔 松果 萤石 麦田 飞梭 棱镜 石榴 鲸落 风车 海螺 银杏 纸鸢 罗盘 砚台"
            ),
            "matter": words(
                "办公 文档 财务 绘图 邮件 日历 笔记 表格 安全 备份 协作 会议 翻译 地图 数据库 编译器 浏览器 输入法"
            ),
            "office": words("专业版 企业版 云端版 桌面版 移动版 轻量版 工作室 助手"),
        },
        ("新{}", "{}二代", "{}三代", "{}四代"),
    ),
}
_STEMS = words(
    "ambro ardo bevi brimo caldo cavo drivo elmo fabro fendi galdo garno hesto holvi indra jarno kelvo ketto ladro"
    " lindo malvo mesto nadro nilvo olmo orvi pardo pelto quido radvo rilvo salvo senko taldo tirvo ulmo undro vasko"
    " velvo wendo xandro yelvo zando zirko"
)
_PARTS = words(
    "algebra args async auth batch bind cache cast chart cli codec config core csv cursor dag diff doc dom event fetch"
    " fmt fs geo glob graph grid hash http image io iter json kv lang lex lint log math mesh mock net orm parse path"
    " pipe pixel plot pool proto query queue random regex router schema serial shell sim socket sort sql stats table"
    " task test text time token trace tree tui types units url utf validate vec web xml yaml zip"
)
_LIBRARY_AGAIN = ("{}-ng", "{}2", "{}3", "{}-next", "{}-lite", "{}-extra")
_SERIES = words(
    "Alto Aero Borea Brio Celer Cirra Corva Dulce Elara Ember Fenix Forte Gala Helio Ilex Jura Kite Lumen Lyra Mira"
    " Nimbo Orla Onda Petra Quill Rhea Sable Sola Tempo Terra Umbra Vela Vivo Zephyr"
)
_GRADES = words("_ Pro Max Mini Lite Ultra Plus Air")
_SERIES_ZH = words(
    "星河 流云 青锋 晨光 远山 飞羽 明镜 秋水 银翼 逐日 听风 墨玉 天弦 北极 极光 凌波 惊鸿 琥珀 松涛 云雀"
)
_GRADES_ZH = words("_ 专业版 青春版 旗舰版 轻享版 至尊版")
MODELS: Forms = {
    "en": tuple(
        f"{{}} {series} {number} {'' if grade == '_' else grade}".rstrip()
        for number, series, grade in product(range(1, 13), _SERIES, _GRADES)
    ),
    "zh": tuple(
        f"{{}}{series}{number}{'' if grade == '_' else grade}"
        for number, series, grade in product(range(1, 13), _SERIES_ZH, _GRADES_ZH)
    ),
}
_LEGAL = r"(股份有限公司|有限公司|集团| Ltd| Inc| PLC| LLC| Group| Corporation| Company| Holdings| Partners)$"
_A_MAKER = 24  # how many rows an invented maker has
_CARS = words(
    "Albatross Avocet Bittern Buzzard Caracal Cavalier Coupé Cormorant Courser Dormouse Egret Estafette Gazelle Goshawk"
    " Harrier Herald Ibis Jackdaw Kestrel Lapwing Linnet Marten Merlin Nightjar Oriole Osprey Pacer Palfrey Petrel"
    " Plover Polecat Rambler Roadster Sandpiper Siskin Stoat Tern Vagabond Wayfarer Whimbrel"
)
_TRIMS = words("_ S GT Estate Cabriolet E Cross Sport")
_CARS_ZH = words(
    "云豹 白鹭 苍鹰 羚羊 雪狐 海燕 山雀 信天翁 骐骥 赤兔 追云 踏雪 破浪 行者 游侠 麒麟 青鸾 玄鸟 金雕 角马"
)
_TRIMS_ZH = words("_ 旅行版 运动版 越野版 电动版 混动版 敞篷版")
CARS: Forms = {
    "en": tuple(
        f"{{}} {car} {trim}".replace(" _", "") + number
        for number, car, trim in product(("", " II", " III", " IV", " V"), _CARS, _TRIMS)
    ),
    "zh": tuple(
        f"{{}}{car}{number}{trim}".replace("_", "")
        for number, car, trim in product(("", "二代", "三代", "四代", "五代"), _CARS_ZH, _TRIMS_ZH)
    ),
}


def software(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name software products: `Veltograph Studio`, 云舟文档企业版. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, SOFTWARE)


def library(stream: Stream, rows: Rows) -> Texts:
    """Name programming libraries, in every culture alike: `veltofetch-json`. Hundreds of thousands, no two the same."""
    stems = pa.array([f"{stem}{part}" for stem, part in product(_STEMS, _PARTS)])
    return distinct_names(stream, rows, [stems, pa.array(_PARTS)], _LIBRARY_AGAIN, space="-")


def model(stream: Stream, rows: Rows, *, maker: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name phones, laptops and other devices after their makers: `Barabesko Lyra 4 Pro`, 鹭湾星河3旗舰版.

    The maker is called without its Ltd or 有限公司. There are 3,264 a maker (1,440 in Chinese), then a word is added to
    the maker's name; no two the same.
    """
    return _after_maker(stream, rows, maker, culture, MODELS)


def car(stream: Stream, rows: Rows, *, maker: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name models of cars after their makers: `Barabesko Kestrel Estate II`, 鹭湾白鹭二代.

    There are 1,600 a maker (700 in Chinese), then a word is added to the maker's name; no two the same.
    """
    return _after_maker(stream, rows, maker, culture, CARS)


def _after_maker(stream: Stream, rows: Rows, maker: pa.Array | str | None, culture: str, forms: Forms) -> pa.Array:
    chosen = culture_of(culture)
    sort = "place" if chosen.language == "zh" else "family"
    if isinstance(maker, str):
        makers = pa.repeat(pc.replace_substring_regex(maker, _LEGAL, ""), len(rows))
    elif maker is None:
        again = ("中{}", "新{}") if chosen.language == "zh" else ("{} Brothers", "{} & Sons")
        makers = distinct_names(stream.child("maker"), rows // _A_MAKER, [vocabulary(culture, sort)], again)
    else:
        makers = pc.replace_substring_regex(maker, _LEGAL, "")
    return distinct_forms(stream, rows, makers, forms[chosen.language], vocabulary(culture, sort), space=chosen.space)
