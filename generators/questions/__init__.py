"""Wordings of tasks: banks in English and in Chinese, chosen from by chance, that read a question back as well."""

from generators.questions.question_wording import (
    according_to,
    adds_up,
    ask,
    by_site,
    measured,
    read,
    read_conditions,
    settled,
)

__all__ = ["according_to", "adds_up", "ask", "by_site", "measured", "read", "read_conditions", "settled"]
