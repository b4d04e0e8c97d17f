"""Stands in for the command: does what the file `script.json` beside the jobs.yaml says, one entry a call.

{"code": 1}                     ends so
{"print": {...}}                prints JSON
{"sleep": 30, "child": true}    sleeps, and has a process of its own that does
{"journal": [70, 30]}           puts episodes with so many tokens on record in its world
    {"write": 1000}                 writes so many bytes into the run's folder, then sleeps
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def main():
    with Path("calls.jsonl").open("a") as calls:
        calls.write(json.dumps(sys.argv[1:]) + "\n")
    number = len(Path("calls.jsonl").read_text().splitlines()) - 1
    script = json.loads(Path("script.json").read_text())
    act = script[number] if number < len(script) else {}
    if act.get("deaf"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if act.get("child"):
        child = subprocess.Popen(["sleep", "60"])
        Path("child.pid").write_text(str(child.pid))
    if "write" in act:
        Path(act["where"]).mkdir(parents=True, exist_ok=True)
        (Path(act["where"]) / "big").write_bytes(b"x" * act["write"])
    if "journal" in act:
        shards = Path(sys.argv[-1], "trajectories", "run", "shards")
        shards.mkdir(parents=True, exist_ok=True)
        rows = [{"id": str(n), "n_prompt_tokens": n - 1, "n_completion_tokens": 1} for n in act["journal"]]
        (shards / "00000.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"torn')
    Path("begun").write_text(str(os.getpid()))
    try:
        time.sleep(act.get("sleep", 0))
    except KeyboardInterrupt:
        sys.exit(130)
    print(json.dumps(act.get("print", {})))
    if act.get("code"):
        print(f"error: as scripted, {act['code']}", file=sys.stderr)
    if act.get("kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(act.get("code", 0))


if __name__ == "__main__":
    main()
