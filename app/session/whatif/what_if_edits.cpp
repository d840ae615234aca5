// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/whatif/what_if_edits.hpp"

#include <algorithm>

#include <QCoreApplication>

namespace pipedeck::session::whatif {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(WhatIf)
};

/// Ignores prices, which a question without them takes from the catalogue.
bool same_hardware(Cluster a, Cluster b) {
  for (Cluster* cluster : {&a, &b}) {
    cluster->name.clear();
    for (DeviceType& type : cluster->device_types) type.price_per_hour.reset();
  }
  return a == b;
}

}  // namespace

project::Added with_what_if_cluster(const project::State& state, const Cluster& changed) {
  const auto same = std::ranges::find_if(
      state.clusters, [&](const project::ClusterEntry& entry) { return same_hardware(*entry.cluster, changed); });
  if (same != state.clusters.end()) return {state, same->id};
  Cluster cluster = changed;
  const project::ClusterEntry* base = project::find_cluster(state, state.question.cluster);
  const std::string& name = base ? base->cluster->name : cluster.name;
  cluster.name = Words::tr("%1 (what if)").arg(QString::fromStdString(name)).toStdString();
  return project::with_cluster(state, std::move(cluster));
}

project::Added with_found_plan(const project::State& state, const PlanCandidate& found) {
  return with_found_plan(state, found, state.question.profile);
}

project::Added with_found_plan(const project::State& state, const PlanCandidate& found, int profile) {
  project::Added placed = with_what_if_cluster(state, *found.cluster);
  project::PlanEntry entry;
  entry.profile = profile;
  entry.cluster = placed.id;
  entry.edited = true;  // a comparison does not replace it
  Plan plan = *found.plan;
  if (const project::ClusterEntry* cluster = project::find_cluster(placed.state, placed.id))
    plan.cluster = cluster->cluster->name;
  plan.cluster_sha256.clear();
  entry.plan = std::make_shared<const Plan>(std::move(plan));
  return project::with_plan(std::move(placed.state), std::move(entry));
}

}  // namespace pipedeck::session::whatif
