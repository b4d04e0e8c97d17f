"""Files are damaged behind a command's back: cut off, bytes flipped, pages of zeros, rubbish at the end."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks._chaos.files import differences, held
from benchmarks._chaos.scene import REFUSED, RESUMED, DefectError, MissedError, Scene

_PAGE = 4096


def corrupt(scene: Scene) -> str:
    """Damage one file of a world, of a finished stage or of one that was killed, then give the same command.

    It is to end as if nothing had been, or to refuse and name the file; nothing may come out that is silently wrong.
    """
    scene.lay_out()
    killed = scene.draw.random() < 0.5
    at = scene.a_call()
    scene.tell(f"killed before call {at} ({scene.stage.calls[at - 1]})" if killed else "done")
    done = scene.finish(scene.start(**({"hook": {"at": at, "do": "kill"}} if killed else {})))
    if done.code != (-9 if killed else 0):
        raise MissedError
    path = _a_file(scene)
    name, content = path.relative_to(scene.folder).as_posix(), path.read_bytes()
    damaged = damage(content, scene.draw)
    if damaged == content:
        raise MissedError
    path.write_bytes(damaged)
    scene.tell(f"`{name}` damaged: {_said(content, damaged)}")
    done = scene.finish(scene.start())
    if done.code == 0:
        return _check_outcome(scene, name, damaged)
    scene.check_told(done, {2}, about=path.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    done = scene.finish(scene.start())
    if done.code:
        raise DefectError(f"with the file put back, it ended with {done.code}:\n{done.err}")
    scene.check_same()
    return REFUSED


def damage(content: bytes, draw: random.Random) -> bytes:
    """Return `content` damaged in one of the ways in which disks, copies and cut-off writes damage it."""
    if not content:
        return b"\0" * 16
    place = draw.randrange(len(content))
    way = draw.choice(("cut", "empty", "flip", "flip", "zeros", "rubbish"))
    if way == "cut":
        return content[:place]
    if way == "empty":
        return b""
    if way == "rubbish":
        return content + draw.randbytes(draw.randint(1, 64))
    changed = bytearray(content)
    if way == "zeros":
        first = place // _PAGE * _PAGE
        end = min(len(content), first + _PAGE)
        changed[first:end] = bytes(end - first)
    else:
        for _ in range(draw.randint(1, 4)):
            changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _check_outcome(scene: Scene, name: str, damaged: bytes) -> str:
    """The command ended well: either all is mended, or what it was not concerned with is as it was left."""
    found = differences(scene.stage.after, held(scene.folder))
    if not found:
        scene.check_same()
        return RESUMED
    path = scene.folder / name
    is_own = scene.stage.after.get(name) != held(scene.stage.before).get(name)
    if found == [f"`{name}` differs"] and not is_own and path.read_bytes() == damaged:
        raise MissedError  # it never looked there
    raise DefectError("silently, " + ", ".join(found[:6]))


def _a_file(scene: Scene) -> Path:
    files = [path for path in sorted((scene.folder / "w").rglob("*")) if path.is_file() and "lock" not in path.name]
    if not files:
        raise MissedError
    return scene.draw.choice(files)


def _said(before: bytes, now: bytes) -> str:
    if len(before) != len(now):
        return f"{len(before):,} bytes are now {len(now):,}"
    places = [place for place, (one, other) in enumerate(zip(before, now, strict=True)) if one != other]
    return f"{len(places):,} of {len(before):,} bytes changed, the first at {places[0]:,}"
