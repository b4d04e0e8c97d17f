"""English clauses of a phrasebook made to fit a question: said of one thing, denied, or of a range.

    of_one("that date from {value}")          that dates from {value}
    denied("founded in {value}")              not founded in {value}
    between("founded in {value}")             founded between {value} and {upper} inclusive

Phrasebooks have clauses that follow a plural. A rule returns nothing where it is not sure.
"""

from __future__ import annotations

import re

from worldforge.core.english import is_participle, is_plural

RELATIVES = ("that", "who", "which")
_CLAUSES = (*RELATIVES, "whose", "where", "when", "whom")
_IRREGULAR = {"are": "is", "have": "has", "were": "was", "do": "does", "go": "goes"}
_AUXILIARIES = ("can", "could", "may", "might", "must", "will", "would", "shall", "should")
_PAST = (
    "took", "came", "made", "went", "did", "began", "won", "sold", "held", "led", "left", "wrote", "taught",
    "lost", "met", "gave", "built", "ran", "rose", "fell", "grew", "became", "got", "had", "kept", "paid",
    "spent", "sent", "said", "saw", "stood", "brought", "bought", "found", "drew", "drove", "flew", "knew",
    "rode", "sang", "sat", "shot", "spoke", "swam", "thought", "threw", "wore", "chose", "broke", "ate", "fought",
    "hung", "sank", "spun", "struck", "swore", "tore", "woke", "lent", "felt", "heard", "dealt",
    "learnt", "dwelt", "spelt", "burnt", "slept", "swept",
)  # fmt: skip
_ADVERBS = (
    "never", "now", "still", "once", "also", "always", "first", "next", "often", "usually", "not", "most", "least",
)  # fmt: skip
_PREPOSITIONS = (
    "in", "at", "from", "on", "by", "under", "of", "for", "about", "above", "below", "near", "beyond", "within",
    "inside", "outside", "between", "among", "off", "to", "into", "over", "against",
)  # fmt: skip
_PARTICIPLES = (
    "written", "taken", "run", "given", "known", "set", "put", "cut", "drawn", "grown", "spoken", "shown", "seen",
    "worn", "flown", "driven", "taught", "caught", "bought", "brought", "kept", "paid", "spent", "cast", "hung",
    "laid", "fed", "bred", "read", "overseen", "sung", "had", "been", "sent", "won", "held", "made", "given",
    "led", "built", "sold", "born", "met", "lost",
)  # fmt: skip
_ADJECTIVES = (
    "worth", "older", "younger", "larger", "smaller", "longer", "shorter", "new", "due", "open", "native",
)  # fmt: skip
_NO_ADVERBS = ("multiply", "apply", "reply", "supply", "rely", "fly", "comply")
_TENSES = re.compile(r"\b(?:in|on|from) \{value\}")
_BOUND = re.compile(r"\b(?:after|before|than|since|until|number|place|to|age of) \{value\}")
_PREDICATE = re.compile(r"^(?:are|were|(?:work|serve|act|play)(?:ed)? as) (?!a )")
_TIMES = ("year", "date")


def is_clause(text: str) -> bool:
    """Return whether a modifier is a clause: `that date from 1923`, `whose ground …`; else it is a shorter one."""
    first, second, *_ = *text.split(" "), ""
    return first in _CLAUSES or second in ("which", "whose", "whom")


def of_one(text: str, *, person: bool) -> str:
    """Turn a modifier of several into one of a single thing; empty where no rule fits: `that are castles`."""
    text = re.sub(r"\btheir\b", "their" if person else "its", text)
    first, _, rest = text.partition(" ")
    if first not in RELATIVES:
        return text
    before, verb, after = _verb_of(rest)
    if is_plural(_PREDICATE.sub("", f"{verb}{after}")) and _PREDICATE.match(f"{verb}{after}"):
        return ""
    return f"{first} {before}{_third_person(verb)}{after}" if verb else text


def _verb_of(clause: str) -> tuple[str, str, str]:
    """Split a clause at the verb that agrees with its head; no verb where the clause has a subject of its own."""
    words = clause.split(" ")
    n = 0
    while n < len(words) - 1 and _is_adverb(words[n]):
        n += 1
    verb = words[n]
    before, after = " ".join([*words[:n], ""]), "".join(f" {word}" for word in words[n + 1 :])
    if verb == "need" and after.startswith(" not"):
        return "", "", clause
    own_subject = not verb.isalpha() or verb[0].isupper() or (verb.endswith("s") and not verb.endswith("ss"))
    return ("", "", clause) if own_subject or verb in ("the", "a", "an") else (before, verb, after)


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and word not in _NO_ADVERBS)


def _third_person(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _AUXILIARIES or verb in _PAST or is_participle(verb):
        return verb
    if re.search(r"(?:[sxz]|ch|sh)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def denied(text: str, *, one: bool, person: bool) -> str:
    """Deny a modifier; empty where no rule fits."""
    first, second, *_ = *text.split(" "), ""
    clause = of_one(text, person=person) if one else text
    if first in RELATIVES:
        return _denied_clause(first, clause.partition(" ")[2], text.partition(" ")[2], one=one)
    if second in ("which", "whose", "whom"):
        return ""
    if is_participle(first) or first in _PARTICIPLES:
        return f"not {clause}"
    return _are_not(clause, one=one, person=person) if first in _PREPOSITIONS or first in _ADJECTIVES else ""


def _denied_clause(first: str, clause: str, plural: str, *, one: bool) -> str:
    """Deny what follows `that`: as it is said, and as it is said of several."""
    before, verb, after = _verb_of(plural)
    if before or not clause or not verb or verb in _PAST or is_participle(verb):
        return ""
    if verb == "can":
        return f"{first} cannot{after}"
    next_word = after.strip().partition(" ")[0]
    perfect = verb == "have" and (is_participle(next_word) or next_word in _PARTICIPLES)
    if verb in ("are", "were") or verb in _AUXILIARIES or perfect:
        own = clause.partition(" ")[0]
        return f"{first} {own} not{clause[len(own) :]}"
    return f"{first} {'does' if one else 'do'} not {verb}{after}"


def _are_not(text: str, *, one: bool, person: bool) -> str:
    return f"{'who' if person else 'that'} {'is' if one else 'are'} not {text}"


def between(text: str, sort: str) -> str:
    """Turn a modifier with a value into one with both ends of a range; empty where no rule fits."""
    if "{value}" not in text:
        return ""
    if sort not in _TIMES:
        if _BOUND.search(text):
            return ""
        ranged = text.replace("{value}", "between {value} and {upper}")
    elif _TENSES.search(text) and "date from" not in text:
        ranged = _TENSES.sub("between {value} and {upper}", text)
    else:
        return ""
    return f"{ranged} inclusive" if ranged.endswith("{upper}") else f"{ranged} (inclusive)"


def stands_before(superlative: str) -> bool:
    """Return whether a superlative can stand before a noun: `most populous` can, `best served by airlines` cannot."""
    return not set(_PREPOSITIONS) & set(superlative.split()) and "with" not in superlative.split()


_MORE_OR_LESS = re.compile(r"(?:\w+er|more \w+|less \w+) than |(?:worth|older|younger|due|native|open) ")


def as_clause(text: str, *, person: bool) -> str:
    """Turn a comparison into a relative clause, which can follow other conditions: `that are lower than {value}`.

    Other modifiers are returned as they are.
    """
    return f"{'who' if person else 'that'} are {text}" if _MORE_OR_LESS.match(text) else text


_AMOUNT = re.compile(r"\d| than ")
PLACES = ("in ", "from ", "at ", "of ", "on ")


def follows_place(before: str, text: str) -> bool:
    """Return whether a participle follows a place without `and`: `in Velmar founded in 1923`.

    `before` is empty where it is not known.
    """
    first = text.partition(" ")[0]
    is_place = before.startswith(PLACES) and not _AMOUNT.search(before)
    return (is_participle(first) or first in _PARTICIPLES) and (not before or is_place)


_PREPOSITIONS_AND_TIMES = ("in ", "at ", "on ", "after ", "before ", "between ")


def follows_another(word: str) -> bool:
    """Return whether a modifier that loses this word follows without `and`: `born in Velmar after 1961`."""
    return is_participle(word) or word in _PARTICIPLES


def elided(before: str, text: str) -> int:
    """Return the length of the word that two modifiers share, and the second can lose; 0 where it cannot.

    Of the first, no more than that word may be known.
    """
    first, _, rest = text.partition(" ")
    if before.startswith(f"{first} ") and follows_another(first):
        return len(first) + 1 if rest.startswith(_PREPOSITIONS_AND_TIMES) else 0
    if not before.startswith(f"{first} ") or first not in ("with", *RELATIVES):
        return 0
    verbs = [one.partition(" ")[0] for one in (before.partition(" ")[2], rest)]
    of_one = all(verb.islower() and verb.endswith("s") for verb in verbs if verb)
    return len(first) + 1 if first == "with" or of_one or _verb_of(rest)[1] else 0


_PERFECT = re.compile(r"^(who|that) (?:have|has) (\w+) ")


def in_past(text: str) -> str:
    """Put a clause in the perfect tense in the past: `who worked at {other}`; others stay as they are."""
    match = _PERFECT.match(text)
    if match is None or not (match[2] == "been" or match[2].endswith("ed") or match[2] in _PAST):
        return text
    verb = ("was" if " has " in match[0] else "were") if match[2] == "been" else match[2]
    return f"{match[1]} {verb} {text[match.end() :]}"
