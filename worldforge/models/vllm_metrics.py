"""What vLLM's server tells of itself in the Prometheus text at `/metrics`, as vLLM 0.32 writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CACHE = re.compile(r"^vllm:cache_config_info\{(?P<labels>[^}]*)\}", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_CACHE_BYTES = ("kv_cache_memory_bytes", "cpu_kvcache_space_bytes")


def runs_on_gpu(metrics: str) -> bool:
    """Say whether metrics are known to be of a server whose engines all run on GPUs.

    vLLM does not name its platform. A CPU is recognised by its cache: sized in bytes (by VLLM_CPU_KVCACHE_SPACE), or in
    blocks of 128 that nobody asked for. A GPU's server that has such a cache is taken for a CPU's, too.
    """
    caches = [dict(_LABEL.findall(line["labels"])) for line in _CACHE.finditer(metrics)]
    return bool(caches) and not any(_is_of_cpu(cache) for cache in caches)


def _is_of_cpu(cache: Mapping[str, str]) -> bool:
    if any(cache.get(name, "None") != "None" for name in _CACHE_BYTES):
        return True
    return cache.get("block_size") == "128" and cache.get("user_specified_block_size") == "False"
