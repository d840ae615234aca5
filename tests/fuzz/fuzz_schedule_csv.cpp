// SPDX-License-Identifier: Apache-2.0
// Orders of operations as PyTorch writes them. The first bytes are the base plan's stages, micro-batches, replicas and
// recomputation.
#include <algorithm>
#include <array>

#include "core/io/csv/schedule.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

namespace {

Plan base_plan(const std::array<int, 4>& numbers) {
  const auto& [stages, micro_batches, replicas, recompute] = numbers;
  Plan plan;
  plan.micro_batch = 2;
  plan.micro_batches = micro_batches;
  plan.global_batch = 2 * micro_batches;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = s;
    stage.last = s + 1;
    stage.recompute.all = recompute == s;
    for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId(s + r * stages));
    plan.stages.push_back(stage);
  }
  return plan;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<int, 4> numbers{2, 3, 1, 9};
  for (std::size_t i = 0; i < numbers.size() && size > 0; ++i, ++data, --size) numbers[i] = 1 + *data % 8;
  const auto plan = io::csv::plan_with_schedule_csv(base_plan(numbers), fuzz::text_of(data, size));
  if (!fuzz::judged(plan) || !plan::validate(*plan)) return 0;
  schedule::StageEstimates figures;
  figures.max_in_flight = 1000;
  const auto built = schedule::build_schedule(*plan, std::vector(plan->stages.size(), figures));
  if (built)
    fuzz::require(fuzz::judged(io::csv::plan_with_schedule_csv(base_plan(numbers), io::csv::schedule_to_csv(*built))));
  return 0;
}
