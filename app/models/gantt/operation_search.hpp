// SPDX-License-Identifier: GPL-3.0-or-later
// Search for the operations of all lanes, including replicas, that match a query; for the table of operations.
#pragma once

#include <optional>
#include <stop_token>

#include "app/models/gantt/operation_set.hpp"
#include "app/models/gantt/query.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck::models::gantt {

/// Returns nullopt if it was stopped.
std::optional<OperationSet> find_operations(const Timeline& timeline, const Query& query,
                                            const std::stop_token& stop = {});

}  // namespace pipedeck::models::gantt
