// SPDX-License-Identifier: Apache-2.0
// The input of the second opinion: the placement of a plan's parts, and their durations alone.
#pragma once

#include <cmath>
#include <vector>

#include "core/cost/network.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::test {

using Time = std::int64_t;

inline Time rounded(double seconds) { return static_cast<Time>(std::floor(seconds * 1e9 + 0.5)); }

/// A replica of a copy of a stage.
struct Part {
  int stage = 0, copy = 0, replica = 0;
  std::vector<DeviceId> devices;
  std::vector<int> samples;  // of a micro-batch, by number
  std::size_t lane = 0;
  double forward = 0, backward = 0, weight = 0, again = 0;  // seconds
  std::vector<double> weight_from, backward_from;           // seconds from the start of the pass, by reduction
  int count() const { return static_cast<int>(samples.size()); }
};

struct Reduced {
  pipedeck::Bytes bytes, whole;  ///< of these, what every rank has whole
  int position = 0;
  Time duration = 0;
  std::vector<std::vector<DeviceId>> groups{};  // by rank of tensor parallelism
  std::vector<Time> ends{};                     // shared network: of every round
};

class PlainParts {
 protected:
  PlainParts(const Problem& problem, const Plan& plan, const Schedule& schedule);

  const Stage& stage(int s) const { return plan_.stages[static_cast<std::size_t>(s)]; }
  Time duration(const Part& part, OpKind kind) const;
  Time optimizer(const Part& part, std::size_t rank) const;

  const Profile& profile_;
  Calibration calibration_;
  Cluster cluster_;  // with its own bandwidths
  const Plan& plan_;
  const Schedule& schedule_;
  Overlap overlap_;
  cost::Network network_;
  std::vector<LayerId> order_;
  std::vector<pipedeck::Bytes> cuts_;
  std::vector<std::vector<Reduced>> reductions_;  // by stage
  std::vector<Part> parts_;
  std::vector<std::vector<DeviceId>> lane_devices_;

 private:
  struct Passes {
    double forward = 0, backward = 0, weight = 0;
  };

  const Layer& layer(int position) const { return profile_.layers[order_[static_cast<std::size_t>(position)].index()]; }
  bool by_layer() const { return plan_.synchronous() && overlap_ == Overlap::layer; }
  void add_parts(std::size_t s);
  void add_part(int s, int copy, int r);
  std::vector<int> samples_of(int s, int r) const;
  Passes layer_passes(const Part& part, const Layer& layer) const;
  void add_times(Part& part) const;
  void find_reductions(std::size_t s);

  std::vector<std::vector<std::vector<DeviceId>>> homes_;  // by stage and copy
};

}  // namespace pipedeck::test
