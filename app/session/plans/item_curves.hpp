// SPDX-License-Identifier: GPL-3.0-or-later
// Memory over time by item for the displayed plans, computed in the background on request. The curves are several times
// as large as other results of a simulation, so only those of a few plans are cached.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include <QObject>

#include "app/session/work/jobs.hpp"
#include "core/model/memory_items.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::session::plans {

class ItemCurves : public QObject {
  Q_OBJECT

 public:
  using Items = std::shared_ptr<const std::vector<DeviceItems>>;

  ItemCurves(study::PlanSimulator& plan_simulator, work::Jobs& jobs, QObject* parent = nullptr);

  /// Returns null if they are unknown; they are then computed, and `changed` follows. Empty if the plan cannot be
  /// simulated.
  Items items(const Problem& problem, const std::shared_ptr<const Plan>& plan);

 signals:
  void changed();

 private:
  struct Key {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    SimulationOptions conventions;
    std::shared_ptr<const Plan> plan;
    bool operator==(const Key&) const = default;
  };
  struct Known {
    Key key;
    Items items;
  };

  study::PlanSimulator& simulator_;
  work::Jobs& jobs_;
  std::list<Known> known_;  ///< newest first
  std::list<Key> asked_;
};

}  // namespace pipedeck::session::plans
