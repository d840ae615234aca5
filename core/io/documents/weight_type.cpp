// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/weight_type.hpp"

#include <utility>

#include "core/io/documents/profile_extra.hpp"

namespace pipedeck::io::documents {

Profile with_weight_type(Profile profile, const std::string& type) {
  return with_extra_member(std::move(profile), weights_key, json::Value(type));
}

Precision training_precision(const Profile& profile) {
  const json::Value member = extra_member(profile, weights_key);
  const std::string* type = member.as<std::string>();
  return type && (*type == "bf16" || *type == "fp16") ? Precision::mixed_16 : Precision::fp32;
}

}  // namespace pipedeck::io::documents
