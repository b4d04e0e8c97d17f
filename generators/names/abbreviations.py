"""How Chinese names are cut short: 安溪师范大学 to 安师大 or 安溪师大, 安溪飞虎足球俱乐部 to 安溪飞虎."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from generators.names.cultures import CULTURES
from generators.names.frames import pairs, words

_FIELDS = pairs(
    "师范:师 理工:理 农业:农 医科:医 海洋:海 财经:财 政法:政法 外国语:外 艺术:艺 体育:体"
    " 矿业:矿 林业:林 工业:工 科技:科 传媒:传 建筑:建 音乐:音 交通:交 邮电:邮 水利:水"
)
_CONTRACTED = {
    **{f"{field}大学": f"{mark}大" for field, mark in _FIELDS.items()},
    **{f"{field}学院": f"{mark}院" for field, mark in _FIELDS.items()},
    **{f"第{number}{kind}学": f"{number}{kind}" for number in "一二三四五六七八九十" for kind in "中小"},
    **pairs(
        "理工大学:理工 理工学院:理工院 大学:大 中学:中 实验中学:实中 实验小学:实小 外国语学校:外校 职业学校:职校"
        " 商业银行:商行 农村银行:农行 合作银行:合行 城市银行:城行 储蓄银行:储行 银行:行 博物馆:博"
        " 国际航空:国航 通用航空:通航 货运航空:货航 航空:航 体育中心:体中 研究理事会:研理会 委员会:委 国际机场:机场"
    ),
}
"""What is left of the words for what kind of thing it is, after the first character of the place, or all."""
_CUT = words("足球俱乐部 俱乐部 股份有限公司 有限公司 公司 集团 乐队 乐团 出版社 工作室 酒店 大酒店 宾馆 饭店")
"""What is left out whole."""


def shortened(names: pa.Array) -> list[pa.Array]:
    """Return the shorter forms of Chinese names, a column a form; null where a name has none.

    They are: the name without its kind, the first character of the place with what is left of the kind, and the place
    with it.
    """
    chinese = CULTURES["chinese"]
    before, kind = _cut(names, sorted(_CONTRACTED, key=len, reverse=True))
    mark = pa.array(list(_CONTRACTED.values())).take(pc.index_in(kind, pa.array(list(_CONTRACTED))))
    bare, _ = _cut(names, sorted({*_CUT, *chinese.town_kinds, *chinese.region_kinds}, key=len, reverse=True))
    first = pc.binary_join_element_wise(pc.utf8_slice_codeunits(before, 0, 1), mark, "")
    whole = pc.if_else(pc.greater(pc.utf8_length(mark), 1), pc.binary_join_element_wise(before, mark, ""), None)
    return [bare, first, whole]


def _cut(names: pa.Array, kinds: list[str]) -> tuple[pa.Array, pa.Array]:
    """Cut names in two before the kind that they end in, the longest that they do; nulls where there is none."""
    parts = pc.extract_regex(names, rf"^(?P<before>\p{{Han}}{{2,}}?)(?P<kind>{'|'.join(kinds)})$")
    return pc.struct_field(parts, "before"), pc.struct_field(parts, "kind")
