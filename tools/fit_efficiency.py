#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits presets/efficiency.json to a table of measured runs, a row of device types after the other.

Coordinate descent over the numbers of a row. The objective is the mean of |log(predicted / measured)| over the runs that
`pipedeck-cli accuracy` judges. Errors above 20 % count twice, those above 80 % no more than that. A source with many runs
weighs less per run. For mappings of one model on one machine, deviations from their median error count in addition: a
planner needs their order. A prior keeps each number near its first value. No number belongs to a single run or source.

With --folds, nothing is written: the models (or sources) of a device type are dealt into that many groups, each is
predicted as fitted to the others, and the errors of both are printed. Fits begin with the values of the default row,
which no run has changed.

usage: tools/fit_efficiency.py RUNS.csv [--cli build/release/pipedeck-cli] [--start presets/efficiency.json]
                               [--only A100-80GB,H100-SXM] [--rounds 4] [--prior 0.0008] [-o FITTED.json]
                               [--folds 4] [--fold-by model]
"""
import argparse
import collections
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

# GPUs of the table of runs, and the device type whose row times them.
TYPES = {"A100-80GB": "A100-80GB", "A800-80GB": "A100-80GB", "H100": "H100-SXM", "H200": "H100-SXM",
         "H100-96GB-HBM2e": "H100-96GB", "B200": "B200", "B300": "B300", "GB200": "GB200", "GB300": "GB300",
         "V100-32GB": "V100-32GB"}
RANGES = {"share": (0.05, 0.95), "forward": (0.03, 0.8), "backward": (0.03, 0.7), "memory": (0.1, 0.9),
          "link": (0.2, 0.92), "network": (0.2, 0.95), "busy": (1, 1.4), "half_rows": (1, 60000),
          "kernel_us": (1, 8), "launch_us": (2, 20)}


def numbers_of(row, path=()):
    """Returns the paths of a row's numbers."""
    if isinstance(row, dict):
        return [found for key, one in row.items() for found in numbers_of(one, path + (key,))]
    return [path] if isinstance(row, (int, float)) else []


def at(row, path):
    for key in path:
        row = row[key]
    return row


def put(row, path, value):
    low, high = RANGES.get(path[-1], (0, math.inf))
    at(row, path[:-1])[path[-1]] = float(f"{min(high, max(low, value)):.4g}")


class Fit:
    def __init__(self, options, table, row, runs, folder):
        self.options, self.table, self.row = options, table, row
        self.start = json.loads(json.dumps(row))
        self.runs, self.efficiency = os.path.join(folder, "runs.csv"), os.path.join(folder, "efficiency.json")
        self.write(runs)
        of_source = collections.Counter(run["source"] for run in runs)
        self.weight = {run["row"]: of_source[run["source"]] ** -0.35 for run in runs}
        self.mappings = collections.defaultdict(list)
        for run in runs:
            self.mappings[run["model"], run["gpu"], run["gpus"]].append(run["row"])

    def write(self, runs):
        with open(self.runs, "w", newline="") as out:
            writer = csv.DictWriter(out, runs[0].keys())
            writer.writeheader()
            writer.writerows(runs)

    def errors_of(self, runs):
        self.write(runs)
        return [math.expm1(error) for error in self.errors().values()]

    def errors(self):
        with open(self.efficiency, "w") as out:
            json.dump(self.table, out)
        done = subprocess.run([self.options.cli, "accuracy", self.runs, "--json", "--efficiency", self.efficiency],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return {row["row"]: math.log(row["measured_s"] / row["predicted_s"])
                for row in json.loads(done.stdout)["rows"] if row["judged"] and row["predicted_s"]}

    def loss(self):
        errors = self.errors()
        counted = sum(self.weight[row] * (min(abs(e), 0.6) + max(0, min(abs(e), 0.6) - 0.18) + 0.05 * max(0, abs(e) - 0.6))
                      for row, e in errors.items())
        moved = sum(math.log(at(self.row, path) / at(self.start, path)) ** 2 for path in self.paths
                    if at(self.row, path) > 0 and at(self.start, path) > 0)
        total = sum(self.weight[row] for row in errors)
        return (counted + self.options.order * self.disorder(errors)) / total + self.options.prior * moved

    def disorder(self, errors):
        """Returns the weighted deviations from the median error of mappings of one model on one machine."""
        deviations = 0
        for rows in self.mappings.values():
            own = sorted(errors[row] for row in rows if row in errors)
            if len(own) >= 5:
                median = (own[(len(own) - 1) // 2] + own[len(own) // 2]) / 2
                deviations += sum(self.weight[row] * min(abs(errors[row] - median), 0.6) for row in rows if row in errors)
        return deviations

    def run(self):
        self.paths = numbers_of(self.row)
        best = self.loss()
        used = []  # numbers that these runs depend on
        for path in self.paths:
            old = at(self.row, path)
            put(self.row, path, old * 0.7 if old else 1)
            if abs(self.loss() - best) > 1e-6:
                used.append(path)
            put(self.row, path, old)
        step = {path: 0.25 for path in used}
        for number in range(self.options.rounds):
            for path in used:
                old, better = at(self.row, path), False
                for factor in (1 + step[path], 1 / (1 + step[path])):
                    put(self.row, path, (old or 0.5) * factor)
                    found = self.loss()
                    better = found < best - 1e-6
                    if better:
                        best = found
                        break
                    put(self.row, path, old)
                step[path] *= 1.3 if better else 0.5
            errors = [abs(math.expm1(e)) for e in self.errors().values()]
            if self.options.folds == 0:
                print(f"{self.row['devices'][0]}, round {number + 1}: {len(errors)} runs, mean error "
                      f"{100 * sum(errors) / len(errors):.1f} %, above 20 %: {sum(e > 0.2 for e in errors)}", flush=True)


def text_of(table):
    """Returns the table as in presets/: a precision, a kernel or a number per line."""
    def inner(value):
        return json.dumps(value)

    rows = []
    for row in table["rows"]:
        lines = []
        for key, value in row.items():
            if isinstance(value, dict):
                entries = ",\n".join(f"        {json.dumps(name)}: {inner(one)}" for name, one in value.items())
                lines.append(f"      {json.dumps(key)}: {{\n{entries}\n      }}")
            else:
                lines.append(f"      {json.dumps(key)}: {inner(value)}")
        rows.append("    {\n" + ",\n".join(lines) + "\n    }")
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in table.items() if key != "rows")
    return "{\n" + head + '  "rows": [\n' + ",\n".join(rows) + "\n  ]\n}\n"


def figures(errors):
    absolute = sorted(abs(error) for error in errors)
    return (f"{len(errors):4} runs, mean error {100 * sum(absolute) / len(errors):5.1f} %, nine in ten within "
            f"{100 * absolute[math.ceil(0.9 * len(errors)) - 1]:5.1f} %")


def neutral(row, default):
    """Returns the row with the default row's numbers: recipes of fp8 have those of fp8, kernels those of default."""
    made = json.loads(json.dumps(default | {"devices": row["devices"]}))
    products, kernels = default["products"], default["attention"]
    made["products"] = {name: products.get(name, products[name.split("-")[0]]) for name in row["products"]}
    made["attention"] = {name: kernels["default"] for name in row["attention"]}
    return json.loads(json.dumps(made))  # no object twice


def cross_validate(options, table, row, runs):
    """Returns the errors of runs that were fitted, and of those that were left out."""
    groups = sorted({run[options.fold_by] for run in runs})
    fitted, held_out = [], []
    for fold in range(min(options.folds, len(groups))):
        left_out = set(groups[fold::options.folds])
        kept = [run for run in runs if run[options.fold_by] not in left_out]
        others = [run for run in runs if run[options.fold_by] in left_out]
        if not kept:
            continue
        own_row = neutral(row, table["rows"][0])
        own_table = table | {"rows": [own_row if one is row else one for one in table["rows"]]}
        with tempfile.TemporaryDirectory() as folder:
            fit = Fit(options, own_table, own_row, kept, folder)
            fit.run()
            fitted += fit.errors_of(kept)
            held_out += fit.errors_of(others)
    for name, errors in (("fitted", fitted), ("held out", held_out)):
        if errors:
            print(f"{row['devices'][0]:12} {name:9} {figures(errors)}", flush=True)
    return fitted, held_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs")
    parser.add_argument("--cli", default="build/release/pipedeck-cli")
    parser.add_argument("--start", default="presets/efficiency.json")
    parser.add_argument("--only", default="", help="first device types of the rows that are fitted")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--prior", type=float, default=0.0008)
    parser.add_argument("--order", type=float, default=1, help="weight of errors among mappings of one model")
    parser.add_argument("-o", "--output", default="")
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--fold-by", default="model", choices=("model", "source"))
    options = parser.parse_args()
    with open(options.runs, newline="") as source:
        runs = [run for run in csv.DictReader(source) if run["newest"] == "1"]
    with open(options.start) as source:
        table = json.load(source)
    fitted, held_out = [], []
    for row in table["rows"]:
        own = [run for run in runs if TYPES.get(run["gpu"]) in row["devices"]]
        if not own or (options.only and row["devices"][0] not in options.only.split(",")):
            continue
        if options.folds > 0:
            both = cross_validate(options, table, row, own)
            fitted += both[0]
            held_out += both[1]
            continue
        with tempfile.TemporaryDirectory() as folder:
            Fit(options, table, row, own, folder).run()
    if options.folds > 0:
        for name, errors in (("fitted", fitted), ("held out", held_out)):
            if errors:
                print(f"{'all':12} {name:9} {figures(errors)}")
        return
    text = text_of(table)
    if options.output:
        with open(options.output, "w") as out:
            out.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
