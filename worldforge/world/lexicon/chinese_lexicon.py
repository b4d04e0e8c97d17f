"""The Chinese that facts hide in: numerals, negations, bounds, units, and the commonest words.

These are word lists, and judgements, as those of `english`. A sign that is part of none of them, and of nothing that
the world's pages say, is taken for part of a name that nobody knows: Chinese has no capitals to tell names by.
"""

from __future__ import annotations


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

COMMON = NO_NEGATIONS | frozenset(
    _words(
        """一些 一起 一般 一样 一直 一向 一定 一切 一并 一同 一带 一旦 一致 一面 一方面 一览 一栏 一项 一如 一如既往
        之一 统一 其一 某一 这一 那一 每一 另一 同一 任一 十分 百科 万一 三番五次 四处 四周 五花八门 千万 千百 百姓
        数据 数字 数目 数值 数量 据 根据 现有 依据 按照 依照 据此 据悉 据查 据载 据记载 据登记 据资料 登记 登记册
        登记簿 登记资料 资料 资料显示 记录 记录显示 记载 记述 档案 文献 显示 表明 可知 可见 得知 获悉 了解 知道 知悉
        所知 查明 查得 查到 查询 查阅 核实 核对 核查 核定 统计 统计显示 公布 公开 公告 发布 披露 报道 报告 介绍 简介
        说明 描述 叙述 提到 谈到 说到 提及 指出 注明 写明 载明 写的 写着 列为 列出 列入 列有 收录 收入 登载 刊登
        刊载 来源 出处 出自 来自 源自 取自 摘自 参见 参考 参照 相关 有关 关于 至于 对于 就此 对此 为此 方面 而言
        来说 来看 说来 看来 总的 总之 总体 整体 大体 大致上 基本 基本上 主要 通常 往往 时常 经常 常常 平时 日常 向来
        历来 素来 如今 目前 现在 现今 当前 当今 今日 今天 眼下 现时 此时 当时 那时 其时 同时 此外 另外 另有 还有
        以及 并且 而且 同样 也是 也有 同为 均为 均是 都是 都有 皆为 即为 即是 就是 便是 乃是 正是 则是 则为 是指
        即指 属于 归于 位于 坐落 坐落于 坐落在 地处 处于 处在 设于 设在 建于 建在 座落 落在 位列 排在 排名 排行 名列
        名次 居于 当中 其中 其间 其内 其后 其它 其他 其余 这里 那里 此处 此地 该处 该地 当地 本地 在此 于此 这座
        那座 这个 那个 这些 那些 这家 那家 这位 那位 这名 这种 那种 这条 这项 该项 该名 该位 该座 该家 该所 该部
        该条 该片 该书 它的 他的 她的 其所 所在 所属 所有 所设 所获 所得 所载 所写 所述 所说 所称 名为 名叫 名字
        名称 叫做 叫作 称为 称作 称之为 又名 又称 也叫 也称 亦称 亦名 称呼 全名 全称 作为 身为 成为 担任 出任 充任
        任职 负责 主管 拥有 具有 带有 设有 建有 备有 配有 含有 包含 包括 包括了 共有 总共 共计 合计 总计 累计 一共
        共 合共 计有 达到 等于 具体 具体为 具体是 具体来说 准确 准确地说 确切 确切地说 确实 的确 其实 实际 实际上
        事实上 正式 正式的 官方 公认 一致认为 普遍 多数 多种 多家 各家 各方 各种 各类 各自 各个 大家 人们 人人 读者
        访客 网友 朋友 同事 各位 诸位 编者 编辑 本站 本页 本条 本条目 条目 词条 文章 本文 本报 网页 页面 网站 内容
        信息 情况 详情 细节 要点 事项 部分 方式 方法 形式 样子 时间 时候 日子 年份 日期 地方 地点 位置 方位 原因
        结果 问题 答案 说法 看法 印象 如下 如上 下面 上面 下列 上述 前述 后述 这样 那样 如此 这么 那么 怎么 什么
        多少 哪里 哪些 谁 因此 因而 所以 于是 从而 由此 由于 因为 既然 虽然 尽管 但是 然而 可是 而是 还是 或者 或是
        要么 以便 以及其 及其 与其 与之 和其 连同 随着 通过 经过 经由 凭借 借助 用于 用以 用来 用作 适用 可以 可
        可供 能够 能 需要 值得 值得一提 值得一提的是 需要说明 需要说明的是 特别是 尤其 尤其是 例如 比如 譬如 诸如
        等等 之类 等 感谢 谢谢 欢迎 请 请看 请见 请问 您好 你好 大家好 继续 关注 留意 注意 欢迎补充 补充 更正 修订
        更新 整理 汇总 归纳 概括 总结 概况 概述 简单 简单地说 简而言之 换言之 也就是说 也就是 换句话说 顺便 顺便一提
        顺带一提 老实说 说实话 我想 我看 我记得 记得 好 好的 对 对的 嗯 已 已经 早已 现已 业已 已有 已为 正 正在 仍
        仍然 依然 仍旧 仍为 仍是 始终 便 才 刚 刚刚 最近 近来 近日 日前 此前 此后 随后 而后 后来 当年 当日 当天 同年
        那年 那一年 这一年 这一天 年间 年内 年中 期间 时期 于 在于 对其 为其 由其 将其 把其 使其 令其 让其 给其 向其
        与 同 跟 及 或 之 者"""
    )
)
"""Words of plain statements, which name nothing."""

UNTELLING = frozenset(_words("年份 日期 名称 数量 总数 数目 时间 地点 类型 类别 情况 位置 名次 排名"))
"""What many columns are called by: it does not tell one from another."""
