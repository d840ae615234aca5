// SPDX-License-Identifier: Apache-2.0
// A model's layers as measured or computed for a device: times, bytes, and the edges between layers (formats.md,
// "Profile").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/shard.hpp"

namespace pipedeck {

/// A pair of quartiles: half of a time's repetitions are between them. The time itself is the median.
struct Quartiles {
  Seconds lower, upper;
  bool operator==(const Quartiles&) const = default;
};

/// A spread of a measured layer's repetitions.
struct TimeSpread {
  int repetitions = 0;
  Quartiles forward, backward;
  bool operator==(const TimeSpread&) const = default;
};

/// A set of measured values of a point in addition to its times.
struct PointDetails {
  std::optional<Seconds> backward_weight;  ///< part of `backward`
  std::optional<Bytes> saved, workspace;
  std::optional<Bytes> input;  ///< held of the input where the layer is recomputed; absent: the whole input
  std::optional<TimeSpread> spread;
  bool operator==(const PointDetails&) const = default;
};

/// A measured point at another micro-batch size.
struct LayerPoint {
  int micro_batch = 1;  ///< samples
  Seconds forward, backward;
  PointDetails details = {};
  bool operator==(const LayerPoint&) const = default;
};

/// A measured layer's memory by pass, if the planned runtime reports it. The passes run layer by layer, each frees
/// memory that it no longer needs, and buffers pass between layers without copies.
struct LayerMemory {
  Bytes input;                          ///< part of `saved`: the layer's input, held in the received buffer
  Bytes forward, backward;              ///< peak of each pass without saved bytes and the incoming gradient
  Bytes forward_fixed, backward_fixed;  ///< the part of these that does not grow with the samples
  Bytes weight_saved;                   ///< saved from the input gradient to the weight gradient if these are separate
  Bytes recompute_saved;   ///< saved in addition to the input if the layer is recomputed: the loss's targets
  Bytes weight_copy = {};  ///< held between passes in addition to the states: weights as a device's products take them
  bool operator==(const LayerMemory&) const = default;
};

/// A layout of a tensor on the devices of a tensor-parallel replica: replicated, or sharded by columns.
enum class TensorLayout { replicated, column_sharded };

/// A sharding of a layer. The choice depends on the neighbouring layers in its stage (cut_path).
struct ShardingStep {
  TensorLayout from = TensorLayout::replicated, to = TensorLayout::replicated;  ///< layout of the input and the output
  std::int64_t moved = 0;  ///< values per sample that the devices exchange, both passes
  bool alike = false;      ///< every device computes the whole layer
  bool operator==(const ShardingStep&) const = default;
};

/// A sharding's memory on each of the devices.
struct ShardingCost {
  ShardingStep step;
  Bytes replicated_parameters;  ///< as Layer::replicated_parameters
  Bytes saved, workspace;       ///< workspace: maximum of both passes at the profile's micro-batch
  LayerMemory memory;
  bool operator==(const ShardingCost&) const = default;
};

/// A layer sharded over `degree` devices: time on each of them, and bytes that each pass all-reduces.
struct TensorParallelPoint {
  int degree = 2;
  Seconds forward, backward;
  Bytes forward_allreduce, backward_allreduce;
  PointDetails details = {};            ///< on each of the devices
  std::vector<ShardingCost> ways = {};  ///< by preference; empty: unknown
  bool operator==(const TensorParallelPoint&) const = default;
};

/// A layer's times on another device type, for the profile's own micro-batch.
struct DeviceTypePoint {
  Seconds forward, backward;
  bool operator==(const DeviceTypePoint&) const = default;
};

/// Layer::kind of values made from the batch alone (token ids, attention masks). No gradient flows into them. Every
/// stage that needs them loads or makes its own, so they never cross a cut.
inline constexpr std::string_view data_kind = "data";

/// A layer's states on a rank in bytes, while no pass runs: the largest of all ranks.
struct RankStates {
  Bytes weights, gradients;
  Bytes updated;  ///< of the weights whose optimizer states the rank has
  Bytes reduced;  ///< of the gradients that ranks with the same weights sum at the end of a step
  auto operator<=>(const RankStates&) const = default;
};
RankStates& operator+=(RankStates& sum, const RankStates& next);
RankStates operator-(const RankStates& all, const RankStates& part);

/// A description of a stage's ranks, of which a profile has one: its layers are as this rank runs them, with all
/// exchanges inside.
struct ProfiledRanks {
  Shard shard;
  int data = 1;  ///< ranks that have other samples
  Sharding sharding;
  std::vector<std::string> recomputed = {};  ///< modules of each block, by Megatron-LM's names
  bool operator==(const ProfiledRanks&) const = default;
};
/// Returns "T 2 with divided tokens · C 2 (ring) · D 2 · ZeRO-3".
std::string text_of(const ProfiledRanks& ranks);

/// A layer. All values are for one micro-batch of Profile::micro_batch samples.
struct Layer {
  std::string name;
  std::string kind;
  Seconds forward;
  Seconds backward;            ///< input gradient and weight gradient
  Seconds backward_weight;     ///< the weight-gradient part of `backward`
  Bytes output;                ///< to the next layer; the sum of several outputs
  std::vector<Bytes> outputs;  ///< each of several outputs; empty for one
  Bytes saved;                 ///< saved by forward for backward
  Bytes parameters;
  Bytes replicated_parameters;  ///< the part of these that each device of a tensor-parallel group holds whole (norms,
                                ///< some biases)
  Bytes workspace;
  std::optional<LayerMemory> memory;
  std::optional<RankStates> states;  ///< with Profile::ranks
  std::optional<TimeSpread> spread;
  std::vector<LayerPoint> at;  ///< sorted by micro_batch, including the base point; empty: time is proportional
  std::vector<TensorParallelPoint> tensor_parallel;  ///< sorted by degree
  std::map<std::string, DeviceTypePoint> on;         ///< by device type
  std::string extra;                                 ///< unknown keys of the file, as JSON text
  bool operator==(const Layer&) const = default;
};

struct Edge {
  LayerId from, to;
  std::optional<int> output;  ///< index in `from`'s outputs; absent: all of them
  bool operator==(const Edge&) const = default;
};

struct Profile {
  std::string name;
  std::string source;   ///< description of how it was measured or computed
  std::string device;   ///< device type of the times
  int micro_batch = 1;  ///< samples of one forward/backward
  std::vector<Layer> layers;
  std::vector<Edge> edges;  ///< empty: a chain in list order
  /// If set, `layers` are those of one rank, and micro_batch has its samples: with C context ranks, C-ths of samples.
  std::optional<ProfiledRanks> ranks{};
  std::string extra;  ///< unknown keys of the file, as JSON text

  bool operator==(const Profile&) const = default;
  bool is_chain() const { return edges.empty(); }
};

/// Returns `edges`, or the chain's edges if there are none.
std::vector<Edge> edges_of(const Profile& profile);

/// Returns the fixed topological order used by planners made for chains: Kahn's algorithm, ties by list position. The
/// profile must be acyclic (checked by validate.hpp).
std::vector<LayerId> topological_order(const Profile& profile);

/// A source of figures.
enum class FigureSource { measured, computed, assumed };
std::string_view name_of(FigureSource source);  // "measured"

/// Returns the source of the layer times: computed from shapes or from a paper's figures, else taken as measured.
FigureSource source_of_times(const Profile& profile);

/// Returns the smallest measured micro-batch. Times below it are unknown.
int smallest_measured_micro_batch(const Profile& profile);

}  // namespace pipedeck
