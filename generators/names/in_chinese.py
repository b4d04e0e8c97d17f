"""Latin names in Chinese characters: what a name is made of by its sound, what kind of thing it is by its meaning.

Velomar                  韦洛马尔
Alvano Barabesko         阿尔瓦诺·巴拉贝斯科
University of Velomar    韦洛马尔大学
Velomar Rovers           韦洛马尔流浪者
"""

from __future__ import annotations

import re
from itertools import groupby

import pyarrow as pa

from generators.names.frames import pairs
from generators.names.sounds import in_characters
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

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
