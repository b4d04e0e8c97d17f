"""Chinese for entities in groups: how several people would ask for them, and what computed columns are called.

Slots are those of the English frames; but {conditions} names what is asked for as well.
"""

from __future__ import annotations

from generators.questions.chinese_grammar import CHINESE
from generators.questions.grammar_base import Bank, Grouping
from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels

FRAMES: Bank = {
    "plain": (
        "请把{conditions}按{group}分组，给出每组的{measures}。",
        "请按{group}统计{conditions}，分别给出{measures}。",
    ),
    "journalist": (
        "为了在报道中作比较，我想了解{conditions}按{group}分组的情况：请给出{measures}。",
        "我要核实一组有关{plural}的数字：请就{conditions}，按{group}分别告诉我{measures}。",
    ),
    "analyst": (
        "请按{group}汇总{conditions}，列出{measures}。",
        "请做一张透视表，范围是{conditions}，按{group}分行，列出{measures}。",
    ),
    "hobbyist": (
        "我喜欢做统计。能帮我看看{conditions}，按{group}告诉我{measures}吗？",
        "很好奇{conditions}按{group}来分是什么样，能列出{measures}吗？",
    ),
    "terse": (
        "{conditions}，按{group}：{measures}。",
        "按{group}求{measures}，范围：{conditions}。",
    ),
}
FORM = (
    "请以一个Markdown表格作答，不要输出其他内容。表格放在以```markdown开头、以```结尾的代码块中，不要拆分成多个表格。"
    "按{group}分组，每组占一行，没有符合条件者的不列；列名依次为（名称和顺序须与此完全一致）：{labels}。"
    "{rounding}日期写成2024年6月18日的形式。"
)
_SAID_ALREADY = ("最", "平均", "总", "人均", "名次", "排名", "位次", "番位")
"""What labels hold of which nothing more can be computed and said well: the mean of the highest price."""
_WORDS = {"sum": "{label}总和", "mean": "{label}平均值", "min": "{label}最小值", "max": "{label}最大值"}
_TIMES = {"min": "最早的{label}", "max": "最晚的{label}"}
_ADDS_UP = ("数", "人口", "人次")


def _measured(column: ColumnLabels, measure: Measure) -> str:
    if any(word in column.label for word in _SAID_ALREADY):
        return ""
    words = _TIMES if column.sort in ("year", "date") else _WORDS
    return words[measure.name].format(label=column.label)


GROUPS = Grouping(
    grammar=CHINESE,
    frames=FRAMES,
    form=FORM,
    exact="数字不要取整，",
    rounded=lambda columns: f"{'，'.join(columns)}，其他数字不要取整，",
    to_places=lambda label, n: f"{label}四舍五入到{CHINESE.numbers[n]}位小数",
    counted="{plural}数量",
    measured=_measured,
    measures="、".join,
    unit="（{}）",
    one=lambda group: group,
    adds_up=lambda label: label.endswith(_ADDS_UP),
)
