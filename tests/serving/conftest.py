import pytest
from paper_world import paper_files, paper_world

from worldforge.datasets.view import ExportContext
from worldforge.scoring.reward_recipe import DEFAULT
from worldforge.serving.worlds import configure

__all__ = ["paper_files", "paper_world"]


@pytest.fixture
def rows_of():
    """The rows of a view of a world, which is where environments look for worlds from then on."""

    def rows(view, world):
        configure(world.path)
        context = ExportContext(world, (), "CANARY", DEFAULT)
        return [row for table in view.tables((), context) for row in table.to_pylist()]

    yield rows
    configure()
