"""Which weights an address leads to, known before a model is loaded: other weights of the same name differ in it.

A folder is known by its files, a name on the Hub by its commit, a server by what it reports, a script by its bytes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, value_digest
from worldforge.models.model_address import ModelAddress

_THREADS = 8  # that read files
_OF_WEIGHTS = (
    *("revision", "tokenizer", "tokenizer_revision", "quantization", "quantization_config", "kv_cache_dtype"),
    *("hf_overrides", "model_class_overrides", "model_weights", "default_mm_loras"),
)
"""Arguments of an engine by which the same files become another model."""


def engine_identity(address: ModelAddress) -> str:
    """Return the identity of a model that vLLM loads in this process: its weights, template and the name given."""
    settings = address.settings
    arguments = {name: value for name, value in settings.engine_args.items() if name.partition(".")[0] in _OF_WEIGHTS}
    weights = weights_revision(address.model, arguments.get("revision")) or address.model_name
    known = [weights, read_template(settings.chat_template), settings.identity]
    return value_digest([*known, arguments] if arguments else known)


def read_template(path: str | None) -> str | None:
    """Read a chat template of one's own. Raises InputError where it cannot be read."""
    try:
        return None if path is None else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the chat template cannot be read: {error}") from error


def weights_revision(model: str, revision: str | None = None) -> str:
    """Return the digest of the files of a folder, or the commit of a name on the Hub; empty where neither is known.

    Files are read whole. Weights that training has changed may differ in a few numbers of a tensor, so that samples
    could miss it; and the engine reads the same bytes anyway. `core.files` remembers the digest of each file.
    """
    folder = Path(model)
    if not folder.is_dir():
        return _hub_commit(model, revision)
    files = sorted(path for path in folder.iterdir() if path.is_file())
    with ThreadPoolExecutor(_THREADS) as threads:
        digests = threads.map(file_digest, files)
        return value_digest({path.name: digest for path, digest in zip(files, digests, strict=True)})


@cache
def _hub_commit(model: str, revision: str | None) -> str:
    """Return the commit whose configuration an engine would load, from the Hub or, where it is away, from its cache."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        return ""
    try:
        return Path(hf_hub_download(model, "config.json", revision=revision)).parent.name
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError):
        return ""  # the engine will say what is wrong with it
