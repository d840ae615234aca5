// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as text for other programs and projects: one plan is the JSON of a plan file, several are an array of these.
#pragma once

#include <string>

#include <QStringList>

#include "app/session/entry_edits.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::app {

/// Returns the plan with the names and checksums of its profile and cluster, as a plan file needs them.
Plan with_origin(const ProjectState& state, const PlanEntry& entry);

/// Entries without a plan are skipped.
std::string plans_to_text(const ProjectState& state, const Ids& ids);

/// A set of pasted plans for the question's model and cluster.
struct PastedPlans {
  ProjectState state;
  Ids ids;
  QString warning;  ///< why some are not valid for this model and cluster; empty: all are
};
/// Adds the plans of a text. `remarks` are the notes of each plan in order; there may be fewer. Returns an error if no
/// plan could be added.
Result<PastedPlans> with_plans_pasted(const ProjectState& state, const std::string& text,
                                      const QStringList& remarks = {});

}  // namespace pipedeck::app
