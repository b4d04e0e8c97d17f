"""The check of consumers tells failures, and what could not be run, from what was: by scripts of no consumer."""

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parent / "check.py"
SAYS = """\
import argparse, json
parser = argparse.ArgumentParser()
for name in ("--dataset", "--world", "--model"):
    parser.add_argument(name)
given = parser.parse_args()
print("noise")
print(json.dumps({"consumer": "reader", "version": "1.0", "view": "sft", "what": "read " + given.dataset[-8:],
                  "result": "7 rows"}))
"""


@pytest.fixture
def check(monkeypatch):
    """The check, with nothing to make: neither a model nor a world."""
    spec = importlib.util.spec_from_file_location("consumers_check", FILE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "_make_model", lambda folder: folder)
    return module


@pytest.fixture
def checked(check, tmp_path):
    """Runs the check over one consumer, whose script is given."""
    world = tmp_path / "world"
    (world / "datasets").mkdir(parents=True)
    (world / "datasets" / "manifest.json").write_text("{}")

    def run(script, requirements=None):
        file = tmp_path / "script.py"
        file.write_text(script)
        consumer = check.Consumer("reader", file, requirements)
        return check.main(["--world", str(world), "--environments", str(tmp_path / "venvs")], [consumer])

    return run


def test_what_a_script_says_is_a_row_of_the_table(checked, capsys):
    assert checked(SAYS) == 0
    assert "| reader | 1.0 | sft | read datasets | 7 rows |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("raise SystemExit('it does not hold that 1 is 2')", "it does not hold that 1 is 2"),
        (SAYS + "1 / 0", "ZeroDivisionError"),
        ("print('all is well')", "it said nothing of what it ran"),
        ("import reader_of_nothing", "ModuleNotFoundError"),
    ],
)
def test_a_script_that_fails_fails_the_check(checked, capsys, script, reason):
    assert checked(script) == 1
    told = capsys.readouterr()
    assert "| reader |" in told.out
    assert "FAILED" in told.out
    assert reason in told.out
    assert reason in told.err


def test_a_consumer_that_cannot_be_installed_is_not_run(checked, tmp_path, capsys):
    requirements = tmp_path / "reader.txt"
    requirements.write_text("./no-such-package-1.0-py3-none-any.whl\n")
    assert checked("raise SystemExit('it ran')", requirements) == 0
    assert "not run: " in capsys.readouterr().out


def test_an_environment_is_made_once_for_its_requirements(checked, tmp_path):
    requirements, script = tmp_path / "reader.txt", SAYS + "import sys; assert 'venvs' in sys.prefix, sys.prefix\n"
    requirements.write_text("# nothing\n")
    assert checked(script, requirements) == 0
    mark = tmp_path / "venvs" / "reader" / "mark"
    mark.touch()
    assert checked(script, requirements) == 0
    assert mark.exists()
    requirements.write_text("# still nothing\n")
    assert checked(script, requirements) == 0
    assert not mark.exists()


def test_the_table_replaces_the_one_before(check, tmp_path, monkeypatch):
    document = tmp_path / "consumers.md"
    document.write_text(f"# Before\n\n{check.BEGIN}\n| old |\n{check.END}\n\nAfter.\n")
    monkeypatch.setattr(check, "DOCUMENT", document)
    check._write([check.Row("reader", "1.0", "sft", "read", "7 rows")])
    text = document.read_text()
    assert text.startswith("# Before\n") and text.endswith("\nAfter.\n")
    assert "| reader | 1.0 | sft | read | 7 rows |" in text
    assert "old" not in text


def test_names_that_no_consumer_has_are_refused(check, capsys):
    with pytest.raises(SystemExit) as stopped:
        check.main(["nobody"])
    assert stopped.value.code == 2
    assert "no consumer is called nobody" in capsys.readouterr().err


def test_every_consumer_is_there(check):
    for consumer in check.CONSUMERS:
        assert consumer.script.exists()
        if consumer.requirements:
            lines = [line for line in consumer.requirements.read_text().splitlines() if not line.startswith("#")]
            assert all("==" in line for line in lines), consumer.name
