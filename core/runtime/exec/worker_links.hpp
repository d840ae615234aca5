// SPDX-License-Identifier: Apache-2.0
// The connections between workers of a layout. They are known before the run and equal in every process, so that
// devices create all communicators at once, in one order.
#pragma once

#include <cstddef>
#include <vector>

#include "core/runtime/exec/layout.hpp"
#include "core/runtime/transport/worker_links.hpp"

namespace pipedeck::runtime::exec {

/// Returns true if a device has pieces of weights that are not trained, and joins groups of their own.
bool gathers_frozen_weights(const Layout& layout, const LocalStage& chunk);

transport::WorkerLinks worker_links(const Layout& layout);

}  // namespace pipedeck::runtime::exec
