"""Wordings of tasks: banks of phrasings in English, chosen by keyed chance, and read back by the same banks."""

from generators.questions.asking import ask, read
from generators.questions.english import list_all, settled

__all__ = ["ask", "list_all", "read", "settled"]
