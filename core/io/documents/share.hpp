// SPDX-License-Identifier: Apache-2.0
// The share of Pipedeck's own documents that this program understands. Unknown members are kept and written again.
#pragma once

#include <string>

#include "core/base/import_share.hpp"
#include "core/model/calibration_record.hpp"
#include "core/model/cluster.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::io::documents {

/// Counts the members of all objects in `text`, of which the document was read; the unknown ones are left out.
ImportShare share_of(const std::string& text, const Profile& profile);
ImportShare share_of(const std::string& text, const Cluster& cluster);
ImportShare share_of(const std::string& text, const Plan& plan);
ImportShare share_of(const std::string& text, const Simulation& simulation);
ImportShare share_of(const std::string& text, const ModelSpec& model);
ImportShare share_of(const std::string& text, const CalibrationRecord& record);

}  // namespace pipedeck::io::documents
