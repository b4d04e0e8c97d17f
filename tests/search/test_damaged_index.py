"""An index whose files are damaged ends a search in the project's error, which names its folder."""

import random
import shutil

import pytest
from command import worldforge as command

from worldforge.core.errors import InputError
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.search.search_index import open_index
from worldforge.search.tantivy_index import Searcher

QUERIES = ("town", "football clubs in Kestelessia", '"region" 1911', "stadium capacity of the oldest club")


class PanicException(BaseException):  # as PyO3's, which is no Exception either
    pass


class Panicking:
    num_docs = 3

    def search(self, *_arguments, **_named):
        raise PanicException("index out of bounds: the len is 3 but the index is 7")


def test_a_panic_is_told_as_a_damaged_index(tmp_path):
    searcher = Searcher(Panicking(), tmp_path / "tantivy")
    assert searcher.num_docs == 3
    with pytest.raises(InputError, match=r"tantivy is damaged: index out of bounds") as raised:
        searcher.search("town", 3)
    assert "worldforge build --fresh" in raised.value.hint


@pytest.mark.parametrize("kind", ["term", "idx", "pos", "fast", "fieldnorm", "store"])
def test_whatever_is_damaged_a_search_ends_in_results_or_in_our_error(quickstart, tmp_path, kind):
    told = 0
    for seed in range(4):
        world = tmp_path / str(seed)
        shutil.copytree(quickstart, world)
        (file,) = (world / "index" / "tantivy").glob(f"*.{kind}")
        content, dice = bytearray(file.read_bytes()), random.Random(seed)
        for at in dice.sample(range(len(content) - 100), min(200, len(content) // 2)):
            content[at] = dice.randrange(256)
        file.write_bytes(bytes(content))
        try:
            index = open_index(world / "index")
            for query in QUERIES:
                index.search(query)
        except InputError as error:
            assert str(world / "index") in error.message and "worldforge build" in error.hint
            told += 1
    assert told or kind in ("store", "fieldnorm", "pos", "fast", "idx")  # what is read of these may be none of it


def test_the_command_and_the_environment_say_so(quickstart, tmp_path):
    world = tmp_path / "world"
    shutil.copytree(quickstart, world)
    (terms,) = (world / "index" / "tantivy").glob("*.term")
    content = bytearray(terms.read_bytes())
    content[len(content) // 4 : 3 * len(content) // 4] = bytes(len(content) // 2)
    terms.write_bytes(bytes(content))
    refused = command("search", world, "town region football", code=2)
    assert "the search index in" in refused.stderr and "defect" not in refused.stderr
    with pytest.raises(InputError, match="the search index in"):
        SearchEnvironment(open_index(world / "index")).index.search("town region football")
