// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/compare_page.hpp"

#include <algorithm>

#include <QSplitter>
#include <QVBoxLayout>

#include "app/models/compare/plan_table_model.hpp"
#include "app/models/gantt/content.hpp"
#include "app/models/memory/curves.hpp"
#include "app/session/plans/edits.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/layout/window_state_saver.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_bar.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/split/stage_card.hpp"
#include "app/views/widgets/choice_pictures.hpp"

namespace pipedeck::ui::pages {

ComparePage::ComparePage(session::Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(new models::compare::PlanTableModel(this)),
      table_(new views::compare::PlanTable(model_)),
      plan_bar_(new views::compare::PlanBar),
      split_(new views::split::Editor),
      stage_card_(new views::split::StageCard),
      charts_(new views::compare::Pane),
      splitter_(new QSplitter(Qt::Vertical)) {
  table_->setObjectName(QStringLiteral("plan_table"));
  split_->setObjectName(QStringLiteral("split_editor"));
  charts_->setObjectName(QStringLiteral("charts"));
  splitter_->setObjectName(QStringLiteral("compare_splitter"));
  auto* edited = new QWidget;
  auto* column = new QVBoxLayout(edited);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(plan_bar_);
  column->addWidget(split_);
  column->addWidget(stage_card_);
  for (QWidget* part : {static_cast<QWidget*>(table_), edited, static_cast<QWidget*>(charts_)}) {
    splitter_->addWidget(part);
    splitter_->setCollapsible(splitter_->count() - 1, false);
  }
  splitter_->setStretchFactor(2, 1);
  splitter_->setHandleWidth(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter_);

  connect(table_, &views::compare::PlanTable::plan_selected, &session_, &session::Session::select_plan);
  connect(table_, &views::compare::PlanTable::plan_activated, this, &ComparePage::plan_activated);
  connect(table_, &views::compare::PlanTable::tick_changed, &session_, &session::Session::set_ticked);
  connect(charts_, &views::compare::Pane::plan_clicked, &session_, &session::Session::select_plan);
  const auto selected = [this] { return session_.state().selected_plan; };
  connect(plan_bar_, &views::compare::PlanBar::schedule_chosen, this, [this, selected](const QString& key) {
    if (const auto kind = parse_schedule(key.toStdString())) session_.choose_schedule(selected(), *kind);
  });
  connect(plan_bar_, &views::compare::PlanBar::chunks_chosen, this, [this, selected](int chunks) {
    const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), selected());
    if (entry) session_.choose_schedule(entry->id, entry->plan->schedule, chunks);
  });
  connect(split_, &views::split::Editor::preview, this, &ComparePage::preview);
  connect(split_, &views::split::Editor::committed, this, &ComparePage::commit);
  connect(split_, &views::split::Editor::cancelled, this, &ComparePage::end_preview);
  connect(split_, &views::split::Editor::refused, this, [this](const QString& why) {
    stage_card_->show_values();
    show_fields(split_->draft().original());
    emit session_.notice(why);
  });
  connect(split_, &views::split::Editor::stage_selected, stage_card_, &views::split::StageCard::set_stage);
  connect(stage_card_, &views::split::StageCard::stage_chosen, split_, &views::split::Editor::select_stage);
  connect(stage_card_, &views::split::StageCard::edited, split_, &views::split::Editor::apply);
  connect(plan_bar_, &views::compare::PlanBar::micro_batch_chosen, this,
          [this](int samples) { split_->apply(plan::SetMicroBatch{samples}); });
  connect(&session_.explainer(), &session::plans::Explainer::changed, this, &ComparePage::show_critical);
  connect(&session_.item_curves(), &session::plans::ItemCurves::changed, this, &ComparePage::show_memory_items);
  connect(&session_.live(), &session::plans::PreviewSimulator::simulated, this, &ComparePage::show_preview);
}

void ComparePage::set_plan_actions(const QList<QAction*>& actions) { table_->set_context_actions(actions); }

const models::compare::PlanRow* ComparePage::row(int id) const {
  const auto it = std::ranges::find(rows_, id, &models::compare::PlanRow::id);
  return it == rows_.end() ? nullptr : &*it;
}

void ComparePage::refresh() {
  // The project changed during a drag (undo, a finished comparison): the previewed plan no longer exists.
  stop_preview();
  rows_ = plan_rows(session_);
  show_rows(rows_);
  show_split();
}

void ComparePage::refresh_figures() {
  if (!before_drag_) refresh();
}

void ComparePage::show_rows(const std::vector<models::compare::PlanRow>& rows) {
  const int selected = session_.state().selected_plan;
  const bool shown = std::ranges::any_of(rows, [&](const models::compare::PlanRow& row) { return row.id == selected; });
  const int height = table_->full_height();
  model_->set_rows(rows);
  table_->select_plan(shown ? selected : -1);
  charts_->set_rows(rows);
  charts_->set_selected_plan(shown ? std::optional(selected) : std::nullopt);
  show_critical();
  show_memory_items();
  if (table_->full_height() != height && !layout::moved_by_hand(*splitter_)) reset_layout();
  emit rows_changed();
}

QString ComparePage::next_step() const {
  const session::project::PlanningSetup& question = session_.state().question;
  if (!session::project::find_profile(session_.state(), question.profile))
    return tr("Choose a model and a cluster, then press Compare.");
  if (!session::project::find_cluster(session_.state(), question.cluster))
    return tr("Choose a cluster, then press Compare.");
  return tr("Press Compare, then select a plan to see and edit its stages here.");
}

void ComparePage::set_critical_shown(bool shown) {
  critical_shown_ = shown;
  show_critical();
}

void ComparePage::show_critical() {
  for (views::compare::PlanPanel* panel : charts_->panels()) {
    const session::project::PlanEntry* entry =
        critical_shown_ ? session::project::find_plan(session_.state(), panel->plan_id()) : nullptr;
    const bool dragged = before_drag_ && before_drag_->id == panel->plan_id();
    const auto known = entry && !dragged ? session_.explanation(*entry) : nullptr;
    panel->gantt().set_critical(known ? known->path : nullptr);
  }
}

void ComparePage::set_memory_by_item(bool on) {
  charts_->set_memory_by_item(on);
  show_memory_items();
}

/// Shows the items of all plans. A dragged plan shows only the sum, because its items would always be out of date.
void ComparePage::show_memory_items() {
  if (!charts_->memory_by_item()) return;
  for (views::compare::PlanPanel* panel : charts_->panels()) {
    const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), panel->plan_id());
    const bool dragged = before_drag_ && before_drag_->id == panel->plan_id();
    const bool simulated = panel->row().simulation != nullptr;
    charts_->set_memory_items(panel->plan_id(),
                              entry && simulated && !dragged ? session_.memory_items(*entry) : nullptr);
  }
}

void ComparePage::show_schedules() {
  const session::project::PlanEntry* entry =
      session::project::find_plan(session_.state(), session_.state().selected_plan);
  const auto problem = entry ? session::project::make_problem(session_.state(), *entry) : std::nullopt;
  if (!entry || !entry->feasible() || !problem) {
    offered_.reset();
    plan_bar_->clear();
    return;
  }
  if (offered_ == entry->plan) return;
  offered_ = entry->plan;
  const bool open = entry->plan->schedule == ScheduleKind::interleaved;
  plan_bar_->set_plan(
      shown_schedules(session::plans::schedule_choices(*entry->plan, *problem->profile, *problem->cluster)),
      views::widgets::key_of(entry->plan->schedule),
      open ? std::optional(models::split::stage_places(*entry->plan).front().chunks) : std::nullopt);
}

void ComparePage::show_split() {
  show_schedules();
  const models::compare::PlanRow* selected = row(session_.state().selected_plan);
  const session::project::PlanEntry* entry =
      session::project::find_plan(session_.state(), session_.state().selected_plan);
  const session::project::ProfileEntry* profile =
      entry ? session::project::find_profile(session_.state(), entry->profile) : nullptr;
  if (!selected || !profile || !entry->feasible()) {
    split_->clear();
    stage_card_->clear();
    split_->set_empty_text(selected ? tr("This planner found no plan: %1").arg(selected->note) : next_step());
    return;
  }
  const session::project::ClusterEntry* cluster = session::project::find_cluster(session_.state(), entry->cluster);
  split_->set_plan(profile->profile, cluster->cluster, selected->plan, selected->simulation);
  stage_card_->set_plan(profile->profile, cluster->cluster, selected->plan);
  stage_card_->set_stage(split_->selected_stage());
  show_fields(selected->plan);
}

void ComparePage::show_fields(const Plan& plan) {
  plan_bar_->set_micro_batch(plan::micro_batch_sizes(plan), plan.micro_batch, plan.micro_batches);
}

void ComparePage::preview(const Plan& plan) {
  const session::project::PlanEntry* entry =
      session::project::find_plan(session_.state(), session_.state().selected_plan);
  if (!entry) return;
  if (!before_drag_) {
    const models::compare::PlanRow* old = row(entry->id);
    if (!old) return;
    before_drag_ = *old;
    charts_->set_ghost(entry->id, old->simulation);
    show_critical();
  }
  if (const auto problem = session::project::make_problem(session_.state(), *entry))
    session_.live().request(*problem, plan);
}

void ComparePage::show_preview(std::int64_t /*generation*/, const Plan& plan,
                               const std::shared_ptr<const study::PlanResult>& plan_result, const QString& why) {
  if (!before_drag_) return;
  const auto dragged = std::ranges::find(rows_, before_drag_->id, &models::compare::PlanRow::id);
  if (dragged == rows_.end()) return;
  dragged->plan = plan;
  dragged->simulation = plan_result ? plan_result->simulation : nullptr;
  dragged->reasons = plan_result ? plan_result->reasons : nullptr;
  dragged->note = why;
  dragged->charts = {};
  model_->update_row(*dragged);
  split_->show_preview(plan, dragged->simulation, why);
  prepare_charts();
  emit rows_changed();
}

/// Prepares the charts in the background, while the editor and the metrics update at once. Only the newest waiting
/// simulation is drawn, so that charts update even during a continuous drag.
void ComparePage::prepare_charts() {
  if (drawing_.running() || !before_drag_) return;
  const models::compare::PlanRow* dragged = row(before_drag_->id);
  if (!dragged || !dragged->simulation) return charts_->set_rows(rows_);
  drawing_.start([this, simulation = dragged->simulation](const std::stop_token&) {
    const models::compare::ChartContents contents{models::gantt::make_gantt_content(simulation),
                                                  models::memory::make_memory_curves(simulation)};
    return [this, simulation, contents] { show_charts(simulation, contents); };
  });
}

void ComparePage::show_charts(const std::shared_ptr<const Simulation>& simulation,
                              const models::compare::ChartContents& contents) {
  const auto dragged = std::ranges::find(rows_, before_drag_->id, &models::compare::PlanRow::id);
  if (dragged == rows_.end()) return;
  models::compare::PlanRow drawn = *dragged;
  const bool newest = dragged->simulation == simulation;
  drawn.simulation = simulation;
  drawn.charts = contents;
  if (newest) dragged->charts = contents;
  std::vector<models::compare::PlanRow> rows = rows_;
  rows[static_cast<std::size_t>(dragged - rows_.begin())] = std::move(drawn);
  charts_->set_rows(rows);
  if (!newest) prepare_charts();
}

void ComparePage::stop_preview() {
  session_.live().cancel();
  drawing_.cancel();
  if (before_drag_) charts_->set_ghost(before_drag_->id, nullptr);
  before_drag_.reset();
}

void ComparePage::commit(const plan::PlanEdit& edit) {
  const int id = before_drag_ ? before_drag_->id : session_.state().selected_plan;
  stop_preview();
  const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), id);
  auto edited = session::plans::edited_plan(session_.state(), id, edit, session_.plan_simulator());
  if (!entry || !edited) {
    refresh();
    split_->show_refusal(text::to_qstring(edited.error()));
    emit session_.notice(text::to_qstring(edited.error()));
    return;
  }
  const QString name = session::plans::edit_name(
      edit, *entry->plan, *session::project::find_profile(session_.state(), entry->profile)->profile);
  // The change of state refreshes this page.
  session_.change(name, session::plans::with_plan_edited(session_.state(), id, *std::move(edited)));
}

void ComparePage::end_preview() {
  const bool previewed = before_drag_.has_value();
  stop_preview();
  if (previewed) refresh();
}

void ComparePage::reset_layout() {
  const int table = std::clamp(table_->full_height(), 90, std::max(90, height() * 2 / 5));
  const int split = plan_bar_->sizeHint().height() + split_->sizeHint().height() + stage_card_->sizeHint().height();
  splitter_->setSizes({table, split, std::max(100, height() - table - split)});
}

void ComparePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!laid_out_ && !layout::moved_by_hand(*splitter_)) reset_layout();
  laid_out_ = true;
}

}  // namespace pipedeck::ui::pages
