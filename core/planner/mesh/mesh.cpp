// SPDX-License-Identifier: Apache-2.0
// The planner `mesh`: all degrees of parallelism of a transformer, simulated in the order of bounds until none is left
// below the best time. Clusters of several kinds are searched by arrangement.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/plan/short_list.hpp"
#include "core/planner/mesh/answers.hpp"
#include "core/planner/mesh/inputs.hpp"
#include "core/planner/mesh/why.hpp"
#include "core/planner/option_table.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::planner::mesh {
namespace {

enum class Again { any, none, modules, full };

/// Returns the schedules of the engine whose choices all meshes have, Megatron-LM.
std::vector<ScheduleKind> usual_orders() { return {ScheduleKind::one_f_one_b}; }
/// Returns those of torchtitan, too.
std::vector<ScheduleKind> all_orders() {
  return {ScheduleKind::one_f_one_b, ScheduleKind::zb_v, ScheduleKind::dualpipe_v};
}

/// The options of a request; 0: any.
struct MeshOptions {
  int tensor = 0, context = 0, expert = 0, expert_tensor = 0, pipeline = 0, virtual_stages = 0, data = 0, samples = 0;
  int sequence = -1, level = -1, group = 0;
  std::optional<ContextKind> context_kind;
  Again recomputed = Again::any;
  std::vector<ScheduleKind> orders = usual_orders();
  std::string products;
  int simulations = 400;
  bool ignore_memory = false;  ///< asked for by evaluate_options
};

const OptionTable<MeshOptions>& mesh_options() {
  static const OptionTable<MeshOptions> rows{{
      integer_option("tp", &MeshOptions::tensor, "tensor-parallel ranks; 0: any in one NVLink domain"),
      choice_option("sp", &MeshOptions::sequence, "sequence parallelism", {{"auto", -1}, {"off", 0}, {"on", 1}}),
      integer_option("cp", &MeshOptions::context, "context-parallel ranks; 0: any"),
      choice_option("cp-kind", &MeshOptions::context_kind, "how context ranks exchange keys and values",
                    {{"auto", {}},
                     {"ring", ContextKind::ring},
                     {"gather", ContextKind::gather},
                     {"heads", ContextKind::heads},
                     {"heads+ring", ContextKind::heads_ring}}),
      integer_option("ep", &MeshOptions::expert, "expert-parallel ranks; 0: any"),
      integer_option("etp", &MeshOptions::expert_tensor, "ranks of an expert; 0: any in one NVLink domain"),
      integer_option("pp-ranks", &MeshOptions::pipeline, "pipeline ranks, each with --vp stages; 0: any"),
      integer_option("vp", &MeshOptions::virtual_stages, "stages on each pipeline rank; 0: any"),
      integer_option("dp-ranks", &MeshOptions::data, "data-parallel ranks; 0: any"),
      integer_option("samples", &MeshOptions::samples, "samples of a micro-batch on a data rank; 0: any"),
      choice_option("sharding", &MeshOptions::level, "sharding level of states",
                    {{"auto", -1}, {"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}}),
      integer_option("sharding-group", &MeshOptions::group, "ranks that share states; 0: all, or those of a domain"),
      choice_option("recompute", &MeshOptions::recomputed, "what the backward recomputes",
                    {{"auto", Again::any}, {"none", Again::none}, {"modules", Again::modules}, {"full", Again::full}}),
      choice_option("schedule", &MeshOptions::orders,
                    "order of passes; auto: 1F1B and interleaved 1F1B; all: ZB-V and DualPipeV, too",
                    {{"auto", usual_orders()},
                     {"all", all_orders()},
                     {"1f1b", usual_orders()},
                     {"zb-h1", {ScheduleKind::zb_h1}},
                     {"zb-h2", {ScheduleKind::zb_h2}},
                     {"zb-v", {ScheduleKind::zb_v}},
                     {"dualpipev", {ScheduleKind::dualpipe_v}}}),
      choice_option("products", &MeshOptions::products, "precision of large products; auto: the profile's",
                    {{"auto", std::string()},
                     {"bf16", "bf16"},
                     {"fp16", "fp16"},
                     {"fp8", "fp8"},
                     {"mxfp8", "mxfp8"},
                     {"nvfp4", "nvfp4"}}),
      integer_option("simulations", &MeshOptions::simulations, "meshes simulated at most"),
  }};
  return rows;
}

Result<Space> space_of(const Problem& problem, const MeshOptions& options, const Question& base) {
  Space space;
  const auto pin = [](std::vector<int>& values, int value) {
    if (value > 0) values = {value};
  };
  pin(space.tensor, options.tensor);
  pin(space.context, options.context);
  pin(space.expert, options.expert);
  pin(space.expert_tensor, options.expert_tensor);
  pin(space.pipeline, options.pipeline);
  pin(space.virtual_stages, options.virtual_stages);
  pin(space.data, options.data);
  pin(space.micro_batch, options.samples);
  limit(space, problem);
  if (options.sequence >= 0) space.sequence = options.sequence == 1;
  if (options.context_kind) space.context_kinds = {*options.context_kind};
  const int level = problem.workload.zero > 0 ? problem.workload.zero : options.level;
  if (level >= 0) std::erase_if(space.shardings, [&](const ShardingChoice& one) { return one.level != level; });
  if (options.group > 0) {
    std::erase_if(space.shardings, [](const ShardingChoice& one) { return one.among == ShardingGroup::domain; });
    for (ShardingChoice& one : space.shardings) one.group = one.level > 0 ? options.group : 0;
  }
  space.orders = options.orders;
  space.arrangements = arrangements_of(*problem.cluster);
  TRY(space.recomputed, recomputations_of(base));
  std::erase_if(space.recomputed, [&](const Recomputed& one) {
    const Again kind = one.blocks ? Again::full : one.parts.empty() ? Again::none : Again::modules;
    return options.recomputed != Again::any && options.recomputed != kind;
  });
  return space;
}

std::string certificate_text(const Found& found) {
  return fmt::format(
      "meshes of equal stages, by simulated time: {} shards, {} pipelines and {} shardings bounded, {} "
      "simulated",
      found.work.shards, found.work.pipelines, found.work.shardings, found.work.simulations);
}

class Planning {
 public:
  Planning(const Problem& problem, const MeshOptions& options, const PlannerContext& context, Question base,
           Space space)
      : problem_(problem),
        options_(options),
        context_(context),
        base_(std::move(base)),
        all_{space},
        part_{std::move(space)} {}

  Result<Ranking> run(const Rates& rates) {
    report(context_.progress, 0, "bounding meshes");
    SearchLimits limits;
    if (context_.top > 1) limits.share = near_share, limits.saving = least_saving;
    TRY_VOID(search_arrangements(rates, limits));
    devices_ = all_.costs->devices();
    if (all_.found.simulated.empty()) return none();
    if (context_.top > 1) TRY_VOID(search_parts(rates));
    report(context_.progress, 1, "done");
    std::vector<Answer> list = short_list(base_, all_.found, fleet_of(all_), part_.found, fleet_of(part_));
    Ranking ranking;
    std::vector<std::string> others;
    for (const Answer& one : list) {
      if (static_cast<int>(ranking.plans.size()) >= std::max(1, context_.top)) break;
      TRY(Plan plan, answer(one, list.front()));
      if (&one != &list.front()) others.insert(others.end(), plan.rationale.begin(), plan.rationale.end());
      if (context_.explain && !deadline_expired(context_))
        TRY_VOID(explain(plan, one.mesh, one.on_part ? part_ : all_, rates));
      ranking.plans.push_back(std::move(plan));
    }
    std::vector<std::string>& why = ranking.plans.front().rationale;
    if (context_.explain) why.insert(why.end(), others.begin(), others.end());
    return ranking;
  }

 private:
  /// A search on all devices of the cluster, or on its first ones.
  struct Searched {
    Space space;
    std::optional<Costs> costs{};
    Found found{};
  };

  Result<void> search_on(Searched& searched, const Rates& rates, SearchLimits limits) const {
    TRY(auto costs, Costs::of(base_, searched.space, rates));
    searched.costs.emplace(std::move(costs));
    limits.simulations = std::max(1, options_.simulations);
    limits.hurry = [&] { return deadline_expired(context_); };
    limits.check = [&] { return check_stop(context_); };
    TRY(searched.found, search(base_, searched.space, *searched.costs, simulate_with_room_, limits));
    return {};
  }

  /// Searches each arrangement, the fastest devices first. A mesh of a later one must be near the
  /// best one of those before.
  Result<void> search_arrangements(const Rates& rates, const SearchLimits& limits) {
    const std::vector<std::size_t> order = by_speed(rates);
    if (order.size() == 1) return search_on(all_, rates, limits);
    Found all;
    all.proven = all.all_near = true, all.floor = Seconds(std::numeric_limits<double>::infinity());
    std::optional<std::size_t> fastest;
    for (const std::size_t arrangement : order) {
      if (!all.simulated.empty() && deadline_expired(context_)) {
        all.proven = all.all_near = false;
        break;
      }
      report(context_.progress, 0.7 * static_cast<double>(&arrangement - order.data()) / double(order.size()),
             "bounding meshes of " + names_of(arrangement));
      SearchLimits own = limits;
      const std::optional<Seconds> best = all.simulated.empty() ? std::nullopt : std::optional(all.simulated[0].time);
      if (best) own.below = *best * (1 + limits.share);
      all_.space.arrangement = arrangement;
      if (Result<void> searched = search_on(all_, rates, own); !searched) {
        const bool is_last = &arrangement == &order.back() && !fastest;
        if (searched.error().code != ErrorCode::bad_input || is_last) return searched;
        if (left_out_.empty()) left_out_ = searched.error().message;  // the times of a kind are not known
        continue;
      }
      const bool faster = !all_.found.simulated.empty() && (!best || all_.found.simulated[0].time < *best);
      if (faster || !fastest) fastest = arrangement;
      add(all, std::move(all_.found));
    }
    all_.found = std::move(all), all_.space.arrangement = *fastest;
    TRY(auto costs, Costs::of(base_, all_.space, rates));
    all_.costs.emplace(std::move(costs));
    return {};
  }

  /// Adds what another search found.
  void add(Found& all, Found other) const {
    all.proven = all.proven && other.proven;
    all.all_near = all.all_near && (other.all_near || (other.proven && other.simulated.empty()));
    all.left += other.left;
    if (other.work.shards > 0) all.floor = std::min(all.floor, other.floor);
    const auto share = [](const MeshMemory& one) { return one.fullest / one.capacity; };
    if (other.least && (!all.least || share(*other.least) < share(*all.least)))
      all.least = other.least, all.least_point = other.least_point;
    all.work.shards += other.work.shards, all.work.pipelines += other.work.pipelines;
    all.work.shardings += other.work.shardings, all.work.without_room += other.work.without_room;
    all.work.simulations += other.work.simulations, all.work.looks += other.work.looks;
    all.simulated.insert(all.simulated.end(), other.simulated.begin(), other.simulated.end());
    std::ranges::stable_sort(all.simulated, {}, &Simulated::time);
  }

  /// Returns the arrangements by operations per second at the pace of each pool's slowest kind, fewer pools first.
  std::vector<std::size_t> by_speed(const Rates& rates) const {
    const std::vector<Device> devices = devices_of(*problem_.cluster);
    const auto speed_of = [&](const std::vector<DeviceId>& kind) {
      return operations_per_second(rates.of(devices[kind.front().index()].type).type);
    };
    std::vector<std::size_t> order(all_.space.arrangements.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t position) {
      const Arrangement& arrangement = all_.space.arrangements[position];
      double speed = 0;
      for (const Pool& pool : arrangement.pools)
        speed += pool.devices() * std::ranges::min(pool.kinds | std::views::transform(speed_of));
      return std::pair(-speed, arrangement.pools.size());
    });
    return order;
  }

  /// Returns the devices of a search. Prices count if all types of the cluster have one.
  Fleet fleet_of(const Searched& searched) const {
    const std::vector<Device> devices = devices_of(*problem_.cluster);
    std::vector<DeviceId> own;
    const int first = searched.space.devices;
    for (const Pool& pool : searched.space.arranged().pools)
      for (const std::vector<DeviceId>& kind : pool.kinds) own.insert(own.end(), kind.begin(), kind.end());
    if (own.empty())
      for (int d = 0; d < (first > 0 ? first : static_cast<int>(devices.size())); ++d) own.emplace_back(d);
    Fleet fleet{static_cast<int>(own.size()), 0};
    for (const Device& device : devices)
      if (!problem_.cluster->device_types[static_cast<std::size_t>(device.type)].price_per_hour) return fleet;
    for (const DeviceId device : own)
      fleet.price_per_hour +=
          *problem_.cluster->device_types[static_cast<std::size_t>(devices[device.index()].type)].price_per_hour;
    return fleet;
  }

  std::string names_of(std::size_t arrangement) const {
    std::string names;
    for (const Pool& pool : all_.space.arrangements[arrangement].pools)
      names += (names.empty() ? "" : " + ") + pool.name;
    return names;
  }

  /// Searches fewer devices for a mesh that saves device-hours: the cluster's first nodes, or other arrangements.
  Result<void> search_parts(const Rates& rates) {
    if (all_.space.arrangements.size() == 1) {
      part_.space.devices = devices_of_part(*problem_.cluster);
      return part_.space.devices > 0 ? search_part(part_, rates) : Result<void>();
    }
    for (std::size_t a = 0; a < all_.space.arrangements.size(); ++a) {
      Searched one{part_.space};
      one.space.arrangement = a, one.space.devices = all_.space.arrangements[a].devices();
      if (fleet_of(one).rate() >= fleet_of(all_).rate()) continue;
      TRY_VOID(search_part(one, rates));
      if (one.found.simulated.empty()) continue;
      const auto cost = [&](const Searched& part) { return part.found.simulated[0].time * fleet_of(part).rate(); };
      if (part_.found.simulated.empty() || cost(one) < cost(part_)) {
        part_.space = std::move(one.space), part_.found = std::move(one.found);
        TRY(auto costs, Costs::of(base_, part_.space, rates));
        part_.costs.emplace(std::move(costs));
      }
    }
    return {};
  }

  Result<void> search_part(Searched& part, const Rates& rates) const {
    if (deadline_expired(context_)) return {};
    report(context_.progress, 0.7, "bounding meshes on fewer devices");
    SearchLimits cheaper;
    cheaper.below = time_of_cheaper(all_.found, fleet_of(all_), fleet_of(part));
    return search_on(part, rates, cheaper);
  }

  Plan plan_of(const Point& point, const std::vector<Merit>& merits = {}) const {
    return mesh::plan_of(problem_, base_, all_.space, point, "mesh", plan::short_list_title("Mesh", merits));
  }

  Result<Plan> answer(const Answer& one, const Answer& fastest) const {
    const Found& found = one.on_part ? part_.found : all_.found;
    Plan plan = plan_of(one.mesh.point, context_.top > 1 ? one.merits : std::vector<Merit>());
    plan.objective = simulated_objective(one.mesh.time);
    plan.truncated = !found.proven && deadline_expired(context_);
    plan.certificate.emplace();
    plan.certificate->lower_bound = found.floor;
    plan.certificate->gap = found.floor.count > 0 ? one.mesh.time.count / found.floor.count - 1 : 0;
    const bool is_first = &one == &fastest || one.on_part;
    if (is_first && found.proven) plan.certificate->optimal_in = certificate_text(found);
    if (is_first && !found.proven)
      plan.rationale.push_back(fmt::format("{} with a bound below this plan's time were not looked at.",
                                           counted(found.left, "group") + " of meshes"));
    if (&one == &fastest) add_about_devices(plan);
    if (context_.top < 2) return plan;
    plan.merits = one.merits;
    const auto texts = merit_texts(base_, all_.space, one, fastest, fleet_of(all_), fleet_of(part_),
                                   all_.found.all_near, price_currency(presets::device_catalogue()));
    plan.rationale.insert(plan.rationale.begin(), texts.begin(), texts.end());
    if (!context_.explain) plan.rationale.push_back(engines_text(base_, all_.space, one.mesh.point));
    return plan;
  }

  /// Adds which devices are idle, and which were not searched.
  void add_about_devices(Plan& plan) const {
    const auto all = static_cast<int>(devices_of(*problem_.cluster).size());
    if (devices_ < all && all_.found.proven)
      plan.rationale.push_back(
          fmt::format("{} of {} are idle: no mesh with more kinds is faster.", all - devices_, counted(all, "device")));
    if (!left_out_.empty()) plan.rationale.push_back("Some kinds of devices were left out: " + left_out_ + ".");
  }

  Result<void> explain(Plan& plan, const Simulated& one, Searched& searched, const Rates& rates) const {
    if (searched.space.arrangement != one.point.arrangement) {
      searched.space.arrangement = one.point.arrangement;
      TRY(auto costs, Costs::of(base_, searched.space, rates));
      searched.costs.emplace(std::move(costs));
    }
    TRY(auto reasons, why(base_, searched.space, *searched.costs, one, simulate_));
    plan.rationale.insert(plan.rationale.end(), reasons.begin(), reasons.end());
    return {};
  }

  Result<Ranking> none() const {
    const Found& found = all_.found;
    std::string relaxation;
    if (found.least && found.least->fullest > found.least->capacity)
      relaxation =
          fmt::format("{:.2f} GiB more memory on every device",
                      (found.least->fullest - found.least->capacity) / pipedeck::mesh::usable_share / 0x1p30 + 0.005);
    return refused(why_none(all_.space, found, devices_), std::move(relaxation));
  }

  const Problem& problem_;
  const MeshOptions& options_;
  const PlannerContext& context_;
  const Question base_;
  Searched all_, part_;
  std::string left_out_;  ///< why arrangements were not searched; empty: all were
  int devices_ = 0;       ///< of the fastest mesh's arrangement
  const Simulate simulate_ = [this](const Point& point) { return judge(context_, plan_of(point)); };
  const Simulate simulate_with_room_ = [this](const Point& point) { return judge_with_room(context_, plan_of(point)); };
};

Result<Ranking> plan_mesh(const Problem& problem, const PlannerOptions& given, const PlannerContext& context) {
  const MeshOptions options = mesh_options().read(given);
  return ranked_on(problem, "mesh", [&](const Rates& rates) -> Result<Ranking> {
    TRY(Question base, base_of(problem, options.products));
    TRY(Space space, space_of(problem, options, base));
    return Planning(problem, options, context, std::move(base), std::move(space)).run(rates);
  });
}

}  // namespace

PlannerInfo mesh_planner() {
  return {.name = "mesh",
          .title = "Mesh",
          .summary = "all degrees of tensor, context, expert, data and pipeline parallelism of a transformer",
          .source = "Pipedeck; docs/parallelism.md",
          .options = mesh_options().infos(),
          .plan = &plan_mesh,
          .objective = {.compute = &simulated_time, .options = &evaluate_options<mesh_options>},
          .compared_by_default = true,
          .search_time = SearchTime::moderate,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true},
          .of_transformers = true,
          .trains_adapters = true,
          .choices = merit_count};
}

}  // namespace pipedeck::planner::mesh
