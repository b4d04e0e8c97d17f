"""How shops put things, a bank a language: `SHOP["zh"].blurbs`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generators.pages.banks.wording_bank import Texts


@dataclass(frozen=True, slots=True)
class Shop:
    """Wordings of listings. `price` is how a price stands, `feature` and `detail` head the table of what is told."""

    blurbs: Texts
    prices: Texts
    ways: Texts
    specifications: Texts
    also: Texts
    services: Texts
    footers: Texts
    feature: str
    detail: str


SHOP: Mapping[str, Shop] = {
    "en": Shop(
        blurbs=(
            "Looking for **{name}**? You have found it.",
            "**{name}** – a look at the listing is worth your while.",
            "Compare before you buy: all on **{name}** at one glance.",
            "**{name}** is among the {plural} that our visitors look up most.",
            "Add **{name}** to your list and hear of every change.",
            "Our listing of **{name}**, checked by hand.",
            "New to {plural}? **{name}** may be the one for you.",
        ),
        prices=(
            "**{label}: {value}**\n\n",
            "## {value}\n\n{label}, delivery not included.\n\n",
            "{label} **{value}**, as listed by our partners\n\n",
            "Now listed at **{value}** ({label})\n\n",
        ),
        ways=(
            "Availability is shown at the checkout.",
            "Delivery times depend on where you live; see the checkout.",
            "Reserve online, collect at a locker near you.",
            "Orders placed before noon leave the same day.",
            "Shops that have it are told of your order at once.",
        ),
        specifications=("Specifications", "Technical details", "Details", "Product data", "All at a glance"),
        also=("Others also looked at", "You may like", "More like this", "Compare with"),
        services=(
            "Returns: see the terms of each shop.",
            "Questions? The help pages know most answers.",
            "Ratings come from registered buyers.",
            "Pictures may show extras that are sold apart.",
            "No liability for slips of the pen.",
        ),
        footers=(
            "*Listing checked on {date}. {site}.*",
            "*{site}, as of {date}.*",
            "*Last change to this listing: {date}.*",
        ),
        feature="Feature",
        detail="Detail",
    ),
    "zh": Shop(
        blurbs=(
            "在找**{name}**？就在这里。",
            "先比较再下单：**{name}**一目了然。",
            "**{name}**是访客最常查看的{plural}之一。",
            "收藏**{name}**，变动早知道。",
        ),
        prices=("**{label}：{value}**\n\n", "## {value}\n\n{label}，不含运费。\n\n", "现价**{value}**（{label}）\n\n"),
        ways=("库存以结算页为准。", "送达时间因地而异，见结算页。", "网上预订，就近自提。", "中午前下单，当日发货。"),
        specifications=("规格参数", "商品详情", "参数", "一览"),
        also=("看过的人还看了", "猜你喜欢", "同类商品"),
        services=("退货规则见各店说明。", "有疑问请看帮助页。", "评分来自注册买家。", "图片或含另售配件。"),
        footers=("*商品信息核对于{date}。{site}。*", "*{site}，截至{date}。*"),
        feature="项目",
        detail="内容",
    ),
}
