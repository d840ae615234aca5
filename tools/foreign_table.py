#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads files that others wrote, and prints how many were understood.

    tools/foreign_table.py [--cli build/release/pipedeck-cli] [--files ../shared/data/foreign] [--markdown] [KIND ...]

foreign_expectations.json has, for each kind of file, the options of `convert`, its folder if it has another name, and
what is expected of each file, else of "others". That is figures within 1 %, "says" with words of the notes, "refused"
with words of the message, and "thin" if something is left out with a note. Figures are "parameters", the "gpus" of a
cluster with their "narrowest" and "widest" GB/s, the "layers" of a profile with the "milliseconds" of both passes, and
the "steps" of a run's log with the milliseconds of work in each. Exit status 1: a file was refused wrongly, understood
wrongly or without an expectation, or none was found.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

COLUMNS = ["understood rightly", "thin, with a note", "refused rightly", "refused wrongly", "silently wrong"]
PREFIX = "pipedeck-cli: "


def figures_of_cluster(cluster):
    """Returns the number of GPUs and the least and largest bandwidth between two."""
    matrix = cluster.get("bandwidth_matrix_gb_per_s")
    rates = ([rate for i, row in enumerate(matrix) for j, rate in enumerate(row) if i != j] if matrix
             else [node["link"]["gb_per_s"] for node in cluster["nodes"] if "link" in node])
    gpus = sum(devices.get("count", 1) for node in cluster["nodes"] for devices in node["devices"])
    return {"gpus": gpus, **({"narrowest": min(rates), "widest": max(rates)} if rates else {})}


def figures_of(output, text):
    """Returns the figures of what was written and printed."""
    found = {}
    if parameters := re.search(r": ([\d\s\u00a0\u202f]+) parameters", text):
        found["parameters"] = int(re.sub(r"\D", "", parameters.group(1)))
    events = [json.loads(line) for line in output.splitlines()] if output.startswith('{"event"') else []
    if events:
        found["steps"] = [sum(one["end_ms"] - one["start_ms"] for one in event["intervals"]) for event in events
                          if event["event"] == "timeline"]
        return found
    document = json.loads(output)
    if document.get("format") == "pipedeck.cluster":
        found.update(figures_of_cluster(document))
    if document.get("format") == "pipedeck.profile":
        found["layers"] = len(document["layers"])
        found["milliseconds"] = sum(layer["forward_ms"] + layer["backward_ms"] for layer in document["layers"])
    return found


def differs(found, expected):
    """Returns true for figures that differ by more than 1 %, or parameters that differ at all."""
    if isinstance(expected, list):
        return not isinstance(found, list) or len(found) != len(expected) or any(map(differs, found, expected))
    return found is None or (found != expected if isinstance(expected, int) else abs(found - expected) > 0.01 * expected)


def judge(expected, status, output, text):
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
    found = figures_of(output, text)
    for name in expected.keys() - {"says", "thin"}:
        if differs(found.get(name), expected[name]):
            return "silently wrong", f"found {found.get(name)} {name}, expected {expected[name]}"
    missing = [words for words in expected.get("says", []) if words not in text]
    if missing:
        return "silently wrong", f"expected a note with '{missing[0]}'"
    return ("thin, with a note" if expected.get("thin") else "understood rightly"), ""


def convert(cli, file, options):
    """Returns the exit status, the result and what was printed."""
    try:
        run = subprocess.run([cli, "convert", str(file), "-o", "-", *options], capture_output=True, text=True,
                             timeout=120)
    except subprocess.TimeoutExpired:
        return 124, "", ""
    return run.returncode, run.stdout, run.stderr


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
        for file in sorted((arguments.files / known.get("folder", kind)).glob("*")):
            expected = known["files"].get(file.name, known.get("others"))
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
