// SPDX-License-Identifier: Apache-2.0
// The times and memory of many steps of one model on one cluster, for editors and searches: what they have in common is
// computed once, equal stages are, and of many micro-batches as many are simulated as show a period.
#pragma once

#include <memory>

#include "core/base/result.hpp"
#include "core/mesh/group_times.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"

namespace pipedeck::sim::step {

class StepSeries {
 public:
  /// Returns bad_input for a cluster without paths. The rates are those of the cluster's devices.
  static Result<StepSeries> of(const Cluster& cluster, mesh::Rates rates);

  /// Returns the prediction of predict_step() to the nanosecond and byte, without the parts of the step. `question`: of
  /// the series' cluster.
  Result<mesh::Prediction> predict(const mesh::Question& question) const;

 private:
  StepSeries(mesh::Rates rates, std::shared_ptr<mesh::KnownGroups> known)
      : rates_(std::move(rates)), known_(std::move(known)) {}

  mesh::Rates rates_;
  std::shared_ptr<mesh::KnownGroups> known_;
};

}  // namespace pipedeck::sim::step
