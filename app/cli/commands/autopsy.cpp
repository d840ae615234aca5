// SPDX-License-Identifier: Apache-2.0
// autopsy: finds in the files of a run why it failed or waits: memory snapshots, dumps of NCCL's flight recorder,
// traces of several ranks. With a plan, ranks have their places in it, and memory its prediction.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/question.hpp"
#include "app/cli/text/autopsy_text.hpp"
#include "app/cli/text/console.hpp"
#include "core/io/importers.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::cli::commands {
namespace {

namespace autopsy = study::autopsy;

/// The plan and its prediction.
struct Known {
  std::optional<Plan> plan;
  std::optional<Simulation> simulation;
  autopsy::RankPlaces places;

  autopsy::Predicted predicted() const { return {plan ? &*plan : nullptr, simulation ? &*simulation : nullptr}; }
};

class AutopsyCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", files_,
                   "memory snapshots (torch.cuda.memory._dump_snapshot), dumps of the flight recorder "
                   "(nccl_trace_rank_N), traces of several ranks, or folders of them")
        ->required();
    app.add_option("--plan", plan_, "plan that the run followed: names the ranks' places")->type_name("FILE");
    app.add_option("--rank", rank_, "rank of a memory snapshot whose file's name does not end with it")
        ->check(CLI::Range(0, 65'535))
        ->type_name("N");
    inputs_.declare(app, false);
    const std::size_t before = app.get_options().size();
    simulation_.declare(app);
    const std::vector<CLI::Option*> options = app.get_options();
    for (std::size_t i = before; i < options.size(); ++i) options[i]->needs(app.get_option("--profile"));
    app.get_option("--profile")->needs(app.get_option("--plan"));
    output_.declare(app);
    app.footer("With --plan, --profile and --cluster, measured memory is compared with the predicted one of its rank.");
  }

  Result<int> run(std::stop_token stop) override {
    TRY(const Known known, know(stop));
    TRY(const std::vector<std::string> files, files_to_read());
    text::ProgressLine line;
    TRY(const autopsy::Autopsy found, autopsy::read_autopsy(files, rank_, stop, line.callback()));
    const std::string json = text::autopsy_json(found, known.places, known.predicted())
                                 .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    TRY_VOID(output_.write(json + "\n", text::autopsy_text(report_of(found, known.places, known.predicted()))));
    return 0;
  }

 private:
  Result<std::vector<std::string>> files_to_read() const {
    std::vector<std::string> all;
    for (const std::string& file : files_) {
      const std::vector<std::string> in = autopsy::autopsy_files_in(file);
      if (in.empty())
        return fail(ErrorCode::bad_input,
                    "found a folder without dumps or traces, expected memory snapshots, dumps of the flight recorder "
                    "or traces",
                    {}, file);
      all.insert(all.end(), in.begin(), in.end());
    }
    return all;
  }

  Result<Known> know(const std::stop_token& stop) const {
    Known known;
    if (plan_.empty()) return known;
    TRY(known.plan, io::read_plan(plan_));
    std::optional<Cluster> cluster;
    if (inputs_.profile.empty() != inputs_.cluster.empty())
      return fail(ErrorCode::bad_usage, "autopsy: --profile and --cluster are needed together, for predicted memory");
    if (inputs_.given()) {
      TRY(const Problem problem, options::open_inputs(inputs_, simulation_));
      auto simulation = simulated(problem, *known.plan, stop);
      if (!simulation) return tl::unexpected(text::in_file(simulation.error(), plan_));
      known.simulation = *std::move(simulation);
      cluster = *problem.cluster;
    }
    auto places = autopsy::RankPlaces::of(*known.plan, cluster ? &*cluster : nullptr);
    if (!places) return tl::unexpected(text::in_file(places.error(), plan_));
    known.places = *std::move(places);
    return known;
  }

  Result<Simulation> simulated(const Problem& problem, const Plan& plan, const std::stop_token& stop) const {
    TRY_VOID(plan::validate(plan, *problem.profile, *problem.cluster));
    options::warn_if_made_for_others(plan, plan_, problem);
    TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
    return simulator.run(plan, stop);
  }

  options::FileOptions inputs_;
  options::SimulationOptionGroup simulation_;
  std::vector<std::string> files_;
  std::string plan_;
  std::optional<int> rank_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_autopsy_command() { return std::make_unique<AutopsyCommand>(); }

}  // namespace pipedeck::cli::commands
