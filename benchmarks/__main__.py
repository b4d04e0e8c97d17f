"""Runs the benchmarks that are named, or all that measure, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

APART = ("chaos", "trajectories")  # measure nothing, and take their time


def main() -> int:
    known = sorted(path.stem for path in Path(__file__).parent.iterdir() if not path.stem.startswith("_"))
    unknown = [name for name in sys.argv[1:] if name not in known]
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}; there is {', '.join(known)}", file=sys.stderr)
        return 2
    worst = 0
    for name in sys.argv[1:] or [name for name in known if name not in APART]:
        print(f"== {name}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
