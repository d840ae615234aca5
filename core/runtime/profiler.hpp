// SPDX-License-Identifier: Apache-2.0
// Measures a model's layers on this machine: the profile that plans for it are made with.
#pragma once

#include <stop_token>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/model.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/progress.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// How long a size is measured: until the error of its medians is below `error`, within the limits.
struct Repetitions {
  int least = 7, most = 200;
  double error = 0.005;  ///< standard errors of all layers' medians together, over the sum of these
  Seconds time_limit{2};
};

struct ProfileOptions {
  std::vector<int> micro_batches;    ///< ascending; the first is the profile's own
  std::vector<int> tensor_parallel;  ///< degrees, 2 or more, ascending: measured at the profile's own size
  Repetitions repetitions{};
  int busy_cores = 1;  ///< that run the model at the same time, the one that is timed among them
};

/// Median times of every layer on one CPU thread with their quartiles, forward, both gradients together and the
/// weights' apart, and its bytes, at each size; and of the largest part of each layer at each degree, with all ranks at
/// work where there are cores for them: waiting for one another counts, moving what they all-reduce does not, which is
/// told in bytes. bad_usage for sizes or degrees that are none, bad_input where a layer can't be cut so often,
/// cancelled when stopped.
Result<Profile> profile_on_cpu(const ModelSpec& model, const ProfileOptions& options, const Progress& progress = {},
                               std::stop_token stop = {});

struct Backend;

/// What a profile says of where it was measured.
struct ProfiledOn {
  std::string source;  ///< "measured on ..."
  std::string device;  ///< its type, as clusters call it
  int devices = 1;     ///< so many of them are at hand for layers that are cut; Backend::device is asked for as many
};

/// The same on a backend's first device, and on as many as there are where layers are cut. Where the backend records
/// passes each layer's are recorded, and `source` says so behind what is given, or why they could not be; and which
/// degrees were measured with all ranks at work, each on a device. Busy cores are bad_usage beside the processor;
/// run_failed with what a device fails with.
Result<Profile> profile_with(const Backend& backend, const ProfiledOn& where, const ModelSpec& model,
                             const ProfileOptions& options, const Progress& progress = {}, std::stop_token stop = {});

inline Result<Profile> profile_on_cpu(const ModelSpec& model, std::vector<int> micro_batches,
                                      const Progress& progress = {}, std::stop_token stop = {}) {
  return profile_on_cpu(model, ProfileOptions{std::move(micro_batches), {}, {}}, progress, std::move(stop));
}

/// What a device has of a model, for what the optimizer step reaches: whether its state is in the caches depends on how
/// much there is of it, and on what passes through them between two steps.
struct DeviceLoad {
  std::int64_t parameters = std::int64_t{1} << 20;
  Bytes activations{std::int64_t{4} << 20};
};

/// This machine's CPU as a cluster of `devices` CPU threads in one node: memory, measured copy bandwidth and latency;
/// and what the optimizer steps of all devices reach at the same time, each of `load`.
Cluster cpu_cluster(int devices, const DeviceLoad& load = {});
/// The same with a link that was measured before.
Cluster cpu_cluster(int devices, const DeviceLoad& load, const Link& link);
/// What each of so many devices, which share the model out among them, has of the profile's model, and what passes
/// through its caches with one of its micro-batches: what is kept, what is made beside it, and gradients.
DeviceLoad load_of(const Profile& profile, int devices);

/// What there is to run on, one line a device, and for what is missing why: `list devices`.
std::vector<std::string> describe_devices();

}  // namespace pipedeck
