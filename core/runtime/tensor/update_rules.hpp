// SPDX-License-Identifier: Apache-2.0
// The optimizers' steps on the host. Each product and sum is rounded by itself, so that all processors have equal bits.
#pragma once

#include "core/runtime/tensor/device.hpp"

namespace pipedeck::runtime::tensor {

/// Changes the values by one step of the rule, and zeroes the gradients. All are in the host's memory.
void update_on_host(const UpdateRule& rule, const UpdatedValues& values);

}  // namespace pipedeck::runtime::tensor
