// SPDX-License-Identifier: Apache-2.0
// The gain of joint over the best plan of all other planners, and its time; printed as tables for docs/benchmarks.md.
// Usage: bench_joint presets|mixed|large|rates.
#include <cstdio>
#include <ctime>
#include <functional>

#include <fmt/format.h>

#include "core/planner/joint/orders.hpp"
#include "core/planner/joint/search.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;

namespace {

/// Returns processor time in seconds, independent of other programs.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Best {
  std::string planner = "-";
  Plan plan;
  double time = 0;
};

/// The best plan of all others; `synchronous`: of those that flush.
Best best_of_others(const Problem& problem, const sim::Simulator& simulator, const planner::PlannerContext& context,
                    bool synchronous) {
  Best best;
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (planner.name == "joint") continue;
    planner::PlannerOptions options;
    for (const planner::OptionInfo& option : planner.options)
      if (synchronous && option.name == "synchronous") options["synchronous"] = "true";
    const auto ranking = planner::run_planner(planner, problem, options, context);
    if (!ranking || ranking->plans.empty()) continue;
    const double time = simulator.iteration_time(ranking->plans[0])->count;
    if (best.planner == "-" || time < best.time) best = {planner.name, ranking->plans[0], time};
  }
  return best;
}

std::string shape(const Plan& plan) {
  return plan.stages.size() > 6 ? std::to_string(plan.stages.size()) + " stages" : stage_shape_text(plan);
}

void row(const std::string& title, const Problem& problem) {
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  context.relax = false;
  for (const bool synchronous : {true, false}) {
    const Best best = best_of_others(problem, simulator, context, synchronous);
    Result<planner::Ranking> ranking;
    planner::PlannerOptions options;
    if (synchronous) options["synchronous-only"] = "true";
    const double took = seconds_of(
        [&] { ranking = planner::run_planner(**planner::find_planner("joint"), problem, options, context); });
    if (!ranking || ranking->plans.empty()) {
      fmt::print("| {} | {} | {} | none | | | {:.2f} |\n", title, synchronous ? "synchronous" : "any", best.planner,
                 took);
      continue;
    }
    const double joint = simulator.iteration_time(ranking->plans[0])->count;
    fmt::print("| {} | {} | {} {:.1f} | {:.1f} | {:.1f} % | {} {} | {:.2f} |\n", title,
               synchronous ? "synchronous" : "any", best.planner, 1e3 * best.time, 1e3 * joint,
               100 * (best.time / joint - 1), name_of(ranking->plans[0].schedule), shape(ranking->plans[0]), took);
    std::fflush(stdout);
  }
}

void header() {
  fmt::print("| model, cluster | plans | best of the others, ms | joint, ms | quicker by | joint's plan | s |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
}

bool made_for(const Profile& profile, const Cluster& cluster) {
  return find_device_type(cluster, profile.device) != nullptr;
}

void compare_presets() {
  header();
  for (const std::string& model : presets::model_preset_names())
    for (const std::string& cluster : presets::cluster_preset_names()) {
      Problem problem{std::make_shared<const Profile>(*presets::profile_preset(model)),
                      std::make_shared<const Cluster>(*presets::cluster_preset(cluster)),
                      {}};
      if (!made_for(*problem.profile, *problem.cluster)) continue;
      problem.workload.global_batch = 32 * problem.profile->micro_batch;
      row(model + ", " + presets::cluster_preset_alias(cluster), problem);
    }
}

DeviceType device_type(const std::string& name, double gib, double speed) {
  DeviceType type;
  type.name = name;
  type.memory = Bytes(static_cast<std::int64_t>(gib * 0x1p30));
  type.relative_speed = speed;
  return type;
}

/// Nodes of `count` devices each, of the types in turn, joined by a switch.
Cluster mixed(const std::vector<DeviceType>& types, const std::vector<int>& nodes, int count, double inside,
              double between) {
  Cluster cluster;
  cluster.device_types = types;
  cluster.switches = {{"switch"}};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{types[static_cast<std::size_t>(nodes[n])].name, count}};
    if (count > 1) node.link = Link{gigabytes_per_second(inside), microseconds(5)};
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "switch", Link{gigabytes_per_second(between), microseconds(10)}});
  }
  return cluster;
}

const DeviceType v100 = device_type("V100-16GB", 16, 1), t4 = device_type("T4", 15, 8.1 / 15.7),
                 p100 = device_type("P100-16GB", 16, 9.3 / 15.7), v100_32 = device_type("V100-16GB", 32, 1);

void unlike() {
  header();
  for (const char* model : {"bert-48", "gpt-2-124m", "vgg-19", "resnet-50"}) {
    const auto profile = presets::profile_preset(model);
    if (!profile) continue;
    const auto with = [&](const std::string& name, const Cluster& cluster) {
      Problem problem{std::make_shared<const Profile>(*profile), std::make_shared<const Cluster>(cluster), {}};
      problem.workload.global_batch = 32 * profile->micro_batch;
      row(std::string(model) + ", " + name, problem);
    };
    with("AMP: 3 x 4 V100, 4 T4", mixed({v100, t4}, {0, 0, 0, 1}, 4, 12, 6.25));
    with("Whale: 8 V100-32GB, 8 P100", mixed({v100_32, p100}, {0, 1}, 8, 20, 6.25));
    with("Whale: 4 V100-32GB, 4 P100", mixed({v100_32, p100}, {0, 1}, 4, 20, 6.25));
    with("4 V100-32GB, 4 P100, 4 T4", mixed({v100_32, p100, t4}, {0, 1, 2}, 4, 20, 6.25));
  }
}

Problem transformer(int layers, const Cluster& cluster, int global_batch) {
  Profile profile = test::uniform_profile(layers, milliseconds(2.69), milliseconds(4.47));
  profile.device = "V100-16GB";
  profile.micro_batch = 1;
  for (Layer& layer : profile.layers) {
    layer.output = Bytes(4325376);
    layer.saved = Bytes(120000000);
    layer.parameters = Bytes(50384896);
  }
  Problem problem{std::make_shared<const Profile>(std::move(profile)), std::make_shared<const Cluster>(cluster), {}};
  problem.workload.global_batch = global_batch;
  return problem;
}

void large() {
  const auto one = [](const std::string& title, const Problem& problem, const planner::PlannerOptions& options) {
    Result<planner::Ranking> ranking;
    const double took = seconds_of([&] {
      const sim::Simulator simulator =
          *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
      planner::PlannerContext context;
      context.score = sim::score_of(simulator);
      context.relax = false;
      ranking = planner::run_planner(**planner::find_planner("joint"), problem, options, context);
    });
    const bool there = ranking && !ranking->plans.empty();
    fmt::print("{}: {:.2f} s, {}\n", title, took,
               there     ? fmt::format("{} x {}, {:.1f} ms, bound {:.1f}", shape(ranking->plans[0]),
                                       ranking->plans[0].micro_batch, in_milliseconds(*ranking->plans[0].objective->time),
                                       in_milliseconds(ranking->plans[0].certificate->lower_bound))
               : ranking ? "infeasible"
                         : ranking.error().text());
    std::fflush(stdout);
  };
  const planner::PlannerOptions alone{{"seeds", "none"}, {"synchronous-only", "true"}};
  const std::vector<int> of_one(128, 0);
  std::vector<int> of_three;
  for (int n = 0; n < 96; ++n) of_three.push_back(n / 32);
  const Problem like = transformer(96, mixed({v100}, of_one, 8, 130, 12.5), 4096);
  const Problem unlike = transformer(96, mixed({v100, p100, t4}, of_three, 8, 130, 12.5), 4096);
  one("1,024 devices of one type, 96 layers, no seeds", like, alone);
  one("3 types x 256 devices, 96 layers, no seeds", unlike, alone);
  one("1,024 devices of one type, 96 layers", like, {});
  one("3 types x 256 devices, 96 layers", unlike, {});
}

/// Plans of 8 stages and 32 micro-batches.
void rates() {
  const Problem problem = transformer(48, mixed({v100}, {0}, 8, 130, 12.5), 32);
  planner::search::Chain chain = *planner::search::Chain::of(problem);
  planner::joint::Layers layers(chain, planner::search::Ideals::of_order(chain.profile(), chain.order()));
  planner::joint::JointCosts costs(layers, 1, false);
  std::vector<Plan> plans;
  for (int i = 0; i < 64; ++i) {
    Plan plan = chain.plan_of("joint", 1);
    for (int s = 0; s < 8; ++s)
      plan.stages.push_back(planner::search::stage_on(s == 0 ? 0 : 6 * s - (i >> (s % 6) & 1),
                                                      s == 7 ? 48 : 6 * s + 6 - (i >> ((s + 1) % 6) & 1),
                                                      {DeviceId(std::int32_t{s})}));
    plans.push_back(std::move(plan));
  }
  const sim::Simulator simulator = *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  double sum = 0;
  const int rounds = 200;
  const double closed = seconds_of([&] {
    for (int r = 0; r < rounds; ++r)
      for (const Plan& plan : plans) sum += costs.closed_form(plan);
  });
  const double simulated = seconds_of([&] {
    for (int r = 0; r < rounds; ++r)
      for (const Plan& plan : plans) sum += simulator.iteration_time(plan)->count;
  });
  const double count = rounds * static_cast<double>(plans.size());
  fmt::print("closed form {:.0f} plans/s, simulated {:.0f} plans/s ({:.3f})\n", count / closed, count / simulated, sum);
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "presets")
    compare_presets();
  else if (what == "mixed")
    unlike();
  else if (what == "large")
    large();
  else if (what == "rates")
    rates();
  else
    return std::fprintf(stderr, "usage: bench_joint presets|mixed|large|rates\n"), 2;
  return 0;
}
