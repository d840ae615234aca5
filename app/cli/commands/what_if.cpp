// SPDX-License-Identifier: Apache-2.0
// what-if: the same question on other hardware, planned anew; the front of throughput, memory and price; what to buy
// first.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/commands/what_if_text.hpp"
#include "app/cli/options/planner_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/options/time_budget.hpp"
#include "app/cli/options/what_if_options.hpp"
#include "app/cli/text/console.hpp"
#include "core/io/documents/formats.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/whatif/front.hpp"
#include "core/study/whatif/upgrades.hpp"

namespace pipedeck::cli::commands {
namespace {

class WhatIfCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    question_.declare(app);
    options_.declare(app);
    app.add_flag("--front", front_,
                 "find the Pareto front in throughput, memory and price, over planners, cluster sizes, micro-batches "
                 "and schedules");
    app.add_flag("--buy-first", buy_first_, "rank purchases by their gain, each with new plans");
    app.add_option("--planner", names_, "planners to run [the usual ones]")->delimiter(',')->type_name("NAME ...");
    app.add_option("--time-budget", budget_, "time budget in seconds: answer with the plans found by then")
        ->check(CLI::PositiveNumber)
        ->type_name("S");
    app.add_option("--csv", csv_file_,
                   "write the purchases, else the front, else both plans as CSV; - is standard output")
        ->type_name("FILE");
    app.add_option("--cluster-out", cluster_file_, "write the changed cluster")->type_name("FILE");
    app.add_option("--plan-out", plan_file_, "write the best plan for it")->type_name("FILE");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    if (question_.schedule.name)
      return fail(ErrorCode::bad_usage, "what-if: --schedule is for plan and compare; --front tries all schedules");
    TRY_VOID(options::parse_planners(names_));
    TRY(const auto threads, question_.thread_count());
    TRY(auto problem, question_.open());
    TRY(const auto asked, chosen_planners(*problem.profile));
    const options::TimeBudget budget(budget_);
    TRY(const auto answer, find(problem, asked, {threads, stop, budget.over(), {}}));
    TRY_VOID(write(answer));
    if (!answer.now)
      return tl::unexpected(Error{ErrorCode::infeasible, "no plan fits: " + answer.failure_reason, {}, {}});
    return 0;
  }

 private:
  Result<std::vector<study::PlannerRequest>> chosen_planners(const Profile& profile) const {
    return options::asked_planners(names_, study::default_planners(profile));
  }

  Result<WhatIfAnswer> find(const Problem& problem, const std::vector<study::PlannerRequest>& asked,
                            const study::whatif::SearchOptions& how) const {
    const study::whatif::DeviceCatalogue& catalogue = presets::device_catalogue();
    TRY(auto change, options_.change(*problem.cluster));
    WhatIf prices;
    prices.prices = change.prices;
    TRY(const auto today, study::whatif::with_change(problem, prices, catalogue));
    TRY(const auto changed, study::whatif::with_change(problem, change, catalogue));

    WhatIfAnswer answer;
    answer.asked = today;
    answer.changed = changed;
    answer.is_changed = change != prices;
    if (change.type) answer.times = study::whatif::time_scale(problem, *change.type, catalogue);
    answer.currency = price_currency(catalogue);
    answer.price_date = price_dates(catalogue);
    text::ProgressLine line;
    study::whatif::SearchOptions shown = how;
    shown.progress = line.callback();
    const auto first = study::whatif::best_plan(today, asked, {}, 1, shown);
    if (!first) return tl::unexpected(first.error());
    if (first->best) answer.current = first->best->found;
    const std::vector<Plan> kept = answer.current ? std::vector{*answer.current->plan} : std::vector<Plan>();
    TRY(auto then, answer.is_changed ? study::whatif::best_plan(changed, asked, kept, 1, shown) : first);
    if (then.best) answer.now = then.best->found;
    answer.failure_reason = then.failure_reason;
    if (front_) {
      TRY(auto plans, study::whatif::find_front(changed, asked, study::whatif::front_space(changed), shown));
      answer.plans = std::move(plans);
    }
    if (buy_first_) {
      TRY(auto gains, find_purchases(changed, answer.now, asked, shown));
      answer.purchases = std::move(gains);
    }
    return answer;
  }

  static Result<std::vector<PurchaseGain>> find_purchases(const Problem& problem,
                                                          const std::optional<PlanCandidate>& now,
                                                          const std::vector<study::PlannerRequest>& asked,
                                                          const study::whatif::SearchOptions& how) {
    std::optional<Sensitivity> gains;
    if (now && !has_mesh(*now->plan)) {
      TRY(auto found, sim::explain::sensitivity(problem, *now->plan, 1.1, how.progress, how.stop, how.threads));
      gains = std::move(found);
    }
    const std::vector<Purchase> offers =
        study::whatif::purchases(problem, gains ? &*gains : nullptr, presets::device_catalogue());
    return study::whatif::upgrades(problem, now ? &*now : nullptr, offers, asked, presets::device_catalogue(), how);
  }

  Result<void> write(const WhatIfAnswer& answer) const {
    if (!csv_file_.empty()) TRY_VOID(text::write_output(csv_file_, what_if_csv(answer).text()));
    if (!cluster_file_.empty())
      TRY_VOID(text::write_output(cluster_file_, io::documents::cluster_to_json(*answer.changed.cluster)));
    if (!plan_file_.empty() && answer.now)
      TRY_VOID(text::write_output(plan_file_, io::documents::plan_to_json(*answer.now->plan)));
    const bool standard_output = csv_file_ == "-" || cluster_file_ == "-" || plan_file_ == "-";
    return output_.write(what_if_json(answer), standard_output ? "" : what_if_text(answer));
  }

  options::PlanningOptions question_;
  options::WhatIfOptions options_;
  bool front_ = false, buy_first_ = false;
  std::vector<std::string> names_;
  std::optional<double> budget_;
  std::string csv_file_, cluster_file_, plan_file_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_what_if_command() { return std::make_unique<WhatIfCommand>(); }

}  // namespace pipedeck::cli::commands
