// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Lists of modules, cut anywhere, under the schedules of torch.distributed.pipelining.
Engine pytorch();

}  // namespace pipedeck::study::engines
