"""Wordings of tasks: banks in English and in Chinese, chosen from by chance, that read a question back as well."""

from generators.questions.question_wording import adds_up, ask, measured, read, read_conditions, settled

__all__ = ["adds_up", "ask", "measured", "read", "read_conditions", "settled"]
