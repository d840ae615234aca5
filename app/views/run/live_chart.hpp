// SPDX-License-Identifier: GPL-3.0-or-later
// A small line chart that follows a run: one replace() per series, at most 300 points each, and a dashed prediction.
#pragma once

#include <vector>

#include <QPen>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QWidget>

class QChart;
class QChartView;
class QLabel;
class QLineSeries;
class QValueAxis;

namespace pipedeck::views::widgets {
struct Theme;
class HoverCard;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::run {

class LiveChart : public QWidget {
  Q_OBJECT

 public:
  static constexpr std::size_t point_limit = 300;    ///< per line
  static constexpr std::size_t point_budget = 2400;  ///< over all lines, down to min_points per line
  static constexpr std::size_t min_points = 60;

  LiveChart(const QString& name, const QString& title, const QString& unit, QWidget* parent = nullptr);

  /// Creates that many lines.
  void set_series_count(int count);
  /// Names the lines for the tooltip and for assistive technology; empty: devices.
  void set_series_names(const QStringList& names);
  /// Draws lines from `first` on dotted, in the colours of the first ones. `label`, above the chart, explains them.
  void set_side_series(int first, const QString& label);
  /// Sets the text that is shown in the middle while no line has points.
  void set_empty_text(const QString& text);
  /// Returns "12.3 s" and one line per series for the points under the mouse; empty if nothing is drawn.
  QStringList hover_lines(double x) const;
  /// Sets all points of a line. The chart decimates them.
  void set_points(int series, const std::vector<QPointF>& points);
  /// Draws dashed horizontal lines: one in all or one per series. `label`, above the chart, explains them. Empty: none.
  void set_predictions(const std::vector<double>& values, const QString& label);
  /// Sets the x-axis to at least `steps`, in steps or seconds.
  void set_axis(int steps, bool seconds);
  /// Makes the y-axis include [low, high].
  void set_least_range(double low, double high);
  void fit();
  void apply_theme(const widgets::Theme& theme);

  int shown_points(int series) const;
  QWidget* view() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QColor colour_of(int series, const widgets::Theme& theme) const;
  QPen pen_of(int series, const widgets::Theme& theme) const;
  std::size_t points_a_series() const;
  bool crowded() const { return lines_.size() > 4; }
  void show_unit(const widgets::Theme& theme);
  int tick_parts() const;
  QString name_of(int series) const;
  bool beside(int series) const { return side_ > 0 && series >= side_; }
  void hover_at(const QPointF& position);
  void place_empty_text();

  QLabel* title_;
  QLabel* unit_;
  QString unit_text_;
  QChart* chart_;
  QChartView* view_;
  QValueAxis* x_;
  QValueAxis* y_;
  std::vector<QLineSeries*> lines_;
  std::vector<QLineSeries*> predictions_;
  std::vector<double> predicted_;
  QStringList names_;
  QString side_text_;
  int side_ = 0;                        ///< the first dotted line; 0: none
  widgets::HoverCard* card_ = nullptr;  ///< created when the mouse enters
  QLabel* empty_;
  QString prediction_text_;
  double min_low_ = 0, min_high_ = 0;
  double lowest_ = 0, highest_ = 0, last_x_ = 1;
  bool has_points_ = false;
  bool decimated_ = false;
  bool has_least_range_ = false;
  int steps_ = 0;
  bool seconds_ = false;
};

/// A range [low, high], widened to multiples of a 1-2-5 step that divides it into about `parts`.
struct NiceRange {
  double low = 0, high = 1, step = 1;
};
NiceRange nice_range(double low, double high, int parts = 4);

}  // namespace pipedeck::views::run
