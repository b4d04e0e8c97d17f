"""Breaks a spec's text in the ways that people and accidents do: one mutation a seed, the same for the same seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_VALUES = [
    "", "~", "-1", "0", "3.5", "1e400", ".nan", "true", "[a, b]", "{a: b}", "[]", "{}", "'", '"', "*a", "&a b",
    "!!set {a}", "!!python/object/apply:os.system [x]", "NO", "1992-01-01", "= nope", "= 1 +", "= (select 1)", "club",
    "town.region", "name", "😀", "a: b", "99999999999999999999999", "0x1F", "|", ">", "- x", "{low: 9, high: 1}",
    "values.year", "own:code", "os:system", "pages.news", "all", "x" * 5000,
]  # fmt: skip
_SQL = [
    "(", ")", "'", "+", " and", ";", "--", "/*", " drop table club", "select ", ".", "::", "count(*)", " over ()", "\\",
]  # fmt: skip


def mutated(text: str, seed: int) -> bytes:
    """Return `text` broken in one to three ways, as bytes: they need not be UTF-8."""
    chance = random.Random(seed)
    content = text
    for _ in range(chance.randint(1, 3)):
        content = chance.choice(_MUTATIONS)(content, chance)
    data = content.encode("utf-8", "surrogatepass")
    if chance.random() < 0.1:
        place = chance.randrange(len(data) + 1)
        data = data[:place] + chance.randbytes(chance.randint(1, 8)) + data[place:]
    return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.1 else data


def _delete_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    del lines[chance.randrange(len(lines) or 1) : chance.randint(1, 3) + chance.randrange(len(lines) or 1)]
    return "".join(lines)


def _repeat_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True) or ["\n"]
    place = chance.randrange(len(lines))
    return "".join([*lines[:place], lines[place], *lines[place:]])


def _move_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True) or ["\n"]
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randint(0, len(lines)), line)
    return "".join(lines)


def _rename_key(text: str, chance: random.Random) -> str:
    def renamed(word: str) -> str:
        place = chance.randrange(len(word))
        return chance.choice(
            [word[:place] + word[place + 1 :], word[:place] + "x" + word[place:], word.upper(), "on", "id"]
        )

    return _at_one(text, r"[a-z_]+(?=:)", renamed, chance)


def _swap_value(text: str, chance: random.Random) -> str:
    return _at_one(text, r"(?<=: )[^\s,{}\[\]#][^,{}\[\]#\n]*", lambda _: chance.choice(_VALUES), chance)


def _swap_words(text: str, chance: random.Random) -> str:
    words = sorted(set(re.findall(r"[a-z_]{3,}", text))) or ["x"]
    return _at_one(text, r"[a-z_]{3,}", lambda _: chance.choice(words), chance)


def _break_sql(text: str, chance: random.Random) -> str:
    def broken(sql: str) -> str:
        place = chance.randint(0, len(sql))
        return sql[:place] + chance.choice(_SQL) + sql[place:]

    return _at_one(text, r"(?<=sql: )[^,}\n]+|= [^,}\n\"]+", broken, chance)


def _insert_character(text: str, chance: random.Random) -> str:
    place = chance.randint(0, len(text))
    return text[:place] + chance.choice("\t:{}[]-#&*!|>'\"%@`,?\x00\ufeff\u2028 \n😀\ud800") + text[place:]


def _at_one(text: str, pattern: str, change: Callable[[str], str], chance: random.Random) -> str:
    """Change one place of `text` that matches `pattern`."""
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    match = chance.choice(matches)
    return text[: match.start()] + change(match[0]) + text[match.end() :]


_MUTATIONS: list[Callable[[str, random.Random], str]] = [
    _delete_line, _repeat_line, _move_line, _rename_key, _swap_value, _swap_value, _swap_words, _break_sql, _break_sql,
    _insert_character,
]  # fmt: skip
