#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loss of a GPT over some steps, here and in PyTorch: the same first weights, samples, loss and Adam, on a GPU or on
the processor. Both draw weights and samples from the model file's seeds (core/base/random.hpp), so that nothing is
handed over. In fp32 the first loss has to be the same to 1e-4 and the mean of the last ten to 5 %: training carries
roundings on, so that single steps go apart. --raw keeps every loss. Status 0: so it is; 1: not so; 77: PyTorch, or its CUDA, is not there.

    tests/bench/losses_beside_torch.py build/release/pipedeck-cli presets/models/17-gpt-bytes.model.json --device cpu
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

STEP = 0x9e3779b97f4a7c15
MASK = (1 << 64) - 1


def mix(value):
    value = (value + STEP) & MASK
    value = ((value ^ (value >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    value = ((value ^ (value >> 27)) * 0x94d049bb133111eb) & MASK
    return value ^ (value >> 31)


class Random:
    """SplitMix64, as pipedeck::Random."""

    def __init__(self, seed, stream):
        self.state = mix(mix(seed) ^ stream)

    def next(self):
        value = mix(self.state)
        self.state = (self.state + STEP) & MASK
        return value

    def below(self, bound):
        return self.next() % bound

    def bells(self, count):
        """So many values of mean 0 and variance 1."""
        import numpy
        with numpy.errstate(over="ignore"):
            v = numpy.uint64(self.state) + numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(STEP)
            v = (v ^ (v >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
            v = (v ^ (v >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
            v = v ^ (v >> numpy.uint64(31))
        self.state = (self.state + count * STEP) & MASK
        part = numpy.uint64(0xffff)
        total = sum(((v >> numpy.uint64(shift)) & part for shift in (16, 32, 48)), v & part)
        return (total.astype(numpy.float32) - numpy.float32(131070)) * numpy.float32(1.7320508 / 65536)


class Samples:
    """The noisy Markov chain of synthetic data (core/runtime/data/tokens.cpp)."""

    def __init__(self, seed, tokens, sequence):
        self.seed, self.sequence = seed, sequence
        self.successor = list(range(tokens))
        random = Random(seed, 0)
        for i in range(tokens, 1, -1):
            other = random.below(i)
            self.successor[i - 1], self.successor[other] = self.successor[other], self.successor[i - 1]

    def sample(self, number):
        random = Random(self.seed, 1 + number)
        token = random.below(len(self.successor))
        tokens = []
        for _ in range(self.sequence + 1):
            tokens.append(token)
            token = random.below(len(self.successor)) if random.below(10) == 0 else self.successor[token]
        return tokens


def first_weights(torch, layer, seed, number):
    """A layer's parameters, in the order in which they lie here; matrices are input x output."""
    random = Random(seed, number)

    def normal(deviation, *shape):
        return torch.from_numpy(random.bells(math.prod(shape))).reshape(shape) * deviation
    kind, h = layer["kind"], layer.get("hidden", 0)
    if kind == "embedding":
        return {"token": normal(0.02, layer["vocabulary"], h), "position": normal(0.02, layer["sequence"], h)}
    if kind == "layer_norm":
        return {"gain": torch.ones(h), "shift": torch.zeros(h)}
    if kind == "linear":
        inputs, outputs = layer["in"], layer["out"]
        return {"weight": normal(math.sqrt(1 / inputs), inputs, outputs), "bias": torch.zeros(outputs)}
    f = layer["feed_forward"]
    return {"gain1": torch.ones(h), "shift1": torch.zeros(h), "qkv": normal(0.02, h, 3 * h),
            "qkv_bias": torch.zeros(3 * h), "out": normal(0.02, h, h), "out_bias": torch.zeros(h),
            "gain2": torch.ones(h), "shift2": torch.zeros(h), "up": normal(0.02, h, f), "up_bias": torch.zeros(f),
            "down": normal(0.02, f, h), "down_bias": torch.zeros(h)}


def attention(torch, q, k, v, causal):
    functional = torch.nn.functional
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores + torch.full(scores.shape[-2:], -math.inf, device=scores.device).triu(1)
    return scores.softmax(-1) @ v


def forward(torch, layer, weights, x):
    functional = torch.nn.functional
    kind, w = layer["kind"], weights
    if kind == "embedding":
        return w["token"][x] + w["position"]
    if kind == "layer_norm":
        return functional.layer_norm(x, x.shape[-1:], w["gain"], w["shift"])
    if kind == "linear":
        return functional.linear(x, w["weight"].t(), w["bias"])
    samples, sequence, hidden = x.shape
    norm = functional.layer_norm(x, x.shape[-1:], w["gain1"], w["shift1"])
    q, k, v = functional.linear(norm, w["qkv"].t(), w["qkv_bias"]).view(
        samples, sequence, 3, layer["heads"], -1).permute(2, 0, 3, 1, 4)
    context = attention(torch, q, k, v, bool(layer["causal"])).transpose(1, 2).reshape(samples, sequence, hidden)
    x = x + functional.linear(context, w["out"].t(), w["out_bias"])
    norm = functional.layer_norm(x, x.shape[-1:], w["gain2"], w["shift2"])
    active = functional.gelu(functional.linear(norm, w["up"].t(), w["up_bias"]), approximate="tanh")
    return x + functional.linear(active, w["down"].t(), w["down_bias"])


def keep_raw(given, who, first_step, losses):
    if not given.raw:
        return
    with open(given.raw, "a", encoding="utf-8") as file:
        if file.tell() == 0:
            print("precision,who,step,loss", file=file)
        for index, loss in enumerate(losses):
            print(f"{given.precision},{who},{first_step + index + 1},{loss!r}", file=file)


def torch_losses(torch, model, given):
    layers = model["layers"][:-1]
    torch.backends.cuda.matmul.allow_tf32 = given.precision == "tf32"
    weights = [{name: value.to(given.device).requires_grad_() for name, value in
                first_weights(torch, layer, model["seed"], number).items()} for number, layer in enumerate(layers)]
    optimizer = torch.optim.Adam([value for layer in weights for value in layer.values()], lr=model["learning_rate"])
    samples = Samples(model["data"]["seed"], min(layers[0]["vocabulary"], model["layers"][-1]["classes"]),
                      layers[0]["sequence"])
    losses = []
    for step in range(given.steps):
        drawn = torch.tensor([samples.sample(step * given.batch + i) for i in range(given.batch)], device=given.device)
        x = drawn[:, :-1]
        with torch.autocast(given.device, torch.bfloat16, enabled=given.precision == "bf16"):
            for layer, own in zip(layers, weights):
                x = forward(torch, layer, own, x)
            loss = torch.nn.functional.cross_entropy(x.float().flatten(0, 1), drawn[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        keep_raw(given, "PyTorch", step, losses[-1:])
    return losses


def own_losses(model, given):
    last = len(model["layers"]) - 1
    plan = {
        "format": "pipedeck.plan", "version": 1, "name": "losses", "planner": "hand", "profile": model["name"],
        "cluster": "here", "global_batch": given.batch, "micro_batch": given.batch, "micro_batches": 1,
        "schedule": "1f1b", "optimizer": "adam", "precision": "fp32", "stages": [{"layers": [0, last], "devices": [0]}],
    }
    more = ["--backend", "cuda", "--precision", given.precision] if given.device == "cuda" else ["--backend", "cpu"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan))
        ended = subprocess.run([given.program, "run", "--plan", file, "--model", given.model, "--steps",
                                str(given.steps), "--events", "-", *more], capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"Pipedeck: status {ended.returncode}: {ended.stderr.strip()[-400:]}")
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    losses = [event["loss"] for event in events if event["event"] == "step"]
    keep_raw(given, "Pipedeck", 0, losses)
    return losses


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="pipedeck-cli")
    arguments.add_argument("model", help="a GPT's model file, of synthetic data")
    arguments.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    arguments.add_argument("--precision", choices=("fp32", "tf32", "bf16"), default="fp32")
    arguments.add_argument("--batch", type=int, default=4, help="samples per step")
    arguments.add_argument("--steps", type=int, default=100)
    arguments.add_argument("--raw", help="a CSV file to which every loss is added as it is known")
    given = arguments.parse_args()
    model = json.loads(Path(given.model).read_text())
    ours = own_losses(model, given)
    try:
        import torch
        why_not = "" if given.device == "cpu" or torch.cuda.is_available() else "PyTorch finds no CUDA"
    except ImportError as error:
        why_not = str(error)
    if why_not:
        print(f"Pipedeck alone: {ours[0]:.5f} at first, {ours[-1]:.5f} after {given.steps} steps; "
              f"PyTorch was not run: {why_not}")
        sys.exit(77)
    theirs = torch_losses(torch, model, given)
    print(f"{model['name']}, {given.precision} on {given.device}, {given.batch} samples per step, PyTorch "
          f"{torch.__version__}\n step   Pipedeck    PyTorch  apart")
    for step in sorted({0, 1, 2, 4, 9, 19, 49, 74, given.steps - 1}):
        if step < given.steps:
            print(f"{step + 1:5} {ours[step]:10.5f} {theirs[step]:10.5f} {abs(ours[step] / theirs[step] - 1):8.1e}")
    first = abs(ours[0] / theirs[0] - 1)
    tail = min(10, given.steps)
    last = abs(sum(ours[-tail:]) / sum(theirs[-tail:]) - 1)
    most = 1e-4 if given.precision == "fp32" else 1e-2
    print(f"apart: {first:.1e} at first (at most {most:.0e}), {last:.1e} in the last {tail} steps' mean (at most 5e-02)")
    sys.exit(0 if first <= most and last <= 0.05 else 1)


if __name__ == "__main__":
    main()
