"""Files for other schedulers: read by the tools themselves where they are installed; names survive all quoting."""

import shlex
import shutil
import subprocess
from datetime import UTC, datetime

import pytest
from jobs_by_script import FORMS
from ruamel.yaml import YAML

from worldforge.core.errors import InputError
from worldforge.jobs.commands import Permits
from worldforge.jobs.cron import Cron
from worldforge.jobs.emit.emitting import arrays_for, units_for
from worldforge.jobs.emit.kubernetes import standard
from worldforge.jobs.emit.systemd import calendar_lines
from worldforge.jobs.fires import next_fires
from worldforge.jobs.plan import Schedule
from worldforge.jobs.reading import read_jobs

NAMES = [
    "nightly",
    "two words",
    'it\'s "quoted"',
    "100% $HOME ${X} $(id)",
    "`id`; rm -rf *",
    "夜班 #1",
    "Nightly",
    "x" * 80,
]
SYSTEMD = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")


@pytest.fixture
def plan(tmp_path):
    jobs = {
        name: {"steps": ["audit"], "schedule": {"cron": "30 2 1 * sun", "timezone": "Europe/Berlin", "jitter": "5m"}}
        for name in NAMES
    }
    folder = tmp_path / "of 100% $me"
    folder.mkdir()
    with (folder / "jobs.yaml").open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump({"jobs": jobs | {"by hand": {"steps": ["audit"]}}}, file)
    return read_jobs(folder, FORMS)


def emitted(plan, scheduler, names=(), image="registry/worldforge:1"):
    return units_for(scheduler, plan, names, Permits(), image, "claim")


@SYSTEMD
def test_systemd_takes_the_units(plan, tmp_path):
    units = emitted(plan, "systemd")
    assert len({unit.name for unit in units}) == 2 * len(NAMES)
    for unit in units:
        (tmp_path / unit.name).write_text(unit.text, encoding="utf-8")
    paths = [str(tmp_path / unit.name) for unit in units]
    done = subprocess.run(["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@SYSTEMD
@pytest.mark.parametrize("cron", ["*/15 8-18 * * mon-fri", "30 2 1,15 */3 *", "5 4 13 * 5", "0 0 29 2 *", "@weekly"])
def test_systemd_fires_when_cron_does(cron):
    """Beside what the tool itself says, in local time, two of each line."""
    schedule = Schedule(cron=cron, timezone="UTC")
    said = set()
    for line in calendar_lines(schedule):
        command = ["systemd-analyze", "calendar", "--iterations=4", line]
        shown = subprocess.run(
            command, capture_output=True, text=True, check=True, env={"TZ": "UTC", "PATH": "/usr/bin"}
        )
        lines = [
            part.split(": ", 1)[1] for part in shown.stdout.splitlines() if "Next elapse" in part or "Iter." in part
        ]
        said |= {datetime.strptime(part, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC) for part in lines}
    fires = next_fires(schedule, datetime.now(UTC), 4)
    assert fires == sorted(said)[:4]


def test_systemd_reads_back_the_words(plan):
    service = emitted(plan, "systemd", [NAMES[3]])[0].text
    line = next(line for line in service.splitlines() if line.startswith("ExecStart="))
    assert '"--" "100%% $$HOME $${X} $$(id)"' in line and "of 100%% $$me/jobs.yaml" in line


@pytest.mark.parametrize("name", NAMES)
def test_shells_read_back_the_words(plan, name):
    ends = [f"--file={plan.path.resolve()}", "--scheduled", "--", name]
    line = emitted(plan, "cron", [name])[0].text.splitlines()[-1]
    assert line.startswith("30 2 1 * sun ") and "%" not in line.replace("\\%", "")
    words = shlex.split(line.removeprefix("30 2 1 * sun ").replace("\\%", "%"))
    assert [word for word in words if word != "--delayed"][-4:] == ends
    script = emitted(plan, "slurm", [name])[0].text
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    run = script.replace("exec ", "printf '%s\\n' ")
    shown = subprocess.run(
        ["bash"], input=run, capture_output=True, text=True, check=True, env={"HOME": "/nobody"}
    ).stdout
    assert shown.splitlines()[-4:] == ends


def test_slurm_arrays_play_the_ranks_of_a_rollout(tmp_path):
    (tmp_path / "jobs.yaml").write_text(
        "jobs: {a: {steps: [audit, {rollout: {agent: 'x y$z', trials: 2}}]}, b: {steps: [audit]}}"
    )
    plain = read_jobs(tmp_path, FORMS)
    (unit,) = arrays_for(plain, ["a"], FORMS, 8)
    script = unit.text.replace("exec ", "exec printf '%s\\n' ")

    def shown(*words, **environment):
        done = subprocess.run(
            ["bash", "-s", "--", *words], input=script, capture_output=True, text=True, env=environment
        )
        return done.returncode, done.stdout.splitlines()[4:]

    options = ["rollout", "--agent=x y$z", "--trials=2"]
    assert shown("my world", SLURM_ARRAY_TASK_ID="3") == (0, [*options, "--rank=3", "--of=8", "--", "my world"])
    merge = subprocess.run(
        ["bash", "-s", "--", "w", "--merge"], input=script, capture_output=True, text=True, check=True
    )
    assert merge.stdout.splitlines()[4:9] == [*options, "--merge", "--of=8"]
    assert shown("my world")[0] != 0 and shown(SLURM_ARRAY_TASK_ID="3")[0] != 0
    with pytest.raises(InputError, match="no rollout"):
        arrays_for(plain, ["b"], FORMS, 8)


def test_kubernetes_takes_the_manifests(plan):
    validate = pytest.importorskip("kubernetes_validate").validate
    seen = set()
    for unit in emitted(plan, "kubernetes"):
        manifest = YAML(typ="safe").load(unit.text)
        name = manifest["metadata"]["annotations"]["worldforge/job"]
        seen.add(name)
        validate(manifest, "1.31", strict=True)
        assert len(manifest["metadata"]["name"]) <= 52
        (container,) = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
        assert container["args"][-1].replace("$$", "$") == name and container["args"][2] == "--file=/jobs/jobs.yaml"
    assert seen == set(NAMES)
    with pytest.raises(InputError, match="needs an image"):
        emitted(plan, "kubernetes", image=None)


@pytest.mark.parametrize(
    ("cron", "written"),
    [("*/15 8-10 * * 7", "*/15 8,9,10 * * 0"), ("5/20 0 */2 jan fri", "5,25,45 0 */2 1 5"), ("@daily", "0 0 * * *")],
)
def test_kubernetes_reads_the_expression_alike(cron, written):
    assert standard(Cron.parse(cron)) == written


def test_ray_refuses_what_its_command_line_cannot_carry(plan, tmp_path):
    with pytest.raises(InputError, match="cannot carry"):
        emitted(plan, "ray", ["nightly"])  # for its folder's sake
    (tmp_path / "jobs.yaml").write_text("jobs: {a: {steps: [audit]}, 'b c': {steps: [audit]}}")
    plain = read_jobs(tmp_path, FORMS)
    with pytest.raises(InputError, match="`b c`"):
        emitted(plain, "ray")
    script = emitted(plain, "ray", ["a"])[0].text
    assert shlex.split(script.splitlines()[-1])[-5:] == ["jobs", "run", f"--file={tmp_path}/jobs.yaml", "--", "a"]


def test_what_cannot_be_emitted_is_refused(plan, tmp_path):
    for names in (["nobody"], ["by hand"]):
        with pytest.raises(InputError, match=r"no job|no schedule"):
            emitted(plan, "systemd", names)
    (tmp_path / "jobs.yaml").write_text("jobs: {a: {steps: [audit], hooks: {failure: [{command: x}]}}}")
    with pytest.raises(InputError, match="runs commands of its own"):
        emitted(read_jobs(tmp_path, FORMS), "slurm")
