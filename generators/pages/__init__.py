"""Pages of the web: each function writes one sort of page in Markdown from what it is told may be stated."""

from generators.pages.continued import continued
from generators.pages.directory import directory
from generators.pages.disambiguation import disambiguation
from generators.pages.encyclopedia import encyclopedia
from generators.pages.fan import fan
from generators.pages.forum import forum
from generators.pages.intranet import memo, sheet, ticket, wiki
from generators.pages.news import news
from generators.pages.official import official
from generators.pages.reprint import reprint
from generators.pages.shop import shop
from generators.pages.statistics import statistics
from generators.pages.trade import trade

__all__ = [
    "continued",
    "directory",
    "disambiguation",
    "encyclopedia",
    "fan",
    "forum",
    "memo",
    "news",
    "official",
    "reprint",
    "sheet",
    "shop",
    "statistics",
    "ticket",
    "trade",
    "wiki",
]
