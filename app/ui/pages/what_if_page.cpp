// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/what_if_page.hpp"

#include <algorithm>

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/models/whatif/capacity_rows.hpp"
#include "app/models/whatif/what_if_rows.hpp"
#include "app/session/table_export.hpp"
#include "app/session/whatif/what_if_edits.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/pages/largest_text.hpp"
#include "app/ui/pages/scaling_rows.hpp"
#include "app/views/gantt/preview.hpp"
#include "app/views/whatif/capacity_pane.hpp"
#include "app/views/whatif/front_pane.hpp"
#include "app/views/whatif/largest_pane.hpp"
#include "app/views/whatif/panel.hpp"
#include "app/views/whatif/pareto_view.hpp"
#include "app/views/whatif/scaling_view.hpp"
#include "app/views/whatif/summary.hpp"
#include "app/views/whatif/upgrade_pane.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::pages {

namespace {

constexpr int settle_ms = 40;
constexpr int wide = 1000;  ///< pixels that allow three columns; below, two, and the page scrolls
constexpr int min_front = 360, min_purchases = 240;  ///< pixels of height, one above the other
/// Work of a search, in layers x layers x devices, up to which the front and purchases are searched automatically.
constexpr std::size_t max_unasked = 100'000;

std::optional<PlanCandidate> found_of(const session::whatif::StudyAnswer& answer) {
  return answer.best ? std::optional(answer.best->found) : std::nullopt;
}

constexpr study::capacity::SizeKind sizes_asked[] = {
    study::capacity::SizeKind::layers, study::capacity::SizeKind::hidden, study::capacity::SizeKind::sequence,
    study::capacity::SizeKind::micro_batch, study::capacity::SizeKind::global_batch};

QString points_filter() { return WhatIfPage::tr("Points of sweeps (*.points.json *.json);;All files (*)"); }

QStringList sizes_text() {
  QStringList words;
  for (const study::capacity::SizeKind kind : sizes_asked) words << session::whatif::size_text(kind);
  return words;
}

}  // namespace

WhatIfPage::WhatIfPage(session::Session& session, dialogs::Dialogs dialogs, QWidget* parent)
    : QWidget(parent),
      session_(session),
      dialogs_(std::move(dialogs)),
      study_(session.jobs()),
      capacity_study_(session.jobs()),
      scaling_study_(session.jobs()),
      largest_study_(session.jobs()),
      preview_(session.plan_simulator()),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel),
      panel_(new views::whatif::Panel),
      summary_(new views::whatif::Summary),
      front_(new views::whatif::FrontPane),
      buy_(new views::whatif::UpgradePane),
      capacity_(new views::whatif::CapacityPane),
      largest_(new views::whatif::LargestPane(sizes_text())),
      below_(new QSplitter(Qt::Horizontal)),
      tabs_(new QTabWidget) {
  setObjectName(QStringLiteral("what_if_page"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  stack_->addWidget(empty_);
  stack_->addWidget(make_content());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  settle_.setSingleShot(true);
  settle_.setInterval(settle_ms);
  connect_study();
  connect_views();
  connect_capacity();
  connect_largest();
}

QWidget* WhatIfPage::make_content() {
  auto* scroll = new QScrollArea(stack_);  // a small window has less room than the content needs
  auto* content = new QWidget(scroll->viewport());
  tabs_->setParent(content);
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(panel_);
  below_->setObjectName(QStringLiteral("what_if_splitter"));
  below_->setChildrenCollapsible(false);
  below_->setHandleWidth(2 * views::widgets::ThemeSizes::grid);
  below_->addWidget(front_);
  below_->addWidget(buy_);
  below_->setStretchFactor(0, 3);
  below_->setStretchFactor(1, 2);
  below_->setSizes({600, 400});
  auto* column = new QVBoxLayout;
  column->setContentsMargins(views::widgets::ThemeSizes::margin, views::widgets::ThemeSizes::grid,
                             views::widgets::ThemeSizes::margin, views::widgets::ThemeSizes::margin);
  column->setSpacing(views::widgets::ThemeSizes::margin);
  column->addWidget(summary_);
  tabs_->setObjectName(QStringLiteral("what_if_tabs"));
  tabs_->addTab(below_, tr("Plans and purchases"));
  tabs_->addTab(capacity_, tr("How many devices"));
  tabs_->addTab(largest_, tr("How large"));
  column->addWidget(tabs_, 1);
  row->addLayout(column, 1);
  scroll->setObjectName(QStringLiteral("what_if_scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(content);
  return scroll;
}

void WhatIfPage::connect_study() {
  connect(&study_, &session::whatif::WhatIfStudy::today_changed, this, &WhatIfPage::show_answer);
  connect(&study_, &session::whatif::WhatIfStudy::now_changed, this, [this] {
    show_answer();
    show_hints();
    preload();
  });
  connect(&study_, &session::whatif::WhatIfStudy::front_changed, this, &WhatIfPage::show_lists);
  connect(&study_, &session::whatif::WhatIfStudy::purchases_changed, this, &WhatIfPage::show_lists);
  connect(&study_, &session::whatif::WhatIfStudy::failed, this,
          [this](const QString& title, const QString& text) { dialogs_.error(this, title, text); });
  connect(&settle_, &QTimer::timeout, this, [this] { study_.set_change(panel_->change()); });
  connect(&preview_, &session::plans::PreviewSimulator::simulated, this,
          [this](std::int64_t, const Plan& plan, const std::shared_ptr<const study::PlanResult>& plan_result) {
            if (!picked_ || !(*picked_->plan == plan)) return;
            picked_simulation_ = plan_result ? plan_result->simulation : nullptr;
            show_answer();
          });
}

void WhatIfPage::connect_views() {
  connect(panel_, &views::whatif::Panel::changed, this, [this] {
    picked_.reset();
    front_->view().select({});
    settle_.start();
  });
  connect(summary_, &views::whatif::Summary::cluster_wanted, this, &WhatIfPage::save_cluster);
  connect(summary_, &views::whatif::Summary::plan_requested, this, [this] {
    if (const PlanCandidate* plan = shown()) save_plan(*plan);
  });
  connect(front_, &views::whatif::FrontPane::search_requested, &study_, &session::whatif::WhatIfStudy::find_front);
  connect(front_, &views::whatif::FrontPane::cancel_requested, &study_, &session::whatif::WhatIfStudy::cancel_front);
  connect(front_, &views::whatif::FrontPane::csv_requested, this,
          [this] { write_csv(tr("Export plans"), QStringLiteral("front.csv"), study_.front_csv()); });
  connect(front_, &views::whatif::FrontPane::plan_selected, this, &WhatIfPage::show_plan);
  connect(front_, &views::whatif::FrontPane::plan_activated, this, [this](int plan) {
    if (plan >= 0 && plan < static_cast<int>(front_->plans().size()))
      save_plan(front_->plans()[static_cast<std::size_t>(plan)]);
  });
  connect(buy_, &views::whatif::UpgradePane::search_requested, &study_, &session::whatif::WhatIfStudy::find_purchases);
  connect(buy_, &views::whatif::UpgradePane::cancel_requested, &study_,
          &session::whatif::WhatIfStudy::cancel_purchases);
  connect(buy_, &views::whatif::UpgradePane::csv_requested, this,
          [this] { write_csv(tr("Export purchases"), QStringLiteral("purchases.csv"), study_.purchases_csv()); });
  connect(buy_, &views::whatif::UpgradePane::chosen, this, &WhatIfPage::choose_purchase);
}

void WhatIfPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  pause_studies(false);
  refresh();
}

void WhatIfPage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  pause_studies(true);
}

void WhatIfPage::pause_studies(bool on) {
  study_.pause(on);
  capacity_study_.pause(on);
  scaling_study_.pause(on);
  largest_study_.pause(on);
}

void WhatIfPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool narrow = width() < wide;
  summary_->set_narrow(narrow);
  below_->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
  front_->setMinimumHeight(narrow ? min_front : 0);
  buy_->setMinimumHeight(narrow ? min_purchases : 0);
}

void WhatIfPage::refresh() {
  if (!isVisible()) return;
  const auto problem = session_.problem();
  stack_->setCurrentIndex(problem ? 1 : 0);
  if (!problem) {
    study_.forget();
    capacity_study_.forget();
    scaling_study_.forget();
    largest_study_.forget();
    empty_->setText(tr("Choose a model and a cluster to explore other hardware."));
    return;
  }
  std::vector<study::PlannerRequest> planners;
  for (const study::PlannerRequest& chosen :
       session::project::studied_planners(session_.state().question.planning, problem->profile.get()))
    planners.push_back({chosen.planner, chosen.options});
  const session::whatif::StudyRequest question{*problem, std::move(planners)};
  if (!study_.question() || !session::whatif::is_same_setup(*study_.question(), question)) {
    settle_.stop();
    picked_.reset();
    looked_around_ = false;
    study_.ask(question);
    show_base();
  }
  capacity_study_.ask(*problem);
  scaling_study_.ask(*problem);
  capacity_->set_sample_tokens(session::whatif::CapacityStudy::sample_tokens(*problem->profile));
  capacity_->set_base(static_cast<int>(problem->cluster->nodes.size()),
                      session::whatif::CapacityStudy::catalogue_types(), session::whatif::CapacityStudy::currency());
  largest_study_.ask(*problem);
  show_capacity();
  show_largest();
  show_answer();
  show_lists();
}

void WhatIfPage::show_base() {
  const Problem& problem = study_.question()->problem;
  views::whatif::Base base;
  base.scales = session::whatif::WhatIfStudy::scales(*problem.cluster);
  if (const DeviceType* type = find_device_type(*problem.cluster, base.scales.type)) base.type = *type;
  base.types = session::whatif::WhatIfStudy::device_types();
  base.global_batch = problem.workload.global_batch;
  base.micro_batch = problem.workload.micro_batch.value_or(0);
  base.min_measured = smallest_measured_micro_batch(*problem.profile);
  base.price_source = session::whatif::WhatIfStudy::price_source();
  panel_->set_base(base);
  panel_->set_change({});
}

const PlanCandidate* WhatIfPage::shown() const {
  if (picked_) return &*picked_;
  return study_.now().best ? &study_.now().best->found : nullptr;
}

void WhatIfPage::show_answer() {
  if (!study_.question()) return;
  const session::whatif::StudyAnswer &today = study_.current(), &now = study_.now();
  const auto before = found_of(today);
  const auto after = shown() ? std::optional(*shown()) : std::nullopt;
  summary_->set_rows(models::whatif::what_if_rows(before, after));
  const bool busy = study_.searching();
  const bool none = !after && !now.failure_reason.isEmpty();
  QString words = models::whatif::difference_text(before, after);
  if (none) words = tr("No plan: %1").arg(now.failure_reason);
  if (picked_) words = tr("Picked: %1").arg(words);
  if (!busy && !after && !none) words = tr("The search was cancelled. Move a slider to plan again.");
  summary_->set_text(words, none, busy);
  const bool changed = now.problem && now.change.changes_cluster() && !picked_;
  summary_->set_can_keep(changed, after.has_value());
  std::vector<views::gantt::Preview::Shown> previews{{tr("Today"), today.best ? today.best->simulation : nullptr}};
  previews.push_back({picked_ ? tr("Picked") : tr("Then"), picked_    ? picked_simulation_
                                                           : now.best ? now.best->simulation
                                                                      : nullptr});
  summary_->preview().set_shown(previews);
  if (now.problem) panel_->set_prices(now.problem->cluster->device_types);
  const std::optional<DeviceType>& type = panel_->change().type;
  const auto times = type ? study_.times_on(*type) : std::nullopt;
  panel_->set_times(times ? models::whatif::times_text(*times) : QString());
}

/// Starts the search once per question if it takes only seconds, so that the chart appears automatically.
void WhatIfPage::preload() {
  if (looked_around_ || !preload_ || !isVisible() || study_.searching() || !study_.current().final) return;
  looked_around_ = true;
  const Problem& problem = study_.question()->problem;
  const std::size_t layers = problem.profile->layers.size();
  if (layers * layers * devices_of(*problem.cluster).size() > max_unasked) return;
  study_.find_front();
  study_.find_purchases();
}

void WhatIfPage::show_lists() {
  const auto same = [](const PlanCandidate& a, const PlanCandidate& b) { return a.plan == b.plan; };
  if (!std::ranges::equal(front_->plans(), study_.front().items, same)) front_->set_plans(study_.front().items);
  buy_->set_rows(models::whatif::purchase_rows(study_.purchases().items));
  show_hints();
}

void WhatIfPage::show_hints() {
  show_front_hint();
  show_purchase_hint();
}

void WhatIfPage::show_front_hint() {
  const session::whatif::StudyList<PlanCandidate>& front = study_.front();
  const bool running = study_.finding_front();
  QString hint;
  if (running)
    hint = tr("Searching with every planner, cluster size and schedule. Plans so far: %1.").arg(front.items.size());
  else if (!front.failure_reason.isEmpty())
    hint = front.failure_reason;
  else if (!front.of)
    hint = tr("Each point is a plan: all planners, cluster sizes, micro-batches and schedules.");
  else if (!front.complete)
    hint = tr("Cancelled. More plans may exist.");
  else if (*front.of != study_.change())
    hint = tr("Out of date: the sliders have moved. Search again.");
  front_->set_state(hint, running);
}

void WhatIfPage::show_purchase_hint() {
  const session::whatif::StudyList<PurchaseGain>& purchases = study_.purchases();
  const bool running = study_.finding_purchases();
  QString hint;
  if (running)
    hint = tr("Planning with each purchase…");
  else if (!purchases.failure_reason.isEmpty())
    hint = purchases.failure_reason;
  else if (!purchases.of)
    hint = tr("Find the gain of a wider link, another node, other devices or more memory, each with new plans.");
  else if (!purchases.complete)
    hint = tr("Cancelled.");
  else if (*purchases.of != study_.change())
    hint = tr("Out of date: the sliders have moved.");
  buy_->set_state(hint, running);
}

/// Shows a plan; -1: the best plan again.
void WhatIfPage::show_plan(int plan) {
  picked_.reset();
  picked_simulation_.reset();
  preview_.cancel();
  const std::vector<PlanCandidate>& plans = front_->plans();
  if (plan >= 0 && plan < static_cast<int>(plans.size()) && study_.question()) {
    pick(plans[static_cast<std::size_t>(plan)]);
  }
  show_answer();
}

/// Shows a plan in place of the best one; its prediction follows when available.
void WhatIfPage::pick(const PlanCandidate& plan) {
  picked_ = plan;
  picked_simulation_.reset();
  Problem problem = study_.question()->problem;
  problem.cluster = picked_->cluster;
  problem.workload.global_batch = picked_->plan->global_batch;
  preview_.request(problem, *picked_->plan);
}

void WhatIfPage::connect_capacity() {
  connect(&capacity_study_, &session::whatif::CapacityStudy::changed, this, &WhatIfPage::show_capacity);
  connect(capacity_, &views::whatif::CapacityPane::goal_changed, this, &WhatIfPage::show_capacity);
  connect(&scaling_study_, &session::whatif::ScalingStudy::changed, this, &WhatIfPage::show_capacity);
  connect(capacity_, &views::whatif::CapacityPane::mode_changed, this, &WhatIfPage::show_capacity);
  connect(capacity_, &views::whatif::CapacityPane::search_requested, this, &WhatIfPage::find_capacity);
  connect(capacity_, &views::whatif::CapacityPane::cancel_requested, this,
          [this] { capacity_->scales() ? scaling_study_.cancel() : capacity_study_.cancel(); });
  connect(capacity_, &views::whatif::CapacityPane::csv_requested, this, [this] {
    if (capacity_->scales())
      write_csv(tr("Export sizes"), QStringLiteral("scaling.csv"), scaling_study_.csv(scaling_kind()));
    else if (const auto goal = capacity_->goal())
      write_csv(tr("Export points"), QStringLiteral("capacity.csv"), capacity_study_.csv(*goal));
  });
  connect(capacity_, &views::whatif::CapacityPane::keep_requested, this, &WhatIfPage::save_points);
  connect(capacity_, &views::whatif::CapacityPane::go_on_wanted, this, [this] {
    const QStringList files = dialogs_.open_files(this, tr("Continue from points"), points_filter());
    if (!files.isEmpty()) resume_from(files.front());
  });
  connect(&capacity_study_, &session::whatif::CapacityStudy::failed, this,
          [this](const QString& text) { dialogs_.error(this, tr("Keep points"), text); });
  connect(capacity_, &views::whatif::CapacityPane::chosen, this, &WhatIfPage::choose_capacity);
  connect(capacity_, &views::whatif::CapacityPane::activated, this, &WhatIfPage::receive_capacity);
}

session::whatif::ScalingKind WhatIfPage::scaling_kind() const {
  return capacity_->mode() == views::whatif::CapacityPane::Mode::weak ? session::whatif::ScalingKind::weak
                                                                      : session::whatif::ScalingKind::strong;
}

void WhatIfPage::find_capacity() {
  if (capacity_->scales()) return scaling_study_.find(scaling_kind(), capacity_->scaling_nodes());
  capacity_study_.find({capacity_->max_nodes(), capacity_->types()});
}

void WhatIfPage::show_capacity() { capacity_->scales() ? show_scaling() : show_points(); }

void WhatIfPage::show_scaling() {
  const session::whatif::ScalingKind kind = scaling_kind();
  const bool running = scaling_study_.running() && scaling_study_.kind() == kind;
  const models::whatif::ScalingContent content = scaling_content(scaling_study_, kind);
  capacity_->scaling().setVisible(!content.rows.empty());
  capacity_->scaling().set_content(content);
  capacity_->set_exportable(!content.rows.empty());
  const bool asked = scaling_study_.size_count(kind) > 0;
  const bool none = scaling_study_.complete(kind) && !content.has_plan();
  const bool unavailable = scaling_study_.kind() == kind && !scaling_study_.unavailable_reason().isEmpty();
  capacity_->set_state(scaling_words(scaling_study_, kind), running, asked && !scaling_study_.complete(kind),
                       none || unavailable);
}

void WhatIfPage::show_points() {
  const std::vector<CapacityFound> found = capacity_study_.found();
  const QString currency = QString::fromStdString(session::whatif::CapacityStudy::currency());
  const auto goal = capacity_->goal();
  const bool running = capacity_study_.running();
  if (goal) capacity_->set_rows(models::whatif::capacity_rows(*goal, found, currency));
  QString words = tr("Enter the amount of training. Plans for every cluster size show its duration and price.");
  if (goal && !found.empty()) words = models::whatif::capacity_text(*goal, found, currency);
  if (const QString& file = capacity_study_.file(); !file.isEmpty())
    words += QLatin1Char(' ') + tr("Points are saved in %1.").arg(QFileInfo(file).fileName());
  capacity_->set_exportable(!found.empty());
  capacity_->set_state(words, running, capacity_study_.asked() && !capacity_study_.complete());
}

void WhatIfPage::save_points() {
  QString file = dialogs_.save_file(this, tr("Keep points"), QStringLiteral("sweep.points.json"), points_filter());
  if (file.isEmpty()) return;
  if (!file.contains(QLatin1Char('.'))) file += QStringLiteral(".points.json");
  if (const auto kept = capacity_study_.keep_in(file); !kept)
    dialogs_.error(this, tr("Keep points"), text::to_qstring(kept.error()));
}

void WhatIfPage::resume_from(const QString& file) {
  refresh();
  if (const auto taken = capacity_study_.resume_from(file); !taken)
    return dialogs_.error(this, tr("Continue from points"), text::to_qstring(taken.error()));
  const session::whatif::CapacityReach& reach = *capacity_study_.reach();
  capacity_->set_reach(reach.max_nodes, reach.types != std::vector<std::string>{""});
  capacity_->set_mode(views::whatif::CapacityPane::Mode::points);
  tabs_->setCurrentWidget(capacity_);
}

/// Returns the plan of a row as it is shown; absent if it has none.
std::optional<PlanCandidate> WhatIfPage::capacity_plan(int row) const {
  const auto plan_at = [&](const auto& found) -> std::optional<PlanCandidate> {
    if (row < 0 || row >= static_cast<int>(found.size())) return std::nullopt;
    return found[static_cast<std::size_t>(row)].plan;
  };
  return capacity_->scales() ? plan_at(scaling_study_.found(scaling_kind())) : plan_at(capacity_study_.found());
}

void WhatIfPage::choose_capacity(int row) {
  if (!study_.question()) return;
  if (const auto plan = capacity_plan(row)) pick(*plan);
  show_answer();
}

void WhatIfPage::receive_capacity(int row) {
  if (const auto plan = capacity_plan(row); plan && plan->fits) save_plan(*plan);
}

void WhatIfPage::connect_largest() {
  connect(&largest_study_, &session::whatif::LargestStudy::changed, this, &WhatIfPage::show_largest);
  connect(largest_, &views::whatif::LargestPane::search_requested, this, [this] {
    largest_study_.find(sizes_asked[largest_->size()], {largest_->step().value_or(0), largest_->most().value_or(0)});
  });
  connect(largest_, &views::whatif::LargestPane::changed, this, &WhatIfPage::show_largest);
  connect(largest_, &views::whatif::LargestPane::cancel_requested, &largest_study_,
          &session::whatif::LargestStudy::cancel);
  connect(largest_, &views::whatif::LargestPane::keep_requested, this, &WhatIfPage::save_largest);
}

void WhatIfPage::show_largest() {
  views::whatif::LargestPane::Shown shown;
  shown.running = largest_study_.running();
  const auto& found = largest_study_.found();
  const auto problem = session_.problem();
  const QString missing =
      problem ? session::whatif::no_such_size(*problem->profile, sizes_asked[largest_->size()]) : QString();
  shown.can_find = missing.isEmpty();
  if (shown.running) {
    shown.words = {tr("Planning: %1").arg(largest_study_.doing())};
  } else if (!missing.isEmpty()) {
    shown.words = {missing};
  } else if (!largest_study_.unavailable_reason().isEmpty()) {
    shown.words = {largest_study_.unavailable_reason()};
    shown.bad = true;
  } else if (found) {
    shown.words = largest_text(*found);
    shown.rows = tried_rows(*found);
    shown.bad = !found->answer.size;
    shown.can_keep = found->answer.size.has_value();
  } else if (largest_study_.cancelled()) {
    shown.words = {tr("Cancelled.")};
  } else {
    shown.words = {tr("Choose the size to grow. Plans show the largest size that fits.")};
  }
  largest_->show_answer(shown);
}

void WhatIfPage::save_largest() {
  const auto& found = largest_study_.found();
  if (!found || !found->answer.size) return;
  session::project::Added added = session::whatif::with_largest(session_.state(), *found);
  const session::project::PlanEntry* entry = session::project::find_plan(added.state, added.id);
  const QString name = entry ? QString::fromStdString(entry->plan->name) : QString();
  session_.change(tr("Keep plan %1").arg(name), std::move(added.state));
  emit session_.notice(tr("%1 was added to the project.").arg(name));
}

void WhatIfPage::choose_purchase(int row) {
  const session::whatif::StudyList<PurchaseGain>& purchases = study_.purchases();
  if (row < 0 || row >= static_cast<int>(purchases.items.size()) || !purchases.of) return;
  picked_.reset();
  panel_->set_change(
      session::whatif::with_purchase(*purchases.of, purchases.items[static_cast<std::size_t>(row)].purchase.change));
  study_.set_change(panel_->change());
  show_answer();
}

void WhatIfPage::save_cluster() {
  if (!study_.now().problem) return;
  session::project::Added added =
      session::whatif::with_what_if_cluster(session_.state(), *study_.now().problem->cluster);
  const session::project::ClusterEntry* entry = session::project::find_cluster(added.state, added.id);
  const QString name = entry ? QString::fromStdString(entry->cluster->name) : QString();
  if (session_.change(tr("Add cluster %1").arg(name), std::move(added.state)))
    emit session_.notice(tr("%1 was added to the project.").arg(name));
  else
    emit session_.notice(tr("%1 is already in the project.").arg(name));
}

void WhatIfPage::save_plan(const PlanCandidate& found) {
  session::project::Added added = session::whatif::with_found_plan(session_.state(), found);
  const session::project::PlanEntry* entry = session::project::find_plan(added.state, added.id);
  const QString name = entry ? QString::fromStdString(entry->plan->name) : QString();
  session_.change(tr("Keep plan %1").arg(name), std::move(added.state));
  emit session_.notice(tr("%1 was added to the project.").arg(name));
}

void WhatIfPage::write_csv(const QString& title, const QString& name, const std::string& text) {
  QString file = dialogs_.save_file(this, title, name, tr("Tables (*.csv);;All files (*)"));
  if (file.isEmpty()) return;
  if (!file.contains(QLatin1Char('.'))) file += QStringLiteral(".csv");
  const QString failure = session::write_text(file, text);
  if (!failure.isEmpty()) return dialogs_.error(this, title, failure);
  emit session_.exported(file);
}

}  // namespace pipedeck::ui::pages
