#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A planner of one's own: layers in equal numbers, one device a stage, any micro-batch that the question allows.

pipedeck-cli compare --planner joint,exec:docs/examples/even_split.py --profile ... --cluster ... --global-batch ...
"""

import json
import sys


def refuse(reason):
    print(json.dumps({"infeasible": reason}))
    sys.exit()


question = json.load(sys.stdin)
work, pins = question["workload"], question["pins"]
layers = len(question["profile"]["layers"])
devices = sum(group["count"] for node in question["cluster"]["nodes"] for group in node["devices"])

if (pins["replicas"] or 1) > 1 or (pins["tensor_parallel"] or 1) > 1 or pins["layers"]:
    refuse("an even split has one device a stage and chooses the layers of each")
stages = pins["stages"] or min(layers, devices, pins["max_stages"] or layers)
if stages > min(layers, devices):
    refuse(f"{stages} stages do not fit {layers} layers on {devices} devices")

cuts = [layers * s // stages for s in range(stages + 1)]
smallest = question["profile"]["micro_batch"]  # below it no times are known
sizes = [size for size in range(1, work["global_batch"] + 1) if work["global_batch"] % size == 0 and size >= smallest]
for size in [work["micro_batch"]] if work["micro_batch"] else sizes:
    plan = {"format": "pipedeck.plan", "version": 1, "name": f"even split, micro-batches of {size}",
            "global_batch": work["global_batch"], "micro_batch": size, "schedule": "1f1b", "warmup": "A",
            "optimizer": work["optimizer"], "precision": work["precision"], "zero": work["zero"],
            "stages": [{"layers": [cuts[s], cuts[s + 1]], "devices": [s]} for s in range(stages)]}
    print(json.dumps(plan), flush=True)  # what is printed counts, even if time is up
