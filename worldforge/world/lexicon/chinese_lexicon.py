"""The Chinese that facts hide in: numerals, negations, bounds, units, and the commonest words.

The commonest words are in chinese_words.txt. A sign that is part of none of them, and of nothing that
the world's pages say, is taken for part of a name that nobody knows: Chinese has no capitals to tell names by.
"""

from __future__ import annotations

from pathlib import Path


def _words(text: str) -> list[str]:
    return text.split()


DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
TENS = {"十": 10, "百": 100, "千": 1000}
MYRIADS = {"万": 10**4, "亿": 10**8}

NEGATIONS = frozenset(
    _words(
        """不 没 没有 未 无 非 否 勿 别 莫 并非 并不 从未 从不 尚未 未曾 未必 不是 不再 不曾 毫无 绝非 绝不 缺乏
        缺少 失去 除外 除了 除去 以外 之外 误 误传 错误 有误 虚构 虚假 不实 假 谣传 传说 据传 疑似 可能 或许
        也许 大概 恐怕 未来 即将 将要 曾 曾经 原先 原本 原为 一度 前任 已故 停止 停业 关闭 废弃 撤销 解散 取消
        拆除 倒闭 否认 质疑 争议 相反 反而 吗 呢 难道 是否 能否 为何 如果 假如 倘若 除非"""
    )
)
"""Words that turn a statement round, put it off, or ask for it."""
NO_NEGATIONS = frozenset(
    _words(
        """不少 不仅 不但 不过 不论 不同 不断 不久 不妨 不错 不管 不止 不胜 无论 无疑 无不 无一 非常 并无二致 别人
        别处 别的 别名 特别 分别 区别 级别 类别 性别 个别 告别 否则 未名 未知 错过 没错 差不多 对不起 不好意思
        了不起 来不及 假期 无偿 无声 无线 无处 无人 无权 无边"""
    )
)
"""Words that hold one of these signs and deny nothing, or nothing of a fact."""

BOUNDS = frozenset(
    _words(
        """大约 大致 大概 将近 接近 近乎 几乎 超过 多于 少于 不到 不足 未满 以上 以下 以前 之前 以后 之后 以内 以外
        以来 至少 至多 最多 最少 最早 最晚 最迟 左右 上下 前后 高达 仅有 只有 仅 晚于 早于 大于 小于 高于 低于
        介于 之间 有余 开外 不超过 不少于 不多于 不低于 不高于 不早于 不晚于"""
    )
)
"""Words that make a figure mean another than it says."""
NEAR_BOUNDS_BEFORE = frozenset("约近逾超仅达几数第负满")
"""Signs that do so right before a figure; 第 makes it an ordinal, 负 a figure below zero."""
NEAR_BOUNDS_AFTER = frozenset("余多几许强弱起止前后")
"""Signs that do so right after a figure and its unit."""

_SAME_UNITS = {
    "km": "公里 千米", "m": "米 公尺", "cm": "厘米 公分", "mm": "毫米", "km²": "平方公里 平方千米", "m²": "平方米",
    "cm²": "平方厘米", "m³": "立方米", "km³": "立方公里 立方千米", "ha": "公顷", "t": "吨 公吨", "kg": "千克 公斤",
    "g": "克", "l": "升 公升", "ml": "毫升", "km/h": "公里/小时 千米/小时", "m³/s": "立方米/秒",
    "°C": "摄氏度", "%": "％",
}  # fmt: skip
UNITS = {unit: unit for unit in _SAME_UNITS} | {
    word: unit for unit, words in _SAME_UNITS.items() for word in words.split()
}
UNITS |= {
    unit: unit
    for unit in _words(
        """亩 里 斤 两 英里 英尺 英寸 平方英里 平方英尺 英亩 磅 盎司 英制加仑 长吨 华氏度 英里/小时 年 月 日 天 周 星期
        小时 分钟 秒 岁 世纪 年代 倍 成 度 元 美元 欧元 人次 千瓦 兆瓦 瓦 伏 赫兹 字节"""
    )
}
"""How units are written, and the one way in which they are compared."""
CLASSIFIERS = frozenset("个名位家座所条项件份种本处只支枚部台辆艘架场次届期层间块片颗口人篇首幅套组队站门")
"""What may stand between a figure and what it counts, and says nothing."""

FUNCTION_SIGNS = frozenset(
    "的了是为在有其该此这那它他她们于与和及以由从自到至向对把被使给也都就还又再则而且但却若如即并或之所者等很来去说称叫看"
    "读写见里中上下内外间请您我你吧啊嘛呀哦嗯让令跟同随按据经因故凡每各某另乃亦皆均曰得着过地便才已正着个名位家座"
    "条项件份种本处"
)
"""Signs that are words of their own, and say nothing by themselves."""

COMMON = NO_NEGATIONS | frozenset(_words(Path(__file__).with_name("chinese_words.txt").read_text(encoding="utf-8")))
"""Words of plain statements, which name nothing."""

UNTELLING = frozenset(_words("年份 日期 名称 数量 总数 数目 时间 地点 类型 类别 情况 位置 名次 排名"))
"""What many columns are called by: it does not tell one from another."""
