"""What a user types after the quickstart: a spec of one's own, looked at, built, rolled out, exported."""

import json
import re
import subprocess
import sys

import pytest
from command import digest, worldforge

from worldforge.schema.spec_loader import load_spec

SMALL = ("--set", "scale=0.15")


@pytest.fixture
def mine(tmp_path):
    worldforge("new", "mine", cwd=tmp_path)
    return tmp_path


def test_from_new_to_dataset(mine):
    assert "no problems" in worldforge("validate", "mine", cwd=mine).stderr
    spec = mine / "mine" / "world.yaml"
    spec.write_text(spec.read_text().replace("count: 40\n    rows", "count: 5\n    rows"))
    worldforge("build", "mine/world.yaml", *SMALL, cwd=mine)
    worldforge("rollout", "output/mine", "--trials", 2, cwd=mine)
    exported = json.loads(worldforge("export", "output/mine", "--json", cwd=mine).stdout)
    assert exported["n_rows"] == 10
    assert (mine / "output" / "mine" / "datasets" / "README.md").exists()
    worldforge("audit", "output/mine", cwd=mine)
    worldforge("new", "mine", cwd=mine, code=2)
    worldforge("new", "my-podcast", cwd=mine)
    spec = load_spec(mine / "my-podcast")
    assert (spec.name, spec.title, spec.description) == ("my-podcast", "My podcast", "")
    worldforge("new", "other", "--from", "nothing", cwd=mine, code=2)


def test_a_preview_shows_rows_a_page_and_a_task_and_leaves_nothing(mine):
    shown = worldforge("preview", "mine", "--page", "club_official", *SMALL, cwd=mine).stdout
    assert "club/0000" in shown and "```markdown" in shown
    assert re.search(r"official site\nhttps://www\.[a-z0-9-]+\.example/\n\n(.*\n)*# ", shown), "no site of a club"
    assert [path.name for path in mine.iterdir()] == ["mine"]
    worldforge("preview", "mine", "--page", "nothing", cwd=mine, code=2)


def test_a_preview_of_a_large_world_is_small(mine):
    shown = worldforge("preview", "quickstart", "--set", "scale=2000", cwd=mine).stdout
    n_players = int(re.search(r"player: ([\d,]+) rows", shown)[1].replace(",", ""))
    assert 500 < n_players < 1500


def test_problems_open_with_their_place(mine):
    spec = mine / "mine" / "world.yaml"
    spec.write_text(spec.read_text().replace("names.town,", "names.twon,").replace("seed: ", "sed: "))
    done = worldforge("validate", "mine", cwd=mine, code=2)
    places = [line for line in done.stderr.splitlines() if line.startswith("mine/world.yaml:")]
    assert len(places) == 2 and "did you mean `seed`?" in done.stderr and "did you mean `names.town`?" in done.stderr
    told = json.loads(worldforge("validate", "mine", "--json", cwd=mine, code=2).stdout)
    assert [f"{p['file']}:{p['line']}:{p['column']}: {p['path']}: {p['message']}" for p in told["problems"]] == places
    worldforge("build", "mine", cwd=mine, code=2)
    assert not (mine / "output").exists()


def test_settings_come_from_environment_and_options(mine):
    def seed(*options, **env):
        small = (*SMALL, "--set", "tasks.list.count=1")
        done = worldforge("build", "quickstart", "-o", mine / "w", *small, *options, env=env)
        assert "digest" not in done.stdout
        return json.loads((mine / "w" / "world.json").read_text())["seed"]

    assert seed() == 20310630
    assert seed(WORLDFORGE__SEED="8") == 8
    assert seed("--set", "seed=9", WORLDFORGE__SEED="8") == 9


def test_a_spec_may_extend_another(mine):
    (mine / "child.yaml").write_text("extends: quickstart\nname: child\ntasks: {list: {count: 2}}\nrelations: null\n")
    done = worldforge("validate", "child.yaml", cwd=mine, code=2)
    assert "plays_for" in done.stderr  # what still speaks of it is named
    (mine / "child.yaml").write_text("extends: quickstart\nname: child\ntasks: {list: {count: 2}}\n")
    built = json.loads(worldforge("build", "child.yaml", *SMALL, "--json", cwd=mine).stdout)
    assert built["counts"]["tasks"] == 2 and built["folder"] == "output/child"


def test_too_few_tasks_is_done_in_part(mine):
    done = worldforge(
        "build", "quickstart", "-o", mine / "w", "--set", "tasks.list.about=[region]", "--set", "tasks.list.count=20",
        "--set", "scale=0.5",
        "--set", "tasks.list.rows={low: 8, high: 8}", code=4,
    )  # fmt: skip
    assert "of 20 tasks were kept" in done.stderr and "set_aside.parquet" in done.stderr
    assert digest(mine / "w")


def test_the_json_schema_is_one(mine):
    schema = json.loads(worldforge("schema").stdout)
    assert "types" in schema["properties"] and "extends" in schema["properties"]
    assert "quickstart" in worldforge("schemas").stdout


def test_two_builds_of_one_folder_are_refused(mine):
    from worldforge.core.files import locked

    with locked(mine / "w" / ".build" / "lock", "taken"):
        done = worldforge("build", "quickstart", "-o", mine / "w", code=2)
    assert "another build" in done.stderr


@pytest.mark.parametrize("lock", ["mine/.lock", "mine/ranks/1-of-2/.lock"])
def test_a_world_whose_run_is_played_is_not_built_anew(mine, lock):
    from worldforge.core.files import locked

    world = mine / "w"
    build = ("build", "quickstart", "-o", world, *SMALL, "--set", "tasks.list.count=1")
    worldforge(*build)
    before = digest(world)
    with locked(world / "trajectories" / lock, "taken"):
        worldforge(*build)  # there is nothing to do
        for change in (("--fresh",), ("--set", "seed=9")):
            done = worldforge(*build, *change, code=2)
            assert "its run `mine`" in done.stderr and "another folder" in done.stderr
            assert digest(world) == before
    worldforge(*build, "--set", "seed=9")
    assert digest(world) != before


def test_a_disk_that_takes_no_more_is_one_message_that_names_the_file(tmp_path):
    command = f"ulimit -f 0; exec {sys.executable} -m worldforge.cli.main new {tmp_path / 'mine'} 2>&1 | cat"
    said = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"error: {tmp_path / 'mine' / 'world.yaml'}: File too large") and "hint: make room" in said
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("place", ["file", "file/world", "nowhere", "around/world", "x" * 300])
def test_a_place_that_can_be_no_folder_is_the_input_s_fault(tmp_path, place):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "around").symlink_to("around")
    before = sorted(tmp_path.rglob("*"))
    done = worldforge("build", "quickstart", "-o", tmp_path / place, code=2)
    assert str(tmp_path / place) in done.stderr and re.search(r"hint: .*\bchoose a", done.stderr)
    assert sorted(tmp_path.rglob("*")) == before and (tmp_path / "file").read_text() == "mine"
