"""How pages put things, a bank a language: `BANKS["zh"].news.headlines`."""

from collections.abc import Mapping

from generators.pages.banks.chinese_bank import CHINESE
from generators.pages.banks.english_bank import ENGLISH
from generators.pages.banks.wording_bank import Bank

BANKS: Mapping[str, Bank] = {"en": ENGLISH, "zh": CHINESE}

__all__ = ["BANKS", "Bank"]
