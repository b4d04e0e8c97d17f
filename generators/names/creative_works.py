"""Titles of works, names of those who make music, and of what is awarded."""

from __future__ import annotations

from typing import Literal, get_args

import pyarrow as pa

from generators.names.frames import ByLanguage, Frames, framed, framed_by, words
from generators.names.genres import CALLED, GENRES, MUSICAL
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

Form = Literal["film", "series", "book", "song", "album", "game"]
_SEQUELS = ("{} II", "{} III", "{} IV", "{} V", "{} VI")
_SEQUELS_ZH = ("{}二", "{}三", "{}四", "{}五", "{}六")


def _titles(english: tuple[str, ...], chinese: tuple[str, ...]) -> ByLanguage:
    return {"en": Frames(english, again=_SEQUELS), "zh": Frames(chinese, again=_SEQUELS_ZH)}


TITLES: dict[str, ByLanguage] = {
    "film": _titles(
        (
            "The {noun} of {place}",
            "The {adjective} {noun} of {place}",
            "{given} and the {adjective} {noun}",
            "The {family} {noun}",
            "{given}'s {noun}",
            "Return to {place}: The {noun}",
        ),
        ("{place}{noun}", "{place}的{noun}", "{given}与{adjective}{noun}", "{adjective}{place}{noun}"),
    ),
    "series": _titles(
        (
            "{place} {noun}",
            "The {family} {noun}",
            "{adjective} in {place}",
            "{given} and the {noun}",
            "{place}: {noun}",
        ),
        ("{place}{noun}", "{noun}在{place}", "{given}和{adjective}{noun}", "{place}{noun}录"),
    ),
    "book": _titles(
        (
            "The {adjective} {noun} of {given} {family}",
            "The {noun} at {place}",
            "{place} and the {adjective} {noun}",
            "What {given} Knew of the {noun}",
            "A History of the {place} {noun}",
        ),
        ("{place}{noun}", "{given}的{adjective}{noun}", "{adjective}{noun}：{place}旧事", "{place}{noun}札记"),
    ),
    "song": _titles(
        (
            "{given}'s {noun}",
            "{adjective} {noun} in {place}",
            "{noun} for {given}",
            "Leaving {place} ({adjective} {noun})",
            "{given}, My {adjective} {noun}",
        ),
        ("{place}{noun}", "{given}的{noun}", "{adjective}{given}", "再见{place}{noun}"),
    ),
    "album": _titles(
        (
            "{place} {noun}",
            "{adjective} {place}",
            "The {noun} of {given}",
            "{noun} at {place}",
            "{adjective} {noun}: {place}",
        ),
        ("{place}{noun}", "{adjective}{place}", "{noun}在{place}", "{given}的{noun}"),
    ),
    "game": _titles(
        (
            "{place}: {adjective} {noun}",
            "{noun} of {place}",
            "{given} and the {adjective} {noun}",
            "{region} {noun}",
            "Legends of {place}: The {noun}",
        ),
        ("{place}{noun}", "{region}{noun}", "{given}传说：{adjective}{noun}", "{place}物语：{noun}"),
    ),
}
_BANDS = words(
    "Almanacs Barometers Bellringers Bicycles Cartographers Chandeliers Corduroys Ferrymen Foxgloves"
    " Gramophones Haberdashers"
    " Harlequins Hedgehogs Lamplighters Magpies Metronomes Nightjars Overcoats Pamphlets Parasols Periscopes Pinwheels"
    " Sextants Sundials Tambourines Tangerines Thimbles Turnstiles Weathervanes Windmills"
)
BANDS: ByLanguage = {
    "en": Frames(
        ("The {place} {band}", "{given} and the {band}", "{place} Ensemble", "{family} Quartet", "The {family} {band}"),
        {"band": _BANDS},
        ("New {}", "{} Revival", "{} Collective"),
    ),
    "zh": Frames(
        ("{place}{band}", "{given}与{band}", "{given}{kind}"),
        {
            "band": words(
                "气压计 萤火虫 留声机 风向标 点灯人 节拍器 向日葵 潜望镜 纸飞机 老唱片 铃鼓 橘子 夜莺 灯塔 邮差"
            ),
            "kind": words("乐队 乐团 组合 四重奏 合唱团 三人行"),
        },
        ("新{}", "{}二重奏", "老{}"),
    ),
}
_ARTS = words(
    "Acting Architecture Broadcasting Cinematography Composition Criticism Dance Design Drama Editing Essays Fiction"
    " Illustration Journalism Letters Music Painting Photography Poetry Screenwriting Sculpture Song Translation"
)
_ARTS_ZH = words(
    "表演 建筑 摄影 作曲 评论 舞蹈 设计 戏剧 剪辑 散文 小说 插画 新闻 文学 音乐 绘画 诗歌 编剧 雕塑 翻译 科学 医学 数学"
)
AWARDS: ByLanguage = {
    "en": Frames(
        (
            "{family} Prize for {art}",
            "{place} Award for {art}",
            "{family} Medal",
            "Golden {thing} of {place}",
            "{region} {art} Prize",
        ),
        {
            "art": _ARTS,
            "thing": words("Anchor Bell Comet Feather Harp Key Lantern Laurel Pear Quill Rose Sail Swan Wheel"),
        },
        ("Grand {}", "Junior {}", "International {}", "{} of Honour"),
    ),
    "zh": Frames(
        ("{place}{art}奖", "{place}金{thing}奖", "{region}{art}奖"),
        {"art": _ARTS_ZH, "thing": words("锚 钟 羽 琴 钥 灯 桂 笔 玫瑰 帆 天鹅 轮 穗 鹿")},
        ("新{}", "青年{}", "国际{}"),
    ),
}


def title(
    stream: Stream,
    rows: Rows,
    *,
    form: Form = "film",
    genre: pa.Array | str | None = None,
    culture: str = "sarnese",
) -> Texts:
    """Name works of a form (film, series, book, song, album, game): `The Locked Manuscript of Velomar`, 鹭湾的手稿.

    The words are the genre's (one for all rows, one a row, or any that suits). Hundreds of thousands a genre, tens of
    thousands in Chinese, then `II` and so on; no two of a form the same. Raises InputError for an unknown form or
    genre.
    """
    if form not in TITLES:
        raise InputError(f"unknown form `{form}`", f"choose among {', '.join(get_args(Form))}")
    musical = form in ("song", "album")
    usual = {name: pools for name, pools in GENRES.items() if (name in MUSICAL) == musical}
    return framed_by(stream, rows, culture, TITLES[form], usual if genre is None else CALLED, genre, "genre")


def band(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name bands and ensembles: `The Velomar Lamplighters`, 鹭湾点灯人. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, BANDS)


def award(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name awards: `Barabesko Prize for Poetry`, 鹭湾金帆奖. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, AWARDS)
