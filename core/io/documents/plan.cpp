// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/io/documents/degrees.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/training.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/words.hpp"
#include "core/io/json/writer.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr std::array<std::pair<std::string_view, OpKind>, 5> operation_letters{{{"F", OpKind::forward},
                                                                                {"B", OpKind::backward},
                                                                                {"I", OpKind::backward_input},
                                                                                {"W", OpKind::backward_weight},
                                                                                {"R", OpKind::recompute}}};

/// Fourth of a list: one operation with the next.
constexpr std::string_view joined_mark = "&";

Operation parse_operation(const Value& value, const std::string& place, json::ErrorCollector& problems) {
  Operation operation;
  const json::List* parts = json::read_list(value, place, problems);
  if (!parts) return operation;
  if (parts->size() != 3 && parts->size() != 4) {
    problems.add(place, fmt::format("found {}, expected [kind, stage, micro-batch]", json::describe(value)));
    return operation;
  }
  if (parts->size() == 4) {
    if (json::read_text((*parts)[3], place + "/3", problems) != joined_mark)
      problems.add(place + "/3", fmt::format("found {}, expected \"{}\"", json::describe((*parts)[3]), joined_mark));
    operation.overlapped_with_next = true;
  }
  const std::string letter = json::read_text((*parts)[0], place + "/0", problems);
  bool known = false;
  for (const auto& [name, kind] : operation_letters)
    if (name == letter) operation.kind = kind, known = true;
  if (!known)
    problems.add(place + "/0", fmt::format("found {}, expected F, B, I, W or R", json::describe((*parts)[0])));
  operation.stage =
      StageId(static_cast<std::int32_t>(json::read_integer((*parts)[1], 0, limits::layers, place + "/1", problems)));
  operation.micro_batch =
      static_cast<std::int32_t>(json::read_integer((*parts)[2], 0, limits::samples, place + "/2", problems));
  return operation;
}

void read_operations(ObjectReader& in, Plan& plan) {
  if (!in.has("operations")) return;
  plan.operations.emplace();
  in.values("operations", [&](const Value& value, const std::string& place) {
    std::vector<Operation>& lane = plan.operations->emplace_back();
    const json::List* list = json::read_list(value, place, in.problems());
    for (std::size_t i = 0; list && i < list->size() && in.ok(); ++i)
      lane.push_back(parse_operation((*list)[i], place + json::step(i), in.problems()));
  });
}

template <class Id>
std::vector<Id> ids(ObjectReader& in, std::string_view key, std::int64_t most) {
  std::vector<Id> out;
  for (const int value : in.counts(key, 0, most)) out.push_back(Id(value));
  return out;
}

/// Adds the devices of "0-7" or "5". Returns false if it is neither, or too large.
bool add_range(std::string_view part, std::vector<DeviceId>& devices) {
  const std::size_t dash = std::min(part.find('-'), part.size());
  const auto number = [](std::string_view digits) {
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
  };
  const int first = number(part.substr(0, dash)), last = dash < part.size() ? number(part.substr(dash + 1)) : first;
  if (first < 0 || last < first || last >= limits::devices || std::ssize(devices) + last - first >= limits::devices)
    return false;
  for (int device = first; device <= last; ++device) devices.push_back(DeviceId(std::int32_t{device}));
  return true;
}

/// Reads a list of devices, or, from version 2 on, their ranges as text: "0-127,256-383".
std::vector<DeviceId> parse_devices(ObjectReader& in, int version) {
  const std::string* const ranges = version > 1 && in.has("devices") ? in.get("devices")->as<std::string>() : nullptr;
  if (!ranges) return ids<DeviceId>(in, "devices", limits::devices - 1);
  std::vector<DeviceId> devices;
  for (std::size_t begin = 0; begin <= ranges->size();) {
    const std::size_t end = std::min(ranges->find(',', begin), ranges->size());
    if (!add_range(std::string_view(*ranges).substr(begin, end - begin), devices)) {
      in.fail("devices", fmt::format("found {}, expected ranges of up to {} devices such as \"0-7,16-23\"",
                                     json::describe(Value(*ranges)), limits::devices));
      return {};
    }
    begin = end + 1;
  }
  return devices;
}

/// Reads the parts of blocks that version 2 can recompute. `all` stands if no layers and no modules are named.
void read_recomputed_parts(ObjectReader& in, Recompute& recompute) {
  recompute.blocks = in.count_or("blocks", -1, 0, limits::layers);
  recompute.operations = in.bool_or("operations", false);
  if (!in.has("modules")) return;
  in.values("modules", [&](const Value& value, const std::string& place) {
    recompute.modules.push_back(json::read_text(value, place, in.problems()));
  });
  recompute.all = false;
}

void read_recompute(ObjectReader& in, Stage& stage, int version) {
  if (!in.has("recompute")) return;
  const Value& value = *in.get("recompute");
  if (const bool* all = value.as<bool>())
    stage.recompute.all = *all;
  else if (value.as<json::List>())
    stage.recompute.layers = ids<LayerId>(in, "recompute", limits::layers);
  else if (value.as<json::Members>())
    in.object("recompute", [&](ObjectReader& choice) {
      choice.treat_null_as_absent();
      stage.recompute.each =
          choice.word_or("each", RecomputeUnit::block, parse_recompute_unit, json::words_of<RecomputeUnit>());
      stage.recompute.all = !choice.has("layers");
      if (choice.has("layers")) stage.recompute.layers = ids<LayerId>(choice, "layers", limits::layers);
      if (version > 1) read_recomputed_parts(choice, stage.recompute);
    });
  else
    in.fail("recompute", fmt::format("found {}, expected true, false or a list of layer positions, or an object with "
                                     "\"each\" and \"layers\"",
                                     json::describe(value)));
}

StageCopy parse_stage_copy(ObjectReader& in, int version) {
  in.treat_null_as_absent();
  StageCopy chunk;
  chunk.stage = StageId(std::int32_t{in.count("stage", 0, limits::layers)});
  chunk.copy = in.count_or("copy", 0, 0, limits::layers);
  chunk.devices = parse_devices(in, version);
  return chunk;
}

Stage parse_stage(ObjectReader& in, int version) {
  in.treat_null_as_absent();
  Stage stage;
  const std::vector<int> range = in.counts("layers", 0, limits::layers);
  if (in.ok() && range.size() != 2)
    in.fail("layers", fmt::format("found a list of {}, expected [first, last)", range.size()));
  if (in.ok()) stage.first = range[0], stage.last = range[1];
  stage.devices = parse_devices(in, version);
  stage.tensor_parallel = in.count_or("tensor_parallel", 1, 1, limits::devices);
  if (version > 1) read_degrees(in, stage.degrees);
  if (in.has("shares")) stage.samples_per_replica = in.counts("shares", 0, limits::samples);
  if (in.has("shards")) {
    stage.shard_fractions.emplace();
    in.values("shards", [&](const Value& value, const std::string& place) {
      stage.shard_fractions->push_back(json::read_number(value, json::Unit::plain, 0, 1, place, in.problems()));
    });
  }
  read_recompute(in, stage, version);
  stage.extra = in.preserve_unknown_members();
  return stage;
}

Objective parse_objective(ObjectReader& in) {
  in.treat_null_as_absent();
  Objective objective;
  objective.name = in.text("name");
  const bool time = in.has("value_ms"), bytes = in.has("value_bytes");
  if (time == bytes)
    in.fail("value_ms",
            fmt::format("found {} of value_ms and value_bytes, expected one of them", time ? "both" : "none"));
  else if (time)
    objective.time = in.long_time("value_ms");
  else
    objective.bytes = in.total_bytes("value_bytes");
  return objective;
}

Predicted parse_predicted(ObjectReader& in) {
  in.treat_null_as_absent();
  Predicted predicted;
  predicted.iteration = in.long_time("iteration_ms");
  predicted.samples_per_second = in.number("samples_per_s", 0, 1e18);
  predicted.bubble_fraction = in.number("bubble_fraction", 0, 1);
  in.values("peak_memory_bytes", [&](const Value& value, const std::string& place) {
    predicted.peak_memory.push_back(Bytes(json::read_integer(value, 0, limits::total_bytes, place, in.problems())));
  });
  if (in.has("lower_bound_ms")) predicted.lower_bound = in.long_time("lower_bound_ms");
  predicted.fits = in.bool_or("fits", true);
  predicted.network = in.word_or("network", NetworkModel::ideal, parse_network_model, json::words_of<NetworkModel>());
  predicted.overlap = in.word_or("overlap", Overlap::layer, parse_overlap, json::words_of<Overlap>());
  predicted.collectives =
      in.word_or("collectives", Collectives::best_ring, parse_collectives, json::words_of<Collectives>());
  return predicted;
}

Certificate parse_certificate(ObjectReader& in) {
  in.treat_null_as_absent();
  Certificate certificate;
  if (in.has("lower_bound_ms")) certificate.lower_bound = in.long_time("lower_bound_ms");
  if (in.has("stages_bound_ms")) certificate.partition_lower_bound = in.long_time("stages_bound_ms");
  if (in.has("gap")) certificate.gap = in.number("gap", 0, 1e18);
  certificate.optimal_in = in.text_or("optimal_in", "");
  return certificate;
}

std::string parse_sha256(ObjectReader& in, std::string_view key) {
  if (!in.has(key)) return {};
  std::string found = in.text(key);
  const bool digest = found.size() == 64 && found.find_first_not_of("0123456789abcdef") == found.npos;
  if (in.ok() && !digest)
    in.fail(key, fmt::format("found {}, expected 64 lower-case hexadecimal digits", json::describe(Value(found))));
  return found;
}

void read_conventions(ObjectReader& in, Plan& plan) {
  plan.schedule = in.word("schedule", parse_schedule, json::words_of<ScheduleKind>());
  plan.warmup = in.word_or("warmup", Warmup::A, parse_warmup, "\"A\", \"B\"");
  if (in.has("warmup_counts")) plan.warmup_counts = in.counts("warmup_counts", 1, limits::samples);
  plan.optimizer = in.word_or("optimizer", Optimizer::adam, parse_optimizer, json::words_of<Optimizer>());
  plan.precision = in.word_or("precision", Precision::fp32, parse_precision, json::words_of<Precision>());
  plan.zero = in.count_or("zero", 0, 0, 3);
}

void read_plan(ObjectReader& in, Plan& plan) {
  in.treat_null_as_absent();
  const int version = in.count("version");
  plan.name = in.text_or("name", "");
  plan.planner = in.text_or("planner", "hand");
  plan.profile = in.text_or("profile", "");
  plan.cluster = in.text_or("cluster", "");
  plan.global_batch = in.count("global_batch");
  plan.micro_batch = in.count("micro_batch");
  // Where it is left out, it follows; a micro-batch that does not divide is reported by validate().
  plan.micro_batches = in.count_or("micro_batches", plan.global_batch / plan.micro_batch);
  read_conventions(in, plan);
  if (in.has("order")) plan.order = ids<LayerId>(in, "order", limits::layers);
  if (version > 1 && in.has("sharding"))
    in.object("sharding", [&](ObjectReader& s) { plan.sharding = parse_sharding(s); });
  if (version > 1 && in.has("training"))
    in.object("training", [&](ObjectReader& t) { plan.choices = parse_choices(t); });
  in.objects("stages", [&](ObjectReader& stage) { plan.stages.push_back(parse_stage(stage, version)); });
  if (in.has("chunks")) {
    plan.chunks.emplace();
    in.objects("chunks", [&](ObjectReader& chunk) { plan.chunks->push_back(parse_stage_copy(chunk, version)); });
  }
  read_operations(in, plan);
  if (in.has("objective")) in.object("objective", [&](ObjectReader& o) { plan.objective = parse_objective(o); });
  if (in.has("predicted")) in.object("predicted", [&](ObjectReader& p) { plan.predicted = parse_predicted(p); });
  if (in.has("certificate"))
    in.object("certificate", [&](ObjectReader& c) { plan.certificate = parse_certificate(c); });
  if (in.has("merits"))
    in.values("merits", [&](const Value& value, const std::string& place) {
      const std::string word = json::read_text(value, place, in.problems());
      if (const auto merit = parse_merit(word))
        plan.merits.push_back(*merit);
      else
        in.problems().add(place, fmt::format("found \"{}\", expected \"fastest\", \"simplest\", \"least_memory\" or "
                                             "\"cheapest\"",
                                             word));
    });
  if (in.has("why"))
    in.values("why", [&](const Value& value, const std::string& place) {
      plan.rationale.push_back(json::read_text(value, place, in.problems()));
    });
  plan.profile_sha256 = parse_sha256(in, "profile_sha256");
  plan.cluster_sha256 = parse_sha256(in, "cluster_sha256");
  plan.truncated = in.bool_or("truncated", false);
  plan.extra = in.preserve_unknown_members();
}

// ---- writing

template <class Id>
Value ids_to_json(const std::vector<Id>& list) {
  return Value(json::list_of(list, [](Id id) { return Value(json::integer(id.value)); }));
}

/// Returns "0-127,256": runs of consecutive devices.
Value ranges_to_json(const std::vector<DeviceId>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end].value == devices[end - 1].value + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", devices[i].value);
    if (end > i + 1) text += fmt::format("-{}", devices[end - 1].value);
    i = end;
  }
  return Value(std::move(text));
}
Value devices_to_json(const std::vector<DeviceId>& devices, int version) {
  return version > 1 ? ranges_to_json(devices) : ids_to_json(devices);
}

Value recompute_to_json(const Recompute& recompute) {
  if (!recompute.any()) return Value(false);
  if (recompute.each == RecomputeUnit::block && !recompute.partly())
    return recompute.all ? Value(true) : ids_to_json(recompute.layers);
  ObjectWriter out;
  out.add("each", pipedeck::name_of(recompute.each));
  if (!recompute.layers.empty()) out.add("layers", ids_to_json(recompute.layers));
  if (recompute.blocks >= 0) out.add("blocks", recompute.blocks);
  if (recompute.operations) out.add("operations", Value(true));
  if (!recompute.modules.empty())
    out.add("modules", json::list_of(recompute.modules, [](const std::string& module) { return Value(module); }));
  return out.finish();
}

Value stage_to_json(const Stage& stage, int version) {
  ObjectWriter out;
  out.add("layers", json::integers({stage.first, stage.last})).add("devices", devices_to_json(stage.devices, version));
  out.add("tensor_parallel", stage.tensor_parallel);
  write_degrees(out, stage.degrees);
  out.add("shares", stage.samples_per_replica ? Value(json::integers(*stage.samples_per_replica)) : Value());
  if (stage.shard_fractions)
    out.add("shards",
            json::list_of(*stage.shard_fractions, [](double fraction) { return Value(json::number(fraction)); }));
  out.add("recompute", recompute_to_json(stage.recompute));
  return out.finish(stage.extra);
}

Value operation_to_json(const Operation& operation) {
  std::string_view letter;
  for (const auto& [name, kind] : operation_letters)
    if (kind == operation.kind) letter = name;
  json::List parts{Value(letter), json::integer(operation.stage.value), json::integer(operation.micro_batch)};
  if (operation.overlapped_with_next) parts.push_back(Value(joined_mark));
  return Value(std::move(parts));
}

Value objective_to_json(const Objective& objective) {
  ObjectWriter out;
  out.add("name", objective.name);
  if (objective.time) out.add("value_ms", json::milliseconds_of(*objective.time));
  if (objective.bytes) out.add("value_bytes", *objective.bytes);
  return out.finish();
}

Value predicted_to_json(const Predicted& predicted) {
  ObjectWriter out;
  out.add("iteration_ms", json::milliseconds_of(predicted.iteration))
      .add("samples_per_s", json::number(predicted.samples_per_second))
      .add("bubble_fraction", json::number(predicted.bubble_fraction))
      .add("peak_memory_bytes", json::bytes_of(predicted.peak_memory));
  // 0 is "not known": what the program computes is above it.
  if (predicted.lower_bound > Seconds()) out.add("lower_bound_ms", json::milliseconds_of(predicted.lower_bound));
  out.add("fits", Value(predicted.fits))
      .add("network", pipedeck::name_of(predicted.network))
      .add("overlap", pipedeck::name_of(predicted.overlap));
  if (predicted.collectives != Collectives::best_ring) out.add("collectives", pipedeck::name_of(predicted.collectives));
  return out.finish();
}

Value certificate_to_json(const Certificate& certificate) {
  ObjectWriter out;
  if (certificate.lower_bound > Seconds())
    out.add("lower_bound_ms", json::milliseconds_of(certificate.lower_bound)).add("gap", json::number(certificate.gap));
  if (certificate.partition_lower_bound > Seconds())
    out.add("stages_bound_ms", json::milliseconds_of(certificate.partition_lower_bound));
  if (!certificate.optimal_in.empty()) out.add("optimal_in", certificate.optimal_in);
  return out.finish();
}

void write_conventions(ObjectWriter& out, const Plan& plan) {
  out.add("schedule", pipedeck::name_of(plan.schedule)).add("warmup", pipedeck::name_of(plan.warmup));
  if (plan.warmup_counts) out.add("warmup_counts", json::integers(*plan.warmup_counts));
  out.add("optimizer", pipedeck::name_of(plan.optimizer))
      .add("precision", pipedeck::name_of(plan.precision))
      .add("zero", plan.zero);
  out.add("order", plan.order ? ids_to_json(*plan.order) : Value());
}

}  // namespace

Result<Plan> plan_from_json(const std::string& text) {
  Plan plan;
  const Result<void> read = json::read_document(
      text, "pipedeck.plan", [&](ObjectReader& in) { read_plan(in, plan); }, 2);
  if (!read) return tl::unexpected(read.error());
  if (const Result<void> valid = plan::validate(plan); !valid) return tl::unexpected(valid.error());
  return plan;
}

std::string plan_to_json(const Plan& plan) {
  const int version = has_mesh(plan) ? 2 : 1;  // older programs read all that they know
  ObjectWriter out = ObjectWriter::document("pipedeck.plan", version);
  out.add("name", plan.name).add("planner", plan.planner).add("profile", plan.profile).add("cluster", plan.cluster);
  out.add("global_batch", plan.global_batch).add("micro_batch", plan.micro_batch);
  out.add("micro_batches", plan.micro_batches);
  write_conventions(out, plan);
  if (plan.sharding != Sharding{}) out.add("sharding", sharding_to_json(plan.sharding));
  if (plan.choices) out.add("training", choices_to_json(*plan.choices));
  out.add("stages", json::list_of(plan.stages, [&](const Stage& stage) { return stage_to_json(stage, version); }));
  if (plan.chunks)
    out.add("chunks", json::list_of(*plan.chunks, [&](const StageCopy& chunk) {
              ObjectWriter entry;
              entry.add("stage", static_cast<int>(chunk.stage.value))
                  .add("devices", devices_to_json(chunk.devices, version));
              return entry.add("copy", chunk.copy).finish();
            }));
  if (plan.operations)
    out.add("operations", json::list_of(*plan.operations, [](const std::vector<Operation>& lane) {
              return Value(json::list_of(lane, operation_to_json));
            }));
  plan.objective ? out.add("objective", objective_to_json(*plan.objective)) : out.leave_out("objective");
  plan.predicted ? out.add("predicted", predicted_to_json(*plan.predicted)) : out.leave_out("predicted");
  if (plan.certificate) out.add("certificate", certificate_to_json(*plan.certificate));
  if (!plan.merits.empty())
    out.add("merits", json::list_of(plan.merits, [](Merit merit) { return Value(std::string(name_of(merit))); }));
  if (!plan.rationale.empty())
    out.add("why", json::list_of(plan.rationale, [](const std::string& line) { return Value(line); }));
  if (!plan.profile_sha256.empty()) out.add("profile_sha256", plan.profile_sha256);
  if (!plan.cluster_sha256.empty()) out.add("cluster_sha256", plan.cluster_sha256);
  if (plan.truncated) out.add("truncated", Value(true));
  return json::pretty(out.finish(plan.extra));
}

}  // namespace pipedeck::io::documents
