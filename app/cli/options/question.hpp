// SPDX-License-Identifier: Apache-2.0
// The options that make a question to the planners and to the simulator, and what they stand for once opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pipedeck::cli::options {

/// --profile, --cluster, --profile-micro-batch and --sequence.
struct FileOptions {
  std::string profile, cluster;
  std::optional<int> profile_micro_batch;
  int sequence = 0;                 ///< tokens per sample of a transformer; 0: its own, at most longest_assumed
  bool sequence_of_profile = true;  ///< the command uses it for nothing else
  void declare(CLI::App& app, bool required = true);
  bool given() const { return !profile.empty() || !cluster.empty(); }
};

/// How a plan is judged: --network, --overlap, --bucket-bytes, --collectives, --reserve-bytes, --reserve-share,
/// --communication-bytes, --fragmentation, --calibration.
struct SimulationOptionGroup {
  std::optional<std::string> network;  ///< absent: by the cluster
  std::string overlap = "layer", collectives = "least";
  std::int64_t bucket_bytes = default_bucket.count;
  std::optional<std::int64_t> reserve_bytes, communication_bytes;  ///< absent: the defaults of the device types
  std::optional<double> fragmentation;
  double reserve_share = 0;  ///< in addition to `reserve_bytes`: of the memory of the largest device type
  std::string calibration;   ///< a file
  void declare(CLI::App& app);
  /// Returns all but the values of the calibration's file. Absent options are `ideal` and 0.
  SimulationOptions conventions() const;
  /// Returns the same with the cluster's default network and its devices' default memory, which a note names.
  SimulationOptions conventions(const Cluster& cluster) const;
  /// Returns the bytes of each device that other programs use: --reserve-bytes and --reserve-share.
  Bytes kept_for_others(const Cluster& cluster) const;
};

/// ", collectives tree"; nothing for the default.
std::string collectives_text(Collectives collectives);

/// The memory per parameter: --optimizer, --precision, --zero. Absent: the plan's, or the default, which is mixed
/// precision for 16-bit weights.
struct StateOptions {
  std::optional<std::string> optimizer, precision;
  std::optional<int> zero;
  void declare(CLI::App& app);
  template <class PlanOrWorkload>
  void apply(PlanOrWorkload& target) const {
    if (optimizer) target.optimizer = *parse_optimizer(*optimizer);
    if (precision) target.precision = *parse_precision(*precision);
    if (zero) target.zero = *zero;
  }
  /// Without --precision the `usual` one. A note reports it if it is not fp32.
  void apply(Workload& workload, Precision usual) const;
};

/// --adapter-rank, --adapter-targets, --frozen-weights.
struct AdapterOptions {
  int rank = 0;
  std::string targets = "linear", frozen = "same";
  void declare(CLI::App& app);
  Adapters adapters() const;
};

/// Constraints on every answer: --pp, --dp, --tmp, --max-stages, --pin.
struct PinOptions {
  std::optional<int> stages, replicas, tensor_parallel, max_stages;
  std::vector<std::string> layers;  ///< LAYER=DEVICE, the layer by name or number
  void declare(CLI::App& app);
  Result<PlanConstraints> pins(const Profile& profile) const;
};

/// Another schedule than a plan's own: --schedule and --chunks.
struct ScheduleOptions {
  std::optional<std::string> name;
  int chunks = 2;
  void declare(CLI::App& app);
  /// bad_usage, listing the names, where there is no such schedule.
  Result<void> check() const;
  /// The plan under that schedule, itself where none was asked for.
  Result<Plan> apply(Plan plan, const Profile& profile) const;
};

/// --threads.
CLI::Option* declare_threads(CLI::App& app, std::optional<int>& threads);
/// --threads, else PIPEDECK_THREADS, else 1.
Result<int> thread_count(const std::optional<int>& threads);

/// All that `plan` and `compare` share.
struct PlanningOptions {
  FileOptions inputs;
  SimulationOptionGroup simulation;
  StateOptions state;
  AdapterOptions adapted;
  PinOptions pinned;
  ScheduleOptions schedule;
  int global_batch = 0;
  std::optional<int> micro_batch;
  std::optional<int> threads;
  void declare(CLI::App& app);
  Result<Problem> open() const;
  Result<int> thread_count() const;
};

/// Returns profile and cluster, read and fit for planning, to be simulated as `judged` states, with the calibration;
/// the rest of the workload has its defaults. Prints the calibration on standard error.
Result<Problem> open_inputs(const FileOptions& inputs, const SimulationOptionGroup& simulation);

/// As above without a profile: the cluster of a file or preset.
Result<Problem> open_hardware(const std::string& file, const SimulationOptionGroup& simulation);

/// A plan may be used for another profile or cluster than it was made for, not unnoticed.
void warn_if_made_for_others(const Plan& plan, const std::string& file, const Problem& problem);

/// The workload that a plan answers, for bounds and comparisons.
Workload workload_of(const Plan& plan, const SimulationOptions& conventions);

}  // namespace pipedeck::cli::options
