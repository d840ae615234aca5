// SPDX-License-Identifier: Apache-2.0
#include "core/study/mesh_editing/rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <span>
#include <thread>
#include <utility>

#include "core/cost/pass_walk.hpp"
#include "core/mesh/group_times.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/stage_costs.hpp"
#include "core/mesh/stages.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/sim/step/step_series.hpp"
#include "core/study/placement/traffic.hpp"

namespace pipedeck::study::mesh_editing {
namespace {

using mesh::Question;
using mesh::StepPart;
using plan::GroupFamily;

/// Returns what is compared with the device's whole memory: the driver's share counts, as in a simulation.
Bytes memory_of(const mesh::Prediction& prediction) {
  const auto driver = (1 - mesh::usable_share) * static_cast<double>(prediction.capacity.count);
  return prediction.needed + prediction.kept_for_others + Bytes(static_cast<std::int64_t>(std::ceil(driver)));
}

std::vector<Dimension> dimensions_of(const Mesh& mesh) {
  std::vector<Dimension> all;
  for (int d = 0; d < dimension_count; ++d) {
    const auto dimension = static_cast<Dimension>(d);
    const bool of_experts = dimension == Dimension::expert || dimension == Dimension::expert_tensor;
    if (of_experts && !mesh.question.config.experts) continue;
    all.push_back(dimension);
  }
  return all;
}

/// The bytes that a device sends in a step, mean of the pipeline's ranks.
struct SentBytes {
  double tensor = 0, context = 0, expert = 0, expert_tensor = 0, pipeline = 0, data = 0;
};

double* lane_of(SentBytes& sent, GroupFamily family) {
  switch (family) {
    case GroupFamily::tensor:
      return &sent.tensor;
    case GroupFamily::context:
    case GroupFamily::context_heads:
    case GroupFamily::context_sequence:
      return &sent.context;
    case GroupFamily::expert:
    case GroupFamily::expert_all:
      return &sent.expert;
    case GroupFamily::expert_tensor:
      return &sent.expert_tensor;
    default:
      return &sent.data;
  }
}

Result<SentBytes> sent_bytes(const Question& question, const std::vector<mesh::StageLayers>& stages) {
  TRY(const std::vector<placement::StageTraffic> traffic, placement::stage_traffic(question, stages));
  SentBytes sent;
  const double ranks = question.pipeline;
  for (const placement::StageTraffic& stage : traffic) {
    for (const placement::SentInStep& one : stage.collectives) *lane_of(sent, one.group) += one.bytes / ranks;
    sent.pipeline += 2 * stage.to_next / ranks;
  }
  return sent;
}

/// Returns the part of the expert ranks' exposed time that the ranks of one expert take, mean of the pipeline's ranks.
/// No compute hides these collectives; exchanges that hide behind another micro-batch hide as large a share of them.
Result<Seconds> expert_tensor_time(const Mesh& mesh, const std::vector<mesh::StageLayers>& stages) {
  const Question& q = mesh.question;
  if (q.shard().expert_tensor == 1) return Seconds();
  TRY(const mesh::GroupTimes groups, mesh::GroupTimes::of(q, mesh.rates));
  TRY(const std::vector<mesh::StageCosts> costs, mesh::stage_costs(q, mesh.rates, stages));
  mesh::TimedLayers known;
  Seconds exposed;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Seconds own, all;
    for (const analytic::transformer::shards::LayerShard& layer : stages[s]) {
      TRY(const mesh::TimedLayer timed, mesh::timed_layer(layer, q, mesh.rates, groups, known));
      for (const OpKind pass : {OpKind::forward, OpKind::backward})
        all += cost::walk_pass(std::span(&timed.pass, 1), pass)[cost::PassPart::expert];
      for (const cost::TimedCollective& one : timed.pass.collectives)
        if (one.group == GroupFamily::expert_tensor) own += one.time;
    }
    const Seconds left = costs[s].forward[cost::PassPart::expert] + costs[s].backward[cost::PassPart::expert];
    if (all.count > 0) exposed += left * (own.count / all.count * q.micro_batches / q.pipeline);
  }
  return exposed;
}

void add_costs(Row& row, const SentBytes& sent, const mesh::Prediction& now, Seconds expert_tensor) {
  switch (row.dimension) {
    case Dimension::tensor:
      row.bytes = sent.tensor, row.exposed = now[StepPart::tensor];
      break;
    case Dimension::context:
      row.bytes = sent.context, row.exposed = now[StepPart::context];
      break;
    case Dimension::expert:
      row.bytes = sent.expert;
      if (sent.expert > 0) row.exposed = now[StepPart::expert] - expert_tensor;
      break;
    case Dimension::expert_tensor:
      row.bytes = sent.expert_tensor, row.exposed = expert_tensor;
      break;
    case Dimension::pipeline:
      row.bytes = sent.pipeline, row.exposed = now[StepPart::pipeline] + now[StepPart::bubble];
      break;
    case Dimension::data:
      row.bytes = sent.data, row.exposed = now[StepPart::gather] + now[StepPart::data];
      break;
    case Dimension::recompute:
      row.exposed = now[StepPart::recompute];
      break;
    default:
      break;
  }
}

/// A candidate to simulate.
struct Task {
  Dimension dimension;
  Candidate candidate;
};

void simulate(const Mesh& mesh, const sim::step::StepSeries& series, Task& task, const mesh::Prediction& now) {
  auto made = unlocked_change(mesh, task.dimension, task.candidate.value);
  if (!made) {
    task.candidate.broken = std::move(made.error());
    task.candidate.with = admissible_with(mesh, task.dimension, task.candidate.value);
    return;
  }
  const auto prediction = series.predict(*made);
  if (!prediction) {
    task.candidate.broken = BrokenRule{{}, "degrees", prediction.error().message, {}};
    return;
  }
  Candidate& candidate = task.candidate;
  candidate.iteration = prediction->iteration;
  candidate.change = prediction->iteration.count / now.iteration.count - 1;
  candidate.memory = memory_of(*prediction), candidate.fits = prediction->fits;
  Mesh after = mesh;
  after.question = *std::move(made);
  for (int d = 0; d < dimension_count; ++d) {
    const auto other = static_cast<Dimension>(d);
    if (other == task.dimension || other == Dimension::overlap) continue;
    if (other == Dimension::sharding_group && after.question.sharding.group == mesh.question.sharding.group) continue;
    if (value_of(after, other) != value_of(mesh, other)) candidate.follows.push_back({other, value_of(after, other)});
  }
  if (task.dimension != Dimension::overlap &&
      after.question.training.hidden.pipeline != mesh.question.training.hidden.pipeline)
    candidate.follows.push_back({Dimension::overlap, static_cast<int>(HiddenLane::pipeline)});
  if (after.question.order != mesh.question.order) candidate.order = after.question.order;
}

/// Simulates all tasks; each is independent of the others.
Result<void> run(const Mesh& mesh, std::vector<Task>& tasks, const mesh::Prediction& now, int threads) {
  std::vector<sim::step::StepSeries> series;
  const auto workers = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(1, threads)), 1, tasks.size() + 1);
  for (std::size_t i = 0; i < workers; ++i) {
    TRY(auto made, sim::step::StepSeries::of(*mesh.question.cluster, mesh.rates));
    series.push_back(std::move(made));
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&](const sim::step::StepSeries& own) {
    for (std::size_t i = next++; i < tasks.size(); i = next++) simulate(mesh, own, tasks[i], now);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < workers; ++i) others.emplace_back([&, i] { work(series[i]); });
  work(series.front());
  return {};
}

/// Returns the value of a dimension that does nothing.
std::optional<int> plain_value(Dimension dimension) {
  switch (dimension) {
    case Dimension::tensor:
    case Dimension::context:
    case Dimension::expert:
    case Dimension::expert_tensor:
    case Dimension::pipeline:
    case Dimension::virtual_stages:
      return 1;
    case Dimension::sequence:
    case Dimension::sharding:
    case Dimension::recompute:
      return 0;
    default:
      return {};
  }
}

/// Gives each value that is not admissible the nearest one of its row that is.
void add_nearest(Row& row) {
  for (Candidate& one : row.candidates) {
    if (!one.broken) continue;
    const Candidate* nearest = nullptr;
    const auto distance = [&](const Candidate& other) { return std::abs(&other - &one); };
    for (const Candidate& other : row.candidates)
      if (!other.broken && (!nearest || distance(other) < distance(*nearest))) nearest = &other;
    if (nearest) one.nearest = nearest->value;
  }
}

void add_memory_effect(Row& row, Bytes now) {
  const auto plain = plain_value(row.dimension);
  const auto without = std::ranges::find_if(row.candidates, [&](const Candidate& one) { return one.value == plain; });
  if (!plain || without == row.candidates.end() || without->is_now || without->broken) return;
  row.memory = now - without->memory;
}

}  // namespace

const Candidate* Row::now() const {
  if (dimension == Dimension::overlap) return nullptr;
  const auto found = std::ranges::find_if(candidates, &Candidate::is_now);
  return found == candidates.end() ? nullptr : &*found;
}

const Row* Sheet::row(Dimension dimension) const {
  const auto found = std::ranges::find(rows, dimension, &Row::dimension);
  return found == rows.end() ? nullptr : &*found;
}

Result<Sheet> sheet_of(const Mesh& mesh, int threads) {
  Sheet sheet;
  TRY(sheet.now, sim::step::predict_step(mesh.question, mesh.rates));
  TRY(const std::vector<mesh::StageLayers> stages, mesh::stage_layers(mesh.question));
  TRY(const SentBytes sent, sent_bytes(mesh.question, stages));
  TRY(const Seconds expert_tensor, expert_tensor_time(mesh, stages));
  sheet.memory = memory_of(sheet.now);
  sheet.devices = mesh.question.devices(), sheet.micro_batches = mesh.question.micro_batches;
  std::vector<Task> tasks;
  for (const Dimension dimension : dimensions_of(mesh)) {
    Row& row = sheet.rows.emplace_back();
    row.dimension = dimension, row.locked = mesh.locked.contains(dimension);
    add_costs(row, sent, sheet.now, expert_tensor);
    for (const int value : offered_values(mesh, dimension)) {
      Candidate candidate{value, text_of(mesh, dimension, value)};
      const bool switched = dimension == Dimension::overlap;
      candidate.is_now = switched ? is_hidden(mesh.question.training.hidden, static_cast<HiddenLane>(value))
                                  : value == value_of(mesh, dimension);
      candidate.iteration = sheet.now.iteration, candidate.memory = sheet.memory, candidate.fits = sheet.now.fits;
      if (switched || !candidate.is_now) tasks.push_back({dimension, candidate});
      row.candidates.push_back(std::move(candidate));
    }
  }
  TRY_VOID(run(mesh, tasks, sheet.now, threads));
  for (Task& task : tasks) {
    auto& row = *std::ranges::find(sheet.rows, task.dimension, &Row::dimension);
    *std::ranges::find(row.candidates, task.candidate.value, &Candidate::value) = std::move(task.candidate);
  }
  for (Row& row : sheet.rows) {
    if (row.dimension != Dimension::overlap) add_nearest(row);
    add_memory_effect(row, sheet.memory);
  }
  return sheet;
}

std::optional<Step> best_step(const Sheet& sheet) {
  const Candidate* best = nullptr;
  std::optional<Step> step;
  const auto better = [&](const Candidate& one) {
    if (!best) return sheet.now.fits ? one.fits && one.change < 0 : one.fits || one.memory < sheet.memory;
    if (one.fits != best->fits) return one.fits;
    return one.fits ? one.iteration < best->iteration : one.memory < best->memory;
  };
  for (const Row& row : sheet.rows)
    for (const Candidate& one : row.candidates) {
      const bool is_step = row.dimension == Dimension::overlap || !one.is_now;
      if (row.locked || !is_step || one.broken || !better(one)) continue;
      best = &one, step = Step{row.dimension, one.value};
    }
  return step;
}

}  // namespace pipedeck::study::mesh_editing
