// SPDX-License-Identifier: GPL-3.0-or-later
// A scaling over sizes of a cluster: efficiency and throughput as lines, the parts of each step as stacked bars, and
// a table with the figures of both. Ctrl+C copies the table.
#pragma once

#include <QWidget>

#include "app/models/whatif/scaling_content.hpp"

class QBarCategoryAxis;
class QCategoryAxis;
class QChart;
class QChartView;
class QLabel;
class QLineSeries;
class QStackedBarSeries;
class QTableWidget;
class QValueAxis;

namespace pipedeck::views::widgets {
class HoverCard;
}

namespace pipedeck::views::whatif {

class ScalingView : public QWidget {
  Q_OBJECT

 public:
  explicit ScalingView(QWidget* parent = nullptr);

  void set_content(const models::whatif::ScalingContent& content);
  const models::whatif::ScalingContent& content() const { return content_; }
  QTableWidget& table() const { return *table_; }
  QChart& lines() const { return *lines_; }
  QChart& bars() const { return *bars_; }
  /// Returns the texts of the card over a chart's point; empty outside of the sizes.
  QStringList card_lines(QChart& chart, const QPointF& at) const;
  void copy() const;

 signals:
  void chosen(int row);
  void activated(int row);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_charts();
  QChartView* make_chart(QChart& chart, const char* name);
  void make_table();
  void show_lines();
  void show_bars();
  void show_table();
  void fit_columns();
  void describe();
  void apply_theme();

  models::whatif::ScalingContent content_;
  QChart *lines_, *bars_;
  QChartView *lines_view_ = nullptr, *bars_view_ = nullptr;
  QLabel *lines_title_, *bars_title_, *legend_;
  QBarCategoryAxis *line_sizes_, *bar_sizes_;
  QValueAxis *efficiency_axis_, *share_axis_;
  QCategoryAxis* rate_axis_;
  QLineSeries *efficiency_, *rate_, *ideal_, *whole_;
  QStackedBarSeries* shares_;
  QTableWidget* table_;
  widgets::HoverCard* card_ = nullptr;  ///< created when the mouse enters
};

}  // namespace pipedeck::views::whatif
