"""Names of dishes and restaurants."""

from __future__ import annotations

from generators.names.frames import ByLanguage, Frames, framed, words
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts

DISHES: ByLanguage = {
    "en": Frames(
        (
            "{place}-style {base} {way}",
            "{manner} {base} with {side} and {sauce}",
            "{family} {base} {way}",
            "{region} {base} with {side}",
            "{given}'s {manner} {base}",
        ),
        {
            "base": words(
                "artichoke, aubergine, barley, bean, beef, beetroot, carp, cauliflower, chestnut, chicken, crab, duck,"
                " eel, fennel, goat, goose, hare, kid, lamb, leek, lentil, mushroom, mussel, octopus, onion, oyster,"
                " partridge, perch, pheasant, pork, potato, pumpkin, rabbit, sardine, spinach, squid, trout, turnip,"
                " veal, venison"
            ),
            "way": words(
                "broth, casserole, dumplings, fritters, gratin, hotpot, noodles, pancakes, pie, pudding, ragout, roll,"
                " salad, sausage, skewers, soup, stew, tart, terrine, turnover"
            ),
            "manner": words("Baked Braised Charred Cured Glazed Grilled Pickled Poached Roasted Smoked Spiced Stuffed"),
            "side": words(
                "almonds, apples, barley groats, black rice, capers, celery, chard, chickpeas, dried figs, juniper"
                " berries, kohlrabi, olives, pears, pine nuts, plums, quince, radishes, sorrel, walnuts, wild garlic"
            ),
            "sauce": words(
                "anchovy butter, burnt cream, cider vinegar, dill oil, ginger syrup, honey mustard, horseradish cream,"
                " lemon salt, mint yoghurt, nettle pesto, onion jam, pepper sauce, rye crumbs, saffron broth,"
                " walnut sauce"
            ),
        },
        ("Cold {}", "Little {}", "Festive {}", "Old-fashioned {}"),
    ),
    "zh": Frames(
        ("{place}{manner}{base}", "{given}{manner}{base}", "{place}{side}{base}{way}", "{region}{side}{base}{way}"),
        {
            "base": words(
                "豆腐 牛肉 羊排 鲫鱼 鳜鱼 河虾 鸭 鸡 鹅 猪蹄 排骨 茄子 冬瓜 莲藕 春笋 香菇 芋头 土豆 白菜 螺蛳"
                " 鳝鱼 兔肉 腊肉 豆干"
            ),
            "manner": words("红烧 清蒸 爆炒 干煸 酱焖 盐焗 糟溜 烟熏 白灼 油淋 糖醋 酥炸"),
            "side": words("酸菜 花椒 陈皮 桂花 紫苏 豆豉 腐乳 梅干菜 荷叶 茶香 葱油 蒜蓉 姜汁 山药 板栗 枸杞"),
            "way": words("煲 羹 饼 面 饭 锅 卷 汤 粥 饺"),
        },
        ("小{}", "老{}", "新派{}", "家常{}"),
    ),
}
RESTAURANTS: ByLanguage = {
    "en": Frames(
        (
            "{family}'s {room}",
            "The {sign} {room} of {place}",
            "{given} & {given2}",
            "{place} {room}",
            "The {family} {sign}",
        ),
        {
            "room": words(
                "Kitchen, Table, Brasserie, Tavern, Bistro, Grill, Dining Rooms, Eating House, Canteen, Smokehouse,"
                " Tea Rooms, Cellar"
            ),
            "sign": words(
                "Barrel Bay-Leaf Brass Copper Cork Crab Fig Goose Hearth Kettle Ladle Mulberry Oven Pear Pepper Pestle"
                " Quince Saffron Salt Skillet Spoon Thyme Trout Walnut"
            ),
        },
        ("Old {}", "New {}", "Little {}", "{} Upstairs"),
    ),
    "zh": Frames(
        ("{place}{house}", "{family}记{sign}{house}", "{sign}{place}{house}", "{given}{house}"),
        {
            "house": words("酒楼 饭庄 小馆 食府 菜馆 面馆 茶楼 私房菜 火锅店 烤肉店 粥铺 点心坊"),
            "sign": words(
                "聚丰 同乐 鼎香 醉仙 福满 百味 鲜得 小南 旺角 合兴 满江 得月 春和 荣华 鸿宾 会友 老灶 竹里 山海 稻香"
            ),
        },
        ("老{}", "新{}", "小{}", "大{}"),
    ),
}


def dish(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name dishes: `Velomar-style lamb stew`, 鹭湾红烧豆腐. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, DISHES)


def restaurant(stream: Stream, rows: Rows, *, culture: str = "sarnese") -> Texts:
    """Name restaurants: `The Copper Tavern of Velomar`, 鹭湾酒楼. Tens of thousands or more, no two the same."""
    return framed(stream, rows, culture, RESTAURANTS)
