#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images a second of models on one GPU, in bf16, tf32 and fp32, whole training steps, here (the host makes the images
meanwhile) and in torchvision where that is installed with CUDA (the images are there). Medians of steps. What could not
be measured is said, with the reason, and has no number; what the time is not enough for is left out and said.

    tests/bench/images_on_gpu.py build/release/pipedeck-cli presets/models/4-resnet-50.model.json --batch 32
"""
import argparse
import json
import math
import statistics
import sys
import time
from pathlib import Path

from gpt_on_gpu import PRECISIONS, WARM, pipedeck_times, torch_on_gpu


def torch_times(torch, name, batch, precision, steps):
    import torchvision
    made = {"ResNet-50": torchvision.models.resnet50, "VGG-16": torchvision.models.vgg16}.get(name)
    if made is None:
        raise RuntimeError(f"torchvision has no counterpart of {name}")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "fp32"
    torch.backends.cudnn.benchmark = True
    net = made().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    images = torch.randn(batch, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    targets = torch.randint(1000, (batch,), device="cuda")
    found = []
    for index in range(steps + WARM):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            loss = torch.nn.functional.cross_entropy(net(images).float(), targets)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        if index >= WARM:
            found.append(time.perf_counter() - start)
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", help="pipedeck-cli of a release build")
    arguments.add_argument("models", nargs="+", help="model files")
    arguments.add_argument("--batch", type=int, default=32, help="images a step")
    arguments.add_argument("--steps", type=int, default=20)
    arguments.add_argument("--raw", help="a file to which each row's times are added as a JSON line")
    arguments.add_argument("--time-limit", type=float, default=math.inf, help="s; begin nothing more after that")
    given = arguments.parse_args()
    torch, why_not = torch_on_gpu()
    end = time.monotonic() + given.time_limit
    failed = False
    for file in given.models:
        model = json.loads(Path(file).read_text())
        print(f"{model['name']}, {given.batch} images a step, median of {given.steps} steps", flush=True)
        for precision in PRECISIONS:
            ways = {"Pipedeck": lambda: pipedeck_times(given.program, file, model, given.batch, precision, given.steps)}
            if torch:
                ways["torchvision"] = lambda: torch_times(torch, model["name"], given.batch, precision, given.steps)
            else:
                print(f"{precision:5} torchvision  not measured: {why_not}")
            for name, measure in ways.items():
                if time.monotonic() > end:
                    print(f"{precision:5} {name:12} not measured: no time was left", flush=True)
                    continue
                try:
                    times = measure()
                    step = statistics.median(times)
                    if given.raw:
                        with open(given.raw, "a", encoding="utf-8") as raw:
                            print(json.dumps({"model": model["name"], "precision": precision, "batch": given.batch,
                                              "way": name, "steps_ms": [round(s * 1e3, 4) for s in times]}), file=raw)
                    print(f"{precision:5} {name:12} {step * 1e3:9.2f} ms  {given.batch / step:10,.1f} images/s", flush=True)
                except Exception as error:  # whatever another library throws
                    failed = failed or name == "Pipedeck"
                    reason = (str(error).strip() or repr(error)).splitlines()[0]
                    print(f"{precision:5} {name:12} not measured: {reason}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
