// SPDX-License-Identifier: Apache-2.0
// The calibration of docs/formats.md, read and written as the formats of formats.hpp are.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/calibration_record.hpp"

namespace pipedeck::io::documents {

Result<CalibrationRecord> calibration_from_json(const std::string& text);
std::string calibration_to_json(const CalibrationRecord& record);

}  // namespace pipedeck::io::documents
