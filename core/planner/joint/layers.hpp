// SPDX-License-Identifier: Apache-2.0
// The layers in joint's searches: places of stage boundaries, and sums over the layers between two of them in constant
// time. A place is the index of an ideal of the layer graph (ideals.hpp). The ideals of a single order are its
// prefixes, so there a place is the number of layers before it. Figures are those of core/cost; this file only adds
// them up.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/planner/search/arithmetic.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/ideals.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

class Layers {
 public:
  /// `chain`: for what does not depend on the order. It must outlive this.
  Layers(search::Chain& chain, search::Ideals ideals);

  search::Chain& chain() { return chain_; }
  const search::Chain& chain() const { return chain_; }
  const search::Ideals& ideals() const { return ideals_; }
  /// The place behind all layers; 0 is the one before them.
  int whole() const { return ideals_.whole(); }
  bool has(int place, LayerId layer) const { return ideals_.has(place, layer); }
  /// Returns the place after the first layer between two places, in a plan's order (Ideals::between).
  int next(int first, int last) const;

  /// A layer that is alone between two places, except for idle layers that stay with it and cost nothing.
  struct IsolatedLayer {
    LayerId layer;
    int first, last;
  };
  /// Returns one entry for every layer that can be alone.
  const std::vector<IsolatedLayer>& isolated_layers() const { return alone_; }

  /// Sums a figure of the layers before each place.
  template <class Number>
  std::vector<Number> sums(const std::function<Number(const Layer&)>& figure) const {
    std::vector<Number> figures;
    for (const Layer& layer : chain_.profile().layers) figures.push_back(figure(layer));
    return ideals_.sums(std::span<const Number>(figures));
  }
  /// Passes of `samples` samples on devices of the type at this position of Cluster::device_types.
  const search::PassTimes& times(int samples, int type);
  plan::Weights weights(int first, int last) const {
    return {Bytes(parameters_[search::at(last)] - parameters_[search::at(first)]),
            Bytes(whole_[search::at(last)] - whole_[search::at(first)])};
  }
  /// Returns the bytes of `samples` samples that cross the boundary at a place; 0 at both ends.
  Bytes cut(int place, int samples) const;
  /// On each of `degree` devices that have the layers in even parts.
  search::StageBytes bytes(int first, int last, int samples, int degree, bool recompute = false);

 private:
  search::Chain& chain_;
  search::Ideals ideals_;
  std::vector<IsolatedLayer> alone_;
  std::vector<std::int64_t> parameters_,
      whole_;  ///< bytes before each place: of all layers, and unsharded on each rank
  using Workspaces = std::vector<std::pair<Bytes, LayerId>>;  ///< largest first, those above 0
  const Workspaces& workspaces(int degree);
  const Workspaces& largest_saved(int degree);
  const Workspaces& sorted(std::map<int, Workspaces>& by_degree, int degree, Bytes (*figure)(const Layer&, int)) const;
  void add_recompute(search::StageBytes& bytes, int first, int last, int samples, int degree);
  std::vector<std::int64_t> inputs_;                                ///< bytes before each place that its layers take
  std::map<int, Workspaces> largest_saved_;                         ///< by degree
  std::map<int, Workspaces> workspaces_;                            ///< by degree
  std::map<std::pair<int, int>, search::PassTimes> times_;          ///< by samples, type
  std::map<std::pair<int, int>, std::vector<std::int64_t>> saved_;  ///< by samples, degree
};

}  // namespace pipedeck::planner::joint
