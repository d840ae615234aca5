// SPDX-License-Identifier: GPL-3.0-or-later
// A hand that edits: the same edits in the same order, in the window of a process that will be killed and in the one
// that knows what must be found again. Every kind of thing that a project holds is edited: the question, plans by name
// and by their split, clusters, profiles, what was found on other hardware, notes, conventions.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>

#include "app/session/cluster_edits.hpp"
#include "app/session/entry_edits.hpp"
#include "app/session/plan_clipboard.hpp"
#include "app/session/plan_edits.hpp"
#include "app/session/profile_edits.hpp"
#include "app/session/project_content.hpp"
#include "app/session/session.hpp"
#include "app/session/what_if_edits.hpp"

namespace pipedeck::app::test {

/// Edits in a round; each is one step, or none where undo and redo are that.
constexpr int edit_kinds = 22;

class Hand {
 public:
  explicit Hand(Session& session) : session_(session) {}

  /// The i-th edit (from 0). Every 22nd saves where the project has a file.
  void edit(int i) {
    const int round = i / edit_kinds;
    switch (i % edit_kinds) {
      case 0:
        return session_.choose_profile_preset(profile_preset_list()[round % profile_preset_list().size()]);
      case 1:
        return session_.choose_cluster_preset(cluster_preset_list()[round % cluster_preset_list().size()]);
      case 2:
        return session_.set_global_batch(100 + i);
      case 3:
        return session_.set_micro_batch(1 + i % 50);
      case 4:
        return find_on_other_hardware(1.5 + i);
      case 5:
        return change(with_plan_renamed(state(), last(), QStringLiteral("plan %1").arg(i)));
      case 6:
        return split_last();
      case 7:
        return session_.duplicate_plan(last());
      case 8:
        return session_.undo();
      case 9:
        return session_.redo();
      case 10:
        return change(with_remarks(state(), last(), QStringLiteral("note %1").arg(i)));
      case 11:
        return draw_node(i);
      case 12:
        return widen_links(i);
      case 13:
        return group_all();
      case 14:
        return type_figure(i);
      case 15:
        return change(without_plans(state(), {state().plans.front().id}));
      case 16:
        return change(with_plans_ticked(state(), {last()}, !find_plan(state(), last())->ticked));
      case 17:
        return paste_last();
      case 18:
        return choose_conventions(i);
      case 19:
        return change(with_cluster_renamed(state(), state().question.cluster, QStringLiteral("cluster %1").arg(i)));
      case 20:
        return insert_layer();
      case 21:
        if (session_.file().isEmpty()) return session_.set_global_batch(5000 + i);
        (void)session_.start_save();  // edits go on while the file is written
    }
  }

 private:
  const ProjectState& state() const { return session_.state(); }
  void change(ProjectState next) { session_.change(QStringLiteral("Edit"), std::move(next)); }
  int last() const { return state().plans.empty() ? 0 : state().plans.back().id; }
  const Cluster& cluster() const { return *find_cluster(state(), state().question.cluster)->cluster; }
  const Profile& profile() const { return *find_profile(state(), state().question.profile)->profile; }

  void find_on_other_hardware(double speed) {
    Cluster other = cluster();
    for (DeviceType& type : other.device_types) type.relative_speed = speed;
    Plan plan;
    plan.planner = "hand";
    plan.global_batch = plan.micro_batch = 8;
    Stage whole;
    whole.last = static_cast<int>(profile().layers.size());
    whole.devices = {DeviceId(0)};
    plan.stages = {whole};
    FoundPlan found;
    found.plan = std::make_shared<const Plan>(plan);
    found.cluster = std::make_shared<const Cluster>(other);
    change(with_found_plan(state(), found).state);
  }
  void split_last() {
    const PlanEntry& entry = *find_plan(state(), last());
    const auto split = with_edit(*entry.plan, *find_profile(state(), entry.profile)->profile,
                                 *find_cluster(state(), entry.cluster)->cluster, StageSplit{0, 1});
    if (split) change(with_plan_edited(state(), entry.id, *split));
  }
  void paste_last() {
    const int plan = last();
    const auto pasted = with_plans_pasted(state(), plans_to_text(state(), {plan}), {QStringLiteral("pasted")});
    if (pasted) change(pasted->state);
  }
  void draw(const Result<DrawnCluster>& drawn) {
    if (drawn) change(edited_cluster(state(), state().question.cluster, *drawn).state);
  }
  DrawnCluster drawn() const {
    const ClusterEntry& entry = *find_cluster(state(), state().question.cluster);
    return {*entry.cluster, entry.layout};
  }
  void draw_node(int i) { draw(with_node(drawn(), cluster().nodes.front(), {10.0 * i, 20})); }
  void widen_links(int i) {
    std::vector<int> links;
    for (std::size_t l = 0; l < cluster().links.size(); ++l) links.push_back(static_cast<int>(l));
    std::vector<std::string> nodes;
    for (const Node& node : cluster().nodes)
      if (node.link) nodes.push_back(node.name);
    const LinkChange change{BytesPerSecond{1e9 + i * 1e6}, {}};
    draw(nodes.empty() ? with_links_changed(drawn(), links, change) : with_inside(drawn(), nodes, change));
  }
  void group_all() {
    std::set<std::string> members;
    for (const Node& node : cluster().nodes) members.insert(node.name);
    draw(grouped(drawn(), members));
  }
  void change_profile(const Result<Profile>& next) {
    if (next) change(with_profile_edited(state(), state().question.profile, *next).state);
  }
  void type_figure(int i) { change_profile(with_figure(profile(), {0}, LayerFigure::forward, 1e-3 * (i + 1))); }
  void insert_layer() { change_profile(with_layer_inserted(profile(), 1)); }
  void choose_conventions(int i) {
    Conventions conventions = state().question.workload.conventions;
    conventions.network = conventions.network == NetworkModel::ideal ? NetworkModel::shared : NetworkModel::ideal;
    conventions.reserve = Bytes(i);
    conventions.fragmentation = i / 1000.0;
    session_.set_conventions(conventions);
  }

  Session& session_;
};

/// A project by what is in it, all but what a person happens to look at.
inline QByteArray described(const ProjectState& state) {
  const ProjectContent content = content_of(state);
  QByteArray text;
  for (const StoredDocument& document : content.documents) {
    text += QByteArray::number(static_cast<qlonglong>(document.id));
    text += QByteArray::fromStdString(document.kind + document.name + document.json) + '\n';
  }
  for (const StoredRun& run : content.runs) text += QByteArray::fromStdString(run.name + run.json) + '\n';
  for (const auto& [key, value] : content.settings) {
    if (key != "selection" && key != view_setting) text += QByteArray::fromStdString(key + value) + '\n';
  }
  return text;
}

}  // namespace pipedeck::app::test
