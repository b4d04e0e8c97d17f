"""Explain YAML syntax errors in plain words, at the place of the mistake.

The parser says what it met (`expected <block end>, but found '<scalar>'`); a person needs to know what was mistyped.
"""

from __future__ import annotations

import re

from ruamel.yaml.error import MarkedYAMLError, YAMLError

_QUOTE = "put a text that holds `: ` or `#` into quotes"
_STARTS = "put the text into quotes: `'@home'`"
_OTHER = {"}": "]", "]": "}"}
_QUOTED = re.compile(r"""(?<![^\s\[{,])("(?:\\.|[^"\\])*+"|'(?:''|[^'])*+')""")
Finding = tuple[int, int, str, str]
"""Line and column from 1, message, hint."""


def explain_yaml_error(error: YAMLError, text: str) -> Finding:
    """Return line, column, message and hint of a YAML syntax error."""
    if not isinstance(error, MarkedYAMLError) or (error.problem_mark or error.context_mark) is None:
        return 1, 1, "it is not YAML", ""
    said = f"{error.context or ''} {error.problem or ''}"
    mark, opened = error.problem_mark or error.context_mark, error.context_mark or error.problem_mark
    at, around, lines = (mark.line + 1, mark.column + 1), (opened.line + 1, opened.column + 1), text.split("\n")
    if "end of stream" in said or "expected ',' or" in said or "found '<scalar>'" in said or "quoted" in said:
        quote = _open_quote(lines[: at[0]])
        if quote and ("escape" not in said):
            return (*quote, "the quote that opens here is not closed in its line", "close it, or remove it")
    if "\\t" in said or "indentation" in said.replace("\t", "\\t"):
        return (*at, "a tab stands here", "indent by spaces, and part words by spaces: YAML takes no tabs")
    if "mapping values are not allowed" in said:
        return _misplaced_colon(lines, *at)
    if "flow" in said:
        return _open_bracket(said, lines, at, around)
    if "expected <block end>" in said:
        return _end_of_block(said, lines, at, around)
    return _other(said, at)


def _other(said: str, at: tuple[int, int]) -> Finding:
    if found := re.search(r"found character '(.)' that cannot start", said):
        return (*at, f"no text can begin with `{found[1]}`", _STARTS)
    if "alias" in said or "anchor" in said:
        message = "`*` and `&` stand for other parts of the file, and this one is not there"
        return (*at, message, "put a text that begins with `*` or `&` into quotes")
    if "escape" in said:
        return (*at, "a `\\` in double quotes begins a sign of its own", "write `\\\\`, or use single quotes")
    if "single document" in said:
        return (*at, "a second document begins here", "a spec is one document: remove the line `---`")
    return (*at, f"it is not YAML: {' '.join(said.split())}", "")


def _misplaced_colon(lines: list[str], line: int, column: int) -> Finding:
    """Tell a second colon in a line from a key that lacks one above, and from a line that is indented too far."""
    before = lines[line - 1][: column - 1]
    if ": " in before or ":\t" in before:
        return line, column, "a second `: ` stands in one line", _QUOTE
    above = next((number for number in range(line - 1, 0, -1) if _content(lines[number - 1])), 0)
    words = _content(lines[above - 1]) if above else ""
    if above and not re.search(r":(\s|$)", words):
        return above, _indent(lines[above - 1]) + 1, f"`{words[:40]}` has no `: ` behind its key", "write `key: value`"
    message = f"it is indented deeper than line {above}, which has a value already"
    return line, _indent(lines[line - 1]) + 1, message, f"let it begin in column {_indent(lines[above - 1]) + 1}"


def _open_bracket(said: str, lines: list[str], at: tuple[int, int], around: tuple[int, int]) -> Finding:
    if "stream end" in said and (last := max(lines[around[0] - 1].rfind(sign, 0, around[1]) for sign in "{[")) >= 0:
        around, at = (around[0], last + 1), (around[0] + 1, 1)
    sign = lines[around[0] - 1][around[1] - 1 : around[1]]
    closing = {"{": "}", "[": "]"}.get(sign, "}")
    if at[0] > around[0] or f"got '{_OTHER[closing]}'" in said:
        return (*around, f"the `{sign}` that opens here is not closed", f"close it by `{closing}`")
    message = f"between `{sign}` and `{closing}` a comma is missing, or a text needs quotes"
    return (*at, message, "part entries by commas, and put a text that holds `,`, `[`, `{` or quotes into quotes")


def _end_of_block(said: str, lines: list[str], at: tuple[int, int], around: tuple[int, int]) -> Finding:
    if found := re.search(r"found '([}\]])'", said):
        return (*at, f"a `{found[1]}` too many", "remove it, or open it before")
    if "'<scalar>'" in said:
        return (*at, "a text goes on behind its closing quote", "put all of it into one pair of quotes")
    columns = [_indent(line) + 1 for line in reversed(lines[around[0] - 1 : at[0] - 1]) if _content(line)]
    if "collection" in said and at[1] == around[1]:
        return (*at, f"a key stands among the items of the list of line {around[0]}", "write `- ` before it, or indent")
    near = min(columns, key=lambda column: abs(column - at[1]), default=1)
    message = f"the line begins in column {at[1]}, where no line above it that it could belong to begins"
    return (*at, message, f"let it begin in column {near}, if it belongs beside the lines there")


def _open_quote(lines: list[str]) -> tuple[int, int] | None:
    """Find the first quote that begins a text and that its line does not close: line and column from 1."""
    for number, line in enumerate(lines, start=1):
        rest = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line)
        found = re.search(r"(?:^|[\s\[{,])([\"'])", re.split(r"(?:^|\s)#", rest)[0])
        if found:
            return number, found.start(1) + 1
    return None


def _content(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
