// SPDX-License-Identifier: Apache-2.0
// The search space and the predictor of CAPTURE's recommenders. A chain is partitioned into contiguous stages on
// contiguous blocks of the devices in a given order. Each stage has its degrees of data and tensor parallelism.
//
// The predictor has two figures per layer: its peak alone on a device (static + saved + input + workspace), and its
// addition after preceding layers (static + saved). A stage's peak is the first figure of its first layer and the
// second figure of the others. Deviation: the paper predicts one micro-batch on every stage. 1F1B holds min(M, S - i)
// micro-batches on stage i, which multiplies the saved bytes. Data parallelism divides the samples, tensor parallelism
// the weights; saved bytes follow the profile (layer_bytes.hpp). If the profile has the shardings of layers, a stage
// fits if the largest of them fits (cost/sharded_ranges.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/device_blocks.hpp"

namespace pipedeck::planner::capture {

struct Options {
  bool ignore_memory = false;
  bool paper_in_flight = false;  ///< predict one micro-batch on every stage
  bool pipeline_only = false;    ///< one device per stage, and as many stages as devices and layers allow
  std::stop_token stop{};        ///< once requested, no more ways are added
};

/// A way to run a stage: `replicas` of `tensor` devices each; `samples` of the replica with most.
struct StageConfig {
  int replicas = 1, tensor = 1, samples = 1;
  int devices() const { return replicas * tensor; }
  bool operator==(const StageConfig&) const = default;
};

/// A stage: layers [first, last) in a way, on the devices from position `device` of the order on.
struct StageChoice {
  int first = 0, last = 0;
  int config = 0;
  int device = 0;
  auto operator<=>(const StageChoice&) const = default;
};
using Partition = std::vector<StageChoice>;

/// A bound for every stage.
struct Bounds {
  std::int64_t peak = INT64_MAX;                             ///< predicted, bytes
  double seconds = std::numeric_limits<double>::infinity();  ///< forward and backward of a micro-batch

  bool timed() const { return seconds < std::numeric_limits<double>::infinity(); }
};

class Space {
 public:
  /// `order`: every device once. `slice`: least samples of a replica.
  Space(search::Chain& chain, int micro_batch, int slice, const Options& options, std::vector<DeviceId> order);

  int layers() const { return layers_; }
  int devices() const { return static_cast<int>(order_.size()); }
  int micro_batches() const { return micro_batches_; }
  /// Return the range of the number of stages; empty if the least exceeds the most.
  int min_stages() const { return min_stages_; }
  int max_stages() const { return max_stages_; }
  /// Returns true if only layers and devices limit the number of stages.
  bool any_stages() const { return any_stages_; }
  /// Returns the numbers of stages to distinguish: from M on, another stage holds no more micro-batches.
  int rows() const { return any_stages_ ? std::min(max_stages_, micro_batches_) : max_stages_; }
  /// Returns true for pipelines: one way to run each of a given number of stages.
  bool pipelines() const { return ways_.size() == 1 && min_stages_ == max_stages_; }
  int ways() const { return static_cast<int>(ways_.size()); }
  const StageConfig& config(int w) const { return ways_[search::at(w)]; }
  const search::DeviceBlocks& blocks(int w) const { return blocks_[tables_[search::at(w)].blocks]; }

  /// Returns the predicted bytes on the fullest device of a stage with `behind` stages behind it.
  std::int64_t peak(int w, int first, int last, int behind) const;
  /// Returns the part of peak() that grows with every layer, at either end.
  std::int64_t min_peak(int w, int first, int last, int behind) const;
  /// Returns the upper bound of the stage's memory in bytes (memory_fit.hpp), including boundary buffers. need_with()
  /// replaces the stage's own output.
  std::int64_t need(int w, int first, int last, int behind) const;
  std::int64_t need_with(int w, int first, int last, int behind, std::int64_t output) const;
  /// Returns the part of need() that grows with every layer, at either end.
  std::int64_t min_need(int w, int first, int last, int behind) const;
  std::int64_t largest_capacity(int w) const;
  std::int64_t largest_output(int w) const { return tables_[search::at(w)].largest_output; }
  std::int64_t capacity(int w, int kind) const;
  /// Returns forward and backward of a micro-batch on the slowest device of a block of this kind.
  double seconds(int w, int kind, int first, int last);
  /// The first position at or behind `first` whose layer can't be cut as the way's tensor parallelism asks, or N.
  int tensor_end(int w, int first) const { return tables_[search::at(w)].tensor_end[search::at(first)]; }

  /// The first position at or behind `first` whose layer is pinned, or N.
  int next_pin(int first) const { return next_pin_[search::at(first)]; }
  /// First positions, from and to, that the block of layers [first, last) may have for its pins' sake.
  std::pair<int, int> allowed_starts(int w, int first, int last) const;

  /// May the stage run where it is?
  bool allows(const StageChoice& stage, int behind, const Bounds& bounds);
  /// The stages on the first devices that they may have; nothing where they don't find any.
  std::optional<Partition> placed(Partition stages, const Bounds& bounds);

  std::int64_t highest_peak(const Partition& stages) const;
  double slowest(const Partition& stages);
  /// Returns a 1F1B plan without warm-up counts and objective.
  Plan plan_of(const Partition& stages) const;

 private:
  struct Table {
    const std::vector<std::int64_t>*saved = nullptr, *cut = nullptr;  // prefix sums; bytes of boundaries
    const std::vector<std::int64_t>* workspace = nullptr;             // of single layers
    std::vector<int> tensor_end;
    std::map<int, std::vector<double>> seconds;  // by type, prefix sums
    std::int64_t largest_output = 0;
    std::size_t blocks = 0;
  };
  void count_stages();
  void find_state_multiple();
  void add_configs(int slice);
  void add_table(const StageConfig& way);
  void add_pins();
  const std::vector<double>& seconds_on(int w, int type);
  std::int64_t fixed(int w, int first, int last) const;
  std::int64_t fixed(int w, const plan::Weights& all) const;
  int kept(int behind) const { return std::min(micro_batches_, behind + 1); }

  search::Chain& chain_;
  int micro_batch_, micro_batches_, layers_;
  Options options_;
  std::vector<DeviceId> order_;
  int min_stages_ = 1, max_stages_ = 1;
  bool any_stages_ = false;
  std::optional<std::int64_t> state_multiple_;  ///< bytes of weights, gradients and optimizer over those of the weights
  std::int64_t held_ = 0;                       ///< reserve and communication, bytes
  std::vector<StageConfig> ways_;
  std::vector<Table> tables_;
  std::vector<search::DeviceBlocks> blocks_;
  std::map<int, std::vector<std::int64_t>> cuts_;                               // by samples
  std::map<std::pair<int, int>, std::vector<std::int64_t>> saved_, workspace_;  // by samples, tensor parallelism
  std::vector<std::vector<int>> pins_;  // positions of devices, by position of layer
  std::vector<int> next_pin_;
};

}  // namespace pipedeck::planner::capture
