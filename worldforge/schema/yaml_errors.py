"""Explain YAML syntax errors in plain words.

The parser says what it met (`expected <block end>, but found '<scalar>'`); a person needs to know what was mistyped.
"""

from __future__ import annotations

import re

from ruamel.yaml.error import MarkedYAMLError, YAMLError

_QUOTED = re.compile(r"""(?<![^\s\[{,])("(?:\\.|[^"\\])*+"|'(?:''|[^'])*+')""")
_MESSAGES = (
    (r"\\t|\t|indentation", "a tab stands here", "indent by spaces, and part words by spaces: YAML takes no tabs"),
    ("mapping values are not allowed", "a `: ` stands where none is expected",
     "put a text that holds `: ` into quotes; write keys as `key: value`, in one column, here and in the line above"),
    (r"flow (mapping|sequence|node)", "a bracket is not closed, or a comma is missing",
     "close `{` by `}` and `[` by `]`, and put a text that holds `,`, brackets or quotes into quotes"),
    (r"found '[}\]]'", "a closing bracket too many", "remove it, or open it before"),
    (r"<block end>.*'<scalar>'", "a text goes on behind its closing quote", "put all of it into one pair of quotes"),
    ("<block end>", "the line begins in a column where no line above it begins",
     "let it begin in one column with the lines that it belongs to"),
    ("cannot start", "no text can begin with this character", "put the text into quotes: `'@home'`"),
    ("alias|anchor", "`*` and `&` stand for other parts of the file, and this one is not there",
     "put a text that begins with `*` or `&` into quotes"),
    ("escape", "a `\\` in double quotes begins a sign of its own", "write `\\\\`, or use single quotes"),
    ("single document", "a second document begins here", "a spec is one document: remove the line `---`"),
)  # fmt: skip
"""A pattern of the parser's words, what to say in their place, and a hint."""


def explain_yaml_error(error: YAMLError, text: str) -> tuple[int, int, str, str]:
    """Return line and column from 1, message and hint of a YAML syntax error."""
    if not isinstance(error, MarkedYAMLError) or (error.problem_mark or error.context_mark) is None:
        return 1, 1, "it is not YAML", ""
    said = f"{error.context or ''} {error.problem or ''}"
    mark = error.problem_mark or error.context_mark
    if re.search("end of stream|stream end|expected ',' or|<scalar>|quoted", said) and "escape" not in said:
        quote = _open_quote(text.split("\n")[: mark.line + 1])
        if quote:
            return (*quote, "the quote that opens here is not closed in its line", "close it, or remove it")
    if "flow" in said and error.context_mark is not None:
        mark = error.context_mark
    for pattern, message, hint in _MESSAGES:
        if re.search(pattern, said):
            return mark.line + 1, mark.column + 1, message, hint
    return mark.line + 1, mark.column + 1, f"it is not YAML: {' '.join(said.split())}", ""


def _open_quote(lines: list[str]) -> tuple[int, int] | None:
    """Find the first quote that begins a text and that its line does not close: line and column from 1."""
    for number, line in enumerate(lines, start=1):
        rest = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line)
        found = re.search(r"(?:^|[\s\[{,])([\"'])", re.split(r"(?:^|\s)#", rest)[0])
        if found:
            return number, found.start(1) + 1
    return None
