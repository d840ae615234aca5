// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the groups of the selected plan of format version 2 on the topology page. They are computed off the window's
// thread, once for a plan; a choice takes what is ready.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include <QObject>

#include "app/models/background_task.hpp"
#include "app/models/topology/overlay.hpp"
#include "app/session/plans/placed_groups.hpp"
#include "app/session/session.hpp"
#include "app/views/topology/view.hpp"

namespace pipedeck::ui::actions {

class TopologyGroups : public QObject {
  Q_OBJECT

 public:
  TopologyGroups(session::Session& session, views::topology::View& view, QObject* parent);

  /// Returns true if the groups of the selected plan are known, or there are none to show.
  bool ready() const { return !task_.running(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static constexpr std::size_t count = views::topology::GroupBar::choice_count;
  struct Groups {
    std::array<std::shared_ptr<const models::topology::Overlay>, count> overlays;
    std::array<views::topology::GroupBar::Choice, count> choices;
    std::array<views::topology::DimensionRow, count> rows;  ///< without exposed times
    std::shared_ptr<const Plan> contiguous;                 ///< null: the plan has the cluster's order
    QString gain;                                           ///< of `contiguous`
  };
  static Groups groups_of(const Problem& problem, const Plan& plan);

  void refresh();
  void receive(const Groups& groups);
  void forget();
  void show_choice();
  void show_rows();
  /// Edits the plan: its ranks take the devices in the cluster's order.
  void place_contiguously();

  session::Session& session_;
  views::topology::View& view_;
  models::BackgroundTask task_;
  std::optional<Problem> problem_;  ///< of the shown groups
  std::shared_ptr<const Plan> plan_;
  Groups groups_;
};

}  // namespace pipedeck::ui::actions
