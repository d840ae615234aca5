# SPDX-License-Identifier: Apache-2.0
"""Runs a program that wants torch.distributed.pipelining under a PyTorch that has none (Debian 12's 1.13).

  pipelining.py PROCESSES PROGRAM ARGUMENTS...

What stands here keeps the rules that a caller can break, as torch/distributed/pipelining/{stage,schedules}.py at commit
00722e6 has them: which schedule takes a list of stages, how many micro-batches it wants, who divides gradients by
micro-batches, that DistributedDataParallel joins them at a stage's last backward pass, and that gradients of weights
that are taken apart from those of inputs pass it by; passes have PyTorch's names in a trace, which Kineto's stand-in
writes. The order of operations is another one, the same for all schedules: this proves what is computed, not when.
"""
import contextlib
import json
import os
import runpy
import socket
import sys
import time
import types

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Profile:
    """What torch.profiler.profile does with a schedule, and Kineto with annotations and what is told of the process."""

    current = None

    def __init__(self, activities, schedule, on_trace_ready):
        assert torch.profiler.ProfilerActivity.CPU in activities
        self.schedule, self.ready, self.steps, self.events, self.told = schedule, on_trace_ready, 0, [], {}

    def __enter__(self):
        Profile.current, self.start = self, time.time_ns()
        return self

    def __exit__(self, *_):
        Profile.current = None

    def recording(self):
        return self.schedule(self.steps).name.startswith("RECORD")

    def add_metadata_json(self, key, value):
        assert self.recording(), "Kineto takes metadata while it records"
        self.told[key] = json.loads(value)

    def add(self, name, start):
        if self.recording():
            self.events.append(dict(ph="X", cat="user_annotation", name=name, pid=os.getpid(), tid=os.getpid(),
                                    ts=start / 1000, dur=(time.time_ns() - start) / 1000, args={}))

    def step(self):
        self.add(f"ProfilerStep#{self.steps}", self.start)
        if self.schedule(self.steps).name == "RECORD_AND_SAVE":
            self.ready(self)
        self.steps, self.start = self.steps + 1, time.time_ns()

    def export_chrome_trace(self, path):
        told = dict(self.told, distributedInfo=dict(rank=dist.get_rank()), traceEvents=self.events)
        with open(path, "w") as file:
            json.dump(told, file)


@contextlib.contextmanager
def annotated(name):
    start = time.time_ns()
    yield
    if Profile.current:
        Profile.current.add(name, start)


class PipelineStage:
    def __init__(self, submodule, stage_index, num_stages, device, group=None):
        self.submod, self.stage_index, self.num_stages, self.group = submodule, stage_index, num_stages, group
        if dist.get_world_size(group) > num_stages:
            raise ValueError("more processes in the pipeline than stages")

    def forward(self, value):
        if isinstance(self.submod, DistributedDataParallel):
            with self.submod.no_sync():
                return self.submod(value)
        return self.submod(value)

    def backward(self, output, gradient, last):
        if not isinstance(self.submod, DistributedDataParallel):
            torch.autograd.backward(output, gradient)
        elif last:
            self.submod.reducer.prepare_for_backward([output])
            torch.autograd.backward(output, gradient)
        else:
            with self.submod.no_sync():
                torch.autograd.backward(output, gradient)

    def split_backward(self, value, output, gradient):
        """Inputs first, then weights, whose hooks are not called."""
        weights = [weight for weight in self.submod.parameters() if weight.requires_grad]
        wanted = weights + ([value] if value.requires_grad else [])
        found = torch.autograd.grad(output, wanted, gradient)
        for weight, one in zip(weights, found):
            weight.grad = one if weight.grad is None else weight.grad + one
        if value.requires_grad:
            value.grad = found[-1]


def send(tensor, rank, group):
    sizes = torch.zeros(9, dtype=torch.int64)
    sizes[0] = tensor.dim()
    sizes[1:1 + tensor.dim()] = torch.tensor(tensor.shape)
    dist.send(sizes, dist.get_global_rank(group, rank), group=group)
    dist.send(tensor.detach().float().contiguous(), dist.get_global_rank(group, rank), group=group)


def receive(rank, group):
    sizes = torch.zeros(9, dtype=torch.int64)
    dist.recv(sizes, dist.get_global_rank(group, rank), group=group)
    tensor = torch.zeros(sizes[1:1 + int(sizes[0])].tolist())
    dist.recv(tensor, dist.get_global_rank(group, rank), group=group)
    return tensor


class Schedule:
    split = False
    v_shaped = False

    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        self.stages = {one.stage_index: one for one in stages}
        self.count, self.loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        any_stage = stages[0]
        self.last, self.group = any_stage.num_stages - 1, any_stage.group
        self.ranks = dist.get_world_size(self.group)
        for index in self.stages:
            if self.owner(index) != dist.get_rank(self.group):
                raise ValueError(f"stage {index} stands on the wrong rank")

    def owner(self, index):
        turn, place = divmod(index, self.ranks)
        return self.ranks - 1 - place if self.v_shaped and turn % 2 else place

    def step(self, *args, target=None, losses=None):
        inputs = torch.tensor_split(args[0], self.count) if args else None
        targets = torch.tensor_split(target, self.count) if target is not None else None
        kept, own_losses = {}, []
        for part in range(self.count):
            for index in self.stages_in(range(self.last + 1)):
                with annotated(self.name_of("F", index, part)):
                    self.forward_one(index, part, inputs, targets, kept, own_losses)
        for part in range(self.count):
            for index in self.stages_in(reversed(range(self.last + 1))):
                with annotated(self.name_of("I" if self.split else "B", index, part)):
                    self.backward_one(index, part, kept)
        if self.scale_grads:
            for one in self.stages.values():
                for weight in one.submod.parameters():
                    weight.grad.div_(self.count)
        if losses is not None:
            losses[:] = own_losses

    def stages_in(self, order):
        return [index for index in order if index in self.stages]

    def name_of(self, action, index, part):
        return f"PP:{index}{action}{part}"

    def forward_one(self, index, part, inputs, targets, kept, losses):
        before, behind = self.owner(index - 1), self.owner(index + 1)
        if index == 0:
            value = inputs[part]
        elif index - 1 in self.stages:
            value = kept[index - 1, part][1].detach().float()
        else:
            value = receive(before, self.group)
        if index > 0:
            value.requires_grad_()
        output = self.stages[index].forward(value)
        if index == self.last:
            output = self.loss_fn(output, targets[part])
            losses.append(output.detach())
        elif index + 1 not in self.stages:
            send(output, behind, self.group)
        kept[index, part] = value, output

    def backward_one(self, index, part, kept):
        value, output = kept[index, part]
        gradient = None
        if index + 1 in self.stages:
            gradient = kept[index + 1, part][0].grad
        elif index < self.last:
            gradient = receive(self.owner(index + 1), self.group)
        if gradient is not None:
            gradient = gradient.to(output.dtype)
        one = self.stages[index]
        if self.split:
            one.split_backward(value, output, gradient)
        else:
            one.backward(output, gradient, part == self.count - 1)
        if index > 0 and index - 1 not in self.stages:
            send(value.grad, self.owner(index - 1), self.group)


class OfOneStage(Schedule):
    def __init__(self, stage, n_microbatches, loss_fn=None, scale_grads=True):
        if isinstance(stage, list):
            raise TypeError("expected one stage")
        super().__init__([stage], n_microbatches, loss_fn, scale_grads)

    def name_of(self, action, index, part):
        return f"{'Forward' if action == 'F' else 'Backward'} {part}"


class OfSeveral(Schedule):
    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        if not isinstance(stages, list):
            raise TypeError("expected a list of stages")
        super().__init__(stages, n_microbatches, loss_fn, scale_grads)


class ScheduleGPipe(OfOneStage):
    pass


class Schedule1F1B(OfOneStage):
    def __init__(self, stage, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(stage, n_microbatches, loss_fn, scale_grads)
        if n_microbatches < self.last + 1:
            raise ValueError("expected as many micro-batches as stages")


class ScheduleInterleaved1F1B(OfSeveral):
    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(stages, n_microbatches, loss_fn, scale_grads)
        if n_microbatches % max(1, n_microbatches // self.ranks) != 0:
            raise ValueError("expected micro-batches that are a multiple of the rounds")


class ScheduleZBVZeroBubble(OfSeveral):
    split = v_shaped = True

    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(stages, n_microbatches, loss_fn, scale_grads)
        if len(stages) != 2:
            raise ValueError("expected two stages")


class ScheduleDualPipeV(ScheduleZBVZeroBubble):
    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(stages, n_microbatches, loss_fn, scale_grads)
        if n_microbatches < self.last + 1:
            raise ValueError("expected as many micro-batches as stages")


def get_schedule_class(name):
    for kind in (ScheduleGPipe, Schedule1F1B, ScheduleInterleaved1F1B, ScheduleZBVZeroBubble, ScheduleDualPipeV):
        if kind.__name__.lower() == "schedule" + name.lower():
            return kind
    raise ValueError(f"Unknown schedule name '{name}'")


class Mesh:
    """Ranks row by row, a group each row and each column."""

    def __init__(self, _, shape, mesh_dim_names):
        rows, columns = shape
        place = divmod(dist.get_rank(), columns)
        self.places = dict(zip(mesh_dim_names, place))
        down = [dist.new_group([row * columns + column for row in range(rows)]) for column in range(columns)]
        across = [dist.new_group([row * columns + column for column in range(columns)]) for row in range(rows)]
        self.groups = dict(zip(mesh_dim_names, (down[place[1]], across[place[0]])))

    def get_local_rank(self, name):
        return self.places[name]

    def get_group(self, name):
        return self.groups[name]


def install(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


install("torch.distributed.pipelining", PipelineStage=PipelineStage)
install("torch.distributed.pipelining.schedules", get_schedule_class=get_schedule_class)
install("torch.distributed.device_mesh", init_device_mesh=Mesh)
torch.profiler.profile = Profile
torch.set_num_threads(1)
processes = int(sys.argv[1])
sys.argv = sys.argv[2:]
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
children = []
for rank in range(processes):
    child = os.fork()
    if child == 0:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE=str(processes), RANK=str(rank),
                          LOCAL_RANK=str(rank))
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.exit()
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0 for child in children))
