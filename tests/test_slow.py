"""The list of slow tests names what is there."""

from pathlib import Path

from slow import SLOW

TESTS = Path(__file__).parent


def test_every_slow_test_that_is_listed_is_there():
    paths = [path.relative_to(TESTS).as_posix() for path in TESTS.glob("**/test_*.py")]
    assert [name for name in SLOW if not any(path.startswith(name.partition("::")[0]) for path in paths)] == []
