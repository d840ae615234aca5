// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of all lanes that a query finds, replicas included: what the table of operations shows.
#pragma once

#include <optional>
#include <stop_token>

#include "app/models/gantt_query.hpp"
#include "app/models/operation_set.hpp"
#include "core/domain/timeline.hpp"

namespace pipedeck::app {

/// Nothing where it was stopped.
std::optional<OperationSet> find_operations(const Timeline& timeline, const GanttQuery& query,
                                            const std::stop_token& stop = {});

}  // namespace pipedeck::app
