// SPDX-License-Identifier: Apache-2.0
// A calibration as text for the terminal.
#pragma once

#include <string>

#include "core/model/calibration_record.hpp"

namespace pipedeck::cli::text {

/// "overhead 41.2 us, slow-down 1.10, link efficiency 0.73; 2026-11-21 on host": one line.
std::string calibration_line(const CalibrationRecord& record);

/// The figures, what they were found from, and the runs with their errors.
std::string calibration_text(const CalibrationRecord& record);

}  // namespace pipedeck::cli::text
