"""Names of journals and conferences, and titles of papers, by field."""

from __future__ import annotations

import pyarrow as pa

from generators.names.fields import FIELDS
from generators.names.frames import ByLanguage, Frames, framed_by, words
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

JOURNALS: ByLanguage = {
    "en": Frames(
        (
            "{place} Journal of {topic}",
            "{region} Review of {topic}",
            "Annals of {topic} ({place})",
            "{family} Letters in {topic}",
            "Transactions of the {region} Society for {topic}",
        ),
        again=("{}, Series B", "{}, Series C", "{} Supplements", "New {}"),
    ),
    "zh": Frames(
        ("{place}{topic}学报", "{region}{topic}评论", "{place}{topic}通讯"), again=("{}乙辑", "{}丙辑", "新{}")
    ),
}
CONFERENCES: ByLanguage = {
    "en": Frames(
        (
            "{place} Symposium on {topic}",
            "{region} Conference on {topic}",
            "{family} Workshop on {topic}",
            "{place} Summer School in {topic}",
        ),
        again=("{} (Satellite Meeting)", "Young Researchers' {}", "Joint {}"),
    ),
    "zh": Frames(
        ("{place}{topic}研讨会", "{region}{topic}大会", "{place}{topic}论坛"), again=("{}分会", "青年{}", "联合{}")
    ),
}
_CLAIMS = words(
    "Evidence, Limits, Lessons, New Results, Open Questions, a Benchmark, a Reappraisal, a Survey, a Theory"
)
_CLAIMS_ZH = words("证据 局限 经验 新结果 未决问题 基准 重估 综述 理论")
PAPERS: ByLanguage = {
    "en": Frames(
        (
            "{topic} {setting}: {claim} from {place}",
            "{topic} {setting}: {claim} through {method}",
            "{method} and {topic} {setting}: the {place} Data",
            "The {family} Hypothesis of {topic} {setting}",
            "What {method} Can Say of {topic} in {region}",
        ),
        {"claim": _CLAIMS},
        ("{} (Part II)", "{} (Part III)", "{}: a Replication", "{}: a Comment", "{}: a Reply"),
    ),
    "zh": Frames(
        (
            "{setting}的{topic}：来自{place}的{claim}",
            "{setting}的{topic}：基于{method}的{claim}",
            "{method}与{setting}的{topic}：以{place}为例",
            "{region}的{topic}：{method}的{claim}",
        ),
        {"claim": _CLAIMS_ZH},
        ("{}（二）", "{}（三）", "再论{}", "{}：商榷", "{}：答复"),
    ),
}


def journal(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name journals of a field (one for all, one a row, or any): `Velomar Journal of Cave Beetles`, 鹭湾洞穴甲虫学报.

    Hundreds of thousands a field, no two the same. Raises InputError for an unknown field.
    """
    return framed_by(stream, rows, culture, JOURNALS, FIELDS, field, "field")


def conference(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Name conferences of a field: `Velomar Symposium on Query Rewriting`, 鹭湾查询改写研讨会.

    Tens of thousands a field or more, no two the same. Raises InputError for an unknown field.
    """
    return framed_by(stream, rows, culture, CONFERENCES, FIELDS, field, "field")


def paper(stream: Stream, rows: Rows, *, field: pa.Array | str | None = None, culture: str = "sarnese") -> Texts:
    """Title papers of a field: `Bank Runs during Deflation: Evidence from Velomar`, 通缩时期的银行挤兑：综述.

    Some 40,000 a field, then five more parts and answers of each; no two the same.
    Raises InputError for an unknown field.
    """
    return framed_by(stream, rows, culture, PAPERS, FIELDS, field, "field")
