"""How pages put things, a bank a language: `BANKS["zh"].news.headlines`."""

from collections.abc import Mapping

from generators.pages.banks.bank import Bank
from generators.pages.banks.chinese import CHINESE
from generators.pages.banks.english import ENGLISH

BANKS: Mapping[str, Bank] = {"en": ENGLISH, "zh": CHINESE}

__all__ = ["BANKS", "Bank"]
