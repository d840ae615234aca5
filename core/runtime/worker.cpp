// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/worker.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck {

Worker::Worker(std::size_t index, WorkerContext context, StageModule module, OptimizerState optimizer,
               std::shared_ptr<DeviceMemory> memory, std::int64_t input_width, std::int64_t target_width)
    : index_(index),
      context_(context),
      module_(std::move(module)),
      optimizer_(std::move(optimizer)),
      memory_(std::move(memory)),
      input_width_(input_width),
      target_width_(target_width) {}

void Worker::run_step(std::uint64_t step, RunClock::time_point begin) {
  step_ = step;
  begin_ = begin;
  record_ = {};
  memory_->restart_peak();
  const int count = operation_count(me().order);
  for (int i = 0; i < count; ++i) run_operation(operation_at(me().order, i));
  if (context_.layout.replicas[me().stage.index()].size() > 1) reduce_gradients();
  step_optimizer();
  record_.peak = memory_->peak();
}

void Worker::run_operation(Operation operation) {
  context_.control.throw_if_interrupted();
  switch (operation.kind) {
    case OpKind::forward:
      return run_forward(operation);
    case OpKind::backward:
    case OpKind::backward_input:
      return run_backward(operation);
    case OpKind::backward_weight:
      return timed(operation, [&] { module_.backward_weight(operation.micro_batch); });
    case OpKind::recompute:
      return timed(operation, [&] { module_.recompute(operation.micro_batch); });
    default:
      ensure(false, "a lane holds compute operations only");
  }
}

void Worker::run_forward(Operation operation) {
  enter(operation, WaitsFor::activation);
  Tensor input = first_stage() ? samples_of(operation.micro_batch, false) : receive(operation.micro_batch, false);
  Tensor targets = last_stage() ? samples_of(operation.micro_batch, true) : Tensor();
  Tensor output;
  timed(operation, [&] { output = module_.forward(operation.micro_batch, std::move(input), std::move(targets)); });
  if (!last_stage()) send(std::move(output), operation.micro_batch, false);
}

void Worker::run_backward(Operation operation) {
  enter(operation, WaitsFor::gradient);
  Tensor gradient = last_stage() ? Tensor() : receive(operation.micro_batch, true);
  const bool weights_too = operation.kind == OpKind::backward;
  timed(operation, [&] { gradient = module_.backward(operation.micro_batch, std::move(gradient), weights_too); });
  if (!first_stage()) send(std::move(gradient), operation.micro_batch, true);
}

void Worker::reduce_gradients() {
  const Operation operation{OpKind::all_reduce, me().stage, 0};
  enter(operation, WaitsFor::all_reduce);
  const auto began =
      context_.groups[me().stage.index()].all_reduce(me().replica, module_.gradients().values(), context_.control);
  const Nanoseconds start = since_begin(began);
  record_.all_reduces.push_back({start, since_begin(RunClock::now()) - start, operation});
}

void Worker::step_optimizer() {
  if (!context_.control.commit()) throw Interrupted{};
  timed({OpKind::optimizer, me().stage, 0}, [&] { optimizer_.update(module_.parameters(), module_.gradients()); });
}

Tensor Worker::samples_of(int micro_batch, bool targets) const {
  Tensor values(memory_, me().samples, targets ? target_width_ : input_width_);
  const std::uint64_t global_batch =
      static_cast<std::uint64_t>(context_.micro_batch) * static_cast<std::uint64_t>(context_.micro_batches);
  const std::uint64_t first =
      step_ * global_batch +
      static_cast<std::uint64_t>(micro_batch) * static_cast<std::uint64_t>(context_.micro_batch) +
      static_cast<std::uint64_t>(me().first_sample);
  const auto width = static_cast<std::size_t>(values.width());
  for (std::size_t i = 0; i < static_cast<std::size_t>(me().samples); ++i) {
    const auto sample = values.values().subspan(i * width, width);
    targets ? context_.source.target(first + i, sample) : context_.source.input(first + i, sample);
  }
  return values;
}

/// A transfer lasts from when it is sent, or when this worker first looks for it, to when it is whole here: what lies
/// in the mailbox while its receiver computes costs nobody anything.
Tensor Worker::receive(int micro_batch, bool gradient) {
  const auto& exchanges = gradient ? me().next : me().previous;
  Tensor whole;
  int filled = 0;
  for (const Exchange& exchange : exchanges) {
    const Placement& peer = context_.layout.placements[exchange.peer];
    const auto looked = RunClock::now();
    Message message = context_.mailboxes[index_].take({gradient, micro_batch, peer.replica}, context_.control);
    if (exchanges.size() == 1) {
      whole = std::move(message.tensor);
    } else {
      if (whole.empty()) whole = Tensor(memory_, me().samples, message.tensor.width());
      std::copy_n(message.tensor.data(), message.tensor.size(), whole.data() + filled * whole.width());
      filled += message.tensor.samples();
    }
    const Nanoseconds start = since_begin(std::max(looked, message.posted));
    record_.transfers.push_back(
        {exchange.peer, {start, since_begin(RunClock::now()) - start, {OpKind::send, peer.stage, micro_batch}}});
  }
  return whole;
}

void Worker::send(Tensor tensor, int micro_batch, bool gradient) {
  for (const Exchange& exchange : gradient ? me().previous : me().next) {
    const auto posted = RunClock::now();
    Mailbox& mailbox = context_.mailboxes[exchange.peer];
    Tensor part = exchange.count == tensor.samples() ? std::move(tensor)
                                                     : tensor.slice(exchange.first, exchange.count, mailbox.memory());
    mailbox.post({gradient, micro_batch, me().replica}, {std::move(part), posted});
  }
}

void Worker::timed(Operation operation, const std::function<void()>& work) {
  enter(operation, WaitsFor::nothing);
  const Nanoseconds start = since_begin(RunClock::now());
  work();
  const Nanoseconds duration = since_begin(RunClock::now()) - start;
  record_.compute.push_back({start, duration, operation});
  record_.busy += duration;
}

void Worker::enter(Operation operation, WaitsFor waits_for) {
  current_ = operation;
  context_.control.now_doing(index_, {operation, waits_for, false, {}});
}

Nanoseconds Worker::since_begin(RunClock::time_point time) const {
  return Nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(time - begin_).count());
}

}  // namespace pipedeck
