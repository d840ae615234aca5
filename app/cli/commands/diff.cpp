// SPDX-License-Identifier: Apache-2.0
// diff: what differs between two files of one kind, and by how much. Documents are compared leaf by leaf; timelines
// (thousands of operations) by kind of operation; runs by their summaries; two plans, where profile and cluster are
// given, also by what their iterations consist of.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/commands/waterfall_text.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/json_difference.hpp"
#include "app/cli/text/kind_table.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/file_formats.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/text/printable.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::cli::commands {
namespace {

using Json = nlohmann::ordered_json;

/// The values that compare two runs.
Json run_summary(const work::RunLog& log) {
  Json summary;
  for (const RunEvent& event : log.events) {
    if (const auto* started = std::get_if<RunStarted>(&event))
      summary.update({{"plan", started->plan},
                      {"model", started->model},
                      {"backend", started->backend},
                      {"devices", started->devices}});
    if (const auto* step = std::get_if<StepDone>(&event))
      summary.update({{"steps", step->step}, {"loss", step->loss}, {"samples_per_s", step->samples_per_second}});
    if (const auto* failed = std::get_if<RunFailed>(&event)) summary["failed"] = failed->message;
    if (const auto* finished = std::get_if<RunFinished>(&event))
      summary.update({{"duration_ms", in_milliseconds(finished->duration)},
                      {"median_step_ms", in_milliseconds(finished->median_step)},
                      {"stopped", finished->stopped}});
  }
  return summary;
}

/// The document to compare leaf by leaf; timelines are left to kinds_of.
Json comparable(const work::AnyFile& file) {
  if (const auto* log = std::get_if<work::RunLog>(&file)) return run_summary(*log);
  if (const auto* simulation = std::get_if<Simulation>(&file))
    return Json::parse(io::documents::simulation_to_json(*simulation, {.intervals = false, .curves = false}));
  const auto text = work::text_of(file, work::format_name(file));
  return text ? Json::parse(*text) : Json();
}

const Timeline* timeline_of(const work::AnyFile& file) {
  if (const auto* simulation = std::get_if<Simulation>(&file))
    return simulation->timeline.size() > 0 ? &simulation->timeline : nullptr;
  const Timeline* last = nullptr;
  if (const auto* log = std::get_if<work::RunLog>(&file))
    for (const RunEvent& event : log->events)
      if (const auto* measured = std::get_if<MeasuredTimeline>(&event)) last = &measured->timeline;
  return last;
}

/// Long texts are cut, so that a table stays one that can be read; --json has them whole.
std::string cell(const Json& value) {
  constexpr std::size_t most = 40;
  return value.is_null() ? "-" : text::shortened(value.dump(), most);
}

bool both_numbers(const text::LeafDifference& leaf) { return leaf.a.is_number() && leaf.b.is_number(); }

std::string leaves_table(const std::vector<text::LeafDifference>& leaves) {
  text::Table table({{"place", text::Align::left}, {"A"}, {"B"}, {"B - A"}, {"change"}});
  for (const text::LeafDifference& leaf : leaves) {
    std::vector<std::string> row{leaf.place, cell(leaf.a), cell(leaf.b)};
    if (both_numbers(leaf)) {
      const auto a = leaf.a.get<double>(), b = leaf.b.get<double>();
      row.push_back(fmt::format("{:+.6g}", b - a));
      row.push_back(text::change_text(a, b));
    }
    table.add(std::move(row));
  }
  return table.text();
}

Json leaves_json(const std::vector<text::LeafDifference>& leaves) {
  Json list = Json::array();
  for (const text::LeafDifference& leaf : leaves) {
    Json one{{"place", leaf.place}, {"a", leaf.a}, {"b", leaf.b}};
    if (both_numbers(leaf)) one["difference"] = leaf.b.get<double>() - leaf.a.get<double>();
    list.push_back(std::move(one));
  }
  return list;
}

class DiffCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("A", a_, "a plan, a simulation, a run log or a trace of one, or any other two files of one kind")
        ->required();
    app.add_option("B", b_, "file to compare with")->required();
    inputs_.declare(app, false);
    const std::size_t before = app.get_options().size();
    simulation_.declare(app);
    const std::vector<CLI::Option*> options = app.get_options();
    for (std::size_t i = before; i < options.size(); ++i) options[i]->needs(app.get_option("--profile"));
    app.add_flag("--json", json_, "write only JSON on standard output");
    app.footer(
        "With --profile and --cluster, two plans are also simulated. A waterfall shows the parts of the difference "
        "between their iteration times.");
  }

  Result<int> run(std::stop_token stop) override {
    if (inputs_.profile.empty() != inputs_.cluster.empty())
      return fail(ErrorCode::bad_usage,
                  "diff: --profile and --cluster are needed together, for the times of two plans");
    const auto a = work::read_any_file(a_, {}, stop);
    if (!a) return tl::unexpected(text::in_file(a.error(), a_));
    const auto b = work::read_any_file(b_, {}, stop);
    if (!b) return tl::unexpected(text::in_file(b.error(), b_));
    for (const auto& [file, path] : {std::pair{&*a, &a_}, std::pair{&*b, &b_}})
      if (std::holds_alternative<store::ProjectContent>(*file))
        return fail(ErrorCode::bad_input, "is a project, which holds several documents; expected a single one", {},
                    *path);
    // A prediction and a measurement are compared by their operations.
    const bool timelines = work::format_name(*a) != work::format_name(*b) && timeline_of(*a) && timeline_of(*b);
    if (work::format_name(*a) != work::format_name(*b) && !timelines)
      return fail(ErrorCode::bad_input,
                  fmt::format("found a {}, expected a {} as in {}", work::format_name(*b), work::format_name(*a), a_),
                  {}, b_);
    std::optional<Waterfall> steps;
    if (inputs_.given()) {
      TRY(const auto problem, options::open_inputs(inputs_, simulation_));
      TRY(auto found, steps_between(problem, *a, *b, stop));
      steps = found;
      conventions_ = problem.workload.conventions;
    }
    const std::string answer = report(*a, *b, steps);
    TRY_VOID(json_ ? text::write_output("-", answer) : text::print_answer(answer));
    return 0;
  }

 private:
  Result<Waterfall> steps_between(const Problem& problem, const work::AnyFile& a, const work::AnyFile& b,
                                  const std::stop_token& stop) const {
    if (!std::holds_alternative<Plan>(a))
      return fail(ErrorCode::bad_input,
                  fmt::format("found a {}, expected a plan for --profile and --cluster", work::format_name(a)), {}, a_);
    const auto first = parts_of(problem, std::get<Plan>(a), a_, stop);
    if (!first) return tl::unexpected(text::in_file(first.error(), a_));
    const auto second = parts_of(problem, std::get<Plan>(b), b_, stop);
    if (!second) return tl::unexpected(text::in_file(second.error(), b_));
    return waterfall(*first, *second);
  }

  Result<TimeBreakdown> parts_of(const Problem& problem, const Plan& plan, const std::string& file,
                                 const std::stop_token& stop) const {
    TRY_VOID(plan::validate(plan, *problem.profile, *problem.cluster));
    options::warn_if_made_for_others(plan, file, problem);
    TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
    TRY(const auto simulation, simulator.run(plan, stop));
    return simulation.parts;
  }

  std::string report(const work::AnyFile& a, const work::AnyFile& b, const std::optional<Waterfall>& steps) const {
    const bool alike = work::format_name(a) == work::format_name(b);
    const std::vector<text::LeafDifference> leaves =
        alike ? text::differences(comparable(a), comparable(b)) : std::vector<text::LeafDifference>();
    const Timeline *first = timeline_of(a), *second = timeline_of(b);
    std::optional<sim::TimelineDifference> kinds;
    if (first && second && !(*first == *second)) kinds = sim::difference(*first, *second);
    if (json_) {
      Json json{{"format", "pipedeck.difference"},
                {"version", 1},
                {"of", alike ? work::format_name(a) : "operations"},
                {"differences", leaves_json(leaves)}};
      if (kinds) json["operations"] = text::kinds_json(*kinds);
      if (steps) json["waterfall"] = waterfall_json(*steps, conventions_);
      return json.dump(2) + "\n";
    }
    if (leaves.empty() && !kinds && !alike)
      return fmt::format("no difference: {} and {} have the same operations\n", io::text::printable(a_),
                         io::text::printable(b_));
    if (leaves.empty() && !kinds)
      return fmt::format("no difference: {} and {} hold the same {}\n", io::text::printable(a_),
                         io::text::printable(b_), work::format_name(a));
    std::string text = leaves.empty() ? "" : leaves_table(leaves);
    if (kinds) text += (text.empty() ? "" : "\n") + text::kinds_table(*kinds, "A", "B");
    if (steps) text += "\n" + waterfall_text(*steps, conventions_);
    if (!steps && std::holds_alternative<Plan>(a))
      text += "\n--profile and --cluster add a waterfall from A's iteration time to B's\n";
    return text;
  }

  options::FileOptions inputs_;
  SimulationOptions conventions_;  ///< of the waterfall
  options::SimulationOptionGroup simulation_;
  std::string a_, b_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_diff_command() { return std::make_unique<DiffCommand>(); }

}  // namespace pipedeck::cli::commands
