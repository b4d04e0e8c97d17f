"""Wordings of tasks: banks of phrasings in English, read back by the same banks, and in Chinese, chosen by chance."""

from generators.questions.asking import ask, read
from generators.questions.chinese import list_all_in_chinese, settled_in_chinese
from generators.questions.english import list_all, settled

__all__ = ["ask", "list_all", "list_all_in_chinese", "read", "settled", "settled_in_chinese"]
