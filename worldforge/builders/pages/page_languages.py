"""Pages in several languages: what columns are called in each, and how it writes their cells.

The world's first language is what its tables are in: pages of it write the cells as they are. For every other language
that a kind of page has, columns whose cells it writes in another way (dates, yes and no, options) have a version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedTables, labelled
from worldforge.core.columns import ARROW_TYPES
from worldforge.schema.column_paths import built_in_columns
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.translations import BUILT_IN, is_in, labels_in_language, options_in
from worldforge.world.value_text import as_written, read_value

_CHINESE: Mapping[str, str] = {
    "Next page": "下一页",
    "Previous page": "上一页",
    "{plural}{of_group}": "{of_group}{plural}",
    "{plural}{of_group} in figures": "{of_group}{plural}统计",
    "{plural}{of_group} (sheet)": "{of_group}{plural}（表格）",
    "A companion to the {plural}{of_group}": "{of_group}{plural}漫谈",
    "{plural}{of_group}, as people tell it": "众人口中的{of_group}{plural}",
    "Yearbook: {plural}{of_group}": "年鉴：{of_group}{plural}",
    " of {group}": "{group}的",
    "{group} (disambiguation)": "{group}（消歧义）",
    "All {plural}": "{plural}总表",
    "{plural} by {column}": "{plural}：按{column}",
    "{plural} ranked by {column}": "{plural}{column}排行",
    "(year)": "年",
    "Encyclopedia": "百科",
    "Pages": "网页",
    "Herald": "新闻报",
    "Directory": "名录",
    "Index": "索引",
    "Site map": "网站地图",
    "Web Archive": "网页存档",
    "Rankings": "排行榜",
    "Statistics": "统计",
    "Forum": "论坛",
    "Trade Review": "行业周刊",
    "Fan Wiki": "粉丝百科",
    "Talk": "访谈",
    "Help": "问答",
    "Newsroom": "新闻稿",
    "Chronicle": "纪事",
    "Companion": "漫谈",
    "Voices": "口述",
    "Yearbook": "年鉴",
    "Reviews": "点评",
    "Papers": "文件",
    "Reader": "文摘",
    "Shop": "商店",
    "Digest": "文摘",
    "Wiki": "维基",
    "Board": "公告板",
    "Tracker": "工单",
    "Files": "文件",
}
"""The words of pages that stand in no generator's bank."""


@dataclass(frozen=True, slots=True)
class PageLanguage:
    """A language of a world's pages: the spec as it is spoken of there, and the codes of versions, by column's code."""

    language: Language
    spec: WorldSpec
    columns: Mapping[str, Mapping[str, ColumnInfo]]
    """By table and name, as they are called."""
    codes: Mapping[int, int] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    """How the options that tables hold are written."""

    def restated(self, column: ColumnInfo, cells: pa.Array) -> pa.Array:
        """Write cells of a column, given as pages of the first language write them, as this language does."""
        encoded = cells.dictionary_encode()
        return _written_anew(encoded.dictionary, column, self.options, self.language).take(encoded.indices)

    @property
    def gap(self) -> str:
        """What stands between a figure and its unit."""
        return "" if self.language == "zh" else " "

    def word(self, english: str) -> str:
        """Return one of the words that pages have whatever they are about."""
        if self.language == "zh":
            return _CHINESE.get(english, english)
        return "" if english == "(year)" else english

    def heading(self, form: str, plural: str, group_type: str | None) -> str:
        """Return what lists of `plural` are called, with `{group}` where a group's name stands, if they have one.

        In running text that name may have an article before it: `Battles of the {group}`.
        """
        of_group = self.word(" of {group}") if group_type is not None else ""
        words = self.spec.books[self.language].types.get(group_type) if self.language in self.spec.books else None
        if words is not None and words.before_name:
            of_group = of_group.replace("{group}", f"{words.before_name} {{group}}")
        heading = self.word(form).replace("{plural}", plural).replace("{of_group}", of_group)
        return heading[:1].upper() + heading[1:]


def site_title(spec: WorldSpec, language: Language, site: str | None, sort: str) -> str:
    """Return what a site is called in a language: as the spec says, else after the world and the sort of its pages."""
    told = labels_in_language(spec, language)
    given = told.sites[site].title if site is not None else ""
    if language == "zh":
        return given or f"{told.title if is_in(told.title, language) else ''}{_CHINESE.get(sort, sort)}"
    return given or f"{told.name} {site or sort}".replace("_", " ").title()


def in_page_languages(
    spec: WorldSpec, written: RenderedTables, code_from: Path | None
) -> tuple[RenderedTables, dict[Language, PageLanguage]]:
    """Give every language that a kind of page has its page_language, and the tables the versions that those need."""
    first, page_languages = spec.languages[0], {}
    for language in dict.fromkeys(kind.language or first for kind in spec.pages.values()):
        told = labels_in_language(spec, language)
        columns = {name: _labelled(told, name, language, code_from) for name in written.tables}
        page_language = PageLanguage(language, told, columns, options=options_in(spec, language))
        versions = _versions(written, page_language) if language != first else {}
        codes = {code: written.n_codes + place for place, code in enumerate(versions)}
        page_languages[language] = replace(page_language, codes=codes)
        written = written.with_versions(list(versions.values())) if versions else written
    return written, page_languages


def _labelled(spec: WorldSpec, table: str, language: Language, code_from: Path | None) -> dict[str, ColumnInfo]:
    columns = columns_of(spec, table, code_from)
    for name in built_in_columns(spec, table):
        columns[name] = replace(columns[name], label=BUILT_IN[language].get(name, columns[name].label))
    return {name: labelled(spec, table, column) for name, column in columns.items()}


def _versions(written: RenderedTables, page_language: PageLanguage) -> dict[int, ColumnVersion]:
    """Write the columns anew whose cells another language writes in another way, by their codes."""
    versions = {}
    for table in written.tables.values():
        for one in table.columns.values():
            if one.column.references is None and one.column.name != "name":
                cells = written.values(one.code, np.arange(table.n_rows))
                anew = page_language.restated(one.column, cells)
                if not anew.equals(cells):
                    versions[one.code] = ColumnVersion(one.code, anew, "restated")
    return versions


def _written_anew(texts: pa.Array, column: ColumnInfo, options: Mapping[str, str], language: Language) -> pa.Array:
    if column.kind == "text":
        return pa.array([options.get(text, text) for text in texts.to_pylist()], pa.string())
    if column.kind in ("date", "boolean"):
        values = [read_value(text, column.kind) for text in texts.to_pylist()]
        return as_written(pa.array(values, ARROW_TYPES[column.kind]), column.kind, language)
    return texts
