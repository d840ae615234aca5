// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Returns a schedule's name in torch/distributed/pipelining/schedules.py, get_schedule_class(): "1F1B" for all that it
/// does not have.
std::string_view pytorch_schedule(ScheduleKind kind);

/// Lists of modules, cut anywhere, under the schedules of torch.distributed.pipelining.
Engine pytorch();

}  // namespace pipedeck::study::engines
