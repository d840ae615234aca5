// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/accuracy_page.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/accuracy/error_figures.hpp"
#include "app/models/format.hpp"
#include "app/session/project/transformer_files.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/accuracy_rows.hpp"
#include "app/views/accuracy/filter_panel.hpp"
#include "app/views/accuracy/group_table.hpp"
#include "app/views/accuracy/run_panel.hpp"
#include "app/views/accuracy/scatter_view.hpp"
#include "app/views/widgets/empty_state.hpp"
#include "app/views/widgets/figure_row.hpp"
#include "app/views/widgets/segment_switch.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::pages {

namespace {

constexpr int wide_filter = 208, small_filter = 196, wide_run = 304, small_run = 280, least_run = 248;
constexpr int dense_below = 1300;  ///< pixels of the page: the panel of the run is narrow
constexpr int run_below = 980;     ///< and is shown only for a selected run
constexpr int min_centre = 360, min_chart = 220, min_table = 120;

QStringList group_texts() {
  QStringList texts;
  for (int i = 0; i < models::accuracy::group_by_count; ++i)
    texts << models::accuracy::group_by_text(static_cast<models::accuracy::GroupBy>(i));
  return texts;
}

}  // namespace

AccuracyPage::AccuracyPage(session::Session& session, dialogs::Dialogs dialogs, QWidget* parent)
    : QWidget(parent),
      session_(session),
      dialogs_(std::move(dialogs)),
      study_(session.jobs()),
      filter_(new views::accuracy::FilterPanel),
      figures_(new views::widgets::FigureRow),
      mode_(new views::widgets::SegmentSwitch({tr("Scatter"), tr("Ratio")}, QStringLiteral("accuracy_mode"))),
      by_(new views::widgets::SegmentSwitch(group_texts(), QStringLiteral("accuracy_by"))),
      chart_(new views::accuracy::ScatterView),
      groups_(new views::accuracy::GroupTable),
      run_(new views::accuracy::RunPanel),
      errors_title_(new QLabel(tr("Errors by group"))),
      reasons_(new QToolButton),
      empty_(new views::widgets::EmptyState(this)) {
  setObjectName(QStringLiteral("accuracy_page"));
  auto* scroll = new QScrollArea(this);  // a small window has less room than the content needs
  auto* content = new QWidget(scroll->viewport());
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(filter_);
  row->addWidget(make_centre(), 1);
  row->addWidget(run_);
  scroll->setObjectName(QStringLiteral("accuracy_scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  connect_views();
  fit_panels();
  show_runs();
}

QWidget* AccuracyPage::make_centre() {
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(views::widgets::ThemeSizes::margin, views::widgets::ThemeSizes::grid,
                             views::widgets::ThemeSizes::margin, 0);
  column->setSpacing(views::widgets::ThemeSizes::grid);
  figures_->setObjectName(QStringLiteral("accuracy_figures"));
  show_figures({});
  figures_->add_stretch();
  figures_->add(mode_);
  column->addWidget(figures_);
  auto* parts = new QSplitter(Qt::Vertical);
  parts->setObjectName(QStringLiteral("accuracy_splitter"));
  parts->setChildrenCollapsible(false);
  parts->setHandleWidth(views::widgets::ThemeSizes::grid);
  parts->addWidget(chart_);
  parts->addWidget(make_errors());
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 1);
  parts->setSizes({460, 240});
  column->addWidget(parts, 1);
  return centre;
}

QWidget* AccuracyPage::make_errors() {
  auto* errors = new QWidget;
  auto* column = new QVBoxLayout(errors);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(views::widgets::ThemeSizes::grid / 2);
  auto* head = new views::widgets::WrappingRow;
  reasons_->setObjectName(QStringLiteral("accuracy_reasons"));
  reasons_->setAutoRaise(true);
  reasons_->setFocusPolicy(Qt::StrongFocus);
  head->add(errors_title_);
  head->add(by_);
  head->add_stretch();
  head->add(reasons_);
  column->addWidget(head);
  column->addWidget(groups_, 1);
  return errors;
}

void AccuracyPage::connect_views() {
  connect(&study_, &session::accuracy::RunStudy::changed, this, &AccuracyPage::show_runs);
  connect(&study_, &session::accuracy::RunStudy::failed, this,
          [this](const QString& text) { dialogs_.error(this, tr("Add runs"), text); });
  connect(filter_, &views::accuracy::FilterPanel::filter_changed, this, &AccuracyPage::apply_filter);
  connect(filter_, &views::accuracy::FilterPanel::add_requested, this, &AccuracyPage::ask_for_runs);
  connect(mode_, &views::widgets::SegmentSwitch::chosen, this,
          [this](int mode) { chart_->set_mode(static_cast<models::accuracy::ScatterMode>(mode)); });
  connect(by_, &views::widgets::SegmentSwitch::chosen, this, &AccuracyPage::show_groups);
  connect(chart_, &views::accuracy::ScatterView::run_selected, this,
          [this](int row) { select(row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row))); });
  connect(run_, &views::accuracy::RunPanel::closed, this, [this] {
    chart_->setFocus();
    chart_->select({});
    select({});
  });
  connect(run_, &views::accuracy::RunPanel::run_requested, this, [this](int row) {
    chart_->setFocus();
    chart_->select(static_cast<std::size_t>(row));
    select(static_cast<std::size_t>(row));
  });
  connect(reasons_, &QToolButton::clicked, this, &AccuracyPage::show_reasons);
}

void AccuracyPage::ask_for_runs() {
  const QStringList files =
      dialogs_.open_files(this, tr("Add runs"), tr("Tables and training logs (*.csv *.log *.txt);;All files (*)"));
  if (files.isEmpty()) return;
  QStringList logs;
  std::ranges::copy_if(files, std::back_inserter(logs), session::accuracy::is_training_log);
  if (logs.isEmpty()) return open(files.front());
  const auto job = std::ranges::find_if(files, session::accuracy::is_job_file);
  open_logs(logs, job == files.end() ? QString() : *job,
            QString::fromStdString(session::project::known_device_type(session_.state())));
}

void AccuracyPage::show_published() {
  chart_->setFocus();  // the button is hidden
  study_.add_published();
}

void AccuracyPage::open_logs(const QStringList& logs, const QString& job, const QString& device) {
  study_.add(logs, job, device);
}

void AccuracyPage::show_runs() {
  if (!study_.running()) {
    std::vector<models::accuracy::RunRow> rows;
    for (const study::accuracy::Outcome& outcome : study_.outcomes()) rows.push_back(run_row(outcome));
    chart_->set_runs({}, {});
    rows_ = std::move(rows);
    choices_ = models::accuracy::RunChoices(rows_);
    apply_filter();
  }
  show_state();
}

void AccuracyPage::show_state() {
  filter_->setEnabled(!study_.running());
  if (!rows_.empty()) return empty_->say({});
  if (study_.running())
    return empty_->say({tr("Predicting the runs…"), tr("The chart appears when all of them are predicted."), {}});
  empty_->say({tr("How accurate are the predictions?"),
               tr("Each measured training run becomes a point: predicted over measured tokens per second. Show the "
                  "published runs that come with Pipedeck, or a table of your own. Help lists its columns."),
               {{tr("Show published runs"), [this] { show_published(); }},
                {tr("Open a table of runs…"), [this] { ask_for_runs(); }}}});
}

void AccuracyPage::apply_filter() {
  std::vector<std::size_t> shown = choices_.shown(filter_->filter());
  filter_->set_choices(choices_);
  show_figures(shown);
  const std::size_t without = rows_.size() - choices_.shown({}).size();
  reasons_->setText(tr("%1 of %2 runs").arg(QLocale().toString(shown.size()), QLocale().toString(rows_.size())));
  reasons_->setToolTip(tr("Shown runs. %1 runs have no point in the chart: click to list the reasons").arg(without));
  chart_->set_runs(rows_, std::move(shown));
  select(chart_->selected());
  show_groups();
}

void AccuracyPage::show_figures(const std::vector<std::size_t>& shown) {
  models::accuracy::Headline headline = models::accuracy::headline_of(rows_, shown);
  headline.ranked = study_.rank_correlation(shown);
  const QString none = QStringLiteral("–");
  const bool any = headline.errors.runs > 0;
  figures_->set_figures(
      {{any ? models::format_percent(headline.errors.mean) : none, tr("mean error"),
        tr("Mean of the absolute errors of the shown runs' tokens per second")},
       {any ? models::format_percent(headline.errors.within) : none,
        tr("within %1").arg(models::format_percent(models::accuracy::wide_band)),
        tr("Share of the shown runs with an error of at most this")},
       {headline.ranked ? models::decimal(*headline.ranked, 2) : none, tr("rank correlation"),
        tr("Spearman's correlation of predicted and measured speed over the mappings of one model on one machine, mean "
           "over those with five or more mappings")},
       {tr("%1 of %2").arg(QLocale().toString(headline.too_large), QLocale().toString(headline.errors.runs)),
        tr("ran, called too large"), tr("Runs whose memory is predicted not to fit, although they ran"),
        headline.too_large > 0},
       {headline.memories > 0 ? models::format_change(headline.memory_median) : none, tr("memory, median"),
        tr("Median error of the peak memory of %1 runs that print it").arg(headline.memories)}});
}

void AccuracyPage::show_groups() {
  const auto by = static_cast<models::accuracy::GroupBy>(by_->current());
  groups_->set_groups(by, models::accuracy::groups_of(rows_, chart_->shown(), by));
}

void AccuracyPage::show_reasons() {
  QString text = tr("| Runs | Reason |") + QStringLiteral("\n|---:|---|\n");
  std::vector<std::pair<int, QString>> reasons;
  for (const auto& [reason, count] : study_.reasons()) reasons.emplace_back(count, QString::fromStdString(reason));
  std::ranges::stable_sort(reasons, std::ranges::greater(), &std::pair<int, QString>::first);
  for (const auto& [count, reason] : reasons)
    text += QStringLiteral("| %1 | %2 |\n").arg(QLocale().toString(count), QString(reason).replace(u'|', u'/'));
  dialogs_.page(this, tr("Runs that are not comparable"), text);
}

void AccuracyPage::select(std::optional<std::size_t> row) {
  row ? run_->show_run(rows_[*row]) : run_->show_largest(rows_, chart_->shown());
  fit_panels();
}

/// Gives the panels their widths. In a narrow page the run's panel is shown only for a selected run.
void AccuracyPage::fit_panels() {
  const bool dense = width() < layout::zoomed(dense_below), narrow = width() < layout::zoomed(run_below);
  filter_->setFixedWidth(layout::zoomed(narrow ? small_filter : wide_filter));
  run_->setFixedWidth(layout::zoomed(narrow ? least_run : dense ? small_run : wide_run));
  chart_->setMinimumSize(layout::zoomed(min_centre), layout::zoomed(min_chart));
  groups_->setMinimumHeight(layout::zoomed(min_table));
  run_->setVisible(!narrow || chart_->selected().has_value());
}

void AccuracyPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_panels();
}

void AccuracyPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::PaletteChange) return;
  errors_title_->setFont(views::widgets::title_font(font()));
  fit_panels();
}

}  // namespace pipedeck::ui::pages
