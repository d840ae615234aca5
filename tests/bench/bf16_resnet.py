#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far 16-bit factors carry a small ResNet from where 32 bits train it, in PyTorch on the processor: the model, batch,
steps and rule of tst_cuda_training's case "ResNet", over several seeds. The figure is that test's: the distance of the
weights from fp32's, over how far training has moved these. Once with PyTorch's autocast, and once with what goes into
and comes out of each convolution rounded by hand, as convolutions in bf16 do here; with relu within the residual
blocks, and with gelu, which has no kink.

    tests/bench/bf16_resnet.py [--seeds 20]
"""
import argparse
import math
import statistics

import torch
from torch import nn
from torch.nn import functional

SIDE, CHANNELS, CLASSES, BATCH, STEPS, RATE = 8, 8, 4, 8, 3, 0.05


def gelu(x):
    return functional.gelu(x, approximate="tanh")


def rounded(x):
    return x.to(torch.bfloat16).float()


class RoundedConvolution(torch.autograd.Function):
    """Sums in 32 bits of 16-bit factors; results and gradients are rounded, too."""

    @staticmethod
    def forward(ctx, x, weight, stride, padding):
        x, weight = rounded(x), rounded(weight)
        ctx.save_for_backward(x, weight)
        ctx.how = stride, padding
        return rounded(functional.conv2d(x, weight, None, stride, padding))

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        gradient = rounded(gradient)
        return (rounded(nn.grad.conv2d_input(x.shape, weight, gradient, *ctx.how)),
                rounded(nn.grad.conv2d_weight(x, weight.shape, gradient, *ctx.how)), None, None)


class Unit(nn.Module):
    """A convolution and its batch norm."""

    def __init__(self, way, channels, out, kernel, stride):
        super().__init__()
        self.way, self.how = way, (stride, kernel // 2)
        deviation = math.sqrt(2 / (channels * kernel * kernel))
        self.weight = nn.Parameter(torch.randn(out, channels, kernel, kernel) * deviation)
        self.norm = nn.BatchNorm2d(out)

    def forward(self, x):
        convolve = RoundedConvolution.apply if self.way == "by hand" else lambda x, w, s, p: functional.conv2d(
            x, w, None, s, p)
        return self.norm(convolve(x, self.weight, *self.how).float())


class Block(nn.Module):
    def __init__(self, activation, path, projection=None):
        super().__init__()
        self.activation, self.path, self.projection = activation, nn.ModuleList(path), projection

    def forward(self, x):
        y = x
        for unit in self.path[:-1]:
            y = self.activation(unit(y))
        return self.activation(self.path[-1](y) + (self.projection(x) if self.projection else x))


class Net(nn.Module):
    def __init__(self, way, activation):
        super().__init__()
        c = CHANNELS
        self.first = Unit(way, 1, c, 3, 1)
        self.blocks = nn.Sequential(
            Block(activation, [Unit(way, c, c, 3, 1), Unit(way, c, c, 3, 1)]),
            Block(activation, [Unit(way, c, 4, 1, 1), Unit(way, 4, 4, 3, 2), Unit(way, 4, 2 * c, 1, 1)],
                  Unit(way, c, 2 * c, 1, 2)))
        self.last = nn.Linear(2 * c * (SIDE // 8) ** 2, CLASSES)

    def forward(self, x):
        x = self.blocks(functional.max_pool2d(gelu(self.first(x)), 2))
        return self.last(functional.avg_pool2d(x, 2).flatten(1)).float()


def trained(seed, way, activation, micro_batch):
    """The weights before and after."""
    torch.manual_seed(seed)
    net = Net(way, activation)
    before = [p.detach().clone() for p in net.parameters()]
    patterns = torch.randn(CLASSES, 1, SIDE // 2, SIDE // 2).repeat_interleave(2, 2).repeat_interleave(2, 3)
    for _ in range(STEPS):
        net.zero_grad()
        targets = torch.randint(CLASSES, (BATCH,))
        images = patterns[targets] + torch.randn(BATCH, 1, SIDE, SIDE)
        for first in range(0, BATCH, micro_batch):
            part = slice(first, first + micro_batch)
            with torch.autocast("cpu", torch.bfloat16, enabled=way == "autocast"):
                logits = net(images[part])
            (functional.cross_entropy(logits, targets[part], reduction="sum") / BATCH).backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= RATE * p.grad
    return before, [p.detach() for p in net.parameters()]


def distance(one, other):
    return math.sqrt(sum(((a - b) ** 2).sum().item() for a, b in zip(one, other)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seeds", type=int, default=20)
    given = arguments.parse_args()
    for name, activation in (("relu", torch.relu), ("gelu", gelu)):
        for micro_batch in (4, 8):
            for way in ("by hand", "autocast"):
                apart = []
                for seed in range(given.seeds):
                    before, expected = trained(seed, "fp32", activation, micro_batch)
                    _, found = trained(seed, way, activation, micro_batch)
                    apart.append(distance(found, expected) / distance(before, expected))
                print(f"{name}, micro-batches of {micro_batch}, {way:8}: {min(apart):.3f} to {max(apart):.3f}, "
                      f"median {statistics.median(apart):.3f}", flush=True)


if __name__ == "__main__":
    main()
