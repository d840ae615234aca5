#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes presets/published-runs.csv: the judged runs of a table with the columns that `pipedeck-cli accuracy` reads.

A run is judged if it is the newest of its mapping, has a measured time and a full shape. The program compares plans with
these runs. It predicts them anew, so the table has measured figures alone.

usage: tools/published_runs.py RUNS.csv [-o presets/published-runs.csv]
"""
import argparse
import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READER = ROOT / "core/study/accuracy/runs_table.cpp"
LEFT_OUT = {"newest", "tflops_per_gpu"}  # all are the newest; the time does not follow from it
SOURCES = "# Measured runs as their authors published them: numbers, with their sources. Made by tools/published_runs.py.\n"


def columns():
    """Returns the names of the columns that the program reads, in its order."""
    names = re.findall(r'^\s*\{"(\w+)", &Run::', READER.read_text(encoding="utf-8"), re.MULTILINE)
    return [name for name in names if name not in LEFT_OUT]


def is_judged(run):
    measured = run["iteration_s"] or all(run[key] for key in ("tokens_per_s_per_gpu", "sequence", "global_batch"))
    return run["newest"] == "1" and measured and all(run[key] for key in ("layers", "hidden", "heads"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs")
    parser.add_argument("-o", "--output", default=str(ROOT / "presets/published-runs.csv"))
    options = parser.parse_args()
    with open(options.runs, newline="", encoding="utf-8") as source:
        runs = [run for run in csv.DictReader(line for line in source if not line.startswith("#")) if is_judged(run)]
    with open(options.output, "w", newline="", encoding="utf-8") as out:
        out.write(SOURCES)
        writer = csv.DictWriter(out, columns(), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(runs)


if __name__ == "__main__":
    main()
