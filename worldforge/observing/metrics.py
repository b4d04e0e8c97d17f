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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.observing.stage_recorder import StageRecorder
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
    start: float
    exit_code: int | None = None


@contextmanager
def expose_metrics(target: str, stages: StageRecorder, command: CommandState) -> Iterator[None]:
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
        with _write_to_file(Path(target).absolute(), registry):
            yield
    else:
        with _serve((endpoint["host"] or HOST).strip("[]"), int(endpoint["port"]), registry):
            yield


def _registry(stages: StageRecorder, command: CommandState) -> CollectorRegistry:
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
def _serve(host: str, port: int, registry: CollectorRegistry) -> Iterator[None]:
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
def _write_to_file(path: Path, registry: CollectorRegistry) -> Iterator[None]:
    """Write the metrics to a file every few seconds while the block runs, and at its end."""
    from prometheus_client import write_to_textfile

    def keep_writing() -> None:
        while not ended.wait(EVERY_S):
            with contextlib.suppress(OSError):  # the disk is full, for now
                write_to_textfile(str(path), registry)

    if not path.parent.is_dir():
        raise InputError(f"the metrics cannot be written to {path}: there is no such folder", "make it first")
    try:
        write_to_textfile(str(path), registry)
    except OSError as error:
        raise InputError(f"the metrics cannot be written to {path}: {error.strerror or error}") from error
    ended = threading.Event()
    writer = threading.Thread(target=keep_writing, daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
        try:
            write_to_textfile(str(path), registry)
        except OSError as error:
            emit("metrics_lost", logging.WARNING, file=str(path), reason=str(error))


class _Collector:
    """Collects metrics of a command and its stages when they are scraped."""

    def __init__(self, stages: StageRecorder, command: CommandState) -> None:
        self._stages, self._command = stages, command

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

        command, stages = self._command, list(self._stages.all.values())
        about = {"version": command.version, "python": platform.python_version()}
        yield InfoMetricFamily("worldforge_build", "Which WorldForge this is.", value=about)
        memory = "The most that it, or the largest worker that has ended, has held."
        gauges = [
            ("start_time_seconds", "When the command began, in seconds since 1970.", command.start),
            ("running", "Whether it is under way.", float(command.exit_code is None)),
            ("peak_memory_bytes", memory, peak_rss_bytes()),
        ]
        if command.exit_code is not None:
            gauges.append(("exit_code", "How it ended.", command.exit_code))
            gauges.append(("end_time_seconds", "When it ended, in seconds since 1970.", time.time()))
        for name, text, value in gauges:
            yield _family(GaugeMetricFamily, f"worldforge_command_{name}", text, "verb", {command.verb: value})
        for family, name, text, attribute in (
            (CounterMetricFamily, "items", "Items that are done.", "items"),
            (GaugeMetricFamily, "items_expected", "Items that there are.", "total"),
            (GaugeMetricFamily, "seconds", "Seconds that a stage has taken.", "wall_s"),
            (GaugeMetricFamily, "cpu_seconds", "CPU seconds, of ended workers too.", "cpu_s"),
        ):
            values = {stage.name: getattr(stage, attribute) for stage in stages}
            yield _family(family, f"worldforge_stage_{name}", text, "stage", values)
        counts: dict[str, dict[str, float]] = {}
        for (what, kind), n in sorted(self._stages.counts().items()):
            counts.setdefault(what, {})[kind] = n
        for what, by_kind in counts.items():
            default = f"worldforge_{re.sub('[^a-zA-Z0-9_]', '_', what)}"
            name, label, text = _COUNTS.get(what, (default, "of", f"Counted: {what}."))
            yield _family(GaugeMetricFamily if what in _GAUGES else CounterMetricFamily, name, text, label, by_kind)


def _family(kind: Callable[..., Any], name: str, text: str, label: str, values: Mapping[str, float | None]) -> Metric:
    """Make a metric of values by label; those that are not known are left out."""
    metric = kind(name, text, labels=[label] if label else [])
    for value_label, value in values.items():
        if value is not None:
            metric.add_metric([value_label] if label else [], value)
    return metric
