// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/entry_edits.hpp"

#include <algorithm>
#include <utility>

namespace pipedeck::session::project {

namespace {

bool among(const Ids& ids, int id) { return std::ranges::find(ids, id) != ids.end(); }

template <class Entry>
Entry* find_to_change(std::vector<Entry>& entries, int id) {
  const auto it = std::ranges::find(entries, id, &Entry::id);
  return it == entries.end() ? nullptr : &*it;
}

template <class Entries, class Name>
std::string unused_entry_name(const std::string& wanted, const Entries& entries, int own, const Name& name) {
  std::string candidate = wanted;
  const auto taken = [&](const auto& entry) { return entry.id != own && name(entry) == candidate; };
  for (int n = 2; std::ranges::any_of(entries, taken); ++n) candidate = wanted + " (" + std::to_string(n) + ")";
  return candidate;
}

/// Returns the new selection after `ids` are removed: the next row, or else the previous one.
int neighbour(const State& state, const Ids& ids) {
  const auto rows = plans_of_question(state);
  const auto stays = [&](const PlanEntry* entry) { return !among(ids, entry->id); };
  const auto selected = std::ranges::find(rows, state.selected_plan, &PlanEntry::id);
  const auto below = std::find_if(selected, rows.end(), stays);
  if (below != rows.end()) return (*below)->id;
  const auto above = std::find_if(std::make_reverse_iterator(selected), rows.rend(), stays);
  return above != rows.rend() ? (*above)->id : 0;
}

template <class Entries, class Pointer>
State renamed(State state, Entries State::*entries, int id, const QString& name, const Pointer& pointer) {
  auto* entry = find_to_change(state.*entries, id);
  const std::string wanted = name.trimmed().toStdString();
  if (!entry || wanted.empty() || ((*entry).*pointer)->name == wanted) return state;
  auto value = *((*entry).*pointer);
  value.name = unused_entry_name(wanted, state.*entries, id, [&](const auto& other) { return (other.*pointer)->name; });
  (*entry).*pointer = std::make_shared<const decltype(value)>(std::move(value));
  return state;
}

}  // namespace

AddedSeveral with_plans_duplicated(State state, const Ids& ids) {
  Ids added;
  for (const int id : ids) {
    const PlanEntry* entry = find_plan(state, id);
    if (!entry || !entry->feasible()) continue;
    PlanEntry copy = *entry;
    copy.edited = true;
    copy.ticked = true;
    Added one = with_plan(std::move(state), std::move(copy));
    state = std::move(one.state);
    added.push_back(one.id);
  }
  if (!added.empty()) state.selected_plan = added.front();
  return {std::move(state), std::move(added)};
}

State without_plans(State state, const Ids& ids) {
  if (among(ids, state.selected_plan)) state.selected_plan = neighbour(state, ids);
  std::erase_if(state.plans, [&](const PlanEntry& entry) { return among(ids, entry.id); });
  return state;
}

State with_plans_ticked(State state, const Ids& ids, bool on) {
  for (PlanEntry& entry : state.plans) {
    if (among(ids, entry.id)) entry.ticked = on;
  }
  return state;
}

State with_remarks(State state, int plan, const QString& remarks) {
  if (PlanEntry* entry = find_to_change(state.plans, plan)) entry->remarks = remarks.trimmed();
  return state;
}

namespace {

bool flag_of(const ChartFlag& flag, const PlanningSetup& question) {
  return flag.profile == question.profile && flag.cluster == question.cluster &&
         flag.global_batch == question.workload.global_batch;
}

}  // namespace

std::vector<ChartFlag> flags_of_question(const State& state) {
  std::vector<ChartFlag> flags = state.flags;
  std::erase_if(flags, [&](const ChartFlag& flag) { return !flag_of(flag, state.question); });
  return flags;
}

State with_flags(State state, std::vector<ChartFlag> flags) {
  const PlanningSetup& question = state.question;
  std::erase_if(state.flags, [&](const ChartFlag& flag) { return flag_of(flag, question); });
  for (ChartFlag& flag : flags) {
    flag.profile = question.profile;
    flag.cluster = question.cluster;
    flag.global_batch = question.workload.global_batch;
    state.flags.push_back(std::move(flag));
  }
  return state;
}

State with_plan_renamed(State state, int id, const QString& name) {
  PlanEntry* entry = find_to_change(state.plans, id);
  const std::string wanted = name.trimmed().toStdString();
  if (!entry || wanted.empty() || entry->plan->name == wanted) return state;
  Plan plan = *entry->plan;
  plan.name = wanted;
  entry->plan = std::make_shared<const Plan>(std::move(plan));
  return state;
}

State with_profile_renamed(State state, int id, const QString& name) {
  return renamed(std::move(state), &State::profiles, id, name, &ProfileEntry::profile);
}

State with_cluster_renamed(State state, int id, const QString& name) {
  return renamed(std::move(state), &State::clusters, id, name, &ClusterEntry::cluster);
}

State with_run_renamed(State state, int id, const QString& name) {
  RunEntry* entry = find_to_change(state.runs, id);
  const QString wanted = name.trimmed();
  if (!entry || wanted.isEmpty() || entry->run->name == wanted) return state;
  RunRecord run = *entry->run;
  run.name = wanted;
  entry->run = std::make_shared<const RunRecord>(std::move(run));
  return state;
}

Added with_profile_duplicated(State state, int id) {
  const ProfileEntry* entry = find_profile(state, id);
  if (!entry) return {std::move(state), 0};
  Profile copy = *entry->profile;
  copy.name = unused_entry_name(copy.name, state.profiles, 0, [](const ProfileEntry& e) { return e.profile->name; });
  auto model = entry->model;
  return with_profile(std::move(state), std::move(copy), std::move(model));
}

Added with_cluster_duplicated(State state, int id) {
  const ClusterEntry* entry = find_cluster(state, id);
  if (!entry) return {std::move(state), 0};
  Cluster copy = *entry->cluster;
  copy.name = unused_entry_name(copy.name, state.clusters, 0, [](const ClusterEntry& e) { return e.cluster->name; });
  ClusterLayout layout = entry->layout;
  Added added = with_cluster(std::move(state), std::move(copy));
  find_to_change(added.state.clusters, added.id)->layout = std::move(layout);
  return added;
}

}  // namespace pipedeck::session::project
