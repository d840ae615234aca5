// SPDX-License-Identifier: Apache-2.0
// A program that trains a list of modules with PyTorch's pipelining under a plan. Rules:
// torch/distributed/pipelining/{stage,schedules}.py, 2.5 and newer; docs/engines.md lists them.
#include "core/study/engines/pytorch.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/one_line.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/launch_order.hpp"
#include "core/study/engines/module_list.hpp"
#include "core/study/engines/ranks.hpp"

namespace pipedeck::study::engines {

std::string_view pytorch_schedule(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::gpipe:
      return "GPipe";
    case ScheduleKind::interleaved:
      return "Interleaved1F1B";
    case ScheduleKind::zb_v:
      return "ZBVZeroBubble";
    case ScheduleKind::dualpipe_v:
      return "DualPipeV";
    default:
      return "1F1B";
  }
}

namespace {

bool splits_backward(ScheduleKind kind) { return kind == ScheduleKind::zb_v || kind == ScheduleKind::dualpipe_v; }

/// Schedule1F1B and ScheduleDualPipeV refuse fewer than one a stage.
int min_micro_batches(const Plan& plan) {
  const bool one_each = plan.schedule == ScheduleKind::one_f_one_b || plan.schedule == ScheduleKind::dualpipe_v;
  return one_each ? static_cast<int>(plan.stages.size()) : 1;
}

std::string_view boolean(bool value) { return value ? "True" : "False"; }

std::string_view optimizer_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adam:
      return "torch.optim.Adam(parameters, lr=rate)";
    case Optimizer::momentum:
      return "torch.optim.SGD(parameters, lr=rate, momentum=0.9)";
    case Optimizer::rmsprop:
      return "torch.optim.RMSprop(parameters, lr=rate)";
    default:
      return "torch.optim.SGD(parameters, lr=rate)";
  }
}

/// Python's literal for a text is JSON's, but for what is not ASCII, which is escaped here.
std::string quote(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string names_of(const Profile& profile) {
  std::string names;
  for (int layer = 0; layer < module_count(profile); ++layer)
    names += fmt::format("{}{}", layer > 0 ? ", " : "", quote(profile.layers[static_cast<std::size_t>(layer)].name));
  return names;
}

std::vector<int> restarts_of(const Plan& plan, const Profile& profile) {
  std::vector<int> restarts;
  const std::vector<bool> starts = plan::block_starts(profile, order_of(plan, profile));
  for (const Stage& stage : plan.stages)
    for (const plan::RecomputedSegment& segment : plan::recomputed_segments(stage, starts))
      if (segment.first < module_count(profile)) restarts.push_back(segment.first);
  return restarts;
}

std::string stages_of_ranks(const Plan& plan) {
  std::string text;
  for (const PipelineRank& rank : pipeline_ranks(plan))
    text += fmt::format("{}[{}]", text.empty() ? "" : ", ", fmt::join(rank.chunks, ", "));
  return text;
}

std::string device_numbers(const Plan& plan) {
  std::string text;
  for (const DeviceId device : plan::devices_by_process(plan))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", device.value);
  return text;
}

constexpr std::string_view manual = R"py("""
  torchrun --nproc-per-node N --nnodes M THIS.py --model MODULE:FUNCTION --steps 10
  torchrun --nproc-per-node N THIS.py --model MODULE:FUNCTION --steps 10 --trace FOLDER
  python3 THIS.py --model MODULE:FUNCTION --check

The function takes nothing and returns three things: the list of modules that the plan's profile was made of, a
function of output and target that gives the loss, and a function of step, replica and samples that gives inputs and
targets. Training needs PyTorch 2.5 or newer; --check, which compares the stages with the whole model in one process,
needs any. --trace writes what each process did in the last two steps: opened together in Pipedeck, the files are a
timeline over the prediction.
"""
import argparse
import contextlib
import importlib
import inspect
import os
import sys

import torch

)py";

constexpr std::string_view body = R"py(

class Stage(torch.nn.Sequential):
    """The modules of one stage; where RESTARTS has some, their inputs alone are kept, and forwards run again from there."""

    mixed = False
    restarts = ()

    def forward(self, inputs):
        with torch.autocast(inputs.device.type, torch.bfloat16, enabled=self.mixed):
            if not self.restarts or not torch.is_grad_enabled():
                return super().forward(inputs)
            from torch.utils.checkpoint import checkpoint
            modules, ends = list(self), [*self.restarts[1:], len(self)]
            for first, last in zip(self.restarts, ends):
                inputs = checkpoint(torch.nn.Sequential(*modules[first:last]), inputs, use_reentrant=False)
            return inputs


def stage(modules, index):
    first, last = CUTS[index], CUTS[index + 1]
    made = Stage(*modules[first:last])
    made.restarts = tuple(module - first for module in RESTARTS if first <= module < last)
    return made


def load(name):
    module, _, function = name.partition(":")
    sys.path.insert(0, os.getcwd())
    modules, loss, batch = getattr(importlib.import_module(module), function)()
    modules = list(modules)
    if len(modules) != CUTS[-1]:
        sys.exit(f"{name}: found {len(modules)} modules, expected {CUTS[-1]}: {', '.join(LAYERS)}")
    return modules, loss, batch


def check(modules, loss, batch):
    "Compares loss and gradients of the stages, micro-batch by micro-batch, with those of the whole model."
    inputs, targets = batch(0, 0, GLOBAL_BATCH // REPLICAS)
    whole = torch.nn.Sequential(*modules)
    expected = loss(whole(inputs), targets)
    expected.backward()
    wanted = [parameter.grad.clone() for parameter in whole.parameters() if parameter.grad is not None]
    whole.zero_grad()
    stages = [stage(modules, index) for index in range(len(CUTS) - 1)]
    total = 0.0
    for part, target in zip(inputs.chunk(MICRO_BATCHES), targets.chunk(MICRO_BATCHES)):
        value = part
        for one in stages:
            value = one(value)
        found = loss(value, target) / MICRO_BATCHES
        found.backward()
        total += found.item()
    given = [parameter.grad for parameter in whole.parameters() if parameter.grad is not None]
    error = max((float((a - b).abs().max() / (1e-6 + b.abs().max())) for a, b in zip(given, wanted)), default=0.0)
    print(f"loss of the whole {expected.item():.6f}, of {len(stages)} stages {total:.6f}; gradients differ by {error:.1e}")
    if len(given) != len(wanted) or error > 1e-3:
        sys.exit("the stages do not give the whole model's gradients (batch norm and dropout do not, by their nature)")


def schedule_class():
    try:
        from torch.distributed.pipelining.schedules import get_schedule_class
        return get_schedule_class(SCHEDULE)
    except ImportError:
        sys.exit(f"found PyTorch {torch.__version__}, expected 2.5 or newer: torch.distributed.pipelining; "
                 "--check needs no more than this one")
    except ValueError as error:
        sys.exit(f"found PyTorch {torch.__version__}, expected one that has the schedule: {error}")


def make_schedule(stages, loss):
    """Each micro-batch's loss counts for its part of the batch: not every version divides by itself."""
    kind = schedule_class()
    scaling = {"scale_grads": False} if "scale_grads" in inspect.signature(kind.__init__).parameters else {}

    def part_of_loss(output, target):
        return loss(output.float() if MIXED_PRECISION else output, target) / MICRO_BATCHES

    of = stages[0] if SCHEDULE in ("GPipe", "1F1B") else stages
    return kind(of, MICRO_BATCHES, loss_fn=part_of_loss, **scaling)


def replicated(module, group):
    """DistributedDataParallel adds up gradients while the backward pass runs; where the schedule splits that pass it
    sees no gradients of weights, and add_up() has to do it behind the last micro-batch."""
    if not SPLIT_BACKWARD:
        return torch.nn.parallel.DistributedDataParallel(module, process_group=group)
    import torch.distributed as dist
    for tensor in [*module.parameters(), *module.buffers()]:
        dist.broadcast(tensor.data, dist.get_global_rank(group, 0), group=group)
    return module


def add_up(parameters, group):
    import torch.distributed as dist
    for parameter in parameters:
        if parameter.grad is not None:
            dist.all_reduce(parameter.grad, group=group)
            parameter.grad /= REPLICAS


def recording(folder, kind, steps):
    """PyTorch's profiler over the last two steps, behind one that warms it up; a file of each process."""
    if not folder:
        return contextlib.nullcontext()
    import torch.distributed as dist
    from torch.profiler import ProfilerActivity, profile, schedule
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, f"rank{dist.get_rank()}.pt.trace.json")
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA] if kind == "cuda" else [ProfilerActivity.CPU]
    active = min(2, steps)
    warmup = min(1, steps - active)
    return profile(activities=activities,
                   schedule=schedule(wait=steps - active - warmup, warmup=warmup, active=active, repeat=1),
                   on_trace_ready=lambda done: done.export_chrome_trace(file))


def train(modules, loss, batch, steps, rate, trace):
    schedule_class()  # says what is missing before any process waits for another
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.pipelining import PipelineStage

    kind = "cuda" if torch.cuda.is_available() else "cpu"
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    if dist.get_world_size() != len(STAGES_OF_RANK) * REPLICAS:
        sys.exit(f"found {dist.get_world_size()} processes, expected {len(STAGES_OF_RANK) * REPLICAS}")
    device = torch.device(kind, int(os.environ.get("LOCAL_RANK", 0)) if kind == "cuda" else 0)
    if kind == "cuda":
        torch.cuda.set_device(device)
    mesh = init_device_mesh(kind, (len(STAGES_OF_RANK), REPLICAS), mesh_dim_names=("pipeline", "replica"))
    rank, replica = mesh.get_local_rank("pipeline"), mesh.get_local_rank("replica")

    stages = []
    for index in STAGES_OF_RANK[rank]:
        module = stage(modules, index).to(device)
        module.mixed = MIXED_PRECISION
        if REPLICAS > 1:
            module = replicated(module, mesh.get_group("replica"))
        stages.append(PipelineStage(module, index, len(CUTS) - 1, device, group=mesh.get_group("pipeline")))
    parameters = [parameter for one in stages for parameter in one.submod.parameters()]
    optimizer = make_optimizer(parameters, rate)
    schedule = make_schedule(stages, loss)

    first, last = 0 in STAGES_OF_RANK[rank], len(CUTS) - 2 in STAGES_OF_RANK[rank]
    with recording(trace, kind, steps) as recorder:
        for step in range(steps):
            inputs, targets = batch(step, replica, GLOBAL_BATCH // REPLICAS)
            losses = []
            given = [inputs.to(device)] if first else []
            wanted = dict(target=targets.to(device), losses=losses) if last else {}
            schedule.step(*given, **wanted)
            if REPLICAS > 1 and SPLIT_BACKWARD:
                add_up(parameters, mesh.get_group("replica"))
            optimizer.step()
            optimizer.zero_grad()
            if recorder:
                if step == steps - 1:  # taken only while something is recorded
                    recorder.add_metadata_json("pipedeckDevice", str(DEVICE_OF_RANK[dist.get_rank()]))
                recorder.step()
            if last and replica == 0:
                print(f"step {step}: loss {torch.stack(losses).sum().item():.6f}", flush=True)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, metavar="MODULE:FUNCTION")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--trace", metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    model = load(chosen.model)
    if chosen.check:
        check(*model)
    else:
        train(*model, chosen.steps, chosen.learning_rate, chosen.trace)


if __name__ == "__main__":
    main()
)py";

std::string program(const EngineRequest& question) {
  const Plan& plan = question.plan;
  const Grid grid = grid_of(plan);
  std::string text = fmt::format("#!/usr/bin/env python3\n# Plan '{}' for torch.distributed.pipelining.\n",
                                 strip_control_characters(plan.name));
  text += manual;
  text += fmt::format("LAYERS = [{}]\n", names_of(question.profile));
  text += fmt::format("CUTS = [{}]  # stage s has modules CUTS[s] to CUTS[s + 1] - 1\n",
                      fmt::join(module_cuts(plan, question.profile), ", "));
  text += fmt::format("STAGES_OF_RANK = [{}]\n", stages_of_ranks(plan));
  text += fmt::format("DEVICE_OF_RANK = [{}]\n", device_numbers(plan));
  text += fmt::format("REPLICAS = {}\nGLOBAL_BATCH = {}\nMICRO_BATCHES = {}\nSCHEDULE = \"{}\"\n", grid.data,
                      plan.global_batch, plan.micro_batches, pytorch_schedule(plan.schedule));
  text += fmt::format("RESTARTS = [{}]  # modules whose input is kept for recomputation\n",
                      fmt::join(restarts_of(plan, question.profile), ", "));
  text += fmt::format("MIXED_PRECISION = {}  # passes in bfloat16, weights in float32\n",
                      boolean(plan.precision != Precision::fp32));
  text += fmt::format("SPLIT_BACKWARD = {}  # the schedule takes gradients of inputs and of weights apart\n",
                      boolean(splits_backward(plan.schedule)));
  text += "\n" + rank_comment(plan, question.cluster, "# ");
  text += fmt::format("\n\ndef make_optimizer(parameters, rate):\n    return {}\n", optimizer_of(plan.optimizer));
  return text + std::string(body);
}

}  // namespace

Engine pytorch() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules{
      .schedules = {ScheduleKind::one_f_one_b, ScheduleKind::gpipe, ScheduleKind::interleaved, ScheduleKind::zb_v,
                    ScheduleKind::dualpipe_v},
      .tensor_parallel = false,
      .max_zero = 0,
      .recompute_at_once = true,
      .optimizers = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::rmsprop, Optimizer::none},
      .rule_sets = {},
      .min_micro_batches = min_micro_batches,
      .is_valid_boundary = may_cut_modules,
      .model_limitation = [](const Profile& profile) { return module_limitation(profile, "PyTorch's pipelining"); }};
  std::vector<EngineOutput> outputs{{"pytorch", ".py", "a program for PyTorch's pipelining", program}};
  return {"PyTorch's pipelining", "2.5 or newer", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
