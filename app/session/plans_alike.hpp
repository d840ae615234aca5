// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/plan.hpp"

namespace pipedeck::app {

/// Whether devices do the same for both, whatever they are called and were predicted with.
bool trains_alike(const Plan& a, const Plan& b);

}  // namespace pipedeck::app
