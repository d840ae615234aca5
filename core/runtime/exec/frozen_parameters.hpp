// SPDX-License-Identifier: Apache-2.0
// The weights of a stage that are not trained, next to adapters (layers/adapters.hpp): neither gradients nor optimizer
// states belong to them. With level 3 they are divided over the ranks as trained weights are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/runtime/exec/report.hpp"
#include "core/runtime/exec/state_exchange.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/tensor/weight_copy.hpp"

namespace pipedeck::runtime::exec {

class FrozenParameters {
 public:
  using Kernels = std::span<const std::unique_ptr<layers::LayerKernel>>;
  /// `exchange` divides them; `gathered` is null if each device has all. `table`: the model's whole first layer, whose
  /// words the last of `layers` shares; null without such a head. A head without states here borrows its table.
  FrozenParameters(Kernels layers, const layers::LayerKernel* table, std::shared_ptr<const StateExchange> exchange,
                   std::shared_ptr<GatheredWeights> gathered, std::shared_ptr<tensor::DeviceMemory> memory);

  /// Draws those of model layer i from stream i of `seed`, as without adapters.
  void initialise(std::uint64_t seed, int first_layer);
  /// Takes them from the model's whole layers without adapters.
  void load(std::span<const std::vector<float>> whole_layers, int first_layer);

  /// Creates the copy that the device's products take (ComputeDevice::copy_of_weights), unless it is there. Called
  /// before passes. Weights that are gathered have none.
  void make_copy();
  /// Returns a layer's share of the bytes of that copy.
  Bytes copied(std::size_t layer) const;

  /// Returns a layer's weights for a pass. Weights of other ranks stay until release() was called as often.
  std::span<const float> acquire(std::size_t layer);
  void prefetch(std::size_t layer);
  void release(std::size_t layer);
  void end_step();
  bool has_thread() const { return gathered_ && gathered_->has_thread(); }

  /// Returns true if a layer's weights of other ranks are here.
  bool fetched(std::size_t layer) const { return gathered_ && gathered_->holds(layer); }
  /// Returns the number of a layer's weights that the device has between passes, and of all that a pass needs.
  std::int64_t held(std::size_t layer) const;
  std::int64_t whole(std::size_t layer) const { return exchange_->pieces().parameters(layer); }
  /// Adds those that the device has, if it is the first of the devices that have them (StageModule::add_parameters).
  void add_parameters(int first, std::vector<LayerParameters>& to) const;

 private:
  template <class Fill>
  void fill(const Fill& fill_layer);
  bool is_head(std::size_t layer) const { return table_ != nullptr && layer + 1 == layers_.size(); }
  /// Returns the model's layer that has the weights of this one. `first`: that of the stage's first layer.
  int stored_in(int first, std::size_t layer) const { return is_head(layer) ? 0 : first + static_cast<int>(layer); }
  template <class Work>
  void for_each_unit(std::size_t layer, const Work& work) const;
  std::span<const float> own(std::size_t layer, std::size_t unit) const;

  Kernels layers_;
  const layers::LayerKernel* table_;
  std::shared_ptr<const StateExchange> exchange_;
  std::shared_ptr<GatheredWeights> gathered_;
  tensor::Tensor weights_;  ///< whole layers, or the device's pieces
  bool may_copy_;
  std::unique_ptr<tensor::WeightCopy> copy_;  ///< null: products take the weights themselves
};

}  // namespace pipedeck::runtime::exec
