#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training that PyTorch really ran, recorded with an annotation around each module, becomes a profile: its figures
beside those that tools/profile_pytorch.py measures of the same model. Skipped (77) without PyTorch.

Debian's PyTorch has no Kineto, whose trace is therefore written here from the events that the profiler collected.

usage: test_trace_profile.py PIPEDECK-CLI SOURCE-ROOT
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit(77)

CLI, ROOT = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(ROOT, "tools"))
import profile_pytorch  # noqa: E402

BACKWARD = 1  # at::RecordScope
USER = 7


class Annotated:
    """record_function around each module's forward, called as PyTorch's profiler calls modules, and put away again."""

    def __init__(self, model, name="Model_0"):
        self.handles, self.open, times = [], [], {}
        names = {model: name}
        for path, module in model.named_modules():
            kind = type(module).__name__
            names.setdefault(module, f"{kind}_{times.setdefault(kind, 0)}")
            times[kind] = times.get(kind, 0) + 1
        for module, own in names.items():
            self.handles.append(module.register_forward_pre_hook(lambda *_, own=own: self.enter(own)))
            self.handles.append(module.register_forward_hook(lambda *_: self.leave()))

    def enter(self, name):
        self.open.append(torch.autograd.profiler.record_function(name))
        self.open[-1].__enter__()

    def leave(self):
        self.open.pop().__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()


def trace_of(events):
    """As Kineto writes it."""
    written = []
    for event in events:
        if event.name() == "[memory]":
            continue
        arguments = {"External id": len(written)}
        if event.sequence_nr() >= 0:
            arguments["Sequence number"] = event.sequence_nr()
            arguments["Fwd thread id"] = event.fwd_thread_id()
        if event.shapes():
            arguments["Input type"] = event.dtypes()
            arguments["Input Dims"] = event.shapes()
        category = "user_annotation" if event.scope() == USER else "cpu_op"
        written.append({"ph": "X", "cat": category, "name": event.name(), "pid": 1, "tid": event.start_thread_id(),
                        "ts": event.start_us(), "dur": event.duration_us(), "args": arguments})
    return {"schemaVersion": 1, "record_shapes": 1, "traceEvents": written}


def record(model, batches, loss, name="Model_0"):
    """Forward and backward of each batch under the profiler."""
    with Annotated(model, name):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as recorded:
            for batch in batches:
                loss(model(batch)).backward()
                model.zero_grad(set_to_none=True)
    return trace_of(recorded.profiler.kineto_results.events())


class Block(nn.Module):
    """Of a transformer, with fused operators left out so that each one is seen."""

    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width))
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, width=128, blocks=4):
        super().__init__()
        self.embedding = nn.Embedding(500, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 500)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class TraceProfile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        torch.manual_seed(1)
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def convert(self, trace, *options):
        source, made = (os.path.join(self.folder.name, name) for name in ("t.json", "m.profile.json"))
        with open(source, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        done = subprocess.run([CLI, "convert", source, "-o", made, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(made, encoding="utf-8") as file:
            return json.load(file), done.stderr

    def compare(self, traced, measured, exact_saved):
        """Sizes are the same; times differ by what the profiler itself takes of each operator, and by
        noise, which is fivefold where other programs want the cores. This finds a wrong unit; exact times
        are tst_traced_profile's."""
        self.assertEqual(len(traced["layers"]), len(measured["layers"]))
        self.assertEqual(traced["micro_batch"], measured["micro_batch"])
        for ours, theirs in zip(traced["layers"], measured["layers"]):
            with self.subTest(layer=theirs["name"]):
                self.assertEqual(ours["parameter_bytes"], theirs["parameter_bytes"])
                self.assertEqual(ours["output_bytes"], theirs["output_bytes"])
                if exact_saved:
                    self.assertEqual(ours["saved_bytes"], theirs["saved_bytes"])
        for key in ("forward_ms", "backward_ms"):
            ours, theirs = (sum(layer[key] for layer in one["layers"]) for one in (traced, measured))
            self.assertLess(ours, 10 * theirs)
            self.assertGreater(ours, theirs / 10)

    def test_a_chain(self):
        model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.LayerNorm(512), nn.Linear(512, 512), nn.GELU(),
                              nn.Linear(512, 64), nn.Softmax(-1))
        example = torch.randn(64, 256)
        trace = record(model, [example] * 8, torch.sum, "Sequential_0")
        traced, notes = self.convert(trace)
        measured = profile_pytorch.profile(model, example, micro_batches=(64,), repetitions=7)
        # Behind the last layer the sum: its output is one number.
        self.assertEqual(traced["layers"][-1]["output_bytes"], 4)
        traced["layers"][-1]["output_bytes"] = measured["layers"][-1]["output_bytes"]
        self.compare(traced, measured, exact_saved=True)
        self.assertIn("medians of the passes (7)", notes)

    def test_convolutions(self):
        model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                              nn.Conv2d(16, 32, 3), nn.ReLU(), nn.AvgPool2d(14), nn.Flatten(), nn.Linear(32, 10))
        example = torch.randn(8, 3, 32, 32)
        traced, _ = self.convert(record(model, [example] * 6, torch.sum, "Sequential_0"))
        measured = profile_pytorch.profile(model, example, micro_batches=(8,), repetitions=7)
        traced["layers"][-1]["output_bytes"] = measured["layers"][-1]["output_bytes"]
        self.compare(traced, measured, exact_saved=True)

    def test_a_transformer(self):
        model, tokens = Transformer(), torch.randint(500, (4, 32))
        def loss(logits):
            return nn.functional.cross_entropy(logits.flatten(0, 1), torch.zeros(4 * 32, dtype=torch.long))
        trace = record(model, [tokens] * 6, loss)
        traced, notes = self.convert(trace)
        names = [layer["name"] for layer in traced["layers"]]
        self.assertEqual(len(names), 7, names)  # embedding, blocks, norm, head
        self.assertEqual([name.startswith("Block") for name in names], [False] + 4 * [True] + 2 * [False])
        layers = [model.embedding, *model.blocks, model.norm, model.head]
        measured = profile_pytorch.profile(layers, tokens, micro_batches=(4,), repetitions=7,
                                           loss=lambda out: loss(out))
        traced["layers"][-1]["output_bytes"] = measured["layers"][-1]["output_bytes"]  # of the loss, of the head
        self.compare(traced, measured, exact_saved=False)
        for ours, theirs in zip(traced["layers"], measured["layers"]):
            self.assertAlmostEqual(ours["saved_bytes"] / theirs["saved_bytes"], 1, delta=0.1, msg=theirs["name"])
        # Deeper: each module without others in it.
        deeper, _ = self.convert(trace, "--trace-depth", "9")
        self.assertEqual(len(deeper["layers"]), 1 + 4 * (2 + 3 + 3) + 2)
        # A single pass has no medians: the whole is the sum of its parts.
        single = record(model, [tokens], loss)
        whole, _ = self.convert(single, "--trace-depth", "0")
        parts, _ = self.convert(single)
        self.assertEqual(len(whole["layers"]), 1)
        for key in ("parameter_bytes", "forward_ms", "backward_ms"):
            self.assertAlmostEqual(whole["layers"][0][key], sum(layer[key] for layer in parts["layers"]),
                                   delta=0.1 * whole["layers"][0][key])

    def test_recomputation(self):
        from torch.utils.checkpoint import checkpoint

        for reentrant in (True, False):
            class Checkpointed(Transformer):
                def forward(self, tokens):
                    x = self.embedding(tokens)
                    for block in self.blocks:
                        x = checkpoint(block, x, use_reentrant=reentrant)
                    return self.head(self.norm(x))

            torch.manual_seed(1)
            model, tokens = Checkpointed(), torch.randint(500, (4, 32))
            trace = record(model, [tokens] * 6, torch.sum)
            traced, notes = self.convert(trace)
            self.assertEqual(len(traced["layers"]), 7, notes)
            self.assertIn("Modules that ran again within the backward pass (recomputation): 24", notes)
            plain, _ = self.convert(record(Transformer(), [tokens] * 6, torch.sum))
            for ours, theirs in zip(traced["layers"], plain["layers"]):
                with self.subTest(layer=ours["name"], reentrant=reentrant):
                    self.assertEqual(ours["parameter_bytes"], theirs["parameter_bytes"])
                    self.assertEqual(ours["saved_bytes"], theirs["saved_bytes"])
                    self.assertGreater(ours["backward_ms"], 0)
            deeper, notes = self.convert(trace, "--trace-depth", "9")  # parts of what runs again
            self.assertNotIn("belong to no layer", notes)
            self.assertEqual(sum(layer["parameter_bytes"] for layer in deeper["layers"]),
                             sum(layer["parameter_bytes"] for layer in plain["layers"]))
            ours, theirs = (sum(layer["backward_ms"] for layer in one["layers"]) for one in (traced, plain))
            self.assertLess(ours, 2.5 * theirs)

    def test_forward_alone(self):
        model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8))
        with Annotated(model, "Sequential_0"), torch.no_grad():
            with torch.profiler.profile(record_shapes=True) as recorded:
                for _ in range(4):
                    model(torch.randn(16, 32))
        traced, notes = self.convert(trace_of(recorded.profiler.kineto_results.events()))
        self.assertIn("No backward pass was recorded", notes)
        self.assertEqual([layer["parameter_bytes"] for layer in traced["layers"]],
                         [4 * (32 * 64 + 64), 0, 4 * (64 * 8 + 8)])
        self.assertEqual([layer["output_bytes"] for layer in traced["layers"]], [16 * 64 * 4, 16 * 64 * 4, 0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
