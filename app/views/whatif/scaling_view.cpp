// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/scaling_view.hpp"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLegend>
#include <QLineSeries>
#include <QLocale>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QStackedBarSeries>
#include <QTableWidget>
#include <QVBoxLayout>
#include <QValueAxis>

#include "app/models/whatif/explain_rows.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::whatif {

namespace {

using models::whatif::ScalingRow;

constexpr int min_chart_width = 180, min_chart_height = 150;  ///< pixels
constexpr int min_plan = 120;                                 ///< pixels of the plan's column
constexpr double bar_width = 0.62;                            ///< of the room of a size

QString square(const QColor& colour, const QString& text) {
  return QStringLiteral("<span style='color:%1'>■</span>\u00a0%2").arg(colour.name(), text.toHtmlEscaped());
}

/// Returns a multiple of 10 % that is above all efficiencies, at least 100.
double top_of(const models::whatif::ScalingContent& content) {
  double top = 100;
  for (const ScalingRow& row : content.rows) top = std::max(top, std::ceil(row.efficiency * 10 - 1e-9) * 10);
  return top > 100 ? std::ceil(top / 25) * 25 : 100;
}

}  // namespace

ScalingView::ScalingView(QWidget* parent)
    : QWidget(parent),
      lines_(new QChart),
      bars_(new QChart),
      lines_title_(new QLabel),
      bars_title_(new QLabel(tr("Parts of the step, in %"))),
      legend_(new QLabel),
      line_sizes_(new QBarCategoryAxis),
      bar_sizes_(new QBarCategoryAxis),
      efficiency_axis_(new QValueAxis),
      share_axis_(new QValueAxis),
      rate_axis_(new QCategoryAxis),
      efficiency_(new QLineSeries),
      rate_(new QLineSeries),
      ideal_(new QLineSeries),
      whole_(new QLineSeries),
      shares_(new QStackedBarSeries),
      table_(new QTableWidget) {
  setObjectName(QStringLiteral("scaling_view"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  column->addWidget(make_charts(), 3);
  legend_->setObjectName(QStringLiteral("scaling_legend"));
  legend_->setWordWrap(true);
  legend_->setTextFormat(Qt::RichText);
  column->addWidget(legend_);
  make_table();
  column->addWidget(table_, 2);
  apply_theme();
}

QWidget* ScalingView::make_charts() {
  lines_view_ = make_chart(*lines_, "scaling_lines");
  bars_view_ = make_chart(*bars_, "scaling_bars");
  for (QLineSeries* line : {whole_, efficiency_, ideal_, rate_}) lines_->addSeries(line);
  bars_->addSeries(shares_);
  shares_->setBarWidth(bar_width);
  lines_->addAxis(line_sizes_, Qt::AlignBottom);
  lines_->addAxis(efficiency_axis_, Qt::AlignLeft);
  lines_->addAxis(rate_axis_, Qt::AlignRight);
  bars_->addAxis(bar_sizes_, Qt::AlignBottom);
  bars_->addAxis(share_axis_, Qt::AlignLeft);
  for (QLineSeries* line : {whole_, efficiency_}) line->attachAxis(line_sizes_), line->attachAxis(efficiency_axis_);
  for (QLineSeries* line : {ideal_, rate_}) line->attachAxis(line_sizes_), line->attachAxis(rate_axis_);
  shares_->attachAxis(bar_sizes_);
  shares_->attachAxis(share_axis_);
  share_axis_->setRange(0, 100);
  share_axis_->setTickCount(5);
  for (QValueAxis* axis : {efficiency_axis_, share_axis_}) axis->setLabelFormat(QStringLiteral("%.0f"));
  rate_axis_->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  rate_axis_->setGridLineVisible(false);
  auto* charts = new QWidget;
  auto* row = new QHBoxLayout(charts);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2 * widgets::ThemeSizes::grid);
  for (const auto& [title, view] : {std::pair(lines_title_, lines_view_), std::pair(bars_title_, bars_view_)}) {
    auto* part = new QVBoxLayout;
    part->setSpacing(2);
    title->setTextFormat(Qt::RichText);
    part->addWidget(title);
    part->addWidget(view, 1);
    row->addLayout(part, 1);
  }
  return charts;
}

QChartView* ScalingView::make_chart(QChart& chart, const char* name) {
  auto* view = new QChartView(&chart);
  view->setObjectName(QLatin1String(name));
  view->setFrameShape(QFrame::NoFrame);
  view->setMinimumSize(min_chart_width, min_chart_height);
  view->setFocusPolicy(Qt::NoFocus);
  view->setRenderHint(QPainter::Antialiasing);
  view->viewport()->setMouseTracking(true);
  view->viewport()->installEventFilter(this);
  chart.legend()->hide();
  chart.setLocale(QLocale());
  chart.setLocalizeNumbers(true);
  chart.setMargins({0, 0, 0, 0});
  chart.layout()->setContentsMargins(0, 0, 0, 0);
  chart.setBackgroundRoundness(0);
  chart.setPlotAreaBackgroundVisible(true);
  return view;
}

void ScalingView::make_table() {
  table_->setObjectName(QStringLiteral("scaling_table"));
  table_->setAccessibleName(tr("Scaling, one size of the cluster per row"));
  widgets::make_flat(*table_);
  table_->setItemDelegate(new widgets::FlatDelegate(table_));
  table_->setMinimumHeight(4 * widgets::table_row_height(font()));
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setSectionsClickable(false);
  table_->installEventFilter(this);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) { emit chosen(row); });
  connect(table_, &QTableWidget::activated, this, [this](const QModelIndex& at) { emit activated(at.row()); });
}

void ScalingView::set_content(const models::whatif::ScalingContent& content) {
  if (content == content_) return;
  content_ = content;
  show_lines();
  show_bars();
  show_table();
  describe();
  apply_theme();
}

void ScalingView::show_lines() {
  QStringList sizes;
  QList<QPointF> efficiencies, rates, ideals;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < content_.rows.size(); ++i) {
    const ScalingRow& row = content_.rows[i];
    const auto x = static_cast<double>(i);
    sizes << QLocale().toString(row.devices);
    if (!row.planned || row.per_second <= 0) continue;
    if (row.efficiency > 0) efficiencies << QPointF(x, 100 * row.efficiency);
    rates << QPointF(x, std::log10(row.per_second));
    const double ideal = row.efficiency > 0 ? content_.ideal(row) : row.per_second;
    if (row.efficiency > 0) ideals << QPointF(x, std::log10(ideal));
    low = low == 0 ? std::min(row.per_second, ideal) : std::min({low, row.per_second, ideal});
    high = std::max({high, row.per_second, ideal});
  }
  line_sizes_->setCategories(sizes);
  efficiency_->replace(efficiencies);
  rate_->replace(rates);
  ideal_->replace(ideals);
  const double edge = static_cast<double>(sizes.size()) - 0.5;
  whole_->replace(QList<QPointF>{{-0.5, 100}, {edge, 100}});
  const double top = top_of(content_);
  efficiency_axis_->setRange(0, top);
  efficiency_axis_->setTickCount(static_cast<int>(std::round(top / 25)) + 1);
  for (const QString& label : rate_axis_->categoriesLabels()) rate_axis_->remove(label);
  if (low <= 0) return;
  const std::vector<models::whatif::RateTick> ticks = models::whatif::rate_ticks(low, high);
  rate_axis_->setRange(std::log10(ticks.front().value), std::log10(ticks.back().value));
  rate_axis_->setStartValue(std::log10(ticks.front().value));
  for (const models::whatif::RateTick& tick : ticks) rate_axis_->append(tick.text, std::log10(tick.value));
}

void ScalingView::show_bars() {
  QStringList sizes;
  for (const ScalingRow& row : content_.rows) sizes << QLocale().toString(row.devices);
  shares_->clear();
  for (const TimePart part : content_.parts) {
    auto* set = new QBarSet(models::whatif::short_part_text(part));
    for (const ScalingRow& row : content_.rows) *set << 100 * row.shares[static_cast<std::size_t>(part)];
    shares_->append(set);
  }
  bar_sizes_->setCategories(sizes);
}

void ScalingView::show_table() {
  const QSignalBlocker quiet(table_);
  const int current = table_->currentRow();
  const QStringList header = models::whatif::scaling_header(content_);
  const auto count = static_cast<int>(header.size());
  table_->clear();
  table_->clearSpans();
  table_->setColumnCount(count);
  table_->setRowCount(static_cast<int>(content_.rows.size()));
  for (int c = 0; c < count; ++c) {
    auto* title = new QTableWidgetItem(header[c]);
    title->setTextAlignment(c == models::whatif::scaling_plan_column ? Qt::AlignLeft : Qt::AlignRight);
    const int part = c - (count - static_cast<int>(content_.parts.size()));
    if (part >= 0)
      title->setToolTip(
          tr("Share of the step: %1").arg(models::whatif::part_text(content_.parts[static_cast<std::size_t>(part)])));
    table_->setHorizontalHeaderItem(c, title);
  }
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (int r = 0; r < table_->rowCount(); ++r) {
    const ScalingRow& row = content_.rows[static_cast<std::size_t>(r)];
    const QStringList cells = models::whatif::scaling_cells(content_, row);
    const QString tip = row.note.isEmpty() ? models::whatif::scaling_lines(content_, row).join(u'\n') : row.note;
    for (int c = 0; c < cells.size(); ++c) {
      auto* cell = new QTableWidgetItem(cells[c]);
      const bool left = c == models::whatif::scaling_plan_column;
      cell->setTextAlignment((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
      cell->setToolTip(left && !row.planned ? row.reason : tip);
      if (!row.planned) cell->setForeground(theme.muted);
      table_->setItem(r, c, cell);
    }
    if (!row.planned)
      table_->setSpan(r, models::whatif::scaling_plan_column, 1, count - models::whatif::scaling_plan_column);
  }
  if (current >= 0 && current < table_->rowCount()) table_->setCurrentCell(current, 0);
  fit_columns();
}

/// Gives figures their widths, and the plan what is left. If that is too little, the table scrolls.
void ScalingView::fit_columns() {
  if (table_->columnCount() == 0) return;
  int figures = 0;
  for (int c = 0; c < table_->columnCount(); ++c) {
    if (c == models::whatif::scaling_plan_column) continue;
    int wide = table_->horizontalHeader()->sectionSizeHint(c);
    for (int r = 0; r < table_->rowCount(); ++r)
      if (const QTableWidgetItem* cell = table_->item(r, c))
        wide = std::max(wide, table_->fontMetrics().horizontalAdvance(cell->text()) + 2 * widgets::ThemeSizes::grid);
    table_->setColumnWidth(c, wide);
    figures += wide;
  }
  table_->setColumnWidth(models::whatif::scaling_plan_column,
                         std::max(min_plan, table_->viewport()->width() - figures));
}

void ScalingView::describe() {
  QStringList efficiencies, largest;
  for (const ScalingRow& row : content_.rows) {
    const QStringList lines = models::whatif::scaling_lines(content_, row);
    efficiencies << QStringLiteral("%1: %2").arg(lines[0], row.planned ? lines[3] : lines[1]);
    largest << lines.join(QStringLiteral(", "));
  }
  lines_view_->setAccessibleName(tr("Efficiency and throughput by devices"));
  lines_view_->setAccessibleDescription(efficiencies.join(QStringLiteral("; ")));
  bars_view_->setAccessibleName(tr("Parts of the step by devices"));
  bars_view_->setAccessibleDescription(largest.join(QStringLiteral("; ")));
}

QStringList ScalingView::card_lines(QChart& chart, const QPointF& at) const {
  if (!chart.plotArea().contains(at) || content_.rows.empty()) return {};
  QAbstractSeries* series = chart.series().first();
  const auto size = static_cast<int>(std::lround(chart.mapToValue(at, series).x()));
  if (size < 0 || size >= static_cast<int>(content_.rows.size())) return {};
  return models::whatif::scaling_lines(content_, content_.rows[static_cast<std::size_t>(size)]);
}

void ScalingView::copy() const { QApplication::clipboard()->setText(models::whatif::copied_text(content_)); }

bool ScalingView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copy();
    return true;
  }
  for (QChartView* view : {lines_view_, bars_view_}) {
    if (!view || watched != view->viewport()) continue;
    if (event->type() == QEvent::MouseMove) {
      const QPoint at = static_cast<QMouseEvent*>(event)->pos();
      QChart& chart = *view->chart();
      const QStringList lines = card_lines(chart, chart.mapFromScene(view->mapToScene(at)));
      if (!card_) card_ = new widgets::HoverCard(this);
      lines.isEmpty() ? card_->hide() : card_->show_at(view->mapTo(this, at), lines);
    }
    if (card_ && (event->type() == QEvent::Leave || event->type() == QEvent::Hide)) card_->hide();
  }
  return QWidget::eventFilter(watched, event);
}

void ScalingView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_columns();
}

void ScalingView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  show_table();
  apply_theme();
}

void ScalingView::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const QFont small = widgets::caption_font(font());
  for (QLabel* title : {lines_title_, bars_title_, legend_}) {
    title->setFont(small);
    widgets::set_text_colour(*title, theme.muted);
  }
  bars_title_->setFont(widgets::title_font(font()));
  widgets::set_text_colour(*bars_title_, theme.text);
  const QColor efficiency = theme.of_group(0), rate = theme.of_group(1);
  const QStringList series{square(efficiency, tr("efficiency in %")), square(rate, models::whatif::rate_text(content_)),
                           tr("dashed: ideal").toHtmlEscaped()};
  lines_title_->setText(series.join(QStringLiteral(" \u00a0")));
  QStringList parts;
  for (const TimePart part : content_.parts)
    parts << square(theme.of(part), models::whatif::part_text(part).replace(QLatin1Char(' '), QChar::Nbsp));
  legend_->setText(parts.join(QStringLiteral(" \u00a0")));
  for (QChart* chart : {lines_, bars_}) {
    chart->setBackgroundBrush(theme.window);
    chart->setBackgroundPen(Qt::NoPen);
    chart->setPlotAreaBackgroundBrush(theme.panel);
    chart->setPlotAreaBackgroundPen(QPen(theme.border, 1));
  }
  for (QChartView* view : {lines_view_, bars_view_}) view->setBackgroundBrush(theme.window);
  for (QAbstractAxis* axis :
       std::initializer_list<QAbstractAxis*>{line_sizes_, bar_sizes_, efficiency_axis_, share_axis_, rate_axis_}) {
    axis->setLabelsFont(small);
    axis->setLabelsBrush(theme.muted);
    axis->setLinePen(QPen(theme.border, 1));
    axis->setGridLinePen(QPen(theme.grid, 1));
  }
  for (QAbstractAxis* axis : std::initializer_list<QAbstractAxis*>{line_sizes_, bar_sizes_})
    axis->setGridLineVisible(false);
  QPen dashed(theme.muted, 1.2, Qt::CustomDashLine);
  dashed.setDashPattern({4, 3});
  whole_->setPen(dashed);
  dashed.setColor(rate);
  ideal_->setPen(dashed);
  efficiency_->setPen(QPen(efficiency, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  rate_->setPen(QPen(rate, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  for (QLineSeries* line : {efficiency_, rate_}) line->setPointsVisible(true);
  const QList<QBarSet*> sets = shares_->barSets();
  for (qsizetype i = 0; i < sets.size() && i < static_cast<qsizetype>(content_.parts.size()); ++i) {
    sets[i]->setColor(theme.of(content_.parts[static_cast<std::size_t>(i)]));
    sets[i]->setPen(Qt::NoPen);
  }
}

}  // namespace pipedeck::views::whatif
