#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens a second of a GPT on one GPU, here and in PyTorch where that is installed with CUDA: the same layers, batch,
loss and Adam, in fp32, tf32 and bf16 (PyTorch's autocast), here with CUDA graphs and without, there eager and compiled.
Rounds take turns; medians of all steps. With a cluster file the share of its first device type's peak is said: of the
operations of all products and of attention, forward and twice as many backward. What could not be measured is said,
with the reason, and has no number; what the time is not enough for is left out and said.

    tests/bench/gpt_on_gpu.py build/release/pipedeck-cli presets/models/2-gpt-2-124m.model.json --batch 8
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PRECISIONS = ("fp32", "tf32", "bf16")
WARM = 3


def pipedeck_times(program, model_file, model, batch, precision, steps, *more):
    layers = len(model["layers"]) - 1
    plan = {
        "format": "pipedeck.plan", "version": 1, "name": "benchmark", "planner": "hand", "profile": model["name"],
        "cluster": "GPU", "global_batch": batch, "micro_batch": batch, "micro_batches": 1, "schedule": "1f1b",
        "optimizer": "adam", "precision": "fp32", "stages": [{"layers": [0, layers], "devices": [0]}],
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan))
        run = subprocess.run(
            [program, "run", "--plan", file, "--model", model_file, "--backend", "cuda", "--precision", precision,
             "--steps", str(steps + WARM), "--events", "-", *more], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"status {run.returncode}")
    events = [json.loads(line) for line in run.stdout.splitlines()]
    return [event["duration_ms"] / 1e3 for event in events if event["event"] == "step"][WARM:]


def torch_on_gpu():
    """The module, or why it is not measured."""
    try:
        import torch
    except ImportError as error:
        return None, str(error)
    if not torch.cuda.is_available():
        return None, f"PyTorch {torch.__version__} finds no CUDA"
    return torch, ""


def operations_a_token(model):
    """Forward and backward, a multiplication and an addition each; of causal attention the half that is needed."""
    sum_ = 0
    for layer in model["layers"]:
        if layer["kind"] == "linear":
            sum_ += 2 * layer["in"] * layer["out"]
        elif layer["kind"] == "transformer":
            h, f = layer["hidden"], layer["feed_forward"]
            sum_ += 2 * (4 * h * h + 2 * h * f) + 4 * layer["sequence"] * h / (2 if layer["causal"] else 1)
    return 3 * sum_


def peaks_of(cluster):
    """Operations a second by precision, as the cluster's first device type has them."""
    if not cluster:
        return {}
    try:
        told = json.loads(Path(cluster).read_text())["device_types"][0].get("peak_tflops", {})
    except (OSError, ValueError, LookupError) as error:
        print(f"no shares of the peak: {cluster}: {error}")
        return {}
    return {name: value * 1e12 for name, value in told.items()}


def torch_training(torch, model, batch, precision, compiled):
    """A function that trains one step."""
    sys.path.insert(0, str(Path(__file__).parent))
    import tokens_beside_torch as ours
    functional = torch.nn.functional

    class Block(ours.Block):
        def __init__(self, sizes):
            super().__init__(sizes)
            self.causal = bool(sizes["causal"])

        def forward(self, x):
            samples, sequence, hidden = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(samples, sequence, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            context = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
            x = x + self.out(context.transpose(1, 2).reshape(samples, sequence, hidden))
            return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))

    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    layers = model["layers"][:-1]
    made = [Block(layer) if layer["kind"] == "transformer" else ours.torch_layer(layer) for layer in layers]
    net = torch.nn.Sequential(*made).cuda()
    run = torch.compile(net) if compiled else net
    optimizer = torch.optim.Adam(net.parameters(), lr=model["learning_rate"], fused=True)
    tokens = torch.randint(layers[0]["vocabulary"], (batch, layers[0]["sequence"])).cuda()
    targets = torch.randint(model["layers"][-1]["classes"], (tokens.numel(),)).cuda()

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            loss = functional.cross_entropy(run(tokens).flatten(0, 1), targets)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
    return step


class Torch:
    """Is made at the first round, and compiles once."""

    def __init__(self, torch, model, batch, precision, compiled):
        self.make = lambda: torch_training(torch, model, batch, precision, compiled)
        self.step = None

    def times(self, steps):
        if self.step is None:
            self.step = self.make()
        found = []
        for index in range(steps + WARM):
            start = time.perf_counter()
            self.step()
            if index >= WARM:
                found.append(time.perf_counter() - start)
        return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="pipedeck-cli of a release build")
    arguments.add_argument("model", help="a model file")
    arguments.add_argument("--batch", type=int, default=8, help="samples a step")
    arguments.add_argument("--steps", type=int, default=20, help="steps a round")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--cluster", help="of this GPU: its device type's peak_tflops")
    arguments.add_argument("--time-limit", type=float, default=math.inf, help="s; begin nothing more after that")
    given = arguments.parse_args()
    model = json.loads(Path(given.model).read_text())
    torch, why_not = torch_on_gpu()
    tokens = given.batch * model["layers"][0]["sequence"]
    if torch:
        print(f"PyTorch {torch.__version__}")
    print(f"{model['name']}, {given.batch} samples of {model['layers'][0]['sequence']} tokens a step, "
          f"median of {given.rounds} x {given.steps} steps")
    failed = False
    end = time.monotonic() + given.time_limit
    peaks, operations = peaks_of(given.cluster), operations_a_token(model)
    for precision in PRECISIONS:
        def ours(*more):
            return lambda: pipedeck_times(given.program, given.model, model, given.batch, precision, given.steps, *more)
        measured = {"Pipedeck": ours(), "Pipedeck, no graphs": ours("--no-graphs")}
        if torch:
            for compiled in (False, True) if hasattr(torch, "compile") else (False,):
                theirs = Torch(torch, model, given.batch, precision, compiled)
                measured[f"PyTorch, {'compiled' if compiled else 'eager'}"] = (
                    lambda theirs=theirs: theirs.times(given.steps))
        times = {name: [] for name in measured}
        reasons = {}
        for _ in range(given.rounds):
            for name, measure in measured.items():
                if name in reasons or time.monotonic() > end:
                    continue
                try:
                    times[name] += measure()
                except Exception as error:  # whatever a compiler of theirs throws
                    reasons[name] = (str(error).strip() or repr(error)).splitlines()[0]
                    failed = failed or name.startswith("Pipedeck")
        for name in measured:
            if name in reasons or not times[name]:
                print(f"{precision:5} {name:20} not measured: {reasons.get(name, 'no time was left')}", flush=True)
                continue
            step = statistics.median(times[name])
            share = operations * tokens / step / peaks[precision] if precision in peaks else None
            print(f"{precision:5} {name:20} {step * 1e3:9.2f} ms  {tokens / step:10,.0f} tokens/s"
                  f"  {f'{share:6.1%} of the peak' if share else 'peak not known'}  ({len(times[name])} steps)", flush=True)
        if not torch:
            print(f"{precision:5} {'PyTorch':20} not measured: {why_not}", flush=True)
        else:
            measured.clear()
            torch.cuda.empty_cache()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
