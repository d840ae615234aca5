// SPDX-License-Identifier: GPL-3.0-or-later
// The measured span between two cursors: its length and what fills it, for a whole chart and for the lane of the
// selected operation.
#pragma once

#include <vector>

#include <QPointer>
#include <QString>
#include <QWidget>

#include "app/models/gantt/measure.hpp"

class QPainter;

namespace pipedeck::views::gantt {

class View;
class TimeAxisController;

class MeasureBar : public QWidget {
  Q_OBJECT

 public:
  explicit MeasureBar(TimeAxisController* link, QWidget* parent = nullptr);

  /// Sets the chart to measure and the name of its plan.
  void set_chart(View* chart, const QString& name);
  /// Returns everything that is shown, one entry per line; also for the clipboard.
  QStringList lines() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override;
  bool event(QEvent* event) override;

 private:
  struct Line {
    QString name;
    models::gantt::MeasuredTime time;
  };
  void refresh();
  QString span_text() const;
  static QString parts_text(const models::gantt::MeasuredTime& time);
  void paint_line(QPainter& painter, const Line& line, int top) const;

  TimeAxisController* link_;
  QPointer<View> chart_;
  QString name_;
  std::vector<Line> lines_;
};

}  // namespace pipedeck::views::gantt
