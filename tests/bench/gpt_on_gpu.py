#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens a second of a GPT on one GPU, here and in PyTorch where that is installed with CUDA: the same layers, batch,
loss and Adam, here with CUDA graphs and without, there eager and compiled. bf16 comes first: at each batch size, and
the first batch size once more as micro-batches of one sample. tf32 and fp32 follow, then what PyTorch compiles anew.
Rounds take turns; medians of all steps. A row is printed when its rounds are over; --raw keeps each round as it ends.
With a cluster file the share of its first device type's peak is printed: of the operations of all products and of
attention, forward and twice as many backward. A row that could not be measured has no number but the reason.

    tests/bench/gpt_on_gpu.py build/release/pipedeck-cli presets/models/2-gpt-2-124m.model.json --batch 8,1,32
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

PRECISIONS = ("bf16", "tf32", "fp32")
WARM = 3
LONGEST_RUN = 120  # s: a run that hangs leaves time for the others


def pipedeck_times(program, model_file, model, batch, precision, steps, *more, micro_batches=1):
    layers = len(model["layers"]) - 1
    plan = {
        "format": "pipedeck.plan", "version": 1, "name": "benchmark", "planner": "hand", "profile": model["name"],
        "cluster": "GPU", "global_batch": batch, "micro_batch": batch // micro_batches,
        "micro_batches": micro_batches, "schedule": "1f1b",
        "optimizer": "adam", "precision": "fp32", "stages": [{"layers": [0, layers], "devices": [0]}],
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan))
        run = subprocess.run(
            [program, "run", "--plan", file, "--model", model_file, "--backend", "cuda", "--precision", precision,
             "--steps", str(steps + WARM), "--events", "-", *more], capture_output=True, text=True, timeout=LONGEST_RUN)
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


def torch_training(torch, model, batch, micro_batches, precision, compiled):
    """A function that trains one step, whose gradients are summed over the micro-batches."""
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
    targets = torch.randint(model["layers"][-1]["classes"], tokens.shape).cuda()

    def step():
        optimizer.zero_grad(set_to_none=True)
        for inputs, wanted in zip(tokens.chunk(micro_batches), targets.chunk(micro_batches)):
            with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
                loss = functional.cross_entropy(run(inputs).flatten(0, 1), wanted.flatten())
            (loss / micro_batches).backward()
        optimizer.step()
        torch.cuda.synchronize()
    return step


class Torch:
    """A way to train in PyTorch: made at the first round, and compiled once."""

    def __init__(self, torch, *settings):
        self.make = lambda: torch_training(torch, *settings)
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


GRAPHS, NO_GRAPHS, EAGER, COMPILED = "Pipedeck", "Pipedeck, no graphs", "PyTorch, eager", "PyTorch, compiled"


def groups_of(batches):
    """(precision, batch, micro-batches, ways) in the order of worth: time may be over before the last."""
    main, *others = batches
    yield "bf16", main, 1, (GRAPHS, NO_GRAPHS, EAGER, COMPILED)
    if main > 1:
        yield "bf16", main, main, (GRAPHS, NO_GRAPHS, EAGER)
    for batch in others:
        yield "bf16", batch, 1, (GRAPHS, NO_GRAPHS, EAGER)
    for precision in PRECISIONS[1:]:
        yield precision, main, 1, (GRAPHS, NO_GRAPHS, EAGER)
    # PyTorch compiles each for about a minute.
    for batch in others:
        yield "bf16", batch, 1, (COMPILED,)
    for precision in PRECISIONS[1:]:
        yield precision, main, 1, (COMPILED,)


class Bench:
    def __init__(self, given):
        self.given = given
        self.model = json.loads(Path(given.model).read_text())
        self.torch, self.why_not = torch_on_gpu()
        self.end = time.monotonic() + given.time_limit
        self.peaks, self.operations = peaks_of(given.cluster), operations_a_token(self.model)
        self.raw = open(given.raw, "a", buffering=1, encoding="utf-8") if given.raw else None
        self.failed = False

    def way(self, name, precision, batch, micro_batches):
        given, model = self.given, self.model
        if name in (EAGER, COMPILED):
            return Torch(self.torch, model, batch, micro_batches, precision, name == COMPILED).times
        more = ["--no-graphs"] if name == NO_GRAPHS else []
        return lambda steps: pipedeck_times(given.program, given.model, model, batch, precision, steps, *more,
                                            micro_batches=micro_batches)

    def why_not_measured(self, name):
        if name not in (EAGER, COMPILED):
            return ""
        if not self.torch:
            return self.why_not
        return "" if name == EAGER or hasattr(self.torch, "compile") else "this PyTorch has no torch.compile"

    def group(self, precision, batch, micro_batches, names):
        times = {name: [] for name in names}
        reasons = {name: why for name in names if (why := self.why_not_measured(name))}
        ways = {name: self.way(name, precision, batch, micro_batches) for name in names if name not in reasons}
        for number in range(self.given.rounds):
            for name, measure in ways.items():
                if name in reasons or time.monotonic() > self.end:
                    continue
                try:
                    found = measure(self.given.steps)
                except Exception as error:  # whatever a compiler of theirs throws
                    reasons[name] = (str(error).strip() or repr(error)).splitlines()[0]
                    self.failed = self.failed or name in (GRAPHS, NO_GRAPHS)
                    continue
                times[name] += found
                if self.raw:
                    print(json.dumps({"model": self.model["name"], "precision": precision, "batch": batch,
                                      "micro_batches": micro_batches, "way": name, "round": number,
                                      "steps_ms": [round(seconds * 1e3, 4) for seconds in found]}), file=self.raw)
        for name in names:
            self.show(precision, batch, micro_batches, name, times[name], reasons.get(name, "no time was left"))
        ways.clear()
        if self.torch:
            self.torch.cuda.empty_cache()

    def show(self, precision, batch, micro_batches, name, times, reason):
        samples = f"{micro_batches} x {batch // micro_batches}" if micro_batches > 1 else str(batch)
        row = f"{precision:5} {samples:>6} {name:20}"
        if not times:
            print(f"{row} not measured: {reason}", flush=True)
            return
        step, tokens = statistics.median(times), batch * self.model["layers"][0]["sequence"]
        peak = self.peaks.get(precision)
        share = f"{self.operations * tokens / step / peak:6.1%} of the peak" if peak else "peak not known"
        print(f"{row} {step * 1e3:9.2f} ms  {tokens / step:10,.0f} tokens/s  {share}  ({len(times)} steps)", flush=True)


def batch_sizes(text):
    sizes = [int(part) for part in text.split(",")]
    if min(sizes) < 1:
        raise ValueError
    return sizes


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="pipedeck-cli of a release build")
    arguments.add_argument("model", help="a model file")
    arguments.add_argument("--batch", type=batch_sizes, default=[8, 1, 32], help="samples a step; the first counts most")
    arguments.add_argument("--steps", type=int, default=20, help="steps a round")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--cluster", help="of this GPU: its device type's peak_tflops")
    arguments.add_argument("--raw", help="a file to which each round's times are added as a JSON line")
    arguments.add_argument("--time-limit", type=float, default=math.inf, help="s; begin nothing more after that")
    bench = Bench(arguments.parse_args())
    print(f"{bench.model['name']}, {bench.model['layers'][0]['sequence']} tokens a sample, median of "
          f"{bench.given.rounds} x {bench.given.steps} steps"
          f"{', PyTorch ' + bench.torch.__version__ if bench.torch else ''}\n"
          "type  samples", flush=True)
    for group in groups_of(bench.given.batch):
        bench.group(*group)
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main()
