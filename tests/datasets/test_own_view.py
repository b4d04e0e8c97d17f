"""A view of the user's own, as the how-to page has it; what is refused. (tests/test_how_tos.py runs the page.)"""

import re
import shlex
import sys
from pathlib import Path

import pytest
from paper_world import linked

from worldforge.cli.main import run
from worldforge.core.errors import InputError
from worldforge.datasets.manifest import verify
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.view import load_views
from worldforge.entry_points.export_dataset import export
from worldforge.entry_points.play_run import rollout
from worldforge.world.world import open_world

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-view.md"
[CODE] = re.findall(r'```python title="my_views.py"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
[COMMAND] = re.findall(r"^\$ worldforge (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture
def folder(paper_files, tmp_path, monkeypatch):
    """A folder with the page's file and a played world; the current one."""
    (tmp_path / "output").mkdir()
    rollout(linked(paper_files, tmp_path / "output" / "quickstart"), limit=8)
    (tmp_path / "my_views.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_views", raising=False)
    return tmp_path


def test_the_how_to_page_works(folder):
    assert run([*shlex.split(COMMAND), "--clairvoyant"]) == 0
    manifest = verify(folder / "output" / "compact")
    assert manifest.views["compact"].n_rows == 8 and set(manifest.views) == {"compact", "sft"}
    assert "| `n_tool_calls` | int32 | tool calls made |" in (folder / "output" / "compact" / "README.md").read_text()


def test_it_is_written_by_workers_too(folder):
    world, views = open_world(folder / "output" / "quickstart"), load_views(["sft", "my_views:compact"], folder)
    for workers in (1, 2):
        selection, out = Selection(clairvoyant=True), folder / f"out-{workers}"
        summary = export(world, views=views, selection=selection, workers=workers, out=out)
        assert [summary.views[view].n_rows for view in ("compact", "sft")] == [8, 8]
    one, two = (verify(folder / f"out-{workers}").files for workers in (1, 2))
    assert one == two


def test_own_code_runs_only_where_it_is_allowed(folder, capsys):
    assert run(["export", "output/quickstart", "--view", "my_views:compact"]) == 2
    assert "--allow-code" in capsys.readouterr().err and "my_views" not in sys.modules


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("compact = 3", "no DatasetView"),
        ("other = 3", "no DatasetView"),
        (CODE.replace('"compact"', '"sft"'), "as a shipped view is"),
        (CODE.replace('"compact"', '"../compact"'), "cannot be called"),
        (CODE.replace("    tables=rows,\n", ""), "needs `columns` and `tables`"),
        (None, "cannot import"),
    ],
)
def test_what_is_no_view_is_refused(folder, code, says):
    (folder / "my_views.py").unlink() if code is None else (folder / "my_views.py").write_text(code)
    with pytest.raises(InputError, match=re.escape(says)):
        load_views(["my_views:compact"], folder)


def test_a_table_with_other_columns_is_refused(folder):
    (folder / "my_views.py").write_text(CODE.replace('["task", "answer", ', '["answer", "task", '))
    with pytest.raises(InputError, match="other columns"):
        export(
            open_world(folder / "output" / "quickstart"),
            views=load_views(["my_views:compact"], folder),
            out=folder / "out",
        )


def test_two_views_of_one_name_are_refused(folder):
    (folder / "more_views.py").write_text(CODE)
    with pytest.raises(InputError, match="two views are called"):
        load_views(["my_views:compact", "more_views:compact"], folder)
