// SPDX-License-Identifier: GPL-3.0-or-later
// A plan under the hand: as it was, the edit that is tried, and what comes of it. Nothing is decided here.
#pragma once

#include <memory>
#include <optional>

#include <QString>

#include "core/domain/plan_edits.hpp"

namespace pipedeck::app {

class SplitDraft {
 public:
  SplitDraft() = default;
  SplitDraft(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster, Plan plan)
      : profile_(std::move(profile)), cluster_(std::move(cluster)), original_(std::move(plan)), shown_(original_) {}

  bool empty() const { return profile_ == nullptr; }
  const Profile& profile() const { return *profile_; }
  const Cluster& cluster() const { return *cluster_; }
  const Plan& original() const { return original_; }
  /// What the edit gives; the original without one, and while one is refused.
  const Plan& shown() const { return shown_; }
  const std::optional<PlanEdit>& edit() const { return edit_; }
  /// Why the edit can't be made; empty: it can.
  const QString& refusal() const { return refusal_; }
  bool pending() const { return edit_.has_value(); }

  /// In place of the edit that was tried before. False: it was this one.
  bool propose(const PlanEdit& edit);
  void restore();
  /// From now on the plan is as it was shown.
  void accept();

 private:
  std::shared_ptr<const Profile> profile_;
  std::shared_ptr<const Cluster> cluster_;
  Plan original_, shown_;
  std::optional<PlanEdit> edit_;
  QString refusal_;
};

}  // namespace pipedeck::app
