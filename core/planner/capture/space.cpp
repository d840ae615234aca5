// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture/space.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/ring_times.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::capture {

namespace {

/// Returns the degrees of tensor parallelism for which some layer has times, ascending, 1 included.
std::set<int> tensor_degrees(const Profile& profile) {
  std::set<int> degrees{1};
  for (const Layer& layer : profile.layers)
    for (const TensorParallelPoint& point : layer.tensor_parallel) degrees.insert(point.degree);
  return degrees;
}

}  // namespace

Space::Space(search::Chain& chain, int micro_batch, int slice, const Options& options, std::vector<DeviceId> order)
    : chain_(chain),
      micro_batch_(micro_batch),
      micro_batches_(chain.workload().global_batch / micro_batch),
      layers_(chain.layers()),
      options_(options),
      order_(std::move(order)) {
  count_stages();
  find_state_multiple();
  add_pins();
  add_configs(slice);
}

void Space::count_stages() {
  const PlanConstraints& pins = chain_.problem().pins;
  max_stages_ = std::min(layers_, devices());
  any_stages_ = !options_.pipeline_only && !pins.stages && !pins.max_stages;
  if (pins.max_stages) max_stages_ = std::min(max_stages_, *pins.max_stages);
  if (options_.pipeline_only) min_stages_ = max_stages_;
  if (pins.stages) min_stages_ = max_stages_ = *pins.stages;
}

void Space::add_pins() {
  pins_.resize(search::at(layers_));
  next_pin_.assign(search::at(layers_) + 1, layers_);
  const std::vector<LayerId>& order = chain_.order();
  for (const auto& [layer, device] : chain_.problem().pins.layers)
    pins_[static_cast<std::size_t>(std::find(order.begin(), order.end(), layer) - order.begin())].push_back(
        static_cast<int>(std::find(order_.begin(), order_.end(), device) - order_.begin()));
  for (int p = layers_ - 1; p >= 0; --p)
    next_pin_[search::at(p)] = pins_[search::at(p)].empty() ? next_pin_[search::at(p) + 1] : p;
}

/// Without ZeRO nothing shrinks with the replicas but their samples: of equal samples the fewest replicas do (but for
/// pins, which a wider stage may keep).
void Space::add_configs(int slice) {
  const PlanConstraints& pins = chain_.problem().pins;
  for (const int tensor : tensor_degrees(chain_.profile())) {
    if (tensor != pins.tensor_parallel.value_or(options_.pipeline_only ? 1 : tensor)) continue;
    const int most = options_.pipeline_only ? 1 : devices() / tensor;
    int samples = 0;
    for (int replicas = pins.replicas.value_or(1); replicas <= std::min(most, pins.replicas.value_or(most));
         ++replicas) {
      if (micro_batch_ / replicas < std::max(1, slice) || replicas * tensor > devices()) break;
      if (options_.stop.stop_requested()) return;
      const StageConfig way{replicas, tensor, (micro_batch_ + replicas - 1) / replicas};
      if (way.samples == samples && chain_.workload().zero == 0 && pins.layers.empty()) continue;
      samples = way.samples;
      add_table(way);
    }
  }
}

void Space::add_table(const StageConfig& way) {
  const auto [cuts, new_cuts] = cuts_.try_emplace(way.samples);
  for (int p = 0; p <= layers_ && new_cuts; ++p) cuts->second.push_back(chain_.cut(p, way.samples).count);
  const auto [saved, fresh] = saved_.try_emplace({way.samples, way.tensor});
  std::vector<std::int64_t>& workspace = workspace_[saved->first];
  for (int p = 0; p <= layers_ && fresh; ++p) {
    saved->second.push_back(chain_.saved(0, p, way.samples, way.tensor).count);
    if (p < layers_) workspace.push_back(chain_.workspace(p, p + 1, way.samples, way.tensor).count);
  }
  Table table;
  table.saved = &saved->second, table.cut = &cuts->second, table.workspace = &workspace;
  table.largest_output = *std::max_element(table.cut->begin(), table.cut->end());
  table.tensor_end.assign(search::at(layers_) + 1, layers_);
  for (int p = layers_ - 1; p >= 0; --p) {
    const Layer& layer = chain_.profile().layers[chain_.order()[search::at(p)].index()];
    const bool has = plan::is_shardable(layer, way.tensor);
    table.tensor_end[search::at(p)] = has ? table.tensor_end[search::at(p) + 1] : p;
  }
  const auto like = std::find_if(blocks_.begin(), blocks_.end(),
                                 [&](const search::DeviceBlocks& blocks) { return blocks.devices() == way.devices(); });
  table.blocks = static_cast<std::size_t>(like - blocks_.begin());
  if (like == blocks_.end()) blocks_.emplace_back(chain_.network(), order_, way.devices());
  ways_.push_back(way);
  tables_.push_back(std::move(table));
}

/// Finds the ratio of state to weights if it is a whole number and nothing is divided over the replicas. It makes the
/// computation fast; other ratios are left to state_memory, which rounds.
void Space::find_state_multiple() {
  const Workload& workload = chain_.workload();
  const cost::StateFactors factors = cost::state_factors(workload.optimizer, workload.precision, workload.zero);
  const double sum = factors.weights + factors.gradients + factors.optimizer;
  const bool whole = std::floor(factors.weights) == factors.weights &&
                     std::floor(factors.gradients) == factors.gradients &&
                     std::floor(factors.optimizer) == factors.optimizer;
  const double most = sum * static_cast<double>(chain_.parameters(0, layers_).count);
  if (workload.zero == 0 && whole && most < 0x1p53) state_multiple_ = static_cast<std::int64_t>(sum);
  held_ = workload.conventions.max_non_model_bytes().count;
}

std::int64_t Space::fixed(int w, int first, int last) const { return fixed(w, chain_.weights(first, last)); }

std::int64_t Space::fixed(int w, const plan::Weights& all) const {
  const Workload& workload = chain_.workload();
  const Bytes weights = plan::share_of(all, ways_[search::at(w)].tensor);
  if (state_multiple_) return weights.count * *state_multiple_ + held_;
  return cost::state_memory(weights, ways_[search::at(w)].replicas, workload.optimizer, workload.precision,
                            workload.zero)
             .total()
             .count +
         held_;
}

std::int64_t Space::min_peak(int w, int first, int last, int behind) const {
  const std::vector<std::int64_t>& saved = *tables_[search::at(w)].saved;
  return fixed(w, first, last) +
         (saved[search::at(last)] - saved[search::at(first)]) * (options_.paper_in_flight ? 1 : kept(behind));
}

std::int64_t Space::peak(int w, int first, int last, int behind) const {
  const Table& table = tables_[search::at(w)];
  return min_peak(w, first, last, behind) + (*table.cut)[search::at(first)] + (*table.workspace)[search::at(first)];
}

std::int64_t Space::need(int w, int first, int last, int behind) const {
  return need_with(w, first, last, behind, (*tables_[search::at(w)].cut)[search::at(last)]);
}

std::int64_t Space::need_with(int w, int first, int last, int behind, std::int64_t output) const {
  const search::StageBytes bytes =
      search::stage_bytes(chain_, first, last, ways_[search::at(w)].samples, ways_[search::at(w)].tensor);
  search::StageNeed need;
  need.fixed = Bytes(fixed(w, bytes.weights));
  need.workspace = bytes.workspace;
  need.kept = bytes.saved;
  need.input = bytes.input;
  need.output = Bytes(output);
  return need.peak(kept(behind), kept(behind + 1)).count;
}

std::int64_t Space::min_need(int w, int first, int last, int behind) const {
  const search::StageBytes bytes =
      search::stage_bytes(chain_, first, last, ways_[search::at(w)].samples, ways_[search::at(w)].tensor);
  return fixed(w, bytes.weights) + bytes.saved.count * kept(behind);
}

std::int64_t Space::largest_capacity(int w) const {
  std::int64_t most = 0;
  for (int kind = 0; kind < blocks(w).kinds(); ++kind) most = std::max(most, capacity(w, kind));
  return most;
}

std::int64_t Space::capacity(int w, int kind) const {
  return options_.ignore_memory ? INT64_MAX : blocks(w).capacity(kind);
}

const std::vector<double>& Space::seconds_on(int w, int type) {
  const StageConfig& way = ways_[search::at(w)];
  const auto [found, added] = tables_[search::at(w)].seconds.try_emplace(type);
  if (!added) return found->second;
  const Cluster& cluster = chain_.cluster();
  const std::vector<DeviceId> group(order_.begin(), order_.begin() + way.tensor);  // any: times here only order ties
  found->second = {0};
  for (int p = 0; p < layers_; ++p) {
    const Layer& layer = chain_.profile().layers[chain_.order()[search::at(p)].index()];
    double seconds = 0;
    if (const TensorParallelPoint* point = plan::point_of_degree(layer, way.tensor); point || way.tensor == 1) {
      const cost::LayerTimes times = cost::layer_times(chain_.profile(), layer, way.samples, cluster,
                                                       cluster.device_types[search::at(type)], way.tensor);
      seconds = times.forward.count + times.backward.count;
      if (point)
        for (const Bytes bytes : {point->forward_allreduce, point->backward_allreduce})
          seconds += cost::all_reduce(chain_.network(), group,
                                      cost::scale_bytes(bytes, way.samples, chain_.profile().micro_batch))
                         .count;
    }
    found->second.push_back(found->second.back() + seconds);
  }
  return found->second;
}

double Space::seconds(int w, int kind, int first, int last) {
  double most = 0;
  for (const int type : blocks(w).types(kind)) {
    const std::vector<double>& sums = seconds_on(w, type);
    most = std::max(most, sums[search::at(last)] - sums[search::at(first)]);
  }
  return most;
}

std::pair<int, int> Space::allowed_starts(int w, int first, int last) const {
  const int width = ways_[search::at(w)].devices();
  int from = 0, to = devices() - width;
  for (int p = next_pin(first); p < last; p = next_pin(p + 1))
    for (const int device : pins_[search::at(p)]) from = std::max(from, device - width + 1), to = std::min(to, device);
  return {from, to};
}

bool Space::allows(const StageChoice& stage, int behind, const Bounds& bounds) {
  const auto [w, first, last] = std::tuple{stage.config, stage.first, stage.last};
  const auto [from, to] = allowed_starts(w, first, last);
  if (stage.device < from || stage.device > to || last > tensor_end(w, first)) return false;
  const int kind = blocks(w).kind(stage.device);
  return peak(w, first, last, behind) <= bounds.peak && need(w, first, last, behind) <= capacity(w, kind) &&
         (!bounds.timed() || seconds(w, kind, first, last) <= bounds.seconds);
}

std::optional<Partition> Space::placed(Partition stages, const Bounds& bounds) {
  int free = 0, behind = static_cast<int>(stages.size());
  for (StageChoice& stage : stages) {
    --behind;
    const int width = config(stage.config).devices();
    for (stage.device = free; stage.device + width <= devices(); ++stage.device)
      if (allows(stage, behind, bounds)) break;
    if (stage.device + width > devices()) return {};
    free = stage.device + width;
  }
  return stages;
}

std::int64_t Space::highest_peak(const Partition& stages) const {
  std::int64_t most = 0;
  int behind = static_cast<int>(stages.size());
  for (const StageChoice& stage : stages) most = std::max(most, peak(stage.config, stage.first, stage.last, --behind));
  return most;
}

double Space::slowest(const Partition& stages) {
  double most = 0;
  for (const StageChoice& stage : stages)
    most = std::max(most, seconds(stage.config, blocks(stage.config).kind(stage.device), stage.first, stage.last));
  return most;
}

Plan Space::plan_of(const Partition& stages) const {
  Plan plan = chain_.plan_of("capture", micro_batch_);
  for (const StageChoice& choice : stages) {
    Stage stage = search::stage_on(choice.first, choice.last, {});
    stage.tensor_parallel = config(choice.config).tensor;
    for (int d = choice.device; d < choice.device + config(choice.config).devices(); ++d)
      stage.devices.push_back(order_[search::at(d)]);
    plan.stages.push_back(std::move(stage));
  }
  plan.name = "CAPTURE, " + counted(std::ssize(stages), "stage");
  return plan;
}

}  // namespace pipedeck::planner::capture
