// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/models/split/geometry.hpp"
#include "app/models/topology/geometry.hpp"
#include "core/plan/cuts.hpp"

namespace pipedeck::models::compare {

namespace {

struct ReasonText {
  Q_DECLARE_TR_FUNCTIONS(PlanReasons)
};

double narrowest(const std::vector<DeviceId>& devices, const std::vector<std::vector<double>>& bandwidth) {
  double least = std::numeric_limits<double>::infinity();
  for (DeviceId a : devices)
    for (DeviceId b : devices)
      if (a != b) least = std::min(least, bandwidth[a.index()][b.index()]);
  return std::isfinite(least) ? least : 0;
}

bool within_one_node(const Stage& stage, const std::vector<Device>& devices) {
  return std::ranges::all_of(stage.devices, [&](DeviceId d) {
    return devices[d.index()].node == devices[stage.devices.front().index()].node;
  });
}

Bytes parameters_of(const Profile& profile) {
  Bytes sum;
  for (const Layer& layer : profile.layers) sum += layer.parameters;
  return sum;
}

class Reasons {
 public:
  Reasons(const PlanRow& row, const Profile& profile, const Cluster& cluster)
      : plan_(row.plan),
        simulation_(*row.simulation),
        profile_(profile),
        devices_(devices_of(cluster)),
        bandwidth_(topology::device_bandwidth(cluster)) {}

  std::vector<QString> all() {
    placement();
    replication();
    transfers();
    if (plan_.why.empty()) balance();  // otherwise, the planner's rationale explains the pace
    bubble();
    recompute();
    return std::move(sentences_);
  }

 private:
  void say(const QString& sentence) { sentences_.push_back(sentence); }

  void placement() {
    const bool replicated = std::ranges::any_of(plan_.stages, [](const Stage& s) { return s.replicas() > 1; });
    if (plan_.stages.size() < 2 || !replicated) return;
    const bool inside = std::ranges::all_of(plan_.stages, [&](const Stage& s) { return within_one_node(s, devices_); });
    say(inside ? ReasonText::tr("%1 stages, each within one server: gradients are reduced over links inside, and only "
                                "activations cross the network.")
                     .arg(plan_.stages.size())
               : ReasonText::tr(
                     "%1 stages; replicas of at least one of them lie in several servers, so its gradients cross "
                     "the network.")
                     .arg(plan_.stages.size()));
  }

  /// Adds the comparison with the all-reduce of plain data parallelism on the same devices.
  void replication() {
    const std::vector<DeviceId> used = devices_used(plan_);
    const Bytes parameters = parameters_of(profile_);
    const Seconds least = least_all_reduce(parameters, used, bandwidth_);
    if (least.count <= 0) return;
    const double tail = tail_seconds();
    if (plan_.stages.size() == 1) {
      say(ReasonText::tr(
              "All-reduce of %1 of gradients over %2 devices takes at least %3; %4 of it is not hidden behind "
              "the backward.")
              .arg(format_bytes(parameters))
              .arg(used.size())
              .arg(format_time(least), format_time(Seconds(tail))));
      return;
    }
    say(ReasonText::tr(
            "Replicating all %1 of weights on %2 devices would cost at least %3 of all-reduce at %4; this plan "
            "waits %5 for its own.")
            .arg(format_bytes(parameters))
            .arg(used.size())
            .arg(format_time(least), topology::inside_text(BytesPerSecond(narrowest(used, bandwidth_))),
                 format_time(Seconds(tail))));
  }

  double tail_seconds() const {
    const auto count = std::max<std::size_t>(simulation_.devices.size(), 1);
    return to_seconds(simulation_.idle.waiting_all_reduce).count / static_cast<double>(count);
  }

  void transfers() {
    if (plan_.stages.size() < 2) return;
    Bytes largest;
    for (std::size_t i = 1; i < plan_.stages.size(); ++i)
      largest = std::max(largest, cut_bytes(plan_, profile_, plan_.stages[i].first));
    say(plan_.stages.size() == 2 ? ReasonText::tr("The cut before layer %1 sends %2 a micro-batch each way.")
                                       .arg(plan_.stages[1].first)
                                       .arg(format_bytes(largest))
                                 : ReasonText::tr("The widest of its %1 cuts sends %2 a micro-batch each way.")
                                       .arg(plan_.stages.size() - 1)
                                       .arg(format_bytes(largest)));
  }

  /// Returns the busy time of the slowest device of each stage.
  std::vector<double> stage_busy() const {
    std::vector<double> busy(plan_.stages.size(), 0.0);
    for (const DeviceVerdict& verdict : simulation_.devices)
      for (std::size_t i = 0; i < plan_.stages.size(); ++i)
        if (std::ranges::count(plan_.stages[i].devices, verdict.device) > 0)
          busy[i] = std::max(busy[i], static_cast<double>(verdict.busy.count));
    return busy;
  }

  void balance() {
    if (plan_.stages.size() < 2 || shares_devices(plan_.schedule)) return;
    const std::vector<double> busy = stage_busy();
    const auto [least, most] = std::ranges::minmax_element(busy);
    if (*most <= 0) return;
    const double off = 1 - *least / *most;
    say(off < 0.0005 ? ReasonText::tr("All stages are equally busy.")
                     : ReasonText::tr("Stage %1 is the busiest; stage %2 has %3 less to do.")
                           .arg(most - busy.begin())
                           .arg(least - busy.begin())
                           .arg(format_percent(off)));
  }

  void bubble() {
    const auto stages = static_cast<double>(plan_.stages.size());
    const bool known = plan_.schedule == ScheduleKind::gpipe || plan_.schedule == ScheduleKind::one_f_one_b;
    if (!known || stages < 2) return;
    // For GPipe and 1F1B with equal stages and free transfers: (S - 1) / (M + S - 1).
    const double ideal = (stages - 1) / (plan_.micro_batches + stages - 1);
    const QString words =
        plan_.micro_batches == 1
            ? ReasonText::tr("One micro-batch over %1 equal stages would leave devices idle for %2; here it is %3.")
            : ReasonText::tr("%1 micro-batches over %2 equal stages would leave devices idle for %3; here it is %4.")
                  .arg(plan_.micro_batches);
    say(words.arg(plan_.stages.size()).arg(format_percent(ideal), format_percent(simulation_.bubble_fraction)));
  }

  void recompute() {
    QStringList stages;
    for (std::size_t i = 0; i < plan_.stages.size(); ++i)
      if (plan_.stages[i].recompute.any()) stages << QString::number(i);
    if (!stages.isEmpty())
      say(ReasonText::tr("Forward runs again before backward on stage %1, to save memory.")
              .arg(stages.join(QStringLiteral(", "))));
  }

  const Plan& plan_;
  const Simulation& simulation_;
  const Profile& profile_;
  std::vector<Device> devices_;
  std::vector<std::vector<double>> bandwidth_;
  std::vector<QString> sentences_;
};

}  // namespace

std::vector<QString> reasons_for(const PlanRow& row, const Profile& profile, const Cluster& cluster) {
  return Reasons(row, profile, cluster).all();
}

Bytes cut_bytes(const Plan& plan, const Profile& profile, int cut) {
  const Bytes bytes = plan::cut_bytes(profile, order_of(plan, profile))[static_cast<std::size_t>(cut)];
  const double scale = static_cast<double>(plan.micro_batch) / std::max(profile.micro_batch, 1);
  return Bytes(static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes.count) * scale)));
}

Seconds least_all_reduce(Bytes bytes, const std::vector<DeviceId>& devices,
                         const std::vector<std::vector<double>>& bandwidth) {
  const auto n = static_cast<double>(devices.size());
  const double slowest = n > 1 ? narrowest(devices, bandwidth) : 0;
  if (slowest <= 0) return Seconds(0);
  return Seconds(2 * (n - 1) / n * static_cast<double>(bytes.count) / slowest);
}

}  // namespace pipedeck::models::compare
