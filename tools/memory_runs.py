#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted memory against real runs: random small models are profiled, planned and trained on this machine's threads
by the command line, and each device's peak is held against the estimate and the upper estimate.

usage: tools/memory_runs.py PIPEDECK-CLI [CASES] [SEED]

With 0 cases it takes the presets that train here, on two devices, under every kind of plan.
A row a case, then a table of the kinds. Exit status 1 where a run was above the upper estimate.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

SHAPES = [("gpipe", ["--planner", "gpipe"], []), ("1f1b", ["--planner", "gpipe"], ["--schedule", "1f1b"]),
          ("dapple", ["--planner", "dapple"], []), ("zb-h1", ["--planner", "gpipe"], ["--schedule", "zb-h1"]),
          ("zb-h2", ["--planner", "gpipe"], ["--schedule", "zb-h2"]),
          ("replicas", ["--planner", "megatron", "--pp", "2", "--dp", "2"], []),
          ("data parallel", ["--planner", "data-parallel"], []), ("one device", ["--planner", "single"], [])]


def loss(classes, sequence=1):
    return {"name": "loss", "kind": "softmax_cross_entropy", "classes": classes, "sequence": sequence}


def mlp(rng):
    width, classes, count = rng.randrange(16, 400), rng.randrange(2, 50), rng.randrange(4, 12)
    layers, size = [], rng.randrange(8, 500)
    for i in range(count):
        out = classes if i == count - 1 else rng.choice([width, rng.randrange(8, 400)])
        layers.append({"name": f"fc{i}", "kind": "linear", "in": size, "out": out, "sequence": 1,
                       "activation": 0 if i == count - 1 else rng.randrange(3)})
        size = out
    return layers + [loss(classes)]


def gpt(rng):
    heads = rng.choice([1, 2, 4])
    hidden, sequence, words = heads * rng.choice([8, 16, 24]), rng.choice([4, 9, 16, 32]), rng.randrange(8, 200)
    layers = [{"name": "tokens", "kind": "embedding", "vocabulary": words, "hidden": hidden, "sequence": sequence}]
    for i in range(rng.randrange(3, 7)):
        layers.append({"name": f"block{i}", "kind": "transformer", "hidden": hidden, "heads": heads,
                       "feed_forward": hidden * rng.choice([2, 4]), "sequence": sequence, "causal": rng.randrange(2)})
    layers.append({"name": "norm", "kind": "layer_norm", "hidden": hidden, "sequence": sequence})
    layers.append({"name": "head", "kind": "linear", "in": hidden, "out": words, "sequence": sequence, "activation": 0})
    return layers + [loss(words, sequence)]


class Refused(Exception):
    pass


def call(cli, *arguments):
    done = subprocess.run([cli, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip().split("\n")[-1])


def peaks(cli, folder, model, micro_batch, count, devices, shape, optimizer, recomputed=()):
    """(estimate, upper estimate, usual, most) of each device, in bytes. `recomputed`: whether, by stage."""
    files = {name: os.path.join(folder, name + ".json") for name in ("profile", "cluster", "plan", "sim")}
    _, planner, schedule = shape
    call(cli, "profile", "--model", model, "--backend", "cpu", "--micro-batch", max(2, micro_batch), "-o",
         files["profile"], "--cluster-out", files["cluster"], "--devices", devices)
    inputs = ["--profile", files["profile"], "--cluster", files["cluster"]]
    call(cli, "plan", *inputs, *planner, *schedule, "--global-batch", micro_batch * count, "--micro-batch", micro_batch,
         "--optimizer", optimizer, "--min-slice", 1, "-o", files["plan"])
    if recomputed:
        with open(files["plan"]) as text:
            plan = json.load(text)
        for stage, again in zip(plan["stages"], recomputed):
            stage["recompute"] = again
        with open(files["plan"], "w") as text:
            json.dump(plan, text)
    call(cli, "simulate", *inputs, "--plan", files["plan"], "--overlap", "none", "-o", files["sim"])
    events = os.path.join(folder, "events.jsonl")
    call(cli, "run", "--plan", files["plan"], "--model", model, "--backend", "cpu", "--steps", 7, "--events", events)
    with open(events) as lines:
        steps = [event["memory_bytes"] for event in map(json.loads, lines) if event["event"] == "step"]
    with open(files["sim"]) as text:
        predicted = json.load(text)["devices"]
    return [(d["peak_memory_bytes"], d["peak_memory_upper_bytes"], statistics.median_low(s[i] for s in steps),
             max(s[i] for s in steps)) for i, d in enumerate(predicted)]


def random_cases(rng, cases):
    """Kind, shape, text and how to run it."""
    for _ in range(cases):
        kind, make = rng.choice([("mlp", mlp), ("gpt", gpt)])
        shape = rng.choice(SHAPES)
        model = json.dumps({"format": "pipedeck.model", "version": 1, "name": kind, "seed": 1, "learning_rate": 0.001,
                            "data": {"kind": "synthetic", "seed": 1}, "layers": make(rng)})
        micro_batch, count, devices = rng.choice([1, 2, 4, 6, 8]), rng.choice([2, 3, 4, 6, 8]), rng.choice([2, 3, 4])
        if shape[0] == "replicas":
            devices = 4
        if shape[0] in ("replicas", "data parallel"):
            micro_batch *= devices
        optimizer = rng.choice(["none", "sgd", "momentum", "rmsprop", "adam"])
        recomputed = [rng.choice([True, True, False]) for _ in range(devices)] if rng.random() < 0.25 else []
        text = f"{devices} devices, {count} x {micro_batch}, {optimizer}" + (", recompute" if recomputed else "")

        def run(cli, folder):
            file = os.path.join(folder, "model.json")
            with open(file, "w") as out:
                out.write(model)
            return peaks(cli, folder, file, micro_batch, count, devices, shape, optimizer, recomputed)
        yield kind, shape[0], text, run


PRESETS = [("mlp-small", 64, (8, 16)), ("gpt-tiny", 16, (2, 4)), ("gpt-bytes", 16, (4,)), ("bert-tiny", 16, (4,)),
           ("vgg-tiny", 32, (8,)), ("resnet-tiny", 16, (4,)), ("gnmt-tiny", 16, (4,)), ("wide-tiny", 32, (8,))]


def preset_cases():
    for model, batch, sizes in PRESETS:
        for micro_batch in sizes:
            for shape in SHAPES:
                if shape[0] == "replicas":
                    continue  # four devices
                samples = micro_batch * (2 if shape[0] == "data parallel" else 1)

                def run(cli, folder):
                    return peaks(cli, folder, "preset:" + model, samples, batch // samples, 2, shape, "adam")
                yield model, shape[0], f"2 devices, {batch // samples} x {samples}", run


def main():
    cli, cases = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    table, beyond = {}, 0
    for case, (kind, shape, text, run) in enumerate(random_cases(rng, cases) if cases else preset_cases()):
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows = run(cli, folder)
            except Refused as why:
                print(f"{case:3}  refused: {why}")
                continue
        off = [100 * (peak - usual) / usual for peak, _, usual, _ in rows]
        above = sum(most > upper for _, upper, _, most in rows)
        beyond += above
        print(f"{case:3}  {kind:12} {shape:13} {text:42} estimate {min(off):+6.2f} to {max(off):+6.2f} %, upper "
              f"{min(100 * (u - m) / m for _, u, _, m in rows):+6.2f} %" + (f"  ABOVE THE UPPER: {rows}" if above else ""),
              flush=True)
        for key in (kind, shape):
            table.setdefault(key, []).extend(
                (o, 100 * (upper - most) / most) for o, (_, upper, _, most) in zip(off, rows))
    print("\n| | devices | estimate against most steps | within 2 % and not below | upper estimate above the most |")
    print("|---|---|---|---|---|")
    for key, values in table.items():
        exact = sum(-1e-9 <= o <= 2 for o, _ in values)
        print(f"| {key} | {len(values)} | {min(o for o, _ in values):+.2f} to {max(o for o, _ in values):+.2f} % | "
              f"{exact} | {min(u for _, u in values):+.2f} % and more |")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
