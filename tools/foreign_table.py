#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads files that others wrote, and prints how many were understood.

    tools/foreign_table.py [--cli build/release/pipedeck-cli] [--files ../shared/data/foreign] [--markdown] [KIND ...]

foreign_expectations.json has, for each kind of file, the options of `convert`, and for each file what is expected of
it: "parameters" or other figures that the output must name, "says" with words that it must hold, "refused" with words
of the message, "thin" where something is left out, but said. A file that it lacks is reported. Exit status 1: a file
was refused wrongly or understood wrongly, or none was found.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

COLUMNS = ["understood rightly", "thin, with a note", "refused rightly", "refused wrongly", "silently wrong"]
FIGURES = {"parameters": re.compile(r": ([\d\s\u00a0\u202f]+) parameters")}
PREFIX = "pipedeck-cli: "


def figure(name, text):
    """Returns a figure of the output; None: it has none."""
    found = FIGURES[name].search(text)
    return int(re.sub(r"\D", "", found.group(1))) if found else None


def judge(expected, status, text):
    """Returns the column of a file and, where it is a wrong one, why."""
    if status not in (0, 2):
        return "silently wrong", f"exit status {status}"
    if status == 2:
        if "refused" not in expected:
            return "refused wrongly", text.strip().splitlines()[-1] if text.strip() else "no message"
        if expected["refused"] not in text:
            return "refused wrongly", f"expected a message with '{expected['refused']}', found: {text.strip()}"
        return "refused rightly", ""
    if "refused" in expected:
        return "silently wrong", "expected a refusal"
    for name in FIGURES.keys() & expected.keys():
        found = figure(name, text)
        if found != expected[name]:
            return "silently wrong", f"found {found} {name}, expected {expected[name]}"
    missing = [words for words in expected.get("says", []) if words not in text]
    if missing:
        return "silently wrong", f"expected a note with '{missing[0]}'"
    return ("thin, with a note" if expected.get("thin") else "understood rightly"), ""


def convert(cli, file, options):
    """Returns the exit status and what was printed, without the result."""
    try:
        run = subprocess.run([cli, "convert", str(file), "-o", "/dev/null", *options], capture_output=True, text=True,
                             timeout=120)
    except subprocess.TimeoutExpired:
        return 124, ""
    return run.returncode, run.stdout + run.stderr


def table(counts, markdown):
    """Returns the text of the table."""
    rows = [["kind", "tried", *COLUMNS]]
    for kind, count in counts.items():
        rows.append([kind, str(sum(count.values())), *(str(count[column]) for column in COLUMNS)])
    if markdown:
        rows.insert(1, ["---"] * len(rows[0]))
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))) for row in rows)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(root / "build/release/pipedeck-cli"))
    parser.add_argument("--files", type=pathlib.Path, default=root.parent / "shared/data/foreign")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="kinds of files [all that have expectations]")
    arguments = parser.parse_args()
    with open(root / "tools/foreign_expectations.json", encoding="utf-8") as text:
        expectations = json.load(text)
    counts, wrong, tried = {}, 0, 0
    for kind in arguments.kinds or expectations:
        known = expectations[kind]
        counts[kind] = count = collections.Counter()
        for file in sorted((arguments.files / kind).glob("*")):
            expected = known["files"].get(file.name)
            if expected is None:
                print(f"{kind}/{file.name}: not in tools/foreign_expectations.json")
                wrong += 1
                continue
            tried += 1
            column, why = judge(expected, *convert(arguments.cli, file, known["options"]))
            count[column] += 1
            if why:
                print(f"{kind}/{file.name}: {column}: {why.replace(PREFIX, '')}")
                wrong += 1
    print(table(counts, arguments.markdown))
    if tried == 0:
        print(f"no file found in {arguments.files}", file=sys.stderr)
    return 1 if wrong or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
