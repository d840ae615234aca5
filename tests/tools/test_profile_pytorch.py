#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles PyTorch models with tools/profile_pytorch.py and gives them to pipedeck-cli.

Usage: test_profile_pytorch.py PIPEDECK_CLI SOURCE_FOLDER. Exit status 77 (skipped) where there is no PyTorch.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

CLI, SOURCE = sys.argv[1:3]
sys.path.insert(0, os.path.join(SOURCE, "tools"))
try:
    import torch
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}; Debian's package is python3-torch", file=sys.stderr)
    sys.exit(77)
import profile_pytorch

SCRIPT = os.path.abspath(os.path.join(SOURCE, "tools", "profile_pytorch.py"))
FLOAT = 4


def profile(modules, example, **options):
    return profile_pytorch.profile(modules, example, repetitions=3, warm_ups=1, **options)


def run(*arguments):
    return subprocess.run([CLI, *arguments], capture_output=True, text=True, check=False)


class Saved(unittest.TestCase):
    """What autograd keeps, against what is known of each layer."""

    def saved_of(self, module, example, samples=4):
        # Behind another layer: the model's first layer would not want its input's gradient.
        made = profile([nn.Identity(), module], example, micro_batches=[samples])
        return made["layers"][1]["saved_bytes"]

    def test_linear_keeps_its_input(self):
        self.assertEqual(self.saved_of(nn.Linear(24, 40), torch.randn(1, 24)), FLOAT * 4 * 24)

    def test_relu_keeps_its_output(self):
        self.assertEqual(self.saved_of(nn.ReLU(), torch.randn(1, 24)), FLOAT * 4 * 24)
        self.assertEqual(self.saved_of(nn.ReLU(inplace=True), torch.randn(1, 24)), FLOAT * 4 * 24)

    def test_layer_norm_keeps_input_mean_and_deviation(self):
        self.assertEqual(self.saved_of(nn.LayerNorm(24), torch.randn(1, 6, 24)), FLOAT * 4 * 6 * (24 + 2))

    def test_convolution_keeps_its_input(self):
        self.assertEqual(self.saved_of(nn.Conv2d(3, 8, 3), torch.randn(1, 3, 10, 10)), FLOAT * 4 * 300)

    def test_a_storage_counts_once_and_views_are_none_of_their_own(self):
        class Twice(nn.Module):
            def forward(self, x):
                y = torch.exp(x)  # keeps y
                return y.view(-1, 24) * y.view(-1, 24)  # keeps y again, by two views
        self.assertEqual(self.saved_of(Twice(), torch.randn(1, 24)), FLOAT * 4 * 24)

    def test_a_first_layer_without_parameters_keeps_nothing(self):
        self.assertEqual(profile([nn.ReLU()], torch.randn(1, 24), micro_batches=[2])["layers"][0]["saved_bytes"], 0)


class Profiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "made.profile.json")

    def network(self):
        return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Sequential(nn.BatchNorm2d(8), nn.ReLU()),
                             nn.Flatten(), nn.Linear(8 * 64, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 10))

    def test_figures(self):
        made = profile(self.network(), torch.randn(2, 1, 8, 8), micro_batches=[2, 3, 8], name="net", file=self.path,
                       loss=lambda answer: answer.logsumexp(1).sum())
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), made)
        layers = made["layers"]
        self.assertEqual([layer["kind"] for layer in layers], ["convolution", "relu", "batch_norm", "relu", "flatten",
                                                               "linear", "layer_norm", "relu", "linear"])
        self.assertEqual(len({layer["name"] for layer in layers}), len(layers))
        self.assertEqual(layers[0]["parameter_bytes"], FLOAT * (9 * 8 + 8))
        self.assertEqual(layers[0]["output_bytes"], FLOAT * 2 * 8 * 64)
        self.assertEqual(layers[-1]["output_bytes"], FLOAT * 2 * 10)
        self.assertEqual([layer["saved_bytes"] for layer in layers][5], FLOAT * 2 * 512)
        for layer in layers:
            self.assertEqual([point["micro_batch"] for point in layer["at"]], [2, 3, 8])
            for point in layer["at"]:
                self.assertGreater(point["forward_ms"], 0)
                self.assertLessEqual(point["backward_weight_ms"], point["backward_ms"])
                low, high = point["spread"]["forward_ms"]
                self.assertTrue(low <= point["forward_ms"] <= high)
        self.assertEqual(layers[5]["at"][2]["saved_bytes"], FLOAT * 8 * 512)
        self.assertGreater(layers[5]["backward_ms"], layers[5]["backward_weight_ms"])

    def test_the_model_is_left_as_it_was(self):
        model = self.network().eval()
        before = {name: value.clone() for name, value in model.state_dict().items()}
        torch.manual_seed(5)
        wanted = torch.randn(3)
        torch.manual_seed(5)
        profile(model, torch.randn(1, 1, 8, 8)[:1], micro_batches=[2])
        torch.manual_seed(5)
        self.assertTrue(torch.equal(torch.randn(3), wanted))
        self.assertFalse(model.training)
        for name, value in model.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)
        self.assertTrue(all(parameter.grad is None for parameter in model.parameters()))

    def test_every_planner_plans_it(self):
        profile(self.network(), torch.randn(1, 1, 8, 8), micro_batches=[2, 4], name="net", file=self.path,
                device_type="V100-32GB")
        valid = run("validate", self.path)
        self.assertEqual(valid.returncode, 0, valid.stderr)
        asked = run("compare", "--profile", self.path, "--cluster", "preset:whale-pipe", "--global-batch", "64",
                    "--micro-batch", "4", "--json")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        answers = json.loads(asked.stdout)["answers"]
        self.assertGreaterEqual(len(answers), 7)
        for answer in answers:
            self.assertTrue("plan" in answer or answer["infeasible"]["reason"], answer)
        self.assertGreaterEqual(sum("plan" in answer for answer in answers), 6, asked.stdout[:2000])

    def test_token_models_and_tuples(self):
        class Pair(nn.Module):
            def forward(self, x):
                return x, x.mean(-1)

        class Sum(nn.Module):
            def forward(self, x, mean):
                return x + mean.unsqueeze(-1)
        made = profile([nn.Embedding(50, 16), Pair(), Sum(), nn.Linear(16, 50)], torch.zeros(1, 12, dtype=torch.long),
                       micro_batches=[2], file=self.path)
        self.assertEqual(made["layers"][1]["outputs_bytes"], [FLOAT * 2 * 12 * 16, FLOAT * 2 * 12])
        self.assertEqual(run("validate", self.path).returncode, 0)

    def command(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False,
                              cwd=self.folder)

    def test_command_line(self):
        with open(os.path.join(self.folder, "mine.py"), "w", encoding="utf-8") as file:
            file.write("import torch\nfrom torch import nn\n"
                       "def factory():\n    return nn.Sequential(nn.Linear(8, 8), nn.ReLU()), torch.randn(1, 8)\n"
                       "def wrong():\n    return nn.Sequential(nn.Linear(9, 8)), torch.randn(1, 8)\n")
        made = self.command("mine:factory", "-o", self.path, "--micro-batch", "1,2", "--repetitions", "3")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(run("validate", self.path).returncode, 0)
        for arguments, words in ((("mine:wrong",), "failed on its input of shape (1, 8)"),
                                 (("mine:other",), "has no function other"), (("none:factory",), "No module"),
                                 (("mine",), "expected MODULE:FUNCTION"),
                                 (("mine:factory", "--micro-batch", "2,1"), "rising"),
                                 (("mine:factory", "--micro-batch", "x"), "--micro-batch")):
            bad = self.command(*arguments, "-o", os.path.join(self.folder, "bad.json"))
            self.assertEqual(bad.returncode, 2, arguments)
            self.assertIn(words, bad.stderr)
            self.assertNotIn("Traceback", bad.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "bad.json")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
