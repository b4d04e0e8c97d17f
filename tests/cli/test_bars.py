"""Progress as people see it, in a terminal of its own."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

import pytest

SHOWING = """
import sys, time
from worldforge.cli.printing import progress
with progress() as shown:
    shown.start("tasks: lists", 4000)
    for _ in range(8):
        shown.advance(500)
        shown.note("12 steps/s, 3 failed")
        time.sleep(0.15)
    shown.start("check")
    time.sleep(0.3)
print("done")
"""


def shown(columns, **environment):
    """Run in a terminal so wide; return the lines that were drawn, and the raw text."""
    process_id, terminal = pty.fork()
    if process_id == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
        os.execve(sys.executable, [sys.executable, "-c", SHOWING], kept | {"TERM": "xterm"} | environment)
    text = b""
    try:
        while part := os.read(terminal, 65_536):
            text += part
    except OSError:  # how a terminal says that its other end is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1]) == 0, text.decode()
    raw = text.decode()
    drawn = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part).strip() for part in re.split(r"[\r\n]", raw)]
    return [line for line in drawn if line], raw


def test_a_wide_terminal_shows_how_far_how_fast_and_how_long():
    lines, raw = shown(120)
    middle = next(line for line in lines if "2000/4000" in line)
    assert re.search(r"tasks: lists .*2000/4000 +0:00:0\d +(-:--:--|0:00:0\d)", middle)
    assert "12 steps/s, 3 failed" in middle and any("check" in line for line in lines)
    assert lines[-1] == "done" and raw.count("\n") <= 2  # bars leave nothing behind


@pytest.mark.parametrize("columns", [30, 50])
def test_a_narrow_terminal_keeps_to_its_lines(columns):
    lines, raw = shown(columns)
    assert max(map(len, lines)) <= columns and raw.count("\n") <= 2
    assert any("4000" in line for line in lines)


def test_no_color_is_honoured():
    _, raw = shown(100, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", raw)


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"WORLDFORGE_LOG": "-"}])
def test_a_terminal_that_cannot_draw_is_left_alone(environment):
    lines, raw = shown(100, **environment)
    assert lines == ["done"] and "\x1b" not in raw
