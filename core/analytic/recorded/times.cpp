// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/recorded/times.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace pipedeck::analytic::recorded {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// A nested span on a thread while autograd works: a backward function, or a module that runs again.
struct Frame {
  std::int64_t start = 0, end = 0;
  std::uint32_t track = 0;
  std::uint32_t evaluation = none;  ///< index in Recording::evaluations; none: a module that runs again
  std::uint32_t name = 0;           ///< of the module
  std::uint32_t parent = none;
  std::int64_t inner = 0;  ///< time of nested frames
};

std::vector<Frame> frames_of(const ProfilerTrace& recording, const Calls& calls) {
  std::vector<Frame> frames;
  const std::int64_t process = recording.processes[calls.track];
  for (std::size_t i = 0; i < recording.evaluations.size(); ++i) {
    const RecordedSpan& span = recording.evaluations[i];
    if (recording.processes[span.track] == process)
      frames.push_back({span.start, span.end, span.track, static_cast<std::uint32_t>(i), 0, none, 0});
  }
  for (const RecomputedCall& again : calls.again)
    frames.push_back({again.start, again.end, again.track, none, again.name, none, 0});
  sort_nested(frames);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    Frame& frame = frames[i];
    while (!open.empty() && (frames[open.back()].track != frame.track || frames[open.back()].end <= frame.start))
      open.pop_back();
    if (!open.empty()) {
      frame.parent = open.back();
      frame.end = std::min(frame.end, frames[open.back()].end);
      frames[open.back()].inner += frame.end - frame.start;
    }
    open.push_back(i);
  }
  return frames;
}

/// An operator of a module that ran again.
struct RecomputedSequence {
  std::int32_t layer = 0;
  std::uint32_t made_by = 0;
};

/// A cursor that finds the innermost frame at given times, which must be sorted by track and time.
class Innermost {
 public:
  explicit Innermost(const std::vector<Frame>& frames) : frames_(frames) {}

  std::uint32_t at(std::uint32_t track, std::int64_t time) {
    while (next_ < frames_.size() &&
           (frames_[next_].track < track || (frames_[next_].track == track && frames_[next_].start <= time)))
      open_ = next_++;
    while (open_ != none && (frames_[open_].track != track || frames_[open_].end <= time))
      open_ = frames_[open_].parent;
    return open_;
  }

 private:
  const std::vector<Frame>& frames_;
  std::uint32_t next_ = 0, open_ = none;
};

class Attributor {
 public:
  Attributor(ProfilerTrace& recording, const Calls& calls, const std::vector<std::size_t>& layers)
      : recording_(recording),
        calls_(calls),
        layers_(layers),
        regions_(regions_of(calls, layers, recording.evaluations)),
        frames_(frames_of(recording, calls)),
        innermost_(frames_) {}

  Attribution run() {
    found_.on_gpu = !recording_.kernels.empty();
    found_.passes.resize(calls_.passes.size());
    for (PassTimes& pass : found_.passes) {
      pass.forward.resize(layers_.size());
      pass.backward.resize(layers_.size());
    }
    sort_nested(recording_.operators);
    sort_sequences();
    name_layers();
    own_evaluations();
    find_losses();
    if (found_.on_gpu)
      add_kernels();
    else
      add_spans();
    return std::move(found_);
  }

 private:
  /// Returns the layer and pass of the main thread's work at that time, in a forward pass.
  Owner owner_at(std::int64_t start, std::int64_t end) const {
    auto after = std::ranges::upper_bound(regions_, start, {}, &Region::begin);
    if (after == regions_.begin()) return {};
    const Region* region = &*std::prev(after);
    if (region->behind && start >= region->end) return {};
    // An operator that encloses the next module (CheckpointFunction) belongs to it.
    if (after != regions_.end() && !after->behind && after->pass == region->pass && start >= region->own_end &&
        end > after->begin)
      region = &*after;
    return {static_cast<std::int32_t>(region->pass), static_cast<std::int32_t>(region->layer)};
  }

  void sort_sequences() {
    const auto& operators = recording_.operators;
    for (std::uint32_t i = 0; i < operators.size(); ++i)
      if (operators[i].track == calls_.track && operators[i].sequence >= 0) found_.by_sequence.push_back(i);
    std::ranges::sort(found_.by_sequence, [&](std::uint32_t a, std::uint32_t b) {
      return operators[a].sequence != operators[b].sequence ? operators[a].sequence < operators[b].sequence : a < b;
    });
    for (const std::uint32_t i : found_.by_sequence)
      found_.operator_owner.push_back(owner_at(operators[i].start, operators[i].end));
  }

  /// Maps each module name to the first layer that contains it.
  void name_layers() {
    const Pass& pass = calls_.passes.front();
    for (std::size_t i = 0; i < layers_.size(); ++i)
      for (std::size_t at = layers_[i]; at < pass.calls[layers_[i]].next; ++at)
        layer_named_.try_emplace(pass.calls[at].name, static_cast<std::int32_t>(i));
  }

  /// Records the operators of modules that run again on a thread, by their sequence.
  void note_again(std::uint32_t track) {
    again_.clear();
    const auto& operators = recording_.operators;
    auto at = std::ranges::lower_bound(operators, track, {}, &RecordedSpan::track);
    std::int32_t before = -1;  // between modules, repeated work belongs to the previous layer, as in a forward pass
    for (; at != operators.end() && at->track == track; ++at) {
      if (at->sequence < 0) continue;
      const std::uint32_t frame = innermost_.at(track, at->start);
      if (frame == none || frames_[frame].evaluation != none) continue;
      if (const auto layer = layer_named_.find(frames_[frame].name); layer != layer_named_.end())
        before = layer->second;
      if (before >= 0) again_[at->sequence] = {before, static_cast<std::uint32_t>(at - operators.begin())};
    }
  }

  /// Finds the forward operator of the function: the last one before it with the same sequence.
  void find_forward(Evaluation& evaluation, const RecordedSpan& span) {
    const auto& operators = recording_.operators;
    const auto sequence_of = [&](std::uint32_t i) { return operators[i].sequence; };
    const auto first = std::ranges::lower_bound(found_.by_sequence, span.sequence, {}, sequence_of);
    const auto last = std::partition_point(first, found_.by_sequence.end(), [&](std::uint32_t i) {
      return sequence_of(i) == span.sequence && operators[i].start < span.start;
    });
    evaluation.first = static_cast<std::uint32_t>(first - found_.by_sequence.begin());
    evaluation.last = static_cast<std::uint32_t>(last - found_.by_sequence.begin());
    if (first != last) evaluation.owner = found_.operator_owner[evaluation.last - 1];
  }

  void own_evaluations() {
    const auto absent = static_cast<std::uint32_t>(recording_.operators.size());
    found_.evaluations.assign(recording_.evaluations.size(), Evaluation{{}, absent, 0, 0, absent});
    std::uint32_t track = none;
    Owner last;
    std::uint32_t function = 0;
    for (const Frame& frame : frames_) {
      if (frame.track != track) {
        track = frame.track;
        last = {};
        note_again(track);
        function =
            static_cast<std::uint32_t>(std::ranges::lower_bound(recording_.operators, track, {}, &RecordedSpan::track) -
                                       recording_.operators.begin());
      }
      if (frame.evaluation == none) continue;
      const RecordedSpan& span = recording_.evaluations[frame.evaluation];
      Evaluation& evaluation = found_.evaluations[frame.evaluation];
      evaluation.function = function_of(span, function);
      if (span.sequence >= 0) {
        const Owner outer = owner_around(frame);
        const auto again = outer.known() ? again_.find(span.sequence) : again_.end();
        if (again != again_.end())
          evaluation.owner = {outer.pass, again->second.layer}, evaluation.again = again->second.made_by;
        else
          find_forward(evaluation, span);
        last = evaluation.owner;
      } else {
        evaluation.owner = last;  // gradients are accumulated directly after the function that computed them
      }
      if (evaluation.owner.known()) found_.passes[static_cast<std::size_t>(evaluation.owner.pass)].has_backward = true;
    }
  }

  /// Returns the operator that is the function itself: among the first within its evaluation, after the previous
  /// function's.
  std::uint32_t function_of(const RecordedSpan& span, std::uint32_t& next) const {
    const auto& operators = recording_.operators;
    const auto here = [&](std::uint32_t i) { return i < operators.size() && operators[i].track == span.track; };
    while (here(next) && operators[next].start < span.start) ++next;
    for (std::uint32_t at = next; at < next + 8 && here(at) && operators[at].start <= span.end; ++at)
      if (operators[at].name == span.name) {
        next = at + 1;
        return at;
      }
    return static_cast<std::uint32_t>(operators.size());
  }

  Owner owner_around(const Frame& frame) const {
    constexpr int max_modules = 256;  // nesting depth
    std::uint32_t at = frame.parent;
    for (int i = 0; at != none && i < max_modules; ++i, at = frames_[at].parent)
      if (frames_[at].evaluation != none) return found_.evaluations[frames_[at].evaluation].owner;
    return {};
  }

  void add(std::vector<double> PassTimes::*direction, Owner owner, double time) {
    if (owner.known())
      (found_.passes[static_cast<std::size_t>(owner.pass)].*direction)[static_cast<std::size_t>(owner.layer)] += time;
  }

  void add_backward(Owner owner, double time) {
    found_.backward += time;
    if (!owner.known()) found_.unowned += time;
    add(&PassTimes::backward, owner, time);
  }

  /// Adds times without a GPU: durations on the host's threads.
  void add_spans() {
    for (const Region& region : regions_)
      if (!region.behind)
        add(&PassTimes::forward, {static_cast<std::int32_t>(region.pass), static_cast<std::int32_t>(region.layer)},
            static_cast<double>(region.end - region.begin));
    for (const RecordedStep& loss : losses_)
      add(&PassTimes::forward, owner_at(loss.start, loss.end), static_cast<double>(loss.end - loss.start));
    for (const Frame& frame : frames_)
      if (frame.evaluation != none)
        add_backward(found_.evaluations[frame.evaluation].owner,
                     static_cast<double>(frame.end - frame.start - frame.inner));
  }

  /// Finds the outermost operators after the last module that created a backward function.
  void find_losses() {
    std::vector<std::uint32_t> made;
    for (const Evaluation& evaluation : found_.evaluations)
      if (evaluation.first != evaluation.last) made.push_back(found_.by_sequence[evaluation.last - 1]);
    std::ranges::sort(made);
    auto next = made.begin();
    const auto& operators = recording_.operators;
    auto at = std::ranges::lower_bound(operators, calls_.track, {}, &RecordedSpan::track);
    while (at != operators.end() && at->track == calls_.track) {
      auto end = std::next(at);
      while (end != operators.end() && end->track == at->track && end->start < at->end) ++end;
      const auto first = static_cast<std::uint32_t>(at - operators.begin());
      const auto behind = static_cast<std::uint32_t>(end - operators.begin());
      while (next != made.end() && *next < first) ++next;
      const auto region = std::ranges::upper_bound(regions_, at->start, {}, &Region::begin);
      if (next != made.end() && *next < behind && region != regions_.begin() && std::prev(region)->behind)
        losses_.push_back({at->start, at->end});
      at = end;
    }
  }

  /// Returns the layer of work on the host's main thread. Outside of modules, only a loss belongs to a layer.
  Owner forward_owner(std::int64_t time) const {
    const auto region = std::ranges::upper_bound(regions_, time, {}, &Region::begin);
    if (region == regions_.begin() || !std::prev(region)->behind) return owner_at(time, time);
    const auto loss = std::ranges::upper_bound(losses_, time, {}, &RecordedStep::start);
    return loss != losses_.begin() && time < std::prev(loss)->end ? owner_at(time, time) : Owner{};
  }

  /// Returns true within an annotation of PyTorch's optimizers ("Optimizer.step#AdamW.step").
  bool in_optimizer(std::uint32_t track, std::int64_t time) const {
    return std::ranges::any_of(calls_.optimizer, [&](const RecordedSpan& span) {
      return span.track == track && span.start <= time && time < span.end;
    });
  }

  /// Adds times with a GPU: durations of the kernels that a layer launched.
  void add_kernels() {
    std::unordered_map<std::uint32_t, double> taken;
    for (const TraceKernel& kernel : recording_.kernels) {
      const auto duration = static_cast<double>(kernel.duration);
      if (kernel.communication)
        found_.communication += duration;
      else if (kernel.correlation != 0)
        taken[kernel.correlation] += duration;
      else
        found_.gpu.unlaunched += duration;
    }
    std::ranges::sort(recording_.launches, [](const TraceLaunch& a, const TraceLaunch& b) {
      if (a.track != b.track) return a.track < b.track;
      return a.time != b.time ? a.time < b.time : a.correlation < b.correlation;
    });
    Innermost innermost(frames_);
    for (const TraceLaunch& launch : recording_.launches) {
      const auto kernel = taken.find(launch.correlation);
      if (kernel == taken.end()) continue;
      const std::uint32_t frame = innermost.at(launch.track, launch.time);
      Owner owner;
      if (frame != none && frames_[frame].evaluation != none) {
        owner = found_.evaluations[frames_[frame].evaluation].owner;
        add_backward(owner, kernel->second);
      } else if (frame == none && launch.track == calls_.track) {
        owner = forward_owner(launch.time);
        add(&PassTimes::forward, owner, kernel->second);
      }
      double& share = owner.known()                             ? found_.gpu.layers
                      : in_optimizer(launch.track, launch.time) ? found_.gpu.optimizer
                                                                : found_.gpu.elsewhere;
      share += kernel->second;
      taken.erase(kernel);
    }
    for (const auto& [correlation, duration] : taken) found_.gpu.unlaunched += duration;
  }

  ProfilerTrace& recording_;
  const Calls& calls_;
  const std::vector<std::size_t>& layers_;
  std::vector<Region> regions_;
  std::vector<Frame> frames_;
  Innermost innermost_;  ///< for queries thread by thread
  std::vector<RecordedStep> losses_;
  std::unordered_map<std::uint32_t, std::int32_t> layer_named_;
  std::unordered_map<std::int64_t, RecomputedSequence> again_;  ///< by sequence, on one thread
  Attribution found_;
};

}  // namespace

Attribution attribute(ProfilerTrace& recording, const Calls& calls, const std::vector<std::size_t>& layers) {
  return Attributor(recording, calls, layers).run();
}

}  // namespace pipedeck::analytic::recorded
