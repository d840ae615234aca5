// SPDX-License-Identifier: Apache-2.0
// The answer that one device is quicker than several, as on boxes without fast links between their devices.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/study/compare.hpp"

namespace pipedeck::study {

/// A comparison of the quickest plans on one device and on several, both synchronous and fitting.
struct OneDeviceReason {
  std::string type;      ///< of the one device
  Seconds one, several;  ///< iterations
  std::string plan;      ///< title of the planner of the quickest plan on several
  int devices = 0;       ///< of that plan
  Bytes gradients;       ///< of the whole model
  Seconds all_reduce;    ///< of the gradients, by two devices of the quickest pair; 0: none, or of adapters alone
  BytesPerSecond rate;   ///< least rate of its links
};

/// Returns the comparison if the cluster has several devices and a plan on one is quicker than all plans on several. If
/// no planner answers with a plan on several, there is none to compare with.
std::optional<OneDeviceReason> one_device_is_quicker(const Problem& problem, std::span<const ComparedPlan> answers);

/// Returns two sentences: "One RTX-4090 is quicker than two: ...".
std::string one_device_text(const OneDeviceReason& reason);

}  // namespace pipedeck::study
