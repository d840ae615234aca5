// SPDX-License-Identifier: GPL-3.0-or-later
// Queries of a Gantt chart as typed by a user: "12", "mb 12", "s3", "G5", "all-reduce", "B 12 s3".
#pragma once

#include <array>
#include <optional>

#include <QString>
#include <QStringList>

#include "core/base/ids.hpp"
#include "core/model/schedule.hpp"

namespace pipedeck::models::gantt {

/// A conjunction of conditions; absent ones always hold.
struct Query {
  std::optional<int> micro_batch, stage;
  std::optional<DeviceId> device;
  std::array<bool, op_kind_count> kinds{};  ///< any of these; none: all
  bool operator==(const Query&) const = default;

  bool empty() const;
  bool any_kind() const;
  bool matches(OpKind kind, int of_stage, int of_micro_batch) const;
};

struct ParsedQuery {
  Query query;
  QString problem;  ///< empty if the text was parsed
};

/// A set of words in addition to the built-in ones: translated names of kinds, by OpKind, and device names by number.
struct QueryWords {
  QStringList kinds, devices;
};

ParsedQuery parse_gantt_query(const QString& text, const QueryWords& words = {});

/// Returns example queries for help texts, one per line.
QString query_help();

}  // namespace pipedeck::models::gantt
