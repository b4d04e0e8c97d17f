"""Answers scored by workers and by ranks: the file is that of one process, byte for byte, and gaps are refused."""

import json
import shutil
from datetime import date

import pytest
from command import worldforge
from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_examples import fenced

from worldforge.core.errors import InputError
from worldforge.core.ranks import GapsError, Merge, Share
from worldforge.entry_points.score import score
from worldforge.models.scripted import Scripted

N_QUESTIONS = 7
CELLS = {"preprocess": ["norm_str"], "metric": ["exact_match"]}
EVALUATION = {
    "unique_columns": ["club"],
    "required": ["club", "town"],
    "eval_pipeline": {"club": CELLS, "town": CELLS},
}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Seven questions, and two trials of answers to six of them, better and worse: the folder, the file."""
    folder = tmp_path_factory.mktemp("asked")
    names = [f"ws_en_{number:03d}" for number in range(N_QUESTIONS)]
    lines(folder / "widesearch.jsonl", [{"instance_id": n, "evaluation": EVALUATION, "language": "en"} for n in names])
    (folder / "widesearch_gold").mkdir()
    answers = []
    for number, name in enumerate(names):
        gold = [[f"Club {number} {row}", f"Town {row}"] for row in range(3)]
        text = "Club,Town\n" + "".join(",".join(row) + "\n" for row in gold)
        (folder / "widesearch_gold" / f"{name}.csv").write_text(text)
        tables = [fenced(["Club", "Town"], gold[: 1 + (number + trial) % 3]) for trial in range(2)]
        answers += [{"instance_id": name, "response": tables[trial], "trial_idx": trial} for trial in range(2)]
    return folder, lines(folder.parent / "answers.jsonl", answers[:-2])


@pytest.fixture(scope="module")
def alone(asked, tmp_path_factory):
    """The scores, as one process writes them."""
    out = tmp_path_factory.mktemp("alone") / "scores.parquet"
    return score(asked[1], asked[0], out=out), out.read_bytes()


def test_a_merge_that_was_killed_at_its_end_is_done_when_it_is_asked_for_again(asked, alone, tmp_path, monkeypatch):
    folder, answers = asked
    out = tmp_path / "scores.parquet"
    for rank in range(2):
        score(answers, folder, out=out, part=Share(rank, 2))
    remove = shutil.rmtree

    def killed(path, *more, **given):
        assert ".removed" not in str(path), "killed"
        remove(path, *more, **given)

    with monkeypatch.context() as patched, pytest.raises(AssertionError, match="killed"):
        patched.setattr(shutil, "rmtree", killed)
        score(answers, folder, out=out, part=Merge())
    with pytest.raises(InputError, match=r"another configuration .*: `compat_day` was 2025-08-11, is now 2020-01-01"):
        score(answers, folder, out=out, part=Merge(), day=date(2020, 1, 1))
    again = score(answers, folder, out=out, part=Merge())
    assert again.metrics == alone[0].metrics and out.read_bytes() == alone[1]
    assert [path.name for path in tmp_path.iterdir()] == ["scores.parquet"]


@settings(max_examples=8)
@given(st.integers(1, 9), st.randoms(use_true_random=False))
def test_any_number_of_ranks_in_any_order_makes_the_file_of_one_process(tmp_path_factory, asked, alone, n, chance):
    folder, answers = asked
    out = tmp_path_factory.mktemp("ranks") / "scores.parquet"
    order = [*range(n), chance.randrange(n)]  # one of them twice
    chance.shuffle(order)
    for rank in order:
        score(answers, folder, out=out, part=Share(rank, n))
    merged = score(answers, folder, out=out, part=Merge())
    assert out.read_bytes() == alone[1] and merged.metrics == alone[0].metrics
    assert (merged.n_answers, merged.unanswered) == (12, ("ws_en_006",))
    assert [path.name for path in out.parent.iterdir()] == ["scores.parquet"]


def test_workers_change_nothing(tmp_path, asked, alone, monkeypatch):
    monkeypatch.setattr("worldforge.entry_points.score.ROWS_PER_CHUNK", 4)
    score(asked[1], asked[0], out=tmp_path / "scores.parquet", workers=2)
    assert (tmp_path / "scores.parquet").read_bytes() == alone[1]
    with pytest.raises(InputError, match="asked by one process"):
        score(asked[1], asked[0], judge="scripted:judge", workers=2)


def test_gaps_and_other_answers_are_refused(tmp_path, asked, alone):
    folder, answers = asked
    out, told = tmp_path / "scores.parquet", ("score", answers, "--tasks", folder, "-o", tmp_path / "scores.parquet")
    for rank in (0, 2):
        assert "is whole" in worldforge(*told, "--rank", rank, "--of", 3).stderr
    refused = worldforge(*told, "--merge", code=4).stderr
    assert "rank 1: has not begun" in refused and "--rank 1 --of 3" in refused.splitlines()[-1]
    with pytest.raises(GapsError, match="4 of 4 ranks"):
        score(answers, folder, out=out, part=Merge(4))
    other = lines(tmp_path / "answers.jsonl", [{"instance_id": "ws_en_000", "response": "none"}])
    with pytest.raises(InputError, match=r"rank 0: `answers_sha256` was \w+, is now \w+"):
        score(other, folder, out=out, part=Merge())
    share = tmp_path / "scores.parquet.ranks" / "2-of-3" / "scores.parquet"
    share.write_bytes(share.read_bytes()[:-1])
    with pytest.raises(GapsError, match=r"(?s)rank 1.*rank 2: scores.parquet is not as it was written"):
        score(answers, folder, out=out, part=Merge())
    for rank in (1, 2):
        score(answers, folder, out=out, part=Share(rank, 3))
    score(answers, folder, out=out, part=Merge())
    assert out.read_bytes() == alone[1]
    out.unlink()
    assert "--rank 0 --of N" in worldforge(*told, "--merge", code=2).stderr


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_merge_that_is_done_is_done_when_it_is_asked_for_again(tmp_path, asked, alone, ending):
    folder, answers = asked
    out = tmp_path / f"scores.{ending}"
    told = ("score", answers, "--tasks", folder, "-o", out)
    for rank in range(2):
        score(answers, folder, out=out, part=Share(rank, 2))
    first = worldforge(*told, "--merge", "--json")
    made = (out.read_bytes(), out.stat().st_mtime_ns)
    assert worldforge(*told, "--merge", "--json").stdout == first.stdout
    assert "is whole" in worldforge(*told, "--rank", 1, "--of", 2).stderr  # a scheduler's second thought
    assert (out.read_bytes(), out.stat().st_mtime_ns) == made
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    other = lines(tmp_path / "answers.jsonl", [{"instance_id": "ws_en_000", "response": "none"}])
    refused = worldforge("score", other, *told[2:], "--merge", code=2).stderr
    assert "`answers_sha256` was" in refused and "--rank 0 --of N" in refused
    score(answers, folder, out=out, part=Share(1, 2), day=date(2020, 1, 1))  # begun anew: there is a gap again
    with pytest.raises(GapsError, match="rank 0: has not begun"):
        score(answers, folder, out=out, part=Merge(), day=date(2020, 1, 1))
    shutil.rmtree(tmp_path / f"{out.name}.ranks")
    out.write_bytes(out.read_bytes()[:-1] if ending == "parquet" else out.read_bytes().partition(b"\n")[2])
    assert "at work" in worldforge(*told, "--merge", code=2).stderr


def test_a_judge_is_asked_by_each_rank_for_itself_and_the_cache_is_one_in_the_end(tmp_path, asked):
    folder, answers = asked
    n_asked = []

    def judge(request):
        n_asked.append(request)
        return '{"matches": []}'

    def judged(name, **options):
        (tmp_path / name).mkdir(exist_ok=True)
        models = {"scripted:judge": Scripted(judge)}
        return score(answers, folder, judge="scripted:judge", models=models, out=tmp_path / name / "s.jsonl", **options)

    # an answer that is no gold name is what a judge is asked of
    answers = lines(
        tmp_path / "answers.jsonl",
        [
            {"instance_id": f"ws_en_{n:03d}", "response": fenced(["Club", "Town"], [[f"The Club {n}", "Town 1"]])}
            for n in range(N_QUESTIONS)
        ],
    )
    one = judged("one")
    assert one.n_asked == len(n_asked) == N_QUESTIONS
    for rank in range(2):
        judged("many", part=Share(rank, 2))
        assert not (tmp_path / "many" / "judge.sqlite").exists()
    many = judged("many", part=Merge())
    assert many.n_asked == N_QUESTIONS and len(n_asked) == 2 * N_QUESTIONS
    assert (tmp_path / "many" / "s.jsonl").read_bytes() == (tmp_path / "one" / "s.jsonl").read_bytes()
    assert judged("many").n_asked == 0
