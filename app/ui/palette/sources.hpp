// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of the command palette: the actions of the menus, the project's plans, models and clusters with the
// presets, and the operations of the selected chart.
#pragma once

#include <functional>

#include "app/session/session.hpp"
#include "app/ui/palette/entry.hpp"

class QMainWindow;

namespace pipedeck::views::compare {
class Pane;
}  // namespace pipedeck::views::compare

namespace pipedeck::ui::palette {

/// Returns the actions of all menus with their shortcuts. A disabled one has a reason.
Entries action_entries(const QMainWindow& window);

/// A set of ways to choose what an entry stands for.
struct Choices {
  std::function<void(int plan)> plan;
  std::function<void(int profile)> profile;
  std::function<void(int cluster)> cluster;
  std::function<void(const QString&name)> profile_preset, cluster_preset;
};
Entries project_entries(session::Session& session, const Choices& choices);

/// Returns the first operations of the selected chart that match a query such as "B 12 s3", after an entry that finds
/// all of them in the charts. `show` brings the charts to the front.
Entries operation_entries(views::compare::Pane& charts, const QString& query, const std::function<void()>& show);

}  // namespace pipedeck::ui::palette
