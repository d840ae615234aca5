#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where one training step's time goes, kernel by kernel: a table from what Nsight Compute's --csv wrote of a run.

A step's kernels are those after the last but one weight update, up to the last one. Kernels run one after the other
under the profiler, so that their sum is the time of a step without gaps and without overlap.

    ncu --csv --log-file step.csv --metrics gpu__time_duration.sum,dram__bytes.sum,... pipedeck-cli run --steps 2 ...
    tests/bench/step_trace.py step.csv

Exit status: 0, 1 where the file holds no whole step, 2 where it can't be read.
"""
import argparse
import csv
import re
import sys

TIME = "gpu__time_duration.sum"
BYTES = "dram__bytes.sum"
BUSY = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
SCALES = {"": 1, "%": 1, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "ns": 1e-9, "us": 1e-6, "ms": 1e-3,
          "s": 1, "nsecond": 1e-9, "usecond": 1e-6, "msecond": 1e-3, "second": 1}
SHOWN = 40


class Unreadable(Exception):
    pass


def value_of(row, line):
    text, unit = row["Metric Value"].replace(",", ""), row["Metric Unit"]
    if unit not in SCALES:
        raise Unreadable(f"line {line}: found the unit '{unit}', expected one of {', '.join(filter(None, SCALES))}")
    try:
        return float(text) * SCALES[unit]
    except ValueError:
        raise Unreadable(f"line {line}: found the value '{text}', expected a number") from None


def launches_of(file):
    """One dictionary a launch, in the order of launches: its kernel's name and its metrics, in seconds and bytes."""
    # Nsight Compute's own words, which begin with ==, stand before the table and behind it.
    numbered = [(number, line) for number, line in enumerate(file, 1) if line.startswith('"')]
    if not numbered:
        raise Unreadable("found no table, expected what ncu --csv writes")
    rows = csv.DictReader(line for _, line in numbered)
    needed = {"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"}
    if not needed <= set(rows.fieldnames):
        raise Unreadable(f"found no column {', '.join(sorted(needed - set(rows.fieldnames)))}, "
                         "expected what ncu --csv --metrics writes")
    launches = {}
    for (number, _), row in zip(numbered[1:], rows):
        if None in row.values():
            break  # the profiler was ended while it wrote
        launch = launches.setdefault(row["ID"], {"name": row["Kernel Name"]})
        launch[row["Metric Name"]] = value_of(row, number)
    return [launch for launch in launches.values() if TIME in launch]


def last_step(launches):
    """The launches of the last whole step, or None."""
    updates = {index for index, launch in enumerate(launches) if "Update<" in launch["name"]}
    # Several updates in a row end one step.
    ends = sorted(index for index in updates if index + 1 not in updates)
    return launches[ends[-2] + 1:ends[-1] + 1] if len(ends) > 1 else None


def short(name):
    """A kernel's name without its arguments, return type and namespaces of ours."""
    name = re.sub(r"\(anonymous namespace\)|<unnamed>|_GLOBAL__N__\w+", "", name)
    depth = 0
    for index, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            name = name[:index]
            break
    name = re.sub(r"\bpipedeck::|\bcuda::|\bvoid ", "", name)
    return re.sub(r"(?<![\w>])(::)+", "", name).strip()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", help="what ncu --csv wrote")
    given = arguments.parse_args()
    try:
        with open(given.file, encoding="utf-8", errors="replace") as file:
            launches = launches_of(file)
    except (OSError, Unreadable) as error:
        print(f"step_trace: {given.file}: {error}", file=sys.stderr)
        sys.exit(2)
    step = last_step(launches)
    if step is None:
        print(f"no whole step: {len(launches)} launches without two weight updates")
        sys.exit(1)
    kernels = {}
    for launch in step:
        kernels.setdefault(short(launch["name"]), []).append(launch)
    whole = sum(launch[TIME] for launch in step)
    print(f"{len(step)} launches of {len(kernels)} kernels take {whole * 1e3:.3f} ms, the longest first")
    print(f"{'ms':>9} {'share':>6} {'launches':>8} {'us each':>9} {'GB/s':>7} {'SM %':>5}  kernel")
    by_time = sorted(kernels.items(), key=lambda kernel: -sum(launch[TIME] for launch in kernel[1]))
    for name, found in by_time[:SHOWN]:
        time = sum(launch[TIME] for launch in found)
        moved, busy = (sum(launch.get(metric, 0) * (launch[TIME] if metric == BUSY else 1) for launch in found)
                       for metric in (BYTES, BUSY))
        rate = f"{moved / time / 1e9:7.0f}" if all(BYTES in launch for launch in found) else f"{'-':>7}"
        share = f"{busy / time:5.1f}" if all(BUSY in launch for launch in found) else f"{'-':>5}"
        print(f"{time * 1e3:9.3f} {time / whole:6.1%} {len(found):8} {time / len(found) * 1e6:9.1f} {rate} {share}  {name}")
    rest = by_time[SHOWN:]
    if rest:
        print(f"{sum(launch[TIME] for _, found in rest for launch in found) * 1e3:9.3f} ms in {len(rest)} further kernels")


if __name__ == "__main__":
    main()
