"""Files for other schedulers: checked by the schedulers' own tools, if installed; names survive all quoting."""

import shlex
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import islice

import pytest
import yaml

from worldforge.cli.jobs_commands import check_arguments
from worldforge.core.errors import InputError
from worldforge.jobs.emit_jobs import EmitOptions, calendar_events, emit_jobs, minutes_to_check, portable_cron
from worldforge.jobs.jobs_file import JobSchedule, read_jobs
from worldforge.jobs.step_commands import Permissions

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
_CRONTAB_SAYS = subprocess.getoutput("crontab -h")
LOOKING = {"(dry run": "-n", "Test a crontab": "-T"}  # Debian's, cronie's: where `-n` names a host
LOOK = next((option for words, option in LOOKING.items() if words in _CRONTAB_SAYS), None)
CRONTAB = pytest.mark.skipif(LOOK is None, reason="no crontab is here that only looks at a file")
LONG = "long" * 20
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
        yaml.safe_dump({"jobs": jobs | {"by hand": {"steps": ["audit"]}}}, file)
    return read_jobs(folder, check_arguments)


def emitted(plan, scheduler, names=(), image="registry/worldforge:1"):
    return emit_jobs(scheduler, plan, names, Permissions(), EmitOptions(image=image, claim="claim"))


def only(files):
    (text,) = files.values()
    return text


@SYSTEMD
def test_systemd_accepts_the_units(plan, tmp_path):
    units = emitted(plan, "systemd")
    assert len({*units}) == 2 * len(NAMES)
    for name, text in units.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name) for name in units]
    done = subprocess.run(["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@SYSTEMD
@pytest.mark.parametrize("cron", ["*/15 8-18 * * mon-fri", "30 2 1,15 */3 *", "5 4 13 * 5", "0 0 29 2 *", "@weekly"])
def test_systemd_fires_when_cron_does(cron):
    """Compared with what the tool itself prints."""
    schedule = JobSchedule(cron=cron, timezone="UTC")
    expected = set()
    for line in calendar_events(schedule):
        command = ["systemd-analyze", "calendar", "--iterations=4", line]
        shown = subprocess.run(
            command, capture_output=True, text=True, check=True, env={"TZ": "UTC", "PATH": "/usr/bin"}
        )
        lines = [
            part.split(": ", 1)[1] for part in shown.stdout.splitlines() if "Next elapse" in part or "Iter." in part
        ]
        expected |= {datetime.strptime(part, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC) for part in lines}
    fires = schedule.fire_times(datetime.now(UTC))
    assert [*islice(fires, 4)] == sorted(expected)[:4]


def test_systemd_reads_the_arguments_back(plan):
    service = next(iter(emitted(plan, "systemd", [NAMES[3]]).values()))
    line = next(line for line in service.splitlines() if line.startswith("ExecStart="))
    assert '"--" "100%% $$HOME $${X} $$(id)"' in line and "of 100%% $$me/jobs.yaml" in line


@pytest.mark.parametrize("name", NAMES)
def test_shells_read_the_arguments_back(plan, name):
    ends = [f"--file={plan.path.resolve()}", "--", name]
    line = only(emitted(plan, "cron", [name])).splitlines()[-1]
    assert line.startswith("30 * * * * ") and "%" not in line.replace("\\%", "")
    words = shlex.split(line.removeprefix("30 * * * * ").replace("\\%", "%"))
    assert [word for word in words if word not in ("--due", "--delayed")][-3:] == ends and "--due" in words
    script = only(emitted(plan, "slurm", [name]))
    assert [word for word in run_script(script)[1] if word != "--scheduled"][-3:] == ends


def run_script(script, *words, code=0, **environment):
    """Run a batch script whose command prints its arguments and exits with a code; return both."""
    shown = f"shown() {{ printf '%s\\n' \"$@\"; return {code}; }}\n"
    script = shown + script.replace(shlex.quote(sys.executable), "shown")
    done = subprocess.run(
        ["bash", "-s", "--", *words],
        input=script,
        capture_output=True,
        text=True,
        env={"HOME": "/nobody"} | environment,
    )
    return done.returncode, done.stdout.splitlines()


@CRONTAB
def test_cron_accepts_the_lines(plan, tmp_path):
    path = tmp_path / "lines"
    path.write_text(only(emitted(plan, "cron")), encoding="utf-8")
    done = subprocess.run(["crontab", str(LOOK), str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("cron", "zone", "machine", "minutes"),
    [
        ("30 2 * * *", "Europe/Berlin", "UTC", "30"),
        ("5/20 8-10 * * mon", "UTC", "UTC", "5,25,45"),  # Debian's cron refuses 5/20
        ("* 3 * * *", "Asia/Kathmandu", "UTC", "*"),
        ("0 9 * * *", "Asia/Kathmandu", "UTC", "15"),
        ("0 9 * * *", "UTC", "Asia/Kolkata", "30"),
        ("0 9 * * *", "Australia/Lord_Howe", "UTC", "0,30"),  # half an hour of summer time
    ],
)
def test_cron_checks_at_every_minute_at_which_a_fire_time_may_be(monkeypatch, cron, zone, machine, minutes):
    """Compared with 500 fire times on the machine's clock."""
    monkeypatch.setenv("TZ", machine)
    time.tzset()
    schedule, now = JobSchedule(cron=cron, timezone=zone), datetime(2031, 1, 1, tzinfo=UTC)
    try:
        line = minutes_to_check(schedule, now)
        fires = {f"{fire.astimezone().minute}" for fire in islice(schedule.fire_times(now), 500)}
    finally:
        monkeypatch.undo()
        time.tzset()
    assert line == minutes and (minutes == "*" or fires == set(minutes.split(",")))


def test_a_line_that_is_too_long_for_cron_is_refused(tmp_path):
    deep = tmp_path.joinpath(*["x" * 200] * 5)
    deep.mkdir(parents=True)
    (deep / "jobs.yaml").write_text("jobs: {a: {steps: [audit], schedule: {cron: '@daily'}}}")
    with pytest.raises(InputError, match="998 bytes"):
        emitted(read_jobs(deep, check_arguments), "cron")


def test_slurm_requeues_a_job_that_reaches_its_time_limit(tmp_path):
    """As Slurm does: USR1 to the shell alone."""
    (tmp_path / "jobs.yaml").write_text("jobs: {a: {steps: [audit, {rollout: {agent: oracle}}]}}")
    (tmp_path / "scontrol").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    (tmp_path / "scontrol").chmod(0o755)
    plain = read_jobs(tmp_path, check_arguments)
    script = only(emitted(plain, "slurm"))
    work = f"{sys.executable} -c 'import os, signal, time; os.kill(os.getppid(), signal.SIGUSR1); time.sleep(60)'"
    lines = [f"{work} &" if line.endswith(" &") else line for line in script.splitlines()]
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SLURM_JOB_ID": "7"}
    done = subprocess.run(["bash"], input="\n".join(lines), text=True, env=environment, timeout=30)
    assert done.returncode == 143
    assert (tmp_path / "asked").read_text() == "requeue 7\n"


VALUE = "/data/my $HOME 100% 'x' \"q\" $(id)"
SECRETS = ["HF_TOKEN", "MY_KEY"]


@pytest.fixture
def needing(tmp_path):
    """Emit a job with resources, and a file with its secrets."""
    needs = {"gpus": 2, "cpus": 8, "memory": "32 GiB", "environment": {"HF_HOME": VALUE}, "secrets": SECRETS}
    job = {"steps": ["rollout"], "schedule": {"cron": "@daily"}, "resources": needs}
    with (tmp_path / "jobs.yaml").open("w", encoding="utf-8") as file:
        yaml.safe_dump({"jobs": {"a": job}}, file)
    (tmp_path / "my secrets").write_text("HF_TOKEN=hushed\nMY_KEY=hush\n")
    options = EmitOptions("image", "claim", "keys", tmp_path / "my secrets", ("--partition=gpu",))
    plan = read_jobs(tmp_path, check_arguments)

    def emit(scheduler):
        return emit_jobs(scheduler, plan, ["a"], Permissions(), options)

    return emit


def test_slurm_gets_the_resources(needing, tmp_path):
    text = only(needing("slurm"))
    asked = {line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH ")}
    assert asked >= {"--gres=gpu:2", "--cpus-per-task=8", "--mem=32768M", "--partition=gpu"}
    assert "hush" not in text
    show = 'printf "%s\\n" "$HF_HOME" "$(sh -c \'echo $HF_TOKEN $MY_KEY\')"'
    script = "\n".join(f"{{ {show}; }} &" if line.endswith(" &") else line for line in text.splitlines())
    assert run_script(script, PATH="/usr/bin:/bin") == (0, [VALUE, "hushed hush"])
    (tmp_path / "my secrets").write_text("HF_TOKEN=hushed\n")
    assert run_script(script, PATH="/usr/bin:/bin") == (2, [])


def test_kubernetes_gets_the_resources(needing):
    validate = pytest.importorskip("kubernetes_validate").validate
    manifest = yaml.safe_load(only(needing("kubernetes")))
    validate(manifest, "1.31", strict=True)
    (container,) = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    limits = {"memory": "32768Mi", "nvidia.com/gpu": "2"}
    assert container["resources"] == {"requests": {"cpu": "8", "memory": "32768Mi"}, "limits": limits}
    variables = {one["name"]: one for one in container["env"]}
    assert variables["HF_HOME"]["value"] == VALUE.replace("$", "$$")
    for name in SECRETS:
        assert variables[name]["valueFrom"] == {"secretKeyRef": {"name": "keys", "key": name}}


@SYSTEMD
def test_systemd_gets_the_resources(needing, tmp_path):
    for name, text in needing("systemd").items():
        (tmp_path / name).write_text(text)
    paths = [str(path) for path in tmp_path.glob("worldforge-*")]
    done = subprocess.run(["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False)
    assert (len(paths), done.returncode, done.stdout, done.stderr) == (2, 0, "", "")
    lines = (tmp_path / "worldforge-a.service").read_text().splitlines()
    assert {"CPUQuota=800%", "MemoryMax=32768M", f"EnvironmentFile={tmp_path}/my secrets"} <= {*lines}


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"environment": {"HF_TOKEN": "hush"}}, "`HF_TOKEN` is a secret"),
        ({"environment": {"SERVER": "http://me:hush@h/"}}, "`SERVER` is a secret"),
        ({"environment": {"A": "b"}, "secrets": ["A"]}, "`A` is in `environment` and in `secrets`"),
        ({"secrets": ["a b"]}, "not the name of an environment variable"),
        ({"memory": "lots"}, "could not parse value"),
    ],
)
def test_invalid_resources_are_refused(tmp_path, resources, expected):
    with (tmp_path / "jobs.yaml").open("w", encoding="utf-8") as file:
        yaml.safe_dump({"jobs": {"a": {"steps": ["audit"], "resources": resources}}}, file)
    with pytest.raises(InputError, match=expected) as caught:
        read_jobs(tmp_path, check_arguments)
    assert "hush" not in str(caught.value)


def test_kubernetes_accepts_the_manifests(plan):
    validate = pytest.importorskip("kubernetes_validate").validate
    seen = set()
    for text in emitted(plan, "kubernetes").values():
        manifest = yaml.safe_load(text)
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
def test_a_portable_expression(cron, written):
    assert portable_cron(JobSchedule(cron=cron)) == written


def test_ray_refuses_arguments_that_its_shell_would_read(plan, tmp_path):
    with pytest.raises(InputError, match="cannot carry"):
        emitted(plan, "ray", ["nightly"])  # for its folder's sake
    (tmp_path / "jobs.yaml").write_text("jobs: {a: {steps: [audit]}, 'b c': {steps: [audit]}}")
    plain = read_jobs(tmp_path, check_arguments)
    with pytest.raises(InputError, match="`b c`"):
        emitted(plain, "ray")
    script = only(emitted(plain, "ray", ["a"]))
    assert shlex.split(script.splitlines()[-1])[-5:] == ["jobs", "run", f"--file={tmp_path}/jobs.yaml", "--", "a"]


def test_jobs_that_cannot_be_emitted_are_refused(plan, tmp_path):
    for names in (["nobody"], ["by hand"]):
        with pytest.raises(InputError, match=r"no job|no schedule"):
            emitted(plan, "systemd", names)
    (tmp_path / "jobs.yaml").write_text("jobs: {a: {steps: [audit], hooks: {failure: [{command: x}]}}}")
    with pytest.raises(InputError, match="runs commands of its own"):
        emitted(read_jobs(tmp_path, check_arguments), "slurm")
