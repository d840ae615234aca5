// SPDX-License-Identifier: Apache-2.0
// edit: a plan changed by hand, step by step, with what each change does to time and memory.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/plan_edit_arguments.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/memory_columns.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/plan_columns.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/importers.hpp"
#include "core/io/text/printable.hpp"
#include "core/plan/validate.hpp"
#include "core/study/origin.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::cli::commands {
namespace {

std::string edits_table(const study::SimulatedPlan& before, const study::SimulatedPlan& after) {
  text::Table table({{"", text::Align::left},
                     {"shape", text::Align::left},
                     {"schedule", text::Align::left},
                     {"micro-batches"},
                     {"iteration ms"},
                     {"change"},
                     {"samples/s"},
                     {"worst peak"},
                     {"at most"},
                     {"fits", text::Align::left}});
  const Bytes largest = std::max(text::largest_peak(*before.simulation), text::largest_peak(*after.simulation));
  for (const auto& [title, simulated_plan] : {std::pair{"before", &before}, std::pair{"after", &after}}) {
    const auto& [plan, simulated, other] = *simulated_plan;
    const Simulation& simulation = *simulated;
    const double old = to_seconds(before.simulation->iteration).count, now = to_seconds(simulation.iteration).count;
    table.add({title, text::short_shape_text(plan), work::schedule_text(plan),
               fmt::format("{} x {}", plan.micro_batches, plan.micro_batch),
               text::milliseconds_text(to_seconds(simulation.iteration)),
               simulated_plan == &after ? text::change_text(old, now) : "",
               fmt::format("{:.2f}", simulation.samples_per_second), text::worst_peak_text(simulation, largest),
               text::at_most_text(simulation, largest), text::fits_word(simulation)});
  }
  return table.text();
}

std::string spare_text(const Plan& plan, const Cluster& cluster) {
  std::string text;
  for (DeviceId device : plan::unused_devices(plan, cluster))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", device.value);
  return text.empty() ? std::string() : fmt::format("unused devices: {}\n", text);
}

class EditCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PLAN", plan_file_, "the plan")->required()->type_name("FILE");
    inputs_.declare(app);
    options::declare_plan_edits(app);
    schedule_.declare(app);
    state_.declare(app);
    simulation_.declare(app);
    app.add_option("--name", name_, "name of the edited plan")->type_name("NAME");
    output_.declare(app);
    app.footer("Edits apply in the given order and may be repeated. --schedule applies last.");
    app_ = &app;
  }

  Result<int> run(std::stop_token stop) override {
    TRY_VOID(schedule_.check());
    const auto plan = io::read_plan(plan_file_);
    if (!plan) return tl::unexpected(text::in_file(plan.error(), plan_file_));
    TRY(auto problem, options::open_inputs(inputs_, simulation_));
    if (auto valid = plan::validate(*plan, *problem.profile, *problem.cluster); !valid)
      return tl::unexpected(text::in_file(valid.error(), plan_file_));
    options::warn_if_made_for_others(*plan, plan_file_, problem);
    TRY(auto edited, edit(*plan, problem));
    problem.workload = options::workload_of(edited, problem.workload.conventions);
    study::PlanSimulator plan_simulator;
    const auto before = plan_simulator.simulate(problem, *plan, stop),
               after = plan_simulator.simulate(problem, std::move(edited), stop);
    if (!before) return tl::unexpected(text::in_file(before.error(), plan_file_));
    if (!after) return tl::unexpected(after.error());
    const std::string human = io::text::printable(after->plan.name) + "\n" + edits_table(*before, *after) +
                              spare_text(after->plan, *problem.cluster) + text::fits_text(*after->simulation) + "\n";
    const Plan written = study::with_origin(after->plan, study::origin_of(*problem.profile, *problem.cluster));
    TRY_VOID(output_.write(io::documents::plan_to_json(written), human));
    return 0;
  }

 private:
  Result<Plan> edit(Plan plan, const Problem& problem) const {
    for (const options::PlanEditArgument& argument : options::plan_edits_given(*app_)) {
      TRY(const auto asked, options::parse_plan_edit(argument, plan, *problem.profile));
      auto edited = plan::with_edit(plan, *problem.profile, *problem.cluster, asked);
      if (!edited)
        return fail(edited.error().code,
                    fmt::format("{} {}: {}", argument.option, argument.value, edited.error().text()));
      plan = *std::move(edited);
    }
    state_.apply(plan);
    auto scheduled = schedule_.apply(std::move(plan), *problem.profile);
    if (!scheduled) return tl::unexpected(scheduled.error());
    if (name_) scheduled->name = *name_;
    return scheduled;
  }

  options::FileOptions inputs_;
  options::SimulationOptionGroup simulation_;
  options::StateOptions state_;
  options::ScheduleOptions schedule_;
  std::string plan_file_;
  std::optional<std::string> name_;
  text::OutputOptions output_;
  CLI::App* app_ = nullptr;
};

}  // namespace

std::unique_ptr<options::Command> make_edit_command() { return std::make_unique<EditCommand>(); }

}  // namespace pipedeck::cli::commands
