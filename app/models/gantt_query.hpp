// SPDX-License-Identifier: GPL-3.0-or-later
// What to look for in a Gantt chart, as people write it: "12", "mb 12", "s3", "G5", "all-reduce", "B 12 s3".
#pragma once

#include <array>
#include <optional>

#include <QString>
#include <QStringList>

#include "core/domain/ids.hpp"
#include "core/domain/schedule.hpp"

namespace pipedeck::app {

/// All that is given must hold.
struct GanttQuery {
  std::optional<int> micro_batch, stage;
  std::optional<DeviceId> device;
  std::array<bool, op_kind_count> kinds{};  ///< any of these; none: all
  bool operator==(const GanttQuery&) const = default;

  bool empty() const;
  bool any_kind() const;
  bool matches(OpKind kind, int of_stage, int of_micro_batch) const;
};

struct ParsedQuery {
  GanttQuery query;
  QString problem;  ///< empty: understood
};

/// Words beside the built-in ones: what kinds are called in the reader's language, by OpKind, and names of devices by
/// number.
struct QueryWords {
  QStringList kinds, devices;
};

ParsedQuery parse_gantt_query(const QString& text, const QueryWords& words = {});

/// How to write one, a line an example, for help texts.
QString gantt_query_help();

}  // namespace pipedeck::app
