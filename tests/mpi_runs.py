#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of several processes under mpirun: what they compute, and what is left when one of them breaks.

usage: tests/mpi_runs.py PIPEDECK_CLI MPI_WORKER MPI_MODULE CASE
"""
import array
import glob
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from lossy_link import LossyLink
from runtime_faults import of_mesh, stage, values_of

SKIPPED = 77
PATIENCE = 240  # seconds; loaded machines are slow to start processes
CLI, WORKER, MODULE = sys.argv[1:4]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", LC_ALL="C.UTF-8", PIPEDECK_CLI=CLI)

PLAN = {
    "format": "pipedeck.plan", "version": 1, "name": "four stages", "planner": "hand", "profile": "mlp",
    "cluster": "here", "global_batch": 32, "micro_batch": 8, "micro_batches": 4, "schedule": "1f1b", "warmup": "A",
    "optimizer": "adam", "precision": "fp32", "zero": 0,
    "stages": [{"layers": [2 * i, 2 * i + 2], "devices": [i], "tensor_parallel": 1, "recompute": False}
               for i in range(4)]}


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def check(holds, what):
    if not holds:
        sys.exit(f"broken: {what}")


def run_arguments(*more, steps=10, plan="plan.json"):
    return [CLI, "run", "--plan", plan, "--model", "preset:mlp-small", "--backend", "cpu", "--steps", str(steps),
            *more]


def mpirun(processes, *arguments):
    return ["mpirun", "-q", "-n", str(processes), *arguments]


def finished(command):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE)
    print(" ".join(command), "->", done.returncode, done.stdout, done.stderr, sep="\n")
    return done


def losses(path):
    with open(path) as lines:
        events = [json.loads(line) for line in lines]
    return [event["loss"] for event in events if event["event"] == "step"]


def worker(processes, what, workers):
    done = finished(mpirun(processes, WORKER, MODULE, what, str(workers)))
    check(done.returncode == 0 and "all is well" in done.stdout, f"{what} on {processes} processes")
    return done.stdout


def exchange():
    for processes in (1, 2, 3):
        worker(processes, "exchange", 5)


def train_2():
    worker(2, "train", 1)


def train_4():
    worker(4, "train", 1)


def idle():
    used = [float(line.split()[1]) for line in worker(2, "idle", 2).splitlines() if line.startswith("idle")]
    check(len(used) == 2 and max(used) < 0.05, f"waiting takes {used} of a core")


def same_losses():
    finished(run_arguments("--events", "threads.jsonl"))
    for processes in (2, 4):
        name = f"mpi{processes}.jsonl"
        done = finished(mpirun(processes, *run_arguments("--events", name, "--transport", "mpi", "--timeline-every", "1")))
        check(done.returncode == 0, f"a run of {processes} processes")
        check(losses(name) == losses("threads.jsonl") and len(losses(name)) == 10, "the same losses")
        check(done.stdout.count("finished after 10 steps") == 1, "one process speaks")
        with open(name) as lines:
            timelines = [event for event in map(json.loads, lines) if event["event"] == "timeline"]
        check(len(timelines) == 10, "a timeline a step")
        text = json.dumps(timelines[-1])
        check(all(word in text for word in ("forward", "backward", "optimizer", "send")), "operations of all kinds")


def sampled():
    """Busy times and memory of all devices at an even rate, also within a step, whatever process they are in."""
    for processes in (2, 3):
        done = finished(mpirun(processes, *run_arguments("--events", "long.jsonl", "--sample-every", "20", "--transport",
                                                         "mpi", steps=300)))
        check(done.returncode == 0, f"a run of {processes} processes")
        samples = [event for event in events() if event["event"] == "sample"]
        times = [sample["time_ms"] for sample in samples]
        check(times == sorted(set(times)), "each later than the one before")
        check(len(samples) >= 0.5 * times[-1] / 20, f"{len(samples)} samples in {times[-1]} ms")
        check(all(len(sample[key]) == 4 for sample in samples for key in ("busy_fraction", "memory_bytes")), "of all devices")
        for device in range(4):
            busy = [sample["busy_fraction"][device] for sample in samples]
            check(0 <= min(busy) and 0 < max(busy) <= 1, f"busy times of device {device}")
            check(max(sample["memory_bytes"][device] for sample in samples) > 0, f"memory of device {device}")


def bad_input():
    for arguments, words in (
            (run_arguments("--transport", "mpi", "--steps", "none"), "--steps"),
            (run_arguments("--transport", "mpi", "--data", "text:nowhere"), "nowhere"),
            (run_arguments("--transport", "mpi", "--events", "no/such/folder"), "no/such/folder")):
        done = finished(mpirun(2, *arguments))
        check(done.stderr.count(words) == 1, f"{words} is reported once")
        check(done.returncode in (1, 2), "an exit status")
    done = finished(mpirun(5, *run_arguments("--transport", "mpi")))
    check(done.returncode == 2 and done.stderr.count("found 5 processes, expected 4 at most") == 1, "too many processes")
    other = mpirun(1, *run_arguments("--transport", "mpi")) + [":", "-n", "1"] + \
        run_arguments("--transport", "mpi", steps=11)
    done = finished(other)
    check(done.returncode == 2 and done.stderr.count("in another process than in the first") == 1, "other inputs")
    alone = finished(run_arguments("--transport", "mpi"))
    check(alone.returncode == 2 and "mpirun -n 2" in alone.stderr, "one process alone")


def near(found, expected):
    """Equal to 1e-5, relative to the expected values together."""
    check(len(found) == len(expected) > 0, f"{len(found)} values, not {len(expected)}")
    apart = math.sqrt(sum((a - b) ** 2 for a, b in zip(found, expected)))
    return apart <= 1e-5 * math.sqrt(sum(b * b for b in expected))


def weights_of(path):
    """The values of a safetensors file, all in fp32."""
    with open(path, "rb") as file:
        [header] = struct.unpack("<Q", file.read(8))
        file.seek(8 + header)
        return array.array("f", file.read())


def adapters():
    """A plan that is planned with adapters: processes train what one device trains, and it goes on there."""
    planned = ["--planner", "mesh", "--profile", "preset:llama-tiny", "--cluster", "preset:4 × RTX-4090",
               "--global-batch", "8", "--pp", "2", "--adapter-rank", "4"]
    check(finished([CLI, "plan", *planned, "-o", "mesh.json"]).returncode == 0, "a plan")
    with open("mesh.json") as file:
        plan = json.load(file)
    check(plan["training"]["adapters"]["rank"] == 4 and len(plan["stages"]) == 2, "adapters in two stages")
    alone = {key: value for key, value in plan.items() if key not in ("objective", "predicted", "certificate")}
    with open("one.json", "w") as file:
        json.dump(dict(alone, stages=[stage(0, plan["stages"][-1]["layers"][1], [0])]), file)
    asked = [CLI, "run", "--model", "preset:llama-tiny", "--backend", "cpu", "--plan"]
    whole = [*asked, "one.json", "--steps", "20", "--events", "one.jsonl"]
    check(finished([*whole, "--save-weights", "one.safetensors"]).returncode == 0, "one device")
    expected = losses("one.jsonl")
    done = finished(mpirun(4, *asked, "mesh.json", "--steps", "20", "--events", "mpi.jsonl", "--transport", "mpi",
                           "--save-weights", "mpi.safetensors"))
    check(done.returncode == 0 and near(losses("mpi.jsonl"), expected), "the losses of four processes")
    check(near(weights_of("mpi.safetensors"), weights_of("one.safetensors")), "frozen weights with merged adapters")
    done = finished(mpirun(2, *asked, "mesh.json", "--steps", "10", "--transport", "mpi", "--checkpoint", "kept"))
    check(done.returncode == 0, "a run of two processes")
    done = finished([*whole[:-1], "rest.jsonl", "--resume", "kept"])
    check(done.returncode == 0 and near(losses("rest.jsonl"), expected[10:]), "it goes on with one device")


class Started:
    """A long run under mpirun that has done some steps."""

    def __init__(self, *more, plan="plan.json", steps=1 << 26):
        self.start(mpirun(3, *run_arguments("--events", "long.jsonl", "--transport", "mpi", *more, steps=steps, plan=plan)))
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        self.ranks = [int(pid) for pid in open(children).read().split()]
        check(len(self.ranks) == 3, "three processes")
        self.broken = time.monotonic()

    def start(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open("long.err", "w"), env=ENVIRONMENT)
        end = time.monotonic() + PATIENCE
        while not (os.path.exists("long.jsonl") and len(open("long.jsonl").readlines()) > 20):
            check(self.process.poll() is None and time.monotonic() < end, open("long.err").read())
            time.sleep(0.05)

    def end(self):
        status = self.process.wait(timeout=PATIENCE)
        took = time.monotonic() - self.broken
        error = open("long.err").read()
        print(f"status {status} after {took:.1f} s", error, sep="\n")
        last = time.monotonic() + 30
        while any(os.path.exists(f"/proc/{pid}") for pid in self.ranks):
            check(time.monotonic() < last, "a process is left behind")
            time.sleep(0.05)
        os.remove("long.jsonl")
        return status, error, took


def killed():
    for victim in (0, 1, 2):
        run = Started()
        os.kill(run.ranks[victim], signal.SIGKILL)
        status, error, took = run.end()
        check(status == 128 + signal.SIGKILL, "mpirun's status of a killed process")
        check(f"process {run.ranks[victim]} on" in error and "has ended: it was killed" in error, "who was killed")
        check("pipedeck-cli: device " in error and " stage " in error or "between two steps" in error, "what it did")
        check(took < 30, "soon")


def stalled():
    for victim in (1, 0):
        run = Started("--timeout", "2")
        os.kill(run.ranks[victim], signal.SIGSTOP)
        status, error, took = run.end()
        check(status == 4, "a failed run's status")
        check(f"process {run.ranks[victim]} on" in error and "has been silent" in error, "who is silent")
        check("pipedeck-cli: device " in error, "which device")
        check(took < 30, "soon after the time-out")


def stopped():
    for number in (signal.SIGTERM, signal.SIGINT):
        run = Started()
        run.process.send_signal(number)
        _, error, _ = run.end()
        check(error.count("the run was stopped on request") == 1, "stopped, said once")
        check("does not end" not in error, "no other process is blamed")
        check(error.count("share") <= 1, "crowded cores, said once")
    run = Started()
    os.kill(run.ranks[1], signal.SIGTERM)
    status, error, _ = run.end()
    check(status == 130 and error.count("the run was stopped on request") == 1, "stopped through one process")


def events():
    with open("long.jsonl") as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]


def wait_for(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < end, what)
        time.sleep(0.02)


def checkpoints():
    finished(run_arguments("--checkpoint", "whole", "--events", "whole.jsonl", steps=30))
    done = finished(mpirun(4, *run_arguments("--checkpoint", "kept", "--transport", "mpi", steps=12)))
    check(done.returncode == 0 and values_of("kept")[0].endswith("12"), "a checkpoint of four processes")
    for processes, plan in ((2, "plan.json"), (1, "plan.json"), (2, "other.plan.json")):
        shutil.copytree("kept", "on")
        together = mpirun(processes) if processes > 1 else []
        transport = ("--transport", "mpi") if processes > 1 else ()
        done = finished([*together, *run_arguments("--resume", "on", "--checkpoint-every", "18", "--events", "on.jsonl",
                                                   *transport, steps=30, plan=plan)])
        check(done.returncode == 0, "it goes on")
        if plan == "plan.json":
            check(values_of("on") == values_of("whole"), "the same bits")
            check(losses("on.jsonl") == losses("whole.jsonl")[12:], "the same losses")
        else:
            pairs = zip(losses("on.jsonl"), losses("whole.jsonl")[12:], strict=True)
            check(all(abs(one - other) < 1e-4 * other for one, other in pairs), "another plan's losses, to rounding")
        shutil.rmtree("on")


def killed_with_checkpoints():
    for victim in (0, 2):
        run = Started("--checkpoint", "kept", "--checkpoint-every", "5")
        wait_for(lambda: sum(event["event"] == "checkpoint" for event in events()) > 2, "checkpoints")
        os.kill(run.ranks[victim], signal.SIGKILL)
        status, error, _ = run.end()
        check(status == 128 + signal.SIGKILL, "mpirun's status of a killed process")
        kept = re.search(r"resume with --resume kept \(step (\d+)\)", error)
        check(kept, "it says how to go on")
        steps = int(kept.group(1)) + 7
        done = finished(mpirun(3, *run_arguments("--resume", "kept", "--checkpoint-every", "100", "--transport", "mpi",
                                                 steps=steps)))
        check(done.returncode == 0, "it goes on")
        finished(run_arguments("--checkpoint", "whole", steps=steps))
        check(values_of("kept") == values_of("whole"), "the same bits")
        for folder in ("kept", "whole"):
            shutil.rmtree(folder)


def asynchronous():
    """Paused for longer than the time-out, resumed, and stopped through one of the processes: whole steps everywhere."""
    os.mkfifo("words")
    run = Started("--control", "words", "--timeout", "2", "--checkpoint", "kept", plan="stale.plan.json")

    def say(word):
        with open("words", "w") as words:
            words.write(word + "\n")

    for _ in range(2):
        paused = sum(event["event"] == "paused" for event in events())
        say("pause")
        wait_for(lambda: sum(event["event"] == "paused" for event in events()) > paused, "paused")
        then = len(events())
        time.sleep(3)
        check(len(events()) == then and run.process.poll() is None, "nothing is done while it is paused")
        say("resume")
        wait_for(lambda: len(events()) > then + 20, "it goes on")
    os.kill(run.ranks[1], signal.SIGTERM)
    status = run.process.wait(timeout=PATIENCE)
    done = [event for event in events() if event["event"] in ("step", "finished")]
    check(done[-1]["event"] == "finished" and done[-1]["stopped"], "it ended as asked for")
    steps = done[-1]["steps"]
    check(steps == len(done) - 1 == done[-2]["step"], "steps that were begun are finished")
    status, error, _ = run.end()
    check(status == 130 and error.count("the run was stopped on request") == 1, "stopped, said once")
    finished(run_arguments("--checkpoint", "whole", steps=steps, plan="stale.plan.json"))
    check(values_of("kept") == values_of("whole"), "the same bits as one that was neither paused nor stopped")


def hosts(**how):
    """Two hosts joined by a link (lossy_link.py); mpirun starts the second host's processes as by ssh."""
    if os.geteuid() != 0 or not shutil.which("ip") or not os.path.exists("/dev/net/tun"):
        skip("two network namespaces need root, the program ip and /dev/net/tun")
    try:
        return LossyLink(**how).__enter__()
    except OSError as error:
        skip(str(error))


def two_hosts():
    """The same losses as in one process, over a quick link, and over a slow one that loses frames."""
    finished(run_arguments("--events", "threads.jsonl"))
    for how in ({}, {"delay": 0.005, "loss": 0.01, "bytes_per_second": 12.5e6}):
        link = hosts(**how)
        try:
            done = finished(link.mpirun(*run_arguments("--events", "hosts.jsonl", "--transport", "mpi")))
            check(done.returncode == 0, "a run on two hosts")
            check(losses("hosts.jsonl") == losses("threads.jsonl"), "the same losses")
            check(link.carried > 100 and (link.lost > 0) == bool(how), f"{link.carried} frames, {link.lost} lost")
            if not how:
                names_seen = finished(link.mpirun("hostname")).stdout.split()
                check(sorted(names_seen) == ["first", "first", "second", "second"], "two hosts")
        finally:
            link.__exit__()


def two_hosts_mesh():
    """Job scripts of plans in several dimensions, as they stand, whose groups span both hosts: one process's losses."""
    halves = [stage(0, 4, [0, 2], tensor_parallel=2, sequence_parallel=True),
              stage(4, 8, [1, 3], tensor_parallel=2, sequence_parallel=True)]
    link = hosts(delay=0.001)
    try:
        for kind in (of_mesh("llama-tiny", halves),
                     of_mesh("llama-tiny", [stage(0, 8, "0-3", context_parallel=2, context_kind="ring")], micro_batch=2,
                             micro_batches=4, sharding={"level": 3}),
                     of_mesh("mixtral-tiny", [stage(0, 10, "0-3", expert_parallel=4)], sharding={"level": 2})):
            with open("mesh.json", "w") as file:
                json.dump(kind.plan, file)
            asked = ["--model", f"preset:{kind.model}", "--steps", "5"]
            done = finished([CLI, "run", "--plan", "mesh.json", *asked, "--backend", "cpu", "--events", "threads.jsonl"])
            check(done.returncode == 0, "a run in one process")
            done = finished([CLI, "export", "mesh.json", "job-mpirun", *asked, "--processes", "4", "-o", "job.sh"])
            check(done.returncode == 0, "a job script")
            before, folders = link.carried, set(glob.glob("broken-*"))
            check(finished(link.job("job.sh")).returncode == 0, "the job")
            [folder] = set(glob.glob("broken-*")) - folders
            check(losses(f"{folder}/events.jsonl") == losses("threads.jsonl"), "the same losses")
            check(link.carried > before + 100, "its groups span the hosts")
    finally:
        link.__exit__()


class StartedOnHosts(Started):
    """A long run on two hosts that keeps a checkpoint every 5 steps."""

    def __init__(self, link, timeout):
        self.start(link.mpirun(*run_arguments("--events", "long.jsonl", "--transport", "mpi", "--timeout", str(timeout),
                                              "--checkpoint", "kept", "--checkpoint-every", "5", steps=1 << 26)))
        wait_for(lambda: sum(event["event"] == "checkpoint" for event in events()) > 2, "checkpoints")
        # By host: the processes of a namespace that train.
        self.ranks = []
        for name in link.names:
            pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()
            self.ranks += [int(pid) for pid in pids if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(CLI)]
        check(len(self.ranks) == 4, f"four processes, not {self.ranks}")
        self.broken = time.monotonic()

    def resumed(self, link):
        """Goes on from the last checkpoint, with the same bits as a run that was never broken."""
        steps = int(values_of("kept")[0].split("-")[-1]) + 3
        done = finished(link.mpirun(*run_arguments("--resume", "kept", "--checkpoint-every", "100", "--transport", "mpi",
                                                   steps=steps)))
        check(done.returncode == 0, "it goes on")
        finished(run_arguments("--checkpoint", "whole", steps=steps))
        check(values_of("kept") == values_of("whole"), "the same bits")
        for folder in ("kept", "whole"):
            shutil.rmtree(folder)


def broken_hosts():
    """Faults on the second host and of the link: what is said, how soon, and what a run goes on from."""
    timeout = 3
    link = hosts(delay=0.002, loss=0.002, bytes_per_second=125e6)
    try:
        for fault in ("killed", "silent", "parted"):
            run = StartedOnHosts(link, timeout)
            if fault == "killed":
                os.kill(run.ranks[3], signal.SIGKILL)
            elif fault == "silent":
                os.kill(run.ranks[3], signal.SIGSTOP)
            else:
                link.cut = True
            if fault == "parted":  # mpirun reaches its daemon on the second host no more until the link heals
                wait_for(lambda: "process " in open("long.err").read(), "it is said while the hosts are parted")
                print(f"said after {time.monotonic() - run.broken:.1f} s")
                check(time.monotonic() - run.broken < timeout + 10, "said soon")
                link.cut = False
            status, error, took = run.end()
            check(status != 0 and "process " in error and "second" in error, "a process of the second host is named")
            check(took < 60, "an end")
            run.resumed(link)
        # A link that is gone for less than the time-out costs time alone.
        run = StartedOnHosts(link, 20)
        link.cut = True
        time.sleep(2)
        then = len(events())
        link.cut = False
        wait_for(lambda: len(events()) > then + 20, "it goes on when the link has healed")
        run.process.send_signal(signal.SIGTERM)
        status, error, took = run.end()
        check("the run was stopped on request" in error, "stopped")
        run.resumed(link)
    finally:
        link.__exit__()


def main():
    if not shutil.which("mpirun"):
        skip("mpirun is not installed (openmpi-bin)")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        two = [{"layers": [4 * i, 4 * i + 4], "devices": [i], "tensor_parallel": 1, "recompute": False} for i in range(2)]
        for name, plan in (("plan.json", PLAN), ("other.plan.json", dict(PLAN, stages=two)),
                           ("stale.plan.json", dict(PLAN, schedule="pipedream"))):
            with open(name, "w") as file:
                json.dump(plan, file)
        cases = (exchange, train_2, train_4, idle, same_losses, sampled, bad_input, killed, stalled, stopped, checkpoints,
                 killed_with_checkpoints, asynchronous, adapters, two_hosts, two_hosts_mesh, broken_hosts)
        next(case for case in cases if case.__name__ == sys.argv[4])()
    print("all is well")


main()
