"""Chinese questions: phrases that stand before what they are of, and the form of an answer.

The form follows the Chinese questions of the WideSearch benchmark: one Markdown table in a block fenced as `markdown`,
its columns named in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generators.questions.chinese_frames import FRAMES
from generators.questions.grammar_base import Grammar
from worldforge.world.question_labels import ColumnLabels
from worldforge.world.task_terms import Operator

COLUMNS = (
    "每一项请给出{columns}。",
    "我想知道它们各自的{columns}。",
    "每一行应写明{columns}。",
    "请分别注明{columns}。",
)
FORM = (
    "请以一个Markdown表格作答，不要输出其他内容。表格放在以```markdown开头、以```结尾的代码块中，不要拆分成多个表格。"
    "每个{label}占一行，列名依次为（名称和顺序须与此完全一致）：{labels}。{order}"
    "{rounding}日期写成2024年6月18日的形式。"
)
IN_ORDER = "各行按{by}{best}排列，行的顺序计入评分。"
IN_ANY_ORDER = "行的顺序不限。"
SETTLED = {
    "date": "各网页说法不一时，以最后发布的网页为准。",
    "authority": "各网页说法不一时，按下列来源的先后，以最先给出该项内容的来源为准，同一级来源中以最后发布的网页为准："
    "{sites}。",
    "majority": "各网页说法不一时，以多数网页的说法为准。",
}
OWN_SITES = "各自的官方网站"
NUMBERS = ("零", "一", "两", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
"""Numbers in words before a measure word, as far as they are written so."""
_EQUAL = ("{label}为{value}", "{label}是{value}")
_NOT_EQUAL = ("{label}不是{value}", "{label}并非{value}")
_LATER = ("{label}晚于{value}", "{label}在{value}之后")
_EARLIER = ("{label}早于{value}", "{label}在{value}之前")
_FROM_TO = ("{label}不早于{value}且不晚于{upper}", "{label}在{value}至{upper}之间（含首尾）")
PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("reference", "="): (*_EQUAL, "以{value}为{label}"),
    ("reference", "!="): _NOT_EQUAL,
    ("text", "="): _EQUAL,
    ("text", "!="): _NOT_EQUAL,
    ("boolean", "="): ("“{label}”一栏为“{value}”", "“{label}”登记为“{value}”"),
    ("year", "="): _EQUAL,
    ("year", ">"): _LATER,
    ("year", "<"): _EARLIER,
    ("year", "between"): _FROM_TO,
    ("date", "="): _EQUAL,
    ("date", ">"): _LATER,
    ("date", "<"): _EARLIER,
    ("date", "between"): _FROM_TO,
    ("number", "="): _EQUAL,
    ("number", ">"): ("{label}{more}{value}", "{label}超过{value}"),
    ("number", "<"): ("{label}{less}{value}", "{label}不到{value}"),
    ("number", "between"): ("{label}不少于{value}且不超过{upper}", "{label}介于{value}与{upper}之间（含两端）"),
}
_COMPARED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("分数", "指数", "系数"), "高于 低于 最高 最低 从高到低 从低到高"),
    (("数", "人口", "人次"), "多于 少于 最多 最少 从多到少 从少到多"),
    (("面积", "规模", "容量", "重量", "年龄", "号码", "编号"), "大于 小于 最大 最小 从大到小 从小到大"),
    (("长度", "距离", "里程", "时长", "时间", "片长", "保质期"), "大于 小于 最长 最短 从长到短 从短到长"),
    (("",), "高于 低于 最高 最低 从高到低 从低到高"),
)
"""How numbers are compared, by what a label ends in: more than, less than, most, least, falling, rising."""
_MEASURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("个", ("国家", "赛事", "地区")),
    ("部", ("影片", "电影", "电视剧", "小说", "法律", "编年史")),
    ("篇", ("论文", "文章")),
    ("件", ("作品", "展品", "文物")),
    ("份", ("期刊", "杂志", "报纸", "条约")),
    ("支", ("乐队", "战队", "球队")),
    ("所", ("大学", "学校", "学院")),
    ("次", ("选举",)),
    ("款", ("游戏", "产品", "车型", "型号")),
    ("首", ("歌曲", "诗")),
    ("张", ("专辑", "唱片")),
    ("场", ("战役", "战斗", "比赛")),
    ("条", ("线路", "铁路", "航线", "河流", "院线")),
    ("位", ("人", "员", "师", "者", "手", "家", "教授", "导演", "大臣", "总统", "作者", "教练", "官", "人物")),
    (
        "家",
        ("公司", "企业", "餐馆", "酒店", "商", "医院", "银行", "工作室", "出版社", "药企", "旅行社", "俱乐部"),
    ),
    ("座", ("城市", "城镇", "岛屿", "山峰", "桥梁", "博物馆", "场馆", "球场", "教堂", "车站", "机场")),
)
"""Measure words, by what a label ends in."""


def settled_in_chinese(rule: str, sites: Sequence[Sequence[str]]) -> str:
    """Say in Chinese by which rule pages that disagree are settled, of what `settled` takes."""
    levels = ["、".join(name or OWN_SITES for name in level) for level in sites]
    return SETTLED[rule].format(sites="；其次是".join(levels))


def _phrases(column: ColumnLabels, operator: Operator) -> tuple[str, ...]:
    """Give the phrases of a column.

    What is asked of another comes first, so that all can see what is whose, and `以甲城为城镇` nobody says.
    """
    if operator in ("highest", "lowest"):
        most = {"number": ("{most}", "{least}")}.get(column.sort, ("最晚", "最早"))
        return (f"{{label}}{most[operator == 'lowest']}",) if column.sort in ("number", "date", "year") else ()
    named = column.typed or "." in column.path
    return _EQUAL if named and operator == "=" else PHRASES.get((column.sort, operator), ())


def _inflected(label: str) -> Mapping[str, str]:
    """Give how numbers that a label names are compared, and with which measure word what it names is counted."""
    compared = next(words.split(" ") for ends, words in _COMPARED if label.endswith(ends))
    measure = next((word for word, ends in _MEASURES if label.endswith(ends)), "个")
    return dict(zip(("more", "less", "most", "least", "falling", "rising"), compared, strict=True)) | {
        "measure": measure
    }


def _best(column: ColumnLabels) -> tuple[str, str]:
    """Say how a ranking by a column runs, from the top and from the bottom."""
    if column.sort in ("year", "date"):
        return "从晚到早", "从早到晚"
    words = _inflected(column.label)
    return (words["falling"], words["rising"]) if column.sort == "number" else ("", "")


CHINESE = Grammar(
    frames=FRAMES,
    columns=COLUMNS,
    column_words=lambda columns: "、".join(["名称", *columns[1:]]),
    form=FORM,
    in_order=IN_ORDER,
    in_any_order=IN_ANY_ORDER,
    listed="、",
    between_names="、",
    gap="",
    numbers=NUMBERS,
    number=rf"{'|'.join(reversed(NUMBERS))}|\d+",
    values={
        "year": r"-?\d+(?!\d)",
        "number": r"-?\d[\d,]*(?:\.\d+)?(?![\d]|[.,]\d)",
        "date": r"-?\d+年\d{1,2}月\d{1,2}日",
    },
    closers=("，", "。", "的", "或", "（", "”"),
    phrases=_phrases,
    inflected=_inflected,
    best=_best,
    one={},
    several={},
    joint="，且",
    joint_of_exceptions="的和",
    either={
        False: (("{parts}（满足其一即可）", "或"), ("{parts}（{n}项至少满足一项）", "，或")),
        True: (("{parts}（后{n}项满足其一即可）", "或"), ("{parts}（后{n}项至少满足一项）", "，或")),
    },
    whole={
        (False, False): ("所有{plural}",),
        (True, False): ("{terms}的所有{plural}",),
        (True, True): ("{terms}的所有{plural}（{exceptions}的除外）", "除了{exceptions}的之外，{terms}的所有{plural}"),
        (False, True): ("所有{plural}（{exceptions}的除外）", "除了{exceptions}的之外的所有{plural}"),
    },
    under=("“{title}”一栏{time}列有{entry}{much}", "“{title}”中{time}有{entry}{much}"),
    an_entry="记录",
    at_a_time=("截至{low}仍",),
    in_a_time=("在{low}至{high}期间曾",),
    bound=lambda column, operator: f"（{_phrases(column, operator)[-1]}）",
    referred={
        False: ("被至少一{measure}{inner}的{label}列为{title}", "至少有一{measure}{inner}的{label}以其为{title}"),
        True: ("至少有一{measure}{inner}的{label}", "拥有至少一{measure}{inner}的{label}"),
    },
    described={
        False: ("{label}是满足“{inner}”这一条件的那{measure}{about}", ""),
        True: ("{label}是同时满足“{inner}”的那{measure}{about}", "”和“"),
    },
)
