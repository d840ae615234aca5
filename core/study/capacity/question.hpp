// SPDX-License-Identifier: Apache-2.0
// The question that planners are asked at each point of a capacity sweep: the same model on other clusters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analytic/analytic_profile.hpp"
#include "core/base/result.hpp"
#include "core/model/capacity.hpp"
#include "core/model/transformer_config.hpp"
#include "core/model/transformer_origin.hpp"
#include "core/model/workload.hpp"
#include "core/study/whatif/change.hpp"

namespace pipedeck::study::capacity {

/// A transformer instead of a measured profile: its layers are computed for each device type by its data sheet.
struct Model {
  ParsedTransformer read;
  AnalyticOptions options;                       ///< the micro-batch is the point's where that is fixed
  std::string precision;                         ///< of products; empty: each type's usual one
  std::string computed_for{};                    ///< the type of the profile that it is from; empty: none
  std::optional<DeviceEfficiency> efficiency{};  ///< of that type, as its times were computed
};

/// Returns the source of a computed profile for other sizes. bad_usage if its layers differ from the computed ones,
/// because they were changed since.
Result<Model> capacity_model(const TransformerOrigin& origin, const Profile& profile,
                             const whatif::DeviceCatalogue& catalogue);

struct Request {
  Problem problem;                       ///< the cluster whose nodes are taken; the profile, unless there is a `model`
  std::optional<Model> model;            ///< the problem's profile is not looked at
  std::map<std::string, double> prices;  ///< an hour of a device, by type, before the catalogue's
};

/// The profile of the model on a type of the catalogue. bad_usage for another type or precision, and for a sequence
/// that the model has no positions for.
Result<Profile> model_profile(const Model& model, const std::string& type, int micro_batch,
                              const whatif::DeviceCatalogue& catalogue);

/// bad_usage where a type is neither in the cluster nor in the catalogue, or with_change can't make the cluster.
Result<Problem> problem_at(const Request& question, const CapacityPoint& point,
                           const whatif::DeviceCatalogue& catalogue);

/// The ranges of a sweep, which covers every combination.
struct Space {
  std::vector<std::string> types{""};  ///< "": as the cluster is
  std::vector<int> nodes{1};
  std::vector<int> global_batches{1};
  std::vector<int> micro_batches{0};
};

/// Types first, then nodes, batches and micro-batches; a micro-batch that does not divide the batch has no point.
std::vector<CapacityPoint> capacity_cache(const Space& space);

}  // namespace pipedeck::study::capacity
