"""Kubernetes: a CronJob (batch/v1) whose pods mount the folder of the jobs.yaml from a claim that they share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from worldforge.jobs.cron import Cron
from worldforge.jobs.emit.units import Emitted, Unit
from worldforge.schema.emit import emit_yaml

_MOUNT = PurePosixPath("/jobs")
_LONGEST_DEADLINE_S = 86_400


@dataclass(frozen=True, slots=True)
class Pod:
    """What a pod is made of: an image with WorldForge, and the claim of the volume that holds the jobs.yaml."""

    image: str
    claim: str


def cron_job(emitted: Emitted, pod: Pod) -> list[Unit]:
    """Return the manifest of a job. A run that has ended ends its job: the ledger has counted its tries.

    A pod that was killed is made again, and goes on with the run.
    """
    schedule, name = emitted.schedule, f"worldforge-{emitted.slug}"
    file = _MOUNT / emitted.file.name
    container = {
        "name": "worldforge",
        "image": pod.image,
        "command": ["worldforge"],
        "args": [_literal(word) for word in emitted.arguments(file, delayed=True)],  # type: ignore[arg-type]
        "volumeMounts": [{"name": "jobs", "mountPath": str(_MOUNT)}],
    }
    template: dict[str, Any] = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 60,
        "containers": [container],
        "volumes": [{"name": "jobs", "persistentVolumeClaim": {"claimName": pod.claim}}],
    }
    on_exit = {"containerName": "worldforge", "operator": "In", "values": [1, 2, 3, 4]}
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "annotations": {"worldforge/job": emitted.name}},
        "spec": {
            "schedule": standard(Cron.parse(schedule.cron)),
            "timeZone": schedule.timezone,
            "concurrencyPolicy": "Forbid" if schedule.overlap == "skip" else "Allow",
            "startingDeadlineSeconds": round(min(max(schedule.grace, 60), _LONGEST_DEADLINE_S)),
            "jobTemplate": {
                "spec": {
                    "backoffLimit": 2,
                    "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": on_exit}]},
                    "template": {"spec": template},
                }
            },
        },
    }
    return [Unit(f"{name}.yaml", emit_yaml(manifest))]


def standard(cron: Cron) -> str:
    """Write an expression as Kubernetes reads it: Sunday is 0, steps follow `*` alone."""
    fields = zip(cron.text.split(), (cron.minutes, cron.hours, cron.days, cron.months, cron.weekdays), strict=True)
    return " ".join(text if text.startswith("*") and "," not in text else ",".join(map(str, v)) for text, v in fields)


def _literal(word: str) -> str:
    """Write a word so that Kubernetes puts no variable into it: `$(NAME)` is written `$$(NAME)`."""
    return word.replace("$", "$$")
