"""How pages of an organisation's intranet put things, a bank a language: `INTRANETS["zh"].tickets`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generators.pages.banks.wording_bank import Texts


@dataclass(frozen=True, slots=True)
class Intranet:
    """Wordings of wikis, memos, tickets and sheets, with the words and lines that such pages always have."""

    teams: Texts
    statuses: Texts
    wiki_head: str
    wiki_status: str
    wiki_openings: Texts
    glance: str
    kind: str
    notes: str
    related: str
    history: str
    changes: Texts
    fact: str
    subjects: Texts
    memo_head: str
    memo_leads: Texts
    memo_ends: Texts
    tickets: Texts
    ticket_head: str
    asked: Texts
    states: Texts
    priorities: Texts
    comment: str
    answers: Texts
    ticket_ends: Texts
    exported: str


_ENGLISH = Intranet(
    teams=(
        "Records", "Field Liaison", "Second Floor", "Planning", "Accounts", "Archive", "Research", "Front Office",
        "Compliance", "Night Shift", "Operations", "Data Desk",
    ),
    statuses=("Reviewed", "Draft", "Reviewed, next review due in a year", "Approved", "In review"),
    wiki_head="*{site} › {plural} · kept by {team} · edited {date}*\n\n",
    wiki_status="**Status:** ",
    wiki_openings=(
        "This page is what we have on the subject; please correct it where you know better.",
        "Put together from our files and from what colleagues have told us.",
        "Started as notes for a handover, kept up since.",
        "Moved here from the shared drive, with small corrections.",
        "For background. Figures are from our own register unless it says otherwise.",
    ),
    glance="At a glance",
    kind="- Kind: {label}\n",
    notes="Notes",
    related="Related pages",
    history="Page history",
    changes=(
        "- checked against the register\n- wording",
        "- moved from the old wiki\n- table added",
        "- figures brought up to date\n- broken links taken out",
        "- page created\n- reviewed by a second pair of eyes",
        "- merged with the notes of the Archive team",
    ),
    fact="- {label}: {value}\n",
    subjects=(
        "{name}: for your information",
        "Note on {name}",
        "{name} – what to know before the meeting",
        "Briefing: {name}",
        "Question from the board about {name}",
    ),
    memo_head="**From:** {team}  \n**To:** all staff  \n**Date:** {date}\n\n",
    memo_leads=(
        "Several of you have asked about **{name}**, so here it is in one place.",
        "Ahead of next week, a short note on **{name}**.",
        "For those who did not make it to the round on Monday: we talked about **{name}**.",
        "We keep getting calls about **{name}**. Please use the following when you answer.",
    ),
    memo_ends=(
        "Please do not pass this on outside the house.",
        "Come by if anything is unclear.",
        "The wiki has the rest.",
        "Corrections to the Records team, please.",
    ),
    tickets=(
        "Check our entry for {name}",
        "{name}: somebody please confirm the register",
        "Data request concerning {name}",
        "{name} – entry incomplete?",
    ),
    ticket_head="| Status | Priority | Team | Opened |\n|:---|:---|:---|:---|\n"
    "| {state} | {priority} | {team} | {date} |\n\n",
    asked=(
        "A client asked about **{name}** and our entry looked thin. Could somebody confirm what we hold?",
        "I need the entry for **{name}** for a report. What do we have?",
        "The nightly check flagged **{name}**. Please go through the entry once.",
    ),
    states=("Closed", "Resolved", "Closed, no change needed", "Waiting for review"),
    priorities=("low", "normal", "normal", "high"),
    comment="**{team}:** ",
    answers=("From the register.", "Had a look.", "Went through the file.", "Asked around.", "This is what I found."),
    ticket_ends=("Closing.", "Closing unless somebody objects.", "Over to review.", "Done from my side."),
    exported="*Exported from {site} on {date}.*",
)  # fmt: skip
_CHINESE = Intranet(
    teams=(
        "档案组", "外勤联络组", "二楼办公室", "规划组", "财务组", "资料室", "研究组", "前台",
        "合规组", "夜班", "运营组", "数据组",
    ),
    statuses=("已审核", "草稿", "已审核，一年后复核", "已批准", "审核中"),
    wiki_head="*{site} › {plural} · 维护：{team} · 编辑于{date}*\n\n",
    wiki_status="**状态：** ",
    wiki_openings=(
        "本页汇总我们掌握的情况，如有出入，请直接更正。",
        "根据内部档案和同事提供的情况整理。",
        "最初是交接笔记，此后一直有人维护。",
        "由共享盘迁入，略有订正。",
        "仅供内部参考。除另有说明外，数据均出自本单位登记册。",
    ),
    glance="一览",
    kind="- 类别：{label}\n",
    notes="说明",
    related="相关页面",
    history="页面历史",
    changes=(
        "- 与登记册核对\n- 文字修订",
        "- 由旧维基迁入\n- 补充表格",
        "- 更新数据\n- 清理失效链接",
        "- 新建页面\n- 经他人复核",
        "- 与资料室的笔记合并",
    ),
    fact="- {label}：{value}\n",
    subjects=(
        "{name}：情况通报",
        "关于{name}的说明",
        "{name}：会前须知",
        "简报：{name}",
        "理事会询问{name}一事",
    ),
    memo_head="**发件：** {team}  \n**收件：** 全体员工  \n**日期：** {date}\n\n",
    memo_leads=(
        "近来好几位同事问起**{name}**，现将情况汇总如下。",
        "下周会议之前，先就**{name}**作简要说明。",
        "周一例会谈到**{name}**，未到会的同事请看这里。",
        "不断有人来电询问**{name}**，答复时请以下列内容为准。",
    ),
    memo_ends=(
        "以上内容请勿外传。",
        "如有疑问，欢迎面谈。",
        "其余内容见维基。",
        "如有更正，请联系档案组。",
    ),
    tickets=(
        "请核对{name}的条目",
        "{name}：请确认登记内容",
        "关于{name}的资料申请",
        "{name}的条目是否完整？",
    ),
    ticket_head="| 状态 | 优先级 | 小组 | 提交日期 |\n|:---|:---|:---|:---|\n"
    "| {state} | {priority} | {team} | {date} |\n\n",
    asked=(
        "有客户问起**{name}**，我们的条目内容偏少，请确认现有资料。",
        "写报告需要**{name}**的条目，我们手上有哪些资料？",
        "夜间检查标出了**{name}**，请把该条目过一遍。",
    ),
    states=("已关闭", "已解决", "已关闭，无需修改", "待复核"),
    priorities=("低", "普通", "普通", "高"),
    comment="**{team}：** ",
    answers=("以下出自登记册。", "看过了。", "翻了一遍档案。", "问了几位同事。", "查到的情况如下。"),
    ticket_ends=("关闭。", "如无异议，即行关闭。", "转交复核。", "我这边处理完了。"),
    exported="*{date}导出自{site}。*",
)  # fmt: skip

INTRANETS: Mapping[str, Intranet] = {"en": _ENGLISH, "zh": _CHINESE}
