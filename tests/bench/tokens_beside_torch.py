#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens a second of a GPT here and in PyTorch, on the same cores: the same layers, batch, loss and Adam, in fp32.

PyTorch trains the whole model in one process on as many threads as there are cores. Here the cores are the devices of
a plan: one, two replicas, two stages. Rounds take turns, so that a disturbed moment meets all; medians of all steps.

    tests/bench/tokens_beside_torch.py build/release/pipedeck-cli presets/models/5-gpt-tiny.model.json --batch 32
"""
import argparse
import json
import math
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Pre-norm transformer block: GPT-2's, as core/runtime/cpu/transformer.cpp computes it."""

    def __init__(self, sizes):
        super().__init__()
        hidden, self.heads = sizes["hidden"], sizes["heads"]
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, sizes["feed_forward"]), nn.Linear(sizes["feed_forward"], hidden)
        mask = torch.full((sizes["sequence"], sizes["sequence"]), -math.inf).triu(1)
        self.register_buffer("mask", mask if sizes["causal"] else torch.zeros_like(mask))

    def forward(self, x):
        batch, sequence, hidden = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, sequence, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + self.mask
        context = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, sequence, hidden)
        x = x + self.out(context)
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Embedding(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.token = nn.Embedding(sizes["vocabulary"], sizes["hidden"])
        self.position = nn.Embedding(sizes["sequence"], sizes["hidden"])

    def forward(self, tokens):
        return self.token(tokens) + self.position.weight


def torch_layer(layer):
    kind = layer["kind"]
    if kind == "embedding":
        return Embedding(layer)
    if kind == "transformer":
        return Block(layer)
    if kind == "layer_norm":
        return nn.LayerNorm(layer["hidden"])
    if kind == "linear" and not layer.get("activation", 0):
        return nn.Linear(layer["in"], layer["out"])
    raise SystemExit(f"layer '{layer['name']}': kind {kind} has no counterpart here, expected a GPT's")


class Torch:
    def __init__(self, model, batch, threads):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        layers = model["layers"][:-1]
        self.net = nn.Sequential(*map(torch_layer, layers))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=model["learning_rate"])
        first = layers[0]
        self.tokens = torch.randint(first["vocabulary"], (batch, first["sequence"]))
        self.targets = torch.randint(model["layers"][-1]["classes"], (batch * first["sequence"],))

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        logits = self.net(self.tokens)
        functional.cross_entropy(logits.flatten(0, 1), self.targets).backward()
        self.optimizer.step()

    def times(self, steps):
        for _ in range(3):
            self.step()
        found = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            found.append(time.perf_counter() - start)
        return found


def stages(layers, cut, devices):
    """Of `layers` layers: one stage on all devices, or two with the cut between."""
    if cut is None:
        return [{"layers": [0, layers], "devices": devices}]
    return [{"layers": [0, cut], "devices": devices[:1]}, {"layers": [cut, layers], "devices": devices[1:]}]


def plan_of(model, batch, micro_batch, cut, devices):
    return {
        "format": "pipedeck.plan", "version": 1, "name": "benchmark", "planner": "hand",
        "profile": model["name"], "cluster": "cores", "global_batch": batch, "micro_batch": micro_batch,
        "micro_batches": batch // micro_batch, "schedule": "1f1b", "optimizer": "adam", "precision": "fp32",
        "stages": stages(len(model["layers"]) - 1, cut, devices),
    }


def pipedeck_times(program, model_file, plan, steps):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan))
        lines = subprocess.run(
            [program, "run", "--plan", file, "--model", model_file, "--backend", "cpu", "--steps", str(steps + 3),
             "--events", "-"], check=True, capture_output=True, text=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    return [e["duration_ms"] / 1e3 for e in events if e["event"] == "step"][3:]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="pipedeck-cli of a release build")
    arguments.add_argument("model", help="a model file")
    arguments.add_argument("--batch", type=int, default=32, help="samples per step")
    arguments.add_argument("--steps", type=int, default=20, help="steps a round")
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    model = json.loads(Path(given.model).read_text())
    layers, batch = len(model["layers"]) - 1, given.batch
    plans = {
        "Pipedeck, 1 core": plan_of(model, batch, batch, None, [0]),
        "Pipedeck, 2 cores as replicas": plan_of(model, batch, batch, None, [0, 1]),
        "Pipedeck, 2 cores as stages": plan_of(model, batch, max(1, batch // 8), layers // 2, [0, 1]),
    }
    found = {}
    for _ in range(given.rounds):
        for threads in (1, 2):
            name = f"PyTorch {torch.__version__}, {threads} core{'s' * (threads > 1)}"
            found.setdefault(name, []).extend(Torch(model, batch, threads).times(given.steps))
        for name, plan in plans.items():
            found.setdefault(name, []).extend(pipedeck_times(given.program, given.model, plan, given.steps))
    tokens = batch * model["layers"][0]["sequence"]
    print(f"{model['name']}, {batch} samples of {model['layers'][0]['sequence']} tokens a step, "
          f"median of {given.rounds} x {given.steps} steps")
    for name, times in found.items():
        step = statistics.median(times)
        print(f"{name:32} {step * 1e3:9.2f} ms  {tokens / step:10,.0f} tokens/s")


if __name__ == "__main__":
    main()
