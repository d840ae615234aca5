#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of published runs: docs/accuracy-rows.md with every judged run, and the sums in docs/accuracy.md
and docs/user-guide.md between lines `[//]: # (NAME: begin)` and `[//]: # (NAME: end)`, which no reader sees.

usage: tools/accuracy_page.py RUNS.csv [--cli build/release/pipedeck-cli] [--efficiency FILE] [--docs docs]

RUNS.csv is a table that `pipedeck-cli accuracy` reads. The answer depends on the table, the program and the
efficiencies alone.
"""
import argparse
import csv
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEYS = ("source", "gpu", "precision", "engine", "sharding", "pp", "cp", "ep")  # a table of groups for each
DEGREES = (("tp", "T"), ("cp", "C"), ("ep", "E"), ("pp", "P"), ("vp", "V"), ("dp", "D"))


def percent(value, sign=""):
    return "" if value is None else f"{100 * value:{sign}.1f} %"


def figure(value):
    return "" if value is None else f"{value:.4g}"


def table(titles, rows):
    right = [title.startswith("-") for title in titles]
    lines = ["| " + " | ".join(title.lstrip("-") for title in titles) + " |",
             "|" + "|".join("---:" if one else "---" for one in right) + "|"]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]


def mapping(run):
    """Degrees above 1, as `accuracy` prints them."""
    text = " ".join(f"{letter}{run[key]}" for key, letter in DEGREES if run[key] not in ("", "0", "1"))
    return text or "1"


def machine(run):
    return f"{run['gpus']} {run['gpu']}"


def errors_of(errors):
    return (errors["rows"], percent(errors["mean_absolute"]), percent(errors["nine_in_ten"]),
            percent(errors["mean"], "+"), percent(errors["largest"]))


ERRORS = ("-runs", "-mean error", "-nine in ten", "-signed", "-largest")


def rows_page(runs, answer):
    rows = []
    for run, row in zip(runs, answer["rows"], strict=True):
        if not row["judged"]:
            continue
        memory = f"{figure(row['memory_measured_gib'])} / {figure(row['memory_predicted_gib'])}"
        rows.append((row["row"], run["model"], machine(run), run["precision"], mapping(run), run["micro_batch"],
                     figure(row["measured_s"]), figure(row["predicted_s"]),
                     percent(row["error"], "+") or row["skipped"],
                     memory if row["memory_measured_gib"] else figure(row["memory_predicted_gib"]),
                     {True: "", False: "does not fit", None: ""}[row["fits"]]))
    titles = ("run", "model", "GPUs", "precision", "mapping", "-samples", "-measured s", "-predicted s", "-error",
              "-GiB", "")
    return ["# Published runs, row by row", "",
            "Every judged run of the table in [accuracy.md](accuracy.md#published-runs), written by",
            "`tools/accuracy_page.py`. The error is that of tokens/s: above 0 the prediction is too quick. Letters",
            "of a mapping: T tensor, C context, E expert, P pipeline, V stages on a rank, D data. Samples are those",
            "of a micro-batch on a data rank. GiB are measured / predicted, or predicted alone; where a source",
            "prints GB of nvidia-smi, both are thousands of MiB.", "",
            *table(titles, rows), ""]


def groups_of(answer, key):
    return [group for group in answer["summary"]["groups"] if group["group"].startswith(f"{key}=")]


UNDER, OVER = -0.02, 0.08  # a good figure of memory: at most so far under and over a measurement


def memory_error(row):
    """Predicted over measured memory, less 1; nothing for a figure that is left out."""
    known = row["memory_measured_gib"] and row["memory_predicted_gib"] and "memory_left_out" not in row
    return row["memory_predicted_gib"] / row["memory_measured_gib"] - 1 if known else None


def memory_group(name, errors):
    good = sum(UNDER <= error <= OVER for error in errors)
    return (name, len(errors), good, percent(sum(map(abs, errors)) / len(errors)),
            percent(sum(errors) / len(errors), "+"), percent(min(errors), "+"), percent(max(errors), "+"))


def memory_lines(runs, answer):
    """Errors of memory by source and printed figure, the runs outside of the bounds, and those without a comparison."""
    groups, outside, left_out = {}, [], []
    for run, row in zip(runs, answer["rows"], strict=True):
        error = memory_error(row)
        if "memory_left_out" in row:
            left_out.append((row["row"], run["memory_kind"], row["memory_left_out"]))
        if error is None:
            continue
        groups.setdefault((run["source"], run["memory_kind"]), []).append(error)
        if not UNDER <= error <= OVER:
            outside.append((row["row"], run["model"], mapping(run), run["micro_batch"],
                            figure(row["memory_measured_gib"]), figure(row["memory_predicted_gib"]),
                            percent(error, "+")))
    if not groups:
        return []
    every = [error for errors in groups.values() for error in errors]
    bounds = f"-\u2212{-UNDER:.0%} to +{OVER:.0%}".replace("%", " %")
    titles = ("source: figure", "-runs", bounds, "-mean error", "-signed", "-least", "-most")
    rows = [memory_group(f"{source}: {kind}", errors)
            for (source, kind), errors in sorted(groups.items(), key=lambda item: -len(item[1]))]
    lines = ["", "Memory, all runs with a figure:", "", *table(titles, [*rows, memory_group("all", every)])]
    if outside:
        lines += ["", *table(("memory outside of these bounds", "model", "mapping", "-samples", "-measured",
                              "-predicted", "-error"), outside)]
    if left_out:
        lines += ["", *table(("memory not compared", "figure", "reason"), left_out)]
    return lines


def summary_lines(answers):
    summary = answers[KEYS[0]]["summary"]
    lines = table(("", *ERRORS), [("tokens/s", *errors_of(summary["time"])), ("memory", *errors_of(summary["memory"]))])
    lines += ["", f"{summary['predicted']} of {summary['judged']} judged runs are predicted, "
              f"{summary['refused']} of them not to fit."]
    if summary["rank_correlation"] is not None:
        lines += [f"Mean rank correlation of mappings of one model on one machine: {summary['rank_correlation']:.2f}",
                  f"({len(summary['ranks'])} groups)."]
    for key in KEYS:
        rows = [(group["group"].split("=", 1)[1] or "not known", *errors_of(group))
                for group in sorted(groups_of(answers[key], key), key=lambda group: -group["rows"])]
        lines += ["", *table((key, *ERRORS), rows)]
    if summary["skipped"]:
        lines += ["", *table(("without a prediction", "-runs"),
                             sorted(summary["skipped"].items(), key=lambda item: -item[1]))]
    return lines


def wrapped(line):
    """Keeps numbers with their "%"."""
    parts = textwrap.wrap(line.replace(" %", "\u00a0%"), 84, subsequent_indent="  ", break_on_hyphens=False)
    return [part.replace("\u00a0", " ") for part in parts] or [""]


def replace_between(path, name, lines):
    text = path.read_text(encoding="utf-8")
    begin, end = f"[//]: # ({name}: begin)\n", f"[//]: # ({name}: end)\n"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"{path}: expected one pair of lines of '{name}'")
    before, rest = text.split(begin)
    path.write_text("\n".join([before + begin, *lines, "", end + rest.split(end)[1]]), encoding="utf-8")


def replace_in_readme(time):
    """Puts the errors of tokens/s into the sentence of the README that has them."""
    path = ROOT / "README.md"
    text, count = re.subn(r"[\d.]+ % off on average, and nine in ten within \d+ %",
                          f"{time['mean_absolute']:.1%} off on average, and nine in ten within {time['nine_in_ten']:.0%}"
                          .replace("%", " %"), path.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit(f"{path}: expected one sentence '... % off on average, and nine in ten within ... %'")
    path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs")
    parser.add_argument("--cli", default=str(ROOT / "build/release/pipedeck-cli"))
    parser.add_argument("--efficiency")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    more = ["--efficiency", options.efficiency] if options.efficiency else []

    def ask(*arguments):
        command = [options.cli, "accuracy", options.runs, *arguments, *more]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    answers = {key: json.loads(ask("--json", "--by", key)) for key in KEYS}
    with open(options.runs, newline="", encoding="utf-8") as file:
        runs = list(csv.DictReader(line for line in file if not line.startswith("#")))
    rows = "\n".join(rows_page(runs, answers[KEYS[0]]))
    (options.docs / "accuracy-rows.md").write_text(rows, encoding="utf-8")
    replace_between(options.docs / "accuracy.md", "published runs",
                    summary_lines(answers) + memory_lines(runs, answers[KEYS[0]]))
    replace_in_readme(answers[KEYS[0]]["summary"]["time"])
    example = ask("--by", "gpu").split("\nworst runs")[0].rstrip().split("\n")
    lines = [part for line in example for part in wrapped(line)]
    replace_between(options.docs / "user-guide.md", "accuracy",
                    ["```", "pipedeck-cli accuracy RUNS.csv --by gpu", "", *lines, "```"])


if __name__ == "__main__":
    main()
