// SPDX-License-Identifier: Apache-2.0
#include "core/planner/program/question.hpp"

#include "core/io/documents/formats.hpp"
#include "core/io/documents/training.hpp"
#include "core/io/json/value.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::planner::program {
namespace {

using io::json::ObjectWriter;
using io::json::Value;

Value or_null(const std::optional<int>& value) { return value ? Value(io::json::integer(*value)) : Value(); }

/// Returns a document that this program wrote, as a tree.
Value parsed(const std::string& text) {
  auto value = io::json::parse(text);
  ensure(value.has_value(), "documents are written as JSON");
  return *std::move(value);
}

Value workload_to_json(const Workload& workload) {
  const SimulationOptions& conventions = workload.conventions;
  ObjectWriter out;
  out.add("global_batch", workload.global_batch).add("micro_batch", or_null(workload.micro_batch));
  out.add("optimizer", name_of(workload.optimizer)).add("precision", name_of(workload.precision));
  out.add("zero", workload.zero);
  if (workload.adapters.rank > 0) out.add("adapters", io::documents::adapters_to_json(workload.adapters));
  out.add("network", name_of(conventions.network)).add("overlap", name_of(conventions.overlap));
  out.add("bucket_bytes", conventions.bucket).add("collectives", name_of(conventions.collectives));
  out.add("reserve_bytes", conventions.reserve).add("communication_bytes", conventions.communication);
  return out.add("fragmentation", Value(io::json::number(conventions.fragmentation))).finish();
}

Value pins_to_json(const PlanConstraints& pins) {
  ObjectWriter out;
  out.add("stages", or_null(pins.stages)).add("max_stages", or_null(pins.max_stages));
  out.add("replicas", or_null(pins.replicas)).add("tensor_parallel", or_null(pins.tensor_parallel));
  const auto pair = [](const auto& pin) {
    return Value(io::json::List{Value(io::json::integer(pin.first.value)), Value(io::json::integer(pin.second.value))});
  };
  return out.add("layers", Value(io::json::list_of(pins.layers, pair))).finish();
}

}  // namespace

std::string question_to_json(const Problem& problem, const PlannerContext& context) {
  ObjectWriter out = ObjectWriter::document("pipedeck.question");
  out.add("workload", workload_to_json(problem.workload)).add("pins", pins_to_json(problem.pins));
  out.add("top", context.top);
  out.add("budget_s", context.budget.count > 0 ? Value(io::json::number(context.budget.count)) : Value());
  out.add("profile", parsed(io::documents::profile_to_json(*problem.profile)));
  out.add("cluster", parsed(io::documents::cluster_to_json(*problem.cluster)));
  return io::json::compact(out.finish()) + "\n";
}

}  // namespace pipedeck::planner::program
