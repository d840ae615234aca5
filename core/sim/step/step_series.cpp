// SPDX-License-Identifier: Apache-2.0
#include "core/sim/step/step_series.hpp"

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/checks.hpp"
#include "core/mesh/pipeline_times.hpp"
#include "core/mesh/stages.hpp"
#include "core/sim/step/fold.hpp"
#include "core/sim/step/predict_step.hpp"

namespace pipedeck::sim::step {
namespace {

/// Returns the costs of all stages. Each different stage is computed once.
Result<StepCosts> costs_of(const mesh::Question& question, const mesh::PipelineTimes& times) {
  TRY(const mesh::ModelParts model, mesh::different_parts(question));
  const std::vector<int> counts = mesh::blocks_of_stages(question);
  using Key = std::tuple<bool, bool, int, std::vector<std::size_t>>;  // first, last, its devices, its blocks
  std::map<Key, std::size_t> known;
  mesh::LayersTimedByKind timed;
  StepCosts costs;
  std::size_t next = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const std::size_t first = std::exchange(next, next + static_cast<std::size_t>(counts[s]));
    if (next > model.order.size()) return fail(ErrorCode::bad_input, "found more blocks in stages than in the model");
    const bool is_last = s + 1 == counts.size();
    const auto begin = model.order.begin();
    Key key{s == 0,
            is_last,
            times.kind_of(s),
            {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(next)}};
    const auto [found, fresh] = known.try_emplace(std::move(key), s);
    if (!fresh) {
      costs.stages.push_back(costs.stages[found->second]), costs.memory.push_back(costs.memory[found->second]);
      continue;
    }
    const mesh::StageLayers layers = mesh::layers_of_stage(question, model, s, counts.size(), first, next);
    TRY(mesh::StageCosts stage, times.costs(s, layers, is_last, timed));
    TRY(const mesh::StageMemory memory,
        mesh::stage_memory(question, mesh::without_multi_token(layers), s == 0, is_last));
    costs.stages.push_back(std::move(stage)), costs.memory.push_back(memory);
    if (is_last) mesh::add_tied_table(costs.stages, question, times, layers);
  }
  mesh::add_waiting(costs.stages, question);
  return costs;
}

/// The ends of a step with a number of micro-batches, ns.
struct Ends {
  std::int64_t iteration = 0;
  std::vector<std::int64_t> lanes;  ///< of their last passes
};

Result<Ends> ends_of(mesh::Question question, const std::vector<mesh::StageCosts>& stages, int micro_batches) {
  question.micro_batches = micro_batches;
  TRY(const FoldedStep folded, fold(question, stages));
  const engine::Trace trace = engine::run_engine(folded.input(false));
  ensure(trace.complete, "a folded pipeline ends");
  return Ends{engine::synchronous_iteration(folded.costs, trace).count, trace.end};
}

/// Returns the time by which everything is later in `b` than in `a`; nothing if parts of it differ.
std::optional<std::int64_t> shift(const Ends& a, const Ends& b) {
  const std::int64_t by = b.iteration - a.iteration;
  for (std::size_t l = 0; l < a.lanes.size(); ++l)
    if (b.lanes[l] - a.lanes[l] != by) return {};
  return by;
}

/// Once P more micro-batches make all lanes end later by the same time, twice in a row, all further ones do: orders and
/// durations repeat, and the clock counts whole nanoseconds.
Result<Seconds> iteration_of(const mesh::Question& question, const std::vector<mesh::StageCosts>& stages) {
  const int ranks = question.pipeline, all = question.micro_batches;
  constexpr int rounds_to_settle = 3;
  const int first = rounds_to_settle * ranks + all % ranks;
  if (all > first + 6 * ranks) {
    TRY(const Ends a, ends_of(question, stages, first));
    TRY(const Ends b, ends_of(question, stages, first + ranks));
    TRY(const Ends c, ends_of(question, stages, first + 2 * ranks));
    const auto before = shift(a, b), after = shift(b, c);
    if (before && before == after) {
      const std::int64_t rounds = (all - first - 2 * ranks) / ranks;
      return to_seconds(Nanoseconds(c.iteration + rounds * *after));
    }
  }
  TRY(const Ends whole, ends_of(question, stages, all));
  return to_seconds(Nanoseconds(whole.iteration));
}

}  // namespace

Result<StepSeries> StepSeries::of(const Cluster& cluster, mesh::Rates rates) {
  TRY(auto network, cost::Network::of(cluster));
  return StepSeries(std::move(rates), std::make_shared<mesh::KnownGroups>(std::move(network)));
}

Result<mesh::Prediction> StepSeries::predict(const mesh::Question& question) const {
  if (question.layer.recomputed.blocks && question.layer.recomputed.count >= 0) {
    TRY(mesh::Prediction prediction, predict_step(question, rates_));
    prediction.parts = {};
    return prediction;
  }
  TRY(const mesh::PipelineTimes times, mesh::PipelineTimes::of(question, rates_, known_));
  TRY(const StepCosts costs, costs_of(question, times));
  mesh::Prediction prediction = memory_prediction(question, rates_, costs.memory);
  TRY(prediction.iteration, iteration_of(question, costs.stages));
  prediction.tokens_per_second_per_device = static_cast<double>(question.global_batch()) *
                                            question.layer.count.sequence / question.devices() /
                                            prediction.iteration.count;
  return prediction;
}

}  // namespace pipedeck::sim::step
