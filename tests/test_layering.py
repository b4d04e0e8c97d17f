"""Which package imports which, and what only one module may import or call."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = [
    "core", "observing", "models", "schema", "rewording", "world", "search", "scoring", "environments", "world_model",
    "agents", "serving", "builders", "rollouts", "datasets", "entry_points", "jobs", "doctor", "cli",
]  # fmt: skip
LAZY_IMPORTS = {"worldforge/__init__.py"}  # names them for type checkers and imports them on first use
ONLY_IN = {
    "vllm": tuple(f"worldforge/models/{name}.py" for name in ("vllm_engine", "vllm_loading", "embedding")),
    "ray": ("worldforge/core/ray_cluster.py", "worldforge/models/ray_deployment.py"),
    "huggingface_hub": ("worldforge/datasets/hub_client.py", "worldforge/models/model_weights.py"),
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


def package_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (ROOT / "worldforge" / parts[1]).is_dir() else "entry_points"


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in nodes(path) if isinstance(node, ast.Call))


def test_every_package_is_documented():
    found = {path.parent.name for path in ROOT.glob("worldforge/*/__init__.py")}
    assert found == set(PACKAGES)
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for package in found:
        assert f"`worldforge/{package}/`" in page, f"docs/architecture.md does not show {package}"
        sentence = ast.get_docstring(
            ast.parse((ROOT / "worldforge" / package / "__init__.py").read_text(encoding="utf-8"))
        )
        assert sentence, f"worldforge/{package}/__init__.py does not say what the package is"


def test_the_modules_that_the_page_names_exist():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+/[\w/]+\.py)`", page)
    assert len(named) > 20
    assert not [one for one in named if not (ROOT / one).exists() and not (ROOT / "worldforge" / one).exists()]


def test_a_package_imports_only_packages_below_it():
    assert len(SOURCES) > 300
    wrong = [one for path in SOURCES for one in wrong_imports(path)]
    assert not wrong, "\n".join(wrong)


def wrong_imports(path):
    if name(path) in LAZY_IMPORTS:
        return
    here = (
        "generators"
        if name(path).startswith("generators/")
        else package_of(name(path).removesuffix(".py").replace("/", "."))
    )
    for module in imports(path):
        top = module.split(".")[0]
        if top == "generators" and here != "generators":
            yield f"{name(path)} imports {module}: generators are reached by name, core/imports.py"
        if top != "worldforge":
            continue
        there = package_of(module)
        if here == "generators":
            if there not in ("core", "world"):
                yield f"{name(path)} imports {module}"
        elif PACKAGES.index(there) > PACKAGES.index(here):
            yield f"{name(path)} imports {module}, a package above it"


def test_what_only_one_module_may_do():
    wrong = [one for path in SOURCES for one in wrong_places(path)]
    assert not wrong, "\n".join(wrong)


def wrong_places(path):
    for module in imports(path):
        places = ONLY_IN.get(module.split(".")[0])
        if places and name(path) not in places:
            yield f"{name(path)} imports {module}; only {' and '.join(places)} may"
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
