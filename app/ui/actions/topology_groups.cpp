// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/topology_groups.hpp"

#include <algorithm>
#include <utility>

#include <QEvent>
#include <QLocale>

#include "app/models/format.hpp"
#include "app/session/plans/edits.hpp"
#include "app/session/project/state.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::actions {

namespace {

using session::plans::Grouping;
using session::plans::PlacedGroups;
using views::topology::GroupBar;

constexpr std::size_t opened_nodes = 64;  ///< of a box that a choice opens at once; larger ones take too long

static_assert(GroupBar::choice_count == study::placement::grouping_count);

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

bool has_domains(const Cluster& cluster) {
  return std::ranges::any_of(cluster.nodes, [](const Node& node) { return !node.domain.empty(); });
}

/// Returns "16 groups of 4, inside a node" or "16 groups of 4, 2 of them across nodes".
QString where_of(const PlacedGroups& groups, const Cluster& cluster) {
  const QString all =
      models::counted(groups.count, TopologyGroups::tr("1 group of %2"), TopologyGroups::tr("%1 groups of %2"))
          .arg(groups.size);
  const bool domains = has_domains(cluster);
  if (groups.leaving == 0)
    return (domains ? TopologyGroups::tr("%1, inside an NVLink domain") : TopologyGroups::tr("%1, inside a node"))
        .arg(all);
  const QString across = domains ? TopologyGroups::tr("across NVLink domains") : TopologyGroups::tr("across nodes");
  if (groups.leaving == groups.count) return QStringLiteral("%1, %2").arg(all, across);
  return TopologyGroups::tr("%1, %2 of them %3").arg(all, QLocale().toString(groups.leaving), across);
}

/// Returns a choice's line, short enough for a small window: the table below has the bytes.
QString words_of(const PlacedGroups& groups, const QString& where) {
  return groups.leaving == 0 ? where : TopologyGroups::tr("%1; red links have their bytes").arg(where);
}

/// Returns the exposed communication of a dimension, as the inspector and the waterfall have it.
TimePart part_of(Grouping grouping) {
  switch (grouping) {
    case Grouping::tensor:
      return TimePart::tensor_parallel;
    case Grouping::context:
      return TimePart::context_parallel;
    case Grouping::expert:
      return TimePart::expert_parallel;
    case Grouping::data:
      return TimePart::all_reduce;
    case Grouping::pipeline:
      return TimePart::point_to_point;
    case Grouping::sharding:
      break;
  }
  return TimePart::gather;
}

/// Returns "TP: 2 of 16 groups leave their node now, none then. A step takes 31.1 s then."
QString gain_of(const std::vector<PlacedGroups>& now, const session::plans::ContiguousPlan& then,
                const Cluster& cluster) {
  const QString leave = has_domains(cluster)
                            ? TopologyGroups::tr("%1: %2 of %3 groups leave their NVLink domain now, %4 then.")
                            : TopologyGroups::tr("%1: %2 of %3 groups leave their node now, %4 then.");
  QStringList sentences{TopologyGroups::tr("Ranks take the devices in the cluster's order, as launchers number them.")};
  for (std::size_t g = 0; g < now.size(); ++g) {
    const PlacedGroups &old = now[g], &placed = then.groups[g];
    if (old.size < 2 || old.leaving == placed.leaving) continue;
    const QString name = text::to_qstring(std::string(study::placement::name_of(old.grouping)));
    const QString left = placed.leaving == 0 ? TopologyGroups::tr("none") : QLocale().toString(placed.leaving);
    sentences << leave.arg(name, QLocale().toString(old.leaving), QLocale().toString(old.count), left);
  }
  if (then.iteration)
    sentences << TopologyGroups::tr("A step takes %1 then.").arg(models::format_time(*then.iteration));
  return sentences.join(QLatin1Char('\n'));
}

models::topology::Overlay overlay_of(const PlacedGroups& groups) {
  models::topology::Overlay overlay;
  overlay.name = text::to_qstring(std::string(study::placement::name_of(groups.grouping)));
  overlay.group_of = groups.group_of, overlay.leaves = groups.leaves;
  for (const study::placement::LinkLoad& load : groups.loads) overlay.loads[load.link] = whole(load.bytes);
  return overlay;
}

}  // namespace

TopologyGroups::TopologyGroups(session::Session& session, views::topology::View& view, QObject* parent)
    : QObject(parent), session_(session), view_(view) {
  connect(&session, &session::Session::state_changed, this, &TopologyGroups::refresh);
  connect(&view, &views::topology::View::cluster_shown, this, &TopologyGroups::refresh);
  connect(&view.group_bar(), &GroupBar::chosen, this, [this](int choice) {
    if (choice >= 0) view_.canvas()->open_small_groups(opened_nodes);
    show_choice();
  });
  connect(&session, &session::Session::results_changed, this, &TopologyGroups::show_rows);
  connect(&view.group_bar(), &GroupBar::order_wanted, this, &TopologyGroups::place_contiguously);
  view.installEventFilter(this);
  forget();
}

bool TopologyGroups::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &view_ && event->type() == QEvent::Show) refresh();
  return QObject::eventFilter(watched, event);
}

TopologyGroups::Groups TopologyGroups::groups_of(const Problem& problem, const Plan& plan) {
  Groups groups;
  const auto placed = session::plans::placed_groups(problem, plan);
  if (!placed) return groups;
  for (std::size_t g = 0; g < count; ++g) {
    const PlacedGroups& one = (*placed)[g];
    if (one.size < 2) continue;
    groups.overlays[g] = std::make_shared<const models::topology::Overlay>(overlay_of(one));
    const QString where = where_of(one, *problem.cluster);
    groups.choices[g] = {true, words_of(one, where), one.leaving > 0};
    const QString bytes = one.bytes ? models::format_bytes(whole(*one.bytes)) : QString();
    groups.rows[g] = {groups.overlays[g]->name, where, bytes, {}, one.leaving > 0};
  }
  if (const auto ordered = session::plans::contiguous_plan(problem, plan)) {
    groups.contiguous = std::make_shared<const Plan>(ordered->plan);
    groups.gain = gain_of(*placed, *ordered, *problem.cluster);
  }
  return groups;
}

/// Computes the groups for a visible page if the selected plan is on the shown cluster.
void TopologyGroups::refresh() {
  if (!view_.isVisible()) return;
  const session::project::State& state = session_.state();
  const session::project::PlanEntry* entry = session::project::find_plan(state, state.selected_plan);
  const bool shown = entry && has_mesh(*entry->plan) && view_.cluster() && entry->cluster == view_.cluster_id();
  auto problem = shown ? session::project::make_problem(state, *entry) : std::nullopt;
  if (!problem) return forget();
  const bool same = problem_ && plan_ == entry->plan && problem_->profile == problem->profile &&
                    problem_->cluster == problem->cluster && problem_->workload == problem->workload;
  if (same) return;
  problem_ = std::move(problem), plan_ = entry->plan;
  task_.start([this, asked = *problem_, plan = plan_](const std::stop_token&) {
    return [this, groups = groups_of(asked, *plan)] { receive(groups); };
  });
}

void TopologyGroups::receive(const Groups& groups) {
  groups_ = groups;
  const bool any = std::ranges::any_of(groups_.choices, &GroupBar::Choice::available);
  view_.group_bar().setVisible(any);
  view_.group_bar().set_choices(groups_.choices);
  view_.group_bar().offer_order(groups_.contiguous != nullptr, groups_.gain);
  show_choice();
  show_rows();
}

void TopologyGroups::place_contiguously() {
  const session::project::State& state = session_.state();
  const session::project::PlanEntry* entry = session::project::find_plan(state, state.selected_plan);
  if (!groups_.contiguous || !entry || entry->plan != plan_) return;  // the plan has just changed
  session_.change(tr("Place contiguously"),
                  session::plans::with_plan_edited(state, state.selected_plan, *groups_.contiguous));
}

void TopologyGroups::forget() {
  task_.cancel();
  problem_.reset(), plan_.reset();
  receive({});
}

void TopologyGroups::show_choice() {
  const int choice = view_.group_bar().current();
  view_.canvas()->set_overlay(choice < 0 ? nullptr : groups_.overlays[static_cast<std::size_t>(choice)]);
}

/// Shows the dimensions of the plan with their exposed times, once it is simulated.
void TopologyGroups::show_rows() {
  const session::project::State& state = session_.state();
  const session::project::PlanEntry* entry = session::project::find_plan(state, state.selected_plan);
  const auto result = plan_ && entry && entry->plan == plan_ ? session_.plan_result(*entry) : nullptr;
  std::vector<views::topology::DimensionRow> rows;
  for (std::size_t g = 0; g < count; ++g) {
    if (!groups_.choices[g].available) continue;
    rows.push_back(groups_.rows[g]);
    if (result && result->simulation)
      rows.back().exposed = models::format_time(result->simulation->parts[part_of(static_cast<Grouping>(g))]);
  }
  view_.summary_part().set_dimensions(std::move(rows));
}

}  // namespace pipedeck::ui::actions
