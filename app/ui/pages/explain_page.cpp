// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/explain_page.hpp"

#include <algorithm>
#include <tuple>

#include <QVBoxLayout>

#include "app/models/format.hpp"
#include "app/models/whatif/jitter_rows.hpp"
#include "app/ui/pages/accuracy_rows.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/views/whatif/explain_view.hpp"

namespace pipedeck::ui::pages {

namespace {

/// Returns "MPT 7B, 64 H100 · TP 2 · DP 32".
QString run_title(const study::accuracy::NearestRun& run) {
  const models::accuracy::RunRow row = run_row(run.outcome);
  return QStringLiteral("%1, %2 %3 · %4").arg(row.model).arg(row.gpus).arg(row.gpu, mapping_text(row));
}

}  // namespace

ExplainPage::ExplainPage(session::Session& session, QWidget* parent)
    : QWidget(parent), session_(session), view_(new views::whatif::ExplainView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  connect(view_, &views::whatif::ExplainView::plans_chosen, this, [this](int from, int to) {
    from_ = from;
    to_ = to;
    refresh();
  });
  connect(view_, &views::whatif::ExplainView::sensitivity_requested, this, [this] {
    const session::project::PlanEntry* entry =
        session::project::find_plan(session_.state(), session_.state().selected_plan);
    const auto problem = entry ? session::project::make_problem(session_.state(), *entry) : std::nullopt;
    if (problem && entry->feasible()) session_.explainer().find_sensitivity(*problem, entry->plan);
    refresh();
  });
  connect(view_, &views::whatif::ExplainView::variation_chosen, this, &ExplainPage::refresh);
  connect(view_, &views::whatif::ExplainView::cancel_requested, &session_.explainer(),
          &session::plans::Explainer::cancel_sensitivity);
  connect(&session_.explainer(), &session::plans::Explainer::changed, this, &ExplainPage::refresh);
  connect(&session_.jobs(), &session::work::Jobs::ended, this, &ExplainPage::refresh);
}

void ExplainPage::explain(int from, int to) {
  selected_ = session_.state().selected_plan;  // already taken into account
  from_ = from;
  to_ = to;
  refresh();
}

void ExplainPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void ExplainPage::refresh() {
  if (!isVisible()) return;
  choose_plans();
  show_published();
  show_waterfall();
  show_sensitivity();
  show_jitter();
}

/// Chooses from the fastest other plan of the same kind to the last selected one, until the user chooses.
void ExplainPage::choose_plans() {
  const session::project::State& state = session_.state();
  std::vector<const session::project::PlanEntry*> plans;
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(state))
    if (entry->feasible()) plans.push_back(entry);
  const auto there = [&](int id) {
    return std::ranges::find(plans, id, &session::project::PlanEntry::id) != plans.end();
  };
  if (state.selected_plan != selected_ || !there(to_)) {
    selected_ = state.selected_plan;
    if (there(selected_) && to_ != selected_) {
      if (from_ == selected_) from_ = to_;
      to_ = selected_;
    }
  }
  if (!there(to_)) to_ = plans.empty() ? 0 : plans.front()->id;
  const auto runs = published();
  const bool from_run = from_ < 0 && runs && static_cast<std::size_t>(-from_) <= runs->like.nearest.size();
  if (!from_run && (!there(from_) || from_ == to_)) {
    const session::project::PlanEntry* const shown = session::project::find_plan(state, to_);
    const auto time = [](const session::project::PlanEntry* e) {
      return e->plan->predicted ? e->plan->predicted->iteration.count : 1e300;
    };
    // Equal plans have nothing to explain, and a change of training is no faster plan.
    const auto rank = [&](const session::project::PlanEntry* e) {
      return std::tuple(e->plan->synchronous() != shown->plan->synchronous(), time(e) == time(shown), time(e));
    };
    from_ = runs && !runs->like.nearest.empty() ? -1 : 0;
    const session::project::PlanEntry* best = nullptr;
    for (const session::project::PlanEntry* entry : plans)
      if (entry->id != to_ && (!best || rank(entry) < rank(best))) best = entry;
    if (best) from_ = best->id;
  }
  std::vector<views::whatif::ExplainPlan> offered;
  for (const session::project::PlanEntry* entry : plans) offered.push_back({entry->id, title_of(*entry)});
  std::vector<views::whatif::ExplainPlan> measured;
  if (runs)
    for (const study::accuracy::NearestRun& run : runs->like.nearest)
      measured.push_back({-static_cast<int>(measured.size()) - 1, run_title(run)});
  view_->set_plans(offered, measured, from_, to_);
}

/// Returns the published runs next to the second plan; null: none, or not yet known.
std::shared_ptr<const session::plans::PublishedResult> ExplainPage::published() {
  const session::project::PlanEntry* const entry = session::project::find_plan(session_.state(), to_);
  const auto problem = entry ? session::project::make_problem(session_.state(), *entry) : std::nullopt;
  return problem && entry->feasible() ? session_.explainer().published(*problem, entry->plan) : nullptr;
}

void ExplainPage::show_published() {
  const auto runs = published();
  if (!runs) return view_->set_published({}, {});
  if (!runs->unavailable_reason.isEmpty()) return view_->set_published(runs->unavailable_reason, {});
  const auto& band = runs->like.band;
  if (!band)
    return view_->set_published(
        tr("Published runs like it: %1, too few for a band of measurements.").arg(runs->like.like), {});
  const auto ratio = [](double value) { return models::decimal(value, 2); };
  view_->set_published(tr("Published runs like it measured %1 to %2 of the predicted tokens/s; median %3.")
                           .arg(ratio(band->low), ratio(band->high), ratio(band->median)),
                       tr("At least eight in ten of the %1 published runs most like %2 are in this band.")
                           .arg(band->runs)
                           .arg(title_of(*session::project::find_plan(session_.state(), to_))));
}

/// Shows the way from a published run's measurement to the plan's prediction.
void ExplainPage::show_published_waterfall(const study::accuracy::NearestRun& run, const QString& plan) {
  std::vector<models::whatif::PartChange> changes{{tr("error of its prediction"), run.waterfall.error}};
  for (int i = 0; i < mesh::step_part_count; ++i)
    changes.push_back({part_name(static_cast<mesh::StepPart>(i)), run.waterfall.parts[static_cast<std::size_t>(i)]});
  view_->set_waterfall(models::whatif::token_rows(run_title(run), run.waterfall.from, changes, plan), {});
}

void ExplainPage::show_waterfall() {
  const session::project::State& state = session_.state();
  if (const auto runs = from_ < 0 ? published() : nullptr)
    return show_published_waterfall(runs->like.nearest[static_cast<std::size_t>(-from_ - 1)],
                                    title_of(*session::project::find_plan(state, to_)));
  const session::project::PlanEntry *from = session::project::find_plan(state, from_),
                                    *to = session::project::find_plan(state, to_);
  if (!from || !to)
    return view_->set_waterfall({},
                                tr("Compare plans first. A waterfall then shows the difference between two of them."));
  const auto a = session_.explanation(*from), b = session_.explanation(*to);
  for (const auto& known : {a, b})
    if (known && !known->unavailable_reason.isEmpty()) return view_->set_waterfall({}, known->unavailable_reason);
  if (!a || !b) return view_->set_waterfall({}, tr("Being computed…"));
  view_->set_waterfall(models::whatif::waterfall_rows(waterfall(a->parts, b->parts), title_of(*from), title_of(*to)),
                       {});
}

void ExplainPage::show_sensitivity() {
  const session::project::State& state = session_.state();
  const session::project::PlanEntry* entry = session::project::find_plan(state, state.selected_plan);
  const auto problem = entry ? session::project::make_problem(state, *entry) : std::nullopt;
  const bool running = session_.explainer().finding_sensitivity();
  if (!problem || !entry->feasible()) return view_->set_sensitivity({}, tr("Select a plan first."), running);
  const auto known = session_.explainer().sensitivity(*problem, entry->plan);
  view_->set_sensitivity(
      known ? models::whatif::sensitivity_rows(*known) : std::vector<models::whatif::BarRow>(),
      running ? tr("Being computed…") : tr("Find the links, devices and memory that limit %1.").arg(title_of(*entry)),
      running, known ? to_seconds(known->iteration).count : 0);
}

/// Shows the jitter of both plans, the visible one first.
void ExplainPage::show_jitter() {
  const session::project::State& state = session_.state();
  JitterOptions options;
  options.variation = view_->variation();
  std::vector<models::whatif::JitterShown> shown;
  QString why_not;
  for (const int id : {to_, from_}) {
    const session::project::PlanEntry* entry = session::project::find_plan(state, id);
    const auto problem = entry ? session::project::make_problem(state, *entry) : std::nullopt;
    if (!problem || !entry->feasible()) continue;
    const auto known = session_.explainer().band(*problem, entry->plan, options);
    if (!known)
      why_not = tr("Being computed…");
    else if (!known->unavailable_reason.isEmpty())
      why_not = known->unavailable_reason;
    else
      shown.push_back({title_of(*entry), known->band});
  }
  if (shown.empty() && why_not.isEmpty()) why_not = tr("Make a plan first.");
  view_->set_jitter(models::whatif::jitter_rows(shown), why_not);
}

}  // namespace pipedeck::ui::pages
