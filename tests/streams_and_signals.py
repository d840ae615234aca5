#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command with standard streams that are full, closed or without a reader; with names that steer a terminal;
with one signal while it waits for a file; and with arguments at random. Exit statuses are those of docs/formats.md: never a signal, never a hang.

usage: tests/streams_and_signals.py PIPEDECK_CLI streams | names | signals | readers | arguments [--times N] [--seed S]
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

STATUSES = (0, 1, 2, 3, 4, 130)
FULL_PIPE = 56 << 10  # bytes
PATIENCE = 120  # seconds; a loaded machine is slow to start processes
SIGNAL_LIMIT = 2  # seconds from a signal to the end: 1 is promised, and the machine may be loaded

PROFILE = {"format": "pipedeck.profile", "version": 1, "name": "six", "source": "made up", "device": "X",
           "micro_batch": 1, "layers": [
               {"name": f"l{i}", "kind": "linear", "forward_ms": 4 + i, "backward_ms": 9 + i, "output_bytes": 1000000,
                "saved_bytes": 5000000, "parameter_bytes": 4000000} for i in range(6)]}
CLUSTER = {"format": "pipedeck.cluster", "version": 1, "name": "two",
           "device_types": [{"name": "X", "memory_bytes": 16000000000, "relative_speed": 1.0}],
           "nodes": [{"name": "n0", "devices": [{"type": "X", "count": 2}], "link": {"gb_per_s": 10, "latency_us": 5}}],
           "switches": [], "links": []}
PLAN = {"format": "pipedeck.plan", "version": 1, "name": "by hand", "planner": "hand", "profile": "six",
        "cluster": "two", "global_batch": 8, "micro_batch": 2, "micro_batches": 4, "schedule": "1f1b", "warmup": "A",
        "optimizer": "adam", "precision": "fp32", "zero": 0,
        "stages": [{"layers": [0, 3], "devices": [0], "tensor_parallel": 1},
                   {"layers": [3, 6], "devices": [1], "tensor_parallel": 1}]}
TRAINED = {**PLAN, "profile": "mlp", "stages": [{"layers": [0, 4], "devices": [0], "tensor_parallel": 1},
                                               {"layers": [4, 8], "devices": [1], "tensor_parallel": 1}]}
MODEL = {"format": "pipedeck.model", "version": 1, "name": "tiny", "source": "made up", "trainable_here": True,
         "learning_rate": 0.001, "seed": 7, "data": {"kind": "synthetic", "seed": 3}, "layers": [
             {"name": "wide", "kind": "linear", "in": 8, "out": 8, "sequence": 1, "activation": 1},
             {"name": "loss", "kind": "softmax_cross_entropy", "classes": 8, "sequence": 1}]}
SHARED = os.environ.get("PIPEDECK_SHARED_DATA", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shared/data"))
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
TOPOLOGY = os.path.join(FIXTURES, "topology")

QUESTION = ("--profile", "p.json", "--cluster", "c.json")
TRAIN = ("run", "--plan", "two.json", "--model", "preset:mlp-small", "--backend", "cpu", "--steps")
COMMANDS = {  # of which the answer goes to standard output
    "plan": ("plan", *QUESTION, "--planner", "gpipe", "--global-batch", "8"),
    "simulate": ("simulate", *QUESTION, "--plan", "plan.json"),
    "edit": ("edit", "plan.json", *QUESTION, "--recompute", "0=all"),
    "compare": ("compare", *QUESTION, "--planner", "gpipe", "--global-batch", "8"),
    "what-if": ("what-if", *QUESTION, "--planner", "gpipe", "--global-batch", "8"),
    "capacity": ("capacity", *QUESTION, "--planner", "gpipe", "--global-batch", "8", "--samples", "1000"),
    "diff": ("diff", "plan.json", "other.json"),
    "profile": ("profile", "--model", "tiny.json", "--backend", "cpu", "--micro-batch", "1", "--repetitions", "1"),
    "calibrate": ("calibrate", *QUESTION, "--run", "plan.json:run.jsonl"),
    "convert": ("convert", "p.json", "-"),
    "export": ("export", "p.json", "layers"),
    "validate": ("validate", "p.json", "c.json"),
    "reproduce": ("reproduce",),
    "accuracy": ("accuracy", "runs.csv"),
    "list": ("list", "planners"),
}
ELSEWHERE = {  # of which it does not
    "run": (*TRAIN, "3"),
    "plan into a file": (*COMMANDS["plan"], "-o", "made.json"),
    "convert into a file": ("convert", "p.json", "made.json"),
    "convert with notes": ("convert", "machine.txt", "made.json"),
}
BAD = {
    **{name: [word if word not in ("p.json", "plan.json", "tiny.json") else "nowhere" for word in arguments]
       for name, arguments in COMMANDS.items()},
    "reproduce": ("reproduce", "nothing"), "list": ("list", "nothing"),
    "accuracy": ("accuracy", "nowhere"), "calibrate": ("calibrate", "--run", "x"),
    "run": ("run", "--plan", "nowhere", *TRAIN[3:], "3"), "no command": (), "unknown command": ("plam",)}


def fill(folder, cli):
    """What the commands read."""
    documents = {"p.json": PROFILE, "c.json": CLUSTER, "plan.json": PLAN, "tiny.json": MODEL, "two.json": TRAINED,
                 "other.json": {**PLAN, "micro_batch": 1, "micro_batches": 8}}
    for name, document in documents.items():
        with open(os.path.join(folder, name), "w") as file:
            json.dump(document, file)
    shutil.copy(os.path.join(TOPOLOGY, sorted(n for n in os.listdir(TOPOLOGY) if n.endswith(".topo.txt"))[0]),
                os.path.join(folder, "machine.txt"))
    shutil.copy(os.path.join(FIXTURES, "published-runs.csv"), os.path.join(folder, "runs.csv"))
    subprocess.run([cli, "run", "--replay", "--plan", "plan.json", *QUESTION, "--backend", "cpu", "--steps", "2",
                    "--events", "run.jsonl", "--timeline-every", "1"], cwd=folder, check=True, capture_output=True)


class Case:
    """One command in a folder of its own."""

    def __init__(self, cli, filled):
        self.cli, self.filled = cli, filled

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="pipedeck-streams-")
        shutil.copytree(self.filled, self.folder, dirs_exist_ok=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, arguments, redirections="", **streams):
        command = [self.cli, *arguments]
        if redirections:
            command = ["sh", "-c", f'exec "$@" {redirections}', "sh", *command]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
        return subprocess.Popen(command, cwd=self.folder, env=dict(os.environ, LC_ALL="C.UTF-8"), **streams)

    def made(self):
        """What the command wrote, without figures that depend on the time."""
        found = {}
        for at, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(at, name)
                new = not os.path.exists(os.path.join(self.filled, os.path.relpath(path, self.folder)))
                if new and os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.folder)] = file.read()
        return found


def broken_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "wb")


def together(function, items, threads):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return [fault for fault in pool.map(function, items) if fault]


# --- standard streams


FAULTY = {  # shell redirections, or streams without a reader
    "stderr full": "2>/dev/full", "stderr closed": "2>&-", "stderr left": "stderr", "stdin closed": "<&-",
    "stdout left": "stdout", "stdout full": ">/dev/full", "stdout closed": ">&-", "all closed": "<&- >&- 2>&-"}


def streams(cli, filled):
    cases = [(name, arguments, True) for name, arguments in COMMANDS.items()]
    cases += [(name, arguments, False) for name, arguments in ELSEWHERE.items()]
    cases += [(f"bad {name}", arguments, False) for name, arguments in BAD.items()]
    cases += [("help", ("plan", "--help"), True), ("version", ("--version",), True)]

    def judge(case):
        name, arguments, answers = case
        with Case(cli, filled) as usual:
            expected = usual.start(arguments).wait(PATIENCE)
            made = usual.made()
        if expected != (2 if name.startswith("bad ") else 0):
            return f"{name}: exit {expected}"
        faults = []
        for fault, how in FAULTY.items():
            if name.startswith("bad ") and "stderr" not in fault and not name.endswith("validate"):
                continue  # there is nothing on standard output
            with Case(cli, filled) as one, contextlib.ExitStack() as open_streams:
                pipe = {how: open_streams.enter_context(broken_pipe())} if how in ("stdout", "stderr") else {}
                status = one.start(arguments, "" if pipe else how, **pipe).wait(PATIENCE)
                lost = answers and fault in ("stdout full", "stdout closed", "all closed")
                if status != (1 if lost else expected):
                    faults.append(f"{name}, {fault}: exit {status}, expected {1 if lost else expected}")
                if one.made() != made:
                    faults.append(f"{name}, {fault}: wrote other files: {sorted(one.made())}")
        return "\n".join(faults)

    return together(judge, cases, 2), len(cases)


# --- names that steer a terminal

NAME = "x\x1b]0;y\x07\nforged\u009b2J\u202e"


def renamed(document):
    """A document whose names are hostile, each one of its own."""
    names = {"six", "two", "X", "n0", "tiny", "by hand", "made up", *(f"l{i}" for i in range(6)), "wide"}
    if isinstance(document, dict):
        return {key: renamed(value) for key, value in document.items()}
    if isinstance(document, list):
        return [renamed(value) for value in document]
    return document + NAME if document in names else document


def names(cli, filled):
    with tempfile.TemporaryDirectory(prefix="pipedeck-names-") as hostile:
        for name in os.listdir(filled):
            with open(os.path.join(filled, name)) as file:
                text = file.read()
            if name in ("p.json", "c.json", "plan.json", "other.json", "tiny.json"):
                text = json.dumps(renamed(json.loads(text)))
            for path in (name, NAME + name):
                with open(os.path.join(hostile, path), "w") as file:
                    file.write(text)
        with open(os.path.join(hostile, "broken.json"), "wb") as file:
            file.write(b'{"format": "\x1b\xff", "\xfe')
        simulate = (*COMMANDS["simulate"], "--explain", "--sensitivity", "--memory-items", "--intervals")
        cases = [*COMMANDS.values(), *BAD.values(), simulate, ("validate", "broken.json"), ("list", "checkpoints", NAME),
                 (*COMMANDS["what-if"], "--front", "--buy-first"), (*COMMANDS["compare"], "--baseline", "gpipe"),
                 (*COMMANDS["plan"], "--device", NAME), (NAME,), ("diff", "plan.json", "p.json"),
                 ("diff", *COMMANDS["diff"][1:], *QUESTION), ("edit", "plan.json", *QUESTION, "--recompute", "0=" + NAME),
                 ("run", "--replay", "--plan", "plan.json", *QUESTION, "--backend", "cpu", "--steps", "1"),
                 (*TRAIN, "1", "--checkpoint", NAME), (*TRAIN, "1", "--resume", NAME), (*TRAIN, "1", "--data", NAME)]
        cases += [[NAME + word if word.endswith(".json") else word for word in case] for case in cases]
        cases = [case for case in cases if not case or case[0] not in ("convert", "export")]  # whose output is a file

        def judge(arguments):
            with Case(cli, hostile) as one:
                process = one.start(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                printed = b"".join(process.communicate(timeout=PATIENCE))
            try:
                text = printed.decode()
            except UnicodeDecodeError as error:
                return f"{arguments}: {error}"
            unsafe = re.search("(^forged.*)|[^\n -~\u00a0-\uffff]|[\u202a-\u202e]", text, re.MULTILINE)
            return f"{arguments}: {text[max(0, unsafe.start() - 200):unsafe.end()]!r}" if unsafe else None

        return together(judge, cases, 2), len(cases)


# --- a signal while a command waits


def waiting_cases():
    """A command with a pipe in place of each of its files, and where else a command can wait."""
    files = ("p.json", "c.json", "plan.json", "other.json", "tiny.json", "run.jsonl", "two.json",
             "runs.csv")
    for name, arguments in {**COMMANDS, "run": ELSEWHERE["run"]}.items():
        for place, word in enumerate(arguments):
            if word in files:
                yield f"{name} {word}", [*arguments[:place], "pipe", *arguments[place + 1:]]
    yield "run --model", [word.replace("preset:mlp-small", "pipe") for word in ELSEWHERE["run"]]
    yield "run --events", (*TRAIN, "3", "--events", "pipe")
    yield "calibrate run.jsonl", ("calibrate", *QUESTION, "--run", "plan.json:pipe")
    yield "convert into a pipe", ("convert", "p.json", "pipe")
    yield "capacity --progress", (*COMMANDS["capacity"], "--progress", "pipe")
    yield "validate standard input", ("validate", "/dev/stdin")
    yield "profile", ("profile", "--model", "preset:gpt-2", "--backend", "cpu")
    yield "run", (*TRAIN, "1000000000", "--checkpoint", "kept", "--events", "made.jsonl")
    yield "paused run", (*TRAIN, "1000000000", "--control", "pipe")
    if os.path.isdir(SHARED):
        yield "reproduce", ("reproduce", "all", "--data", SHARED)


def other_end(path, process):
    """Opens a pipe for writing once the process reads from it, which then waits for what comes; None if it writes."""
    ends = time.monotonic() + 0.5
    while process.poll() is None and time.monotonic() < ends:
        with contextlib.suppress(OSError):
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.01)
    return None


def signals(cli, filled):
    cases = list(waiting_cases())

    def judge(numbered):
        number, (name, arguments) = numbered
        twice = number % 4 == 3 and name != "run"
        with Case(cli, filled) as one:
            pipe = os.path.join(one.folder, "pipe")
            os.mkfifo(pipe)
            stdin, silent = os.pipe()
            process = one.start(arguments, stdin=stdin, stderr=subprocess.PIPE)
            os.close(stdin)
            writer = other_end(pipe, process)
            while name == "run" and process.poll() is None and b'"step"' not in one.made().get("made.jsonl", b""):
                time.sleep(0.01)
            if writer is not None and name == "paused run":
                os.write(writer, b"pause\n")
                time.sleep(0.2)
            if process.poll() is not None:
                return f"{name}: exit {process.returncode} before the signal: {process.stderr.read()}"
            process.send_signal((signal.SIGINT, signal.SIGTERM)[number % 2])
            began = time.monotonic()
            if twice:
                time.sleep(0.1)
                process.send_signal(signal.SIGINT)
            try:
                said = process.communicate(timeout=10)[1].decode(errors="replace")
            except subprocess.TimeoutExpired:
                process.kill()
                return f"{name}: still there 10 s after the signal"
            finally:
                for end in (writer, silent):
                    if end is not None:
                        os.close(end)
            took = time.monotonic() - began
            if took > (SIGNAL_LIMIT / 2 if twice else SIGNAL_LIMIT):
                return f"{name}: ended {took:.1f} s after the signal"
            if process.returncode != 130 or (not twice and "stopped" not in said and "cancelled" not in said):
                return f"{name}: exit {process.returncode}: {said}"
            if name == "run" and not twice and not any(file.startswith("kept/step-") for file in one.made()):
                return f"{name}: no checkpoint"
        return None

    return together(judge, enumerate(cases), 6), len(cases)


# --- readers of a run's events that leave


def readers(cli, filled):
    cases = [(events, option) for events in ("-", "pipe") for option in ((), ("--on-lost-reader", "stop"))]

    def judge(case):
        events, option = case
        with Case(cli, filled) as one:
            pipe = os.path.join(one.folder, "pipe")
            os.mkfifo(pipe)
            process = one.start((*TRAIN, "1000000" if option else "300", "--events", events, "--checkpoint", "kept", *option),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with process.stdout if events == "-" else open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
                os.set_blocking(reader.fileno(), True)
                lines = 0
                while lines < 3 and process.poll() is None:  # there is an end before the writer comes
                    lines += len(reader.readline()) > 0
            if events == "-":
                process.stdout = None
            out, said = process.communicate(timeout=PATIENCE)
            steps = sorted(name.split("/")[1] for name in one.made() if name.startswith("kept/step-"))
            if not steps:
                return f"{case}: no checkpoint"
            if option:
                good = process.returncode == 4 and b"the reader of the events has left" in said and b"--resume" in said
            else:
                report = said if events == "-" else out
                good = (process.returncode == 0 and steps[-1] == "step-0000000300" and b"finished after 300" in report
                        and said.count(b"the reader of the events has left") == 1)
            return None if good else f"{case}: exit {process.returncode}, {steps}: {said.decode()}"

    faults = together(judge, cases, 2)
    sleeping = sleeping_reader(cli, filled)
    return faults + ([sleeping] if sleeping else []), len(cases) + 1


def sleeping_reader(cli, filled):
    """A reader that does not read: the run waits for it, until a signal."""
    with Case(cli, filled) as one:
        process = one.start((*TRAIN, "1000000", "--events", "-", "--checkpoint", "kept"), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
        waiting = 0
        while process.poll() is None and waiting < FULL_PIPE:
            time.sleep(0.01)
            waiting = struct.unpack("i", fcntl.ioctl(process.stdout, termios.FIONREAD, b"    "))[0]
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        took = time.monotonic() - began
        if process.poll() is None:
            process.kill()
        kept = any(name.startswith("kept/step-") for name in one.made())
        if process.returncode != 130 or took > SIGNAL_LIMIT or not kept:
            return f"a reader that does not read: exit {process.returncode} after {took:.1f} s, checkpoint {kept}"
    return None


# --- arguments at random


VALUES = ("p.json", "c.json", "plan.json", "other.json", "tiny.json", "two.json", "run.jsonl", "machine.txt", "nowhere",
          "made.json", "made.csv", "made.html", "made.md", "made/x", ".", "-", "--", "", " ", "0", "1", "2", "8", "-1", "0.5",
          "1e300", "1e-300", "nan", "inf", "9223372036854775807", "18446744073709551616", "1,2", "2-1", "0=all", "0=1",
          "preset:mlp-small", "preset:nothing", "cpu", "cuda", "mpi", "all", "any", "1f1b", "gpipe", "dapple", "joint",
          "shared", "bucket", "text:p.json", "idx:p.json", "images:.", "synthetic:3", "plan.json:run.jsonl", "stop",
          "\x1b]0;x\x07", "two\nlines", "ä", b"\xff\xfe", "x" * 300, "%s%n", "$(x)", "=1+1")


def options_of(cli, command):
    text = subprocess.run([cli, command, "--help"], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)))


def arguments_at_random(chance, options):
    usual = {**COMMANDS, "run": ELSEWHERE["run"]}
    command = chance.choice(sorted(usual))
    words = list(usual[command])
    if chance.random() < 0.2:
        words = [command, *chance.choices(VALUES, k=chance.randrange(4))]
    for _ in range(chance.randrange(4)):
        kind = chance.random()
        place = chance.randrange(1, len(words) + 1)
        if kind < 0.5:
            words[place:place] = [chance.choice(options[command]), chance.choice(VALUES)][:chance.choice((1, 2, 2, 2))]
        elif kind < 0.8 and place < len(words):
            words[place] = chance.choice(VALUES)
        elif kind < 0.9 and place < len(words):
            del words[place]
        else:
            words[place:place] = [chance.choice(words[1:] or VALUES)]
    return words


def arguments(cli, filled, times, seed):
    options = {command: options_of(cli, command) for command in {**COMMANDS, "run": ()}}

    def judge(number):
        words = arguments_at_random(random.Random(f"{seed} {number}"), options)
        with Case(cli, filled) as one:
            process = one.start(words, stderr=subprocess.PIPE)
            began = time.monotonic()
            asked = False
            try:
                said = process.communicate(timeout=1)[1]
            except subprocess.TimeoutExpired:
                asked = True
                process.send_signal(signal.SIGINT)
                try:
                    said = process.communicate(timeout=10)[1]
                except subprocess.TimeoutExpired:
                    process.kill()
                    return f"{number}: {words}: hangs"
            if asked and time.monotonic() - began > 1 + SIGNAL_LIMIT:
                return f"{number}: {words}: ended {time.monotonic() - began - 1:.1f} s after the signal"
        if process.returncode not in STATUSES or b"internal error" in said:
            return f"{number}: {words}: exit {process.returncode}: {said.decode(errors='replace')}"
        if any(byte < 32 and byte != 10 for byte in said):
            return f"{number}: {words}: control characters in {said}"
        return None

    return together(judge, range(times), 2), times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cli")
    parser.add_argument("case", choices=("streams", "names", "signals", "readers", "arguments"))
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # of this program, which its children inherit
    cli = os.path.abspath(asked.cli)
    with tempfile.TemporaryDirectory(prefix="pipedeck-filled-") as filled:
        fill(filled, cli)
        if asked.case == "arguments":
            faults, count = arguments(cli, filled, asked.times, asked.seed)
        else:
            faults, count = globals()[asked.case](cli, filled)
    for fault in faults:
        print(fault)
    print(f"{asked.case}: {count} cases, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
