"""A model's server is cut off in the middle of a run."""

from __future__ import annotations

from benchmarks._chaos.model_server import WAYS
from benchmarks._chaos.scene import REFUSED, RESUMED, DefectError, MissedError, Scene
from worldforge.core.errors import PartialError

_REQUESTS = 60  # that a run of `rollout.model` makes at least
_FOR_EVER = 10**6


def server(scene: Scene) -> str:
    """Let the server of agent and world model fail: for a few requests, or from one on until the command has ended.

    Short of that, episodes that it failed are rows with a reason, which `--retry-failed` plays again; a server that is
    gone ends the command, and the same command goes on. In the end every episode is there, once, as undisturbed.
    """
    scene.lay_out()
    model = scene.stages.model
    way = scene.draw.choice(WAYS)
    after = scene.draw.randrange(_REQUESTS)
    times = scene.draw.choice((1, 3, 10, _FOR_EVER, _FOR_EVER))
    scene.tell(f"the server answers with `{way}` from request {after} on, {times:,} times")
    model.misbehave(way, after, times)
    try:
        done = scene.finish(scene.start())
    finally:
        n_wrong = model.n_wrong
        model.heal()
    if not n_wrong:
        raise MissedError
    partial = PartialError.exit_code
    gone = done.code in (1, 2) or (done.code == partial and "are not recorded" in done.err)
    if not gone and done.code != 0 and (done.code != partial or " failed, " not in done.err):
        raise DefectError(f"it ended with {done.code}:\n{done.err}")
    if gone:
        scene.check_told(done, {1, 2, partial}, about="agent" if "agent" in done.err else "127.0.0.1")
    scene.check_records()
    scene.arguments = (*scene.arguments, "--retry-failed")
    scene.resumed()
    return REFUSED if gone else RESUMED
