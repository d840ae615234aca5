// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/run/live_chart.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QChart>
#include <QChartView>
#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineSeries>
#include <QLocale>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <QValueAxis>

#include "app/models/format.hpp"
#include "app/models/run/run_model.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::run {

NiceRange nice_range(double low, double high, int parts) {
  if (!(high > low)) {
    const double pad = std::max(std::abs(low) * 0.05, 1e-9);
    low -= pad, high += pad;
  }
  const double power = std::pow(10.0, std::floor(std::log10((high - low) / parts)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0}) {
    const double step = power * factor;
    const NiceRange range{std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
    if (range.high - range.low <= (parts + 1 + 1e-6) * step || factor == 20.0) return range;
  }
  return {};
}

namespace {

/// Sets range and ticks together. A wide range with the old, fine ticks would make Qt Charts lay out thousands of
/// labels.
void fit_axis(QValueAxis& axis, double low, double high, double step) {
  if (axis.min() == low && axis.max() == high && axis.tickInterval() == step) return;
  axis.setTickInterval(std::max(step, axis.tickInterval()));
  axis.setRange(low, high);
  axis.setTickInterval(step);
}

}  // namespace

LiveChart::LiveChart(const QString& name, const QString& title, const QString& unit, QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(title)),
      unit_(new QLabel(unit)),
      unit_text_(unit),
      chart_(new QChart),
      view_(new QChartView(chart_)),
      x_(new QValueAxis),
      y_(new QValueAxis),
      empty_(new QLabel(view_)) {
  setObjectName(name);
  setAccessibleName(title);
  setAccessibleDescription(tr("%1 over training steps, in %2").arg(title, unit));
  setToolTip(tr("%1 (%2) by step. Long runs are decimated, with their extremes").arg(title, unit));
  auto* head = new QHBoxLayout;
  head->addWidget(title_);
  head->addWidget(unit_, 1);
  unit_->setTextFormat(Qt::RichText);
  unit_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  unit_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // shows as much text as fits
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addLayout(head);
  column->addWidget(view_, 1);
  chart_->legend()->hide();
  chart_->setLocale(QLocale());
  chart_->setLocalizeNumbers(true);
  chart_->setMargins({0, 0, 0, 0});
  chart_->layout()->setContentsMargins(0, 0, 0, 0);
  chart_->setBackgroundRoundness(0);
  chart_->setPlotAreaBackgroundVisible(true);
  chart_->addAxis(x_, Qt::AlignBottom);
  chart_->addAxis(y_, Qt::AlignLeft);
  x_->setLabelFormat(QStringLiteral("%.0f"));
  y_->setLabelFormat(QStringLiteral("%.6g"));
  for (QValueAxis* axis : {x_, y_}) axis->setTickType(QValueAxis::TicksDynamic);
  x_->setGridLineVisible(false);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setMinimumSize(160, 96);
  view_->setFocusPolicy(Qt::NoFocus);
  view_->viewport()->setMouseTracking(true);
  view_->viewport()->installEventFilter(this);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
  empty_->hide();
  apply_theme(widgets::Theme::of(palette()));
  fit();
}

QColor LiveChart::colour_of(int series, const widgets::Theme& theme) const {
  if (beside(series)) return theme.of_group(series - side_);
  return lines_.size() == 1 && objectName() == QLatin1String("chart_loss") ? theme.bad : theme.of_group(series);
}

void LiveChart::set_series_count(int count) {
  has_points_ = false;
  last_x_ = seconds_ ? 0.0 : 1.0;
  if (static_cast<int>(lines_.size()) == count) return;
  while (static_cast<int>(lines_.size()) > count) {
    chart_->removeSeries(lines_.back());
    delete lines_.back();
    lines_.pop_back();
  }
  while (static_cast<int>(lines_.size()) < count) {
    auto* line = new QLineSeries(chart_);
    lines_.push_back(line);
    chart_->addSeries(line);
    line->attachAxis(x_);
    line->attachAxis(y_);
  }
  apply_theme(widgets::Theme::of(palette()));
}

void LiveChart::set_series_names(const QStringList& names) {
  if (names == names_) return;
  names_ = names;
  show_unit(widgets::Theme::of(palette()));
}

void LiveChart::set_side_series(int first, const QString& label) {
  if (side_ == first && side_text_ == label) return;
  side_ = first;
  side_text_ = label;
  apply_theme(widgets::Theme::of(palette()));
}

void LiveChart::set_empty_text(const QString& text) { empty_->setText(text); }

QString LiveChart::name_of(int series) const {
  if (series < names_.size()) return names_[series];
  return lines_.size() > 1 ? QStringLiteral("G%1").arg(series) : title_->text();
}

/// Returns each line's value at its nearest point.
QStringList LiveChart::hover_lines(double x) const {
  QStringList found;
  std::optional<double> at;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const QList<QPointF> points = lines_[i]->points();
    if (points.isEmpty()) continue;
    auto next = std::lower_bound(points.begin(), points.end(), x, [](const QPointF& p, double v) { return p.x() < v; });
    if (next == points.end() || (next != points.begin() && x - std::prev(next)->x() < next->x() - x))
      next = std::prev(next);
    if (!at) at = next->x();
    const QString value = QStringLiteral("%1 %2").arg(models::format_number(next->y(), 4), unit_text_);
    found << QStringLiteral("%1: %2").arg(name_of(static_cast<int>(i)), value);
  }
  if (!at) return {};
  found.prepend(seconds_ ? tr("%1 s").arg(models::decimal(*at, 1)) : tr("step %1").arg(models::decimal(*at, 0)));
  return found;
}

void LiveChart::hover_at(const QPointF& position) {
  const QPointF at = chart_->mapFromScene(view_->mapToScene(position.toPoint()));
  QStringList lines;
  if (chart_->plotArea().contains(at) && !lines_.empty())
    lines = hover_lines(chart_->mapToValue(at, lines_.front()).x());
  if (!card_) card_ = new widgets::HoverCard(this);
  if (lines.isEmpty()) return card_->hide();
  card_->show_at(view_->mapTo(this, position.toPoint()), lines);
}

bool LiveChart::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseMove) hover_at(static_cast<QMouseEvent*>(event)->position());
  if (card_ && (event->type() == QEvent::Leave || event->type() == QEvent::Hide)) card_->hide();
  return QWidget::eventFilter(watched, event);
}

void LiveChart::place_empty_text() {
  empty_->setVisible(!has_points_ && !empty_->text().isEmpty());
  if (empty_->isVisible()) empty_->setGeometry(chart_->plotArea().toRect().adjusted(8, 4, -8, -4));
}

void LiveChart::set_points(int series, const std::vector<QPointF>& points) {
  const QVector<QPointF> few = models::run::decimated(points, points_a_series());
  for (const QPointF& point : few) {
    lowest_ = has_points_ ? std::min(lowest_, point.y()) : point.y();
    highest_ = has_points_ ? std::max(highest_, point.y()) : point.y();
    has_points_ = true;
  }
  if (!few.isEmpty()) last_x_ = std::max(last_x_, few.back().x());
  lines_[static_cast<std::size_t>(series)]->replace(few);
  if (const bool now = few.size() < static_cast<qsizetype>(points.size()); now != decimated_) {
    decimated_ = now;
    show_unit(widgets::Theme::of(palette()));
  }
}

void LiveChart::set_predictions(const std::vector<double>& values, const QString& label) {
  if (values == predicted_ && (values.empty() || label == prediction_text_)) return;
  predicted_ = values;
  while (predictions_.size() > values.size()) {
    chart_->removeSeries(predictions_.back());
    delete predictions_.back();
    predictions_.pop_back();
  }
  while (predictions_.size() < values.size()) {
    auto* line = new QLineSeries(chart_);
    predictions_.push_back(line);
    chart_->addSeries(line);
    line->attachAxis(x_);
    line->attachAxis(y_);
  }
  prediction_text_ = values.empty() ? QString() : label;
  apply_theme(widgets::Theme::of(palette()));
  fit();
}

void LiveChart::set_axis(int steps, bool seconds) {
  steps_ = steps;
  if (seconds == seconds_) return;
  seconds_ = seconds;
  x_->setLabelFormat(seconds ? QStringLiteral("%.6g") : QStringLiteral("%.0f"));
  show_unit(widgets::Theme::of(palette()));
}

void LiveChart::set_least_range(double low, double high) {
  min_low_ = low;
  min_high_ = high;
  has_least_range_ = true;
}

void LiveChart::fit() {
  double low = 0, high = 1;
  bool any = false;
  const auto include = [&](double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  };
  if (has_points_) include(lowest_), include(highest_);
  for (double value : predicted_) include(value);
  if (has_least_range_) include(min_low_), include(min_high_);
  if (!any) low = 0, high = 1;
  const double pad = (high - low) * 0.06;
  const NiceRange y =
      nice_range(has_least_range_ ? low : low - pad, has_least_range_ ? high : high + pad, tick_parts());
  fit_axis(*y_, low >= 0 ? std::max(0.0, y.low) : y.low, y.high, y.step);
  const double end = std::max({last_x_, static_cast<double>(steps_), seconds_ ? 0.1 : 2.0});
  const NiceRange x = nice_range(0, end);
  fit_axis(*x_, 0, end, seconds_ ? x.step : std::max(1.0, x.step));
  for (std::size_t i = 0; i < predictions_.size(); ++i) {
    const QList<QPointF> line{{0.0, predicted_[i]}, {end, predicted_[i]}};
    if (predictions_[i]->points() != line) predictions_[i]->replace(line);
  }
  place_empty_text();
}

void LiveChart::apply_theme(const widgets::Theme& theme) {
  const auto paint_label = [](QLabel* label, const QColor& colour) {
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, colour);
    label->setPalette(palette);
  };
  title_->setFont(widgets::title_font(font()));
  unit_->setFont(widgets::caption_font(font()));
  paint_label(title_, theme.text);
  paint_label(unit_, theme.muted);
  paint_label(empty_, theme.muted);
  empty_->setFont(widgets::caption_font(font()));
  chart_->setBackgroundBrush(theme.window);
  chart_->setBackgroundPen(Qt::NoPen);
  chart_->setPlotAreaBackgroundBrush(theme.panel);
  chart_->setPlotAreaBackgroundPen(QPen(theme.border, 1));
  view_->setBackgroundBrush(theme.window);
  for (QValueAxis* axis : {x_, y_}) {
    axis->setLabelsFont(widgets::caption_font(font()));
    axis->setLabelsBrush(theme.muted);
    axis->setLinePen(QPen(theme.border, 1));
    axis->setGridLinePen(QPen(theme.grid, 1));
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i]->setPen(pen_of(static_cast<int>(i), theme));
  view_->setRenderHint(QPainter::Antialiasing, !crowded());
  for (std::size_t i = 0; i < predictions_.size(); ++i) {
    const bool own = predictions_.size() > 1;
    QPen pen(own ? theme.of_group(static_cast<int>(i)) : theme.muted, 1.3, Qt::CustomDashLine);
    pen.setDashPattern({4, 3});
    predictions_[i]->setPen(pen);
  }
  show_unit(theme);
}

/// Shows the unit and the meaning of dashed lines. With several lines it adds as many colour names as fit.
void LiveChart::show_unit(const widgets::Theme& theme) {
  QString said = seconds_ ? tr("%1 by second").arg(unit_text_) : tr("%1 by step").arg(unit_text_);
  if (decimated_) said = tr("%1 · decimated").arg(said);
  if (!side_text_.isEmpty()) said = tr("%1 · %2").arg(said, side_text_);
  if (!prediction_text_.isEmpty()) said = tr("%1 · %2").arg(said, prediction_text_);
  const QFontMetrics metrics(unit_->font());
  int room = unit_->width() - metrics.horizontalAdvance(said);
  if (room < 0) {
    unit_->setText(metrics.elidedText(said, Qt::ElideRight, unit_->width()).toHtmlEscaped());
    return;
  }
  QString text = said.toHtmlEscaped();
  const std::size_t own = side_ > 0 ? static_cast<std::size_t>(side_) : lines_.size();
  const std::size_t named = own > 1 ? std::min<std::size_t>(own, theme.group.size()) : 0;
  for (std::size_t i = 0; i < named; ++i) {
    const QString name = name_of(static_cast<int>(i));
    const QString gap = QStringLiteral("\u00a0 ");
    room -= metrics.horizontalAdvance(gap + QStringLiteral("■ ") + name);
    if (room < metrics.horizontalAdvance(QStringLiteral(" …")) && i + 1 < named) {
      text += QStringLiteral(" …");
      break;
    }
    text += gap + QStringLiteral("<span style='color:%1'>■</span> %2")
                      .arg(colour_of(static_cast<int>(i), theme).name(), name.toHtmlEscaped());
  }
  unit_->setText(text);
}

std::size_t LiveChart::points_a_series() const {
  return std::clamp(point_budget / std::max<std::size_t>(lines_.size(), 1), min_points, point_limit);
}

/// Returns a thin, plain pen for many lines: wide, smooth strokes would take longer to paint than the refresh interval.
QPen LiveChart::pen_of(int series, const widgets::Theme& theme) const {
  if (beside(series)) {
    QPen dotted(colour_of(series, theme), crowded() ? 1 : 1.5, Qt::CustomDashLine);
    dotted.setDashPattern({1, 2});
    return dotted;
  }
  if (crowded()) return QPen(colour_of(series, theme), 1);
  return QPen(colour_of(series, theme), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

int LiveChart::shown_points(int series) const {
  return static_cast<int>(lines_[static_cast<std::size_t>(series)]->count());
}

QWidget* LiveChart::view() const { return view_; }

/// Returns how many ticks fit. Qt Charts shortens labels to dots if ticks are closer than a line of text and its
/// margins.
int LiveChart::tick_parts() const {
  const double room = view_->height() - 2.5 * QFontMetricsF(widgets::caption_font(font())).height();
  return std::clamp(static_cast<int>(room / (2.2 * QFontMetricsF(widgets::caption_font(font())).height())), 1, 4);
}

void LiveChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  QMetaObject::invokeMethod(
      this,
      [this] {
        show_unit(widgets::Theme::of(palette()));
        fit();
      },
      Qt::QueuedConnection);
}

}  // namespace pipedeck::views::run
