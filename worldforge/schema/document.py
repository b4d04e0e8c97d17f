"""A YAML document: its values as plain data, and where each key and value stands.

    document, problems = read_document(text, "world.yaml")
    document.data                                           {"types": {"club": {"count": 3}}}
    document.place(("types", "club", "count"))              Place("world.yaml", 7, 12)

YAML 1.2: `NO` is text. A date (`1992-01-01`) is text as well, and so are all keys. Tags are refused, and with them
everything that could run code; anchors and aliases are taken, unless they blow up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import yaml
from yaml.composer import ComposerError
from yaml.error import MarkedYAMLError, YAMLError
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from worldforge.schema.problems import Problem, SpecError

MAX_CHARACTERS = 1 << 20
MAX_VALUES = 100_000
MAX_DEPTH = 32
MAX_DIGITS = 40
_TAG = "tag:yaml.org,2002:"

KeyPath: TypeAlias = tuple[str | int, ...]
"""The keys that lead to a value: `("types", "club", "count")`."""


class Place(NamedTuple):
    """A position in a file: line and column from 1; line 0 where `file` is no file."""

    file: str
    line: int = 0
    column: int = 0

    def problem(self, path: KeyPath, message: str, hint: str = "") -> Problem:
        """Return a problem at this position."""
        return Problem(*self, ".".join(map(str, path)), message, hint)


class _Position(NamedTuple):
    """Where a key and its value begin; `literal` is the column of a text's first character, 0 where it is escaped."""

    key: Place
    value: Place
    literal: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """The data of a document as dicts, lists and scalars, and the positions of its keys and values."""

    data: Any
    positions: dict[KeyPath, _Position]

    def get(self, path: KeyPath) -> Any:
        """Return the value at `path`; None where there is none."""
        found = self.data
        for step in path:
            if isinstance(found, dict):
                found = found.get(step)
            elif isinstance(found, list) and isinstance(step, int) and step < len(found):
                found = found[step]
            else:
                return None
        return found

    def place(self, path: KeyPath, *, key: bool = False, offset: int | None = None) -> Place:
        """Return where the value at `path` stands, its key, or its character `offset`.

        For what is not written that is the nearest value around it.
        """
        at = path
        while at not in self.positions:
            at = at[:-1]
        position = self.positions[at]
        if offset is not None and position.literal:
            return position.value._replace(column=position.literal + offset)
        return position.key if key and at == path else position.value

    def problem(
        self, path: KeyPath, message: str, hint: str = "", *, key: bool = False, offset: int | None = None
    ) -> Problem:
        """Return a problem at the value of `path`, at its key, or at a character of its text."""
        return self.place(path, key=key, offset=offset).problem(path, message, hint)

    def merged(self, above: Document) -> Document:
        """Return the document with another merged over it, key by key; null removes a key."""
        return Document(merge(self.data, above.data), {**self.positions, **above.positions})

    def part(self, key: str) -> Document:
        """Return the value of a key of the document as a document of its own."""
        positions = {path[1:]: position for path, position in self.positions.items() if path[:1] == (key,)}
        return Document(self.data[key], positions)

    def under(self, keys: Sequence[str]) -> Document:
        """Return the document as the value of nested keys, all at one place."""
        data, prefix, here = self.data, tuple(keys), self.positions[()]
        positions = {(*prefix, *path): position for path, position in self.positions.items()}
        for length in range(len(prefix) - 1, -1, -1):
            data, positions[prefix[:length]] = {prefix[length]: data}, here
        return Document(data, positions)


def merge(below: Any, above: Any) -> Any:
    """Merge plain data over other data, key by key; null removes a key."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    merged = dict(below)
    for key, value in above.items():
        if value is None and key in below:
            del merged[key]
        else:
            merged[key] = merge(below.get(key), value)
    return merged


def read_document(text: str, file: str, at: Place | None = None) -> tuple[Document, list[Problem]]:
    """Read YAML: the document, and what is wrong with parts of it (a duplicate key, a tag), which it leaves out.

    All of a text that stands in no file is `at` one place. Raises SpecError where there is no document to be had.
    """
    if len(text) > MAX_CHARACTERS:
        raise SpecError([Place(file).problem((), f"the file is larger than {MAX_CHARACTERS >> 20} MiB")])
    reader = _Reader(file, at)
    return Document(reader.read(_compose(text, file), ()), reader.positions), reader.problems


_CORE_TAGS = (
    ("null", "~nN", "~|null|Null|NULL"),
    ("bool", "tTfF", "true|True|TRUE|false|False|FALSE"),
    ("int", "-+0123456789", "[-+]?[0-9][0-9_]*|0o[0-7_]+|0x[0-9a-fA-F_]+"),
    (
        "float",
        "-+.0123456789",
        r"[-+]?(\.[0-9]|[0-9][0-9_]*\.)[0-9_]*([eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+",
    ),
    ("float", "-+.", r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
)
_SCALAR_TAGS = {
    first: [(re.compile(pattern), _TAG + tag) for tag, characters, pattern in _CORE_TAGS if first in characters]
    for first in "".join(characters for _, characters, _ in _CORE_TAGS)
}
"""What plain scalars are by the core schema of YAML 1.2 (chapter 10.3.2): patterns and tags by the first character."""


def _compose(text: str, file: str) -> Node:
    try:
        return _Composer(file).compose(text, yaml.CSafeLoader)
    except (YAMLError, UnicodeEncodeError):  # the parser in Python takes characters escaped in halves, as JSON has them
        pass
    try:
        return _Composer(file).compose(text, yaml.SafeLoader)
    except ReaderError as error:
        before = text[: error.position]
        place = Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise SpecError(
            [place.problem((), "the file holds a character that is no text", "save it as UTF-8")]
        ) from error
    except YAMLError as error:
        line, column, message, hint = _explain(error, text)
        raise SpecError([Place(file, line, column).problem((), message, hint)]) from error


class _Composer:
    """Builds the tree of a text's nodes. PyYAML's own composer recurses without a limit, in C until it crashes."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._root: Node | None = None
        self._anchors: dict[str, Node] = {}
        self._open: list[CollectionNode] = []
        self._keys: list[Node | None] = []  # of each open mapping, the key that waits for its value

    def compose(self, text: str, parser_class: type[yaml.CSafeLoader | yaml.SafeLoader]) -> Node:
        """Return the root. Raises YAMLError where the text is not YAML; SpecError where it is empty or too deep."""
        parser = parser_class(text)
        while parser.check_event():
            self._take(parser.get_event())
        if self._root is None:
            raise SpecError([Place(self._file, 1, 1).problem((), "the file is empty")])
        return self._root

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.CollectionEndEvent):
            self._open.pop().end_mark = event.end_mark
            self._keys.pop()
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise ComposerError(None, None, f"found undefined alias {event.anchor!r}", event.start_mark)
            self._add(self._anchors[event.anchor])
        elif isinstance(event, yaml.DocumentStartEvent) and self._root is not None:
            raise ComposerError("expected a single document", None, "but found another document", event.start_mark)
        elif isinstance(event, yaml.NodeEvent):
            node = _node(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = node
            self._add(node)
            if isinstance(node, CollectionNode):
                self._open.append(node)
                self._keys.append(None)
                if len(self._open) > MAX_DEPTH + 1:
                    place = Place(self._file, event.start_mark.line + 1, event.start_mark.column + 1)
                    raise SpecError([place.problem((), f"it is nested deeper than {MAX_DEPTH} levels")])

    def _add(self, node: Node) -> None:
        if not self._open:
            self._root = node
        elif isinstance(self._open[-1], SequenceNode):
            self._open[-1].value.append(node)
        elif self._keys[-1] is None:
            self._keys[-1] = node
        else:
            self._open[-1].value.append((self._keys[-1], node))
            self._keys[-1] = None


def _node(event: yaml.NodeEvent) -> Node:
    start, end = event.start_mark, event.end_mark
    if isinstance(event, yaml.ScalarEvent):
        return ScalarNode(event.tag or _scalar_tag(event), event.value, start, end, style=event.style)
    kind = MappingNode if isinstance(event, yaml.MappingStartEvent) else SequenceNode
    return kind(event.tag or f"{_TAG}{kind.id[:3]}", [], start, end)


def _scalar_tag(event: yaml.ScalarEvent) -> str:
    if not event.implicit[0]:
        return _TAG + "str"
    if not event.value:
        return _TAG + "null"
    patterns = _SCALAR_TAGS.get(event.value[0], [])
    return next((tag for pattern, tag in patterns if pattern.fullmatch(event.value)), _TAG + "str")


@dataclass
class _Reader:
    """Convert the parser's nodes to plain data; collect positions and problems."""

    file: str
    at: Place | None
    positions: dict[KeyPath, _Position] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def read(self, node: Node, path: KeyPath, key: Place | None = None) -> Any:
        place, tag = self._place(node), str(node.tag)
        if len(self.positions) >= MAX_VALUES:
            message = f"it has more than {MAX_VALUES} values, aliases unfolded"
            raise SpecError([*self.problems, place.problem(path, message)])
        if len(path) > MAX_DEPTH:
            raise SpecError([*self.problems, place.problem(path[:4], f"it is nested deeper than {MAX_DEPTH} levels")])
        self.positions[path] = _Position(key or place, place)
        if isinstance(node, MappingNode) and tag == _TAG + "map":
            return self._mapping(node, path)
        if isinstance(node, SequenceNode) and tag == _TAG + "seq":
            return [self.read(item, (*path, number)) for number, item in enumerate(node.value)]
        if not isinstance(node, ScalarNode) or not tag.startswith(_TAG):
            message = f"the tag `{tag.replace(_TAG, '!!')}` has no place in a spec"
            self.problems.append(place.problem(path, message, "remove it"))
            return None
        try:
            content = _read_scalar(tag.removeprefix(_TAG), str(node.value))
        except ValueError as error:
            self.problems.append(place.problem(path, str(error)))
            return None
        if isinstance(content, str) and not self.at:
            self.positions[path] = _Position(key or place, place, _literal_column(node))
        return content

    def _mapping(self, node: MappingNode, path: KeyPath) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            place = self._place(key_node)
            if not isinstance(key_node, ScalarNode):
                self.problems.append(place.problem(path, "a key must be one word, not a list or a mapping"))
                continue
            try:
                key = _read_text(str(key_node.value))
            except ValueError as error:
                self.problems.append(place.problem(path, str(error)))
                continue
            if key in mapping:
                hint = f"it stands already in line {self.positions[*path, key].key.line}; keep one of the two"
                self.problems.append(place.problem((*path, key), f"duplicate key `{key}`", hint))
            else:
                mapping[key] = self.read(value_node, (*path, key), place)
        return mapping

    def _place(self, node: Node) -> Place:
        return self.at or Place(self.file, node.start_mark.line + 1, node.start_mark.column + 1)


def _read_scalar(tag: str, text: str) -> str | int | float | bool | None:
    """Read a scalar by the core schema of YAML 1.2. Raises ValueError with a message for what has no place."""
    match tag:
        case "null":
            return None
        case "bool" if text.lower() in ("true", "false"):
            return text.lower() == "true"
        case "int":
            return _read_whole(text)
        case "float":
            return _read_number(text)
        case "str" | "bool" | "timestamp" | "value" | "merge":
            return _read_text(text)
    raise ValueError(f"the tag `!!{tag}` has no place in a spec")


def _read_whole(text: str) -> int:
    digits = text.replace("_", "").lower()
    if len(digits) > MAX_DIGITS:
        raise ValueError("the number is too large")
    radix = 8 if "0o" in digits else 16 if "0x" in digits else 10
    try:
        return int(digits, radix)
    except ValueError as error:
        raise ValueError(f"`{text}` is no whole number") from error


def _read_number(text: str) -> float:
    try:
        number = float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError as error:
        raise ValueError(f"`{text}` is no number") from error
    if not math.isfinite(number):
        raise ValueError(f"`{text}` is no number that can be used")
    return number


def _read_text(text: str) -> str:
    """Join the halves of characters that were escaped in two, as JSON does."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise ValueError("the text holds half a character") from error


def _literal_column(node: ScalarNode) -> int:
    start, end = node.start_mark, node.end_mark
    quotes = 1 if node.style in ("'", '"') else 0
    if start.line != end.line or node.style in ("|", ">") or end.column - start.column != len(node.value) + 2 * quotes:
        return 0
    return int(start.column + 1 + quotes)


_QUOTED = re.compile(r"""(?<![^\s\[{,])("(?:\\.|[^"\\])*+"|'(?:''|[^'])*+')""")
_SYNTAX_ERRORS = (
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


def _explain(error: YAMLError, text: str) -> tuple[int, int, str, str]:
    """Return line and column from 1, message and hint of a YAML syntax error."""
    if not isinstance(error, MarkedYAMLError) or (error.problem_mark or error.context_mark) is None:
        return 1, 1, "it is not YAML", ""
    problem = f"{error.context or ''} {error.problem or ''}"
    mark = error.problem_mark or error.context_mark
    if re.search("end of stream|stream end|expected ',' or|<scalar>|quoted", problem) and "escape" not in problem:
        quote = _open_quote(text.split("\n")[: mark.line + 1])
        if quote:
            return (*quote, "the quote that opens here is not closed in its line", "close it, or remove it")
    if "flow" in problem and error.context_mark is not None:
        mark = error.context_mark
    for pattern, message, hint in _SYNTAX_ERRORS:
        if re.search(pattern, problem):
            return mark.line + 1, mark.column + 1, message, hint
    return mark.line + 1, mark.column + 1, f"it is not YAML: {' '.join(problem.split())}", ""


def _open_quote(lines: list[str]) -> tuple[int, int] | None:
    """Find the first quote that begins a text and that its line does not close: line and column from 1."""
    for number, line in enumerate(lines, start=1):
        rest = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line)
        found = re.search(r"(?:^|[\s\[{,])([\"'])", re.split(r"(?:^|\s)#", rest)[0])
        if found:
            return number, found.start(1) + 1
    return None
