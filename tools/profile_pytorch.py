#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles a PyTorch model layer by layer and writes a Pipedeck profile.

From a program:

    from profile_pytorch import profile
    profile(model, example_input, micro_batches=(1, 2, 4), file="my.profile.json")

From the command line, where `factory` is a function without arguments in my_model.py (or a package's module) that
returns the model and an example input, the first dimension of which is the samples:

    profile_pytorch.py my_model:factory -o my.profile.json --micro-batch 1,2,4 --device cuda

A model is an `nn.Sequential`, or any list of modules of which each takes what the one before it gives (a tensor, or a
tuple of tensors). With `loss`, a function of the last output that gives a scalar, the loss is counted into the last
layer, as Pipedeck's own profiler does.

Measured, a layer and a size: the median of forward, of both gradients, and of the weights' gradient alone (by asking
for the input's gradient alone); what autograd keeps for the backward pass (distinct storages, parameters and buffers
left out); parameters, output, and on CUDA the workspace. Needs PyTorch 1.13 or newer.
"""
import argparse
import contextlib
import importlib
import json
import os
import statistics
import sys
import time

import torch
from torch import nn

__all__ = ["profile", "write"]


# ---- tensors, tuples of them

def tensors_in(value):
    """All tensors of a tensor or of nested tuples, lists and dictionaries, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [tensor for one in value.values() for tensor in tensors_in(one)]
    if isinstance(value, (list, tuple)):
        return [tensor for one in value for tensor in tensors_in(one)]
    return []


def mapped(value, change):
    """The same nesting with `change` of each tensor."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, dict):
        return type(value)((key, mapped(one, change)) for key, one in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
        return type(value)(*(mapped(one, change) for one in value))
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(one, change) for one in value)
    return value


def differentiable(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def storage_of(tensor):
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return storage.data_ptr(), storage.nbytes()


def with_samples(value, samples):
    """The example with so many samples: its own ones, again and again."""
    def change(tensor):
        if tensor.dim() == 0:
            return tensor
        there = tensor.shape[0]
        return tensor.repeat((samples + there - 1) // there, *[1] * (tensor.dim() - 1))[:samples].contiguous()
    return mapped(value, change)


# ---- layers

def layers_of(modules):
    """[(name, module)], nested nn.Sequential taken apart, names unique."""
    def walk(prefix, module):
        if type(module) is nn.Sequential:
            for name, child in module.named_children():
                yield from walk(f"{prefix}.{name}" if prefix else name, child)
        else:
            yield prefix, module

    if isinstance(modules, nn.Module):
        found = list(walk("", modules))
    else:
        found = [pair for i, module in enumerate(modules) for pair in walk(str(i), module)]
    if not found:
        raise ValueError("found no layers, expected an nn.Sequential or a list with at least one module")
    for name, module in found:
        if not isinstance(module, nn.Module):
            raise TypeError(f"layer {name}: found {type(module).__name__}, expected an nn.Module")
    return [(f"{name}_{type(module).__name__}".lstrip("_"), module) for name, module in found]


KINDS = (("embedding", "embedding"), ("layernorm", "layer_norm"), ("batchnorm", "batch_norm"), ("conv", "convolution"),
         ("lstm", "lstm"), ("linear", "linear"), ("maxpool", "max_pool"), ("avgpool", "average_pool"),
         ("transformer", "transformer"), ("block", "transformer"))


def kind_of(module):
    name = type(module).__name__.lower()
    return next((kind for part, kind in KINDS if part in name), name)


def parameters_of(module):
    seen = {}
    for parameter in module.parameters():
        seen[parameter.data_ptr()] = bytes_of(parameter)
    return sum(seen.values())


# ---- one pass

class Kept:
    """What autograd keeps while it is entered: distinct storages, without those of the module's own tensors."""

    def __init__(self, module):
        own = list(module.parameters()) + list(module.buffers())
        self.left_out = {storage_of(tensor)[0] for tensor in own}
        self.storages = {}
        self.tensors = []  # held, so that a place is not given to another one meanwhile

    def pack(self, tensor):
        if tensor.layout == torch.strided:
            place, size = storage_of(tensor)
            if place and place not in self.left_out:
                self.storages[place] = size
                self.tensors.append(tensor)
        return tensor

    def hooks(self):
        return torch.autograd.graph.saved_tensors_hooks(self.pack, lambda tensor: tensor)

    def bytes(self):
        return sum(self.storages.values())


class Clock:
    """Milliseconds between two moments: events on CUDA, the processor's clock else."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def time(self, work):
        if not self.cuda:
            start = time.perf_counter()
            result = work()
            return (time.perf_counter() - start) * 1e3, result
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        result = work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end), result


class LayerRun:
    """A layer on an input of one size: its passes, one at a time."""

    def __init__(self, name, module, value, loss=None, first=False):
        self.name, self.module, self.value, self.loss = name, module, value, loss
        self.first = first  # of the model: its input's gradient is not wanted
        self.parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]

    def forward(self, value):
        try:
            output = self.module(*value) if isinstance(value, tuple) else self.module(value)
            return output if self.loss is None else self.loss(output)
        except Exception as error:
            shapes = ", ".join(str(tuple(tensor.shape)) for tensor in tensors_in(value))
            raise RuntimeError(f"layer {self.name} failed on its input of shape {shapes}: {error}") from error

    def fresh_input(self):
        """(what gradients are asked for, the input made of it): a copy, since layers may work on it in place."""
        def leaf(tensor):
            return tensor.detach().clone().requires_grad_(differentiable(tensor) and not self.first)
        leaves = mapped(self.value, leaf)
        wanted = [tensor for tensor in tensors_in(leaves) if tensor.requires_grad]
        return wanted, mapped(leaves, torch.clone)

    def gradients(self, output, wanted):
        """Of the sum of all outputs that have one, by what is `wanted`."""
        sources = [tensor for tensor in tensors_in(output) if tensor.requires_grad]
        if not sources or not wanted:
            return
        torch.autograd.grad(sources, wanted, [torch.ones_like(tensor) for tensor in sources], allow_unused=True)

def timed(run, clock):
    """(forward, both gradients, the input's gradient alone) in ms, of a graph each."""
    inputs, value = run.fresh_input()
    clock.wait()
    forward, output = clock.time(lambda: run.forward(value))
    both, _ = clock.time(lambda: run.gradients(output, inputs + run.parameters))
    alone = 0.0
    if inputs and run.parameters:
        inputs, value = run.fresh_input()
        output = run.forward(value)
        clock.wait()
        alone, _ = clock.time(lambda: run.gradients(output, inputs))
    elif inputs:
        alone = both
    return forward, both, alone


def workspace_of(run, device, saved, output_bytes):
    """On CUDA: most memory beside what was there, what is kept and what comes out. 0 on the CPU: nobody counts there."""
    if device.type != "cuda":
        return 0
    inputs, value = run.fresh_input()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    output = run.forward(value)
    run.gradients(output, inputs + run.parameters)
    torch.cuda.synchronize()
    return max(0, torch.cuda.max_memory_allocated() - before - saved - output_bytes)


# ---- a size

def spread_of(forward, both):
    def quartiles(times):
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return [low, high]
    return {"repetitions": len(forward), "forward_ms": quartiles(forward), "backward_ms": quartiles(both)}


def measure_layer(run, clock, repetitions, warm_ups):
    kept = Kept(run.module)
    _, value = run.fresh_input()
    with kept.hooks():
        output = run.forward(value)
    del output
    figures = {"saved_bytes": kept.bytes()}
    times = [timed(run, clock) for _ in range(warm_ups + repetitions)][warm_ups:]
    forward, both, alone = ([time[i] for time in times] for i in range(3))
    backward = statistics.median(both)
    figures["forward_ms"] = statistics.median(forward)
    figures["backward_ms"] = backward
    figures["backward_weight_ms"] = min(backward, max(0.0, backward - statistics.median(alone)))
    figures["spread"] = spread_of(forward, both)
    return figures


def measure(layers, example, loss, samples, device, repetitions, warm_ups, say):
    value = with_samples(example, samples)
    clock = Clock(device)
    measured = []
    for i, (name, module) in enumerate(layers):
        say(f"micro-batch {samples}: {name}")
        run = LayerRun(name, module, value, loss if i + 1 == len(layers) else None, i == 0)
        figures = measure_layer(run, clock, repetitions, warm_ups)
        with torch.no_grad():
            value = mapped(LayerRun(name, module, None).forward(mapped(value, torch.clone)),
                           lambda tensor: tensor.detach().contiguous())
        outputs = [bytes_of(tensor) for tensor in tensors_in(value)]
        figures["output_bytes"] = sum(outputs)
        figures["outputs_bytes"] = outputs
        figures["workspace_bytes"] = workspace_of(run, device, figures["saved_bytes"], figures["output_bytes"])
        measured.append(figures)
    return measured


# ---- the profile

def device_name(device):
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


def layer_json(name, module, points, sizes):
    base = points[0]
    layer = {"name": name, "kind": kind_of(module)}
    for key in ("forward_ms", "backward_ms", "backward_weight_ms", "output_bytes"):
        layer[key] = base[key]
    if len(base["outputs_bytes"]) > 1:
        layer["outputs_bytes"] = base["outputs_bytes"]
    layer["saved_bytes"] = base["saved_bytes"]
    layer["parameter_bytes"] = parameters_of(module)
    layer["workspace_bytes"] = base["workspace_bytes"]
    layer["spread"] = base["spread"]
    keys = ("forward_ms", "backward_ms", "backward_weight_ms", "saved_bytes", "workspace_bytes", "spread")
    if len(sizes) > 1:
        layer["at"] = [{"micro_batch": size, **{key: point[key] for key in keys}}
                       for size, point in zip(sizes, points)]
    return layer


@contextlib.contextmanager
def as_it_was(layers):
    """Training mode for the time being; buffers (running statistics) are put back."""
    modes = [module.training for _, module in layers]
    buffers = [(buffer, buffer.detach().clone()) for _, module in layers for buffer in module.buffers()]
    for _, module in layers:
        module.train()
    try:
        yield
    finally:
        for (_, module), mode in zip(layers, modes):
            module.train(mode)
        with torch.no_grad():
            for buffer, value in buffers:
                buffer.copy_(value)


def check_sizes(sizes):
    sizes = list(sizes)
    if not sizes or any(size < 1 for size in sizes) or sorted(set(sizes)) != sizes:
        raise ValueError(f"micro-batch sizes: found {sizes}, expected whole numbers of 1 or more, each once, rising")
    return sizes


def profile(modules, example_input, *, micro_batches=(1, 2, 4), name=None, loss=None, device=None, device_type=None,
            repetitions=11, warm_ups=3, file=None, progress=None):
    """The profile as a dictionary; written into `file` where one is given.

    modules        an nn.Sequential, or a list of modules; they are moved to `device`
    example_input  what the first one takes: a tensor, or a tuple of tensors, samples first. Its samples are repeated
    micro_batches  sizes to measure, ascending; the first is the profile's own
    loss           of the last output, to a scalar; counted into the last layer
    device         a torch device; where it is not given, that of the first parameter
    device_type    what the cluster calls that device; where it is not given, the device's name
    repetitions    of which the median is taken, at least 2
    progress       called with a line of text now and then
    """
    sizes = check_sizes(micro_batches)
    if repetitions < 2 or warm_ups < 0:
        raise ValueError("expected 2 repetitions or more, and no fewer than 0 warm-ups")
    layers = layers_of(modules)
    there = next((parameter.device for _, module in layers for parameter in module.parameters()), None)
    device = torch.device(device) if device else there or torch.device("cpu")
    for _, module in layers:
        module.to(device)
    example = mapped(example_input, lambda tensor: tensor.detach().to(device))
    if not tensors_in(example):
        raise TypeError("example_input: found no tensor, expected one, or a tuple of them")
    say = progress or (lambda text: None)
    with as_it_was(layers), torch.random.fork_rng():
        by_size = [measure(layers, example, loss, size, device, repetitions, warm_ups, say) for size in sizes]
    result = {
        "format": "pipedeck.profile", "version": 1, "name": name or getattr(type(modules), "__name__", "model"),
        "source": f"measured with PyTorch {torch.__version__} on {device_name(device)}, medians of {repetitions}",
        "device": device_type or device_name(device), "micro_batch": sizes[0],
        "layers": [layer_json(layer, module, [points[i] for points in by_size], sizes)
                   for i, (layer, module) in enumerate(layers)]}
    if file:
        write(result, file)
    return result


def write(result, file):
    """Written beside it first, so that the file is whole or not there."""
    text = json.dumps(result, indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
        return
    part = f"{file}.part"
    with open(part, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, file)


# ---- the command line

def made(factory):
    """(modules, example input) of "module:function"."""
    module_name, colon, function = factory.partition(":")
    if not colon or not function:
        raise ValueError(f"found {factory}, expected MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())
    if module_name.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(module_name)))
        module_name = os.path.basename(module_name)[:-3]
    found = getattr(importlib.import_module(module_name), function, None)
    if not callable(found):
        raise ValueError(f"{module_name} has no function {function}")
    answer = found()
    if not isinstance(answer, tuple) or len(answer) not in (2, 3):
        raise ValueError(f"{factory}: found {type(answer).__name__}, expected (model, example input) or "
                         "(model, example input, loss)")
    return answer if len(answer) == 3 else (*answer, None)


def sizes_in(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description="Profiles a PyTorch model and writes a Pipedeck profile.")
    parser.add_argument("factory", help="MODULE:FUNCTION that returns (model, example input) or, third, a loss")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the profile; - is standard output")
    parser.add_argument("--micro-batch", type=sizes_in, default=[1, 2, 4], metavar="N,N...",
                        help="sizes to measure, the profile's own first (default 1,2,4)")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda, cuda:1 ... (default: where the model is)")
    parser.add_argument("--device-type", metavar="TYPE", help="what the cluster calls that device")
    parser.add_argument("--name", help="of the model (default: the function's)")
    parser.add_argument("--repetitions", type=int, default=11, metavar="N")
    parser.add_argument("--threads", type=int, metavar="N", help="processor threads of PyTorch")
    arguments = parser.parse_args()
    say = (lambda text: print(text, file=sys.stderr)) if sys.stderr.isatty() else None
    try:
        if arguments.threads:
            torch.set_num_threads(arguments.threads)
        modules, example, loss = made(arguments.factory)
        profile(modules, example, micro_batches=arguments.micro_batch, loss=loss, device=arguments.device,
                device_type=arguments.device_type, name=arguments.name or arguments.factory.partition(":")[2],
                repetitions=arguments.repetitions, file=arguments.output, progress=say)
    except (ValueError, TypeError, RuntimeError, ImportError, AttributeError, OSError) as error:
        print(f"profile_pytorch.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
