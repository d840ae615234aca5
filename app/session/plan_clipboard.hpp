// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as text that other programs and other projects read: one plan is the JSON of a plan file, several are an array
// of such documents.
#pragma once

#include <string>

#include <QStringList>

#include "app/session/entry_edits.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::app {

/// The plan with the names and checksums of what it is for, as a file of its own needs them.
Plan with_origin(const ProjectState& state, const PlanEntry& entry);

/// Planners that found no plan have none to give.
std::string plans_to_text(const ProjectState& state, const Ids& ids);

/// Plans that were pasted, for the question's model and cluster.
struct PastedPlans {
  ProjectState state;
  Ids ids;
  QString warning;  ///< why some of them are no plans of this model and cluster; empty: all are
};
/// `remarks`: what was noted about each, in order; may be shorter. An error says why none of them could be taken.
Result<PastedPlans> with_plans_pasted(const ProjectState& state, const std::string& text,
                                      const QStringList& remarks = {});

}  // namespace pipedeck::app
