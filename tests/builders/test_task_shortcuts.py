"""Gates against shortcuts: each refuses a task that was made to leave one open, and lets another pass."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from command import worldforge

from worldforge.builders.audit.audit_tasks import check_shortcuts, check_splits
from worldforge.builders.tasks.guesses import Shortcuts
from worldforge.builders.tasks.repeated_tasks import RepeatedTasks
from worldforge.builders.tasks.splits import SplitSides
from worldforge.builders.tasks.widesearch_files import evaluation_of
from worldforge.datasets.selection.selection_settings import compile_where
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.task_section import Gates, Split
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.evidence import Evidence
from worldforge.world.stable_ids import rows_of
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import AnyOf, Condition, GivenEntities, NoneOf, Shape
from worldforge.world.world import open_world

TASKS = {
    "list": {"family": "list", "count": 6, "conditions": {"low": 2, "high": 2}, "through": 0.9},
    "gaps": {"family": "completion", "count": 3, "rows": {"low": 3, "high": 4}, "columns": {"low": 3, "high": 4}},
}


@pytest.fixture(scope="module")
def evidence(world):
    return Evidence(world.mentions)


@pytest.fixture
def under(world, evidence):
    connection = world.database()
    return lambda **gates: Shortcuts(world.spec.model_copy(update={"gates": Gates(**gates)}), connection, evidence)


def completion(world, names):
    """Make a task that names clubs and asks for their colours."""
    clubs = [row for row in world.entities("club").to_pylist() if row["name"] in names]
    model = next(t for t in world.tasks if t.about == "club" and "Stadium" not in t.labels)
    label = model.columns[0]
    colours = replace(label, path="colours", label="Colours", kind="text", is_key=False)
    evaluation = {
        "unique_columns": ["footballclub"],
        "required": ["footballclub", "colours"],
        "eval_pipeline": {
            key: {"preprocess": ["norm_str"], "metric": ["exact_match"]} for key in ("footballclub", "colours")
        },
    }
    return replace(
        model,
        conditions=(GivenEntities(tuple(c["id"] for c in clubs), tuple(c["name"] for c in clubs)),),
        columns=(label, colours),
        evaluation=evaluation,
        gold=tuple((club["name"], club["colours"]) for club in clubs),
        facts=tuple((f"{club['id']}#name", f"{club['id']}#colours") for club in clubs),
    )


def test_one_page_may_state_so_much_of_the_gold_and_no_more(world, evidence, under):
    for task in world.tasks[:8]:
        facts = [fact for row in task.facts for fact in row]
        pages = Counter(page for fact in facts for page in set(evidence.page[evidence.of(fact)].tolist()))
        best = max(pages.values()) / len(facts)
        measured = under().measured(task.measured(gold_page_share=0.0, guess_f1=1.0))
        assert (measured.measures.gold_page_share, measured.measures.guess_f1) == (pytest.approx(best, abs=1e-6), 0)
        assert under(page_share=measured.measures.gold_page_share - 0.01).reason(measured).startswith("page_share: ")
        assert under(page_share=measured.measures.gold_page_share).reason(measured) == under().reason(measured) == ""


def test_a_guess_gives_names_and_usual_values_and_is_scored(world, under):
    clubs = world.entities("club").select(["name", "colours"]).to_pylist()
    ((usual, n), *rest) = Counter(club["colours"] for club in clubs if club["colours"]).most_common(2)
    assert n > rest[0][1]  # one value is the most frequent
    of_it = [club["name"] for club in clubs if club["colours"] == usual]
    others = [club["name"] for club in clubs if club["colours"] not in (usual, None)]
    easy = under().measured(completion(world, {*of_it[:2], others[0]}))
    hard = under().measured(completion(world, others[:3]))
    names_alone = pytest.approx(2 / 3, abs=1e-6)  # three right cells of three, of six that gold has
    assert easy.measures.guess_f1 == pytest.approx(5 / 6, abs=1e-6) and hard.measures.guess_f1 == names_alone
    closed = under(guess=0.7)
    assert closed.reason(easy).startswith("guess: ") and closed.reason(hard) == "" and under().reason(easy) == ""
    assert under(guess=0.5).reason(hard).startswith("guess: ")


def test_the_names_of_groups_are_guessed_where_they_are_a_short_list(world, under):
    model = next(task for task in world.tasks if task.about == "player")
    group = TaskColumn("position", "Position", "text", is_key=True)
    count = TaskColumn("count()", "Number of players", "integer")
    positions = Counter(world.entities("player")["position"].to_pylist())
    grouped = replace(
        model,
        conditions=(),
        columns=(group, count),
        evaluation=evaluation_of((group, count), ("Position",)),
        gold=tuple((position, str(n)) for position, n in positions.items()),
        facts=(),
        shape=Shape(group="position"),
    )
    guesses = list(under().guesses(grouped))
    assert max(score_strict(guess, gold_of(grouped)).item_f1 for guess in guesses) == pytest.approx(2 / 3)
    town = replace(group, path="town")
    referred = replace(grouped, about="club", columns=(town, count), shape=Shape(group="town"))
    assert list(under().guesses(referred)) == []


def test_a_condition_that_changes_nothing_is_told(world, under):
    model = next(task for task in world.tasks if task.about == "town")
    old = Condition("chartered", "<", "1300", "1300", "year")
    older = Condition("chartered", "<", "1200", "1200", "year")
    ever = Condition("chartered", "<", "3000", "3000", "year")

    def is_vacuous(*terms):
        return under().reason(replace(model, conditions=terms, shape=Shape())).startswith("vacuous")

    late = Condition("chartered", ">", "1350", "1350", "year")
    assert not is_vacuous(old) and not is_vacuous(AnyOf(((old,), (late,))))
    assert is_vacuous(ever) and is_vacuous(old, ever) and is_vacuous(old, older)
    assert is_vacuous(AnyOf(((old,), (older,)))) and is_vacuous(NoneOf(((old,), (older,))))
    assert is_vacuous(old, NoneOf(((late,),)))


def test_the_usual_number_is_the_most_frequent_or_the_middle_of_them(world, under):
    column = next(c for t in world.tasks for c in t.columns if t.about == "town" and c.path == "population")
    values = sorted(world.entities("town")["population"].to_pylist())
    counts = Counter(values)
    modes = [value for value in sorted(counts) if counts[value] == max(counts.values())]
    assert under().usual("town", column) == str(modes[len(modes) // 2])


def test_one_clue_of_several_may_not_give_the_answer_alone(world, under):
    closed = under(single_clue=False)
    one = next(t for t in world.tasks if t.about == "club" and len(t.conditions) == 1)
    idle = Condition("founded", ">", "0", "0", "year")
    padded = replace(one, conditions=(*one.conditions, idle))
    assert closed.reason(padded).startswith("single_clue: ") and under().reason(padded).startswith("vacuous: ")
    assert closed.reason(one) == ""  # there is nothing beside it
    two = [t for t in world.tasks if len(t.conditions) == 2 and t.measures.distractor_ratio > 0.5]
    assert [t.id for t in two if closed.reason(t) == ""]


def test_a_column_that_says_nothing_new_is_refused(world, under):
    task = completion(world, world.entities("club")["name"].to_pylist()[:3])
    same = replace(task, gold=tuple((name, "red and white") for name, _ in task.gold))
    said = Condition("colours", "=", "red and white", "red and white", "text")
    other = replace(said, value="blue", written="blue")
    assert under().reason(replace(same, conditions=(said,))).startswith("constant: ")
    assert under().reason(replace(same, conditions=(other,))) == ""
    assert under().reason(replace(task, conditions=(said,))) == ""


def asking(task, wording, value, n_rows, columns=None):
    bound = Condition("founded", ">", value, value, "year")
    facts = tuple((f"club/{row:04d}#name",) for row in range(n_rows))
    gold = tuple((f"Club {row}", *task.gold[0][1:]) for row in range(n_rows))
    asked = replace(task, about="club", wording=wording, query=wording, conditions=(bound,), facts=facts, gold=gold)
    return replace(asked, columns=columns or task.columns)


def test_tasks_that_ask_nearly_the_same_are_told(world):
    task, repeats = world.tasks[0], RepeatedTasks()
    long = " ".join(f"word{n}" for n in range(80))
    repeats.keep(replace(asking(task, long, "1900", 10), id="task/list-0007"))
    assert "asks what task/list-0007 asks" in repeats.reason(asking(task, "Else?", "1910", 8))
    assert repeats.reason(asking(task, "Else?", "1910", 7)) == ""
    assert repeats.reason(asking(task, long, "1910", 7)).startswith("duplicate: its query")
    assert "the same columns of the same rows" in repeats.reason(asking(task, "Else?", "1990", 10))
    assert repeats.reason(asking(task, "Else?", "1910", 9, task.columns[:1])) == ""
    near, far = long.replace("word79", "more"), long.replace("word30", "a").replace("word60", "b")
    assert "in the words of task/list-0007" in repeats.reason(asking(task, near, "1990", 3))
    assert repeats.reason(asking(task, far, "1990", 3)) == ""


def test_what_refers_to_an_entity_is_on_its_side(world):
    tables = world.tables()
    sides = SplitSides(world.spec, Split(evaluation=0.3, by="region"), tables)
    regions, towns, clubs = sides.of("region"), sides.of("town"), sides.of("club")
    assert regions.sum() == round(0.3 * len(regions))
    assert (towns == regions[rows_of(tables["town"]["region"])]).all()
    assert (clubs == towns[rows_of(tables["club"]["town"])]).all()
    (ours,), (theirs,) = np.nonzero(clubs), np.nonzero(~clubs)
    assert sides.side("club", ours, ()) == "evaluation" and sides.side("club", theirs, ()) == "train"
    assert sides.side("club", np.append(ours, theirs[0]), ()) == ""
    town = Condition("town", "=", f"town/{int(np.nonzero(towns)[0][0]):04d}", "There", "text")
    assert sides.side("club", ours, (town,)) == "evaluation" and sides.side("club", theirs, (town,)) == ""
    alone = SplitSides(world.spec, Split(evaluation=0.25), tables)
    assert all(alone.of(name).sum() == max(1, round(0.25 * tables[name].num_rows)) for name in world.spec.types)


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shortcuts")
    counts = {"town": 24, "club": 40, "player": 60, "festival": 12}
    spec = {
        "name": "split",
        "extends": "quickstart",
        "types": {name: {"count": count} for name, count in counts.items()},
        "gates": {"page_share": 0.7, "guess": 0.5, "single_clue": False},
        "split": {"evaluation": 0.3, "by": "region"},
        "tasks": {"list": None, **TASKS},
    }
    path = folder / "split.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    worldforge("build", path, "-o", folder / "world")
    return open_world(folder / "world")


def test_a_built_world_keeps_to_its_gates_and_its_sides(split):
    assert Counter((t.family, t.side) for t in split.tasks) == {
        ("list", "train"): 4, ("list", "evaluation"): 2, ("completion", "train"): 2, ("completion", "evaluation"): 1,
    }  # fmt: skip
    assert all(t.measures.gold_page_share <= 0.7 and t.measures.guess_f1 <= 0.5 for t in split.tasks)
    assert any(t.measures.guess_f1 > 0 for t in split.tasks)
    about = {side: {f.partition("#")[0] for t in split.tasks if t.side == side for f, *_ in t.facts} for side in SIDES}
    assert about["train"] and about["evaluation"] and not about["train"] & about["evaluation"]
    audit = {check["check"]: check for check in json.loads((split.path / "audit.json").read_text())["checks"]}
    assert audit["splits"]["n_checked"] >= sum(map(len, about.values())) and audit["splits"]["n_failed"] == 0
    assert set(compile_where("side = 'train' and item_f1 > 0").columns) == {"item_f1", "side"}


SIDES = ("train", "evaluation")


def test_the_audit_finds_what_was_changed(split):
    tasks, spec, evidence = split.tasks, split.spec, Evidence(split.mentions)
    assert check_splits(spec, tasks).n_failed == check_shortcuts(spec, evidence, tasks).n_failed == 0
    turned = replace(tasks[0], id="task/list-9999", side="evaluation")
    assert "is behind tasks for training and for evaluation" in check_splits(spec, [*tasks, turned]).failures[0]
    assert check_splits(spec, [replace(tasks[0], side="")]).failures == (
        "task/list-0000: it is on no side of the split",
    )
    wrong = tasks[0].measured(gold_page_share=0.01)
    assert "of its gold, and it says 0.01" in check_shortcuts(spec, evidence, [wrong]).failures[0]
    narrow = spec.model_copy(update={"gates": Gates(page_share=0.01)})
    assert check_shortcuts(narrow, evidence, tasks).n_failed == len(tasks)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"split": {"evaluation": 0.2, "by": "regoin"}}, "unknown type `regoin`"),
        ({"split": {"evaluation": 0.2, "by": "region"}, "types": {"region": {"count": 1}}}, "nothing to split"),
        ({"split": {"evaluation": 1}}, "split.evaluation"),
        ({"gates": {"page_share": 1.5}}, "gates.page_share"),
        ({"gates": {"guesses": 0.5}}, "guesses"),
    ],
)
def test_a_spec_that_cannot_be_is_told_so(tmp_path, wrong, said):
    path = tmp_path / "wrong.yaml"
    path.write_text(json.dumps({"name": "wrong", "extends": "quickstart", **wrong}), encoding="utf-8")
    with pytest.raises(SpecError) as error:
        load_spec(str(path))
    assert said in str(error.value), str(error.value)
