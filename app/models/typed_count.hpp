// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of samples as typed by a user: "1024", "1 024", "1,024", "1k", "2.5k", "4Ki", "64 samples".
#pragma once

#include <optional>

#include <QString>

namespace pipedeck::models {

/// Returns nullopt if the text is not an integer from 1 to `most`.
std::optional<int> parse_sample_count(const QString& text, int most = 10'000'000);

}  // namespace pipedeck::models
