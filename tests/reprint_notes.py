"""How reprints say that they are reprints: a heading's prefix, and a line of credit."""

import re

from generators.pages.wordings import wordings


def reprint_notes(language):
    """Return a pattern for the lines by which reprints of a language say so."""
    bank = wordings(language).reprint
    texts = [*(f"# {prefix}" for prefix in bank.prefixes), *(credit.strip() for credit in bank.credits)]
    return re.compile("|".join("^" + ".+".join(map(re.escape, re.split(r"{\w+}", text))) for text in texts), re.M)
