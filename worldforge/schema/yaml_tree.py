"""A YAML document as a tree that knows where each key and value stands.

    node, problems = read_document(text, "world.yaml")
    node.child("types").place          Place("world.yaml", 7, 3)

YAML 1.2: `NO` is text. A date (`1992-01-01`) is text as well, and so are all keys. Tags are refused, and with them
everything that could run code; anchors and aliases are taken, unless they blow up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode
from ruamel.yaml.reader import ReaderError

from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.yaml_error_messages import explain_yaml_error

MAX_CHARACTERS = 1 << 20
MAX_VALUES = 100_000
MAX_DEPTH = 32
MAX_DIGITS = 40
_TAG = "tag:yaml.org,2002:"

Scalar: TypeAlias = str | int | float | bool | None
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file: line and column from 1; line 0 where `file` is no file."""

    file: str
    line: int = 0
    column: int = 0

    def problem(self, path: Path, message: str, hint: str = "") -> Problem:
        """Return a problem that stands here."""
        return Problem(self.file, self.line, self.column, ".".join(map(str, path)), message, hint)


class Places(dict[Path, Place]):
    """Where parts of a spec are written. Two are always equal: specs that say the same are the same."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Places)

    __hash__ = None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A value of a document, and where it begins.

    `literal` is the column of a text's first character where the document writes it as it is, on one line; else 0.
    """

    place: Place
    content: Mapping[str, Entry] | Sequence[TreeNode] | Scalar
    literal: int = 0

    def plain(self) -> Any:
        """Return the value as dicts, lists and scalars. A key whose value is null is left out."""
        if isinstance(self.content, Mapping):
            return {key: entry.node.plain() for key, entry in self.content.items() if not entry.is_null}
        if isinstance(self.content, Sequence) and not isinstance(self.content, str):
            return [node.plain() for node in self.content]
        return self.content

    def child(self, step: str | int) -> TreeNode | None:
        """Return what is kept under a key, or at a place of a list; None where there is nothing."""
        if isinstance(self.content, Mapping):
            entry = self.content.get(str(step))
            return entry.node if entry is not None else None
        if isinstance(self.content, Sequence) and not isinstance(self.content, str) and isinstance(step, int):
            return self.content[step] if 0 <= step < len(self.content) else None
        return None

    def at(self, path: Path) -> TreeNode | None:
        """Return the node that `path` leads to."""
        node: TreeNode | None = self
        for step in path:
            node = node.child(step) if node is not None else None
        return node

    def value_place(self, path: Path) -> Place:
        """Return where the value at `path` stands, or the nearest around it that exists."""
        return self._nearest(path).place

    def key_place(self, path: Path) -> Place:
        """Return where the key that ends `path` stands; for what has no key, where the value does."""
        around = self.at(path[:-1])
        if path and around is not None and isinstance(around.content, Mapping):
            entry = around.content.get(str(path[-1]))
            if entry is not None:
                return entry.key_place
        return self.value_place(path)

    def text_place(self, path: Path, offset: int) -> Place:
        """Return where character `offset` of the text at `path` stands; where that cannot be said, its beginning."""
        node = self._nearest(path)
        if not node.literal:
            return node.place
        return Place(node.place.file, node.place.line, node.literal + offset)

    def _nearest(self, path: Path) -> TreeNode:
        node = self
        for step in path:
            child = node.child(step)
            if child is None:
                return node
            node = child
        return node


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a mapping and its value."""

    key_place: Place
    node: TreeNode

    @property
    def is_null(self) -> bool:
        """Whether the value is null: the key counts as not given."""
        return self.node.content is None


def read_document(text: str, file: str, at: Place | None = None) -> tuple[TreeNode, list[Problem]]:
    """Read YAML: the tree, and what is wrong with parts of it (a duplicate key, a tag), which it leaves out.

    All of a text that stands in no file is `at` one place.
    Raises SpecError where there is no tree to be had.
    """
    if len(text) > MAX_CHARACTERS:
        raise SpecError([Place(file).problem((), f"the file is larger than {MAX_CHARACTERS >> 20} MiB")])
    builder = _Builder(file, at)
    return builder.build(_compose(text, file), ()), builder.problems


def _compose(text: str, file: str) -> YamlNode:
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except RecursionError as error:
        raise SpecError([Place(file).problem((), f"it is nested deeper than {MAX_DEPTH} levels")]) from error
    except ReaderError as error:
        before = text[: error.position]
        place = Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise SpecError(
            [place.problem((), "the file holds a character that is no text", "save it as UTF-8")]
        ) from error
    except YAMLError as error:
        line, column, message, hint = explain_yaml_error(error, text)
        raise SpecError([Place(file, line, column).problem((), message, hint)]) from error
    except (ValueError, LookupError, AttributeError, TypeError, AssertionError) as error:  # the parser, on rubbish
        raise SpecError([Place(file, 1, 1).problem((), "it is not YAML")]) from error
    if root is None:
        raise SpecError([Place(file, 1, 1).problem((), "the file is empty")])
    return root


@dataclass
class _Builder:
    """Convert the parser's nodes to tree nodes, and collect problems."""

    file: str
    at: Place | None = None
    problems: list[Problem] = field(default_factory=list)
    n_values: int = 0

    def build(self, node: YamlNode, path: Path) -> TreeNode:
        place, tag = self._place(node), str(node.tag)
        self.n_values += 1
        if self.n_values > MAX_VALUES:
            raise self._too_large(place.problem(path, f"it has more than {MAX_VALUES} values, aliases unfolded"))
        if len(path) > MAX_DEPTH:
            raise self._too_large(place.problem(path[:4], f"it is nested deeper than {MAX_DEPTH} levels"))
        if isinstance(node, MappingNode) and tag == _TAG + "map":
            return TreeNode(place, dict(self._entries(node, path)))
        if isinstance(node, SequenceNode) and tag == _TAG + "seq":
            return TreeNode(place, [self.build(item, (*path, number)) for number, item in enumerate(node.value)])
        if isinstance(node, ScalarNode) and tag.startswith(_TAG):
            return self._scalar(node, place, path)
        shown = tag.replace(_TAG, "!!")
        self.problems.append(place.problem(path, f"the tag `{shown}` has no place in a spec", "remove it"))
        return TreeNode(place, None)

    def _too_large(self, problem: Problem) -> SpecError:
        return SpecError([*self.problems, problem])

    def _entries(self, node: MappingNode, path: Path) -> Iterator[tuple[str, Entry]]:
        seen: dict[str, Place] = {}
        for key_node, value_node in self._rejoined(node, path):
            place = self._place(key_node)
            if not isinstance(key_node, ScalarNode):
                self.problems.append(place.problem(path, "a key must be one word, not a list or a mapping"))
                continue
            key = self._key(key_node, place, path)
            if key in seen:
                first = seen[key]
                hint = f"it stands already in line {first.line}; keep one of the two"
                self.problems.append(place.problem((*path, key), f"duplicate key `{key}`", hint))
                continue
            seen[key] = place
            yield key, Entry(place, self.build(value_node, (*path, key)))

    def _rejoined(self, node: MappingNode, path: Path) -> Iterator[tuple[YamlNode, YamlNode]]:
        """Give keys and values; in braces, those texts in one that an unquoted comma within brackets cuts in pieces:
        `{low: = greatest(1868, founded)}` has the keys `low` and `founded)`.
        """
        pairs = list(node.value)
        while pairs:
            key, value = pairs.pop(0)
            whole = str(value.value) if node.flow_style and isinstance(value, ScalarNode) and not value.style else ""
            n_pieces = 0
            for further, nothing in pairs if whole.count("(") > whole.count(")") else ():
                if not isinstance(further, ScalarNode) or not isinstance(nothing, ScalarNode) or nothing.value:
                    break
                whole, n_pieces = f"{whole}, {further.value}", n_pieces + 1
                if whole.count("(") <= whole.count(")"):
                    break
            if n_pieces:
                message = f"a comma ends a text in braces: it reads `{value.value}`, and the rest as other keys"
                hint = f'put it into quotes: "{whole}"'
                self.problems.append(self._place(value).problem((*path, str(key.value)), message, hint))
                value.value, pairs = whole, pairs[n_pieces:]
            yield key, value

    def _key(self, node: ScalarNode, place: Place, path: Path) -> str:
        try:
            return _read_text(str(node.value))
        except ValueError as error:
            self.problems.append(place.problem(path, str(error)))
            return ""

    def _scalar(self, node: ScalarNode, place: Place, path: Path) -> TreeNode:
        try:
            content = _read_scalar(str(node.tag).removeprefix(_TAG), str(node.value))
        except ValueError as error:
            self.problems.append(place.problem(path, str(error)))
            content = None
        return TreeNode(place, content, _literal_column(node) if isinstance(content, str) and not self.at else 0)

    def _place(self, node: YamlNode) -> Place:
        return self.at or Place(self.file, node.start_mark.line + 1, node.start_mark.column + 1)


def _read_scalar(tag: str, text: str) -> Scalar:
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
