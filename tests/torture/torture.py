#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Typical commands in which an allocation or a system call fails: once, or all from there.

The command then ends with a status of docs/formats.md and a message, never by a signal and never late. Its output is
the old one or the new one, whole, and no temporary file is left. Each failure that fits into the time is tried, in an
order that the seed gives; of each command as many.

usage: tests/torture/torture.py PIPEDECK_CLI SHIM [--seconds N] [--commands NAME,...] [--seed S]
                                [--only COMMAND:memory|calls:once|always:N]
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from streams_and_signals import QUESTION, TRAIN, fill  # noqa: E402

PATIENCE = 60  # seconds
SHOWN = 30  # faults
PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "version2.pipedeck")
COMMANDS = {  # and the files that they write
    "plan": (("plan", *QUESTION, "--planner", "gpipe", "--global-batch", "8", "-o", "o.json"), ["o.json"]),
    "simulate": (("simulate", *QUESTION, "--plan", "plan.json", "--intervals", "--trace", "o.trace.json", "-o", "o.json"),
                 ["o.json", "o.trace.json"]),
    "edit": (("edit", "plan.json", *QUESTION, "--recompute", "0=all", "-o", "o.json"), ["o.json"]),
    "compare": (("compare", *QUESTION, "--planner", "gpipe", "dapple", "--global-batch", "8", "--csv", "o.csv"), ["o.csv"]),
    "capacity": (("capacity", *QUESTION, "--planner", "gpipe", "--global-batch", "8", "--samples", "1000", "--points",
                  "o.points.json"), []),
    "convert": (("convert", "machine.txt", "-o", "o.json"), ["o.json"]),
    "export": (("export", "p.json", "layers", "-o", "o.csv"), ["o.csv"]),
    "validate": (("validate", "p.json", "run.jsonl", "project.pipedeck", "k"), []),
    "run": ((*TRAIN, "4", "--checkpoint", "made", "--checkpoint-every", "2"), []),
    "calibrate": (("calibrate", *QUESTION, "--run", "plan.json:run.jsonl", "-o", "o.json"), ["o.json"]),
}
TIMED = ("calibrate",)  # writes the time, so that files have as many lines
OLD = b"old content\n"


class Torture:
    def __init__(self, cli, shim, folder):
        # Alone: CUDA's libraries, which a module in its folder loads, crash where they get no memory.
        cli = shutil.copy(cli, folder)
        self.cli, self.shim, self.filled = cli, shim, os.path.join(folder, "filled")
        os.mkdir(self.filled)
        fill(self.filled, cli)
        shutil.copy(PROJECT, os.path.join(self.filled, "project.pipedeck"))
        subprocess.run([cli, *TRAIN, "2", "--checkpoint", "k"], cwd=self.filled, check=True, capture_output=True)
        self.folder, self.expected = folder, {}

    def run(self, name, kind, always=False, number=0, count=None):
        """Status, messages and the folder, which the caller removes."""
        folder = tempfile.mkdtemp(dir=self.folder)
        shutil.copytree(self.filled, folder, dirs_exist_ok=True)
        arguments, outputs = COMMANDS[name]
        for output in outputs:
            with open(os.path.join(folder, output), "wb") as file:
                file.write(OLD)
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "LD_PRELOAD": self.shim, "TORTURE_KIND": kind,
                       "TORTURE_AT": str(number), "TORTURE_ALWAYS": str(int(always))}
        if count:
            environment["TORTURE_COUNT"] = count
        done = subprocess.run([self.cli, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE, check=False)
        return done, folder

    def learn(self, name):
        """Numbers of allocations and calls, and what the command writes."""
        numbers = {}
        for kind in ("memory", "calls"):
            count = os.path.join(self.folder, "count")
            done, folder = self.run(name, kind, count=count)
            if done.returncode != 0:
                sys.exit(f"{name}: exit {done.returncode}: {done.stderr.decode()}")
            with open(count, encoding="ascii") as file:
                numbers[kind] = int(file.read())
            self.expected[name] = contents(folder, COMMANDS[name][1])
            shutil.rmtree(folder)
        return numbers

    def judge(self, case):
        name, kind, always, number = case
        where = f"{name}:{kind}:{'always' if always else 'once'}:{number}"
        try:
            done, folder = self.run(name, kind, always, number)
        except subprocess.TimeoutExpired:
            return f"{where}: not ended after {PATIENCE} s"
        faults = []
        if done.returncode not in (0, 1, 2, 3, 4):
            faults.append(f"exit {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        if done.returncode != 0 and kind == "memory" and not done.stderr.startswith(b"pipedeck-cli: "):
            faults.append("no message")
        for output, content in contents(folder, COMMANDS[name][1]).items():
            new = self.expected[name][output]
            same = content.count(b"\n") == new.count(b"\n") if name in TIMED else content == new
            if not same and (done.returncode == 0 or content != OLD):
                faults.append(f"{output} is neither the old file nor the new one")
        # A run that ends without memory leaves a part of a checkpoint as a killed one does: the next run removes it.
        ended = kind == "memory" and done.returncode == 1
        faults += [f"{path} is left" for path in temporaries(folder) if not (ended and path.endswith(".pdck.tmp"))]
        shutil.rmtree(folder)
        return f"{where}: {'; '.join(faults)}" if faults else None


def contents(folder, names):
    found = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def temporaries(folder):
    return [os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names
            if name.endswith(".tmp")]


def cases_of(name, numbers, dice):
    """Calls come first: they are few."""
    cases = []
    for kind in ("calls", "memory"):
        of_kind = [(name, kind, always, number) for number in range(1, numbers[kind] + 1) for always in (False, True)]
        dice.shuffle(of_kind)
        cases += of_kind
    return cases


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("cli")
    parser.add_argument("shim")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end, dice = time.monotonic() + options.seconds, random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="pipedeck-torture-") as folder:
        torture = Torture(os.path.abspath(options.cli), os.path.abspath(options.shim), folder)
        if options.only:
            name, kind, how, number = options.only.split(":")
            torture.learn(name)
            sys.exit(torture.judge((name, kind, how == "always", int(number))))
        names = options.commands.split(",")
        all_cases = {name: cases_of(name, torture.learn(name), dice) for name in names}
        in_turn = [case for together in itertools.zip_longest(*all_cases.values()) for case in together if case]
        tried = dict.fromkeys(names, 0)

        def judge(case):
            if time.monotonic() > end:
                return None
            tried[case[0]] += 1
            return torture.judge(case)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(judge, in_turn) if fault]
    for name in names:
        print(f"{name}: {tried[name]} of {len(all_cases[name])} failures, seed {options.seed}")
    print("\n".join(faults[:SHOWN]) or "no fault")
    if len(faults) > SHOWN:
        print(f"and {len(faults) - SHOWN} more")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
