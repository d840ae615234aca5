// SPDX-License-Identifier: Apache-2.0
#include "core/model/device_model.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace pipedeck {
namespace {

// GB/s per lane and direction: 2.5 and 5 GT/s in 8b/10b, 8 to 32 GT/s in 128b/130b, 64 GT/s in flits of 242 out of 256.
constexpr std::array<double, 6> lane_rates{
    0.25, 0.5, 8 / 8.0 * 128 / 130, 16 / 8.0 * 128 / 130, 32 / 8.0 * 128 / 130, 64 / 8.0 * 242 / 256};

std::optional<double> peak(const DeviceModel& model, std::string_view precision) {
  const auto found = model.type.peak_tflops.find(std::string(precision));
  if (found == model.type.peak_tflops.end()) return std::nullopt;
  return found->second;
}

bool is_brand(std::string_view word) {
  return word == "nvidia" || word == "amd" || word == "tesla" || word == "geforce" || word == "instinct";
}

}  // namespace

BytesPerSecond pcie_bandwidth(const PciExpress& pcie) {
  const auto generation = static_cast<std::size_t>(std::clamp(pcie.generation, 1, 6) - 1);
  return gigabytes_per_second(lane_rates[generation] * pcie.lanes);
}

BytesPerSecond device_bandwidth(const DeviceModel& model) {
  return model.link ? model.link->bandwidth() : pcie_bandwidth(model.pcie);
}

std::optional<double> relative_speed(const DeviceModel& fast, const DeviceModel& slow, std::string_view precision) {
  const bool matrix = fast.matrix_units && slow.matrix_units;
  if (precision.empty()) precision = matrix ? "fp16" : "fp32";
  const auto of_fast = peak(fast, precision), of_slow = peak(slow, precision);
  if (!of_fast || !of_slow) return std::nullopt;
  return *of_fast / *of_slow;
}

std::string price_currency(const std::vector<DeviceModel>& models) {
  const auto priced = std::ranges::find_if(models, [](const DeviceModel& model) { return model.price.has_value(); });
  return priced == models.end() ? std::string() : priced->price->currency;
}

std::string price_dates(const std::vector<DeviceModel>& models) {
  std::set<std::string> dates;
  for (const DeviceModel& model : models)
    if (model.price) dates.insert(model.price->date);
  if (dates.empty()) return {};
  return dates.size() == 1 ? *dates.begin() : *dates.begin() + "/" + *dates.rbegin();
}

std::string device_name_key(std::string_view name) {
  std::string key, word;
  const auto take_word = [&] {
    if (!word.empty() && !is_brand(word)) key += (key.empty() ? "" : "-") + word;
    word.clear();
  };
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_' || c == '\t')
      take_word();
    else
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  take_word();
  return key;
}

const DeviceModel* find_device_model(const std::vector<DeviceModel>& models, std::string_view name) {
  const std::string key = device_name_key(name);
  for (const DeviceModel& model : models)
    if (device_name_key(model.type.name) == key || std::ranges::find(model.aliases, key) != model.aliases.end())
      return &model;
  return nullptr;
}

}  // namespace pipedeck
