"""Wordings of tasks: banks in English and in Chinese, chosen from by chance, that read a question back as well."""

from generators.questions.asking import ask, read
from generators.questions.chinese import settled_in_chinese
from generators.questions.english import settled
from generators.questions.grouping import adds_up, measured

__all__ = ["adds_up", "ask", "measured", "read", "settled", "settled_in_chinese"]
