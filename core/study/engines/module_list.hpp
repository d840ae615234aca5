// SPDX-License-Identifier: Apache-2.0
// A model as a list of modules, as DeepSpeed and PyTorch take it. The loss is not in the list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::study::engines {

/// Returns true if the profile's last layer is a loss.
bool has_loss(const Profile& profile);
/// Layers without the loss.
int module_count(const Profile& profile);
/// Where stages begin, and the number of modules at the end: 0, ..., module_count.
std::vector<int> module_cuts(const Plan& plan, const Profile& profile);
/// Anywhere but right before the loss, which would leave a stage of nothing.
bool may_cut_modules(const Profile& profile, int position);
/// Why the model is no list of modules; empty: it is one.
std::string module_limitation(const Profile& profile, std::string_view engine);

}  // namespace pipedeck::study::engines
