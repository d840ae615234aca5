// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/amp/amp_enumeration.hpp"

#include <algorithm>

#include "core/plan/sharding_path.hpp"
#include "core/planner/amp/evaluate.hpp"
#include "core/planner/search/chain.hpp"

namespace pipedeck {

namespace {

class Enumerator {
 public:
  Enumerator(planner::search::Chain& chain, const AmpEnumeration& options) : chain_(chain), options_(options) {}

  std::vector<Plan> run() {
    const int devices = chain_.devices(), batch = chain_.workload().global_batch;
    for (int pp = 1; pp <= chain_.layers(); ++pp)
      for (int dp = 1; pp * dp <= devices; ++dp)
        for (int tmp = 1; pp * dp * tmp <= devices; ++tmp) {
          if (pp * dp * tmp < devices && !options_.allow_idle) continue;
          if (!has_times(tmp)) continue;
          for (int size = dp; size <= batch; size += dp) {
            if (batch % size != 0 || size / dp < options_.slice) continue;
            if (chain_.workload().micro_batch.value_or(size) != size) continue;
            best_.reset();
            plan_ = chain_.plan_of("amp", size);
            add_stage(pp, dp, tmp);
            if (best_) plans_.push_back(*std::move(best_));
          }
        }
    std::stable_sort(plans_.begin(), plans_.end(),
                     [](const Plan& a, const Plan& b) { return a.objective->time->count < b.objective->time->count; });
    return plans_;
  }

 private:
  bool has_times(int degree) const {
    const auto lists = [&](const Layer& layer) { return plan::is_shardable(layer, degree); };
    return std::all_of(chain_.profile().layers.begin(), chain_.profile().layers.end(), lists);
  }

  void add_stage(int pp, int dp, int tmp) {
    const int stage = static_cast<int>(plan_.stages.size());
    const int first = stage == 0 ? 0 : plan_.stages.back().last;
    if (stage == pp) {
      if (first == chain_.layers()) judge();
      return;
    }
    Stage next = planner::search::stage_on(first, first, {});
    next.tensor_parallel = tmp;
    for (int d = 0; d < dp * tmp; ++d) next.devices.push_back(DeviceId(stage * dp * tmp + d));
    for (next.last = first + 1; next.last <= chain_.layers() - (pp - 1 - stage); ++next.last) {
      plan_.stages.push_back(next);
      add_stage(pp, dp, tmp);
      plan_.stages.pop_back();
    }
  }

  void judge() {
    if (first_violation(plan_, chain_.profile(), chain_.problem().pins)) return;
    const planner::evaluation::Evaluation e{chain_.problem(), plan_, chain_.network(), options_.evaluate,
                                            chain_.order()};
    if (!fits_with_recompute(chain_, plan_, options_.evaluate)) return;
    const Seconds time = *planner::amp::amp_objective(e);
    if (best_ && best_->objective->time->count <= time.count) return;
    best_ = plan_;
    best_->objective = Objective{"T", time, {}};
  }

  planner::search::Chain& chain_;
  AmpEnumeration options_;
  Plan plan_;
  std::optional<Plan> best_;
  std::vector<Plan> plans_;
};

}  // namespace

bool fits_with_recompute(planner::search::Chain& chain, Plan plan,
                         const planner::evaluation::EvaluateOptions& options) {
  for (unsigned mask = 0; mask < 1U << plan.stages.size(); ++mask) {
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
      plan.stages[s].recompute = chain.recompute((mask >> s & 1) != 0);
    const planner::evaluation::Evaluation e{chain.problem(), plan, chain.network(), options, chain.order()};
    if (planner::evaluation::check_constraints(e)) return true;
  }
  return false;
}

std::vector<Plan> enumerate_amp(const Problem& problem, const AmpEnumeration& options) {
  planner::search::Chain chain = *planner::search::Chain::of(problem);
  return Enumerator(chain, options).run();
}

}  // namespace pipedeck
