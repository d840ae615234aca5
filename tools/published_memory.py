#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted memory against published training runs, which ran in the memory of their GPUs (docs/accuracy.md).

usage: tools/published_memory.py PIPEDECK-CLI [--data TABLE.csv] [--rows] [--check]

Every row is a model, a mapping and a GPU. The program computes a profile from the model's shape and simulates the
mapping with the default memory of the GPU's type. A row that is not said to fit is an error of the prediction. Rows
are left out, and counted, where the program has no such dimension (experts, context parallelism, LoRA, selective
recomputation by module) or the source does not print the mapping. --check fails below the share that the page reports.
Without the table it exits with status 77, which ctest shows as skipped.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DEVICES = {"H100": "H100-SXM", "A100-80GB": "A100-80GB", "A800-80GB": "A100-80GB", "H200": "H200", "B200": "B200"}
LEAST_SHARE = 0.99  # of docs/accuracy.md
TILES = 512  # replicas at most: more change nothing but the shards of the optimizer


def number(row, key, otherwise=None):
    return int(row[key]) if row[key] else otherwise


def sharding(row):
    """ZeRO stage, and the replicas that it divides the states over."""
    text, replicas = row["sharding"], number(row, "dp", 1)
    group = [int(word) for word in text.replace("(", " ").split() if word.isdigit()]
    if text.startswith("none"):
        return 0, replicas
    stage = 3 if "fsdp" in text else 2 if "zero2" in text else 1 if "zero1" in text else None
    return stage, group[0] if group and ("over" in text or "group" in text) else replicas


def why_left_out(row):
    if row["gpu"] not in DEVICES:
        return "GPU"
    if row["task"] == "lora" or row["attention"] or row["experts"]:
        return "LoRA, experts or attention"
    if number(row, "cp", 1) > 1 or number(row, "ep", 1) > 1:
        return "context or expert parallelism"
    if row["recompute"] not in ("none", "full", "none in the configuration file", "selective:core_attn", "selective") \
            or "which blocks are recomputed is not printed" in row["notes"]:
        return "recomputation by module, or not printed"
    needed = ("layers", "hidden", "heads", "ffn", "vocab", "sequence", "micro_batch", "tp", "pp", "dp")
    if any(not row[key] for key in needed) or sharding(row)[0] is None:
        return "not printed"
    if "fp8" in row["precision"] and "param" in row["notes"] or row["precision"] in ("nvfp4", "mxfp8"):
        return "narrow weights"
    if "offload" in row["notes"] and "no offload" not in row["notes"]:
        return "offload"
    return None


def model(row):
    heads = int(row["heads"])
    shape = {"hidden_size": int(row["hidden"]), "num_hidden_layers": int(row["layers"]), "num_attention_heads": heads,
             "num_key_value_heads": number(row, "kv_heads", heads), "intermediate_size": int(row["ffn"]),
             "vocab_size": int(row["vocab"]), "max_position_embeddings": int(row["sequence"]),
             "head_dim": number(row, "head_dim", int(row["hidden"]) // heads)}
    if row["gated"] == "1":
        return {"model_type": "llama", **shape}
    return {"model_type": "gpt2", "n_embd": shape["hidden_size"], "n_layer": shape["num_hidden_layers"],
            "n_head": heads, "n_inner": shape["intermediate_size"], "n_positions": shape["max_position_embeddings"],
            "vocab_size": shape["vocab_size"], "attn_pdrop": 0, "embd_pdrop": 0, "resid_pdrop": 0}


def bytes_per_parameter(row):
    """Megatron reduces bf16 gradients in fp32 (18 bytes), Megatron-Bridge's recipes in bf16, fp16 and FSDP 16 bytes."""
    bridge = row["source"] in ("megatron-bridge", "dgxc-benchmarking")
    return "mixed-18" if row["precision"] != "fp16" and "fsdp" not in row["sharding"] and not bridge else "mixed-16"


class Simulator:
    """The program, in a folder for its files. A profile serves all rows that compute it alike."""

    def __init__(self, cli, folder):
        self.cli, self.folder, self.profiles = cli, folder, {}

    def run(self, *words):
        return subprocess.run([self.cli, *map(str, words)], check=True, capture_output=True, text=True).stdout

    def file(self, name):
        return str(self.folder / f"{name}.json")

    def write(self, name, value):
        pathlib.Path(self.file(name)).write_text(json.dumps(value))

    def profile(self, shape, options):
        """Its file, and the kinds of its layers."""
        key = json.dumps([shape, options])
        if key not in self.profiles:
            self.write("model", shape)
            made = self.file(f"profile-{len(self.profiles)}")
            self.run("convert", self.file("model"), "--to", "profile", "-o", made, *options)
            self.profiles[key] = made, [layer["kind"] for layer in json.loads(pathlib.Path(made).read_text())["layers"]]
        return self.profiles[key]


def simulate(program, row):
    tensor, pipeline, chunks = int(row["tp"]), int(row["pp"]), number(row, "vp", 1) or 1
    zero, replicas = sharding(row)
    replicas = min(replicas, TILES)
    device = DEVICES[row["gpu"]]
    flash = row["recompute"] not in ("selective:core_attn", "selective")
    profile, kinds = program.profile(model(row), [
        "--device", device, "--precision", "fp16" if row["precision"] == "fp16" else "bf16", "--sequence",
        row["sequence"], "--micro-batch", row["micro_batch"], "--attention", "fused" if flash else "selective",
        "--tensor-parallel", tensor if tensor > 1 else 2,
        *(["--no-sequence-parallel"] if row["sp"] == "0" and tensor > 1 else [])])
    blocks = [i for i, kind in enumerate(kinds) if kind == "transformer"]
    gpus, width = tensor * pipeline * replicas, tensor * replicas
    stages, first, count = [], 0, pipeline * chunks
    for stage in range(count):
        last = blocks[0] + len(blocks) * (stage + 1) // count if stage + 1 < count else len(kinds)
        rank = stage % pipeline
        stages.append({"layers": [first, last], "devices": list(range(rank * width, rank * width + width)),
                       "tensor_parallel": tensor,
                       "recompute": [i for i in blocks if first <= i < last] if row["recompute"] == "full" else False})
        first = last
    micro = int(row["micro_batch"]) * replicas
    printed = (number(row, "global_batch") or 0) // (int(row["micro_batch"]) * int(row["dp"]))
    batches = min(max(printed, 1), 2 * count)  # more hold no more
    if chunks > 1:
        batches = max(pipeline, batches // pipeline * pipeline)
    program.write("plan", {"format": "pipedeck.plan", "version": 1, "planner": "published", "optimizer": "adam",
                           "precision": bytes_per_parameter(row), "zero": zero, "global_batch": micro * batches,
                           "micro_batch": micro, "schedule": "interleaved" if chunks > 1 else "1f1b", "stages": stages})
    nodes = -(-gpus // 8)
    program.write("cluster", {"format": "pipedeck.cluster", "version": 1, "name": device,
                              "device_types": [{"name": device, "memory_bytes": round(float(row["gpu_mem_gb"]) * 2**30)}],
                              "nodes": [{"name": f"n{i}", "devices": [{"type": device, "count": min(8, gpus - 8 * i)}],
                                         "link": {"gb_per_s": 400, "latency_us": 2}} for i in range(nodes)],
                              **({"switches": [{"name": "s"}], "links": [{"from": f"n{i}", "to": "s", "gb_per_s": 400}
                                                                         for i in range(nodes)]} if nodes > 1 else {})})
    answer = json.loads(program.run("simulate", "--plan", program.file("plan"), "--profile", profile, "--cluster",
                                    program.file("cluster"), "--json"))
    fullest = max(answer["devices"], key=lambda one: one["peak_memory_bytes"] / one["capacity_bytes"])
    outside = sum(fullest["memory_parts"].get(item, 0) for item in ("communication", "reserve"))
    return {"fits": fullest["peak_memory_bytes"] <= fullest["capacity_bytes"],
            "peak": fullest["peak_memory_bytes"] / 2**30, "allocated": (fullest["peak_memory_bytes"] - outside) / 2**30}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    here = pathlib.Path(__file__).resolve().parent.parent
    data = pathlib.Path(os.environ.get("PIPEDECK_SHARED_DATA", here.parent / "shared/data"))
    parser.add_argument("--data", type=pathlib.Path, default=data / "published-runs/train.csv")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if not asked.data.exists():
        print(f"skipped: no {asked.data}")
        return 77
    left_out, by_source, seen = collections.Counter(), collections.defaultdict(list), {}
    with tempfile.TemporaryDirectory() as folder, open(asked.data, newline="") as table:
        program = Simulator(asked.cli, pathlib.Path(folder))
        for row in csv.DictReader(table):
            if why := why_left_out(row):
                left_out[why] += 1
                continue
            key = tuple(row[k] for k in ("model", "layers", "gpu", "precision", "sequence", "micro_batch", "tp", "sp",
                                         "pp", "vp", "dp", "sharding", "recompute", "source"))
            try:
                known = seen.get(key) or simulate(program, row)
            except subprocess.CalledProcessError as error:
                left_out["refused: " + error.stderr.strip().split("\n")[-1][:70]] += 1
                continue
            seen[key] = known
            by_source[row["source"]].append((row, known))
            if asked.rows:
                print(row["row"], row["model"], row["gpu"], f"tp {row['tp']} pp {row['pp']} dp {row['dp']}",
                      row["sharding"], row["recompute"], "fits" if known["fits"] else "DOES NOT FIT",
                      f"{known['peak']:.1f} GiB", row["memory_gib"] and f"(measured {row['memory_gib']} GiB, "
                      f"{row['memory_kind']}; allocated {known['allocated']:.1f})")
    print("\n| source | runs | said to fit | largest peak |\n|---|---|---|---|")
    runs = [one for rows in by_source.values() for one in rows]
    for source, rows in sorted(by_source.items()):
        print(f"| {source} | {len(rows)} | {sum(known['fits'] for _, known in rows)} "
              f"| {max(known['peak'] for _, known in rows):.1f} GiB |")
    share = sum(known["fits"] for _, known in runs) / max(1, len(runs))
    print(f"\n{len(runs)} runs, {100 * share:.1f} % said to fit; left out: "
          + ", ".join(f"{count} ({why})" for why, count in left_out.most_common()))
    return 1 if asked.check and share < LEAST_SHARE else 0


if __name__ == "__main__":
    sys.exit(main())
