// SPDX-License-Identifier: Apache-2.0
// The planners' times on the presets: all models x all clusters x all planners, with memory limits, without, and with
// ZeRO 1. A case has four samples per device, 64 at least, one thread, a time budget, and the conventions that the
// programs take without options. It is timed to the answer: a plan, the best one at the budget, or the reason for none
// with its relaxations. Times and budget are processor times, nearly independent of other load.
//
//   bench_presets [--every N] [--first K] [--budget SECONDS] [--samples N] [--worst N] [--planner NAME] [--model TEXT]
//                 [--cluster TEXT] [--csv FILE]
//
// --every N takes each N-th case, from the K-th on; --samples N are those per device. Prints counts and the slowest
// cases as a Markdown table.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/planner/planner.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/study/plan_simulator.hpp"

using namespace pipedeck;

namespace {

enum class Memory { limited, ignored, zero_1 };

struct Settings {
  std::size_t every = 1, first = 0, worst = 10;
  int samples = 4;  ///< of a global batch per device
  double budget = 10;
  std::string planner, model, cluster, csv;
};

struct Case {
  std::string model, cluster;
  const planner::PlannerInfo* planner = nullptr;
  Memory memory = Memory::limited;
};

struct Measured {
  Case of;
  double processor = 0, wall = 0;  ///< seconds
  std::string outcome;
};

std::string text_of(Memory memory) {
  return memory == Memory::limited ? "limited" : memory == Memory::ignored ? "ignored" : "ZeRO 1";
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Requests `over` after some seconds of processor time.
class Clock {
 public:
  explicit Clock(double seconds)
      : clock_([this, end = processor_seconds() + seconds](const std::stop_token& ended) {
          std::unique_lock lock(mutex_);
          while (!ended.stop_requested() && processor_seconds() < end)
            wake_.wait_for(lock, ended, std::chrono::milliseconds(5), [] { return false; });
          if (!ended.stop_requested()) over.request_stop();
        }) {}
  std::stop_source over;

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread clock_;
};

bool ignores_memory(const planner::PlannerInfo& planner) {
  return std::any_of(planner.options.begin(), planner.options.end(),
                     [](const planner::OptionInfo& option) { return option.name == "ignore-memory"; });
}

constexpr std::size_t most_devices = 1024;

std::vector<Case> cases(const Settings& settings) {
  const auto wanted = [](const std::string& name, const std::string& part) { return name.find(part) != name.npos; };
  std::vector<Case> all;
  for (const std::string& model : presets::profile_preset_names())
    for (const presets::ClusterPreset& preset : presets::cluster_presets())
      for (const planner::PlannerInfo& planner : planner::planners())
        for (const Memory memory : {Memory::limited, Memory::ignored, Memory::zero_1}) {
          const std::string& cluster = preset.name;
          if (preset.devices > most_devices) continue;
          if (!wanted(model, settings.model) || !wanted(cluster, settings.cluster)) continue;
          if (!settings.planner.empty() && settings.planner != planner.name) continue;
          if (memory == Memory::ignored && !ignores_memory(planner)) continue;
          all.push_back({model, cluster, &planner, memory});
        }
  return all;
}

Result<Problem> problem_of(const Case& one, int samples) {
  Problem problem;
  TRY(auto cluster, presets::cluster_preset(one.cluster));
  const std::string& type = cluster.device_types.front().name;
  auto profile = presets::profile_preset(one.model, {}, type);
  if (!profile) profile = presets::profile_preset(one.model);  // a type that the catalogue does not have
  if (!profile) return tl::unexpected(profile.error());
  const auto devices = static_cast<int>(devices_of(cluster).size());
  problem.workload.global_batch = std::max(64, samples * devices);
  if (presets::is_transformer_preset(one.model)) problem.workload.precision = Precision::mixed_16;
  if (one.memory == Memory::zero_1) problem.workload.zero = 1;
  const MemoryDefaults usual = presets::memory_defaults(cluster);
  SimulationOptions& conventions = problem.workload.conventions;
  conventions.network = default_network(cluster);
  conventions.reserve = usual.reserve;
  conventions.communication = usual.communication;
  conventions.fragmentation = usual.fragmentation;
  problem.profile = std::make_shared<const Profile>(*std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return problem;
}

Measured measure(const Case& one, const Settings& settings) {
  Measured measured{one, 0, 0, {}};
  const auto problem = problem_of(one, settings.samples);
  if (!problem) {
    measured.outcome = "error: " + problem.error().text();
    return measured;
  }
  const sim::Simulator simulator =
      *sim::Simulator::of(problem->profile, problem->cluster, problem->workload.conventions);
  planner::PlannerOptions options;
  if (one.memory == Memory::ignored) options["ignore-memory"] = "true";
  const auto begin = std::chrono::steady_clock::now();
  const double processor = processor_seconds();
  const Clock clock(settings.budget);
  planner::PlannerContext context = study::context_for(simulator, {});
  context.deadline_token = clock.over.get_token();
  context.budget = Seconds(settings.budget);
  const auto ranking = planner::run_planner(*one.planner, *problem, options, context);
  measured.processor = processor_seconds() - processor;
  measured.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!ranking)
    measured.outcome = "error: " + ranking.error().text();
  else if (ranking->infeasible)
    measured.outcome = ranking->infeasible->too_large     ? "too large"
                       : ranking->infeasible->out_of_time ? "no plan in time"
                                                          : "no plan";
  else
    measured.outcome = ranking->plans.front().truncated ? "plan, truncated" : "plan";
  return measured;
}

std::string row_of(const Measured& one) {
  return fmt::format("| {} | {} | `{}` | {} | {:.2f} | {:.2f} | {} |", one.of.model, one.of.cluster,
                     one.of.planner->name, text_of(one.of.memory), one.processor, one.wall, one.outcome);
}

std::optional<Settings> settings_of(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) return {};
    const std::string value = arguments[i + 1];
    if (name == "--every")
      settings.every = std::max(1UL, std::strtoul(value.c_str(), nullptr, 10));
    else if (name == "--first")
      settings.first = std::strtoul(value.c_str(), nullptr, 10);
    else if (name == "--worst")
      settings.worst = std::strtoul(value.c_str(), nullptr, 10);
    else if (name == "--samples")
      settings.samples = std::max(1, static_cast<int>(std::strtol(value.c_str(), nullptr, 10)));
    else if (name == "--budget")
      settings.budget = std::strtod(value.c_str(), nullptr);
    else if (name == "--planner")
      settings.planner = value;
    else if (name == "--model")
      settings.model = value;
    else if (name == "--cluster")
      settings.cluster = value;
    else if (name == "--csv")
      settings.csv = value;
    else
      return {};
  }
  return settings;
}

}  // namespace

int main(int count, char** arguments) {
  const auto settings = settings_of(count, arguments);
  if (!settings) {
    std::fputs("bench_presets: unknown or incomplete option\n", stderr);
    return 2;
  }
  const std::vector<Case> all = cases(*settings);
  std::ofstream csv;
  if (!settings->csv.empty()) csv.open(settings->csv);
  std::vector<Measured> measured;
  for (std::size_t i = settings->first; i < all.size(); i += settings->every) {
    measured.push_back(measure(all[i], *settings));
    const Measured& last = measured.back();
    if (csv.is_open())
      csv << fmt::format("\"{}\",\"{}\",{},{},{:.3f},{:.3f},\"{}\"\n", last.of.model, last.of.cluster,
                         last.of.planner->name, text_of(last.of.memory), last.processor, last.wall, last.outcome)
          << std::flush;
  }
  std::stable_sort(measured.begin(), measured.end(),
                   [](const Measured& a, const Measured& b) { return a.processor > b.processor; });
  const auto over = [&](double seconds) {
    return std::count_if(measured.begin(), measured.end(), [&](const Measured& m) { return m.processor > seconds; });
  };
  fmt::print("{} of {} cases; {} took over 1 s of one core, {} over 5 s\n\n", measured.size(), all.size(), over(1),
             over(5));
  std::map<std::string, int> outcomes;
  for (const Measured& one : measured) ++outcomes[one.outcome];
  for (const auto& [outcome, number] : outcomes) fmt::print("- {}: {}\n", outcome, number);
  fmt::print("\n");
  fmt::print("| model | cluster | planner | memory | core s | wall s | answer |\n|---|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < std::min(settings->worst, measured.size()); ++i) fmt::print("{}\n", row_of(measured[i]));
  return 0;
}
