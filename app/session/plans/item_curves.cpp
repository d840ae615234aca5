// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/item_curves.hpp"
#include "app/text/in_qt.hpp"

#include <algorithm>

namespace pipedeck::session::plans {

namespace {

constexpr std::size_t max_kept = 12;  // plans: enough for a comparison

}  // namespace

ItemCurves::ItemCurves(study::PlanSimulator& plan_simulator, work::Jobs& jobs, QObject* parent)
    : QObject(parent), simulator_(plan_simulator), jobs_(jobs) {
  // A cancelled one may be requested again.
  connect(&jobs_, &work::Jobs::ended, this, [this](int, work::JobState state) {
    if (state == work::JobState::cancelled) asked_.clear();
  });
}

ItemCurves::Items ItemCurves::items(const Problem& problem, const std::shared_ptr<const Plan>& plan) {
  const Key key{problem.profile, problem.cluster, problem.workload.conventions, plan};
  const auto known = std::ranges::find(known_, key, &Known::key);
  if (known != known_.end()) {
    known_.splice(known_.begin(), known_, known);
    return known_.front().items;
  }
  if (std::ranges::find(asked_, key) != asked_.end()) return nullptr;
  asked_.push_back(key);
  jobs_.start(tr("Memory by item of %1").arg(QString::fromStdString(plan->name)),
              [this, &simulators = simulator_, key, problem](const work::Jobs::Context& context) -> work::Jobs::Apply {
                const auto simulator = simulators.simulator(problem);
                const auto simulation = simulator ? simulator->run(*key.plan, context.stop, {.item_curves = true})
                                                  : tl::unexpected(simulator.error());
                auto items = std::make_shared<const std::vector<DeviceItems>>(simulation ? memory_items_of(*simulation)
                                                                                         : std::vector<DeviceItems>());
                const QString why = simulation ? QString() : text::to_qstring(simulation.error());
                return [this, key, items, why] {
                  asked_.remove(key);
                  known_.push_front({key, items});
                  if (known_.size() > max_kept) known_.pop_back();
                  emit changed();
                  return why;
                };
              });
  return nullptr;
}

}  // namespace pipedeck::session::plans
