// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/worker.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/layers/context.hpp"

namespace pipedeck::runtime::exec {

Worker::Worker(std::size_t index, WorkerContext context, std::deque<WorkerStage> stages, transport::Endpoint& endpoint,
               std::shared_ptr<tensor::DeviceMemory> memory)
    : index_(index), context_(context), stages_(std::move(stages)), endpoint_(endpoint), memory_(std::move(memory)) {
  completing_.resize(stages_.size(), -1);
  if (!context_.layout.synchronous()) return;
  for (int i = 0; i < operation_count(me().order); ++i) {
    const Operation operation = operation_at(me().order, i);
    if (operation.kind == OpKind::backward || operation.kind == OpKind::backward_weight)
      completing_[me().chunk(operation.stage, context_.layout.copy_of(operation.micro_batch))->module] = i;
  }
}

StepReport Worker::run_step(std::uint64_t step, tensor::RunClock::time_point begin) {
  step_ = step;
  begin_ = begin;
  memory_->restart_peak();
  if (step == 1) reserve_receive_buffers();
  const int count = operation_count(me().order);
  for (int i = 0; i < count;) i = run(i);
  // All devices process the stages in one order, so that no two wait for each other.
  for (std::size_t s = 0; s < stages_.size(); ++s) reduce(s, 0);
  for (std::size_t s = 0; s < stages_.size(); ++s) reduce_table(s);
  for (std::size_t s = 0; s < stages_.size(); ++s) update(s, 0, false);
  return end_report();
}

void Worker::run_all(tensor::RunClock::time_point begin, const std::function<void(StepReport)>& done) {
  begin_ = begin;
  memory_->restart_peak();
  const auto& order = std::get<AlternatingOrder>(me().order);
  const int step = context_.layout.micro_batches;
  int next_backward = order.first, steps = 0;
  std::deque<int> put_off;  ///< forwards that a pause delays
  const auto end_steps = [&](int up_to) {
    for (; steps < up_to; ++steps) done(end_report());
  };
  end_steps(next_backward / step);
  const int count = operation_count(order);
  for (int i = 0; i < count; ++i) {
    const Operation operation = operation_at(order, i);
    run_deferred(put_off);
    if (operation.kind == OpKind::forward) {
      put_off.push_back(i);
      run_deferred(put_off);
      continue;
    }
    while (context_.admission.ask(operation.micro_batch) == transport::Admission::Entry::paused) {
      wait_for_the_pause_to_end(operation.micro_batch);
      run_deferred(put_off);
    }
    if (context_.admission.ask(operation.micro_batch) == transport::Admission::Entry::rejected) break;
    run(i);
    if (operation.kind != OpKind::backward) continue;
    finish_backward(operation.micro_batch);
    if (steps == 0 && !reserved_) reserve_receive_buffers();
    next_backward = operation.micro_batch + order.stride;
    end_steps((admitted(next_backward) ? next_backward : context_.admission.end()) / step);
  }
}

bool Worker::admitted(int micro_batch) {
  return context_.admission.ask(micro_batch) == transport::Admission::Entry::in;
}

/// Runs delayed forwards that are admitted. When a pause begins, the remaining list starts with delayed forwards; later
/// backwards finish the mini-batches that were begun.
void Worker::run_deferred(std::deque<int>& put_off) {
  while (!put_off.empty() && admitted(operation_at(me().order, put_off.front()).micro_batch)) {
    run(put_off.front());
    put_off.pop_front();
  }
}

/// Waits for the end of a pause. All steps before it are reported: the following time belongs to the next step.
void Worker::wait_for_the_pause_to_end(int micro_batch) {
  context_.control.set_idle(index_);
  context_.admission.wait_while_held(micro_batch);
  report_begin_ = elapsed(tensor::RunClock::now());
}

/// Runs the operation at `position` with its joined ones: they start when all can and deliver when all are done.
int Worker::run(int position) {
  std::vector<Pass> passes;
  do {
    passes.push_back(prepare(position++));
  } while (passes.back().operation.overlapped_with_next);
  for (Pass& pass : passes) compute(pass);
  for (Pass& pass : passes) deliver(std::move(pass));
  return position;
}

Worker::Pass Worker::prepare(int position) {
  context_.control.throw_if_interrupted();
  const Operation operation = operation_at(me().order, position);
  Pass pass;
  pass.operation = operation;
  pass.chunk = me().chunk(operation.stage, context_.layout.copy_of(operation.micro_batch));
  pass.completes = completing_[pass.chunk->module] == position;
  const StageModule& module = module_of(*pass.chunk);
  if (operation.kind == OpKind::forward) {
    enter(operation, transport::WaitReason::activation);
    if (!module.first()) pass.input = receive(*pass.chunk, operation.micro_batch, false);
  } else if (operation.kind == OpKind::backward || operation.kind == OpKind::backward_input) {
    enter(operation, transport::WaitReason::gradient);
    if (!module.last()) pass.input = receive(*pass.chunk, operation.micro_batch, true);
  }
  return pass;
}

void Worker::compute(Pass& pass) {
  const Operation operation = pass.operation;
  const int micro_batch = operation.micro_batch;
  StageModule& module = module_of(*pass.chunk);
  if (operation.kind == OpKind::recompute && module.reruns_in_backward()) return;
  const StageModule::LayerDone layer_done = pass.completes ? reducing(pass.chunk->module) : nullptr;
  StageModule::RerunTimes reruns;
  timed(operation, [&] {
    switch (operation.kind) {
      case OpKind::forward: {
        if (module.first()) pass.input = samples_of(*pass.chunk, micro_batch, false);
        if (module.last()) pass.targets = samples_of(*pass.chunk, micro_batch, true);
        const auto& staleness = context_.layout.staleness;
        const int version = staleness ? staleness->version(operation.stage.index(), micro_batch) : module.version();
        pass.output = module.forward(micro_batch, std::move(pass.input), std::move(pass.targets), version);
        break;
      }
      case OpKind::backward:
      case OpKind::backward_input:
        pass.output = module.backward(micro_batch, std::move(pass.input), operation.kind == OpKind::backward,
                                      layer_done, &reruns);
        break;
      case OpKind::backward_weight:
        module.backward_weight(micro_batch, layer_done);
        break;
      case OpKind::recompute:
        module.recompute(micro_batch);
        break;
      default:
        ensure(false, "a lane holds compute operations only");
    }
  });
  const bool backward = operation.kind == OpKind::backward || operation.kind == OpKind::backward_input;
  if (backward && module.reruns_in_backward()) records_.compute.back().reruns = std::move(reruns);
  if (operation.kind == OpKind::forward && module.last() && pass.chunk->tensor_rank == 0)
    records_.losses.push_back({micro_batch, module.release_loss()});
}

void Worker::deliver(Pass pass) {
  if (pass.output.empty()) return;
  send(*pass.chunk, std::move(pass.output), pass.operation.micro_batch, pass.operation.kind != OpKind::forward);
}

/// Ends a round of an asynchronous device. After its own last backward of a round it waits for the others of the round,
/// and the weights change.
void Worker::finish_backward(int micro_batch) {
  const Staleness& staleness = *context_.layout.staleness;
  const std::size_t stage = me().chunks.front().stage.index();
  const int size = staleness.round_size(stage), stride = staleness.replicas[stage];
  const int round = micro_batch / size, end = (round + 1) * size;
  if (micro_batch + stride < end || !admitted(end - 1)) return;
  reduce(0, round);
  // All mini-batches in flight or to come use the version of the next backward or later ones: a checkpoint saves these.
  StageModule& module = stages_.front().module;
  const int needed = staleness.version(stage, micro_batch + stride);
  module.drop_versions_before(needed);
  update(0, round, needed <= module.version());
}

/// Submits each bucket of gradients to the reducer when the last of its layers is done.
StageModule::LayerDone Worker::reducing(std::size_t stage) {
  if (!stages_[stage].reducer) return nullptr;
  return [&own = stages_[stage]](std::size_t layer) {
    for (const GradientBucket& bucket : own.buckets)
      if (bucket.first == layer)
        own.reducer->begin([&module = own.module, bucket](const tensor::Completion& ready) {
          return module.reduce_bucket(bucket, ready);
        });
  };
}

void Worker::reduce(std::size_t stage, int round) {
  StageModule& module = stages_[stage].module;
  if (module.exchange().alone()) return;
  const Operation operation{OpKind::all_reduce, me().chunk_of_module(stage).stage, round};
  enter(operation, transport::WaitReason::all_reduce);
  if (stages_[stage].reducer) {
    for (const auto& [began, ended] : stages_[stage].reducer->finish())
      records_.all_reduces.push_back({began, ended, operation});
    return;
  }
  for (const auto& [began, ended] : module.reduce_gradients())
    records_.all_reduces.push_back({began, ended, operation});
}

/// Sums the gradients of the table that the model's ends share. A device has it in one stage.
void Worker::reduce_table(std::size_t stage) {
  StageModule& module = stages_[stage].module;
  if (!module.has_table()) return;
  const Operation operation{OpKind::all_reduce, me().chunk_of_module(stage).stage, 0};
  enter(operation, transport::WaitReason::all_reduce);
  for (const auto& [began, ended] : module.reduce_table()) records_.all_reduces.push_back({began, ended, operation});
}

void Worker::update(std::size_t stage, int round, bool keep) {
  if (!context_.control.commit()) throw transport::Interrupted{};
  WorkerStage& own = stages_[stage];
  const LocalStage& chunk = me().chunk_of_module(stage);
  timed({OpKind::optimizer, chunk.stage, round}, [&] {
    if (const auto& staleness = context_.layout.staleness)
      own.module.scale_gradients(1.0f / static_cast<float>(staleness->round_size(chunk.stage.index())));
    if (own.module.exchange().seat().shards_optimizer()) {
      context_.control.set_waiting(index_, transport::WaitReason::all_reduce);
      own.module.update_pieces(own.optimizer);
      return;
    }
    own.module.update(own.optimizer, keep);
  });
}

namespace {

/// Serialises concurrent all-reduces of several stages in a lane: each begins where the one before it ended.
void in_a_row(std::vector<TimelineRow>& rows) {
  std::ranges::stable_sort(rows, {}, &TimelineRow::start);
  Nanoseconds end;
  for (TimelineRow& row : rows) {
    const Nanoseconds own_end = std::max(row.end(), end);
    row.start = std::max(row.start, end);
    row.duration = own_end - row.start;
    end = own_end;
  }
}

}  // namespace

StepReport Worker::end_report() {
  device().synchronise();
  const Records records = std::exchange(records_, {});
  StepReport report;
  for (const Span& span : records.compute) add_rows(span, report.compute);
  for (const TimelineRow& row : report.compute) report.busy += row.duration;
  for (const Span& span : records.all_reduces) report.all_reduces.push_back(row(span));
  in_a_row(report.all_reduces);
  for (const Transfer& transfer : records.transfers) {
    const auto began = std::max(transfer.is_local.begin.time(), transfer.posted.time());
    report.transfers.push_back({transfer.from, row({began, transfer.is_local.end, transfer.is_local.operation})});
  }
  for (const Loss& loss : records.losses) report.losses.push_back({loss.micro_batch, loss.sum.get()});
  report.divergence = divergence(report);
  diverged_ = !report.divergence.empty();
  if (!device().on_host()) meter_->add(report.busy);
  const Nanoseconds now = elapsed(tensor::RunClock::now());
  report.peak = memory_->peak();
  report.warning = begin_capture();
  report.span = now - report_begin_;
  report_begin_ = now;
  memory_->restart_peak();
  return report;
}

/// Names a loss or weights that are not finite. Gradients that are not finite leave such weights behind.
std::string Worker::divergence(const StepReport& report) const {
  for (const MicroBatchLoss& loss : report.losses)
    if (!std::isfinite(loss.loss)) return std::isnan(loss.loss) ? "the loss is nan" : "the loss is infinite";
  for (std::size_t s = 0; s < stages_.size(); ++s)
    if (!device().all_finite(stages_[s].module.parameters().values()))
      return fmt::format("weights of stage {} are not finite", me().chunk_of_module(s).stage.value);
  return {};
}

/// Captures passes from now on: the first step has allocated everything for later ones. Returns the device's warnings,
/// and the passes that cannot be captured, with reasons.
std::string Worker::begin_capture() {
  std::string notes = device().consume_warnings();
  for (WorkerStage& stage : stages_) {
    CapturedPasses* const passes = stage.module.recorded_passes();
    if (!passes) continue;
    passes->begin_recording();
    const std::string told = passes->consume_warnings();
    if (!told.empty()) notes += (notes.empty() ? "" : "; ") + told;
  }
  return notes;
}

/// A backward that reruns forwards becomes two rows, as the plan has them: the reruns together, then the rest.
void Worker::add_rows(const Span& span, std::vector<TimelineRow>& rows) const {
  TimelineRow all = row(span);
  if (span.reruns) {
    TimelineRow again{all.start, Nanoseconds(), {OpKind::recompute, span.operation.stage, span.operation.micro_batch}};
    for (const auto& [began, ended] : *span.reruns) again.duration += elapsed(ended.time()) - elapsed(began.time());
    all.start += again.duration, all.duration -= again.duration;
    rows.push_back(again);
  }
  rows.push_back(all);
}

TimelineRow Worker::row(const Span& span) const {
  const Nanoseconds start = elapsed(span.begin.time());
  return {start, elapsed(span.end.time()) - start, span.operation};
}

/// Reserves blocks for messages. The number of messages in flight depends on timing. After the first step, which
/// allocated all other blocks, it reserves the maximum, so that later steps allocate nothing from the system.
void Worker::reserve_receive_buffers() {
  reserved_ = true;
  for (const LocalStage& chunk : me().chunks)
    for (const bool gradient : {false, true}) {
      const StageModule& module = module_of(chunk);
      for (const PeerSlice& exchange : (gradient ? chunk.previous : chunk.next).to)
        if (exchange.peer != index_)
          memory_->reserve((gradient ? module.input_width() : module.output_width()) * exchange.count,
                           context_.layout.synchronous() ? context_.layout.micro_batches / context_.layout.copies
                                                         : context_.layout.staleness->warmups.front());
    }
}

tensor::Tensor Worker::samples_of(const LocalStage& chunk, int micro_batch, bool targets) const {
  const ModelParts& parts = context_.parts;
  const std::int64_t width = targets ? parts.loss.sequence() : parts.layers.front()->input_width();
  tensor::Tensor values(memory_, chunk.samples, width / chunk.context);
  const auto size = static_cast<std::uint64_t>(context_.micro_batch);
  const std::uint64_t first =
      context_.first_sample +
      (step_ * static_cast<std::uint64_t>(context_.layout.micro_batches) + static_cast<std::uint64_t>(micro_batch)) *
          size +
      static_cast<std::uint64_t>(chunk.first_sample);
  const std::int64_t columns = width / parts.loss.sequence();  // of a position, if there are context ranks
  const auto positions = layers::context_positions(parts.loss.sequence(), chunk.context_rank, chunk.context);
  std::vector<float> whole(chunk.context > 1 ? static_cast<std::size_t>(width) : 0);
  device().upload(values.values(), [&](std::span<float> samples) {
    const auto own_width = static_cast<std::size_t>(values.width());
    for (std::size_t i = 0; i < static_cast<std::size_t>(chunk.samples); ++i) {
      const auto own = samples.subspan(i * own_width, own_width), sample = chunk.context > 1 ? std::span(whole) : own;
      targets ? parts.source->target(first + i, sample) : parts.source->input(first + i, sample);
      auto to = own.begin();
      for (const layers::ShardRange& range : positions)
        if (chunk.context > 1) to = std::copy_n(whole.begin() + range.first * columns, range.count * columns, to);
    }
  });
  return values;
}

/// Returns the exchanges; in an asynchronous run only those with the replica of `stage` whose turn it is.
std::vector<PeerSlice> Worker::partners(const std::vector<PeerSlice>& exchanges, StageId stage, int micro_batch) const {
  if (context_.layout.synchronous() || exchanges.empty()) return exchanges;
  const int turn = micro_batch % context_.layout.staleness->replicas[stage.index()];
  std::vector<PeerSlice> of_turn;
  std::ranges::copy_if(exchanges, std::back_inserter(of_turn), [&](const PeerSlice& e) { return e.replica == turn; });
  return of_turn;
}

/// Receives a message. A transfer lasts from its sending, or from when this worker first asks for it, to its arrival: a
/// message that waits while its receiver computes costs nothing. Two chunks of one device need no transfer.
transport::Message Worker::take(const PeerSlice& from, transport::MessageKey key, std::int64_t width) {
  if (from.peer == index_) {
    const auto own = own_.find(key);
    ensure(own != own_.end(), "a device runs what gives before what takes");
    return {std::move(own_.extract(own).mapped()), {}};
  }
  const tensor::Completion looked = device().now();
  transport::Message message = endpoint_.receive(from.peer, key, from.count, width);
  records_.transfers.push_back(
      {from.peer, message.posted, {looked, device().now(), {OpKind::send, key.stage, key.micro_batch}}});
  return message;
}

tensor::Tensor Worker::receive(const LocalStage& chunk, int micro_batch, bool gradient) {
  const StageId sender(std::int32_t{chunk.stage.value + (gradient ? 1 : -1)});
  const auto from = partners((gradient ? chunk.next : chunk.previous).from, sender, micro_batch);
  const transport::MessageKey key{gradient, sender, micro_batch};
  const std::int64_t width = gradient ? module_of(chunk).output_width() : module_of(chunk).input_width();
  tensor::Tensor whole;
  int filled = 0;
  for (const PeerSlice& exchange : from) {
    transport::Message message = take(exchange, key, width);
    if (from.size() == 1) return std::move(message.tensor);
    if (whole.empty()) whole = tensor::Tensor(memory_, chunk.samples, width);
    device().copy(whole.data() + filled * width, message.tensor.data(), message.tensor.size());
    filled += message.tensor.samples();
  }
  return whole;
}

void Worker::send(const LocalStage& chunk, tensor::Tensor tensor, int micro_batch, bool gradient) {
  const transport::MessageKey key{gradient, chunk.stage, micro_batch};
  const StageId receiver(std::int32_t{chunk.stage.value + (gradient ? -1 : 1)});
  const auto to = partners((gradient ? chunk.previous : chunk.next).to, receiver, micro_batch);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const PeerSlice& exchange = to[i];
    const bool all = exchange.count == tensor.samples() && i + 1 == to.size();
    tensor::Tensor part = all ? std::move(tensor) : tensor.slice_uncounted(exchange.first, exchange.count);
    if (exchange.peer != index_) {
      endpoint_.send(exchange.peer, key, std::move(part));
      continue;
    }
    part.transfer_to(memory_);
    own_.insert_or_assign(key, std::move(part));
  }
}

void Worker::timed(Operation operation, const std::function<void()>& work) {
  enter(operation, transport::WaitReason::nothing);
  const tensor::Completion began = device().now();
  if (device().on_host()) meter_->begin(began.time());
  work();
  const tensor::Completion ended = device().now();
  if (device().on_host()) meter_->end(ended.time());
  records_.compute.push_back({began, ended, operation});
}

void Worker::enter(Operation operation, transport::WaitReason waits_for) {
  current_ = operation;
  context_.control.set_activity(index_, {operation, waits_for, false, {}});
}

Nanoseconds Worker::elapsed(tensor::RunClock::time_point time) const {
  return Nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(time - begin_).count());
}

}  // namespace pipedeck::runtime::exec
