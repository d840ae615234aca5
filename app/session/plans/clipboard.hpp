// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as text for other programs and projects: one plan is the JSON of a plan file, several are an array of these.
#pragma once

#include <string>

#include <QStringList>

#include "app/session/project/entry_edits.hpp"
#include "core/base/result.hpp"

namespace pipedeck::session::plans {

/// Returns the plan with the names and checksums of its profile and cluster, as a plan file needs them.
Plan with_origin(const project::State& state, const project::PlanEntry& entry);

/// Entries without a plan are skipped.
std::string plans_to_text(const project::State& state, const project::Ids& ids);

/// A set of pasted plans for the question's model and cluster.
struct PastedPlans {
  project::State state;
  project::Ids ids;
  QString warning;  ///< why some are not valid for this model and cluster; empty: all are
};
/// Adds the plans of a text. `remarks` are the notes of each plan in order; there may be fewer. Returns an error if no
/// plan could be added.
Result<PastedPlans> with_plans_pasted(const project::State& state, const std::string& text,
                                      const QStringList& remarks = {});

}  // namespace pipedeck::session::plans
