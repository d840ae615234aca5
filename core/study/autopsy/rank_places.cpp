// SPDX-License-Identifier: Apache-2.0
#include "core/study/autopsy/rank_places.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/launch_order.hpp"

namespace pipedeck::study::autopsy {
namespace {

/// Returns the place of a device in the first stage that has it, with rank = (d C + c) T + t (core/plan/groups).
std::optional<RankPlace> place_in(const Plan& plan, DeviceId device) {
  for (const StageCopy& copy : stage_copies(plan)) {
    const auto found = std::ranges::find(copy.devices, device);
    if (found == copy.devices.end()) continue;
    const Stage& stage = plan.stages[copy.stage.index()];
    const auto rank = static_cast<int>(found - copy.devices.begin());
    const int tensor = stage.tensor_parallel, context = stage.degrees.context;
    return RankPlace{.device = device,
                     .stage = copy.stage.value,
                     .tensor = rank % tensor,
                     .context = rank / tensor % context,
                     .data = rank / (tensor * context)};
  }
  return std::nullopt;
}

}  // namespace

Result<RankPlaces> RankPlaces::of(const Plan& plan, const Cluster* cluster) {
  RankPlaces all;
  all.stages_ = static_cast<int>(plan.stages.size());
  for (const Stage& stage : plan.stages) {
    all.tensor_ = std::max(all.tensor_, stage.tensor_parallel);
    all.context_ = std::max(all.context_, stage.degrees.context);
    all.data_ = std::max(all.data_, stage.replicas());
  }
  const std::vector<Device> devices = cluster ? devices_of(*cluster) : std::vector<Device>();
  for (const DeviceId device : plan::devices_by_process(plan)) {
    auto place = place_in(plan, device);
    if (!place)
      return fail(ErrorCode::bad_input, fmt::format("found device {} in no stage, expected it in one", device.value));
    if (cluster && device.index() < devices.size())
      place->node = cluster->nodes[devices[device.index()].node.index()].name;
    all.places_.push_back(*std::move(place));
  }
  return all;
}

const RankPlace* RankPlaces::find(int rank) const {
  const auto place = static_cast<std::size_t>(rank);
  return rank >= 0 && place < places_.size() ? &places_[place] : nullptr;
}

std::string RankPlaces::text(int rank) const {
  const RankPlace* place = find(rank);
  if (!place) return fmt::format("rank {}", rank);
  std::string words = fmt::format("stage {}", place->stage);
  if (tensor_ > 1) words += fmt::format(", TP {}", place->tensor);
  if (context_ > 1) words += fmt::format(", CP {}", place->context);
  if (data_ > 1) words += fmt::format(", DP {}", place->data);
  if (!place->node.empty()) words += ", " + place->node;
  return fmt::format("rank {} ({})", rank, words);
}

std::string RankPlaces::text(std::span<const int> ranks) const {
  if (ranks.size() == 1) return text(ranks.front());
  if (ranks.size() == 2 && !places_.empty()) return text(ranks[0]) + " and " + text(ranks[1]);
  return "ranks " + number_list(ranks);
}

std::string number_list(std::span<const int> ranks) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, next = 0; first < ranks.size(); first = next) {
    next = first + 1;
    while (next < ranks.size() && ranks[next] == ranks[next - 1] + 1) ++next;
    if (next - first < 3) next = first + 1;
    parts.push_back(next - first > 2 ? fmt::format("{} to {}", ranks[first], ranks[next - 1])
                                     : std::to_string(ranks[first]));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace pipedeck::study::autopsy
