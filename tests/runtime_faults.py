#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks training runs at random moments and looks at what is left.

Every fault is inflicted --times times. Each time: the run ends within its time-out with the exit status and the words
that belong to the fault, leaves no process and no half-written file under a good name, and what it had kept by then
resumes to the same parameters as an unbroken run, bit for bit.

With --processes each run is one of several processes under mpirun, of which the fault meets any. With --together several
faults have their runs at the same time: most of it they wait. With --mesh the runs are of plans in other dimensions.

usage: tests/runtime_faults.py PIPEDECK_CLI [--times N] [--timeout SECONDS] [--seed N] [--faults NAME,...] [--processes N]
                               [--together N] [--mesh KIND,...]
"""
import argparse
import collections
import concurrent.futures
import copy
import glob
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LATE = 15.0  # seconds beyond the time-out that a loaded machine may take to start and end processes

PLAN = {
    "format": "pipedeck.plan", "version": 1, "name": "broken", "planner": "hand", "profile": "any", "cluster": "any",
    "schedule": "1f1b", "warmup": "A", "optimizer": "adam", "precision": "fp32"}


def stage(first, end, devices, **degrees):
    return {"layers": [first, end], "devices": devices, "tensor_parallel": 1, "recompute": False, **degrees}


class Kind:
    """A model, a plan, and how long its runs are: half a second to some seconds."""

    def __init__(self, model, steps, every, stages, **plan):
        self.model, self.steps, self.every = model, steps, every
        self.plan = dict(PLAN, stages=stages, **plan)


def of_mesh(model, stages, **plan):
    return Kind(model, 40, 5, stages, **dict(dict(version=2, global_batch=8, micro_batch=4, micro_batches=2), **plan))


STAGES = Kind("mlp-small", 150, 10, [stage(0, 2, [0]), stage(2, 8, [1])], global_batch=64, micro_batch=16,
              micro_batches=4, zero=0)
MESHES = {
    "tensor": of_mesh("llama-tiny", [stage(0, 8, "0-1", tensor_parallel=2, sequence_parallel=True)]),
    "context": of_mesh("llama-tiny", [stage(0, 8, "0-1", context_parallel=2, context_kind="ring")]),
    "expert": of_mesh("mixtral-tiny", [stage(0, 10, "0-1", expert_parallel=2)]),
    "states": of_mesh("llama-tiny", [stage(0, 8, "0-1")], sharding={"level": 3}),
    "groups": of_mesh("llama-tiny", [stage(0, 8, "0-3")], sharding={"level": 2, "group": 2}),
    "virtual": of_mesh("llama-tiny", [stage(2 * i, 2 * i + 2, [i % 2]) for i in range(4)], schedule="interleaved")}


class Broken(Exception):
    """What should hold does not."""


def check(holds, what):
    if not holds:
        raise Broken(what)


def values_of(folder):
    """The values of all parts of a folder's last step: what training left, whatever the headers say."""
    steps = sorted(glob.glob(os.path.join(folder, "step-*")))
    check(steps, f"{folder} holds no checkpoint")
    values = []
    for path in sorted(glob.glob(os.path.join(steps[-1], "*.pdck"))):
        with open(path, "rb") as file:
            content = file.read()
        header = struct.unpack_from("<Q", content, 12)[0]
        values.append((os.path.basename(path), content[20 + header + 4:]))
    return os.path.basename(steps[-1]), values


class Bench:
    """The program, a plan, and a folder to work in."""

    def __init__(self, program, folder, timeout, dice, processes, kind):
        self.program, self.folder, self.timeout, self.dice, self.kind = program, folder, timeout, dice, kind
        self.processes, self.statuses, self.ranks = processes, collections.Counter(), []
        with open(self.path("plan.json"), "w") as file:
            json.dump(kind.plan, file)
        began = time.monotonic()
        done = subprocess.run(self.command("whole"), capture_output=True, text=True)
        check(done.returncode == 0, f"the unbroken run failed: {done.stderr}")
        self.duration = time.monotonic() - began
        self.expected = values_of(self.path("whole"))

    def of(self, fault, seed):
        """For the runs of one fault alone."""
        one = copy.copy(self)
        one.dice, one.statuses, one.ranks = random.Random(f"{seed} {fault}"), collections.Counter(), []
        return one

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, checkpoints, *more, timeout=60, processes=None, wrapper=()):
        processes = self.processes if processes is None else processes
        # Memory that processes share would be files, too: those of a run are to be its checkpoints alone.
        # Files of mpirun, which it removes, are apart from those of other runs at the same time.
        together = ["mpirun", "-q", "--mca", "btl", "tcp,self", "--mca", "orte_tmpdir_base", self.folder, "-n",
                    str(processes)] if processes > 1 else []
        more = (*more, "--transport", "mpi") if processes > 1 else more
        return [*together, *wrapper, self.program, "run", "--plan", self.path("plan.json"), "--model",
                f"preset:{self.kind.model}", "--backend", "cpu", "--steps", str(self.kind.steps), "--checkpoint",
                self.path(checkpoints), "--checkpoint-every", str(self.kind.every), "--timeout", str(timeout), *more]

    def start(self, checkpoints, *more, wrapper=()):
        command = self.command(checkpoints, *more, timeout=self.timeout, wrapper=wrapper)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        self.ranks = [process.pid] if self.processes == 1 else self.ranks_of(process)
        return process

    def ranks_of(self, process):
        """Of all processes that mpirun started, when they run the program."""
        end = time.monotonic() + LATE
        while process.poll() is None and time.monotonic() < end:
            try:
                with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
                    ranks = [int(pid) for pid in children.read().split()]
                if len(ranks) == self.processes and all(
                        os.readlink(f"/proc/{pid}/exe") == self.program for pid in ranks):
                    return ranks
            except OSError:
                pass
            time.sleep(0.002)
        return []

    def signal(self, pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    def moment(self):
        """At any time of a run, also before its first step and after its last one. mpirun's own start is not waited for
        here, and takes a part of an unbroken run's duration."""
        return self.dice.uniform(0, (1.05 if self.processes == 1 else 0.8) * self.duration)

    def ended(self, process, since):
        try:
            _, said = process.communicate(timeout=self.timeout + LATE)
        except subprocess.TimeoutExpired:
            subprocess.run(["ps", "-o", "pid,ppid,stat,etimes,wchan:24,comm", "-L", "-p",
                            ",".join(map(str, {process.pid, *self.ranks}))])
            for rank in self.ranks:
                self.signal(rank, signal.SIGKILL)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Broken(f"still there {self.timeout + LATE:.0f} s after the fault")
        self.statuses[process.returncode] += 1
        return process.returncode, said, time.monotonic() - since

    def nobody_left(self, process):
        """The run has no process any more."""
        for _ in range(600):
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                if not any(os.path.exists(f"/proc/{pid}") for pid in self.ranks):
                    return
            time.sleep(0.05)
        raise Broken("a process of the run is left behind")

    def goes_on(self, checkpoints):
        """Resumed, or begun again where there was no checkpoint yet: the same parameters."""
        steps = glob.glob(os.path.join(self.path(checkpoints), "step-*", "*.pdck"))
        whole = subprocess.run([self.program, "list", "checkpoints", self.path(checkpoints), "--json"],
                               capture_output=True, text=True)
        complete = [s["step"] for s in json.loads(whole.stdout) if s["complete"]] if whole.returncode == 0 else []
        if complete and max(complete) == self.kind.steps:
            check(values_of(self.path(checkpoints)) == self.expected, "its parameters are not the unbroken run's")
            return max(complete)
        if not complete:
            shutil.rmtree(self.path(checkpoints), ignore_errors=True)
        more = ("--resume", self.path(checkpoints)) if complete else ()
        # Also if several processes began it and one continues.
        processes = self.dice.choice([1, self.processes])
        done = subprocess.run(self.command(checkpoints, *more, processes=processes), capture_output=True, text=True)
        check(done.returncode == 0, f"it does not go on from {complete or 'the beginning'} ({steps}): {done.stderr}")
        check(values_of(self.path(checkpoints)) == self.expected, "resumed parameters are not the unbroken run's")
        check(not glob.glob(os.path.join(self.path(checkpoints), "*", "*.tmp")), "an unfinished file stayed")
        return max(complete, default=0)


def sleep_until(process, seconds):
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def kill(bench, name):
    """Of several processes any; mpirun ends the others, its status is that of the one."""
    process = bench.start(name)
    sleep_until(process, bench.moment())
    since = time.monotonic()
    if bench.ranks:
        bench.signal(bench.dice.choice(bench.ranks), signal.SIGKILL)
    status, said, took = bench.ended(process, since)
    killed = -signal.SIGKILL if bench.processes == 1 else 128 + signal.SIGKILL
    check(status in (killed, 0), f"exit {status}: {said}")
    bench.nobody_left(process)
    return took if status else 0


def stall(bench, name):
    """One of several processes stops, and does not answer."""
    events = bench.path(f"{name}.jsonl")
    process = bench.start(name, "--events", events)
    # Before all processes have met, MPI itself waits, without end.
    while process.poll() is None and not (os.path.exists(events) and os.path.getsize(events)):
        time.sleep(0.002)
    sleep_until(process, bench.dice.uniform(0, 0.5 * bench.duration))
    since = time.monotonic()
    victim = bench.dice.choice(bench.ranks)
    bench.signal(victim, signal.SIGSTOP)
    sleep_until(process, bench.timeout + LATE / 2)
    if process.poll() is None and '"finished"' in open(events).read():
        # The others are gone and nothing is left to do: mpirun waits for a process that stopped on its way out.
        bench.signal(victim, signal.SIGCONT)
    status, said, took = bench.ended(process, since)
    bench.signal(victim, signal.SIGCONT)
    check(status in (4, 0), f"exit {status}: {said}")
    if status == 4:
        # A process that continues after the others have ended has no partners, and reports it. A process that waited
        # for a tensor as long as the other was silent may report first.
        check(re.search(rf"process {victim} on .* has been silent|(process \d+ on .*|another process) does not end|"
                        r"device \d+: .* has waited|files of other devices have not come", said), f"it says: {said}")
    bench.nobody_left(process)
    return took if status else 0


def cancel(bench, name):
    process = bench.start(name)
    time.sleep(0.2)  # before that nobody listens: the signal's own effect
    sleep_until(process, bench.moment())
    since = time.monotonic()
    number = bench.dice.choice([signal.SIGINT, signal.SIGTERM])
    bench.signal(bench.dice.choice([process.pid, *bench.ranks]), number)
    status, said, took = bench.ended(process, since)
    own = (-number, ) if bench.processes == 1 else (1, 128 + number)
    check(status in (130, 0, *own), f"exit {status}: {said}")
    stopped = status == 130 or "the run was stopped on request" in said
    if stopped and glob.glob(os.path.join(bench.path(name), "step-*", "*.pdck")):
        check("resume with --resume" in said, f"it does not say how to go on: {said}")
    bench.nobody_left(process)
    return took if status else 0


def full_disk(bench, name):
    """A file may have so many bytes: any number below those of a part."""
    largest = max(os.path.getsize(path) for path in glob.glob(os.path.join(bench.path("whole"), "*", "*.pdck")))
    most = bench.dice.randrange(largest)

    since = time.monotonic()
    process = bench.start(name, wrapper=["prlimit", f"--fsize={most}"])
    status, said, took = bench.ended(process, since)
    check(status == 4, f"exit {status}: {said}")
    check(re.search(r"device \d: checkpoint of step \d+: .*File too large", said), f"it says: {said}")
    bench.nobody_left(process)
    return took


def tiny_disk(bench, name):
    """A file system that has no room for all checkpoints."""
    part = sum(os.path.getsize(path) for path in glob.glob(os.path.join(bench.path("whole"), "step-0*", "*.pdck")))
    size = bench.dice.randrange(1, part)
    os.mkdir(bench.path(name))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", bench.path(name)], check=True)
    try:
        since = time.monotonic()
        process = bench.start(name, "--keep", "0")
        status, said, took = bench.ended(process, since)
        check(status == 4, f"exit {status}: {said}")
        check(re.search(r"device \d: checkpoint of step \d+: .*No space left on device", said), f"it says: {said}")
        bench.nobody_left(process)
        shutil.copytree(bench.path(name), bench.path(name + "-copy"))
    finally:
        subprocess.run(["umount", bench.path(name)], check=True)
    os.rmdir(bench.path(name))
    os.rename(bench.path(name + "-copy"), bench.path(name))
    return took


def damaged(bench, name):
    """A byte of the last step changed, or its file cut off, or gone."""
    kill(bench, name)
    parts = sorted(glob.glob(os.path.join(bench.path(name), "step-*", "*.pdck")))
    if not parts:
        return 0
    last = [path for path in parts if os.path.dirname(path) == os.path.dirname(parts[-1])]
    path = bench.dice.choice(last)
    size = os.path.getsize(path)
    how = bench.dice.randrange(3)
    if how == 0:
        os.truncate(path, bench.dice.randrange(size))
    elif how == 1:
        at = bench.dice.randrange(size)
        with open(path, "r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ (1 << bench.dice.randrange(8))]))
    else:
        os.remove(path)
    said = subprocess.run([bench.program, "validate", bench.path(name)], capture_output=True, text=True)
    check(said.returncode == 2, f"validate sees no damage of {path} ({how}): {said.stdout}")
    return 0


def out_of_memory(bench, name):
    """Devices that have less memory than they need, and processes that get no more."""
    since = time.monotonic()
    if bench.processes > 1 or bench.dice.random() < 0.5:
        process = bench.start(name, "--memory-limit", str(bench.dice.randrange(1, 200000)))
        status, said, took = bench.ended(process, since)
        check(status == 4, f"exit {status}: {said}")
        check(re.search(r"device \d.*: out of memory", said), f"it says: {said}")
    else:
        process = bench.start(name, wrapper=["prlimit", f"--as={bench.dice.randrange(1 << 26, 1 << 29)}"])
        status, said, took = bench.ended(process, since)
        check(status in (0, 1, 4, 127), f"exit {status}: {said}")
        if status == 4:
            check(re.search(r"device \d|thread|after the last step: out of memory", said), f"it says: {said}")
        elif status:  # too little even for the program's libraries or its first thread
            check(re.search("out of memory|allocate|create a thread|mapping", said), f"it says: {said}")
    bench.nobody_left(process)
    return took


FAULTS = {"kill": kill, "cancel": cancel, "full-disk": full_disk, "tiny-disk": tiny_disk, "damaged": damaged,
          "out-of-memory": out_of_memory, "stall": stall}
OF_SEVERAL = ("stall", )


def inflicted(bench, fault, times):
    """How many of its runs were not as they should be, and what is to be said of all."""
    took, resumed, said = [], [], []
    for turn in range(times):
        name = f"{fault}-{turn}"
        try:
            took.append(FAULTS[fault](bench, name))
            resumed.append(bench.goes_on(name))
        except Broken as why:
            said.append(f"{name}: {why}")
        shutil.rmtree(bench.path(name), ignore_errors=True)
    failures = len(said)
    said.append(f"{fault}: {len(resumed)} of {times} good; ended after {max(took, default=0):.2f} s at most; "
                f"went on from steps {min(resumed, default=0)} to {max(resumed, default=0)}; exit "
                f"{', '.join(f'{status} ({count} times)' for status, count in sorted(bench.statuses.items()))}")
    return failures, "\n".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=1)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--faults")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--mesh", default="", help="all, or some of " + ", ".join(MESHES))
    options = parser.parse_args()
    if options.processes > 1 and not shutil.which("mpirun"):
        print("SKIPPED: mpirun is not installed (openmpi-bin)")
        return SKIPPED
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_rmaps_base_oversubscribe="1")
    possible = [fault for fault in FAULTS if options.processes > 1 or fault not in OF_SEVERAL]
    faults = options.faults.split(",") if options.faults else possible
    print(f"seed {options.seed}")
    failures = 0
    if os.environ.get("PIPEDECK_NIGHTLY"):
        options.times = max(options.times, 20)
    for name in MESHES if options.mesh == "all" else options.mesh.split(","):
        kind = MESHES[name] if name else STAGES
        with tempfile.TemporaryDirectory(prefix="pipedeck-faults-") as folder:
            bench = Bench(os.path.abspath(options.program), folder, options.timeout, random.Random(options.seed),
                          options.processes, kind)
            print(f"{name or 'stages'}: an unbroken run of {kind.steps} steps takes {bench.duration:.2f} s")
            with concurrent.futures.ThreadPoolExecutor(options.together) as pool:
                for failed, said in pool.map(
                        lambda fault: inflicted(bench.of(fault, options.seed), fault, options.times), faults):
                    failures += failed
                    print(said, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
