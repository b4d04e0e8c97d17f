"""Pages of the web: each function writes one sort of page in Markdown from what it is told may be stated."""

from generators.pages.archived import archived
from generators.pages.catalogue import catalogue
from generators.pages.continued import continued
from generators.pages.directory import directory
from generators.pages.disambiguation import disambiguation
from generators.pages.document import document
from generators.pages.encyclopedia import encyclopedia
from generators.pages.fan import fan
from generators.pages.faq import faq
from generators.pages.forum import forum
from generators.pages.guide import guide
from generators.pages.history import history
from generators.pages.interview import interview
from generators.pages.intranet import memo, sheet, ticket, wiki
from generators.pages.minutes import minutes
from generators.pages.news import news
from generators.pages.official import official
from generators.pages.oral_history import oral_history
from generators.pages.press_release import press_release
from generators.pages.preview import preview
from generators.pages.ranking import ranking
from generators.pages.report import report
from generators.pages.reprint import reprint
from generators.pages.review import review
from generators.pages.shop import shop
from generators.pages.site_map import site_map
from generators.pages.statistics import statistics
from generators.pages.timeline import timeline
from generators.pages.trade import trade
from generators.pages.yearbook import yearbook

__all__ = [
    "archived",
    "catalogue",
    "continued",
    "directory",
    "disambiguation",
    "document",
    "encyclopedia",
    "fan",
    "faq",
    "forum",
    "guide",
    "history",
    "interview",
    "memo",
    "minutes",
    "news",
    "official",
    "oral_history",
    "press_release",
    "preview",
    "ranking",
    "report",
    "reprint",
    "review",
    "sheet",
    "shop",
    "site_map",
    "statistics",
    "ticket",
    "timeline",
    "trade",
    "wiki",
    "yearbook",
]
