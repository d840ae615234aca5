// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/profiler.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/one_core.hpp"
#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/layers/sharding.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/machine/local_machine.hpp"
#include "core/runtime/profile/background_load.hpp"
#include "core/runtime/profile/chain_timer.hpp"
#include "core/runtime/profile/cut_ways.hpp"
#include "core/runtime/profile/layer_medians.hpp"
#include "core/runtime/profile/meeting_probe.hpp"
#include "core/runtime/profile/ranks.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::profile {
namespace {

void add_point(Profile& profile, const std::vector<LayerSamples>& seen, int micro_batch) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Layer& layer = profile.layers[i];
    const LayerMedians medians = medians_of(seen[i]);
    LayerPoint point{micro_batch, Seconds(medians.forward.median), Seconds(medians.backward.median)};
    point.details = details_of(seen[i], medians);
    layer.at.push_back(point);
    if (micro_batch != profile.micro_batch) continue;
    layer.forward = point.forward, layer.backward = point.backward;
    layer.backward_weight = *point.details.backward_weight;
    layer.output = seen[i].output, layer.saved = seen[i].saved, layer.memory = seen[i].memory;
    layer.workspace = *point.details.workspace, layer.spread = point.details.spread;
  }
}

/// Adds the replicated parameters: the maximum over all degrees.
void add_whole_parameters(Profile& profile, const std::vector<std::unique_ptr<layers::LayerKernel>>& parts,
                          int degree) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Layer& layer = profile.layers[i];
    const Bytes whole = replicated_bytes(layer.parameters, parameter_bytes(*parts[i]), degree);
    layer.replicated_parameters = std::max(layer.replicated_parameters, whole);
  }
}

/// Returns the waiting time of a pass for its all-reduces beyond the first. Predictions count one all-reduce of all
/// bytes.
Seconds add_barriers(const transport::CountingCollective::Taken& taken, Seconds meeting) {
  return meeting * std::max(0, taken.meetings - 1);
}

/// Adds the times of a degree's first rank, which has the largest shard if columns do not divide evenly. `meeting` is
/// the time of a barrier of all ranks.
void add_degree(Profile& profile, const std::vector<LayerSamples>& seen, int degree, Seconds meeting) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const LayerMedians medians = medians_of(seen[i]);
    const auto &forward = seen[i].forward_all_reduced, &backward = seen[i].backward_all_reduced;
    TensorParallelPoint point{degree, Seconds(medians.forward.median) + add_barriers(forward, meeting),
                              Seconds(medians.backward.median) + add_barriers(backward, meeting), forward.bytes,
                              backward.bytes};
    point.details = details_of(seen[i], medians);
    profile.layers[i].tensor_parallel.push_back(point);
  }
}

/// Adds the bytes that do not grow with the samples, from one more pass over a single sample.
void add_fixed_layer_parts(Profile& profile, const std::vector<LayerSamples>& of_one) {
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    LayerMemory& memory = *profile.layers[i].memory;
    add_fixed_bytes(memory, of_one[i].memory, profile.micro_batch);
    profile.layers[i].workspace = std::max(memory.forward, memory.backward);
  }
}

Result<void> check_sizes(const std::vector<int>& micro_batches) {
  if (micro_batches.empty()) return fail(ErrorCode::bad_usage, "profiling needs at least one micro-batch size");
  for (std::size_t i = 0; i < micro_batches.size(); ++i)
    if (micro_batches[i] < 1 || (i > 0 && micro_batches[i] <= micro_batches[i - 1]))
      return fail(ErrorCode::bad_usage,
                  fmt::format("micro-batch size {}: sizes are 1 or more, ascending", micro_batches[i]));
  return {};
}

Result<void> check_degrees(const std::vector<int>& degrees) {
  for (std::size_t i = 0; i < degrees.size(); ++i)
    if (degrees[i] < 2 || (i > 0 && degrees[i] <= degrees[i - 1]))
      return fail(ErrorCode::bad_usage,
                  fmt::format("degree of tensor parallelism {}: degrees are 2 or more, ascending", degrees[i]));
  return {};
}

Result<void> check_device(const ProfileOptions& options, const tensor::ComputeDevice& device) {
  if (options.busy_cores > 1 && !device.on_host()) return fail(ErrorCode::bad_usage, "busy cores are the processor's");
  return {};
}

/// Returns `first` and further devices, for all ranks of the largest degree that the available devices allow.
RankDevices devices_for_ranks(const std::shared_ptr<tensor::ComputeDevice>& first, const layers::Backend& backend,
                              const ProfiledOn& where, const std::vector<int>& degrees) {
  if (first->on_host()) return cores_for_ranks();
  RankDevices at_hand{backend, {first}};
  int most = 1;
  for (const int degree : degrees)
    if (degree <= where.devices) most = degree;
  for (int rank = 1; rank < most; ++rank) at_hand.devices.push_back(backend.device(static_cast<std::size_t>(rank)));
  return at_hand;
}

/// Returns ", layers cut over 2 by all ranks at once, joined by NCCL 2.28.9, over 4 by one rank alone (found 2
/// devices)".
std::string sharding_text(const layers::Backend& backend, const ProfiledOn& where, const std::vector<int>& degrees) {
  std::string together, alone;
  for (const int degree : degrees) {
    std::string& words = degree <= where.devices ? together : alone;
    words += fmt::format("{}{}", words.empty() ? ", over " : " and ", degree);
  }
  if (!together.empty()) {
    together += " by all ranks at once";
    if (!backend.transport.empty()) together += ", joined by " + backend.transport;
  }
  const std::string found = where.devices == 1 ? "1 device" : fmt::format("{} devices", where.devices);
  if (!alone.empty()) alone += fmt::format(" by one rank alone (found {})", found);
  return ", layers cut" + (together + alone).substr(1);
}

Profile empty_profile(const ModelSpec& model, const std::vector<std::unique_ptr<layers::LayerKernel>>& kernels,
                      int micro_batch, const ProfiledOn& where) {
  Profile profile;
  profile.name = model.name;
  profile.source = where.source;
  profile.device = where.device;
  profile.micro_batch = micro_batch;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Layer layer;
    layer.name = model.layers[i].name;
    layer.kind = model.layers[i].kind;
    layer.parameters = parameter_bytes(*kernels[i]);
    profile.layers.push_back(std::move(layer));
  }
  return profile;
}

/// Profiles with `device`, which is the backend's.
Result<Profile> profile_on(const std::shared_ptr<tensor::ComputeDevice>& device, const layers::Backend& backend,
                           const ProfiledOn& where, const ModelSpec& model, const ProfileOptions& options,
                           const Progress& progress, const std::stop_token& stop) {
  const std::vector<int>& sizes = options.micro_batches;
  TRY_VOID(check_sizes(sizes));
  TRY_VOID(check_degrees(options.tensor_parallel));
  TRY_VOID(check_device(options, *device));
  TRY(const auto parts, exec::make_parts(model, backend.kernels));

  Profile profile = empty_profile(model, parts.layers, sizes.front(), where);
  const auto chain_device = [&] {
    return ChainDevice{std::make_shared<tensor::DeviceMemory>(device), backend.loss(parts.loss),
                       !backend.recorded.empty()};
  };
  const auto as_worker = [&](const auto& work) { device->on_host() ? cpu::run_on_worker_thread(work) : work(); };
  const double measurements = static_cast<double>(sizes.size() + options.tensor_parallel.size());
  double done = 0;
  const auto measure = [&](LayerTimer& timer, int size, int at_work, const std::string& what) {
    const BackgroundLoad company(model, size, std::max(0, options.busy_cores - at_work),
                                 static_cast<std::size_t>(at_work));
    const auto tell = [&](double part) { report(progress, (done + std::min(part, 1.0)) / measurements, what); };
    tell(0);
    Result<void> timed;
    const bool apart = device->on_host() && std::max(at_work, options.busy_cores) > 1;
    as_worker([&] {
      if (apart) machine::pin_to_core(0);
      timed = repeat(timer, options.repetitions, tell, stop);
    });
    ++done;
    return timed;
  };
  std::string not_recorded;
  for (const int size : sizes) {
    LayerTimer timer(parts.layers, parts.loss, *parts.source, model.seed, size, nullptr, {}, chain_device());
    TRY_VOID(measure(timer, size, 1, fmt::format("timing micro-batches of {}", size)));
    add_point(profile, timer.seen(), size);
    if (not_recorded.empty()) not_recorded = timer.not_captured_reason();
  }
  if (!backend.recorded.empty())
    profile.source += not_recorded.empty() ? ", " + backend.recorded
                                           : fmt::format(", without {}: {}", backend.recorded, not_recorded);
  if (const std::string notes = device->consume_warnings(); !notes.empty()) profile.source += ", " + notes;
  const RankDevices at_hand = devices_for_ranks(device, backend, where, options.tensor_parallel);
  for (const int degree : options.tensor_parallel) {
    TRY(auto ranks, Ranks::of(at_hand, model, parts, degree, sizes.front()));
    LayerTimer& timer = ranks->timer();
    Seconds meeting;
    try {
      as_worker([&] { meeting = ranks->start(); });
      const std::string what = fmt::format("timing layers cut over {} devices", degree);
      TRY_VOID(measure(timer, sizes.front(), ranks->num_running(), what));
    } catch (const transport::Interrupted&) {
      ranks->rethrow();
    }
    if (device->on_host()) meeting = Seconds(measure_barrier(degree).lower);
    add_degree(profile, timer.seen(), degree, meeting);
    add_whole_parameters(profile, ranks->layers(), degree);
    ranks.reset();
    // A worker does not need the workspace of several threads.
    Result<std::vector<std::vector<ShardingCost>>> ways;
    as_worker([&] { ways = measure_sharding_memory(model, parts, degree, profile.micro_batch, backend, device); });
    if (!ways) return tl::unexpected(ways.error());
    for (std::size_t i = 0; i < ways->size(); ++i) profile.layers[i].tensor_parallel.back().ways = (*ways)[i];
  }
  if (!device->on_host() && !options.tensor_parallel.empty())
    profile.source += sharding_text(backend, where, options.tensor_parallel);
  if (profile.micro_batch > 1) {
    ChainDevice uncaptured = chain_device();
    uncaptured.records = false;  // memory is that of captured passes
    LayerTimer single(parts.layers, parts.loss, *parts.source, model.seed, 1, nullptr, {}, std::move(uncaptured));
    as_worker([&] {
      if (!device->on_host()) single.warm_up();  // copies of weights and the workspace of libraries are made once
      single.run_once();
    });
    add_fixed_layer_parts(profile, single.seen());
  }
  report(progress, 1, "done");
  return profile;
}

}  // namespace

Result<Profile> profile_with(const layers::Backend& backend, const ProfiledOn& where, const ModelSpec& model,
                             const ProfileOptions& options, const Progress& progress, std::stop_token stop) {
  try {
    return profile_on(backend.device(0), backend, where, model, options, progress, stop);
  } catch (const std::runtime_error& error) {  // no memory, or a device that fails
    return fail(ErrorCode::run_failed, error.what());
  }
}

Result<Profile> profile_on_cpu(const ModelSpec& model, const ProfileOptions& options, const Progress& progress,
                               std::stop_token stop) {
  const ProfiledOn where{"measured on one thread of this machine's CPU, fp32", machine::cpu_device_type};
  return profile_on(tensor::cpu_device(), cpu::cpu_backend(), where, model, options, progress, stop);
}

}  // namespace pipedeck::runtime::profile
