"""Prometheus metrics of a command: served at an endpoint, or written to a file for a textfile collector.

Names: https://prometheus.io/docs/practices/naming/, text format: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import contextlib
import logging
import platform
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import write_text
from worldforge.observing.stages import Stages
from worldforge.observing.usage import peak_rss_bytes

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

EVERY_S = 5.0
"""How often the file is rewritten."""
HOST = "127.0.0.1"
_ENDPOINT = re.compile(r"(?:(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]+):)?(?P<port>\d{1,5})")
_COUNTS = {
    "episodes": ("worldforge_episodes", "ending", "Finished episodes, by how they ended."),
    "tool_calls": ("worldforge_tool_calls", "", "Calls of tools."),
    "tokens": ("worldforge_tokens", "model", "Tokens read and written, by which model."),
    "tokens_written": ("worldforge_tokens_written", "", "Tokens written by models."),
    "requests": ("worldforge_model_requests", "", "Requests that models have answered."),
    "under_way": ("worldforge_model_requests_under_way", "state", "Requests to models that run, or wait, now."),
    "model_tokens": ("worldforge_model_tokens", "sort", "Tokens read, found in a prefix cache, written."),
    "worded": ("worldforge_observations_worded", "", "Observations that a model was to word."),
    "stored": ("worldforge_observations_stored", "", "Of those, taken from the store."),
    "fallbacks": ("worldforge_observations_fallback", "", "Of those, worded by the engine after all."),
    "unavailable": ("worldforge_observations_unavailable", "", "Of those, for which the model did not answer."),
    "refused": ("worldforge_drafts_refused", "", "Drafts of models that were refused."),
    "set_aside": ("worldforge_tasks_set_aside", "gate", "Tasks that were not kept, by what refused them."),
}
"""For each thing that stages count: the metric's name, the label of its sorts, its help text."""
_GAUGES = ("under_way",)
"""Counts that may go down."""


@dataclass(slots=True)
class CommandState:
    """The running command; `exit_code` is None until it has ended."""

    verb: str
    version: str
    began: float
    exit_code: int | None = None


@contextmanager
def exposed(target: str, stages: Stages, command: CommandState) -> Iterator[None]:
    """Serve metrics at a port or `HOST:PORT` during the block, or keep a `.prom` file up to date, which stays.

    Raises InputError where `target` cannot be used, or the extra `metrics` is not installed.
    """
    endpoint = _ENDPOINT.fullmatch(target)
    if endpoint is None and not target.endswith(".prom"):
        raise InputError(
            f"metrics cannot go to `{target}`", "give a port, HOST:PORT, or a file whose name ends in `.prom`"
        )
    registry = _registry(stages, command)
    if endpoint is None:
        with _written(Path(target).absolute(), registry):
            yield
    else:
        with _served((endpoint["host"] or HOST).strip("[]"), int(endpoint["port"]), registry):
            yield


def _registry(stages: Stages, command: CommandState) -> CollectorRegistry:
    try:
        from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
    except ImportError as error:
        raise InputError("the extra `metrics` is not installed", "pip install '.[metrics]'") from error
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Collector(stages, command))
    return registry


@contextmanager
def _served(host: str, port: int, registry: CollectorRegistry) -> Iterator[None]:
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, host, registry)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"metrics cannot be served at {host}:{port}: {reason}", "choose another port") from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def _written(path: Path, registry: CollectorRegistry) -> Iterator[None]:
    from prometheus_client import generate_latest

    def write() -> None:
        write_text(path, generate_latest(registry).decode())

    def keep_writing() -> None:
        while not stopped.wait(EVERY_S):
            with contextlib.suppress(OSError):  # the disk is full, for now
                write()

    if not path.parent.is_dir():
        raise InputError(f"the metrics cannot be written to {path}: there is no such folder", "make it first")
    try:
        write()
    except OSError as error:
        raise InputError(f"the metrics cannot be written to {path}: {error.strerror or error}") from error
    stopped = threading.Event()
    writing = threading.Thread(target=keep_writing, daemon=True)
    writing.start()
    try:
        yield
    finally:
        stopped.set()
        writing.join()
        try:
            write()
        except OSError as error:
            emit("metrics_lost", logging.WARNING, file=str(path), reason=str(error))


class _Collector:
    """Makes the metrics when Prometheus asks for them."""

    def __init__(self, stages: Stages, command: CommandState) -> None:
        self._stages, self._command = stages, command

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        yield from self._of_command()
        yield from self._of_stages()
        yield from self._of_counts()

    def _of_command(self) -> Iterator[Metric]:
        from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily

        command = self._command
        about = {"version": command.version, "python": platform.python_version()}
        yield InfoMetricFamily("worldforge_build", "Which WorldForge this is.", value=about)
        running = command.exit_code is None
        for name, help_text, value in (
            ("start_time_seconds", "When the command began, in seconds since 1970.", command.began),
            ("running", "Whether the command runs.", float(running)),
            *([] if running else [("exit_code", "The exit code of the command.", float(command.exit_code or 0))]),
            *([] if running else [("end_time_seconds", "When it ended, in seconds since 1970.", time.time())]),
            (
                "peak_memory_bytes",
                "Peak memory of the command, or of its largest ended worker.",
                peak_rss_bytes(),
            ),
        ):
            metric = GaugeMetricFamily(f"worldforge_command_{name}", help_text, labels=["verb"])
            metric.add_metric([command.verb], value)
            yield metric

    def _of_stages(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        stages = list(self._stages.all.values())
        items: Any = CounterMetricFamily("worldforge_stage_items", "Items done.", labels=["stage"])
        expected = GaugeMetricFamily("worldforge_stage_items_expected", "Items expected.", labels=["stage"])
        wall = GaugeMetricFamily("worldforge_stage_seconds", "Seconds that a stage has taken.", labels=["stage"])
        cpu = GaugeMetricFamily("worldforge_stage_cpu_seconds", "CPU seconds, of ended workers too.", labels=["stage"])
        for stage in stages:
            items.add_metric([stage.name], stage.items)
            wall.add_metric([stage.name], stage.wall_s)
            cpu.add_metric([stage.name], stage.cpu_s)
            if stage.total is not None:
                expected.add_metric([stage.name], stage.total)
        yield from (items, expected, wall, cpu)

    def _of_counts(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        metrics: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for (what, of), n in sorted(self._stages.counts().items()):
            name, label, help_text = _COUNTS.get(what, (_metric_name(what), "of", f"Counted: {what}."))
            labels = [label] if label else []
            family = GaugeMetricFamily if what in _GAUGES else CounterMetricFamily
            metric = metrics.setdefault(name, family(name, help_text, labels=labels))
            metric.add_metric([of] if label else [], n)
        yield from metrics.values()


def _metric_name(what: str) -> str:
    return f"worldforge_{re.sub('[^a-zA-Z0-9_]', '_', what)}"
