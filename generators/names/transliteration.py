"""Write Latin names in Chinese characters, and Chinese names in pinyin; and compose names by an expression."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby, pairwise

import pyarrow as pa

from generators.names.cultures import CULTURES
from generators.names.frames import pairs
from generators.names.invented_words import vocabulary
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

_CHINESE = re.compile(r"([\u4e00-\u9fff]+)")
_OPEN = re.compile(r"[aeoāēō]")  # a syllable that begins so is set off: Xi'an is no Xian


def composed(stream: Stream, rows: Rows, *, text: pa.Array | str) -> Texts:
    """Name rows after what an expression gives: `text: "= competition.name || ' ' || year"`.

    That no two come out the same is up to the expression. The name is made of others; nothing is drawn.
    """
    return pa.repeat(text, len(rows)) if isinstance(text, str) else text


def transliterated(stream: Stream, rows: Rows, *, of: pa.Array | str) -> Texts:
    """Write Chinese names in pinyin without tones: 陈维远 gives `Chen Weiyuan`, 鹭湾市 `Luwan`; others stay.

    What is neither a person nor a place is cut into words of two characters: 鹭湾商业银行 gives `Luwan Shangye
    Yinhang`. Two people of the culture `chinese`, or two of its towns, are never written alike.
    """
    given = pa.repeat(of, len(rows)) if isinstance(of, str) else of
    encoded = given.dictionary_encode()
    latin = pa.array([_latin(name) for name in encoded.dictionary.to_pylist()], pa.string())
    return latin.take(encoded.indices)


def _latin(name: str) -> str:
    """Write one name, run of characters by run; what is Latin already stands between."""
    runs = [_words(run) if _CHINESE.fullmatch(run) else run.strip() for run in _CHINESE.split(name)]
    return " ".join(run for run in runs if run)


def _words(text: str) -> str:
    from pypinyin import lazy_pinyin  # takes longer to import than most columns take to draw

    chinese = CULTURES["chinese"]
    if (
        len(text) in (2, 3)
        and text[0] in _family_names()
        and text[-1] not in (*chinese.town_kinds, *chinese.region_kinds)
    ):
        readings = lazy_pinyin(list(text), v_to_u=True)
        return f"{_word(readings[:1])} {_word(readings[1:])}"
    if len(text) > 2 and text[-1] in (*chinese.town_kinds, *chinese.region_kinds):
        return _word(lazy_pinyin(list(text[:-1]), v_to_u=True))
    readings = lazy_pinyin(text, v_to_u=True)
    cuts = [*range(0, max(len(readings) - 1, 1), 2), len(readings)]
    return " ".join(_word(readings[start:end]) for start, end in pairwise(cuts))


def _word(readings: list[str]) -> str:
    """Join syllables into one word with a capital: `xi` and `an` give `Xi'an`."""
    return readings[0].capitalize() + "".join(f"'{one}" if _OPEN.match(one) else one for one in readings[1:])


@lru_cache
def _family_names() -> frozenset[str]:
    return frozenset(vocabulary("chinese", "family").to_pylist())


_DESCRIBED = pairs(
    "New:新 Old:老 Upper:上 Lower:下 Inner:内 Outer:外 Great:大 Little:小 North:北 South:南 East:东 West:西"
    " First:第一次 Second:第二次 Third:第三次 Last:末次 Northern:北方 Winter:冬季 Junior:青年"
)
"""What stands before a name in Chinese as in English."""
_KINDS = pairs(
    # places
    "Lake:湖 River:河 Mount:山 Peak:峰 Horn:峰 Ridge:岭 Fell:岭 Brook:溪 Water:水 Lagoon:泻湖 Bay:湾 Port:港"
    " Cross:十字镇 Ford:渡 Bridge:桥 Green:绿地 Coast:海岸 Highlands:高地 March:边区 Isles:群岛 Island:岛 Isle:岛"
    " Hill:山 Valley:谷 Province:省 District:区 County:郡 Town:镇队 City:城 Central:中央 Harbour:港 Beach:海滩"
    " Forest:森林 Park:公园 Garden:花园"
    # clubs and teams
    " United:联队 FC:足球俱乐部 AC:竞技俱乐部 Academicals:学院队 Albion:阿尔比恩 Argonauts:远航者 Athletic:竞技"
    " Casuals:业余队 Corinthians:科林斯人 Crusaders:十字军 Harriers:猎犬 Mariners:水手 Olympic:奥林匹克 Orient:东方"
    " Pilgrims:朝圣者 Rangers:游骑兵 Rovers:流浪者 Swifts:雨燕 Thistle:蓟花 Union:联盟 Victoria:维多利亚"
    " Wanderers:漫游者 Dynamo:迪纳摩 Fortuna:福图纳 Olympia:奥林匹亚 Racing:竞赛 Sporting:体育 Unity:团结"
    " Herons:苍鹭队 Foxes:狐狸队 Wolverines:狼獾队 Sharks:鲨鱼队 Falcons:猎鹰队 Ravens:渡鸦队"
    # learning
    " Royal:皇家 University:大学 College:学院 Institute:学院 Academy:学院 School:学校 State:州立 Free:自由"
    " Metropolitan:城市 Agriculture:农业 Architecture:建筑 Design:设计 Education:教育 Engineering:工程 Forestry:林业"
    " Languages:语言 Law:法律 Medicine:医学 Mining:矿业 Music:音乐 Science:科学 Technology:科技 Theatre:戏剧"
    " Applied:应用 Arts:艺术 Art:艺术 Maritime:海事 Veterinary:兽医 Studies:研究 Research:研究 Council:理事会"
    " Library:图书馆 Museum:博物馆 Gallery:美术馆 History:历史 Natural:自然 Grammar:文法 High:高级 Primary:小学"
    # what works, pays and plays
    " Bank:银行 Savings:储蓄 Merchant:商人 Mutual:互助 Cooperative:合作 Commercial:商业 Provincial:省立 Farmers:农民"
    " Trust:信托 Credit:信贷 Building:建筑 Society:协会 Company:公司 Ltd:有限公司 Inc:公司 PLC:股份公司 Group:集团"
    " Corporation:公司 Holdings:控股 Partners:合伙公司 Shipping:航运 Steel:钢铁 Brewing:酿酒 Chemical:化工"
    " Electric:电气 Foundry:铸造 Glass:玻璃 Insurance:保险 Optics:光学 Paper:造纸 Publishing:出版 Railway:铁路"
    " Salt:盐业 Textile:纺织 Timber:木材 Trading:贸易 Export:出口 Leather:皮革 Linen:亚麻 Ceramics:陶瓷 Telegraph:电报"
    " Lamp:灯具 Carriage:马车 Joinery:木作 Clockworks:钟表 Airways:航空 Airlines:航空 Air:航空 Aviation:航空"
    " Airport:机场 International:国际 Regional:地区 Station:车站 Line:线 Hotel:酒店 Inn:客栈 Lodge:旅舍 Studio:工作室"
    " Records:唱片 Festival:节 Fair:集市 Cup:杯 Open:公开赛 Championship:锦标赛 Trophy:奖杯赛 League:联赛"
    " Stadium:体育场 Arena:竞技场 Road:路球场 Ground:球场 Lane:巷球场 Oval:椭圆球场 Hall:会堂 Hospital:医院 Party:党"
    " Alliance:联盟 Movement:运动 Ministry:部 Office:局 Department:部 Observatory:天文台"
    # what history tells of
    " Battle:之战 Siege:之围 Treaty:条约 Peace:和约 Accord:协定 Convention:公约 Dynasty:王朝 dynasty:王朝 House:家族"
    " Uprising:起义 Rebellion:叛乱 Famine:饥荒 Flood:水灾 Fire:大火 Earthquake:地震 Plague:瘟疫"
)
"""What stands after a name in Chinese, wherever it stands in English."""
_SMALL = {"the", "and", "a", "an", "in", "on", "at"}
_OF = re.compile(r" (?:of|for|de) (?:the )?")
_PARTS = re.compile(r"&|[–-]|[^\s&–-]+")
_JOINTS = {"&": "与", "–": "—", "-": "—"}


def in_chinese(stream: Stream, rows: Rows, *, of: pa.Array | str) -> Texts:
    """Write Latin names in Chinese characters: `Velomar Rovers` gives 韦洛马尔流浪者; Chinese ones stay.

    A word is always written alike, so that a town and its club show it. Words for kinds of things are translated, all
    others written by their sound. Nothing where a name has other words than capitalised ones.
    """
    given = pa.repeat(of, len(rows)) if isinstance(of, str) else of
    encoded = given.dictionary_encode()
    chinese = pa.array([_chinese(name) for name in encoded.dictionary.to_pylist()], pa.string())
    return chinese.take(encoded.indices)


def _chinese(name: str) -> str | None:
    if not name.isascii() and re.search(r"[\u3400-\u9fff]", name):
        return name
    before, *after = (_ordered(part) for part in _OF.split(name, maxsplit=1))
    if before is None or None in after:
        return None
    names, kinds = before
    inner = "".join(part for pair in after if pair for part in pair)
    return names + inner + kinds if kinds else inner + names


def _ordered(text: str) -> tuple[str, str] | None:
    """Return what is written by its sound, with what describes it, and the kinds that follow; None for other words."""
    names: list[tuple[str, str]] = []
    kinds = ""
    for word in _PARTS.findall(text):
        if word.lower() in _SMALL:
            continue
        if word in _JOINTS:
            names.append(("joint", _JOINTS[word]))
        elif word in _KINDS:
            kinds += _KINDS[word]
        elif word in _DESCRIBED:
            names.append(("described", _DESCRIBED[word]))
        elif word.isdigit():
            names.append(("number", word))
        elif word[0].isupper() and (sound := in_characters(word)):
            names.append(("sound", sound))
        else:
            return None
    joined = [
        ("·" if sort == "sound" else "").join(one for _, one in run) for sort, run in groupby(names, lambda n: n[0])
    ]
    return "".join(joined).strip("—"), kinds


_VOWELS = ("", "a", "e", "i", "o", "u", "ai", "au", "an", "en", "in", "on", "un")
_TABLE = """
_   · 阿 埃 伊 奥 乌 艾 奥 安 恩 因 翁 温
b   布 巴 贝 比 博 布 拜 鲍 班 本 宾 邦 本
p   普 帕 佩 皮 波 普 派 保 潘 彭 平 蓬 蓬
d   德 达 德 迪 多 杜 代 道 丹 登 丁 东 敦
t   特 塔 特 蒂 托 图 泰 陶 坦 滕 廷 通 通
g   格 加 盖 吉 戈 古 盖 高 甘 根 金 贡 贡
k   克 卡 克 基 科 库 凯 考 坎 肯 金 孔 昆
v   夫 瓦 韦 维 沃 武 怀 沃 万 文 温 冯 文
w   夫 瓦 韦 威 沃 伍 怀 沃 万 文 温 翁 文
f   夫 法 费 菲 福 富 法 福 凡 芬 芬 丰 芬
z   兹 扎 泽 齐 佐 祖 宰 藻 赞 曾 津 宗 尊
s   斯 萨 塞 西 索 苏 赛 绍 桑 森 辛 松 孙
th  思 萨 瑟 西 索 苏 赛 绍 桑 森 辛 松 孙
sh  什 沙 谢 希 肖 舒 沙 绍 尚 申 欣 雄 顺
ch  奇 查 切 奇 乔 丘 柴 乔 钱 琴 钦 琼 春
j   季 贾 杰 吉 乔 朱 贾 焦 詹 真 津 容 准
h   赫 哈 赫 希 霍 胡 海 豪 汉 亨 欣 洪 洪
m   姆 马 梅 米 莫 穆 迈 毛 曼 门 明 蒙 蒙
n   恩 纳 内 尼 诺 努 奈 瑙 南 嫩 宁 农 农
l   尔 拉 莱 利 洛 卢 莱 劳 兰 伦 林 隆 伦
r   尔 拉 雷 里 罗 鲁 赖 劳 兰 伦 林 龙 伦
y   伊 亚 耶 伊 约 尤 亚 姚 扬 延 因 永 云
kw  库 夸 奎 奎 阔 库 夸 考 宽 昆 昆 孔 昆
gw  古 瓜 圭 圭 果 古 瓜 高 关 根 金 贡 贡
"""
_ENDINGS = pairs(
    "ford:福德 wick:威克 ham:厄姆 ton:顿 bury:伯里 mouth:茅斯 stead:斯特德 combe:库姆 bridge:布里奇 port:波特"
    " cester:斯特 haven:黑文 pool:普尔 cliffe:克利夫 thorpe:索普 minster:明斯特 mere:米尔 field:菲尔德 market:马基特"
    " hithe:海斯 stoke:斯托克 wold:沃尔德 hampton:汉普顿 staple:斯特普尔 burn:伯恩 croft:克罗夫特 shaw:肖 ridge:里奇"
    " brook:布鲁克 hurst:赫斯特 wright:赖特 worth:沃思 stone:斯通 grave:格雷夫 wood:伍德 smith:史密斯 gate:盖特"
    " hope:霍普 acre:埃克 fellow:费洛 garth:加思 thwaite:思韦特 castle:卡斯尔 shire:希尔 dale:代尔 vale:韦尔"
    " downs:唐斯 fells:费尔斯 moors:穆尔斯 marches:马奇斯 land:兰 well:韦尔 heim:海姆 foss:福斯 fjord:菲尤尔 ley:利"
    " wyn:温 fred:弗雷德 bert:伯特 wald:沃尔德"
)
"""Endings that are not spoken as they are written, and are always written alike."""
_SPELLED = (
    (r"^kn", "n"),
    (r"^wr", "r"),
    (r"wh", "w"),
    (r"ph", "f"),
    (r"tch", "ch"),
    (r"sch", "sh"),
    (r"ck", "k"),
    (r"qu", "kw"),
    (r"x", "ks"),
    (r"gh", ""),
    (r"c(?=[eiy])", "s"),
    (r"c(?!h)", "k"),
    (r"dg(?=e)", "j"),
    (r"dz", "z"),
    (r"ts", "z"),
    (r"([^aeiouy])\1", r"\1"),
    (r"(?<=[^aeiou])[jy](?=[aeiou])", "iy"),
    (r"(?<!^)m(?=[bp])", "n"),
    (r"y(?![aeiou])", "i"),
    (r"aa", "a"),
    (r"(?<=[^aeiouy])e$", ""),
    (r"ee|ea(?=[^aeiou])", "i"),
    (r"oo", "u"),
    (r"a[iy]", "ai"),
    (r"e[iy]", "e"),
    (r"oa", "o"),
    (r"a[uwo](?![aeiou])|o[uw](?![aeiou])", "au"),
    (r"ng(?![aeiouw])", "n"),
)
"""What is spoken in the place of what is written, in order."""


def _read() -> dict[str, str]:
    made: dict[str, str] = {}
    for line in _TABLE.split("\n")[1:-1]:
        head, *characters = line.split()
        made |= {("" if head == "_" else head) + vowel: one for vowel, one in zip(_VOWELS, characters, strict=True)}
    return made


_SYLLABLES = _read()
_SYLLABLE = re.compile(
    r"(kw|gw|th|sh|ch|[bpdtgkvwfzsjhmnlry])?(?:(ai|au|[aeiou])(n(?![aeiouyw]))?)?(?=(.?))", re.IGNORECASE
)


_BY_LENGTH = sorted(_ENDINGS, key=len, reverse=True)


@lru_cache(maxsize=100_000)
def in_characters(word: str) -> str:
    """Write one word by its sound: `Velmar` is 韦尔马尔. What is no Latin letter is left out."""
    plain = unicodedata.normalize("NFKD", word.lower())
    spoken = "".join(letter for letter in plain if letter.isascii() and letter.isalpha())
    ending = next((end for end in _BY_LENGTH if spoken.endswith(end) and len(spoken) > len(end) + 1), "")
    stem = spoken[: len(spoken) - len(ending)]
    for pattern, sound in _SPELLED:
        stem = re.sub(pattern, sound, stem)
    return _syllables(stem) + _ENDINGS.get(ending, "")


def _syllables(text: str) -> str:
    """Cut a word into syllables, from the left, and write each by its character."""
    written, at = "", 0
    while at < len(text):
        found = _SYLLABLE.match(text, at)
        assert found is not None
        onset, vowel, closed = found[1] or "", found[2] or "", found[3] or ""
        if not onset and not vowel:
            at += 1  # a letter that nothing speaks
            continue
        if not onset and written and text[at - 1] == "i" and vowel in ("a", "o", "u"):
            onset = "y"  # Brenania ends in 尼亚
        short = vowel if not closed else {"ai": "a", "au": "o"}.get(vowel, vowel)
        written += _SYLLABLES[f"{onset}{short}{'n' if closed else ''}"].replace("·", "")
        at = found.end()
    return written
