// SPDX-License-Identifier: GPL-3.0-or-later
// The variation of iterations as rows of a bar table: a bar from p5 to p95 with p50 in it, and the time without jitter.
#pragma once

#include <vector>

#include "app/models/whatif/explain_rows.hpp"
#include "core/model/jitter.hpp"

namespace pipedeck::models::whatif {

struct JitterShown {
  QString plan;
  JitterBand band;
};

/// Returns one row per plan, in the given order.
std::vector<BarRow> jitter_rows(const std::vector<JitterShown>& shown);

}  // namespace pipedeck::models::whatif
