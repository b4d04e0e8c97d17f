"""The words an expression may be made of. Everything else is refused before a parser sees it.

The language is closed by what it lists: every word is a column, a listed function, a listed keyword, a type or a part
of a date; every sign is listed. So there are no statements, no subqueries, no windows, no table functions, nothing
that reads the clock or draws by chance. A word is a column wherever an operand is due, so that columns may be called
`from`, `until` or `order`: `from < until`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import TokenError

from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean

FUNCTIONS = (
    "abs", "ceil", "coalesce", "concat", "contains", "date_add", "date_diff", "date_part", "date_sub", "day", "exp",
    "extract", "floor", "greatest", "if", "ifnull", "least", "length", "ln", "lower", "make_date", "mod", "month",
    "nullif", "pow", "power", "replace", "round", "sign", "sqrt", "starts_with", "substring", "trim", "upper", "year",
    "cast",
)  # fmt: skip
AGGREGATES = (
    "arg_max", "arg_min", "avg", "bool_and", "bool_or", "count", "max", "median", "min", "sum",
)  # fmt: skip
TYPES = ("bigint", "boolean", "date", "double", "integer", "varchar")
DATE_PARTS = ("year", "quarter", "month", "week", "day", "years", "months", "weeks", "days")

_PREFIXES = {"not", "case", "null", "true", "false", "interval"}  # stand where an operand is due
_OPEN = {"not", "case", "interval", "distinct", "where", "and", "or", "is", "in", "between", "like", "ilike", "when",
         "then", "else", "from"}  # an operand is due after them  # fmt: skip
_INFIXES = {"and", "or", "not", "is", "in", "between", "like", "ilike", "when", "then", "else", "end", "as", "from",
            "filter"}  # fmt: skip
_SIGNS = {"+", "-", "*", "/", "//", "%", "**", "^", "||", "=", "==", "!=", "<>", "<", "<=", ">", ">=", "(", ",", "::"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LITERALS = (TokenType.STRING, TokenType.NUMBER, TokenType.IDENTIFIER)
_CLOCK = "a world has no clock: write the day or the year itself, as in `make_date(2031, 6, 30)`"
_CHANCE = "an expression draws nothing by chance: let a generator of `values` draw a column, and name it here"
_ELSEWHERE = {
    **dict.fromkeys(("now", "today", "current_date", "current_timestamp", "getdate", "curdate", "localtime"), _CLOCK),
    **dict.fromkeys(("random", "rand", "randint", "uuid", "gen_random_uuid"), _CHANCE),
    "isnull": "write `x is null`", "nvl": "write `coalesce(x, y)`", "iif": "write `if(condition, x, y)`",
    "len": "write `length(x)`", "char_length": "write `length(x)`", "datediff": "write `date_diff('day', x, y)`",
    "to_char": "write `x::varchar`", "str": "write `x::varchar`", "int": "write `x::integer`",
    "strftime": "dates are written by the pages: take parts with `year(x)`, `month(x)`, `day(x)`",
    "select": "an expression is no query: a derived column aggregates other rows with `over`",
    "row_number": "a derived column with `rank` numbers rows", "rank": "a derived column with `rank` ranks rows",
}  # fmt: skip
"""What to write in the place of functions of other languages."""
_SIGNS_ELSEWHERE = {
    ";": "leave it out: an expression is no statement", "&&": "write `and`", "&": "write `and`", "|": "write `or`",
    "!": "write `not`", "[": "a list stands in round brackets: `in (1, 2)`", "{": "write plain SQL, without braces",
    "->": "follow a reference by a dot: `town.region`", "?": "write `if(condition, x, y)`",
}  # fmt: skip
"""What to write in the place of signs of other languages."""
_WORDS_ELSEWHERE = {
    "descending": "write `desc`", "ascending": "write `asc`",
    "select": "an expression is no query: a derived column with `over` aggregates other rows, and is named here",
}  # fmt: skip
MAX_TOKENS = 400


class ExpressionError(InputError):
    """An expression that cannot be used: from the character `position` of its text, under a derived column's `key`."""

    def __init__(self, message: str, hint: str = "", position: int = 0, key: str = "") -> None:
        super().__init__(message, hint)
        self.position = position
        self.key = key

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.hint, self.position, self.key)


@dataclass(frozen=True, slots=True)
class ColumnToken:
    """A column path as an expression names it, the character it begins at, and whether that is a double quote."""

    path: tuple[str, ...]
    position: int
    quoted: bool


def read_tokens(text: str, *, aggregates: bool) -> tuple[list[Token], list[ColumnToken]]:
    """Split an expression into tokens a parser can take, each column path one quoted identifier (`"town.area"`).

    Returns the tokens and the paths, in their order. Raises ExpressionError for any word or sign that is not listed;
    `aggregates` says whether aggregates are.
    """
    tokens = _tokenize(text)
    reader = _Reader(tokens, aggregates)
    read = list(reader.read())
    return read, reader.columns


@dataclass(frozen=True, slots=True)
class Term:
    """One of several expressions parted by commas: its text, the character it begins at, and which way it sorts."""

    text: str
    position: int
    descending: bool


def split_terms(text: str) -> list[Term]:
    """Part `points desc, goals - lost, name` at its commas, and each part from its last word `asc` or `desc`.

    What the parts say is not looked at. Raises ExpressionError for a part that is empty.
    """
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in (tokens := _tokenize(text)):
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        if token.token_type == TokenType.COMMA and depth == 0:
            if not parts[-1] or token is tokens[-1]:
                raise ExpressionError("an expression is missing beside a comma", position=token.start)
            parts.append([])
        else:
            parts[-1].append(token)
    return [_term(text, part) for part in parts]


def _term(text: str, tokens: Sequence[Token]) -> Term:
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else None
    sorts = last.token_type not in _LITERALS and last.text.lower() in ("asc", "desc")
    if not sorts or before is None or before.text == ".":
        return Term(text[tokens[0].start : last.end + 1], tokens[0].start, False)
    return Term(text[tokens[0].start : before.end + 1], tokens[0].start, last.text.lower() == "desc")


def _tokenize(text: str) -> list[Token]:
    try:
        tokens = list(DuckDB().tokenize(text))
    except TokenError as error:
        raise ExpressionError("a text or a quoted name in it does not end", position=len(text)) from error
    if not tokens:
        raise ExpressionError("it is empty")
    if len(tokens) > MAX_TOKENS:
        raise ExpressionError(f"it has {len(tokens)} words and signs; {MAX_TOKENS} are allowed")
    for token in tokens:
        if token.comments:
            raise ExpressionError("comments do not belong in an expression", position=token.start)
        written = text[token.start : token.end + 1]
        if token.token_type not in _LITERALS and written != token.text:
            hint = "text is written in plain single quotes" if "'" in written or "$" in written else ""
            raise ExpressionError(f"`{written}` has no place in an expression", hint, token.start)
    return tokens


class _Reader:
    """Reads tokens from left to right, and knows at each whether an operand is due.

    `texts` are the signs as they are and the words in lower case; empty for texts, for quoted names, and at both ends.
    """

    def __init__(self, tokens: Sequence[Token], aggregates: bool) -> None:
        self.tokens = tokens
        self.columns: list[ColumnToken] = []
        self.functions = (*FUNCTIONS, *AGGREGATES) if aggregates else FUNCTIONS
        silent = (TokenType.STRING, TokenType.IDENTIFIER)
        self.texts = ["" if token.token_type in silent else str(token.text).lower() for token in tokens] + [""] * 3
        self.due = True
        self.place = 0

    def read(self) -> Iterator[Token]:
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            if self._is_column(token):
                yield self._column()
                continue
            if token.token_type in (TokenType.STRING, TokenType.NUMBER):
                self.due = False
            elif _WORD.fullmatch(token.text):
                self._keyword(token, self._text(0))
            else:
                self._sign(token)
            self.place += 1
            yield token

    def _text(self, offset: int) -> str:
        return self.texts[self.place + offset]

    def _is_column(self, token: Token) -> bool:
        """Whether a column stands here: a quoted name, or a word where an operand is due that means nothing else."""
        if token.token_type == TokenType.IDENTIFIER:
            return True
        word = self._text(0)
        if not _WORD.fullmatch(word) or not self.due or self._expects_type() or self._text(1) == "(":
            return False
        return not self._opens(word)

    def _opens(self, word: str) -> bool:
        """Whether `word`, where an operand is due, is a keyword: a column of its name is written in double quotes."""
        before, earlier = self._text(-1), self._text(-2)
        match word:
            case "date":
                following = self.tokens[self.place + 1 : self.place + 2]
                return bool(following) and following[0].token_type == TokenType.STRING
            case "when":
                return before == "case"
            case "distinct":
                return before in ("(", "is", "not")
            case "from":
                return before == "distinct" and earlier in ("is", "not")
            case "where":
                return (earlier, before) == ("filter", "(")
            case _:
                return word in _PREFIXES or (word in DATE_PARTS and (earlier, before) == ("extract", "("))

    def _column(self) -> Token:
        first = self.tokens[self.place]
        path = [self._name(first)]
        self.place += 1
        while self._text(0) == ".":
            if self.place + 1 >= len(self.tokens):
                raise ExpressionError("a column is missing after the dot", position=first.end)
            path.append(self._name(self.tokens[self.place + 1]))
            self.place += 2
        last = self.tokens[self.place - 1]
        if self._text(0) == "(":
            raise ExpressionError(f"`{'.'.join(path)}` is no function", position=first.start)
        self.due = False
        self.columns.append(ColumnToken(tuple(path), first.start, first.token_type == TokenType.IDENTIFIER))
        return Token(TokenType.IDENTIFIER, ".".join(path), first.line, last.col, first.start, last.end)

    def _name(self, token: Token) -> str:
        if token.token_type == TokenType.IDENTIFIER:
            return str(token.text)
        if not _WORD.fullmatch(token.text) or token.token_type == TokenType.STRING:
            raise ExpressionError(f"`{token.text}` is no column", position=token.start)
        return str(token.text).lower()

    def _keyword(self, token: Token, word: str) -> None:
        """Read a word that is no column: a type, a keyword, a part of a date, or a function before its bracket."""
        if self._expects_type():
            self._require(token, TYPES, "type")
            self.due = False
        elif self.due and self._opens(word):
            self.due = word in _OPEN
        elif self.due:
            if word in AGGREGATES and word not in self.functions:
                message = f"`{word}` is an aggregate: it has no place in an expression on one row"
                hint = "use `greatest` and `least` on values of one row; a derived column aggregates with `over`"
                raise ExpressionError(message, hint, token.start)
            self._require(token, self.functions, "function")
        elif word in DATE_PARTS and self._text(1) != "(":
            self.due = False
        elif word in _INFIXES:
            self.due = word in _OPEN and word != "not"  # `x not in (…)`: what follows `not` is no operand
        else:
            hint = _WORDS_ELSEWHERE.get(word) or _WORDS_ELSEWHERE.get(self._text(-1), "")
            raise ExpressionError(f"`{token.text}` has no place here", hint, token.start)

    def _require(self, token: Token, known: Sequence[str], what: str) -> None:
        if token.text.lower() not in known:
            hint = _ELSEWHERE.get(token.text.lower()) or did_you_mean(token.text, known)
            raise ExpressionError(f"unknown {what} `{token.text}`", hint, token.start)

    def _sign(self, token: Token) -> None:
        if token.text == ")" or (token.text == "*" and self.due):
            self.due = False
        elif token.text in _SIGNS and token.token_type != TokenType.STRING:
            self.due = True
        else:
            message = f"`{token.text}` has no place in an expression"
            raise ExpressionError(message, _SIGNS_ELSEWHERE.get(token.text, ""), token.start)

    def _expects_type(self) -> bool:
        return self._text(-1) in ("::", "as")
