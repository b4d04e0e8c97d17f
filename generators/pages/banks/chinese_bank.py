"""How Chinese pages put things: no spaces between words, Chinese stops, what is counted before its unit."""

from __future__ import annotations

from generators.pages.banks.wording_bank import (
    Bank,
    ContinuedBank,
    Directory,
    Disambiguation,
    Encyclopedia,
    Forum,
    News,
    Official,
    Sentences,
    Statistics,
)

_FIGURE = (
    "{subject}的{label}为{value}。",
    "{subject}的{label}是{value}。",
    "该{kind}的{label}为{value}。",
    "据登记，{subject}的{label}为{value}。",
    "在{label}方面，记录为{value}。",
)
_TIME = (
    "{subject}的{label}是{value}。",
    "该{kind}的{label}为{value}。",
    "据多数资料记载，{subject}的{label}为{value}。",
    "登记簿上的{label}是{value}。",
)
_WORD = (
    "{subject}的{label}是{value}。",
    "该{kind}的{label}为{value}。",
    "记录显示，{subject}的{label}为{value}。",
    "{label}一项登记为{value}。",
)
_PLAIN: Sentences = {
    "count": _FIGURE,
    "amount": _FIGURE,
    "year": _TIME,
    "date": _TIME,
    "event": _TIME,
    "event_date": _TIME,
    "preposition": _TIME,
    "text": _WORD,
    "name": (
        "{subject}的{label}是{value}。",
        "该{kind}的{label}为{value}。",
        "{value}是{subject}的{label}。",
        "登记簿中，{subject}的{label}为{value}。",
    ),
    "boolean": (
        "{subject}在“{label}”一栏登记为“{value}”。",
        "关于“{label}”，记录写的是“{value}”。",
    ),
}
"""How an encyclopedia, a newspaper or an office puts it."""
_SAID = (
    "{label}嘛，是{value}。",
    "据我所知，{subject}的{label}是{value}。",
    "{label}我查到的是{value}。",
    "我记下来的{label}是{value}。",
)
_CASUAL: Sentences = {
    "count": _SAID,
    "amount": _SAID,
    "year": _SAID,
    "date": _SAID,
    "event": _SAID,
    "event_date": _SAID,
    "preposition": _SAID,
    "text": ("{label}是{value}，这里人人都知道。", *_SAID),
    "name": ("{label}是{value}，这里人人都知道。", *_SAID),
    "boolean": ("“{label}”那一栏写的是“{value}”。", "说到“{label}”，我这里的资料写着“{value}”。"),
}
"""How people put it among themselves."""
_ENCYCLOPEDIA = Encyclopedia(
    leads=(
        "**{name}**是{a_label}，其{reference}为{value}。",
        "**{name}**，{a_label}，{reference}为{value}。",
        "**{name}**是{reference}为{value}的{a_label}。",
        "**{name}**（{a_label}）的{reference}是{value}。",
    ),
    bare_leads=(
        "**{name}**是本百科收录的{a_label}之一。",
        "**{name}**，{a_label}。",
        "**{name}**是在本百科中有独立条目的{a_label}。",
    ),
    other_names=("该{kind}{also}。", "{name}{also}。", "该{kind}{also}，本条目用其常用名称。"),
    original="（{name}）",
    headings=("概况", "简介", "背景", "基本情况", "详细资料"),
    openings=(
        "以下内容整理自公开登记资料和读者来信。",
        "多种资料都谈到这一主题，要点大体一致。",
        "本节汇集了印刷资料中的已有记载。",
        "下列内容均与登记资料核对过。",
        "要点可以用几句话说清。",
        "早期的介绍较为简略，后来的资料补充了细节。",
    ),
    closings=("欢迎在讨论页补充更多来源。", "了解更多情况的读者，欢迎参与编辑本条目。", "", ""),
    sources=(
        "- 公开登记资料现行版\n- 读者来信",
        "- 编辑部存档的登记摘录\n- 编辑部调查",
        "- 历版工具书\n- 前任编辑留下的笔记",
        "- 地方报纸\n- 公开登记资料",
        "- 编辑部问卷的答复",
    ),
    footers=(
        "*本条目最后编辑于{date}。*",
        "*最后修订：{date}。文字可按{site}的条款转载。*",
        "*{site}，{date}版本。*",
    ),
    see_also="参见",
    sources_heading="参考资料",
)
_OFFICIAL = Official(
    welcomes=(
        "欢迎访问**{name}**官方网站。",
        "这里是**{name}**的网上之家。",
        "**{name}**欢迎您的到来。",
        "您现在浏览的是**{name}**的官方页面。",
    ),
    missions=(
        "很高兴您来到这里，希望您能找到所需的内容。",
        "本站内容由一个小团队维护，力求准确。",
        "我们的大门向会员、邻里和来宾敞开。",
        "我们相信踏实的工作、友善的同伴和诚实的账目。",
        "我们所做的一切，都是与身边的人一起，并为他们而做。",
        "在这些页面上，您可以了解我们，也可以联系我们。",
    ),
    about=("关于我们", "我们是谁", "简介", "我们的故事"),
    facts=("基本信息", "一览", "概要", "数据与资料"),
    contacts=(
        "请通过本站的表单给办公室写信，我们有信必回。",
        "问题、表扬和投诉，都可以通过本站的表单告诉我们。",
        "办公室工作日开放，请按侧门的门铃。",
        "新闻媒体如有垂询，请使用表单并注明。",
        "我们始终欢迎志愿者，请在办公室留言，会有人给您回电。",
    ),
    footers=(
        "*本页修订于{date}。*",
        "*最后更新：{date}。版权所有。*",
        "*本站由{name}办公室负责，内容截至{date}。*",
    ),
    contact="联系我们",
    fact="- **{label}：** {value}\n",
    kind="- **类别：** {label}\n\n",
    title="{name}官方网站",
)
_NEWS = News(
    headlines=(
        "聚焦{name}",
        "走近{name}",
        "{name}：读者应当知道的事",
        "人们为什么都在谈论{name}",
        "人物与事物：{name}",
        "{name}再度受到关注",
        "本报走访{name}",
        "读者之选：{name}",
    ),
    desks=("新闻部", "地方新闻部", "周末版", "文化部", "早班", "晚班"),
    leads=(
        "近来，{label}**{name}**成了许多人茶余饭后的话题。",
        "很少有话题像{name}这样，让我们收到这么多来信。",
        "本周，我们的{plural}系列说到了{name}。",
        "应读者要求，今天我们来说说{name}。",
        "关注{plural}的读者，想必都听说过{name}。",
        "这一季，{name}格外热闹。",
    ),
    say=(
        "对于刚刚关注此事的读者来说，值得再看一眼。",
        "翻一翻登记资料，就能看得更清楚。",
        "我们查阅了本报的资料室。",
        "凡能核实的，我们都已核实。",
        "有些读者可能刚刚留意到这个话题。",
    ),
    quotes=(
        "我们一步一步来，到目前为止这样做都很好",
        "大家看到的是结果，很少看到背后的功夫",
        "关于这件事我听过许多说法，有些还是真的",
        "这需要耐心，也需要朋友的支持",
        "消息传开的时候，你真该看看大家的表情",
        "还有许多事要做，而我乐在其中",
        "不管报上怎么写，这里的人都不图虚名",
        "等秋收以后再来问我，也许我会有更好的答案",
    ),
    speakers=("一位知情人士说", "一位要求匿名的常客说", "一位长期观察者告诉本报", "附近的一位居民说", "一位老行家笑道"),
    closings=(
        "本报将继续关注。",
        "更多内容，请留意本报后续报道。",
        "一如既往，欢迎读者来信。",
        "今后如何变化，且看未来几个月。",
        "相信这个话题还会继续下去。",
    ),
    byline="*{site}，{date}，{desk}*\n\n",
    label="{label}",
    quoted="> “{quote}。”{speaker}。\n\n",
)
_DIRECTORY = Directory(
    openings=(
        "本页按名称顺序列出{plural}。",
        "{site}：{plural}按名称排列，从头到尾。",
        "以下{plural}已登记在册，新的条目随到随增。",
        "按名称排列的名单，点击名称可查看详情。",
        "下面按名称顺序列出{plural}。",
    ),
    footers=("*核对于{date}。*", "*{site}，截至{date}，欢迎指正。*", "*本名单最后核对于{date}，可能并不完整。*"),
    bullets=("- **{name}**", "- {name}", "* {name}"),
    separators=("，", "；", " · ", " / "),
    fact="{separator}{label}：{value}",
)
_DISAMBIGUATION = Disambiguation(
    openings=(
        "**{name}**可以指：",
        "**{name}**可能指以下{plural}：",
        "以**{name}**为名的{plural}不止一个：",
    ),
    footers=(
        "*这是一个消歧义页，罗列名称相同的{plural}。最后编辑于{date}。*",
        "*如果您从某个链接来到本页，欢迎将该链接改为指向具体条目。{date}版本。*",
    ),
    line="- {name}，{a_label}",
    fact="，{label}：{value}",
)
_STATISTICS = Statistics(
    openings=(
        "本表收录已上报的{plural}。",
        "{site}：数据由各{plural}自行上报。",
        "条目按名称排列。",
        "本表便于比较各{plural}。",
    ),
    grouped=(
        "本表按{column}排列；每组的{column}只写在首行，其下各行与之相同。",
        "{site}：按{column}分列，未重复书写者同上。",
        "本表将{plural}按{column}归类，空格及〃表示同上。",
    ),
    notes=(
        "*由{site}编制，{date}。短横表示数据不详。*",
        "*来源：{site}。本表最后修订于{date}。*",
        "*所有数据截至{date}上报。{site}。*",
    ),
    unit="（{unit}）",
)
_MOODS = (
    "安静的", "咸味的", "爱抱怨的", "快活的", "懒散的", "灵巧的", "蒙尘的", "走运的", "瞌睡的", "机灵的",
    "生锈的", "清凉的", "温和的", "匆忙的", "醇厚的", "勇敢的", "结实的", "谦虚的", "狂野的", "好奇的",
)  # fmt: skip
_CREATURES = (
    "苍鹭", "水獭", "獾", "喜鹊", "灯笼", "水壶", "船锚", "卵石", "蓟草", "胡桃",
    "海鹦", "茶壶", "蟋蟀", "土拨鼠", "荆棘", "雪貂", "罗盘", "郁金香", "藤壶", "麻雀",
)  # fmt: skip
_FORUM = Forum(
    titles=(
        "有谁了解{name}？",
        "{name}专帖",
        "关于{name}的问题",
        "来聊聊{name}",
        "{name}，大家印象如何？",
        "想了解{name}，求助",
    ),
    questions=(
        "大家好，我老是听人提到**{name}**，想请了解的朋友说说。",
        "我和朋友为**{name}**打了个赌，我可不想输。你们知道些什么？",
        "我正在写一点关于**{name}**的东西，什么资料都行！",
        "第一次发帖，请多关照。**{name}**有什么可说的？",
        "潜水多年，头一回发帖。有人一直关注**{name}**吗？",
    ),
    remarks=(
        "好问题。",
        "别人也许更清楚，我先说说。",
        "这个以前讨论过，搜一下就有！",
        "啊，我就等着有人问呢。",
        "老实说，这不是我的专长。",
        "乐意帮忙。",
        "仅供参考。",
        "我邻居老是念叨这个。",
        "欢迎！隔两个月就有人问一次。",
        "我正想写同样的话。",
    ),
    asides=("干杯！", "回头见。", "好了，我得去干活了。", "顺便说一句，今天天气真好。", "替我问大家好。", "", ""),
    moods=_MOODS,
    creatures=_CREATURES,
    user="{mood}{creature}",
    post="---\n\n**{user}**发表于{date}：\n\n",
)
_CONTINUED = ContinuedBank(
    openings=("以下接续{name}的页面。", "{name}的后续条目，顺序与第一页相同。", "本页收录{name}接下来的条目。"),
    nothing=("本页暂无{name}的条目。",),
    footers=("*本页最后编辑于{date}。*", "*{site}，截至{date}。*"),
)

CHINESE = Bank(
    plain=_PLAIN,
    casual=_CASUAL,
    encyclopedia=_ENCYCLOPEDIA,
    official=_OFFICIAL,
    news=_NEWS,
    directory=_DIRECTORY,
    disambiguation=_DISAMBIGUATION,
    statistics=_STATISTICS,
    forum=_FORUM,
    continued=_CONTINUED,
    space="",
    page="（第{number}页，共{of}页）",
)
