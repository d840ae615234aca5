// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/recorded/profile.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/recorded/sizes.hpp"
#include "core/base/limits.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::analytic::recorded {
namespace {

constexpr std::size_t max_layers = 10000;
constexpr int backward_of_forward = 2;  // if no backward pass was recorded

/// Returns the quantile of a sorted list, interpolated linearly between neighbours.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto lower = static_cast<std::size_t>(at);
  const std::size_t upper = std::min(lower + 1, sorted.size() - 1);
  return sorted[lower] + (sorted[upper] - sorted[lower]) * (at - static_cast<double>(lower));
}

struct Times {
  Seconds median;
  Quartiles quartiles;
};

class ProfileBuilder {
 public:
  ProfileBuilder(ProfilerTrace& recording, const Options& options) : recording_(recording), options_(options) {}

  Result<RecordedProfile> make() {
    TRY(auto calls, calls_in(recording_));
    calls_ = std::move(calls);
    const Pass& form = calls_.passes.front();
    for (const Call& call : form.calls) made_.deepest = std::max(made_.deepest, call.depth);
    layers_ = layers_of(form, recording_.names, options_.depth);
    if (layers_.size() > max_layers)
      return fail(ErrorCode::bad_input, fmt::format("found {} modules that would be layers, expected at most {}",
                                                    layers_.size(), max_layers));
    found_ = attribute(recording_, calls_, layers_);
    choose_passes();
    sizes_ = sizes_of(recording_, calls_, layers_, found_, passes_.front());
    TRY_VOID(check_share());
    TRY_VOID(fill());
    note_sizes();
    count_share();
    made_.notes.push_back(line_of(made_.share));
    return std::move(made_);
  }

 private:
  void note(std::string text) { made_.notes.push_back(std::move(text)); }
  void assume(std::string text) {
    made_.share.assumed.push_back(text);
    note(std::move(text));
  }
  /// Counts what is left out by name, with its time in microseconds.
  void leave_out(double ns, std::string what) {
    const int microseconds = static_cast<int>(std::min(ns / 1000, 1e9));
    if (microseconds == 0) return;
    made_.share.left_out.push_back(std::move(what));
    made_.share.unlisted += microseconds - 1;
  }

  /// Chooses the passes that are averaged: those with a backward pass if some have one, without warm-up passes.
  void choose_passes() {
    has_backward_ = std::ranges::any_of(found_.passes, &PassTimes::has_backward);
    for (std::size_t i = 0; i < found_.passes.size(); ++i)
      if (found_.passes[i].has_backward || !has_backward_) passes_.push_back(i);
    note_modules();
    if (passes_.size() < found_.passes.size())
      note(fmt::format("Passes without a backward pass were left out: {}", found_.passes.size() - passes_.size()));
    drop_warm_up();
    note_times();
  }

  void drop_warm_up() {
    std::vector<std::int64_t> starts;
    for (const RecordedStep& step : recording_.steps) starts.push_back(step.start);
    std::ranges::sort(starts);
    const auto step_of = [&](std::size_t pass) {
      return std::ranges::upper_bound(starts, calls_.passes[pass].start()) - starts.begin();
    };
    std::set<std::ptrdiff_t> steps;
    for (const std::size_t pass : passes_) steps.insert(step_of(pass));
    if (steps.size() >= 3) {
      const auto first = *steps.begin();
      const auto dropped = std::erase_if(passes_, [&](std::size_t pass) { return step_of(pass) == first; });
      note(fmt::format("The first of {} steps, which warms up, was left out; passes in it: {}", steps.size(), dropped));
    } else if (steps.size() == 1 && passes_.size() >= 3) {
      passes_.erase(passes_.begin());
      note("The first pass, which warms up, was left out");
    }
  }

  void note_modules() {
    const std::size_t modules = calls_.passes.front().calls.size();
    note(calls_.annotated
             ? fmt::format("{} layers of {} modules that annotations (record_function) name", layers_.size(), modules)
             : fmt::format("{} layers of {} modules that the profiler names", layers_.size(), modules));
    if (calls_.left_out > 0) note(fmt::format("Passes that ran other modules were left out: {}", calls_.left_out));
    if (calls_.elsewhere > 0)
      note(fmt::format("Modules that ran on other threads were left out: {}", calls_.elsewhere));
    if (calls_.recomputed > 0)
      note(
          fmt::format("Modules that ran again within the backward pass (recomputation): {}; their time is no layer's, "
                      "and kept bytes are those without it",
                      calls_.recomputed));
  }

  void note_times() {
    note(found_.on_gpu
             ? fmt::format("Times are medians of the passes ({}): of a layer's kernels on the GPU, one after another",
                           passes_.size())
             : fmt::format(
                   "Times are medians of the passes ({}) on the processor, from a layer's begin to the next one's",
                   passes_.size()));
    note("Operators between modules count to the previous layer, the loss to the last one");
    if (!has_backward_)
      assume(fmt::format("No backward pass was recorded: it is assumed to take {} times the forward pass",
                         backward_of_forward));
    else if (found_.backward > 0 && found_.unowned > 0.001 * found_.backward)
      note(fmt::format("{:.1f} % of the backward pass belong to no layer and were left out",
                       100 * found_.unowned / found_.backward));
    if (found_.communication > 0)
      note(fmt::format("{:.3f} ms of communication between GPUs were left out: plans have their own",
                       found_.communication * 1e-6));
  }

  /// Notes the layers' share of the GPU's time. Refuses a profile of a small part of the model.
  Result<void> check_share() {
    constexpr double least = 0.1, whole = 0.995;
    const GpuTime& gpu = found_.gpu;
    if (!found_.on_gpu || !(gpu.of_model() > 0)) return {};
    const double share = gpu.layers / gpu.of_model();
    const auto milliseconds = [](double ns) { return fmt::format("{:.4g}", ns * 1e-6); };
    std::string rest;
    const auto add = [&](double time, std::string_view words) {
      if (time > (1 - whole) * gpu.of_model())
        rest += fmt::format("{}{:.3g} % {}", rest.empty() ? "" : ", ", 100 * time / gpu.of_model(), words);
    };
    add(gpu.elsewhere, "launched outside of them");
    add(gpu.unlaunched, "without a launch in the trace");
    if (share < least)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found layers with {:.2g} % of the GPU's time ({} of {} ms; {}), expected at least {:.0f} "
                      "%: modules that launch their kernels, without CUDA or HIP graphs",
                      100 * share, milliseconds(gpu.layers), milliseconds(gpu.of_model()), rest, 100 * least));
    note(fmt::format("Layers hold {:.1f} % of the GPU's time without optimizer and communication ({} of {} ms{})",
                     100 * share, milliseconds(gpu.layers), milliseconds(gpu.of_model()),
                     rest.empty() ? "" : "; " + rest));
    return {};
  }

  /// Counts the GPU's time without optimizer and communication, or on a processor the passes.
  void count_share() {
    ImportShare& share = made_.share;
    share.format = "trace";
    if (found_.on_gpu && found_.gpu.of_model() > 0) {
      share.unit = "GPU microsecond";
      share.understood = static_cast<int>(std::min(found_.gpu.layers / 1000, 1e9));
      leave_out(found_.gpu.elsewhere, "kernels that were launched outside of the layers");
      leave_out(found_.gpu.unlaunched, "kernels without a launch in the trace");
      return;
    }
    share.unit = "pass";
    share.understood = static_cast<int>(passes_.size());
    for (std::size_t i = passes_.size(); i < found_.passes.size(); ++i) share.leave_out("a pass to warm up, or alone");
  }

  void note_sizes() {
    if (!sizes_.recorded) {
      assume("The trace has no sizes: outputs, parameters and what is kept are 0; record with record_shapes=True");
      return;
    }
    if (!options_.micro_batch)
      note(sizes_.samples > 0
               ? fmt::format("{} samples per micro-batch: the first size of the first layer's input", sizes_.samples)
               : "The micro-batch size is unknown: 1 sample is assumed");
    note(sizes_.gradients ? "Parameters are counted by their gradients; frozen ones are not among them"
                          : "Parameters are counted by what known operators take");
    if (!sizes_.output_of_gradients)
      note("Some outputs are as large as what the next layer takes; the last one's is then 0");
    if (has_backward_)
      assume("Activations saved for the backward pass are estimated per operator");
    else
      assume("Activations saved for the backward pass are unknown without a backward: only outputs count");
    if (!sizes_.unknown.empty()) note(fmt::format("All inputs of {} count as saved", fmt::join(sizes_.unknown, ", ")));
    if (has_backward_) assume("Half of a layer's backward pass is assumed to be for its weights");
  }

  Times times_of(std::vector<double> PassTimes::*direction, std::size_t layer) const {
    std::vector<double> times;
    for (const std::size_t pass : passes_) times.push_back((found_.passes[pass].*direction)[layer]);
    std::ranges::sort(times);
    const auto at = [&](double part) { return Seconds(quantile(times, part) * 1e-9); };
    return {at(0.5), {at(0.25), at(0.75)}};
  }

  Layer layer_at(std::size_t i, std::string name) const {
    Layer layer;
    layer.kind = kind_of_module(name);
    layer.name = std::move(name);
    const Times forward = times_of(&PassTimes::forward, i);
    Times backward = times_of(&PassTimes::backward, i);
    if (!has_backward_) {
      const auto longer = [](Seconds time) { return time * backward_of_forward; };
      backward = {longer(forward.median), {longer(forward.quartiles.lower), longer(forward.quartiles.upper)}};
    }
    layer.forward = forward.median;
    layer.backward = backward.median;
    if (passes_.size() > 1)
      layer.spread = TimeSpread{static_cast<int>(passes_.size()), forward.quartiles, backward.quartiles};
    const LayerBytes& bytes = sizes_.layers[i];
    layer.output = round_to_bytes(bytes.output);
    layer.saved = has_backward_ ? round_to_bytes(bytes.saved) : layer.output;
    layer.parameters = round_to_bytes(bytes.parameters);
    if (layer.parameters.count > 0) layer.backward_weight = layer.backward / 2;
    return layer;
  }

  Result<void> fill() {
    Profile& profile = made_.profile;
    profile.name = recording_.title;
    profile.source = fmt::format("recorded by PyTorch's profiler; medians of the passes ({})", passes_.size());
    profile.device = !options_.device.empty()     ? options_.device
                     : !found_.on_gpu             ? "CPU"
                     : !recording_.device.empty() ? recording_.device
                                                  : "GPU";
    if (options_.device.empty() && found_.on_gpu && recording_.device.empty())
      note("The trace does not name its device: it is called GPU");
    if (sizes_.samples > limits::samples && !options_.micro_batch)
      return fail(ErrorCode::bad_input, fmt::format("found a micro-batch of {} samples, expected at most {}",
                                                    sizes_.samples, limits::samples));
    profile.micro_batch = options_.micro_batch.value_or(static_cast<int>(std::max<std::int64_t>(sizes_.samples, 1)));
    std::vector<std::string> names = layer_names(calls_.passes.front(), layers_, recording_.names);
    double forward = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      profile.layers.push_back(layer_at(i, std::move(names[i])));
      forward += profile.layers.back().forward.count;
    }
    if (!(forward > 0))
      return fail(ErrorCode::bad_input, "found modules that took no time, expected some that computed");
    return plan::validate(profile);
  }

  ProfilerTrace& recording_;
  const Options& options_;
  Calls calls_;
  std::vector<std::size_t> layers_;
  Attribution found_;
  std::vector<std::size_t> passes_;  ///< passes over which medians are taken
  bool has_backward_ = false;
  Sizes sizes_;
  RecordedProfile made_;
};

}  // namespace

Result<RecordedProfile> recorded_profile(ProfilerTrace& recording, const Options& options) {
  return ProfileBuilder(recording, options).make();
}

}  // namespace pipedeck::analytic::recorded
