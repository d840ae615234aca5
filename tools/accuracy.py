#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Analytic profiles against published measurements (docs/accuracy.md).

    tools/accuracy.py build/release/pipedeck-cli            the tables of docs/accuracy.md
    tools/accuracy.py build/release/pipedeck-cli --check    fails where an error is larger than the page says
    tools/accuracy.py build/release/pipedeck-cli --fit      the shares of the data sheet's peaks that err least

Every row is a model, a plan and what somebody measured: the program computes a profile from the model's shape and the
device's data sheet, and simulates the plan. It does so twice: with the efficiencies by shape that it has of the device
type, and with one share of each peak.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

# hidden, layers, heads: scripts/train/yamls of mosaicml/llm-foundry
MPT = {"125m": (768, 12, 12), "350m": (1024, 24, 16), "760m": (1536, 24, 12), "1b": (2048, 24, 16),
       "3b": (2560, 32, 20), "7b": (4096, 32, 32), "13b": (5120, 40, 40), "30b": (7168, 48, 56)}

# Tokens a second and GPU, eight GPUs with NVLink, bf16, fused attention, everything sharded (ZeRO 3):
# mosaicml/llm-foundry, scripts/train/benchmarking/README.md. Model, sequence, micro-batch of a GPU, accumulated,
# activations recomputed, measured.
MPT_A100 = [
    ("30b", 4096, 1, 21, True, 814), ("30b", 2048, 3, 21, True, 916), ("30b", 1024, 6, 21, True, 946),
    ("30b", 512, 12, 21, True, 967), ("13b", 8192, 5, 3, True, 1795), ("13b", 4096, 10, 3, True, 2060),
    ("13b", 2048, 2, 3, False, 2262), ("13b", 1024, 40, 3, True, 2330), ("7b", 16384, 4, 2, True, 2453),
    ("7b", 8192, 8, 2, True, 3206), ("7b", 4096, 16, 2, True, 3684), ("7b", 2048, 6, 2, False, 4641),
    ("7b", 1024, 64, 2, True, 4357), ("3b", 16384, 1, 6, False, 5529), ("3b", 8192, 3, 6, False, 7695),
    ("3b", 4096, 5, 6, False, 9457), ("3b", 2048, 10, 2, False, 10811), ("3b", 1024, 20, 6, False, 11580),
    ("3b", 512, 40, 6, False, 12127), ("1b", 16384, 2, 4, False, 9956), ("1b", 8192, 3, 4, False, 13814),
    ("1b", 4096, 7, 4, False, 17807), ("1b", 2048, 14, 4, False, 20513), ("1b", 1024, 18, 4, False, 22112),
    ("1b", 512, 56, 4, False, 23148), ("760m", 8192, 6, 2, False, 20933), ("760m", 4096, 12, 2, False, 27351),
    ("760m", 2048, 24, 2, False, 32434), ("350m", 8192, 8, 2, False, 36569), ("350m", 4096, 16, 2, False, 49555),
    ("350m", 2048, 32, 2, False, 58782), ("350m", 1024, 64, 2, False, 64813), ("125m", 8192, 8, 2, False, 90392),
    ("125m", 4096, 16, 2, False, 118396), ("125m", 2048, 32, 2, False, 141737), ("125m", 1024, 64, 2, False, 156468)]

MPT_H100 = [
    ("30b", 2048, 3, 21, True, 2002), ("13b", 4096, 10, 3, True, 4717), ("13b", 2048, 2, 1, False, 4792),
    ("13b", 1024, 40, 3, True, 5502), ("7b", 8192, 8, 2, True, 6935), ("7b", 4096, 16, 2, True, 8611),
    ("7b", 2048, 6, 1, False, 10643), ("7b", 1024, 64, 2, True, 10203), ("3b", 8192, 3, 6, False, 16578),
    ("3b", 4096, 5, 6, False, 20964), ("3b", 1024, 20, 6, False, 27046), ("3b", 512, 40, 6, False, 27965),
    ("1b", 8192, 3, 4, False, 29157), ("1b", 4096, 7, 4, False, 38535), ("1b", 2048, 14, 1, False, 45455),
    ("1b", 1024, 18, 4, False, 48910), ("760m", 4096, 12, 2, False, 55459), ("760m", 1024, 48, 2, False, 78581)]

# Seconds an iteration on nodes of eight A100 80 GB (Selene), Korthikanti et al., arXiv 2205.05198, table 5: hidden,
# layers, heads, pipeline stages, global batch, micro-batch, chunks of interleaved 1F1B, then measured with full
# recomputation, and with selective recomputation and sequence parallelism. Tensor parallelism 8, fp16.
KORTHIKANTI = {
    "22B": (6144, 48, 64, 1, 4, 4, 1, 1.42, 1.10), "175B": (12288, 96, 96, 8, 64, 1, 3, 18.13, 13.75),
    "530B": (20480, 105, 128, 35, 280, 1, 3, 49.05, 37.83), "1T": (25600, 128, 160, 64, 512, 1, 1, 94.42, 71.49)}

# The shares are fitted on these alone; all else was only looked at.
FITTED = {"125m", "760m", "3b", "13b", "22B", "530B"}

SHARES = {"products": 0.77, "attention": 0.36, "memory": 0.66}

# The page's words on the mean and the largest error, in per cent: by shape, and with the shares.
BOUNDS = {"A100, MPT": ((8, 21), (5, 14)), "A100, MPT, fitted": ((7, 22), (6, 14)), "H100, MPT": ((14, 32), (23, 30)),
          "A100, Megatron-LM": ((9, 12), (5, 8)), "A100, Megatron-LM, fitted": ((9, 12), (6, 13))}


@dataclass
class Row:
    table: str
    name: str
    fitted: bool
    measured: float  # seconds
    convert: list
    hidden: int
    layers: int
    heads: int
    sequence: int
    vocabulary: int
    plan: dict
    cluster: dict
    dropout: float = 0.0
    predicted: tuple = ()  # by shape, and with the shares
    stages: int = 1
    recompute: bool = False
    degree: int = 1

    def error(self, way):
        return 100 * (self.predicted[way] / self.measured - 1)


def cluster(device, nodes, link):
    made = {"format": "pipedeck.cluster", "version": 1, "name": f"{nodes} nodes of 8 {device}",
            "device_types": [device_type(device)],
            "nodes": [{"name": f"n{i}", "devices": [{"type": device, "count": 8}],
                       "link": {"gb_per_s": link, "latency_us": 2.0}} for i in range(nodes)]}
    if nodes > 1:  # eight HDR InfiniBand ports a node
        made["switches"] = [{"name": "switch"}]
        made["links"] = [{"from": f"n{i}", "to": "switch", "gb_per_s": 200, "latency_us": 2.0} for i in range(nodes)]
    return made


def device_type(name):
    for file in sorted((pathlib.Path(__file__).parent.parent / "presets/devices").glob("*.json")):
        device = json.loads(file.read_text())
        if device["name"] == name:
            return {key: device[key] for key in ("name", "memory_bytes", "peak_tflops", "memory_gb_per_s")} | {
                "relative_speed": 1.0}
    raise SystemExit(f"no device type {name}")


def mpt_rows(device, table, rows, link):
    for model, sequence, micro_batch, accumulated, recompute, tokens in rows:
        hidden, layers, heads = MPT[model]
        batch = 8 * micro_batch * accumulated
        yield Row(table=table, name=f"MPT {model}, {sequence} tokens, {accumulated} x {micro_batch}"
                  + (", recomputed" if recompute else ""), fitted=device == "A100-80GB" and model in FITTED,
                  measured=batch * sequence / (8 * tokens), hidden=hidden, layers=layers, heads=heads,
                  sequence=sequence, vocabulary=50368,
                  convert=["--device", device, "--precision", "bf16", "--micro-batch", str(micro_batch),
                           "--attention", "fused"],
                  cluster=cluster(device, 1, link), recompute=recompute,
                  plan={"global_batch": batch, "micro_batch": 8 * micro_batch, "schedule": "1f1b", "zero": 3})


def korthikanti_rows():
    for name, (hidden, layers, heads, stages, batch, micro_batch, chunks, full, selective) in KORTHIKANTI.items():
        for recompute, seconds in ((True, full), (False, selective)):
            yield Row(table="A100, Megatron-LM", name=f"GPT {name}, {stages} x 8 GPUs, "
                      + ("all recomputed" if recompute else "selective, sequence parallel"), fitted=name in FITTED,
                      measured=seconds, hidden=hidden, layers=layers, heads=heads, sequence=2048, vocabulary=51200,
                      dropout=0.1, convert=["--device", "A100-80GB", "--precision", "fp16", "--micro-batch",
                                            str(micro_batch), "--tensor-parallel", "8"]
                      + (["--attention", "stored", "--no-sequence-parallel"] if recompute
                         else ["--attention", "selective"]),
                      cluster=cluster("A100-80GB", stages, 300), recompute=recompute, degree=8,
                      stages=stages * chunks, plan={"global_batch": batch, "micro_batch": micro_batch,
                                                    "schedule": "interleaved" if chunks > 1 else "1f1b", "zero": 0})


def all_rows():
    rows = list(mpt_rows("A100-80GB", "A100, MPT", MPT_A100, 300))
    rows += mpt_rows("H100-SXM", "H100, MPT", MPT_H100, 450)
    rows += korthikanti_rows()
    for row in rows:
        if row.fitted:
            row.table += ", fitted"
    return rows


def stages_of(row, profile):
    """Blocks in even parts; the embedding in front of the first, norm, head and loss behind the last."""
    kinds = [layer["kind"] for layer in profile["layers"]]
    blocks = [i for i, kind in enumerate(kinds) if kind == "transformer"]
    nodes = len(row.cluster["nodes"])
    stages, first = [], 0
    for stage in range(row.stages):
        last = blocks[0] + len(blocks) * (stage + 1) // row.stages if stage + 1 < row.stages else len(kinds)
        node = stage % nodes
        stages.append({"layers": [first, last], "devices": list(range(8 * node, 8 * node + 8)),
                       "tensor_parallel": row.degree,
                       "recompute": [i for i in range(first, last) if i in blocks] if row.recompute else False})
        first = last
    return stages


def reached_options(shares):
    return [word for name, value in shares.items() for word in (f"--reached-{name}", f"{value:.4f}")]


def predict(cli, row, folder, reached):
    """Returns the seconds of an iteration."""
    run = lambda *arguments: subprocess.run([cli, *arguments], check=True, capture_output=True, text=True).stdout
    files = {name: str(folder / f"{name}.json") for name in ("model", "profile", "plan", "cluster")}
    write = lambda name, value: pathlib.Path(files[name]).write_text(json.dumps(value))
    write("model", {"model_type": "gpt2", "n_embd": row.hidden, "n_layer": row.layers, "n_head": row.heads,
                    "n_positions": row.sequence, "vocab_size": row.vocabulary, "attn_pdrop": row.dropout,
                    "embd_pdrop": row.dropout, "resid_pdrop": row.dropout})
    run("convert", files["model"], "--to", "profile", "-o", files["profile"], "--sequence", str(row.sequence),
        *row.convert, *reached)
    profile = json.loads(pathlib.Path(files["profile"]).read_text())
    write("plan", {"format": "pipedeck.plan", "version": 1, "planner": "published", "planner_version": "1",
                   "model": profile["name"], "order": None, "optimizer": "adam", "precision": "mixed-16",
                   **row.plan, "stages": stages_of(row, profile)})
    write("cluster", row.cluster)
    answer = json.loads(run("simulate", "--plan", files["plan"], "--profile", files["profile"], "--cluster",
                            files["cluster"], "--collectives", "nccl", "--json"))
    return answer["iteration_ms"] / 1000


def mean_and_most(rows, way):
    errors = [abs(row.error(way)) for row in rows]
    return sum(errors) / len(errors), max(errors)


def print_tables(rows):
    for table in dict.fromkeys(row.table for row in rows):
        of_table = [row for row in rows if row.table == table]
        print(f"\n| {table} | measured s | by shape s | error | by shares s | error |\n|---|---|---|---|---|---|")
        for row in of_table:
            cells = "".join(f" {row.predicted[way]:.3g} | {row.error(way):+.1f} % |" for way in (0, 1))
            print(f"| {row.name} | {row.measured:.3g} |{cells}")
        for way, name in enumerate(("by shape", "by shares")):
            mean, most = mean_and_most(of_table, way)
            print(f"\n{table}, {name}: mean error {mean:.1f} %, largest {most:.1f} %")


def fit(cli, rows, folder):
    """By turns, each figure by the step that lowers the mean square of the relative errors."""
    rows = [row for row in rows if row.fitted]
    figures = {"products": 0.76, "attention": 0.45, "memory": 0.6}

    def badness(trial):
        for row in rows:
            row.predicted = (predict(cli, row, folder, reached_options(trial)),)
        return sum(row.error(0) ** 2 for row in rows) / len(rows)

    best, step = badness(figures), 0.04
    while step >= 0.01:
        better = False
        for name in figures:
            for sign in (1, -1):
                trial = {**figures, name: min(1.0, figures[name] + sign * step)}
                found = badness(trial)
                if found < best:
                    best, figures, better = found, trial, True
                    break
        if not better:
            step /= 2
        print(f"root mean square {best ** 0.5:.2f} %: " + ", ".join(f"{n} {v:.3f}" for n, v in figures.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--reached", nargs=3, metavar=("PRODUCTS", "ATTENTION", "MEMORY"),
                        help="other shares than the program's")
    arguments = parser.parse_args()
    rows = all_rows()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.fit:
            return fit(arguments.cli, rows, folder)
        shares = dict(zip(SHARES, map(float, arguments.reached))) if arguments.reached else SHARES
        for row in rows:
            row.predicted = tuple(predict(arguments.cli, row, folder, reached)
                                  for reached in ([], reached_options(shares)))
    print_tables(rows)
    if not arguments.check:
        return 0
    wrong = 0
    for table, bounds in BOUNDS.items():
        for way, (mean_bound, most_bound) in enumerate(bounds):
            mean, most = mean_and_most([row for row in rows if row.table == table], way)
            if mean > mean_bound or most > most_bound:
                print(f"{table}, {('by shape', 'by shares')[way]}: found a mean error of {mean:.1f} % and a largest of "
                      f"{most:.1f} %, expected {mean_bound} % and {most_bound} % at most", file=sys.stderr)
                wrong += 1
    print(f"{2 * len(BOUNDS) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
