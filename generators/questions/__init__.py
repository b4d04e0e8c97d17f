"""Wordings of tasks: banks in English and in Chinese, chosen from by chance, that read a question back as well."""

from generators.questions.chinese_grammar import settled_in_chinese
from generators.questions.english_grammar import settled
from generators.questions.group_questions import adds_up, measured
from generators.questions.question_wording import ask, read

__all__ = ["adds_up", "ask", "measured", "read", "settled", "settled_in_chinese"]
