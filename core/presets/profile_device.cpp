// SPDX-License-Identifier: Apache-2.0
#include "core/presets/profile_device.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/analytic/times/roofline.hpp"
#include "core/base/count_text.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/presets/computed_profile.hpp"

namespace pipedeck::presets {
namespace {

constexpr double speeds_alike = 0.02;  // data sheets round

std::vector<const DeviceType*> types_with_devices(const Cluster& cluster) {
  std::vector<const DeviceType*> types;
  for (const DeviceType& type : cluster.device_types)
    if (std::ranges::any_of(cluster.nodes, [&](const Node& node) {
          return std::ranges::any_of(node.devices, [&](const DeviceGroup& group) { return group.type == type.name; });
        }))
      types.push_back(&type);
  return types;
}

bool has_times_on(const Profile& profile, const std::string& type) {
  return std::ranges::all_of(profile.layers, [&](const Layer& layer) { return layer.on.contains(type); });
}

/// Computes the transformer for a device, in the same precision, or in the device's usual one where the other was.
std::optional<Profile> computed_for(const TransformerOrigin& origin, const DeviceModel& device,
                                    const std::vector<DeviceModel>& catalogue) {
  const DeviceModel* before = find_device_model(catalogue, origin.device);
  AnalyticOptions options = origin.options;
  if (before && options.precision == analytic::times::usual_precision(*before))
    options.precision = analytic::times::usual_precision(device);
  auto made = computed_profile(ParsedTransformer{origin.config, {}}, device, options);
  if (!made) return std::nullopt;
  return std::move(made->profile);
}

/// Returns the transformer of a profile that holds what is computed from it, and nothing else.
std::optional<TransformerOrigin> unedited_origin(const Profile& profile, const std::vector<DeviceModel>& catalogue) {
  auto origin = io::documents::origin_of(profile);
  if (!origin || !*origin) return std::nullopt;
  const DeviceModel* known = find_device_model(catalogue, (*origin)->device);
  if (!known) return std::nullopt;
  DeviceModel device = *known;
  device.efficiency = (*origin)->efficiency;
  auto again = computed_profile(ParsedTransformer{(*origin)->config, {}}, device, (*origin)->options);
  if (!again) return std::nullopt;
  again->profile.name = profile.name;
  return again->profile == profile ? std::move(*origin) : std::nullopt;
}

/// Returns what the layer times assume of the device.
std::string reached_clause(const TransformerOrigin& origin) {
  if (origin.efficiency)
    return fmt::format("layers, memory and links reach what is known of {} by shape: {}", origin.device,
                       origin.efficiency->source);
  const EfficiencyFactors reached = origin.options.reached.value_or(EfficiencyFactors{});
  return fmt::format("matrix products reach {:.0f} % of the peak, all else {:.0f} % of the memory bandwidth",
                     100 * reached.gemms, 100 * reached.memory);
}

/// The ratio of peaks in a precision that both have, the one that most trainings use.
std::optional<double> ratio_of_peaks(const DeviceType& fast, const DeviceType& slow) {
  for (const char* precision : {"fp16", "bf16", "fp32"}) {
    const auto a = fast.peak_tflops.find(precision), b = slow.peak_tflops.find(precision);
    if (a != fast.peak_tflops.end() && b != slow.peak_tflops.end() && a->second > 0 && b->second > 0)
      return a->second / b->second;
  }
  return std::nullopt;
}

class Fit {
 public:
  Fit(std::shared_ptr<const Profile> profile, const Cluster& cluster, const std::vector<DeviceModel>& catalogue)
      : cluster_(cluster),
        catalogue_(catalogue),
        types_(types_with_devices(cluster)),
        fitted_{std::move(profile), {}, {}, {}} {}

  Result<FittedProfile> run() {
    if (const auto origin = unedited_origin(*fitted_.profile, catalogue_)) compute_anew(*origin);
    if (!find_device_type(cluster_, fitted_.profile->device))
      for (const DeviceType* type : types_)
        if (!has_times_on(*fitted_.profile, type->name)) TRY_VOID(relate(*type));
    add_assumptions();
    return std::move(fitted_);
  }

 private:
  Profile& changed() {
    if (!changed_) fitted_.profile = changed_ = std::make_shared<Profile>(*fitted_.profile);
    return *changed_;
  }

  void assume(std::string clause) {
    fitted_.notes.push_back(clause);
    fitted_.assumptions.push_back(std::move(clause));
  }

  void add_assumptions() {
    const Profile& profile = *fitted_.profile;
    if (const auto origin = io::documents::origin_of(profile); origin && *origin) {
      fitted_.efficiency = io::documents::hardware_efficiencies(profile, cluster_, catalogue_);
      fitted_.assumptions.push_back(reached_clause(**origin));
    } else if (source_of_times(profile) == FigureSource::computed) {
      fitted_.assumptions.push_back("layer times " + profile.source.substr(0, profile.source.find(';')));
    }
    std::ranges::copy(cluster_.assumptions, std::back_inserter(fitted_.assumptions));
  }

  /// For the first known type of the cluster, and in addition for the others.
  void compute_anew(const TransformerOrigin& origin) {
    const auto model_of = [&](const DeviceType* type) { return find_device_model(catalogue_, type->name); };
    const bool listed = std::ranges::any_of(types_, [&](const DeviceType* t) { return t->name == origin.device; });
    const auto first = std::ranges::find_if(types_, model_of);
    if (first == types_.end()) return;
    const std::string base = listed ? origin.device : (*first)->name;
    if (!listed) {
      auto made = computed_for(origin, *model_of(*first), catalogue_);
      if (!made) return;
      const std::string name = fitted_.profile->name;
      changed() = std::move(*made);
      changed().name = name;
      changed().device = base;
      fitted_.notes.push_back(
          fmt::format("layer times are computed for {}; the profile was for {}", base, origin.device));
    }
    for (const DeviceType* type : types_) {
      const DeviceModel* model = model_of(type);
      if (type->name == base || !model || has_times_on(*fitted_.profile, type->name)) continue;
      const auto made = computed_for(origin, *model, catalogue_);
      if (!made || made->layers.size() != fitted_.profile->layers.size()) continue;
      for (std::size_t i = 0; i < made->layers.size(); ++i)
        changed().layers[i].on[type->name] = {made->layers[i].forward, made->layers[i].backward};
      fitted_.notes.push_back(fmt::format("layer times on {} are computed as well", type->name));
    }
  }

  Result<void> relate(const DeviceType& type) {
    const std::string& own = fitted_.profile->device;
    const DeviceModel *of_profile = find_device_model(catalogue_, own),
                      *of_type = find_device_model(catalogue_, type.name);
    if (of_profile && of_type)
      if (const auto ratio = relative_speed(*of_type, *of_profile)) {
        if (std::abs(type.relative_speed / *ratio - 1) > speeds_alike) scale(type, *ratio, "their data sheets");
        return {};
      }
    if (of_profile)
      if (const auto ratio = ratio_of_peaks(type, of_profile->type)) {
        scale(type, *ratio, "their peaks");
        return {};
      }
    if (type.relative_speed == 1) {
      if (!own.empty()) assume(fmt::format("{} is as fast as {}, for which the layer times are", type.name, own));
      return {};
    }
    if (own.empty()) {
      assume(fmt::format("{} is {:.3g} times as fast as the device of the layer times, which the profile does not name",
                         type.name, type.relative_speed));
      return {};
    }
    return fail(ErrorCode::bad_input,
                fmt::format("found layer times for {}, and no speed of {} relative to it; expected {} among the "
                            "cluster's device types, peak_tflops of {}, or times for it (\"on\") in the profile",
                            own, type.name, own, type.name));
  }

  void scale(const DeviceType& type, double ratio, const char* by) {
    for (Layer& layer : changed().layers)
      layer.on[type.name] = {Seconds(layer.forward.count / ratio), Seconds(layer.backward.count / ratio)};
    assume(fmt::format("{} is {:.3g} times as fast as {}, for which the layer times are: the ratio of {}", type.name,
                       ratio, fitted_.profile->device, by));
  }

  const Cluster& cluster_;
  const std::vector<DeviceModel>& catalogue_;
  std::vector<const DeviceType*> types_;
  FittedProfile fitted_;
  std::shared_ptr<Profile> changed_;
};

}  // namespace

Result<FittedProfile> profile_on_cluster(std::shared_ptr<const Profile> profile, const Cluster& cluster,
                                         const std::vector<DeviceModel>& catalogue) {
  return Fit(std::move(profile), cluster, catalogue).run();
}

std::optional<std::string> guess_of_sizes(const Profile& profile) {
  if (std::ranges::any_of(profile.layers, [](const Layer& layer) { return layer.at.size() > 1; })) return {};
  return fmt::format(
      "layer times are known for {} on a device only; at other sizes they are guessed in proportion, too slow for "
      "larger ones",
      counted(profile.micro_batch, "sample"));
}

}  // namespace pipedeck::presets
