// SPDX-License-Identifier: Apache-2.0
#include "core/presets/paper_profiles.hpp"

#include <algorithm>
#include <array>

#include "core/cost/compute.hpp"
#include "core/presets/preset_names.hpp"

namespace pipedeck::presets {
namespace {

constexpr std::array profiles{
    PaperProfile{"AmoebaNet-36", "amoebanet-36", amoebanet_36},
    PaperProfile{"TransGAN", "transgan", transgan},
};

}  // namespace

std::span<const PaperProfile> paper_profiles() { return profiles; }

const PaperProfile* find_paper_profile(const std::string& name) {
  const std::string wanted = in_lower_case(name);
  const auto found = std::find_if(profiles.begin(), profiles.end(), [&](const PaperProfile& one) {
    return wanted == in_lower_case(one.name) || wanted == one.alias;
  });
  return found == profiles.end() ? nullptr : &*found;
}

Profile profile_of(const PaperProfile& paper, int micro_batch) {
  Profile profile = paper.of_one_sample();
  profile.micro_batch = micro_batch;
  for (Layer& layer : profile.layers) {
    for (Seconds* time : {&layer.forward, &layer.backward, &layer.backward_weight}) *time = *time * micro_batch;
    for (Bytes* bytes : {&layer.output, &layer.saved, &layer.workspace})
      *bytes = cost::scale_bytes(*bytes, micro_batch, 1);
    for (TensorParallelPoint& point : layer.tensor_parallel) {
      for (Seconds* time : {&point.forward, &point.backward}) *time = *time * micro_batch;
      for (Bytes* bytes : {&point.forward_allreduce, &point.backward_allreduce})
        *bytes = cost::scale_bytes(*bytes, micro_batch, 1);
    }
  }
  return profile;
}

}  // namespace pipedeck::presets
