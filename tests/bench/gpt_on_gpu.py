#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens a second of a GPT on one GPU, here and in PyTorch where that is installed with CUDA: the same layers, batch,
loss and Adam, in fp32, tf32 and bf16 (PyTorch's autocast), here with CUDA graphs and without. Rounds take turns; medians of all steps. What could not be
measured is said, with the reason, and has no number.

    tests/bench/gpt_on_gpu.py build/release/pipedeck-cli presets/models/2-gpt-2-124m.model.json --batch 8
"""
import argparse
import json
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


def torch_training(torch, model, batch, precision):
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
    optimizer = torch.optim.Adam(net.parameters(), lr=model["learning_rate"], fused=True)
    tokens = torch.randint(layers[0]["vocabulary"], (batch, layers[0]["sequence"])).cuda()
    targets = torch.randint(model["layers"][-1]["classes"], (tokens.numel(),)).cuda()

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            loss = functional.cross_entropy(net(tokens).flatten(0, 1), targets)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
    return step


def torch_times(torch, model, batch, precision, steps):
    step = torch_training(torch, model, batch, precision)
    found = []
    for index in range(steps + WARM):
        start = time.perf_counter()
        step()
        if index >= WARM:
            found.append(time.perf_counter() - start)
    del step
    torch.cuda.empty_cache()
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="pipedeck-cli of a release build")
    arguments.add_argument("model", help="a model file")
    arguments.add_argument("--batch", type=int, default=8, help="samples a step")
    arguments.add_argument("--steps", type=int, default=20, help="steps a round")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    model = json.loads(Path(given.model).read_text())
    torch, why_not = torch_on_gpu()
    tokens = given.batch * model["layers"][0]["sequence"]
    print(f"{model['name']}, {given.batch} samples of {model['layers'][0]['sequence']} tokens a step, "
          f"median of {given.rounds} x {given.steps} steps")
    failed = False
    for precision in PRECISIONS:
        def ours(*more):
            return lambda: pipedeck_times(given.program, given.model, model, given.batch, precision, given.steps, *more)
        measured = {"Pipedeck": ours(), "Pipedeck, no graphs": ours("--no-graphs")}
        if torch:
            measured[f"PyTorch {torch.__version__}"] = lambda: torch_times(torch, model, given.batch, precision,
                                                                           given.steps)
        times = {name: [] for name in measured}
        reasons = {}
        for _ in range(given.rounds):
            for name, measure in measured.items():
                if name in reasons:
                    continue
                try:
                    times[name] += measure()
                except (RuntimeError, OSError) as error:
                    reasons[name] = str(error)
        for name in measured:
            if name in reasons or not times[name]:
                failed = True
                print(f"{precision:5} {name:24} not measured: {reasons.get(name, 'no steps')}")
                continue
            step = statistics.median(times[name])
            print(f"{precision:5} {name:24} {step * 1e3:9.2f} ms  {tokens / step:10,.0f} tokens/s")
        if not torch:
            print(f"{precision:5} {'PyTorch':24} not measured: {why_not}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
