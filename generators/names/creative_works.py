"""Titles of works by genre, names of those who make music, and of what is awarded; no noun serves two genres."""

from __future__ import annotations

from typing import Literal, get_args

import pyarrow as pa

from generators.names.frames import ByLanguage, Frames, Kind, Kinds, framed, framed_by, words
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

MUSICAL = frozenset({"classical", "electronic", "folk", "jazz", "pop", "rock"})


def _genre(adjectives: str, nouns: str, adjectives_zh: str, nouns_zh: str) -> Kind:
    return {
        "en": {"adjective": words(adjectives), "noun": words(nouns)},
        "zh": {"adjective": words(adjectives_zh), "noun": words(nouns_zh)},
    }


GENRES: Kinds = {
    "adventure": _genre(
        "Boundless Daring Hidden Perilous Trackless Windward",
        "Compass Expedition Passage Caravan Summit Voyage Map Treasure Rapids Outpost",
        "无边的 隐秘的 险峻的 未知的",
        "远航 罗盘 秘道 商队 雪峰 藏宝图 激流 驿站",
    ),
    "comedy": _genre(
        "Accidental Cheerful Clumsy Improbable Reluctant Unlucky",
        "Bachelor Landlord Picnic Understudy Waiter Wedding Lodger Poodle Umbrella Brass-Band",
        "意外的 快活的 倒霉的 荒唐的",
        "房客 婚礼 野餐 厨子 雨伞 阳台 喇叭 老板娘",
    ),
    "documentary": _genre(
        "Annotated Measured Ordinary Patient Recorded Unseen",
        "Archive Census Fieldwork Harvests Notebook Portraits Shoreline Testimony Workshop Migration",
        "寻常的 耐心的 记录中的 未见的",
        "档案 田野 收成 笔记 海岸线 证词 作坊 迁徙",
    ),
    "drama": _genre(
        "Broken Distant Fading Quiet Unspoken Withheld",
        "Daughters Farewell Inheritance Kitchen Letters Neighbours Orchard Promise Silence Staircase",
        "破碎的 遥远的 无言的 褪色的",
        "女儿 告别 家书 邻居 果园 诺言 沉默 楼梯",
    ),
    "family": _genre(
        "Curious Friendly Gentle Little Runaway Sleepy",
        "Badger Balloon Kitten Puppet Sandcastle Sledge Snowman Teapot Toymaker Treehouse",
        "好奇的 小小的 贪睡的 温柔的",
        "气球 小猫 木偶 沙堡 雪橇 茶壶 树屋 玩具匠",
    ),
    "fantasy": _genre(
        "Enchanted Moonlit Sevenfold Spellbound Thrice-Crowned Wandering",
        "Amulet Cauldron Dragon Griffin Oracle Runes Sceptre Sorcerer Warden Wyvern",
        "月下的 魔咒的 七重的 流浪的",
        "护符 龙骑 神谕 符文 权杖 术士 守望者 秘境",
    ),
    "history": _genre(
        "Ancestral Crowned Exiled Feudal Imperial Vanished",
        "Ambassador Chancellor Chronicle Coronation Court Envoy Regent Scribe Throne Tribute",
        "流亡的 加冕的 帝国的 消逝的",
        "使节 宰相 编年史 宫廷 摄政 史官 王座 贡品",
    ),
    "horror": _genre(
        "Buried Crawling Hollow Pallid Starless Whispering",
        "Cellar Crypt Fog Gallows Mirror Nursery Revenant Scarecrow Séance Well",
        "苍白的 低语的 无星的 空洞的",
        "地窖 墓穴 浓雾 铜镜 稻草人 古井 纸人 夜客",
    ),
    "mystery": _genre(
        "Borrowed Counterfeit Forgotten Locked Missing Vanishing",
        "Alibi Cipher Clue Envelope Heirloom Inquest Keyhole Manuscript Suspect Witness",
        "上锁的 伪造的 失踪的 遗忘的",
        "密码 线索 信封 传家宝 钥匙孔 手稿 嫌疑人 证人",
    ),
    "romance": _genre(
        "Autumnal Beloved Perfumed Secret Tender Unexpected",
        "Bouquet Courtship Embrace Garden Honeymoon Kiss Ribbon Sonnet Suitor Waltz",
        "秋日的 心爱的 温存的 秘密的",
        "花束 拥抱 花园 蜜月 丝带 情诗 圆舞曲 信笺",
    ),
    "science_fiction": _genre(
        "Asynchronous Cryogenic Interstellar Orbital Synthetic Weightless",
        "Android Asteroid Colony Comet Hypothesis Nebula Reactor Satellite Signal Starship",
        "轨道上的 合成的 失重的 星际的",
        "机器人 小行星 殖民地 彗星 星云 反应堆 信号 星舰",
    ),
    "thriller": _genre(
        "Classified Desperate Double Fugitive Ruthless Sleepless",
        "Agent Ambush Blackout Courier Deadline Defector Hostage Informant Protocol Ransom",
        "绝密的 亡命的 无眠的 双重的",
        "特工 伏击 停电 信使 期限 人质 线人 赎金",
    ),
    "war": _genre(
        "Besieged Bitter Frozen Scorched Valiant Weary",
        "Armistice Barricade Battalion Brigade Campaign Convoy Frontline Regiment Trench Truce",
        "围城的 冰封的 焦土的 疲惫的",
        "停战 路障 营队 战役 护航队 前线 战壕 军号",
    ),
    "classical": _genre(
        "Solemn Pastoral Nocturnal Ceremonial Elegiac Festive",
        "Cantata Concerto Divertimento Elegy Fugue Nocturne Overture Partita Serenade Suite",
        "庄严的 田园的 夜色的 节庆的",
        "协奏曲 序曲 夜曲 小夜曲 组曲 赋格 哀歌 康塔塔",
    ),
    "electronic": _genre(
        "Digital Fluorescent Magnetic Neon Pulsing Static",
        "Circuit Feedback Frequency Oscillator Pixel Radar Sequence Transistor Voltage Waveform",
        "荧光的 霓虹的 脉动的 磁性的",
        "电路 回授 频率 振荡器 像素 雷达 序列 电压",
    ),
    "folk": _genre(
        "Barefoot Homeward Rustling Salted Wayworn Wintering",
        "Ballad Drover Ferryman Haystack Lullaby Miller Ploughman Shanty Shepherd Weaver",
        "赤脚的 归乡的 风中的 咸涩的",
        "牧歌 船夫 草垛 摇篮曲 磨坊 犁人 渔歌 织女",
    ),
    "jazz": _genre(
        "Blue-Lit Easygoing Midnight Rainy Smoky Velvet",
        "Alley Boulevard Cadence Cigarette Improvisation Lounge Nightcap Saxophone Streetcar Swing",
        "午夜的 烟雾的 丝绒的 雨中的",
        "小巷 大道 即兴 香烟 酒廊 萨克斯 电车 摇摆",
    ),
    "pop": _genre(
        "Bubbling Candy-Coloured Dazzling Dizzy Glittering Sunlit",
        "Boyfriend Carousel Confetti Daydream Dancefloor Heartbeat Lipstick Poolside Summer Sweetheart",
        "闪亮的 糖果色的 眩晕的 阳光的",
        "旋转木马 彩纸 白日梦 舞池 心跳 口红 泳池 夏天",
    ),
    "rock": _genre(
        "Burning Electric Furious Reckless Rusty Thundering",
        "Amplifier Dynamite Engine Gasoline Highway Hurricane Outlaw Rebel Thunder Wrecking-Ball",
        "燃烧的 狂怒的 生锈的 雷鸣的",
        "引擎 汽油 公路 飓风 逃犯 叛徒 惊雷 吉他",
    ),
}

IN_CHINESE = {
    "冒险": "adventure",
    "喜剧": "comedy",
    "纪录": "documentary",
    "剧情": "drama",
    "家庭": "family",
    "奇幻": "fantasy",
    "历史": "history",
    "恐怖": "horror",
    "悬疑": "mystery",
    "爱情": "romance",
    "科幻": "science_fiction",
    "惊悚": "thriller",
    "战争": "war",
    "古典": "classical",
    "电子": "electronic",
    "民谣": "folk",
    "爵士": "jazz",
    "流行": "pop",
    "摇滚": "rock",
}
"""What the genres are called where a world's options are in Chinese."""
CALLED: Kinds = {**GENRES, **{chinese: GENRES[genre] for chinese, genre in IN_CHINESE.items()}}


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
    "Almanacs Barometers Bellringers Bicycles Cartographers Chandeliers Corduroys Ferrymen Foxgloves Gramophones"
    " Haberdashers Harlequins Hedgehogs Lamplighters Magpies Metronomes Nightjars Overcoats Pamphlets Parasols"
    " Periscopes Pinwheels Sextants Sundials Tambourines Tangerines Thimbles Turnstiles Weathervanes Windmills"
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
