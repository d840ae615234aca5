// SPDX-License-Identifier: Apache-2.0
// The division of a stage's model states over the ranks that hold the same weights (ZeRO, arXiv 1910.02054, section 5).
// Each layer is divided by itself, so that a piece is one range of its parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/shard.hpp"

namespace pipedeck::runtime::exec {

/// A device's place among the ranks that hold the same weights: a sharding group of `ranks` ranks shares one set of
/// states, and `copies` devices hold the same piece. The sharding's group is not used: `ranks` replaces it.
struct StateSeat {
  Sharding sharding;
  int rank = 0, ranks = 1;
  int copy = 0, copies = 1;

  bool shards_optimizer() const { return sharding.level >= 1; }
  bool shards_gradients() const { return sharding.level >= 2 && !whole_until_step(); }
  bool shards_weights() const { return sharding.level == 3; }
  /// Returns true if weights and gradients are whole during a step, and only between steps in pieces.
  bool whole_until_step() const { return sharding.level == 3 && sharding.reshard == Reshard::after_step; }
  /// Returns true if each copy of a piece updates a part of it.
  bool divides_copies() const {
    return shards_optimizer() && copies > 1 && sharding.copies == CopySync::shard_optimizer;
  }
};

/// A range of a layer's parameters, as the device's kernel has them.
struct ParameterRange {
  std::int64_t first = 0, count = 0;
  bool operator==(const ParameterRange&) const = default;
};

/// The seats of a device. With expert parallelism fewer devices hold the same experts than the same other weights
/// (parallelism.md, section 1). A table that both ends of a pipeline share is on the devices of both: those of the last
/// stage are further copies. All have one sharding.
struct StateSeats {
  StateSeat dense, experts;
  std::optional<StateSeat> table;  ///< none: the stage has no such table, or is the whole model
};

/// The number of a layer's parameters, of which the first ones are those of a shared table, the last ones those of
/// experts.
struct LayerStates {
  std::int64_t parameters = 0, experts = 0, table = 0;
};

enum class StateClass { dense, experts, table };

/// The ranges of a device. A layer is a unit, or two if other devices hold its experts or its table than the rest. Rank
/// r of n has the parameters [p r / n, p (r + 1) / n) of the p of a unit. With divided copies, copy c of m updates the
/// same part of its piece. All ranges begin at the first parameter of their layer. Where lists of several layers are in
/// memory, each layer begins at a multiple of `alignment` parameters.
class StatePieces {
 public:
  StatePieces(const std::vector<LayerStates>& layers, const StateSeats& seats, std::int64_t alignment = 1);

  std::size_t layers() const { return layers_.size(); }
  std::int64_t parameters(std::size_t layer) const { return layers_[layer].parameters; }
  /// Returns the units of a layer.
  struct Units {
    std::size_t first = 0, last = 0;
  };
  Units units(std::size_t layer) const { return layers_[layer].units; }

  const StateSeat& seat(std::size_t unit) const { return seat(units_[unit].of); }
  StateClass class_of(std::size_t unit) const { return units_[unit].of; }
  bool of_table(std::size_t unit) const { return units_[unit].of == StateClass::table; }
  /// Returns true if all units have the devices of dense weights.
  bool all_dense() const { return all_dense_; }
  ParameterRange whole(std::size_t unit) const { return units_[unit].whole; }
  /// Returns the part of a unit that the device shares with its copies: all of it if optimizer states are whole.
  ParameterRange piece(std::size_t unit) const { return units_[unit].piece; }
  /// Returns the part of the piece whose optimizer states the device has.
  ParameterRange updated(std::size_t unit) const { return units_[unit].updated; }
  /// Returns the number of parameters in the pieces of all ranks, and in the updated parts of all copies of the piece.
  std::span<const std::size_t> piece_counts(std::size_t unit) const { return units_[unit].piece_counts; }
  std::span<const std::size_t> updated_counts(std::size_t unit) const { return units_[unit].updated_counts; }
  /// Returns the position of a layer in the list of all parameters, and the size of that list.
  std::int64_t layer_offset(std::size_t layer) const { return layer_offsets_[layer]; }
  std::int64_t list_size() const { return layer_offsets_.back(); }
  /// True if the device updates all parameters, or all of its pieces.
  bool updates_all() const { return updates_all_; }
  bool updates_pieces() const { return updates_pieces_; }
  /// Returns the position of a unit's range behind those of the units before it.
  std::int64_t piece_offset(std::size_t unit) const { return piece_offsets_[unit]; }
  std::int64_t updated_offset(std::size_t unit) const { return updated_offsets_[unit]; }
  std::int64_t piece_size() const { return piece_offsets_.back(); }
  std::int64_t updated_size() const { return updated_offsets_.back(); }

 private:
  struct Unit {
    StateClass of = StateClass::dense;
    ParameterRange whole, piece, updated;
    std::vector<std::size_t> piece_counts, updated_counts;
  };
  struct Layer {
    std::int64_t parameters = 0;
    Units units;
  };
  const StateSeat& seat(StateClass of) const;
  void add(ParameterRange whole, StateClass of);
  void end_layer(std::int64_t parameters, std::int64_t alignment);

  StateSeats seats_;
  std::vector<Layer> layers_;
  std::vector<Unit> units_;
  std::vector<std::int64_t> piece_offsets_{0}, updated_offsets_{0}, layer_offsets_{0};
  bool updates_all_ = true, updates_pieces_ = true, all_dense_ = true;
};

}  // namespace pipedeck::runtime::exec
