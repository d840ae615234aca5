#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every member of a good plan and of a good model file removed, or replaced by what does not belong there; files that
are empty, cut off or no text; and plans that do not fit the model. Whatever it is: exit status 0 or 2, an error that
names the file, and no new file. validate is given many changed files at once, and reports each as good or bad.

usage: tests/bad_inputs.py PIPEDECK_CLI

Where PIPEDECK_NIGHTLY is not set, a program is started for each fourth of these files only.
"""
import concurrent.futures
import copy
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

CLI = os.path.abspath(sys.argv[1])
PATIENCE = 120  # seconds; a loaded machine is slow to start processes
MEMORY = 4 << 30  # bytes of address space: a size that is believed must not take the machine with it
TOGETHER = 50  # files that one validate reads
STEP = 1 if "PIPEDECK_NIGHTLY" in os.environ else 4

PLAN = {
    "format": "pipedeck.plan", "version": 1, "name": "three stages", "planner": "hand", "profile": "tiny",
    "cluster": "here", "global_batch": 16, "micro_batch": 4, "micro_batches": 4, "schedule": "1f1b", "warmup": "A",
    "optimizer": "adam", "precision": "fp32", "zero": 0,
    "stages": [
        {"layers": [0, 2], "devices": [0, 1], "tensor_parallel": 1, "recompute": False, "shares": [1, 3]},
        {"layers": [2, 4], "devices": [2, 3], "tensor_parallel": 2, "recompute": True, "shards": [0.5, 0.5]},
        {"layers": [4, 5], "devices": [4], "tensor_parallel": 1, "recompute": False}]}

MODEL = {
    "format": "pipedeck.model", "version": 1, "name": "tiny", "source": "made up", "trainable_here": True,
    "learning_rate": 0.001, "seed": 7, "data": {"kind": "synthetic", "seed": 3},
    "layers": [
        {"name": "tokens", "kind": "embedding", "vocabulary": 16, "hidden": 8, "sequence": 4},
        {"name": "block", "kind": "transformer", "hidden": 8, "heads": 2, "feed_forward": 16, "sequence": 4, "causal": 1},
        {"name": "wide", "kind": "linear", "in": 8, "out": 8, "sequence": 4, "activation": 1},
        {"name": "narrow", "kind": "linear", "in": 8, "out": 8, "sequence": 4},
        {"name": "classes", "kind": "linear", "in": 8, "out": 16, "sequence": 4},
        {"name": "loss", "kind": "softmax_cross_entropy", "classes": 16, "sequence": 4}]}

IMAGES = {
    "format": "pipedeck.model", "version": 1, "name": "images", "source": "made up", "trainable_here": True,
    "learning_rate": 0.001, "seed": 7, "data": {"kind": "synthetic", "seed": 3},
    "layers": [
        {"name": "edges", "kind": "convolution", "in": 1, "out": 4, "kernel": 3, "stride": 1, "padding": 1, "height": 4,
         "width": 4, "activation": 0, "bias": 0},
        {"name": "norm", "kind": "batch_norm", "channels": 4, "height": 4, "width": 4, "activation": 1},
        {"name": "block", "kind": "residual", "in": 4, "out": 4, "stride": 1, "height": 4, "width": 4},
        {"name": "pool", "kind": "max_pool", "channels": 4, "kernel": 2, "stride": 2, "padding": 0, "height": 4, "width": 4},
        {"name": "mean", "kind": "global_average_pool", "channels": 4, "height": 2, "width": 2},
        {"name": "row", "kind": "lstm", "in": 4, "hidden": 4, "sequence": 1, "directions": 1},
        {"name": "classes", "kind": "linear", "in": 4, "out": 4},
        {"name": "loss", "kind": "softmax_cross_entropy", "classes": 4}]}

GOOD = {"plan.json": PLAN, "tiny.model.json": MODEL, "images.model.json": IMAGES}

REMOVED = object()
REPLACEMENTS = (("removed", REMOVED), ("null", None), ("-1", -1), ("0", 0), ("1e300", 1e300), ("2^40", 1 << 40),
                ("0.5", 0.5), ("x", "x"), ("[]", []), ("{}", {}), ("true", True))


class Broken(Exception):
    """What should hold does not."""


def members(value, place=()):
    """The places of everything that an object or a list holds, at any depth."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*place, key)
        yield from members(inner, (*place, key))


def with_member(document, place, replacement):
    changed = copy.deepcopy(document)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    if replacement is REMOVED:
        del holder[place[-1]]
    else:
        holder[place[-1]] = replacement
    return changed


def mutations(document):
    for place in members(document):
        for name, replacement in REPLACEMENTS:
            yield f"/{'/'.join(map(str, place))} {name}", json.dumps(with_member(document, place, replacement)).encode()
        if isinstance(place[-1], int):  # an element twice
            changed = copy.deepcopy(document)
            holder = changed
            for key in place[:-1]:
                holder = holder[key]
            holder.insert(place[-1], copy.deepcopy(holder[place[-1]]))
            yield f"/{'/'.join(map(str, place))} twice", json.dumps(changed).encode()


def no_documents(document):
    """Files that are none."""
    good = json.dumps(document).encode()
    yield "empty", b""
    yield "a space", b" "
    for part in (1, 2, 3):
        yield f"cut off after {part} of 4 parts", good[:len(good) * part // 4]
    yield "no UTF-8", good.replace(b'"name": "', b'"name": "\xff\xfe', 1)
    yield "NUL", good[:40] + b"\0" + good[40:]
    yield "NaN", re.sub(rb'"version": 1', b'"version": NaN', good)
    yield "Infinity", re.sub(rb'"version": 1', b'"version": Infinity', good)
    yield "a number without end", re.sub(rb'"version": 1', b'"version": 1' + b"0" * 5000, good)
    yield "a member twice", good.replace(b'"version": 1', b'"version": 1, "version": 1', 1)
    yield "more behind the end", good + b"{}"
    yield "a list", b"[" + good + b"]"
    yield "deep", b"[" * 100000
    yield "another format", good.replace(b'"pipedeck.', b'"pipedeck.other_', 1)
    yield "a later version", good.replace(b'"version": 1', b'"version": 99', 1)


LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10 if n else b"ha" * 10) for n in range(10))
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "topology")


def hostile_imports():
    """Files of other programs that convert refuses: sizes, depths and counts that nobody's machines have."""
    yield "lstopo laughs", b"<!DOCTYPE topology [" + LAUGHS + b']><topology version="2.0"><object type="&l9;"/></topology>'
    yield "lstopo deep", b'<topology version="2.0">' + b"<object>" * 500000
    yield "lstopo closed deep", b'<topology version="2.0">' + b"<object>" * 100000 + b"</object>" * 100000 + b"</topology>"
    yield "lstopo large", b'<topology version="2.0">' + b"<a/>" * (5 << 20) + b"</topology>"
    yield "NCCL laughs", b"<!DOCTYPE system [" + LAUGHS + b']><system version="1"><cpu host_hash="&l9;"/></system>'
    yield "Slurm's hosts", b"NodeName=n[0-999999999] Gres=gpu:8"
    yield "Slurm's hosts squared", b"NodeName=" + b"n[0-999]" * 20 + b" Gres=gpu:8"
    yield "Slurm's GPUs", b"NodeName=n[1-60000] Gres=gpu:256"
    yield "Slurm's cycle", b"".join(b"SwitchName=s%d Switches=s%d\n" % (n, (n + 1) % 40000) for n in range(40000))
    yield "Slurm's chain", b"".join(b"SwitchName=s%d Switches=s%d\n" % (n, n + 1) for n in range(40000)) + b"SwitchName=s40000 Nodes=n"
    yield "table too wide", b"GB/s" + b"".join(b",d%d" % n for n in range(200000)) + b"\nd0" + b",1" * 200000
    yield "table too long", b"GB/s,a,b\n" + b"a,1,1\n" * 1000000
    yield "an open quote", b'GB/s,a,b\na,0,"' + b"1\n" * 1000000
    for name in sorted(os.listdir(FIXTURES)):
        with open(os.path.join(FIXTURES, name), "rb") as file:
            good = file.read()
        yield f"{name}: half", good[:len(good) // 2] + b"\xff"
        yield f"{name}: NUL", good[:len(good) // 3] + b"\0" + good[len(good) // 3:]


def limit():
    """Of this program, which its children inherit: a child that limits itself makes Python copy itself first."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def files_of(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, folders, names in os.walk(folder) for name in (*folders, *names))


def ran(files, arguments):
    """The exit status, what was said, what was written, and which files are new."""
    with tempfile.TemporaryDirectory(prefix="pipedeck-bad-") as folder:
        for path, content in files.items():
            with open(os.path.join(folder, path), "wb") as file:
                file.write(content)
        before = files_of(folder)
        done = subprocess.run([CLI, *arguments], cwd=folder, capture_output=True, timeout=PATIENCE,
                              env=dict(os.environ, LC_ALL="C.UTF-8"))
        return (done.returncode, done.stderr.decode(errors="replace"), done.stdout.decode(errors="replace"),
                sorted(set(files_of(folder)) - set(before)))


def good_files():
    return {path: json.dumps(document).encode() for path, document in GOOD.items()}


def names(said, file):
    return any(line.startswith(f"pipedeck-cli: {file}") for line in said.splitlines())


def judged(case):
    """Whether one command refused one changed file, and what is wrong with how it did."""
    name, changed, content, arguments = case
    what = f"{name}: {arguments[0]}"
    try:
        status, said, _, new = ran({**good_files(), changed: content}, arguments)
    except subprocess.TimeoutExpired:
        return True, f"{what} hangs"
    if status == 0:
        return False, None
    if status != 2:
        return True, f"{what}: exit {status}: {said}"
    # A plan and a model that do not fit together: either is to blame.
    if not any(names(said, file) for file in (changed, "plan.json")):
        return True, f"{what} does not name {changed}: {said}"
    return True, f"{what} leaves {new}" if new else None


def judged_together(cases):
    """As judged, of many changed files that one validate reads. Where it does not report each, each is read alone."""
    files = {f"{number:03}-{changed}": content for number, (_, changed, content, _) in enumerate(cases)}
    try:
        status, said, written, new = ran(files, ("validate", *files))
    except subprocess.TimeoutExpired:
        return alone(cases, "hangs")
    refused = [names(said, file) for file in files]
    taken = [any(line.startswith(f"{file}: ") for line in written.splitlines()) for file in files]
    if status not in (0, 2) or (status == 2) != any(refused) or new or any(map(lambda a, b: a == b, refused, taken)):
        return alone(cases, f"exit {status}, leaves {new}: {said}")
    return [(is_bad, None) for is_bad in refused]


def alone(cases, together):
    answers = [judged(case) for case in cases]
    if not any(what for _, what in answers):
        answers[0] = True, f"validate of {len(cases)} files from {cases[0][0]} on: {together}"
    return answers


RUN = ("run", "--backend", "cpu", "--steps", "1", "--timeout", "20", "--events", "run.jsonl", "--checkpoint", "kept")
TRAIN = (*RUN, "--plan", "plan.json", "--model", "tiny.model.json")
PROFILE = ("profile", "--backend", "cpu", "--micro-batch", "2", "--repetitions", "1", "--time-limit", "0.001",
           "-o", "made.profile.json", "--cluster-out", "made.cluster.json")


def cases():
    for name, content in (*no_documents(PLAN), *mutations(PLAN)):
        yield f"plan: {name}", "plan.json", content, TRAIN
    for name, content in no_documents(PLAN):
        yield f"plan: {name}", "plan.json", content, ("validate", "plan.json")
    for file in ("tiny.model.json", "images.model.json"):
        for name, content in (*no_documents(GOOD[file]), *mutations(GOOD[file])):
            if file == "tiny.model.json":
                yield f"{file}: {name}", file, content, TRAIN
            yield f"{file}: {name}", file, content, (*PROFILE, "--model", file)
        for name, content in no_documents(GOOD[file]):
            yield f"{file}: {name}", file, content, ("validate", file)
    for name, content in hostile_imports():
        yield f"import: {name}", "found", content, ("convert", "found", "made.json")


def cases_together():
    for file, document in GOOD.items():
        changed = [(f"{file}: {name}", file, content, ("validate", file)) for name, content in mutations(document)]
        for first in range(0, len(changed), TOGETHER):
            yield changed[first:first + TOGETHER]


def main():
    limit()
    broken = []
    for arguments in (TRAIN, (*PROFILE, "--model", "tiny.model.json"), (*PROFILE, "--model", "images.model.json"),
                      ("validate", *GOOD)):
        status, said, _, _ = ran(good_files(), arguments)
        if status != 0:
            broken.append(f"the good files: {arguments}: exit {status}: {said}")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        together = pool.map(judged_together, cases_together())
        answers = [*pool.map(judged, itertools.islice(cases(), 0, None, STEP)), *(answer for some in together for answer in some)]
    broken += [what for _, what in answers if what]
    for what in broken:
        print(what)
    print(f"{len(answers)} cases, {sum(refused for refused, _ in answers)} refused, {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
