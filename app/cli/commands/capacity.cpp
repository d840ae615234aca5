// SPDX-License-Identifier: Apache-2.0
// capacity: how many devices of which type a training takes within a time or a budget; the largest model, sequence or
// batch that fits; strong and weak scaling over sizes of the cluster.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/capacity_options.hpp"
#include "app/cli/options/planner_arguments.hpp"
#include "app/cli/text/capacity_text.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/scaling_text.hpp"
#include "app/cli/work/capacity_cache.hpp"
#include "app/cli/work/progress_log.hpp"
#include "core/io/csv/capacity.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/capacity/scaling.hpp"
#include "core/study/capacity/size_candidates.hpp"

namespace pipedeck::cli::commands {
namespace {

class CapacityCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    options_.declare(app);
    goal_.declare(app);
    app.add_option(
           "--largest", largest_,
           "find the largest layers, hidden, sequence, micro-batch or global-batch that fits, instead of a training")
        ->type_name("SIZE");
    auto* largest = app.get_option("--largest");
    app.add_option("--step", steps_.step, "step between two sizes of --largest")
        ->needs(largest)
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_option("--most", steps_.most, "largest size to try")
        ->needs(largest)
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_option("--scaling", scaling_,
                   "scale over sizes of the cluster, instead of a training: strong (fixed global batch) or weak (fixed "
                   "samples of a device) [--nodes: 1, 2, 4 ... and all; --planner: mesh for transformers]")
        ->excludes(largest)
        ->check(CLI::IsMember({"strong", "weak"}))
        ->type_name("KIND");
    app.add_option("--planner", names_,
                   "planners to run [amp, data-parallel, straight, megatron; for transformers also mesh]")
        ->delimiter(',')
        ->type_name("NAME ...");
    app.add_option("--points", points_file_,
                   "save the points in this file, and continue from the points in it; other goals may be set later")
        ->type_name("FILE");
    app.add_option("--csv", csv_file_, "write all points as CSV; - is standard output")->type_name("FILE");
    app.add_option("--cluster-out", cluster_file_, "write the cluster of the chosen point")->type_name("FILE");
    app.add_option("--plan-out", plan_file_, "write its plan")->type_name("FILE");
    options::declare_threads(app, threads_);
    progress_.declare(app);
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    TRY_VOID(check_usage());
    TRY_VOID(options::parse_planners(names_));
    TRY(const auto threads, options::thread_count(threads_));
    TRY(auto question, options_.question());
    const bool language_model = question.model || study::is_language_model(*question.problem.profile);
    TRY(const auto asked, options::asked_planners(names_, study::capacity::capacity_planners(language_model)));
    TRY(const auto space, options_.space(question));
    TRY_VOID(progress_.open());
    const study::whatif::SearchOptions how{threads, stop, {}, progress_.callback()};
    if (const auto kind = study::capacity::parse_scaling_kind(scaling_)) return scale(question, space, *kind, how);
    return largest_.empty() ? sweep(question, space, asked, how) : find_size(question, space, asked, how);
  }

 private:
  Result<void> check_usage() const {
    if (!scaling_.empty()) {
      if (goal_.given())
        return fail(ErrorCode::bad_usage, "found --scaling and an amount of training, expected one of the two");
      if (points_file_.empty() && cluster_file_.empty() && plan_file_.empty()) return {};
      return fail(ErrorCode::bad_usage,
                  "found --points, --cluster-out or --plan-out with --scaling, expected --csv or -o");
    }
    if (largest_.empty() == goal_.given()) return {};
    if (!largest_.empty())
      return fail(ErrorCode::bad_usage, "found --largest and an amount of training, expected one of the two");
    return fail(ErrorCode::bad_usage,
                "found no amount of training, expected --tokens or --samples, --largest SIZE or --scaling KIND");
  }

  static std::string model_name(const study::capacity::Request& question) {
    return question.model ? question.model->read.config.name : question.problem.profile->name;
  }

  std::string identity(const study::capacity::Request& question,
                       const std::vector<study::PlannerRequest>& asked) const {
    std::vector<std::string> planners;
    for (const study::PlannerRequest& one : asked) planners.push_back(one.planner->name);
    return io::capacity_question_sha256(options_.asked(question), planners);
  }

  Result<int> sweep(const study::capacity::Request& question, const study::capacity::Space& space,
                    const std::vector<study::PlannerRequest>& asked, const study::whatif::SearchOptions& how) const {
    const std::string currency = price_currency(presets::device_catalogue());
    TRY(const auto goal, goal_.goal(options_.sample_tokens(question), currency));
    const study::capacity::ProblemAt at = [&](const CapacityPoint& point) {
      return study::capacity::problem_at(question, point, presets::device_catalogue());
    };
    const std::vector<CapacityPoint> points = study::capacity::capacity_cache(space);
    // An error of the question itself shows at the first point.
    TRY_VOID(at(points.front()));
    TRY(auto kept, work::CapacityCache::open(points_file_, identity(question, asked), at));
    auto found = study::capacity::sweep_capacity(points, at, asked, kept.known(points), how,
                                                 [&](std::size_t, const CapacityFound& one) { kept.add(one); });
    TRY_VOID(kept.write());
    if (!found) return tl::unexpected(stopped(found.error(), kept.count()));
    text::CapacityAnswer answer{model_name(question),
                                question.problem.cluster->name,
                                goal,
                                *std::move(found),
                                {},
                                currency,
                                price_dates(presets::device_catalogue())};
    answer.ranked = ranked_capacity(answer.goal, answer.found);
    TRY_VOID(write(answer));
    if (!answer.best()) return tl::unexpected(none_meets(answer));
    return 0;
  }

  Error stopped(Error error, std::size_t count) const {
    if (error.code == ErrorCode::cancelled && !points_file_.empty())
      error.message =
          fmt::format("cancelled: {} has {} points, and the same command continues from them", points_file_, count);
    return error;
  }

  static Error none_meets(const text::CapacityAnswer& answer) {
    std::string text = "no cluster meets these limits";
    if (const CapacityFound* nearest = answer.nearest())
      text += "; nearest: " + text::capacity_point_text(answer, *nearest);
    return {ErrorCode::infeasible, text, {}, {}};
  }

  Result<int> scale(const study::capacity::Request& question, const study::capacity::Space& space,
                    study::capacity::ScalingKind kind, const study::whatif::SearchOptions& how) const {
    if (space.global_batches.size() != 1 || space.types.size() != 1 || space.micro_batches.size() != 1)
      return fail(ErrorCode::bad_usage,
                  "--scaling: found several batches or types, expected one each of --global-batch, --device-types and "
                  "--micro-batch");
    const Cluster& cluster = *question.problem.cluster;
    const std::vector<int> nodes =
        options_.nodes.empty() ? study::capacity::scaling_nodes(static_cast<int>(cluster.nodes.size())) : space.nodes;
    TRY(auto points, study::capacity::scaling_points(cluster, space.global_batches.front(), kind, nodes));
    for (CapacityPoint& point : points)
      point.type = space.types.front(), point.micro_batch = space.micro_batches.front();
    const study::capacity::ProblemAt at = [&](const CapacityPoint& point) {
      return study::capacity::problem_at(question, point, presets::device_catalogue());
    };
    TRY(const auto first, at(points.front()));  // an error of the question itself shows here
    TRY(const auto asked, options::asked_planners(names_, study::capacity::scaling_planners(*first.profile)));
    TRY(auto found, study::capacity::find_scaling(points, at, asked, how));
    if (!csv_file_.empty()) TRY_VOID(text::write_output(csv_file_, study::capacity::scaling_csv(found).text()));
    const bool any = std::ranges::any_of(found, [](const auto& one) { return one.plan.has_value(); });
    const std::string reason = found.back().reason;
    const text::ScalingText answer{model_name(question), cluster.name, kind, std::move(found)};
    TRY_VOID(output_.write(text::scaling_json(answer), csv_file_ == "-" ? "" : text::scaling_text(answer)));
    if (!any) return fail(ErrorCode::infeasible, "no plan fits at any size: " + reason);
    return 0;
  }

  Result<int> find_size(const study::capacity::Request& question, const study::capacity::Space& space,
                        const std::vector<study::PlannerRequest>& asked,
                        const study::whatif::SearchOptions& how) const {
    const auto kind = study::capacity::parse_size_kind(largest_);
    if (!kind)
      return fail(ErrorCode::bad_usage,
                  fmt::format("--largest: found \"{}\", expected layers, hidden, sequence, micro-batch or global-batch",
                              largest_));
    study::capacity::Space one = space;
    if (options_.nodes.empty()) one.nodes = {static_cast<int>(question.problem.cluster->nodes.size())};
    const std::vector<CapacityPoint> points = study::capacity::capacity_cache(one);
    if (points.size() != 1)
      return fail(ErrorCode::bad_usage, fmt::format("--largest: found {} clusters and batches, expected one each of "
                                                    "--nodes, --device-types, --global-batch and --micro-batch",
                                                    points.size()));
    TRY(const auto sized, study::capacity::requires_transformer(*kind) ? options::of_transformer(question)
                                                                       : Result<study::capacity::Request>(question));
    TRY(const auto ladder,
        study::capacity::size_candidates(sized, points.front(), *kind, steps_, presets::device_catalogue()));
    TRY(auto found, study::capacity::find_largest(ladder, points.front(), asked, how));
    const text::LargestText answer{model_name(question), question.problem.cluster->name, *kind, std::move(found)};
    const std::string human = plan_file_ == "-" || cluster_file_ == "-" ? "" : text::largest_text(answer);
    if (answer.answer.found) TRY_VOID(write_files(*answer.answer.found));
    TRY_VOID(output_.write(text::largest_json(answer), human));
    if (!answer.answer.size)
      return fail(ErrorCode::infeasible,
                  fmt::format("no {} fits, not even {}", study::capacity::name_of(*kind), *answer.answer.next));
    return 0;
  }

  Result<void> write_files(const CapacityFound& best) const {
    if (!cluster_file_.empty())
      TRY_VOID(text::write_output(cluster_file_, io::documents::cluster_to_json(*best.plan->cluster)));
    return plan_file_.empty() ? Result<void>()
                              : text::write_output(plan_file_, io::documents::plan_to_json(*best.plan->plan));
  }

  Result<void> write(const text::CapacityAnswer& answer) const {
    if (!csv_file_.empty())
      TRY_VOID(text::write_output(csv_file_, io::csv::capacity_csv(answer.goal, answer.found).text()));
    if (answer.best()) TRY_VOID(write_files(*answer.best()));
    const bool taken = csv_file_ == "-" || cluster_file_ == "-" || plan_file_ == "-";
    return output_.write(text::capacity_json(answer), taken ? "" : text::capacity_text(answer));
  }

  options::CapacityOptions options_;
  options::GoalOptions goal_;
  std::string largest_, scaling_;
  study::capacity::SizeSteps steps_;
  std::vector<std::string> names_;
  std::string points_file_, csv_file_, cluster_file_, plan_file_;
  std::optional<int> threads_;
  work::ProgressLog progress_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_capacity_command() { return std::make_unique<CapacityCommand>(); }

}  // namespace pipedeck::cli::commands
