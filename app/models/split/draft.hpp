// SPDX-License-Identifier: GPL-3.0-or-later
// A plan during an edit: the original, the proposed edit, and its result.
#pragma once

#include <memory>
#include <optional>

#include <QString>

#include "core/plan/edits.hpp"

namespace pipedeck::models::split {

class Draft {
 public:
  Draft() = default;
  Draft(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster, Plan plan)
      : profile_(std::move(profile)), cluster_(std::move(cluster)), original_(std::move(plan)), shown_(original_) {}

  bool empty() const { return profile_ == nullptr; }
  const Profile& profile() const { return *profile_; }
  const Cluster& cluster() const { return *cluster_; }
  const Plan& original() const { return original_; }
  /// Returns the edit's result, or the original if there is no edit or it is refused.
  const Plan& shown() const { return shown_; }
  const std::optional<plan::PlanEdit>& edit() const { return edit_; }
  /// Returns why the edit is refused; empty if it is possible.
  const QString& refusal() const { return refusal_; }
  bool pending() const { return edit_.has_value(); }

  /// Replaces the proposed edit. Returns false if it is unchanged.
  bool propose(const plan::PlanEdit& edit);
  void restore();
  /// Makes the shown plan the original.
  void accept();

 private:
  std::shared_ptr<const Profile> profile_;
  std::shared_ptr<const Cluster> cluster_;
  Plan original_, shown_;
  std::optional<plan::PlanEdit> edit_;
  QString refusal_;
};

}  // namespace pipedeck::models::split
