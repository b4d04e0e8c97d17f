"""Wordings of tasks: banks of phrasings in English, chosen by keyed chance."""

from generators.questions.english import list_all

__all__ = ["list_all"]
