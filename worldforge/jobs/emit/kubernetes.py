"""Kubernetes: CronJobs (batch/v1) whose pods mount the jobs.yaml's folder from a shared volume."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from worldforge.jobs.emit.emitted_job import EmittedFile, EmittedJob, portable_cron
from worldforge.schema.resolved_spec import emit_yaml

_MOUNT = PurePosixPath("/jobs")
_MAX_DEADLINE_S = 86_400


def cron_job(job: EmittedJob) -> list[EmittedFile]:
    """Return the manifest of a job.

    A pod that was killed is replaced, and resumes the run. A run that ended is not repeated: it had its own retries.
    """
    schedule, name = job.schedule, f"worldforge-{job.slug}"
    on_exit = {"containerName": "worldforge", "operator": "In", "values": [1, 2, 3, 4]}
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "annotations": {"worldforge/job": job.name}},
        "spec": {
            "schedule": portable_cron(schedule),
            "timeZone": schedule.timezone,
            "concurrencyPolicy": "Forbid" if schedule.overlap == "skip" else "Allow",
            "startingDeadlineSeconds": round(min(max(schedule.grace, 60), _MAX_DEADLINE_S)),
            "jobTemplate": {
                "spec": {
                    "backoffLimit": 2,
                    "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": on_exit}]},
                    "template": {"spec": _pod(job)},
                }
            },
        },
    }
    return [EmittedFile(f"{name}.yaml", emit_yaml(manifest))]


def _pod(job: EmittedJob) -> dict[str, Any]:
    """Return the spec of a pod: one container that runs the job in the folder of the jobs.yaml."""
    environment, resources = [*_environment(job)], _resources(job)
    container = {
        "name": "worldforge",
        "image": job.options.image,
        "command": ["worldforge"],
        "args": [_literal(word) for word in job.arguments(_MOUNT / job.path.name, delayed=True)],
        "workingDir": str(_MOUNT),
        "volumeMounts": [{"name": "jobs", "mountPath": str(_MOUNT)}],
        **({"env": environment} if environment else {}),
        **({"resources": resources} if resources else {}),
    }
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 60,
        "containers": [container],
        "volumes": [{"name": "jobs", "persistentVolumeClaim": {"claimName": job.options.claim}}],
    }


def _environment(job: EmittedJob) -> Iterator[dict[str, Any]]:
    for name, value in job.job.resources.environment.items():
        yield {"name": name, "value": _literal(value)}
    for name in job.job.resources.secrets:
        yield {"name": name, "valueFrom": {"secretKeyRef": {"name": job.options.secret, "key": name}}}


def _resources(job: EmittedJob) -> dict[str, dict[str, str]]:
    """Return requests and limits of a container; GPUs have limits only, as Kubernetes demands."""
    resources = job.job.resources
    memory = {"memory": f"{resources.memory_mib}Mi"} if resources.memory_mib else {}
    requests = ({"cpu": str(resources.cpus)} if resources.cpus else {}) | memory
    limits = memory | ({"nvidia.com/gpu": str(resources.gpus)} if resources.gpus else {})
    return {name: amounts for name, amounts in (("requests", requests), ("limits", limits)) if amounts}


def _literal(word: str) -> str:
    """Escape a word, so that Kubernetes replaces no variable in it: `$(NAME)` becomes `$$(NAME)`."""
    return word.replace("$", "$$")
