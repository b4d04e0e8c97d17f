"""Kubernetes: CronJobs and indexed Jobs (batch/v1) whose pods mount the folder of the jobs.yaml from a shared claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from worldforge.jobs.emit.needs import mebibytes
from worldforge.jobs.emit.splitting import Split
from worldforge.jobs.emit.units import Emitted, Unit, standard
from worldforge.jobs.plan import Resources
from worldforge.schema.emit import emit_yaml

_MOUNT = PurePosixPath("/jobs")
_LONGEST_DEADLINE_S = 86_400
_GPU = "nvidia.com/gpu"
_RANK = "RANK"
_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


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
    arguments = [_literal(word) for word in emitted.arguments(file, delayed=True)]  # type: ignore[arg-type]
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "annotations": {"worldforge/job": emitted.name}},
        "spec": {
            "schedule": standard(schedule),
            "timeZone": schedule.timezone,
            "concurrencyPolicy": "Forbid" if schedule.overlap == "skip" else "Allow",
            "startingDeadlineSeconds": round(min(max(schedule.grace, 60), _LONGEST_DEADLINE_S)),
            "jobTemplate": {
                "spec": {
                    "backoffLimit": 2,
                    "podFailurePolicy": {"rules": [_on_exit("FailJob", 1, 2, 3, 4)]},
                    "template": _template(emitted, pod, arguments),
                }
            },
        },
    }
    return [Unit(f"{name}.yaml", emit_yaml(manifest))]


def rank_jobs(emitted: Emitted, split: Split, ranks: int, pod: Pod, world: str) -> list[Unit]:
    """Return the manifests of an indexed Job whose ranks do a step of a job on a world, and of the Job that merges.

    They are two, since no Job waits for another. A rank whose pod was killed goes on in another; wrong input, which all
    ranks have alike, ends them all.
    """
    # Short: a pod's name has the rank too, and room for 63 characters in all.
    name = f"worldforge-{emitted.slug}-{split.verb[0]}{split.number}"
    words, ends = [_literal(word) for word in split.words], [_literal(word) for word in split.ends(world)]
    share = [*words, f"--rank=$({_RANK})", f"--of={ranks}", *ends]
    merge = [*words, "--merge", f"--of={ranks}", *ends]
    indexed = {"completionMode": "Indexed", "completions": ranks, "parallelism": ranks, "backoffLimitPerIndex": 5}
    rank = {"name": _RANK, "valueFrom": {"fieldRef": {"fieldPath": _INDEX}}}
    shared = {
        **indexed,
        "podFailurePolicy": {"rules": [_on_exit("FailJob", 2, 3), _on_exit("FailIndex", 4)]},
        "template": _template(emitted, pod, share, env=[rank]),
    }
    merged = {
        "backoffLimit": 2,
        "podFailurePolicy": {"rules": [_on_exit("FailJob", 1, 2, 3, 4)]},
        "template": _template(emitted, pod, merge, gpus=0),  # putting shares together asks no model
    }
    return [_job(emitted, name, shared), _job(emitted, f"{name}-merge", merged)]


def _job(emitted: Emitted, name: str, spec: dict[str, Any]) -> Unit:
    metadata = {"name": name, "annotations": {"worldforge/job": emitted.name}}
    return Unit(
        f"{name}.yaml", emit_yaml({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec})
    )


def _template(
    emitted: Emitted, pod: Pod, arguments: list[str], env: Sequence[dict[str, Any]] = (), gpus: int | None = None
) -> dict[str, Any]:
    """Write what a pod is made by: one container with the command, in the folder of the jobs.yaml."""
    resources = emitted.job.resources
    variables = [*_environment(resources, emitted.site.secret), *env]
    more = {"env": variables} if variables else {}
    more |= _amounts(resources, resources.gpus if gpus is None else gpus)
    container = {
        "name": "worldforge",
        "image": pod.image,
        "command": ["worldforge"],
        "args": arguments,
        "workingDir": str(_MOUNT),
        "volumeMounts": [{"name": "jobs", "mountPath": str(_MOUNT)}],
        **more,
    }
    return {
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 60,
            "containers": [container],
            "volumes": [{"name": "jobs", "persistentVolumeClaim": {"claimName": pod.claim}}],
        }
    }


def _environment(resources: Resources, secret: str) -> Iterator[dict[str, Any]]:
    for name, value in resources.environment.items():
        yield {"name": name, "value": _literal(value)}
    for name in resources.secrets:
        yield {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": name}}}


def _amounts(resources: Resources, gpus: int) -> dict[str, Any]:
    """Return how much of the node a container has; GPUs stand under limits alone, as Kubernetes wants them."""
    memory = mebibytes(resources)
    asked = ({"cpu": str(resources.cpus)} if resources.cpus else {}) | ({"memory": f"{memory}Mi"} if memory else {})
    limits = ({"memory": f"{memory}Mi"} if memory else {}) | ({_GPU: str(gpus)} if gpus else {})
    amounts = {name: value for name, value in (("requests", asked), ("limits", limits)) if value}
    return {"resources": amounts} if amounts else {}


def _on_exit(action: str, *codes: int) -> dict[str, Any]:
    on_exit = {"containerName": "worldforge", "operator": "In", "values": list(codes)}
    return {"action": action, "onExitCodes": on_exit}


def _literal(word: str) -> str:
    """Write a word so that Kubernetes puts no variable into it: `$(NAME)` is written `$$(NAME)`."""
    return word.replace("$", "$$")
