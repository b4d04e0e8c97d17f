"""Join a Ray cluster, or start one on this machine; count how many workers its nodes have room for."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from sysconfig import get_path

from worldforge.core.errors import InputError, WorldForgeError

try:
    import ray
    from ray._private import worker as ray_driver
    from ray._private.services import canonicalize_bootstrap_address
except ImportError as missing:
    raise InputError("Ray is not installed", "pip install 'worldforge[ray]', here and on every node") from missing

__all__ = ["ADDRESS", "Cluster", "Demand", "living_nodes", "ray"]

ADDRESS = "RAY_ADDRESS"
_STARTS = 3  # attempts to start a cluster: Ray gives its agents 15 s each, which the first after a boot may exceed
_PRINT = ray_driver.print_to_stdstream  # prints about lost workers to stdout, which is for data
_PROBE_S = 5.0  # how long a cluster may take to answer at all
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(
    [0, 0, 0, 4, 0, 0, 0, 0, 0]
)  # connection preface and empty SETTINGS of a client, RFC 9113, 3.4
_FRAME, _KIND, _SETTINGS = 4, 3, b"\x04"  # the first frame of any gRPC server is SETTINGS


@dataclass(frozen=True, slots=True)
class Demand:
    """The CPUs and GPUs that a worker asks of Ray."""

    cpus: int = 1
    gpus: int = 0

    def fitting(self, node: Mapping[str, float]) -> int:
        """Return how many such workers a node has room for."""
        rooms = [int(node.get(name, 0) // n) for name, n in (("CPU", self.cpus), ("GPU", self.gpus)) if n]
        return min(rooms)

    def __str__(self) -> str:
        return f"{self.cpus} CPU{'s' * (self.cpus > 1)}" + f" and {self.gpus} GPU{'s' * (self.gpus > 1)}" * bool(
            self.gpus
        )


class Cluster:
    """A cluster that is joined on first use. `workers` is how many to start (None: as many as fit)."""

    def __init__(self, workers: int | None) -> None:
        self._n_requested, self._joined = workers, False

    def leave(self) -> None:
        """Disconnect; a cluster that was started for this process ends."""
        if self._joined:
            ray.shutdown()
            ray_driver.print_to_stdstream = _PRINT
            self._joined = False

    def demand(self, gpus: int) -> Demand:
        """Return what a worker with `gpus` GPUs asks for.

        On a cluster without GPUs a worker with a model takes all CPUs of a node, unless the number of workers is set.
        """
        self._join()
        nodes = living_nodes()
        if not gpus or any(node.get("GPU", 0) for node in nodes):
            return Demand(gpus=gpus)
        cpus = 1 if self._n_requested else int(min(node["CPU"] for node in nodes if node.get("CPU", 0) >= 1))
        return Demand(cpus)

    def room_for(self, demand: Demand) -> int:
        """Return how many such workers to start. Raises InputError where no node has room for one."""
        self._join()
        nodes = living_nodes()
        room = sum(demand.fitting(node) for node in nodes)
        if not room:
            has = "; ".join(f"{node.get('CPU', 0):g} CPUs, {node.get('GPU', 0):g} GPUs" for node in nodes)
            raise InputError(f"no node of the Ray cluster has {demand} for a worker: {has}", "add a node, or ask less")
        return min(self._n_requested or room, room)

    def _join(self) -> None:
        if not self._joined and not ray.is_initialized():
            _join(self._n_requested)
            ray_driver.print_to_stdstream = lambda *_given, **_options: None
            self._joined = True


def _join(workers: int | None) -> None:
    """Join the cluster at RAY_ADDRESS, or start one here. Raises InputError where neither is possible."""
    address = os.environ.get(ADDRESS, "").strip() or "local"
    if address.startswith("ray://"):
        raise InputError(
            f"{ADDRESS} is `{address}`: Ray's client cannot carry this work",
            "run the command on a node of the cluster, with `RAY_ADDRESS=auto`, or by `ray job submit`",
        )
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    options = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    answers = False
    try:
        answers = _probe(address)
        for left in reversed(range(_STARTS if options else 1)):
            try:
                with chdir(get_path("stdlib")):  # Ray's workers import from the folder in which Ray is joined
                    ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
                return
            except Exception:
                ray.shutdown()
                if not left:
                    raise
    except Exception as error:
        ray.shutdown()
        raise _refusal(
            address, str(error).strip().partition("\n")[0], answers=answers
        ) from error  # Ray raises plain ones


def _refusal(address: str, reason: str, *, answers: bool) -> WorldForgeError:
    """Return the error for a cluster that could not be joined; `answers`: whether a server answered at its address."""
    if address == "local":
        return WorldForgeError(
            f"Ray could not start a cluster on this machine: {reason}",
            "a machine with much else to do is too slow for it: try again later, or `--engine local`",
        )
    if answers:
        return InputError(
            f"the Ray cluster at `{address}` does not let this command in: {reason}",
            "where it asks for a token, set `RAY_AUTH_MODE=token`, with the token in ~/.ray/auth_token or "
            "`RAY_AUTH_TOKEN`; else see whether it runs the same version of Ray: `ray status` says what is wrong",
        )
    return InputError(
        f"there is no Ray cluster at `{address}`: {reason}",
        f"start one with `ray start --head`, or leave {ADDRESS} unset: one is then started for this command",
    )


def _probe(address: str) -> bool:
    """Return whether a gRPC server answers at the cluster's address; False where one is to be started.

    Raises OSError or ValueError where none answers: Ray itself would retry for minutes. `auto` is the address that
    `ray start` has recorded, which may be stale. Ray replaces `127.0.0.1` by the address that other nodes use.
    """
    if address.startswith(":"):
        raise ValueError("it names no host")
    found = canonicalize_bootstrap_address(address)
    if found is None:  # one is to be started
        return False
    host, _, port = found.rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), _PROBE_S) as connection:
        if os.environ.get("RAY_USE_TLS", "0") != "1":
            connection.sendall(_HTTP2)
            if connection.recv(_FRAME)[_KIND:] != _SETTINGS:
                raise ConnectionError("the server there is not a Ray cluster")
    return True


def living_nodes() -> list[Mapping[str, float]]:
    """Return what each living node of the cluster has."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]
