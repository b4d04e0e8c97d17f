"""A Ray cluster: an existing one or one started here; what its nodes have, and what a worker asks of them."""

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
_STARTS = 3  # of a cluster here: Ray gives its agents 15 s each to come up, which the first start after a boot may miss
_PRINT = ray_driver.print_to_stdstream  # by which Ray tells of lost workers on stdout, which is for data
_KNOCK_S = 5.0  # for so long a cluster may take to answer at all
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(
    [0, 0, 0, 4, 0, 0, 0, 0, 0]
)  # a client's first words, RFC 9113, 3.4
_FRAME, _KIND, _SETTINGS = 4, 3, b"\x04"  # of gRPC's server, of any version, the first frame says how it is set


@dataclass(frozen=True, slots=True)
class Demand:
    """What a worker asks of Ray."""

    cpus: int = 1
    gpus: int = 0

    def fitting(self, node: Mapping[str, float]) -> int:
        """Say how many such workers a node has room for."""
        rooms = [int(node.get(name, 0) // n) for name, n in (("CPU", self.cpus), ("GPU", self.gpus)) if n]
        return min(rooms)

    def __str__(self) -> str:
        return f"{self.cpus} CPU{'s' * (self.cpus > 1)}" + f" and {self.gpus} GPU{'s' * (self.gpus > 1)}" * bool(
            self.gpus
        )


class Cluster:
    """The cluster that work goes to, joined when it is first needed; `workers` are asked for, or as many as fit."""

    def __init__(self, workers: int | None) -> None:
        self._asked, self._joined = workers, False

    def leave(self) -> None:
        """Let go of it; one that was begun for this process ends."""
        if self._joined:
            ray.shutdown()
            ray_driver.print_to_stdstream = _PRINT
            self._joined = False

    def demand(self, gpus: int) -> Demand:
        """Ask for GPUs where there are any; for models without, a node's CPUs, unless it is said how many workers."""
        self._join()
        nodes = living_nodes()
        if not gpus or any(node.get("GPU", 0) for node in nodes):
            return Demand(gpus=gpus)
        cpus = 1 if self._asked else int(min(node["CPU"] for node in nodes if node.get("CPU", 0) >= 1))
        return Demand(cpus)

    def room_for(self, demand: Demand) -> int:
        """Return how many such workers there are to be. Raises InputError where no node has the room for one."""
        self._join()
        nodes = living_nodes()
        room = sum(demand.fitting(node) for node in nodes)
        if not room:
            has = "; ".join(f"{node.get('CPU', 0):g} CPUs, {node.get('GPU', 0):g} GPUs" for node in nodes)
            raise InputError(f"no node of the Ray cluster has {demand} for a worker: {has}", "add a node, or ask less")
        return min(self._asked or room, room)

    def _join(self) -> None:
        if not self._joined and not ray.is_initialized():
            _join(self._asked)
            ray_driver.print_to_stdstream = lambda *_given, **_options: None
            self._joined = True


def _join(workers: int | None) -> None:
    """Join the cluster at RAY_ADDRESS, or begin one here. Raises InputError where none can be had."""
    address = os.environ.get(ADDRESS, "").strip() or "local"
    if address.startswith("ray://"):
        raise InputError(
            f"{ADDRESS} is `{address}`: Ray's client cannot carry this work",
            "run the command on a node of the cluster, with `RAY_ADDRESS=auto`, or by `ray job submit`",
        )
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    begun = {"num_cpus": workers, "include_dashboard": False} if address == "local" else {}
    heard = False
    try:
        heard = _knock(address)
        for left in reversed(range(_STARTS if begun else 1)):
            try:
                with chdir(get_path("stdlib")):  # Ray's workers import from the folder in which Ray is joined
                    ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **begun)
                return
            except Exception:
                ray.shutdown()
                if not left:
                    raise
    except Exception as error:
        ray.shutdown()
        raise _refusal(address, str(error).strip().partition("\n")[0], heard=heard) from error  # Ray raises plain ones


def _refusal(address: str, said: str, *, heard: bool) -> WorldForgeError:
    """Explain that no cluster could be joined, where somebody was `heard` at its address or not."""
    if address == "local":
        return WorldForgeError(
            f"Ray could not begin a cluster on this machine: {said}",
            "a machine with much else to do is too slow for it: try again later, or `--engine local`",
        )
    if heard:
        return InputError(
            f"the Ray cluster at `{address}` does not let this command in: {said}",
            "where it asks for a token, set `RAY_AUTH_MODE=token`, with the token in ~/.ray/auth_token or "
            "`RAY_AUTH_TOKEN`; else see whether it runs the same version of Ray: `ray status` says what is wrong",
        )
    return InputError(
        f"there is no Ray cluster at `{address}`: {said}",
        f"begin one with `ray start --head`, or leave {ADDRESS} unset: one is then begun for this command",
    )


def _knock(address: str) -> bool:
    """Say whether a server answers where Ray would ask. Raises OSError or ValueError where none does: Ray would try on.

    `auto` is what `ray start` has left behind, which may be gone since; of this machine Ray takes the address by which
    other nodes know it, and not `127.0.0.1`.
    """
    if address.startswith(":"):
        raise ValueError("it names no host")
    found = canonicalize_bootstrap_address(address)
    if found is None:  # one is to be begun
        return False
    host, _, port = found.rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), _KNOCK_S) as connection:
        if os.environ.get("RAY_USE_TLS", "0") != "1":
            connection.sendall(_HTTP2)
            if connection.recv(_FRAME)[_KIND:] != _SETTINGS:
                raise ConnectionError("what listens there is no cluster")
    return True


def living_nodes() -> list[Mapping[str, float]]:
    """Return what each living node of the cluster has."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]
