// SPDX-License-Identifier: Apache-2.0
#include "core/io/weight_type.hpp"

#include <utility>

#include "core/io/profile_extra.hpp"

namespace pipedeck {
namespace {

constexpr std::string_view key = "weights";

}  // namespace

Profile with_weight_type(Profile profile, const std::string& type) {
  return with_extra_member(std::move(profile), key, json::Value(type));
}

Precision training_precision(const Profile& profile) {
  const json::Value member = extra_member(profile, key);
  const std::string* type = member.as<std::string>();
  return type && (*type == "bf16" || *type == "fp16") ? Precision::mixed_16 : Precision::fp32;
}

}  // namespace pipedeck
