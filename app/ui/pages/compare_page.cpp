// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/compare_page.hpp"

#include <algorithm>
#include <utility>

#include <QEvent>
#include <QMetaObject>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/models/compare/plan_table_model.hpp"
#include "app/models/gantt/content.hpp"
#include "app/models/memory/curves.hpp"
#include "app/session/plans/edits.hpp"
#include "app/session/plans/figures.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/layout/window_state_saver.hpp"
#include "app/ui/pages/mesh_rows.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_bar.hpp"
#include "app/views/compare/plan_groups.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/mesh/degrees.hpp"
#include "app/views/mesh/editor.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/split/stage_card.hpp"
#include "app/views/widgets/choice_pictures.hpp"
#include "app/views/widgets/elided_line.hpp"
#include "app/views/widgets/hint_bar.hpp"

namespace pipedeck::ui::pages {

namespace {
constexpr int dense_rows = 6;  ///< of the table in a small window
}

ComparePage::ComparePage(session::Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(new models::compare::PlanTableModel(this)),
      table_(new views::compare::PlanTable(model_)),
      hint_(new views::widgets::HintBar),
      groups_(new views::compare::PlanGroups),
      provenance_(new views::widgets::ElidedLine),
      plan_bar_(new views::compare::PlanBar),
      split_(new views::split::Editor),
      stage_card_(new views::split::StageCard),
      mesh_(new views::mesh::Editor),
      charts_(new views::compare::Pane),
      splitter_(new QSplitter(Qt::Vertical)) {
  table_->setObjectName(QStringLiteral("plan_table"));
  split_->setObjectName(QStringLiteral("split_editor"));
  charts_->setObjectName(QStringLiteral("charts"));
  splitter_->setObjectName(QStringLiteral("compare_splitter"));
  edited_ = new QWidget;
  auto* column = new QVBoxLayout(edited_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(plan_bar_);
  mesh_->hide();
  column->addWidget(mesh_);
  column->addWidget(split_);
  column->addWidget(stage_card_);
  auto* rows = new QWidget;
  auto* list = new QVBoxLayout(rows);
  list->setContentsMargins(0, 0, 0, 0);
  list->setSpacing(0);
  list->addWidget(hint_);
  list->addWidget(table_, 1);
  list->addWidget(groups_);
  provenance_->setObjectName(QStringLiteral("provenance"));
  provenance_->hide();
  list->addWidget(provenance_);
  for (QWidget* part : {rows, edited_, static_cast<QWidget*>(charts_)}) {
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
  connect(table_, &views::compare::PlanTable::baseline_chosen, &session_, &session::Session::set_baseline);
  connect(table_, &views::compare::PlanTable::requested, this, &ComparePage::receive_request);
  connect(table_, &views::compare::PlanTable::groups_changed, this, [this] {
    for (const auto group : {models::compare::PlanGroup::no_plan, models::compare::PlanGroup::changes_training})
      groups_->set_open(group, table_->group_open(group));
    fit_table();
  });
  connect(groups_, &views::compare::PlanGroups::toggled, table_, &views::compare::PlanTable::open_group);
  connect(groups_, &views::compare::PlanGroups::include_requested, &session_, &session::Session::include_asynchronous);
  connect(&session_, &session::Session::searches_changed, this, &ComparePage::refresh_searches);
  connect(&session_.jobs(), &session::work::Jobs::ended, this, &ComparePage::fit_table);
  connect(hint_, &views::widgets::HintBar::accepted, this, [this] {
    session_.set_global_batch(larger_batch_);
    session_.compare();
  });
  connect(charts_, &views::compare::Pane::plan_clicked, &session_, &session::Session::select_plan);
  const auto selected = [this] { return session_.state().selected_plan; };
  connect(plan_bar_, &views::compare::PlanBar::schedule_chosen, this, [this, selected](const QString& key) {
    if (const auto kind = parse_schedule(key.toStdString())) session_.choose_schedule(selected(), *kind);
  });
  connect(plan_bar_, &views::compare::PlanBar::folded, this, [this](bool folded) {
    set_split_folded(folded);
    emit split_fold_chosen(folded);
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
  connect_mesh();
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
  if (before_drag_ && session_.comparing()) {
    const session::project::PlanEntry* dragged = session::project::find_plan(session_.state(), before_drag_->id);
    if (dragged && *dragged->plan == before_drag_->plan) return;  // an answer came: the drag continues
  }
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
  table_->set_rows(rows);
  groups_->set_rows(rows, session_.planners_left_out());
  show_hint();
  show_provenance();
  table_->select_plan(shown ? selected : -1);
  charts_->set_rows(unfolded(rows));
  charts_->set_selected_plan(shown ? std::optional(selected) : std::nullopt);
  show_critical();
  show_memory_items();
  fit_table();
  emit rows_changed();
}

/// All plans of a question have the same. A small window has it in the inspector alone.
void ComparePage::show_provenance() {
  const auto known = std::ranges::find_if(rows_, [](const auto& row) { return !row.provenance.isEmpty(); });
  provenance_->set_text(known == rows_.end() ? QString() : known->provenance);
  provenance_->setVisible(!dense_ && !provenance_->text().isEmpty());
}

/// Returns the height of the lines around the table.
int ComparePage::height_of_lines() const {
  int height = 0;
  for (const QWidget* line :
       {static_cast<QWidget*>(groups_), static_cast<QWidget*>(hint_), static_cast<QWidget*>(provenance_)})
    if (!line->isHidden()) height += line->sizeHint().height();
  return height;
}

/// Gives the table the height of its rows, unless the user has moved the splitter. Plans edited by hand come and go
/// while the user works in the split editor: they move nothing.
void ComparePage::fit_table() {
  const auto edited = std::ranges::count_if(table_->shown_plans(), [this](int id) {
    const session::project::PlanEntry* entry = session::project::find_plan(session_.state(), id);
    return entry && entry->edited;
  });
  const int rows = static_cast<int>(table_->shown_plans().size() - static_cast<std::size_t>(edited));
  const int height = table_->height_of(rows) + height_of_lines();
  if (session_.comparing() && height < fitted_) return;  // nothing jumps while rows go into groups
  if (std::exchange(fitted_, height) != height && !layout::moved_by_hand(*splitter_)) reset_layout();
}

/// Returns the rows without those that are folded into an equal one.
std::vector<models::compare::PlanRow> ComparePage::unfolded(std::vector<models::compare::PlanRow> rows) const {
  std::erase_if(rows, [this](const models::compare::PlanRow& row) { return !table_->shows(row); });
  return rows;
}

/// Shows how long the planners have searched. Only these rows change.
void ComparePage::refresh_searches() {
  if (before_drag_) return;
  const std::vector<models::compare::PlanRow> rows = plan_rows(session_);
  const auto same = [](const models::compare::PlanRow& a, const models::compare::PlanRow& b) { return a.id == b.id; };
  if (!std::ranges::equal(rows, rows_, same)) return refresh();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].search != rows_[i].search) model_->update_row(rows_[i] = rows[i]);
}

void ComparePage::receive_request(int id, views::compare::RowRequest request) {
  const models::compare::PlanRow* asked = row(id);
  if (!asked) return;
  constexpr Seconds longer{60};
  if (request == views::compare::RowRequest::keep_best) session_.keep_best(asked->plan.planner);
  if (request == views::compare::RowRequest::more_time) session_.search_longer(asked->plan.planner, longer);
}

/// Warns if every plan has one micro-batch per iteration because the profile was measured at this size alone.
void ComparePage::show_hint() {
  constexpr int micro_batches = 16;
  const session::project::PlanningSetup& question = session_.state().question;
  const session::project::ProfileEntry* profile = session::project::find_profile(session_.state(), question.profile);
  const int measured = profile ? smallest_measured_micro_batch(*profile->profile) : 0;
  const int batch = question.workload.global_batch;
  const bool one = profile && measured > 1 && batch < 2 * measured && !rows_.empty();
  hint_->setVisible(one);
  if (!one) return;
  larger_batch_ = micro_batches * measured;
  hint_->set_texts(tr("The profile is measured at micro-batch %1, so batch %2 is one micro-batch per iteration: the "
                      "stages of a pipeline run one after the other.")
                       .arg(measured)
                       .arg(batch),
                   tr("Use batch %1: %2 micro-batches").arg(larger_batch_).arg(micro_batches));
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
  show_mesh(selected && profile && entry->feasible() ? entry : nullptr);
  if (!selected || !profile || !entry->feasible()) {
    split_->clear();
    stage_card_->clear();
    split_->set_empty_text(selected ? tr("This planner found no plan: %1").arg(selected->note) : next_step());
    return;
  }
  const session::project::ClusterEntry* cluster = session::project::find_cluster(session_.state(), entry->cluster);
  const auto problem = session::project::make_problem(session_.state(), *entry);  // with times on the cluster's devices
  const auto& times = problem ? problem->profile : profile->profile;
  split_->set_plan(times, cluster->cluster, selected->plan, selected->simulation);
  stage_card_->set_plan(times, cluster->cluster, selected->plan);
  stage_card_->set_stage(split_->selected_stage());
  show_fields(selected->plan);
}

void ComparePage::connect_mesh() {
  connect(&mesh_->degrees(), &views::mesh::Degrees::chosen, this, &ComparePage::take_degree);
  connect(&mesh_->degrees(), &views::mesh::Degrees::lock_toggled, this, [this](int dimension) {
    mesh_study_.toggle_lock(static_cast<session::plans::MeshStudy::Dimension>(dimension));
  });
  connect(&mesh_->degrees(), &views::mesh::Degrees::best_wanted, this, &ComparePage::take_best_degree);
  connect(mesh_, &views::mesh::Editor::search_wanted, this, &ComparePage::search_unlocked);
  connect(mesh_, &views::mesh::Editor::uneven_changed, this, [this] {
    show_editors();
    if (!layout::moved_by_hand(*splitter_)) reset_layout();
  });
  connect(&mesh_study_, &session::plans::MeshStudy::changed_sheet, this, [this] {
    const bool first = mesh_->degrees().sheet().rows.empty();
    if (mesh_study_.sheet())
      mesh_->set_sheet(mesh_rows(*mesh_study_.mesh(), *mesh_study_.sheet()));
    else
      mesh_->set_reason(mesh_study_.reason());
    if (first && mesh_shown_ && !layout::moved_by_hand(*splitter_)) reset_layout();
  });
}

/// Plans of format version 2 are edited by their dimensions, others stage by stage.
void ComparePage::show_mesh(const session::project::PlanEntry* entry) {
  const auto problem =
      entry && has_mesh(*entry->plan) ? session::project::make_problem(session_.state(), *entry) : std::nullopt;
  const bool shown = problem.has_value();
  if (shown) {
    mesh_study_.set_plan(*problem, entry->plan);
  } else {
    mesh_study_.clear();
    mesh_->set_reason({});
  }
  if (std::exchange(mesh_shown_, shown) == shown) return;
  show_editors();
  if (!layout::moved_by_hand(*splitter_)) reset_layout();
}

void ComparePage::show_editors() {
  const bool stages = !split_folded_ && (!mesh_shown_ || mesh_->uneven());
  mesh_->setVisible(mesh_shown_ && !split_folded_);
  split_->setVisible(stages);
  stage_card_->setVisible(stages);
}

int ComparePage::height_of_editors() const {
  if (split_folded_) return 0;
  int height = mesh_shown_ ? mesh_->sizeHint().height() : 0;
  if (!mesh_shown_ || mesh_->uneven()) height += split_->sizeHint().height() + stage_card_->sizeHint().height();
  return height;
}

void ComparePage::take_degree(int dimension, int value) {
  const auto of = static_cast<session::plans::MeshStudy::Dimension>(dimension);
  if (!mesh_study_.current()) return;  // the plan has just changed
  auto edited = mesh_study_.changed(of, value);
  if (!edited) return emit session_.notice(text::to_qstring(edited.error()));
  session_.change(
      mesh_study_.change_name(of, value),
      session::plans::with_plan_edited(session_.state(), session_.state().selected_plan, *std::move(edited)));
}

void ComparePage::take_best_degree() {
  if (!mesh_study_.current()) return;
  if (const auto step = study::mesh_editing::best_step(*mesh_study_.sheet()))
    take_degree(static_cast<int>(step->dimension), step->value);
  else
    emit session_.notice(tr("No single step along an unlocked dimension is faster and fits."));
}

/// The planner's options become the project's, so that they can be seen, changed and undone.
void ComparePage::search_unlocked() {
  if (!mesh_study_.mesh()) return;
  session::project::Planning planning = session_.state().question.planning;
  session::project::PlannerChoice& choice = planning.planners["mesh"];
  choice.compared = true;
  choice.options = study::mesh_editing::planner_options(*mesh_study_.mesh());
  const Seconds budget = planning.budget;
  session_.set_planning(planning);
  session_.search_longer("mesh", budget);
}

void ComparePage::show_fields(const Plan& plan) {
  plan_bar_->set_micro_batch(plan::micro_batch_sizes(plan), plan.micro_batch, plan.micro_batches,
                             plan::samples_per_replica(plan));
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
  dragged->utilization.reset();
  if (const auto* entry = session::project::find_plan(session_.state(), dragged->id); entry && plan_result)
    dragged->utilization =
        session::plans::figures_of(session_.state(), *entry, plan, *plan_result->simulation).utilization;
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
  if (!dragged || !dragged->simulation) return charts_->set_rows(unfolded(rows_));
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
  charts_->set_rows(unfolded(std::move(rows)));
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
  const int lines = height_of_lines();
  const int most = lines + (dense_ ? table_->height_of(dense_rows) : std::max(90, height() * 2 / 5));
  const int table = std::clamp(table_->full_height() + lines, std::min(90, most), most);
  constexpr int least_charts = 200, least_rows = 180;
  const int room = std::max(least_rows, height() - table - plan_bar_->sizeHint().height() - least_charts);
  const int editors = mesh_shown_ ? std::min(height_of_editors(), room) : height_of_editors();  // rows scroll
  const int split = plan_bar_->sizeHint().height() + editors;
  splitter_->setSizes({table, split, std::max(100, height() - table - split)});
}

void ComparePage::set_dense(bool dense) {
  if (dense == dense_) return;
  dense_ = dense;
  table_->set_dense(dense);
  show_provenance();
  if (!layout::moved_by_hand(*splitter_)) reset_layout();
}

/// Keeps the space of the folded split editor at its bar: what a splitter's handle takes there goes to the charts.
void ComparePage::limit_folded() {
  edited_->setMaximumHeight(split_folded_ ? plan_bar_->sizeHint().height() : QWIDGETSIZE_MAX);
}

void ComparePage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  // Later: the parts do not have the new font yet.
  QMetaObject::invokeMethod(
      this,
      [this] {
        limit_folded();
        fit_table();
      },
      Qt::QueuedConnection);
}

void ComparePage::set_split_folded(bool folded) {
  if (folded == split_folded_) return;
  split_folded_ = folded;
  const int table = splitter_->sizes().front();
  show_editors();
  plan_bar_->set_folded(folded);
  limit_folded();
  if (!layout::moved_by_hand(*splitter_)) return reset_layout();
  const int split = plan_bar_->sizeHint().height() + height_of_editors();  // the charts take what the editor leaves
  splitter_->setSizes({table, split, std::max(100, height() - table - split)});
}

void ComparePage::set_charts_only(bool on) {
  splitter_->widget(0)->setVisible(!on);
  edited_->setVisible(!on);
}

/// Counts the split editor as folded: a small window folds it, and must be able to become small.
QSize ComparePage::minimumSizeHint() const {
  int height = (splitter_->count() - 1) * splitter_->handleWidth();
  for (const QWidget* part : {splitter_->widget(0), static_cast<QWidget*>(plan_bar_), static_cast<QWidget*>(charts_)})
    height += part->minimumSizeHint().height();
  return {QWidget::minimumSizeHint().width(), height};
}

void ComparePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!laid_out_ && !layout::moved_by_hand(*splitter_)) reset_layout();
  laid_out_ = true;
}

}  // namespace pipedeck::ui::pages
