"""vLLM, imported with all that its engine needs, whose processes it forks: on a CPU it spawns them, to import it again.

It forks them by itself where there is a GPU. PyTorch must not have threads by then: `conftest` lets it have one.
"""

import multiprocessing
from functools import partial

from worldforge.models.vllm_loading import prepare_vllm

prepare_vllm()

import vllm.v1.engine.core  # noqa: E402
import vllm.v1.worker.cpu_worker  # noqa: E402, F401
from vllm.v1.engine import utils  # noqa: E402
from vllm.v1.executor import multiproc_executor  # noqa: E402

for module in (utils, multiproc_executor):
    module.get_mp_context = partial(multiprocessing.get_context, "fork")
