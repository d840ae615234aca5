// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split/figures.hpp"

#include <algorithm>
#include <map>

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/models/split/geometry.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::models::split {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(SplitFigures)
};

/// Returns the forward and backward time of one micro-batch per stage, from the first lane that runs it.
std::vector<Seconds> stage_times(const Timeline& timeline, std::size_t stages) {
  struct Sum {
    std::optional<int> micro_batch;
    std::int64_t time = 0;
  };
  std::vector<std::optional<std::size_t>> lane_of(stages);
  std::vector<Sum> sums(stages);
  for (std::size_t l = 0; l < timeline.lanes.size(); ++l) {
    const TimelineLane& lane = timeline.lanes[l];
    if (lane.role != LaneRole::compute) continue;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const auto stage = static_cast<std::size_t>(timeline.stage[i]);
      if (timeline.kind[i] == OpKind::optimizer || timeline.kind[i] == OpKind::recompute || stage >= stages) continue;
      if (!lane_of[stage]) lane_of[stage] = l;
      if (lane_of[stage] != l) continue;
      Sum& sum = sums[stage];
      if (!sum.micro_batch) sum.micro_batch = timeline.micro_batch[i];
      if (timeline.micro_batch[i] == *sum.micro_batch) sum.time += timeline.duration[i];
    }
  }
  std::vector<Seconds> times;
  for (const Sum& sum : sums) times.push_back(to_seconds(Nanoseconds(sum.time)));
  return times;
}

double fullness(const SimulatedDevice& device) {
  return device.capacity.count > 0 ? static_cast<double>(device.peak.count) / static_cast<double>(device.capacity.count)
                                   : 0;
}

/// Returns the most loaded device of each stage, including those of its copies.
std::vector<const SimulatedDevice*> fullest_devices(const Plan& plan, const Simulation& simulation) {
  std::map<DeviceId, const SimulatedDevice*> plan_results;
  for (const SimulatedDevice& device : simulation.devices) {
    plan_results[device.device] = &device;
    for (const DeviceId twin : device.twins) plan_results[twin] = &device;
  }
  std::vector<const SimulatedDevice*> fullest;
  for (const StagePlace& place : stage_places(plan)) {
    const SimulatedDevice* most = nullptr;
    for (const auto* devices : {&place.devices, &place.copies})
      for (DeviceId id : *devices) {
        const auto known = plan_results.find(id);
        if (known != plan_results.end() && (!most || fullness(*known->second) > fullness(*most))) most = known->second;
      }
    fullest.push_back(most);
  }
  return fullest;
}

/// Returns the part of `whole` bytes that is proportional to `weight`.
Bytes in_proportion(Bytes whole, double weight, double sum) {
  return sum > 0 ? Bytes(static_cast<std::int64_t>(static_cast<double>(whole.count) * (weight / sum))) : Bytes();
}

}  // namespace

std::vector<StageFigure> stage_figures(const Plan& plan, const Simulation& simulation) {
  std::vector<StageFigure> figures(plan.stages.size());
  const std::vector<Seconds> times = stage_times(simulation.timeline, figures.size());
  const auto fullest = fullest_devices(plan, simulation);
  for (std::size_t s = 0; s < figures.size(); ++s) {
    figures[s].time = times[s];
    if (!fullest[s]) continue;
    figures[s].peak = fullest[s]->peak;
    figures[s].device = fullest[s]->device;
    figures[s].over = std::max(Bytes(), fullest[s]->peak - fullest[s]->capacity);
  }
  return figures;
}

std::vector<bool> recomputed_layers(const Plan& plan) {
  std::vector<bool> marks(static_cast<std::size_t>(plan.stages.empty() ? 0 : plan.stages.back().last), false);
  for (const Stage& stage : plan.stages) {
    for (int p = stage.first; p < stage.last && stage.recompute.all; ++p) marks[static_cast<std::size_t>(p)] = true;
    for (LayerId layer : stage.recompute.layers) marks[layer.index()] = true;
  }
  return marks;
}

std::vector<LayerMemoryShare> layer_memory(const Profile& profile, const Plan& plan, const Simulation* simulation) {
  std::vector<LayerMemoryShare> shares;
  const std::vector<LayerId> order = order_of(plan, profile);
  for (LayerId id : order) shares.push_back({profile.layers[id.index()].parameters, profile.layers[id.index()].saved});
  for (const Stage& stage : plan.stages)
    for (int p = stage.first; p < stage.last; ++p) {
      const auto i = static_cast<std::size_t>(p);
      const Layer& layer = profile.layers[order[i].index()];
      shares[i].state = plan::share_of(plan::weights_of(layer), stage.tensor_parallel);
      shares[i].activations = plan::saved_bytes(layer, plan::even_parts(stage));
    }
  if (!simulation) return shares;
  const auto fullest = fullest_devices(plan, *simulation);
  const std::vector<bool> again = recomputed_layers(plan);
  // Chunks of a rank share their device. Each device's items are divided among all its layers.
  struct Sums {
    double state = 0, kept = 0;
  };
  std::map<const SimulatedDevice*, Sums> sums;
  std::vector<double> kept(order.size());
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (int p = plan.stages[s].first; p < plan.stages[s].last && fullest[s]; ++p) {
      const auto i = static_cast<std::size_t>(p);
      // Recomputed layers hold one micro-batch; others hold as many as the device has in flight.
      const int micro_batches = again[i] ? 1 : std::max(1, fullest[s]->peak_micro_batches);
      kept[i] = static_cast<double>(shares[i].activations.count) * micro_batches;
      sums[fullest[s]].state += static_cast<double>(shares[i].state.count);
      sums[fullest[s]].kept += kept[i];
    }
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (int p = plan.stages[s].first; p < plan.stages[s].last && fullest[s]; ++p) {
      const auto i = static_cast<std::size_t>(p);
      const MemoryBreakdown& parts = fullest[s]->peak_breakdown;
      const Bytes state = parts[MemoryItem::weights] + parts[MemoryItem::gradients] + parts[MemoryItem::optimizer] +
                          parts[MemoryItem::stashed_weights];
      const Sums& sum = sums[fullest[s]];
      shares[i] = {in_proportion(state, static_cast<double>(shares[i].state.count), sum.state),
                   in_proportion(parts[MemoryItem::activations], kept[i], sum.kept)};
    }
  return shares;
}

double Feedback::change() const { return old_iteration.count > 0 ? iteration.count / old_iteration.count - 1 : 0; }

Feedback split_feedback(const Simulation& old, const Simulation& now) {
  const auto highest = [](const Simulation& simulation) {
    Bytes peak;
    for (const SimulatedDevice& device : simulation.devices) peak = std::max(peak, device.peak);
    return peak;
  };
  return {to_seconds(now.iteration),
          to_seconds(old.iteration),
          now.samples_per_second,
          old.samples_per_second,
          highest(now),
          highest(old),
          now.fits};
}

std::vector<QString> feedback_variants(const Feedback& f) {
  const QString change = format_change(f.change());
  const QString time = Words::tr("%1 → %2 (%3)").arg(format_time(f.old_iteration), format_time(f.iteration), change);
  const QString rate = Words::tr("%1 → %2 samples/s").arg(format_number(f.old_throughput), format_number(f.throughput));
  const QString peak = Words::tr("peak %1 → %2").arg(format_bytes(f.old_peak), format_bytes(f.peak));
  const QString dot = QStringLiteral(" · ");
  return {time + dot + rate + dot + peak, time + dot + peak,
          Words::tr("%1   %2   peak %3").arg(change, format_time(f.iteration), format_bytes(f.peak)), change};
}

QString overflow_text(const Plan& plan, const Simulation& simulation) {
  const SimulatedDevice* worst = nullptr;
  for (const SimulatedDevice& device : simulation.devices)
    if (device.peak > device.capacity && (!worst || device.peak - device.capacity > worst->peak - worst->capacity))
      worst = &device;
  if (!worst) return {};
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (std::ranges::count(plan.stages[s].devices, worst->device) > 0)
      return Words::tr("%1 (stage %2): %3 more than its %4")
          .arg(device_name(worst->device))
          .arg(s)
          .arg(format_bytes(worst->peak - worst->capacity), format_bytes(worst->capacity));
  return {};
}

}  // namespace pipedeck::models::split
