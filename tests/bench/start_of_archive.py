#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the start of the window and its memory: the archive's beside the build's, in turns, with the medians.

usage: tests/bench/start_of_archive.py BUILD/pipedeck ARCHIVE/pipedeck [TIMES]

The time is what `pipedeck --start-time` prints, from the process's start to a window that can be used. The memory is
then read from smaps_rollup: resident, and the share of this process (Pss). 2 s later, the start page has drawn its
examples, and both are read again. Settings are those of a new user. The first start of each program is not counted.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time


def memory_of(process):
    with open(f"/proc/{process}/smaps_rollup") as text:
        found = dict(re.findall(r"^(\w+): +(\d+) kB", text.read(), re.MULTILINE))
    return [int(found[name]) / 1024 for name in ("Rss", "Pss")]


def start(program):
    """Returns seconds, resident MiB and share at the start, and both with the examples."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home}
        window = subprocess.Popen([program, "--start-time"], env=environment, stderr=subprocess.PIPE, text=True)
        for line in window.stderr:
            if said := re.fullmatch(r"usable after ([0-9.]+) s\n", line):
                break
        else:
            sys.exit(f"{program}: found no line 'usable after', expected one")
        first = memory_of(window.pid)
        time.sleep(2)
        later = memory_of(window.pid)
        window.terminate()
        window.wait()
        return [float(said[1]), *first, *later]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    programs, times = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    measured = {program: [] for program in programs}
    for turn in range(times + 1):
        for program in programs:
            row = start(program)
            if turn > 0:
                measured[program].append(row)
    print(f"median of {times} (least to most), load {os.getloadavg()[0]:.1f}")
    print("| program | start, s | resident, MiB | share, MiB | resident after 2 s | share after 2 s |")
    for program, rows in measured.items():
        cells = [f"{statistics.median(column):.{digits}f} ({min(column):.{digits}f} to {max(column):.{digits}f})"
                 for digits, column in zip((2, 0, 0, 0, 0), zip(*rows))]
        print(f"| {program} | " + " | ".join(cells) + " |")


main()
