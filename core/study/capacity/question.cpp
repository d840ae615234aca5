// SPDX-License-Identifier: Apache-2.0
#include "core/study/capacity/question.hpp"

#include <fmt/format.h>

#include "core/io/documents/transformer.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::study::capacity {
namespace {

Result<DeviceType> find_type(const Cluster& cluster, const std::string& name,
                             const whatif::DeviceCatalogue& catalogue) {
  if (const DeviceType* own = find_device_type(cluster, name)) return *own;
  if (const DeviceModel* known = find_device_model(catalogue, name)) return known->type;
  return fail(ErrorCode::bad_usage,
              fmt::format("found no device type '{}', expected one of the cluster or of the catalogue", name));
}

/// The type that a model is computed for, where the point leaves the cluster as it is.
std::string model_type(const Cluster& cluster) {
  const std::string only = whatif::scales_of(cluster).type;
  return only.empty() ? cluster.device_types.front().name : only;
}

}  // namespace

Result<Profile> model_profile(const Model& model, const std::string& type, int micro_batch,
                              const whatif::DeviceCatalogue& catalogue) {
  const DeviceModel* device = find_device_model(catalogue, type);
  if (!device)
    return fail(
        ErrorCode::bad_usage,
        fmt::format(
            "found no data sheet of device type '{}', expected a type of the catalogue to compute a model's times for",
            type));
  AnalyticOptions options = model.options;
  options.precision = model.precision.empty() ? analytic::times::usual_precision(*device) : model.precision;
  if (micro_batch > 0) options.micro_batch = micro_batch;
  DeviceModel as_computed = *device;
  if (as_computed.type.name == model.computed_for) as_computed.efficiency = model.efficiency;
  TRY(auto made, analytic::analytic_profile(model.read, as_computed, options));
  made.profile.device = type;  // a cluster may call it by another of its names
  return io::documents::with_origin(std::move(made.profile),
                                    {model.read.config, device->type.name, options, std::move(made.efficiency)});
}

Result<Model> capacity_model(const TransformerOrigin& origin, const Profile& profile,
                             const whatif::DeviceCatalogue& catalogue) {
  const Model model{{origin.config, {}}, origin.options, origin.options.precision, origin.device, origin.efficiency};
  TRY(const auto computed, model_profile(model, origin.device, 0, catalogue));
  if (computed.layers != profile.layers || computed.edges != profile.edges ||
      computed.micro_batch != profile.micro_batch)
    return fail(ErrorCode::bad_usage,
                fmt::format("found a profile ('{}') whose layers were changed since they were computed from a "
                            "transformer's configuration, expected them as computed: import the config.json again",
                            profile.name));
  return model;
}

Result<Problem> problem_at(const Request& question, const CapacityPoint& point,
                           const whatif::DeviceCatalogue& catalogue) {
  Problem problem = question.problem;
  WhatIf change;
  change.prices = question.prices;
  change.nodes = point.nodes;
  change.global_batch = point.global_batch;
  change.micro_batch = point.micro_batch;
  std::string type = model_type(*problem.cluster);
  if (!point.type.empty()) {
    TRY(const auto named, find_type(*problem.cluster, point.type, catalogue));
    type = named.name;
    change.type = named;
  }
  if (question.model) {
    TRY(auto profile, model_profile(*question.model, type, point.micro_batch, catalogue));
    problem.profile = std::make_shared<const Profile>(std::move(profile));
  }
  return whatif::with_change(problem, change, catalogue);
}

std::vector<CapacityPoint> capacity_cache(const Space& space) {
  std::vector<CapacityPoint> points;
  for (const std::string& type : space.types)
    for (const int nodes : space.nodes)
      for (const int batch : space.global_batches)
        for (const int micro_batch : space.micro_batches)
          if (micro_batch == 0 || batch % micro_batch == 0) points.push_back({type, nodes, batch, micro_batch});
  return points;
}

}  // namespace pipedeck::study::capacity
