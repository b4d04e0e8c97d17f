"""How a Latin word sounds in Chinese characters: consonants by vowels, as tables of transcription have them.

The table follows the practice of Chinese newspapers (译音表): a character for each consonant with each vowel, one for
the consonant alone, and one where the vowel is closed by `n`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from generators.names.frames import pairs

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
