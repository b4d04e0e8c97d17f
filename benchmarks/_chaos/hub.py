"""A push is killed at one of its requests, or the Hub fails: the stand-in on loopback that the tests push to."""

from __future__ import annotations

from typing import Any

from benchmarks._chaos.command import Running
from benchmarks._chaos.hub_server import CUT, REPOSITORY, SILENT
from benchmarks._chaos.scene import REFUSED, RESUMED, DefectError, MissedError, Scene

_WAYS = ("killed", "killed", "killed when it is done", 429, 503, SILENT, CUT)


def hub(scene: Scene) -> str:
    """Kill a push at one of its requests, before it is done or after; or let the Hub fail, for a while or for good.

    The same command is to bring what is missing, and nothing twice.
    """
    scene.lay_out()
    server = scene.stages.hub.server
    scene.stages.hub.empty()
    way, skip = scene.draw.choice(_WAYS), scene.draw.randrange(scene.stages.hub.n_asked)
    times = 1 if "killed" in str(way) else scene.draw.choice((1, 2, 4))  # for good it takes minutes
    scene.tell(f"from request {skip + 1} of {scene.stages.hub.n_asked} to the Hub on, {times:,} times: {way}")
    running: list[Running] = []
    struck: list[Any] = []

    def strike() -> None:
        struck.append(way)
        if "killed" in str(way):
            running[0].kill_all()

    status = SILENT if "killed" in str(way) else way
    server.fault("", ".", status, skip=skip, times=times, after=way == _WAYS[2], action=strike)
    try:
        running.append(scene.start())
        done = scene.finish(running[0])
    finally:
        server.heal()
        server.settle()
    if not struck:
        raise MissedError
    if done.code > 0:
        scene.check_told(done, {1}, about=REPOSITORY)
    scene.resumed()
    if found := scene.stages.hub.faults_in(scene.folder / "w" / "datasets"):
        raise DefectError("of the repository: " + ", ".join(found))
    return REFUSED if done.code > 0 else RESUMED
