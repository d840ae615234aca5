// SPDX-License-Identifier: GPL-3.0-or-later
// The texts and figures of a plan in the inspector, as plain values. Every sentence is computed from the plan's own
// figures.
#pragma once

#include <utility>
#include <vector>

#include <QString>

#include "app/models/compare/plan_row.hpp"

namespace pipedeck::models::compare {

/// A meaning of a part in a stacked bar. Views choose its colour.
enum class InspectorPartKind {
  arithmetic,
  recompute,
  optimizer_step,
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline,
  all_reduce,
  waiting,
  fill_and_drain,
  weights,
  gradients,
  optimizer_state,
  stashed_weights,
  activations,
  boundary,
  workspace,
  communication,
  reserve,
};

struct InspectorPart {
  InspectorPartKind kind = InspectorPartKind::arithmetic;
  QString label;
  QString text;      ///< "588 ms"
  QString tool_tip;  ///< empty: none
  double share = 0;  ///< of the whole bar, [0, 1]
  bool operator==(const InspectorPart&) const = default;
};

/// A mark on a bar: "allocated", "60.2 GiB".
struct InspectorMark {
  QString label, text;
  double share = 0;  ///< position on the bar, [0, 1]
  bool operator==(const InspectorMark&) const = default;
};

using InspectorFact = std::pair<QString, QString>;  ///< "Precision", "fp32"

struct InspectorContent {
  QString title;
  QString subtitle;
  std::vector<QString> why;              ///< sentences
  std::vector<InspectorPart> iteration;  ///< add up to 1: mean share of the iteration per device
  QString alarm;                         ///< a figure that cannot be true, and why; empty: none
  QString memory_text;
  std::vector<InspectorPart> memory;  ///< of the most loaded device, relative to its capacity or its peak, if higher
  std::vector<InspectorMark> memory_marks;  ///< the peak as the allocator and nvidia-smi report it, ascending
  double capacity_share = 1;  ///< position of the capacity on the memory bar; under 1: the plan does not fit
  bool fits = true;
  std::vector<QString> certificate;
  std::vector<InspectorFact> figures;
  std::vector<InspectorFact> conventions;
  bool operator==(const InspectorContent&) const = default;
};

/// Returns the content in time proportional to the plan's devices.
InspectorContent inspector_content(const PlanRow& row);

}  // namespace pipedeck::models::compare
