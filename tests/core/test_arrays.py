"""Arrays as files: read back as they were; a disk that takes no more is told by name."""

import subprocess
import sys

import numpy as np

from worldforge.core.arrays import save_array

ON_A_SMALL_DISK = """
import resource, sys
from pathlib import Path
import numpy as np
from worldforge.core.arrays import save_array

resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))
try:
    save_array(Path(sys.argv[1]), np.arange(1_000))
except OSError as error:
    print(error.strerror, error.filename)
"""


def test_an_array_is_read_back_and_mapped_as_it_was(tmp_path):
    path, array = tmp_path / "a.npy", np.arange(3_000_000).reshape(-1, 3)
    save_array(path, array)
    np.testing.assert_array_equal(np.load(path, mmap_mode="r"), array)


def test_a_disk_that_takes_no_more_is_told_with_the_file(tmp_path):
    path = tmp_path / "a.npy"
    ran = subprocess.run([sys.executable, "-c", ON_A_SMALL_DISK, path], capture_output=True, text=True, check=True)
    assert ran.stdout == f"File too large {path}\n"
