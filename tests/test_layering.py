"""The house as it stands: which room imports which, and which doors only one room may use."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = [
    "core", "observing", "models", "schema", "world", "search", "scoring", "environments", "world_model", "agents",
    "serving", "builders", "rollouts", "datasets", "entry_points", "jobs", "doctor", "cli",
]  # fmt: skip
LAZY_SPINE_IMPORTS = {"worldforge/__init__.py"}  # names them for type checkers and imports them on first use
DOORS = {
    "vllm": ("worldforge/models/vllm.py",),
    "ray": ("worldforge/core/ray_cluster.py",),
    "huggingface_hub": ("worldforge/datasets/hub_client.py", "worldforge/models/weights.py"),
}
SOURCES = sorted([*ROOT.glob("worldforge/**/*.py"), *ROOT.glob("generators/**/*.py")])


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno} imports relatively"
            yield node.module or ""


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (ROOT / "worldforge" / parts[1]).is_dir() else "entry_points"


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in nodes(path) if isinstance(node, ast.Call))


def test_every_room_is_in_the_picture_and_has_a_sentence():
    found = {path.parent.name for path in ROOT.glob("worldforge/*/__init__.py")}
    assert found == set(ROOMS)
    picture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for room in found:
        assert f"`worldforge/{room}/`" in picture, f"docs/architecture.md does not show {room}"
        sentence = ast.get_docstring(
            ast.parse((ROOT / "worldforge" / room / "__init__.py").read_text(encoding="utf-8"))
        )
        assert sentence, f"worldforge/{room}/__init__.py does not say what the room is"


def test_a_room_imports_only_rooms_below_it():
    assert len(SOURCES) > 500
    wrong = [one for path in SOURCES for one in wrong_imports(path)]
    assert not wrong, "\n".join(wrong)


def wrong_imports(path):
    if name(path) in LAZY_SPINE_IMPORTS:
        return
    here = (
        "generators"
        if name(path).startswith("generators/")
        else room_of(name(path).removesuffix(".py").replace("/", "."))
    )
    for module in imports(path):
        top = module.split(".")[0]
        if top == "generators" and here != "generators":
            yield f"{name(path)} imports {module}: generators are reached by name, core/imports.py"
        if top != "worldforge":
            continue
        there = room_of(module)
        if here == "generators":
            if there not in ("core", "world"):
                yield f"{name(path)} imports {module}"
        elif ROOMS.index(there) > ROOMS.index(here):
            yield f"{name(path)} imports {module}, a room above it"


def test_doors():
    wrong = [one for path in SOURCES for one in wrong_doors(path)]
    assert not wrong, "\n".join(wrong)


def wrong_doors(path):
    for module in imports(path):
        door = DOORS.get(module.split(".")[0])
        if door and name(path) not in door:
            yield f"{name(path)} imports {module}; only {' and '.join(door)} may"
    for call in calls(path):
        where = f"{name(path)}:{call.lineno}"
        function = ast.unparse(call.func)
        prints = function in ("print", "click.echo", "sys.stdout.write", "sys.stderr.write")
        if prints and not name(path).startswith("worldforge/cli/"):
            yield f"{where} prints"
        moves = function in ("os.replace", "os.rename", "shutil.move") or function.endswith(".rename")
        if name(path) != "worldforge/schema/expression_sql.py":  # replaces nodes of a syntax tree
            moves |= function.endswith(".replace") and len(call.args) == 1 and not call.keywords
        if moves and name(path) != "worldforge/core/files.py":
            yield f"{where} renames a file"


def test_world_schemas_hold_no_code():
    assert [path.name for path in (ROOT / "world_schemas").iterdir() if path.suffix not in (".yaml", "")] == []
