"""Chinese wordings for list tasks: conditions before what they are of, as Chinese puts them.

The answer's form follows the Chinese questions of the WideSearch benchmark: one Markdown table in a block fenced as
`markdown`, its columns named in order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldforge.core.chance import Stream

OPENINGS = (
    "请列出所有{conditions}的{plural}。",
    "请找出每一个{conditions}的{label}。",
    "我需要一份名单，包括所有{conditions}的{plural}。",
    "{conditions}的{plural}有哪些？请全部找出来。",
    "请整理一张表格，收录所有{conditions}的{plural}。",
    "请查找所有{conditions}的{plural}，不要遗漏。",
    "我正在了解{conditions}的{plural}，请把它们全部找出来。",
    "请调研{conditions}的{plural}，一个都不要漏。",
)
COLUMNS = (
    "每一项请给出{columns}。",
    "我想知道它们各自的{columns}。",
    "每一行应写明{columns}。",
    "请分别注明{columns}。",
)
FORM = (
    "请以一个Markdown表格作答，不要输出其他内容。表格放在以```markdown开头、以```结尾的代码块中，不要拆分成多个表格。"
    "每个{label}占一行，列名依次为（名称和顺序须与此完全一致）：{labels}。"
    "数字不要取整，日期写成2024年6月18日的形式。"
)
SETTLED = {
    "date": "各网页说法不一时，以最后发布的网页为准。",
    "authority": "各网页说法不一时，按下列来源的先后，以最先给出该项内容的来源为准，同一级来源中以最后发布的网页为准："
    "{sites}。",
    "majority": "各网页说法不一时，以多数网页的说法为准。",
}
OWN_SITES = "各自的官方网站"
_EQUAL = ("{label}为{value}", "{label}是{value}")
_LATER = ("{label}晚于{value}", "{label}在{value}之后")
_EARLIER = ("{label}早于{value}", "{label}在{value}之前")
PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("reference", "="): (*_EQUAL, "以{value}为{label}"),
    ("text", "="): _EQUAL,
    ("boolean", "="): ("“{label}”一栏为“{value}”", "“{label}”登记为“{value}”"),
    ("year", ">"): _LATER,
    ("year", "<"): _EARLIER,
    ("date", ">"): _LATER,
    ("date", "<"): _EARLIER,
    ("number", ">"): ("{label}高于{value}", "{label}超过{value}", "{label}大于{value}"),
    ("number", "<"): ("{label}低于{value}", "{label}不到{value}", "{label}小于{value}"),
}


def list_all_in_chinese(
    stream: Stream,
    label: str,
    plural: str,
    conditions: Sequence[tuple[str, str, str, str]],
    columns: Sequence[str],
) -> str:
    """Word one list task in Chinese, of what `list_all` takes: `请列出所有成立年份晚于1950年的足球俱乐部。`."""
    *drawn, which, how = stream.bits(np.arange(2 + len(conditions))).tolist()
    phrases = [
        _phrase(draw, called, sort, operator).format(label=called, value=value)
        for draw, (called, sort, operator, value) in zip(drawn, conditions, strict=True)
    ]
    asked = OPENINGS[which % len(OPENINGS)].format(label=label, plural=plural, conditions="，且".join(phrases))
    wanted = COLUMNS[how % len(COLUMNS)].format(columns="、".join(["名称", *columns[1:]]))
    return "\n\n".join([asked + wanted, FORM.format(label=label, labels="、".join(columns))])


def settled_in_chinese(rule: str, sites: Sequence[Sequence[str]]) -> str:
    """Say in Chinese by which rule pages that disagree are settled, of what `settled` takes."""
    levels = ["、".join(name or OWN_SITES for name in level) for level in sites]
    return SETTLED[rule].format(sites="；其次是".join(levels))


def _phrase(draw: int, label: str, sort: str, operator: str) -> str:
    """Choose a phrase; what is asked of another (`创制者的师父`) comes first, so that all can see what is whose."""
    bank = _EQUAL if "的" in label and operator == "=" and sort == "reference" else PHRASES[sort, operator]
    return bank[draw % len(bank)]
