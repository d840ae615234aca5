// SPDX-License-Identifier: Apache-2.0
// What is known of a model's layers on a device: times, bytes, and how layers feed one another (formats.md, "Profile").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/ids.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

/// Half of a time's repetitions lie between these; the time itself is their median.
struct Quartiles {
  Seconds lower, upper;
  bool operator==(const Quartiles&) const = default;
};

/// How far the repetitions of a measured layer were apart.
struct TimeSpread {
  int repetitions = 0;
  Quartiles forward, backward;
  bool operator==(const TimeSpread&) const = default;
};

/// What a measurement tells of a point beside its times.
struct PointDetails {
  std::optional<Seconds> backward_weight;  ///< of `backward`
  std::optional<Bytes> saved, workspace;
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

/// What a measured layer needs in memory pass by pass, where the runtime that is planned for was asked: the passes run
/// layer by layer, each frees what it no longer needs, and buffers pass from layer to layer without copies.
struct LayerMemory {
  Bytes input;                          ///< of `saved`: the layer's input, the very buffer that was received
  Bytes forward, backward;              ///< most of each pass beside saved bytes and the gradient that comes in
  Bytes forward_fixed, backward_fixed;  ///< of these, what does not grow with the samples
  Bytes weight_saved;                   ///< kept from the input gradient to the weight gradient where these are apart
  Bytes recompute_saved;                ///< kept beside the input where the layer is recomputed: the loss's targets
  bool operator==(const LayerMemory&) const = default;
};

/// How a tensor lies on the devices of a tensor-parallel replica: each has all of it, or its columns of each row.
enum class Lies { whole, in_columns };

/// One way to cut a layer. Which one is taken depends on what stands around the layer in its stage (cut_path).
struct CutStep {
  Lies from = Lies::whole, to = Lies::whole;  ///< its input and its output
  std::int64_t moved = 0;                     ///< values a sample that the devices send each other, both passes
  bool alike = false;                         ///< every device computes all of it
  bool operator==(const CutStep&) const = default;
};

/// What one way to cut a layer takes of each of the devices.
struct CutWay {
  CutStep step;
  Bytes whole_parameters;  ///< as Layer::whole_parameters
  Bytes saved, workspace;  ///< workspace: the most of both passes at the profile's micro-batch
  LayerMemory memory;
  bool operator==(const CutWay&) const = default;
};

/// The layer cut over `degree` devices: time on each of them, and what each pass all-reduces.
struct TensorParallelPoint {
  int degree = 2;
  Seconds forward, backward;
  Bytes forward_allreduce, backward_allreduce;
  PointDetails details = {};      ///< on each of the devices
  std::vector<CutWay> ways = {};  ///< in the order in which they are preferred; empty: nobody says
  bool operator==(const TensorParallelPoint&) const = default;
};

/// Times on another device type, for the profile's own micro-batch.
struct OtherDevicePoint {
  Seconds forward, backward;
  bool operator==(const OtherDevicePoint&) const = default;
};

/// Layer::kind of what is made from the batch alone (token ids, attention masks): no gradient flows into it, and every
/// stage that needs it loads or makes its own, so that it never crosses a cut.
inline constexpr std::string_view data_kind = "data";

/// All figures are for one micro-batch of Profile::micro_batch samples.
struct Layer {
  std::string name;
  std::string kind;
  Seconds forward;
  Seconds backward;            ///< input gradient and weight gradient
  Seconds backward_weight;     ///< the weight-gradient part of `backward`
  Bytes output;                ///< to the next layer; where there are several outputs, their sum
  std::vector<Bytes> outputs;  ///< each output of a layer that has several; empty for one
  Bytes saved;                 ///< kept by forward for backward
  Bytes parameters;
  Bytes whole_parameters;  ///< of these, what each device of a tensor-parallel group holds whole (norms, some biases)
  Bytes workspace;
  std::optional<LayerMemory> memory;
  std::optional<TimeSpread> spread;
  std::vector<LayerPoint> at;  ///< sorted by micro_batch, with the base point among them; empty: time is proportional
  std::vector<TensorParallelPoint> tensor_parallel;  ///< sorted by degree
  std::map<std::string, OtherDevicePoint> on;        ///< by device type
  std::string extra;                                 ///< unknown keys of the file, kept as JSON text
  bool operator==(const Layer&) const = default;
};

struct Edge {
  LayerId from, to;
  std::optional<int> output;  ///< which of `from`'s several outputs; absent: all of them
  bool operator==(const Edge&) const = default;
};

struct Profile {
  std::string name;
  std::string source;   ///< in words: how it was measured or computed
  std::string device;   ///< the device type that the times are for
  int micro_batch = 1;  ///< samples that one forward/backward is for
  std::vector<Layer> layers;
  std::vector<Edge> edges;  ///< empty: a chain in list order
  std::string extra;        ///< unknown keys of the file, kept as JSON text

  bool operator==(const Profile&) const = default;
  bool is_chain() const { return edges.empty(); }
};

/// `edges`, or the chain's edges where there are none.
std::vector<Edge> edges_of(const Profile& profile);

/// The fixed topological order that planners made for chains use: Kahn's, ties by list position.
/// The profile must be acyclic (validate.hpp sees to it).
std::vector<LayerId> topological_order(const Profile& profile);

/// Smallest micro-batch that anybody measured: below it nobody knows the time.
int smallest_measured_micro_batch(const Profile& profile);

}  // namespace pipedeck
