// SPDX-License-Identifier: GPL-3.0-or-later
// Memory over time by item of the plans that are looked at, computed in the background when it is asked for: several
// times as large as what the simulator says of a plan otherwise, so that only a few plans' are kept.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include <QObject>

#include "app/session/jobs.hpp"
#include "app/session/judge.hpp"
#include "core/domain/memory_items.hpp"

namespace pipedeck::app {

class ItemCurves : public QObject {
  Q_OBJECT

 public:
  using Items = std::shared_ptr<const std::vector<DeviceItems>>;

  ItemCurves(Judge& judge, Jobs& jobs, QObject* parent = nullptr);

  /// Null while it is not known: it is then computed, and `changed` follows. Empty where the plan can't be simulated.
  Items items(const Problem& problem, const std::shared_ptr<const Plan>& plan);

 signals:
  void changed();

 private:
  struct Key {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    Conventions conventions;
    std::shared_ptr<const Plan> plan;
    bool operator==(const Key&) const = default;
  };
  struct Known {
    Key key;
    Items items;
  };

  Judge& judge_;
  Jobs& jobs_;
  std::list<Known> known_;  ///< newest first
  std::list<Key> asked_;
};

}  // namespace pipedeck::app
