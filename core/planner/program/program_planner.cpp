// SPDX-License-Identifier: Apache-2.0
// Programs as planners: asked, read and judged like all others.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/printable.hpp"
#include "core/plan/validate.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/program/child_program.hpp"
#include "core/planner/program/plan_texts.hpp"
#include "core/planner/program/question.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::program {
namespace {

struct Given {
  int limit = 600;
  bool ignore_memory = true;  ///< the simulator judges
};

const OptionTable<Given>& table() {
  static const OptionTable<Given> rows{{
      integer_option("limit", &Given::limit, "seconds until the program is ended"),
  }};
  return rows;
}

constexpr std::size_t most_plans = 1000;

/// A run of a program for one question.
class Asking {
 public:
  Asking(const Problem& problem, std::string path, std::string name, const Given& given, const PlannerContext& context)
      : problem_(problem), path_(std::move(path)), name_(std::move(name)), given_(given), context_(context) {}

  Result<Ranking> run() {
    ProgramLimits limits;
    limits.time = Seconds(given_.limit);
    limits.stop = [this] { return error_ || context_.stop.stop_requested() || deadline_expired(context_); };
    report(context_.progress, 0, "asking the program");
    const auto read = [this](std::string_view more) {
      texts_.add(more);
      for (; !error_ && read_ < std::min(texts_.whole().size(), most_plans); ++read_)
        if (auto taken = take(texts_.whole()[read_]); !taken) error_ = taken.error();
    };
    TRY(const auto ended, run_program(path_, question_to_json(problem_, context_), read, limits));
    TRY_VOID(check_end(ended));
    report(context_.progress, 1, "done");
    if (plans_.empty())
      return Ranking{{}, Infeasible{reason_.empty() ? "the program ended without a plan" : reason_, {}}};
    return best(ended.end != ProgramEnd::by_itself);
  }

 private:
  struct Judged {
    bool lacks_memory = false;
    ScoredPlan scored;
  };

  tl::unexpected<Error> broken(std::string message) const {
    return fail(ErrorCode::bad_input, std::move(message), {}, path_);
  }

  /// Returns an error if the answer does not count. Plans that were there in time count.
  Result<void> check_end(const ProgramRun& ended) const {
    if (error_) return tl::unexpected(*error_);
    if (ended.end == ProgramEnd::too_much_output)
      return broken("found more than 64 MiB of output, expected plans; the program was ended");
    if (ended.end != ProgramEnd::by_itself && !plans_.empty()) return check_stop(context_);
    if (ended.end == ProgramEnd::stopped) return fail(ErrorCode::cancelled, "planning was cancelled");
    if (ended.end == ProgramEnd::out_of_time)
      return broken(fmt::format("found no plan after {} s, expected one; the program was ended", given_.limit));
    if (ended.status != 0) {
      const std::string why = last_line(ended.last_messages);
      return broken(fmt::format("the program ended with status {}{}{}", ended.status, why.empty() ? "" : ": ", why));
    }
    if (const std::string problem = texts_.problem(); !problem.empty()) return broken(problem);
    return {};
  }

  static std::string last_line(std::string messages) {
    while (!messages.empty() && (messages.back() == '\n' || messages.back() == '\r')) messages.pop_back();
    constexpr std::size_t longest = 300;
    std::string line = messages.substr(messages.rfind('\n') + 1);
    if (line.size() > longest) line.resize(longest);
    return io::text::printable(line);
  }

  /// Reads and simulates a plan. The first one is an answer for the deadline.
  Result<void> take(const std::string& text) {
    auto plan = read_plan(text);
    if (!plan) return in_plan(plan.error());
    if (!*plan) return {};
    const auto time = judge(context_, **plan);
    if (!time) return in_plan(time.error());
    TRY(const bool fits, context_.fits ? context_.fits(**plan, context_.stop) : Result<bool>(true));
    (*plan)->objective = simulated_objective(*time);
    plans_.push_back({!fits, {std::move(**plan), *time}});
    note_plan(context_);
    return {};
  }

  tl::unexpected<Error> in_plan(const Error& error) const {
    if (error.code == ErrorCode::cancelled) return tl::unexpected(error);
    return broken(
        fmt::format("plan {}: {}{}{}", read_ + 1, error.place, error.place.empty() ? "" : ": ", error.message));
  }

  /// Returns nothing for an object with the reason why there is no plan.
  Result<std::optional<Plan>> read_plan(const std::string& text) {
    TRY(const io::json::Value value, io::json::parse(text));
    if (const io::json::Value* reason = value.find("infeasible")) {
      const auto* sentence = reason->as<std::string>();
      if (!sentence) return broken("/infeasible: found no text, expected the reason");
      reason_ = io::text::printable(*sentence);
      return std::nullopt;
    }
    TRY(Plan plan, io::documents::plan_from_json(text));
    TRY_VOID(plan::validate(plan, *problem_.profile, *problem_.cluster));
    const Workload& asked = problem_.workload;
    const auto check = [](const char* place, auto found, auto expected) -> Result<void> {
      if (found == expected) return {};
      return fail(ErrorCode::bad_input, fmt::format("found {}, expected {} as asked", found, expected), place);
    };
    TRY_VOID(check("/global_batch", plan.global_batch, asked.global_batch));
    if (asked.micro_batch && plan.synchronous()) TRY_VOID(check("/micro_batch", plan.micro_batch, *asked.micro_batch));
    TRY_VOID(check("/optimizer", name_of(plan.optimizer), name_of(asked.optimizer)));
    TRY_VOID(check("/precision", name_of(plan.precision), name_of(asked.precision)));
    TRY_VOID(check("/zero", plan.zero, asked.zero));
    const Adapters adapters = adapters_of(plan);
    TRY_VOID(check("/training/adapters/rank", adapters.rank, asked.adapters.rank));
    TRY_VOID(check("/training/adapters/targets", name_of(adapters.targets), name_of(asked.adapters.targets)));
    TRY_VOID(check("/training/adapters/frozen", name_of(adapters.frozen), name_of(asked.adapters.frozen)));
    if (const auto violated = first_violation(plan, *problem_.profile, problem_.pins))
      return fail(ErrorCode::bad_input, *violated);
    plan.planner = name_;
    plan.name = io::text::printable(plan.name);
    plan.profile.clear(), plan.cluster.clear();
    plan.profile_sha256.clear(), plan.cluster_sha256.clear();
    plan.objective.reset(), plan.predicted.reset(), plan.certificate.reset(), plan.merits.clear();
    for (std::string& why : plan.rationale) why = io::text::printable(why);
    return plan;
  }

  /// Returns the plans that fit first, then by time.
  Ranking best(bool cut_short) {
    std::ranges::stable_sort(plans_, {},
                             [](const Judged& one) { return std::pair(one.lacks_memory, one.scored.iteration); });
    Ranking ranking;
    for (Judged& one : plans_) {
      const bool late = std::isinf(one.scored.iteration.count) && !ranking.plans.empty();
      if (late || static_cast<int>(ranking.plans.size()) == std::max(1, context_.top)) break;
      one.scored.plan.truncated = cut_short;
      ranking.plans.push_back(std::move(one.scored.plan));
    }
    return ranking;
  }

  const Problem& problem_;
  const std::string path_, name_;
  const Given given_;
  const PlannerContext& context_;
  PlanTexts texts_;
  std::size_t read_ = 0;  ///< texts of plans
  std::vector<Judged> plans_;
  std::string reason_;
  std::optional<Error> error_;
};

std::unique_ptr<const PlannerInfo> made(const std::filesystem::path& path) {
  PlannerInfo info;
  info.name = std::string(prefix) + path.string();
  info.title = io::text::printable(path.filename().string());
  info.summary = "a program of yours: reads the question, prints plans";
  info.source = io::text::printable(path.string());
  info.options = table().infos();
  info.plan = [file = path.string(), name = info.name](const Problem& problem, const PlannerOptions& options,
                                                       const PlannerContext& context) {
    return Asking(problem, file, name, table().read(options), context).run();
  };
  info.objective = {.compute = &simulated_time, .options = &evaluate_options<table>};
  info.search_time = SearchTime::slow;
  info.pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true};
  info.external = true;
  info.trains_adapters = true;
  return std::make_unique<const PlannerInfo>(std::move(info));
}

}  // namespace

Result<const PlannerInfo*> program_planner(const std::string& name) {
  const std::string given = name.substr(std::min(name.size(), prefix.size()));
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(given, failed).lexically_normal();
  if (given.empty() || failed || !path.has_filename())
    return fail(ErrorCode::bad_usage, fmt::format("found planner '{}', expected exec:PROGRAM", name));
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const PlannerInfo>> known;  // never changed: equal names, equal planners
  const std::lock_guard lock(mutex);
  auto& entry = known[path.string()];
  if (!entry) entry = made(path);
  return entry.get();
}

}  // namespace pipedeck::planner::program
