"""The strikes: each disturbs a stage in a way of its own, at a moment drawn by chance, and says what came of it.

A strike raises `MissedError` where the command was done before it struck, `DefectError` where something is not as it
should be, and else returns how the command came through: it went on (`RESUMED`), or it refused clearly, and after what
it said to do the same command went on (`REFUSED`).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks._chaos.command import Done
from benchmarks._chaos.corruption import corrupt
from benchmarks._chaos.hub import hub
from benchmarks._chaos.jobs import job
from benchmarks._chaos.scene import REFUSED, RESUMED, DefectError, MissedError, Scene, wait_until
from benchmarks._chaos.serving import server
from benchmarks._chaos.stages import NAMES

_DISK = 64 * 2**20  # bytes of a round's own disk: room for all that a stage writes, journals and half-written included
_WORKER_S = 20.0  # by then a command has started its workers


def kill(scene: Scene) -> str:
    """Kill all of a command's processes, at a random moment or at one of its calls that change files."""
    scene.lay_out()
    if scene.draw.random() < 0.4:
        running = scene.until_a_moment()
        running.kill_all()
        done = scene.finish(running)
    else:
        done = _at_a_call(scene, "kill")
    if done.code != -9:
        raise MissedError
    return scene.resumed()


def parent(scene: Scene) -> str:
    """Kill the command alone at a random moment; its workers are to go by themselves."""
    scene.lay_out()
    running = scene.until_a_moment()
    running.kill()
    if scene.finish(running).code != -9:
        raise MissedError
    return scene.resumed()


def worker(scene: Scene) -> str:
    """Kill one of its worker processes as soon as there are some, or later; the command is to say so and go on."""
    scene.lay_out()
    scene.tell("one worker process killed")
    running = scene.start()
    if not wait_until(lambda: running.workers() or running.is_over(), _WORKER_S) or not running.workers():
        scene.finish(running)
        raise MissedError
    running.is_over(scene.draw.choice((0, 0.05, 0.5, 1.0)))
    for pid in running.workers()[:1]:
        running.kill(pid)
    done = scene.finish(running)
    if "a worker was killed" not in done.err:
        raise MissedError
    if done.code:
        raise DefectError(f"it ended with {done.code}:\n{done.err}")
    scene.check_same()
    return RESUMED


def disk(scene: Scene) -> str:
    """Fill the disk at a random moment, really, or let every call that writes fail from one of them on."""
    with _small_disk(scene) as fill:
        scene.lay_out()
        if fill is None or scene.draw.random() < 0.5:
            done = _at_a_call(scene, "full")
        else:
            running = scene.until_a_moment()
            fill(scene.draw.choice((0, 0, 4096, 16384, 65536)))
            done = scene.finish(running)
            fill(None)
        if done.code == 0:
            raise MissedError
        scene.check_told(done, {1, 2})
        _check_names_a_file(scene, done)
        scene.check_nothing_half_written()
        return scene.resumed()


def sealed(scene: Scene) -> str:
    """Take the right to write away: from one call on, of one folder or file, of all from the start."""
    scene.lay_out()
    way = scene.draw.choice(("call", "thing", "all"))
    if way == "call":
        done = _at_a_call(scene, "sealed")
    elif way == "all":
        scene.tell("everything sealed by its permissions")
        things = [scene.folder, *scene.folder.rglob("*")]
        _permit(things, 0o555)
        done = scene.finish(scene.start(bound=True))
        _permit(things, 0o755)
    else:
        with _sealed_thing(scene):
            done = scene.finish(scene.start())
    if done.code == 0:
        raise MissedError
    scene.check_told(done, {1, 2})
    _check_names_a_file(scene, done)
    return scene.resumed()


def clock(scene: Scene) -> str:
    """Let the clock jump by hours, back and forth, before a kill and after it, and date all files anew between."""
    scene.lay_out()
    at = scene.a_call()
    scene.tell(f"the clock jumps about; killed before call {at} that changes files ({scene.stage.calls[at - 1]})")
    done = scene.finish(scene.start(clock=scene.draw.getrandbits(32), hook={"at": at, "do": "kill"}))
    if done.code != -9:
        raise MissedError
    for path in sorted(scene.folder.rglob("*")):
        moment = scene.draw.choice((0, 86400, 4e9, scene.draw.uniform(0, 4e9)))
        os.utime(path, (moment, moment))
    return scene.resumed(clock=scene.draw.getrandbits(32))


STRIKES: dict[str, Callable[[Scene], str]] = {
    "kill": kill,
    "parent": parent,
    "worker": worker,
    "disk": disk,
    "sealed": sealed,
    "corrupt": corrupt,
    "clock": clock,
    "server": server,
    "job": job,
    "hub": hub,
}


def stages_of(strike: str) -> list[str]:
    """List the stages that a strike can strike."""
    if strike == "server":
        return ["rollout.model"]
    if strike == "job":
        return ["jobs"]
    if strike == "hub":
        return ["push"]
    plain = [name for name in NAMES if name not in ("rollout.model", "jobs", "push")]
    return [name for name in plain if NAMES[name][2]] if strike in ("parent", "worker") else plain


def _at_a_call(scene: Scene, do: str) -> Done:
    at = scene.a_call()
    scene.tell(f"`{do}` at call {at} that changes files ({scene.stage.calls[at - 1]})")
    return scene.finish(scene.start(hook={"at": at, "do": do}))


def _permit(things: Sequence[Path], mode: int) -> None:
    for thing in things:
        thing.chmod(mode)


def _check_names_a_file(scene: Scene, done: Done) -> None:
    touched = [call.split(" ", 1)[1] for call in scene.stage.calls]
    top = {name.split("/")[0] for name in (*scene.stage.after, *touched)}
    said = done.err.replace("`", " ").replace("'", " ").replace(":", " ").split()
    if not any(word.startswith("/") or word.split("/")[0] in top for word in said):
        raise DefectError(f"its message names no file:\n{done.err}")


@contextlib.contextmanager
def _small_disk(scene: Scene) -> Iterator[Callable[[int | None], None] | None]:
    """Put the round on a disk of its own; give what fills it but for so many bytes, or (None) makes room again.

    Gives None where nothing may be mounted here.
    """
    scene.folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK},mode=755", "tmpfs", str(scene.folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        yield None
        return
    ballast = scene.folder / "ballast"

    def fill(n_left: int | None) -> None:
        if n_left is None:
            ballast.unlink()
            return
        scene.tell(f"the disk filled but for {n_left} bytes")
        room = os.statvfs(scene.folder)
        wanted = max(0, room.f_bavail * room.f_bsize - n_left)
        with ballast.open("wb") as file, contextlib.suppress(OSError):
            if wanted:
                os.posix_fallocate(file.fileno(), 0, wanted)

    try:
        yield fill
    finally:
        subprocess.run(["umount", "-l", str(scene.folder)], check=True)


@contextlib.contextmanager
def _sealed_thing(scene: Scene) -> Iterator[None]:
    """Seal one of the files and folders that are there and that the stage would change."""
    called = {call.split(" ", 1)[1] for call in scene.stage.calls[scene.stage.first - 1 : scene.stage.last]}
    touched = {scene.folder / name for name in called}
    things = sorted({near for path in touched for near in (path, path.parent) if near.exists()})
    if not things:
        raise MissedError
    thing = scene.draw.choice(things)
    scene.tell(f"`{thing.relative_to(scene.folder)}` sealed")
    seal, open_again = _seals(thing)
    if subprocess.run(seal, capture_output=True, check=False).returncode:
        raise MissedError
    try:
        yield
    finally:
        subprocess.run(open_again, check=False, capture_output=True)
        if not thing.exists():  # moved aside
            for path in scene.folder.rglob("*"):
                subprocess.run([*open_again[:-1], str(path)], check=False, capture_output=True)


def _seals(thing: Path) -> tuple[list[str], list[str]]:
    """Return the commands that seal a file or folder, and that open it again. Permissions do not bind root."""
    if os.geteuid() == 0:
        return ["chattr", "+i", str(thing)], ["chattr", "-i", str(thing)]
    return ["chmod", "a-w", str(thing)], ["chmod", "u+w", str(thing)]


__all__ = ["REFUSED", "RESUMED", "STRIKES", "DefectError", "MissedError", "Scene", "stages_of"]
