// SPDX-License-Identifier: GPL-3.0-or-later
// A hand that edits: the same edits in the same order, in the window of a process that will be killed and in the one
// that knows what must be found again. Every kind of thing that a project holds is edited: the question, plans by name
// and by their split, clusters, profiles, what was found on other hardware, notes, conventions.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>

#include "app/session/cluster/edits.hpp"
#include "app/session/plans/clipboard.hpp"
#include "app/session/plans/edits.hpp"
#include "app/session/profile/edits.hpp"
#include "app/session/project/content.hpp"
#include "app/session/project/entry_edits.hpp"
#include "app/session/session.hpp"
#include "app/session/whatif/what_if_edits.hpp"

namespace pipedeck::test {

/// Edits in a round; each is one step, or none where undo and redo are that.
constexpr int edit_kinds = 22;

class Hand {
 public:
  explicit Hand(session::Session& session) : session_(session) {}

  /// The i-th edit (from 0). Every 22nd saves where the project has a file.
  void edit(int i) {
    const int round = i / edit_kinds;
    switch (i % edit_kinds) {
      case 0:
        return session_.choose_profile_preset(
            session::project::profile_preset_list()[round % session::project::profile_preset_list().size()]);
      case 1:
        return session_.choose_cluster_preset(
            session::project::cluster_preset_list()[round % session::project::cluster_preset_list().size()]);
      case 2:
        return session_.set_global_batch(100 + i);
      case 3:
        return session_.set_micro_batch(1 + i % 50);
      case 4:
        return find_on_other_hardware(1.5 + i);
      case 5:
        return change(session::project::with_plan_renamed(state(), last(), QStringLiteral("plan %1").arg(i)));
      case 6:
        return split_last();
      case 7:
        return session_.duplicate_plan(last());
      case 8:
        return session_.undo();
      case 9:
        return session_.redo();
      case 10:
        return change(session::project::with_remarks(state(), last(), QStringLiteral("note %1").arg(i)));
      case 11:
        return draw_node(i);
      case 12:
        return widen_links(i);
      case 13:
        return group_all();
      case 14:
        return type_figure(i);
      case 15:
        return change(session::project::without_plans(state(), {state().plans.front().id}));
      case 16:
        return change(session::project::with_plans_ticked(state(), {last()},
                                                          !session::project::find_plan(state(), last())->ticked));
      case 17:
        return paste_last();
      case 18:
        return choose_conventions(i);
      case 19:
        return change(session::project::with_cluster_renamed(state(), state().question.cluster,
                                                             QStringLiteral("cluster %1").arg(i)));
      case 20:
        return insert_layer();
      case 21:
        if (session_.file().isEmpty()) return session_.set_global_batch(5000 + i);
        (void)session_.start_save();  // edits go on while the file is written
    }
  }

 private:
  const session::project::State& state() const { return session_.state(); }
  void change(session::project::State next) { session_.change(QStringLiteral("Edit"), std::move(next)); }
  int last() const { return state().plans.empty() ? 0 : state().plans.back().id; }
  const Cluster& cluster() const { return *session::project::find_cluster(state(), state().question.cluster)->cluster; }
  const Profile& profile() const { return *session::project::find_profile(state(), state().question.profile)->profile; }

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
    PlanCandidate found;
    found.plan = std::make_shared<const Plan>(plan);
    found.cluster = std::make_shared<const Cluster>(other);
    change(session::whatif::with_found_plan(state(), found).state);
  }
  void split_last() {
    const session::project::PlanEntry& entry = *session::project::find_plan(state(), last());
    const auto split =
        plan::with_edit(*entry.plan, *session::project::find_profile(state(), entry.profile)->profile,
                        *session::project::find_cluster(state(), entry.cluster)->cluster, plan::SplitStage{0, 1});
    if (split) change(session::plans::with_plan_edited(state(), entry.id, *split));
  }
  void paste_last() {
    const int plan = last();
    const auto pasted = session::plans::with_plans_pasted(state(), session::plans::plans_to_text(state(), {plan}),
                                                          {QStringLiteral("pasted")});
    if (pasted) change(pasted->state);
  }
  void draw(const Result<session::cluster::DrawnCluster>& drawn) {
    if (drawn) change(session::cluster::edited_cluster(state(), state().question.cluster, *drawn).state);
  }
  session::cluster::DrawnCluster drawn() const {
    const session::project::ClusterEntry& entry = *session::project::find_cluster(state(), state().question.cluster);
    return {*entry.cluster, entry.layout};
  }
  void draw_node(int i) { draw(session::cluster::with_node(drawn(), cluster().nodes.front(), {10.0 * i, 20})); }
  void widen_links(int i) {
    std::vector<int> links;
    for (std::size_t l = 0; l < cluster().links.size(); ++l) links.push_back(static_cast<int>(l));
    std::vector<std::string> nodes;
    for (const Node& node : cluster().nodes)
      if (node.link) nodes.push_back(node.name);
    const session::cluster::LinkChange change{BytesPerSecond{1e9 + i * 1e6}, {}};
    draw(nodes.empty() ? session::cluster::with_links_changed(drawn(), links, change)
                       : session::cluster::with_inside(drawn(), nodes, change));
  }
  void group_all() {
    std::set<std::string> members;
    for (const Node& node : cluster().nodes) members.insert(node.name);
    draw(session::cluster::grouped(drawn(), members));
  }
  void change_profile(const Result<Profile>& next) {
    if (next) change(session::profile::with_profile_edited(state(), state().question.profile, *next).state);
  }
  void type_figure(int i) {
    change_profile(
        session::profile::with_figure(profile(), {0}, session::profile::LayerFigure::forward, 1e-3 * (i + 1)));
  }
  void insert_layer() { change_profile(session::profile::with_layer_inserted(profile(), 1)); }
  void choose_conventions(int i) {
    SimulationOptions conventions = state().question.workload.conventions;
    conventions.network = conventions.network == NetworkModel::ideal ? NetworkModel::shared : NetworkModel::ideal;
    conventions.reserve = Bytes(i);
    conventions.fragmentation = i / 1000.0;
    session_.set_conventions(conventions);
  }

  session::Session& session_;
};

/// A project by what is in it, all but what a person happens to look at.
inline QByteArray described(const session::project::State& state) {
  const store::ProjectContent content = session::project::content_of(state);
  QByteArray text;
  for (const store::StoredDocument& document : content.documents) {
    text += QByteArray::number(static_cast<qlonglong>(document.id));
    text += QByteArray::fromStdString(document.kind + document.name + document.json) + '\n';
  }
  for (const store::StoredRun& run : content.runs) text += QByteArray::fromStdString(run.name + run.json) + '\n';
  for (const auto& [key, value] : content.settings) {
    if (key != "selection" && key != session::project::view_setting)
      text += QByteArray::fromStdString(key + value) + '\n';
  }
  return text;
}

}  // namespace pipedeck::test
