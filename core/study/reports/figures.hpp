// SPDX-License-Identifier: Apache-2.0
// Figures with their units, as the tables and sentences of a report have them.
#pragma once

#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/plan.hpp"
#include "core/study/reports/translator.hpp"

namespace pipedeck::study::reports {

std::string milliseconds_text(const Translator& words, Nanoseconds time);           // "1240.126"
std::string time_text(const Translator& words, Nanoseconds time);                   // "1240.126 ms", "31.4 s"
std::string gib_text(const Translator& words, Bytes bytes);                         // "11.40"
std::string bytes_text(const Translator& words, Bytes bytes);                       // "11.40 GiB", "3.2 MiB"
std::string rate_text(const Translator& words, BytesPerSecond rate);                // "25.0 GB/s"
std::string percent_text(const Translator& words, double fraction);                 // "9.1 %"
std::string share_text(const Translator& words, Nanoseconds part, Nanoseconds of);  // "9.1 %", "-" of nothing
std::string devices_text(const Translator& words,
                         std::vector<DeviceId> devices);  // "0 to 3, 6, 7": ascending, each once
std::string schedule_text(const Plan& plan);              // "1f1b A", "gpipe": a name
/// stage_shape_text, or "16 stages" where that would widen a table.
std::string short_shape_text(const Translator& words, const Plan& plan);

}  // namespace pipedeck::study::reports
