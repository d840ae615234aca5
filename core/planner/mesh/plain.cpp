// SPDX-License-Identifier: Apache-2.0
// The plain choices next to which answers stand, in the space and with the costs of `mesh`. Only the micro-batch is
// chosen by simulated time.
//
// ddp: the whole model on each device, gradients all-reduced (Li et al., PyTorch Distributed, VLDB 2020, section 3).
//
// fsdp: weights, gradients and optimizer states sharded over all devices, no other dimension (Zhao et al., PyTorch
// FSDP, VLDB 2023, section 3.2.1, full sharding).
//
// megatron-usual: the advice of Megatron-LM (Narayanan et al., SC 2021). Takeaway 1 of section 3.2: tensor parallelism
// up to the GPUs of a server, then pipeline parallelism across servers. Takeaway 2 of section 3.3: the least T P with
// which the model fits, all else is data parallelism. The distributed optimizer and sequence parallelism are on, as in
// the Parallelism Strategies Guide of Megatron Core. Experts have T ranks, the default of
// --expert-tensor-parallel-size. Blocks are recomputed if no degrees fit without.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/mesh/stages.hpp"
#include "core/planner/mesh/inputs.hpp"
#include "core/planner/mesh/search.hpp"
#include "core/planner/mesh/why.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::mesh {
namespace {

/// A plain choice: its name and title, its sharding level, and the spaces that it tries in turn.
struct Plain {
  const char *name, *title;
  int level;  ///< 0 and 3 have no other dimension
  std::vector<Space> (*spaces)(const Question& base, int devices);
};

/// Returns the space of plain data parallelism with a sharding level.
Space one_dimension(int level) {
  Space space;
  space.tensor = space.context = space.expert = space.expert_tensor = space.pipeline = space.virtual_stages = {1};
  space.shardings = {{level}};
  space.recomputed = {{}, {.blocks = true}};
  space.engines.clear();  // PyTorch has no rules of Megatron-LM
  return space;
}

std::vector<Space> ddp_spaces(const Question& /*base*/, int /*devices*/) { return {one_dimension(0)}; }
std::vector<Space> fsdp_spaces(const Question& /*base*/, int /*devices*/) { return {one_dimension(3)}; }

/// Returns a space for each T P in the order of Megatron-LM's takeaways, without recomputation, then with it.
std::vector<Space> usual_spaces(const Question& base, int devices) {
  const int blocks = base.config.layers + base.config.decoder_layers;
  const int widest = std::ranges::min(pipedeck::mesh::domain_sizes(*base.cluster));
  std::vector<Space> spaces;
  const auto add = [&](int tensor, int pipeline, bool recomputed) {
    Space space = one_dimension(1);
    space.tensor = {tensor}, space.pipeline = {pipeline}, space.sequence = tensor > 1;
    if (base.config.experts) space.expert_tensor = {tensor};
    space.recomputed = {{.blocks = recomputed}};
    space.engines = Space().engines;
    space.arrangements = {all_together(*base.cluster)};
    if (shards_of(base, space, devices).empty()) return false;  // T does not divide the heads
    spaces.push_back(std::move(space));
    return true;
  };
  for (const bool recomputed : {false, true}) {
    int most = 1;  // T whose multiples are pipelines
    for (const int tensor : divisors_of(devices))
      if (tensor <= widest && add(tensor, 1, recomputed)) most = tensor;
    for (const int pipeline : divisors_of(devices / most))
      if (pipeline > 1 && pipeline <= blocks) add(most, pipeline, recomputed);
  }
  return spaces;
}

class PlainPlanning {
 public:
  PlainPlanning(const Plain& plain, const Problem& problem, const PlannerContext& context, const Question& base)
      : plain_(plain), problem_(problem), context_(context), base_(base) {}

  Result<Ranking> run(const Rates& rates) {
    const int devices = base_.devices();
    for (Space& space : plain_.spaces(base_, devices)) {
      if (!keeps_pins(space)) continue;
      limit(space, problem_);
      space.arrangements = {all_together(*problem_.cluster)};
      TRY(auto costs, Costs::of(base_, space, rates));
      SearchLimits limits;
      limits.hurry = [&] { return deadline_expired(context_); };
      limits.check = [&] { return check_stop(context_); };
      const Simulate simulate = [&](const Point& point) -> Result<Seconds> {
        return judge_with_room(context_, plan_of(space, point));
      };
      TRY(const Found found, search(base_, space, costs, simulate, limits));
      if (!found.simulated.empty()) return answer(space, found, costs.capacity());
      note_least(space, found);
    }
    return none(devices);
  }

 private:
  Plan plan_of(const Space& space, const Point& point) const {
    return mesh::plan_of(problem_, base_, space, point, plain_.name, plain_.title);
  }

  /// Returns false if a pin asks for another degree than the space has.
  bool keeps_pins(const Space& space) const {
    const auto& tensor = problem_.pins.tensor_parallel;
    return !tensor || std::ranges::find(space.tensor, *tensor) != space.tensor.end();
  }

  void note_least(const Space& space, const Found& found) {
    if (!found.least || (least_ && least_->fullest <= found.least->fullest)) return;
    least_ = found.least;
    least_name_ = name_of(space, found.least_point);
  }

  /// Returns "95.2 of 72.0 GiB, DP 16".
  std::string least_text() const {
    return fmt::format("{:.1f} of {:.1f} GiB, {}", least_->with_driver() / 0x1p30, least_->device() / 0x1p30,
                       least_name_);
  }

  Ranking answer(const Space& space, const Found& found, double capacity) const {
    const Simulated& best = found.simulated.front();
    Plan plan = plan_of(space, best.point);
    plan.objective = simulated_objective(best.time);
    plan.truncated = !found.proven && deadline_expired(context_);
    const MeshMemory memory{best.needed, best.needed, capacity};
    plan.rationale.push_back(fmt::format(
        "The fullest rank needs {:.1f} of {:.1f} GiB with a micro-batch of {} per replica.",
        memory.with_driver() / 0x1p30, memory.device() / 0x1p30, counted(best.point.micro_batch, "sample")));
    if (least_)
      plan.rationale.push_back("Smaller degrees do not fit: the fullest rank needs at least " + least_text() + ".");
    return {{std::move(plan)}, std::nullopt};
  }

  Ranking none(int devices) const {
    const int batch = problem_.workload.global_batch;
    if (!least_ && problem_.pins.empty() && plain_.level != 1 && batch % devices != 0)
      return refused(fmt::format("a global batch of {} is no multiple of {}", counted(batch, "sample"),
                                 counted(devices, "device")),
                     fmt::format("a global batch of {}", (batch / devices + 1) * std::int64_t{devices}));
    if (!least_)
      return refused(fmt::format("its degrees on {} do not divide the model, a global batch of {}, or keep the pins",
                                 counted(devices, "device"), counted(batch, "sample")),
                     {});
    const double lacks = (least_->fullest - least_->capacity) / pipedeck::mesh::usable_share / 0x1p30;
    return refused("the fullest rank needs at least " + least_text(),
                   lacks > 0 ? fmt::format("{:.2f} GiB more memory on every device", lacks + 0.005) : std::string());
  }

  const Plain& plain_;
  const Problem& problem_;
  const PlannerContext& context_;
  const Question& base_;
  std::optional<MeshMemory> least_;  ///< of the spaces without a plan
  std::string least_name_;
};

Result<Ranking> plan_plain(const Plain& plain, const Problem& problem, const PlannerContext& context) {
  if (const int asked = problem.workload.zero; asked > 0 && asked != plain.level)
    return refused(fmt::format("{} has sharding level {}, --zero {} was asked", plain.name, plain.level, asked), {});
  return ranked_on(problem, plain.name, [&](const Rates& rates) -> Result<Ranking> {
    TRY(const Question base, base_of(problem, {}));
    return PlainPlanning(plain, problem, context, base).run(rates);
  });
}

constexpr Plain ddp{"ddp", "DDP", 0, &ddp_spaces};
constexpr Plain fsdp{"fsdp", "FSDP", 3, &fsdp_spaces};
constexpr Plain usual{"megatron-usual", "Megatron's usual", 1, &usual_spaces};

template <const Plain& plain>
PlannerInfo planner_of(std::string summary, std::string source) {
  return {.name = plain.name,
          .title = plain.title,
          .summary = std::move(summary),
          .source = std::move(source),
          .options = {},
          .plan = [](const Problem& problem, const PlannerOptions& /*none*/,
                     const PlannerContext& context) { return plan_plain(plain, problem, context); },
          .objective = {.compute = &simulated_time,
                        .options = [](const PlannerOptions& /*none*/) { return evaluation::EvaluateOptions{}; }},
          .compared_by_default = true,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true},
          .of_transformers = true,
          .trains_adapters = true,
          .plain_choice = true};
}

}  // namespace

PlannerInfo ddp_planner() {
  return planner_of<ddp>(
      "the whole model on each device, gradients all-reduced",
      "Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020");
}

PlannerInfo fsdp_planner() {
  return planner_of<fsdp>("all states sharded over all devices, no other dimension",
                          "Zhao et al., PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel, VLDB 2023");
}

PlannerInfo megatron_usual_planner() {
  return planner_of<usual>(
      "the least tensor parallelism inside a node that fits, then pipeline parallelism, with the distributed optimizer",
      "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021, takeaways 1 and 2");
}

}  // namespace pipedeck::planner::mesh
