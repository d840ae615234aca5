// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/schedule_choices.hpp"

#include <algorithm>
#include <map>

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "core/plan/reschedule.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::session::plans {

namespace {

constexpr int example_stages = 4;
constexpr int example_micro_batches = 8;
constexpr int layers_a_stage = 4;  // to be divided into chunks
constexpr std::size_t max_passes_listed = 20'000;

struct Text {
  Q_DECLARE_TR_FUNCTIONS(ScheduleChoices)
};

/// Returns layers with F = Bi = W, so that a stage's forward takes 1 ms, and without transfers.
Profile example_profile() {
  Profile profile;
  profile.name = "example";
  profile.device = "example";
  for (int i = 0; i < example_stages * layers_a_stage; ++i) {
    Layer layer;
    layer.name = "layer " + std::to_string(i);
    layer.forward = milliseconds(1.0 / layers_a_stage);
    layer.backward = milliseconds(2.0 / layers_a_stage);
    layer.backward_weight = layer.forward;
    layer.saved = Bytes(1);
    profile.layers.push_back(layer);
  }
  return profile;
}

Cluster example_cluster() {
  Cluster cluster;
  cluster.name = "example";
  DeviceType type;
  type.name = "example";
  type.memory = Bytes(std::int64_t{1} << 30);
  cluster.device_types.push_back(type);
  Node node;
  node.name = "n0";
  node.devices = {{"example", example_stages}};
  node.link = Link{gigabytes_per_second(100), Seconds(0)};
  cluster.nodes.push_back(node);
  return cluster;
}

Plan example_plan() {
  Plan plan;
  plan.global_batch = plan.micro_batches = example_micro_batches;
  plan.optimizer = Optimizer::none;
  for (int s = 0; s < example_stages; ++s) {
    Stage stage;
    stage.first = s * layers_a_stage;
    stage.last = stage.first + layers_a_stage;
    stage.devices = {DeviceId(s)};
    plan.stages.push_back(stage);
  }
  return plan;
}

std::shared_ptr<const Timeline> simulate_example(ScheduleKind kind) {
  static const auto profile = std::make_shared<const Profile>(example_profile());
  static const auto cluster = std::make_shared<const Cluster>(example_cluster());
  const auto plan = rescheduled(example_plan(), *profile, kind, std::nullopt);
  if (!plan) return nullptr;
  const auto simulator = sim::Simulator::of(profile, cluster, SimulationOptions{});
  if (!simulator) return nullptr;
  auto simulation = simulator->run(*plan);
  return simulation ? std::make_shared<const Timeline>(std::move(simulation->timeline)) : nullptr;
}

/// Computes the examples once, since they are equal for every plan.
const std::map<ScheduleKind, std::shared_ptr<const Timeline>>& examples() {
  static const auto all = [] {
    std::map<ScheduleKind, std::shared_ptr<const Timeline>> timelines;
    for (const ScheduleTraits& info : all_schedules) timelines[info.kind] = simulate_example(info.kind);
    return timelines;
  }();
  return all;
}

QString unavailable_reason(const Plan& plan, const Profile& profile, const Cluster& cluster, ScheduleKind kind) {
  if (kind == plan.schedule) return {};
  const auto other = rescheduled(plan, profile, kind, std::nullopt, plan::StageCuts::equal);
  if (!other) return text::to_qstring(other.error().message);
  if (const auto valid = plan::validate(*other, profile, cluster); !valid)
    return text::to_qstring(valid.error().message);
  // Listing long plans would delay the menu, and `adaptive` needs times. Their errors are reported when they are
  // chosen.
  const std::size_t passes = other->stages.size() * static_cast<std::size_t>(other->micro_batches);
  if (kind == ScheduleKind::adaptive || passes > max_passes_listed) return {};
  const auto schedule = schedule::build_schedule(*other, std::vector<schedule::StageEstimates>(other->stages.size()));
  return schedule ? QString() : text::to_qstring(schedule.error().message);
}

}  // namespace

Result<Plan> rescheduled(const Plan& plan, const Profile& profile, ScheduleKind kind, std::optional<int> chunks,
                         plan::StageCuts cuts) {
  if (kind == ScheduleKind::explicit_order)
    return fail(ErrorCode::bad_input, "An order of operations is read from a plan's file, not chosen");
  return plan::with_schedule(plan, profile, kind, chunks.value_or(2), cuts);
}

std::vector<ScheduleChoice> schedule_choices(const Plan& plan, const Profile& profile, const Cluster& cluster) {
  std::vector<ScheduleChoice> choices;
  for (const ScheduleTraits& info : all_schedules) {
    // "GPipe: all forwards, ..." is a name and its description.
    const QString summary = text::to_qstring(std::string(info.summary));
    const qsizetype colon = summary.indexOf(QLatin1String(": "));
    ScheduleChoice choice;
    choice.kind = info.kind;
    choice.title = text::to_qstring(std::string(info.title));
    choice.summary = colon < 0 ? summary : summary.mid(colon + 2);
    if (choice.summary.size() > 1 && choice.summary[1].isLetter()) choice.summary[0] = choice.summary[0].toUpper();
    choice.unavailable_reason = unavailable_reason(plan, profile, cluster, info.kind);
    choice.example = examples().at(info.kind);
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace pipedeck::session::plans
