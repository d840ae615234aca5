// SPDX-License-Identifier: Apache-2.0
// A profiler that measures a model's layers on this machine, to make the profile for planning.
#pragma once

#include <stop_token>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/model.hpp"
#include "core/model/profile.hpp"
#include "core/runtime/machine/backend_report.hpp"

namespace pipedeck::runtime::layers {
struct Backend;
}  // namespace pipedeck::runtime::layers

namespace pipedeck::runtime::profile {

/// A limit for the measurement of one size: it ends when the error of the medians is below `error`.
struct Repetitions {
  int least = 7, most = 200;
  double error = 0.005;  ///< sum of the standard errors of all layers' medians over the sum of these medians
  Seconds time_limit{2};
};

struct ProfileOptions {
  std::vector<int> micro_batches;    ///< ascending; the first is the profile's own size
  std::vector<int> tensor_parallel;  ///< degrees, 2 or more, ascending: measured at the profile's own size
  Repetitions repetitions{};
  int busy_cores = 1;  ///< cores that run the model at the same time, including the timed one
};

/// Profiles every layer on one CPU thread, at each size: median times with their quartiles, for forward, for both
/// gradients together and for the weights' alone, and bytes. At each degree it measures the largest shard of each
/// layer, with all ranks running if there are cores for them. Waiting for one another counts. All-reduce transfers do
/// not count; they are reported in bytes. bad_usage for invalid sizes or degrees, bad_input if a layer cannot be
/// sharded over a degree, cancelled when stopped.
Result<Profile> profile_on_cpu(const ModelSpec& model, const ProfileOptions& options, const Progress& progress = {},
                               std::stop_token stop = {});

/// A description of where a profile was measured.
struct ProfiledOn {
  std::string source;  ///< "measured on ..."
  std::string device;  ///< device type, as named in clusters
  int devices = 1;     ///< number available for sharded layers; Backend::device is called for as many
};

/// Profiles on a backend's first device, and for sharded layers on as many as are available. If the backend captures
/// passes, each layer's passes are captured. `source` then mentions it, or the reason why capturing failed, and the
/// degrees that were measured with all ranks running on a device each. bad_usage for busy cores on other devices than
/// the CPU; run_failed with a device's error.
Result<Profile> profile_with(const layers::Backend& backend, const ProfiledOn& where, const ModelSpec& model,
                             const ProfileOptions& options, const Progress& progress = {}, std::stop_token stop = {});

inline Result<Profile> profile_on_cpu(const ModelSpec& model, std::vector<int> micro_batches,
                                      const Progress& progress = {}, std::stop_token stop = {}) {
  return profile_on_cpu(model, ProfileOptions{std::move(micro_batches), {}, {}}, progress, std::move(stop));
}

/// A device's part of a model that determines the speed of its optimizer step. The cache residency of its state depends
/// on the state's size and on the data that passes through the caches between two steps.
struct DeviceLoad {
  std::int64_t parameters = std::int64_t{1} << 20;
  Bytes activations{std::int64_t{4} << 20};
};

/// Returns this machine's CPU as a cluster of `devices` CPU threads in one node, with memory, measured copy bandwidth
/// and latency. The memory bandwidth is that of the optimizer steps of all devices at the same time, each with `load`.
Cluster cpu_cluster(int devices, const DeviceLoad& load = {});
/// Overload with a link that was measured before.
Cluster cpu_cluster(int devices, const DeviceLoad& load, const Link& link);
/// Returns the load of each of `devices` devices that share the profile's model evenly, or that of a stage's ranks. One
/// micro-batch passes saved tensors, workspace and gradients through its caches.
DeviceLoad load_of(const Profile& profile, int devices);

/// Reports on cpu, cuda and mpi, with a line for each device or a reason for none: `list devices`.
std::vector<machine::BackendReport> backends_here();

}  // namespace pipedeck::runtime::profile
