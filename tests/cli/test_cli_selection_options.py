"""The options that choose trajectories: what they become, and what is said of those that cannot be."""

import click
import pytest
from click.testing import CliRunner

from worldforge.cli.selection_options import selection_options
from worldforge.core.errors import InputError
from worldforge.datasets.selection.selection_settings import Bounds, Selection


@click.command()
@selection_options
@click.option("--other", default="x")
def command(selection, other):
    command.seen = (selection, other)


def given(*arguments):
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    if done.exception:
        raise done.exception
    return command.seen


def test_without_options_everything_is_taken():
    assert given() == (Selection(), "x")
    assert given("--other", "y")[1] == "y"


@pytest.mark.parametrize(
    ("arguments", "selection"),
    [
        (["--successes"], Selection(success=True)),
        (["--failures"], Selection(success=False)),
        (["--any-outcome"], Selection(any_outcome=True)),
        (["--clairvoyant"], Selection(clairvoyant=True)),
        (["--no-clairvoyant"], Selection(clairvoyant=False)),
        (["--min-item-f1", "0.5", "--max-item-f1", "1"], Selection(item_f1=Bounds(min=0.5, max=1.0))),
        (["--min-coverage", "0.5"], Selection(coverage=Bounds(min=0.5))),
        (["--min-efficiency", "2"], Selection(efficiency=Bounds(min=2.0))),
        (["--min-steps", "3", "--max-steps", "9"], Selection(n_steps=Bounds(min=3, max=9))),
        (["--max-tool-errors", "0"], Selection(n_tool_errors=Bounds(max=0))),
        (["--ending", "answered", "--ending", "failed"], Selection(endings=["answered", "failed"])),
        (["--agent", "a", "--with-control", "errors"], Selection(agents=["a"], controls=["errors"])),
        (["--where", "item_f1 > 0.5"], Selection(where="item_f1 > 0.5")),
        (["--pass-rate", "0.1..0.9"], Selection(pass_rate=Bounds(min=0.1, max=0.9))),
        (["--pass-rate", "..0.5"], Selection(pass_rate=Bounds(max=0.5))),
        (["--accept", "0.8", "--accept-by", "row_f1", "--per-task", "2"],
         Selection(accept=0.8, accept_by="row_f1", per_task=2)),
        (["--dedupe", "0.8", "--best-of", "1"], Selection(dedupe=0.8, best_of=1)),
        (["--order", "curriculum", "--curriculum-by", "n_cells", "--limit", "5"],
         Selection(order="curriculum", curriculum_by="n_cells", limit=5)),
        (["--order", "shuffled", "--seed", "3"], Selection(order="shuffled", seed=3)),
        (["--tokenizer", "t", "--max-tokens", "9"], Selection(tokenizer="t", max_tokens=9)),
    ],
)  # fmt: skip
def test_each_option_has_its_field(arguments, selection):
    assert given(*arguments)[0] == selection


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["--pass-rate", "0.5"], click.BadParameter, "is no range"),
        (["--pass-rate", "0.9..0.1"], InputError, "pass_rate.*above"),
        (["--pass-rate", "0..2"], click.BadParameter, "is no range"),
        (["--pass-rate", "a..b"], click.BadParameter, "is no range"),
        (["--min-item-f1", "nan"], InputError, "item_f1.*finite"),
        (["--dedupe", "0"], click.BadParameter, "range"),
        (["--best-of", "0"], click.BadParameter, "range"),
        (["--max-tokens", "9"], InputError, "needs `tokenizer`"),
        (["--best-of", "1", "--per-task", "1"], InputError, "give one"),
        (["--any-outcome", "--failures"], InputError, "contradict"),
        (["--min-steps", "9", "--max-steps", "3"], InputError, "n_steps.*above"),
        (["--order", "random"], click.BadParameter, "curriculum"),
    ],
)
def test_what_cannot_be_is_said(arguments, error, said):
    with pytest.raises(error, match=said):
        given(*arguments)


def test_help_tells_of_every_option():
    text = CliRunner().invoke(command, ["--help"]).output
    for option in command.params:
        assert option.help or option.name == "other"
        assert option.opts[0] in text
