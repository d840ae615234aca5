// SPDX-License-Identifier: Apache-2.0
// The search space of joint's dynamic programme: places of stage boundaries, positions in the order of the devices,
// replicas and degrees. It also has the lower bounds that prune the search.
#pragma once

#include <vector>

#include "core/planner/joint/costs.hpp"

namespace pipedeck::planner::joint {

/// How much of the space is looked at.
struct Detail {
  int cuts = 160;            ///< places to cut a chain considered at most: the cheaper ones
  int start_positions = 64;  ///< places in the order of devices where a stage may begin, about
  double pairs = 2e7;        ///< of layer graphs: stages considered at most, of all numbers of devices and their places
};

class Space {
 public:
  Space(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch, const Detail& detail);

  /// A number of replicas and a degree of tensor parallelism.
  struct Shape {
    int replicas, degree;
    int devices() const { return replicas * degree; }
  };
  const std::vector<Shape>& shapes() const { return shapes_; }

  /// Places of Layers, from the first to the last one.
  const std::vector<int>& cuts() const { return cuts_; }
  /// Returns the positions in cuts() before which a stage that ends at cut c may begin, nearest first.
  const std::vector<int>& before(int c) const { return before_[static_cast<std::size_t>(c)]; }
  /// Returns true if the boundaries are those of one order: an earlier begin adds layers.
  bool nested() const { return nested_; }

  /// Returns true if a stage may begin with this device of the order, or end before it.
  bool may_start_at(int device) const { return marks_[static_cast<std::size_t>(device)]; }
  bool satisfies_constraints(int first, int last, int low, int high) const;
  /// Returns true if every boundary, number of replicas and device is considered.
  bool whole() const { return whole_; }

  /// Return lower bounds in seconds for the layers before a place: forward; forward and backward; and a micro-batch's
  /// share on the busiest of the first `devices` devices (infinite if they have no speed).
  double forward(int place) const { return forward_[static_cast<std::size_t>(place)]; }
  double forward_backward(int place) const { return both_[static_cast<std::size_t>(place)]; }
  double busiest(int place, int devices) const;

 private:
  struct Pin {
    LayerId layer;
    int slot;  // position of the device in the order
  };

  void choose_start_positions();
  void choose_shapes();
  void choose_cuts();
  std::vector<int> cheapest(int most) const;
  void measure();
  void add_least(int type, const Shape& shape, int samples, std::vector<double>& work, std::vector<double>& forward,
                 std::vector<double>& both);
  bool plain(int replicas) const;

  JointCosts& costs_;
  const Layers& layers_;
  const std::vector<DeviceId>& order_;
  int micro_batch_;
  Detail detail_;
  int devices_;
  bool nested_, whole_ = false;
  std::vector<int> cuts_;
  std::vector<std::vector<int>> before_;
  std::vector<bool> marks_;
  std::vector<Shape> shapes_;
  std::vector<Pin> pinned_;
  std::vector<double> work_, forward_, both_;  ///< sums before each place
  std::vector<double> speed_;                  ///< sums over the first devices
};

}  // namespace pipedeck::planner::joint
