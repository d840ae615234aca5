// SPDX-License-Identifier: GPL-3.0-or-later
// Search for the operations of all lanes, including replicas, that match a query; for the table of operations.
#pragma once

#include <optional>
#include <stop_token>

#include "app/models/gantt_query.hpp"
#include "app/models/operation_set.hpp"
#include "core/domain/timeline.hpp"

namespace pipedeck::app {

/// Returns nullopt if it was stopped.
std::optional<OperationSet> find_operations(const Timeline& timeline, const GanttQuery& query,
                                            const std::stop_token& stop = {});

}  // namespace pipedeck::app
