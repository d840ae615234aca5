#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds comments that break the language rules of CONTRIBUTING.md: sentences that begin with a banned word, and banned
words. Prints each with its file and line.

    tools/check_language.py [--count] [FILE or FOLDER ...]

Without arguments: the folders that are clean and have to stay so. Exit status: 0, 1 where a rule is broken.
"""
import argparse
import collections
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLEAN = ["core/analytic", "core/base", "core/cost", "core/io", "core/model", "core/plan", "core/planner", "core/presets",
         "core/reproduce", "core/runtime", "core/schedule", "core/sim", "core/store", "core/study", "app"]
OPENINGS = ("What", "Of", "The same", "Those", "Who", "Whether")
WORDS = ("told", "tells", "say", "says", "said", "nobody", "beside", "at hand", "so many", "goes on", "lies", "reckon",
         "reckons")
UNITS = "device|GPU|sample|replica|stage|step|micro-batch|token|second|layer|node|rank|worker|process|machine|hour|month"
AMOUNTS = "bytes|samples|tokens|times|seconds|milliseconds|operations|images|requests|rows|values|GB|MB|TFLOP|dollars"
PER = re.compile(rf"\b(?:{AMOUNTS}) an? (?:{UNITS})\b")
OPENING = re.compile(rf"(?:^|(?<=[.!?:;] ))(?:{'|'.join(OPENINGS)})\b")
WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
SUFFIXES = {".hpp": "//", ".cpp": "//", ".cu": "//", ".cuh": "//", ".py": "#", ".sh": "#", ".cmake": "#", ".txt": "#"}
QUOTED = re.compile(r'"[^"]*"|`[^`]*`')


def comments_of(path):
    """(line, text) of each block of comment lines, and of each comment behind code."""
    mark = SUFFIXES[path.suffix]
    lead = re.compile(rf"^\s*{re.escape(mark)}+(?:/|!|<)*\s?(.*)$")
    behind = re.compile(rf"\s{re.escape(mark)}+<?\s+(.*)$")
    block, first = [], 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = lead.match(line)
        if found and "SPDX-License-Identifier" not in line and not line.startswith("#!"):
            first = first or number
            block.append(found.group(1).strip())
            continue
        if block:
            yield first, block
            block, first = [], 0
        code = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
        if (found := behind.search(code)) and mark == "//":
            yield number, [found.group(1)]
    if block:
        yield first, block


def faults_of(text):
    text = QUOTED.sub("''", text)
    for rule in (OPENING, WORD, PER):
        for found in rule.finditer(text):
            yield found.group(0), text[max(0, found.start() - 30):found.end() + 40]


def files_of(arguments):
    for argument in arguments:
        path = Path(argument) if Path(argument).is_absolute() else Path.cwd() / argument
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        else:
            yield path


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("paths", nargs="*", metavar="FILE or FOLDER")
    arguments.add_argument("--count", action="store_true", help="faults of each folder instead of each fault")
    given = arguments.parse_args()
    counts = collections.Counter()
    for path in files_of(given.paths or [ROOT / folder for folder in CLEAN]):
        for line, block in comments_of(path):
            # A list of a block's lines: each may begin a sentence of its own, as after a colon.
            for fault, around in faults_of(" ".join(block)):
                counts[str(path.parent.relative_to(ROOT))] += 1
                if not given.count:
                    print(f"{path.relative_to(ROOT)}:{line}: '{fault}' in: {around.strip()}")
    if given.count:
        for folder, count in sorted(counts.items()):
            print(f"{count:6} {folder}")
    print(f"{sum(counts.values())} faults of language" if counts else "comments keep the language rules")
    sys.exit(1 if counts else 0)


if __name__ == "__main__":
    main()
