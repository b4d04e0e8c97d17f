"""Chinese frames for the families of tasks: the five personas of the English ones, and how they ask in Chinese.

Slots are those of the English frames; but {conditions} names what is asked for as well: `出生地为甲城的所有球员`.
"""

from __future__ import annotations

from generators.questions.grammar_base import Bank

LISTS: Bank = {
    "plain": (
        "请列出{conditions}。",
        "请找出{conditions}。",
        "我需要一份名单，包括{conditions}。",
        "{conditions}有哪些？请全部找出来。",
        "请整理一张表格，收录{conditions}。",
        "请查找{conditions}，不要遗漏。",
        "我正在了解{plural}的情况，请找出{conditions}。",
        "请调研{conditions}，一个都不要漏。",
    ),
}
FILTERS: Bank = {
    "plain": (
        "请列出{conditions}。",
        "请查找{conditions}，不要遗漏。",
    ),
    "journalist": (
        "我正在核实一篇报道，一个都不能漏：{conditions}有哪些？",
        "为了写一篇文章，我需要一份完整的名单，包括{conditions}。",
    ),
    "analyst": (
        "请建立一个数据集，收录{conditions}。",
        "我们的表格应包括{conditions}，缺一不可。",
    ),
    "hobbyist": (
        "我平时喜欢收集有关{plural}的资料，能帮我找出{conditions}吗？",
        "纯属好奇：{conditions}都有哪些？",
    ),
    "terse": (
        "求{conditions}。",
        "要完整名单：{conditions}。",
    ),
}
RANKINGS: Bank = {
    "plain": (
        "在{conditions}中，按{by}{best}排列，排名前{n}的是哪些？",
        "请把{conditions}按{by}{best}排序，列出前{n}名。",
    ),
    "journalist": (
        "我们报纸要做一期排行榜，请从{conditions}中选出按{by}{best}排在前{n}名的。",
        "读者想知道谁排在最前面：请在{conditions}中，按{by}{best}找出前{n}名。",
    ),
    "analyst": (
        "将{conditions}按{by}{best}排序，保留前{n}名。",
        "只考察{conditions}，给出按{by}{best}排列的前{n}名。",
    ),
    "hobbyist": (
        "我很好奇，在{conditions}里，按{by}{best}能排进前{n}名的是哪些？",
        "我和朋友争论不休：在{conditions}当中，按{by}{best}排，前{n}名都有哪些？",
    ),
    "terse": (
        "按{by}{best}的前{n}名，范围：{conditions}。",
        "{conditions}，按{by}{best}取前{n}名。",
    ),
}
UNIONS: Bank = {
    "plain": (
        "请把两份名单合成一份：第一份是{first}的{plural}；第二份是{second}的{plural}。每项只列一次。",
        "请列出{first}的{plural}，再加上{second}的{plural}，重复的只列一次。",
    ),
    "journalist": (
        "两个消息来源分别给了我{first}的{plural}，以及{second}的{plural}；凡是其中任何一方提到的，我都要。",
    ),
    "analyst": ("请取两个集合的并集：集合甲，{first}的{plural}；集合乙，{second}的{plural}。",),
    "hobbyist": ("我喜欢两类{plural}：一类是{first}的，还有一类是{second}的。请把这两类全部找出来。",),
    "terse": ("{first}的{plural}；外加{second}的{plural}。合为一份，不要重复。",),
}
INTERSECTIONS: Bank = {
    "plain": (
        "有两份名单：第一份是{first}的{plural}；第二份是{second}的{plural}。哪些同时出现在两份名单上？",
        "请对照两份名单，一份是{first}的{plural}，另一份是{second}的{plural}，找出两者共有的。",
    ),
    "journalist": (
        "两个消息来源各给了我一份名单，一份是{first}的{plural}，一份是{second}的{plural}；我只要两份上都有的。",
    ),
    "analyst": ("请取两个集合的交集：集合甲，{first}的{plural}；集合乙，{second}的{plural}。",),
    "hobbyist": ("我关注{first}的{plural}，我弟弟关注{second}的{plural}。我们俩都关注的有哪些？",),
    "terse": ("{first}的{plural}；同时也是{second}的{plural}。只要两者重合的部分。",),
}
COMPLETIONS: Bank = {
    "plain": (
        "请补全下列{plural}的资料表：{names}。",
        "以下{plural}的资料不全，请查找补齐：{names}。",
    ),
    "journalist": ("付印之前，我得把一张{plural}表格里的空缺填上，表中有：{names}。",),
    "analyst": ("表格的各行已经给定，即以下{plural}：{names}；请填写各列。",),
    "hobbyist": ("我的笔记里只记了一些{plural}的名字，别的什么都没写：{names}。能帮我查一查吗？",),
    "terse": ("{plural}：{names}。请补全其余各列。",),
}
FRAMES: dict[str, Bank] = {
    "list": {**FILTERS, **LISTS},
    "filter": FILTERS,
    "join": FILTERS,
    "described": FILTERS,
    "ranking": RANKINGS,
    "union": UNIONS,
    "intersection": INTERSECTIONS,
    "completion": COMPLETIONS,
}
"""The openings of each family, by persona."""
