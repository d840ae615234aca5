// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/question.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/text/calibration_text.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"
#include "core/cost/network.hpp"
#include "core/io/checksum.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/io/importers.hpp"
#include "core/plan/reschedule.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/presets/profile_device.hpp"
#include "core/schedule/build.hpp"

namespace pipedeck::cli::options {
namespace {

constexpr int max_count = 1 << 30;
constexpr int max_threads = 1024;
constexpr int max_adapter_rank = 1 << 16;

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return {};
  return number;
}

/// By name, else by number.
std::optional<LayerId> find_layer(const Profile& profile, const std::string& text) {
  for (std::size_t i = 0; i < profile.layers.size(); ++i)
    if (profile.layers[i].name == text) return LayerId(i);
  const auto number = parse_number(text);
  return number ? std::optional(LayerId(*number)) : std::nullopt;
}

/// A calibration may be used for another cluster than it was fitted on, not unnoticed.
void announce(const CalibrationRecord& record, const std::string& file, const Problem& problem) {
  text::print_note(fmt::format("{}: {}", file, text::calibration_line(record)));
  const bool known = std::ranges::any_of(record.sources, [&](const CalibrationSource& source) {
    return source.kind == "cluster" && source.sha256 == io::sha256_of(*problem.cluster);
  });
  if (!known)
    text::print_warning(
        fmt::format("{}: the calibration was fitted on another cluster than \"{}\"", file, problem.cluster->name));
}

Result<int> parse_threads(std::string_view text) {
  const auto threads = parse_number(text);
  if (!threads || *threads < 1 || *threads > max_threads)
    return fail(ErrorCode::bad_usage,
                fmt::format("PIPEDECK_THREADS: found \"{}\", expected 1 to {}", text, max_threads));
  return *threads;
}

}  // namespace

void FileOptions::declare(CLI::App& app, bool required) {
  app.add_option("--profile", profile, "profile: a file, a transformer's config.json, or preset:NAME")
      ->required(required)
      ->type_name("P");
  app.add_option("--cluster", cluster, "cluster: a file or preset:NAME")->required(required)->type_name("C");
  app.add_option("--profile-micro-batch", profile_micro_batch, "samples per micro-batch of a graph text")
      ->check(CLI::Range(1, max_count))
      ->type_name("N");
  app.add_option("--sequence", sequence,
                 fmt::format("tokens per sample of a transformer [its own, at most {}]", longest_assumed))
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
}

void SimulationOptionGroup::declare(CLI::App& app) {
  app.add_option("--network", network,
                 "network model: ideal (no sharing of links) or shared [ideal; shared for clusters with network cards "
                 "per device]")
      ->check(CLI::IsMember({"ideal", "shared"}))
      ->type_name("NAME");
  app.add_option("--overlap", overlap, "overlap of gradient all-reduces with the backward: layer, bucket or none")
      ->check(CLI::IsMember({"layer", "bucket", "none"}))
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--bucket-bytes", bucket_bytes, "bucket size of --overlap bucket")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max() / 2))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--collectives", collectives,
                 "all-reduce algorithm: least (of flat and hierarchical ring), ring, hierarchical, tree or nccl")
      ->check(CLI::IsMember({"least", "ring", "hierarchical", "tree", "nccl"}))
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--reserve-bytes", reserve_bytes,
                 "reserved bytes per device, for driver and other programs [by device type]")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max() / 2))
      ->type_name("N");
  app.add_option("--reserve-share", reserve_share,
                 "share of the largest device's memory that other programs use, in addition to the reserved bytes")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("FRACTION");
  app.add_option("--communication-bytes", communication_bytes,
                 "buffer bytes per communicator and device [by device type]")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max() / 16))
      ->type_name("N");
  app.add_option("--fragmentation", fragmentation,
                 "share of memory lost to fragmentation, for the upper estimate only [by device type]")
      ->check(CLI::Range(0.0, 0.9))
      ->type_name("FRACTION");
  app.add_option("--calibration", calibration, "predict with a calibration, as written by calibrate")
      ->type_name("FILE");
}

SimulationOptions SimulationOptionGroup::conventions() const {
  return {.network = network ? *parse_network_model(*network) : NetworkModel::ideal,
          .overlap = *parse_overlap(overlap),
          .bucket = Bytes(bucket_bytes),
          .collectives = *parse_collectives(collectives),
          .reserve = Bytes(reserve_bytes.value_or(0)),
          .communication = Bytes(communication_bytes.value_or(0)),
          .fragmentation = fragmentation.value_or(0)};
}

Bytes SimulationOptionGroup::kept_for_others(const Cluster& cluster) const {
  double most = 0;
  for (const DeviceType& type : cluster.device_types) most = std::max(most, static_cast<double>(type.memory.count));
  return Bytes(reserve_bytes.value_or(0)) + Bytes(std::llround(reserve_share * most));
}

SimulationOptions SimulationOptionGroup::conventions(const Cluster& cluster) const {
  SimulationOptions all = conventions();
  if (!network) all.network = default_network(cluster);
  const MemoryDefaults usual = presets::memory_defaults(cluster);
  all.others = kept_for_others(cluster);
  all.reserve = reserve_bytes ? kept_for_others(cluster) : usual.reserve + kept_for_others(cluster);
  if (!communication_bytes) all.communication = usual.communication;
  if (!fragmentation) all.fragmentation = usual.fragmentation;
  if (!usual.source.empty() && (!reserve_bytes || !communication_bytes || !fragmentation))
    text::print_note(
        fmt::format("memory of a device that is not the model's: {} reserved, {} per communicator, {:g} % "
                    "fragmentation; --reserve-bytes, --communication-bytes, --fragmentation override it",
                    text::memory_text(all.reserve), text::memory_text(all.communication), 100 * all.fragmentation));
  return all;
}

std::string collectives_text(Collectives collectives) {
  return collectives == Collectives::best_ring ? "" : fmt::format(", collectives {}", name_of(collectives));
}

void StateOptions::declare(CLI::App& app) {
  app.add_option("--optimizer", optimizer, "none, sgd, momentum, adam or rmsprop [adam]")
      ->check(CLI::IsMember({"none", "sgd", "momentum", "adam", "rmsprop"}))
      ->type_name("NAME");
  app.add_option("--precision", precision,
                 "fp32, mixed-16, mixed-18 or mixed-20 [fp32; of computed profiles with weights of 16 bits mixed-16]")
      ->check(CLI::IsMember({"fp32", "mixed-16", "mixed-18", "mixed-20"}))
      ->type_name("NAME");
  app.add_option("--zero", zero, "ZeRO stage, 0 to 3 [0]")->check(CLI::Range(0, 3))->type_name("N");
}

void StateOptions::apply(Workload& workload, Precision usual) const {
  workload.precision = usual;
  if (!precision && usual != Precision::fp32)
    text::print_note("weights in 16 bits, so mixed precision is assumed; --precision overrides it");
  apply(workload);
}

void AdapterOptions::declare(CLI::App& app) {
  auto* option = app.add_option("--adapter-rank", rank,
                                "train low-rank adapters (LoRA) of this rank next to frozen weights; 0: all weights")
                     ->check(CLI::Range(0, max_adapter_rank))
                     ->capture_default_str()
                     ->type_name("N");
  app.add_option("--adapter-targets", targets, "products with adapters: query-value, attention or linear")
      ->check(CLI::IsMember({"query-value", "attention", "linear"}))
      ->needs(option)
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--frozen-weights", frozen, "format of the frozen products: same, int8 or nf4 (QLoRA)")
      ->check(CLI::IsMember({"same", "int8", "nf4"}))
      ->needs(option)
      ->capture_default_str()
      ->type_name("NAME");
}

Adapters AdapterOptions::adapters() const {
  if (rank == 0) return {};
  return {rank, *parse_adapter_targets(targets), *parse_frozen_weights(frozen)};
}

void PinOptions::declare(CLI::App& app) {
  const auto degree = [&](const char* name, std::optional<int>& value, const char* help) {
    app.add_option(name, value, help)->check(CLI::Range(1, max_count))->type_name("N");
  };
  degree("--pp", stages, "exactly N stages");
  degree("--dp", replicas, "N replicas of every stage");
  degree("--tmp", tensor_parallel, "tensor parallelism N in every stage");
  degree("--max-stages", max_stages, "at most N stages");
  app.add_option("--pin", layers, "pin this layer (name or number) to this device; may be repeated")
      ->type_name("LAYER=DEVICE")
      ->allow_extra_args(false);
}

Result<PlanConstraints> PinOptions::pins(const Profile& profile) const {
  PlanConstraints pins{stages, max_stages, replicas, tensor_parallel, {}};
  for (const std::string& text : layers) {
    const std::size_t equals = text.rfind('=');
    const auto device = equals == text.npos ? std::nullopt : parse_number(std::string_view(text).substr(equals + 1));
    if (!device) return fail(ErrorCode::bad_usage, fmt::format("--pin: found \"{}\", expected LAYER=DEVICE", text));
    const auto layer = find_layer(profile, text.substr(0, equals));
    if (!layer)
      return fail(ErrorCode::bad_usage,
                  fmt::format("--pin: no layer \"{}\" in \"{}\"", text.substr(0, equals), profile.name));
    pins.layers.emplace_back(*layer, DeviceId(*device));
  }
  return pins;
}

void ScheduleOptions::declare(CLI::App& app) {
  auto* option =
      app.add_option("--schedule", name, "use another schedule on the same devices (pipedeck-cli list schedules)")
          ->type_name("NAME");
  app.add_option("--chunks", chunks, "stages per device of --schedule interleaved")
      ->check(CLI::Range(1, max_count))
      ->needs(option)
      ->capture_default_str()
      ->type_name("V");
}

Result<void> ScheduleOptions::check() const {
  if (!name) return {};
  std::vector<std::string> names;
  for (const ScheduleTraits& info : all_schedules)
    if (info.kind != ScheduleKind::explicit_order) names.emplace_back(info.name);
  if (std::find(names.begin(), names.end(), *name) != names.end()) return {};
  return fail(ErrorCode::bad_usage,
              fmt::format("--schedule: found \"{}\", expected one of {}", *name, fmt::join(names, ", ")));
}

Result<Plan> ScheduleOptions::apply(Plan plan, const Profile& profile) const {
  if (!name) return plan;
  TRY_VOID(check());
  return plan::with_schedule(plan, profile, *parse_schedule(*name), chunks);
}

void PlanningOptions::declare(CLI::App& app) {
  inputs.declare(app);
  app.add_option("--global-batch", global_batch, "samples per iteration")
      ->required()
      ->check(CLI::Range(1, max_count))
      ->type_name("N");
  app.add_option("--micro-batch", micro_batch, "samples per micro-batch [planners choose]")
      ->check(CLI::Range(1, max_count))
      ->type_name("N");
  state.declare(app);
  adapted.declare(app);
  pinned.declare(app);
  schedule.declare(app);
  simulation.declare(app);
  declare_threads(app, threads);
}

Result<int> PlanningOptions::thread_count() const { return options::thread_count(threads); }

CLI::Option* declare_threads(CLI::App& app, std::optional<int>& threads) {
  return app
      .add_option("--threads", threads, "threads; they change the speed, never the answer [1, or PIPEDECK_THREADS]")
      ->check(CLI::Range(1, max_threads))
      ->type_name("N");
}

Result<int> thread_count(const std::optional<int>& threads) {
  if (threads) return *threads;
  const char* environment = std::getenv("PIPEDECK_THREADS");
  return environment && *environment ? parse_threads(environment) : Result<int>(1);
}

Result<Problem> PlanningOptions::open() const {
  if (micro_batch && global_batch % *micro_batch != 0)
    return fail(ErrorCode::bad_usage,
                fmt::format("--micro-batch {} does not divide --global-batch {}", *micro_batch, global_batch));
  auto problem = open_inputs(inputs, simulation);
  if (!problem) return problem;
  problem->workload.global_batch = global_batch;
  problem->workload.micro_batch = micro_batch;
  state.apply(problem->workload, io::documents::training_precision(*problem->profile));
  problem->workload.adapters = adapted.adapters();
  TRY(auto pins, pinned.pins(*problem->profile));
  problem->pins = std::move(pins);
  if (auto guess = presets::guess_of_sizes(*problem->profile); guess && global_batch != problem->profile->micro_batch) {
    text::print_note(*guess);
    problem->assumptions.push_back(*std::move(guess));
  }
  return problem;
}

Result<Problem> open_inputs(const FileOptions& inputs, const SimulationOptionGroup& simulation) {
  auto problem = open_hardware(inputs.cluster, simulation);
  if (!problem) return problem;
  auto opened = presets::open_profile(inputs.profile, {.profile_micro_batch = inputs.profile_micro_batch},
                                      presets::known_device_type(*problem->cluster), inputs.sequence);
  if (!opened) return tl::unexpected(text::in_file(opened.error(), inputs.profile));
  if (inputs.sequence > 0 && inputs.sequence_of_profile && !opened->of_transformer)
    return fail(ErrorCode::bad_usage,
                fmt::format("--sequence: found the profile {}, whose times have a sequence, expected a transformer's "
                            "config.json or preset",
                            inputs.profile));
  auto fitted = presets::profile_on_cluster(std::make_shared<const Profile>(std::move(opened->profile)),
                                            *problem->cluster, presets::device_catalogue());
  if (!fitted) return tl::unexpected(text::in_file(fitted.error(), inputs.cluster));
  problem->profile = std::move(fitted->profile);
  for (const std::string& note : opened->notes) text::print_note(note);
  for (const std::string& note : fitted->notes) text::print_note(note);
  problem->assumptions = std::move(fitted->assumptions);
  problem->workload.conventions.efficiency = std::move(fitted->efficiency);
  return problem;
}

Result<Problem> open_hardware(const std::string& file, const SimulationOptionGroup& simulation) {
  auto cluster = presets::open_cluster(file);
  if (!cluster) return tl::unexpected(text::in_file(cluster.error(), file));
  if (const auto network = cost::Network::of(*cluster); !network)
    return tl::unexpected(text::in_file(network.error(), file));
  Problem problem;
  problem.cluster = std::make_shared<const Cluster>(*std::move(cluster));
  problem.workload.conventions = simulation.conventions(*problem.cluster);
  if (simulation.calibration.empty()) return problem;
  const auto record = io::read_calibration(simulation.calibration);
  if (!record) return tl::unexpected(text::in_file(record.error(), simulation.calibration));
  problem.workload.conventions.calibration = record->values;
  announce(*record, simulation.calibration, problem);
  return problem;
}

Workload workload_of(const Plan& plan, const SimulationOptions& conventions) {
  return {.global_batch = plan.global_batch,
          .micro_batch = plan.micro_batch,
          .optimizer = plan.optimizer,
          .precision = plan.precision,
          .zero = plan.zero,
          .adapters = adapters_of(plan),
          .conventions = conventions};
}

void warn_if_made_for_others(const Plan& plan, const std::string& file, const Problem& problem) {
  const auto check = [&](const std::string& sha, const std::string& now, const char* what, const std::string& name) {
    if (!sha.empty() && sha != now)
      text::print_warning(
          fmt::format("{}: the plan was made for another {} than \"{}\" (/{}_sha256 differs)", file, what, name, what));
  };
  check(plan.profile_sha256, io::sha256_of(*problem.profile), "profile", problem.profile->name);
  check(plan.cluster_sha256, io::sha256_of(*problem.cluster), "cluster", problem.cluster->name);
}

}  // namespace pipedeck::cli::options
