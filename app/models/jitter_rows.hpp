// SPDX-License-Identifier: GPL-3.0-or-later
// How much iterations vary, as rows of a bar table: a bar from p5 to p95 with p50 in it, beside the time without
// jitter.
#pragma once

#include <vector>

#include "app/models/explain_rows.hpp"
#include "core/domain/jitter.hpp"

namespace pipedeck::app {

struct JitterShown {
  QString plan;
  JitterBand band;
};

/// One a plan, in the order given.
std::vector<BarRow> jitter_rows(const std::vector<JitterShown>& shown);

}  // namespace pipedeck::app
