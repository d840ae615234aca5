// SPDX-License-Identifier: GPL-3.0-or-later
// What lies between the two cursors of a measure: how long, and by what it is filled, of a whole chart and of the lane
// of the selected operation.
#pragma once

#include <vector>

#include <QPointer>
#include <QString>
#include <QWidget>

#include "app/models/gantt_measure.hpp"

class QPainter;

namespace pipedeck::app {

class GanttView;
class TimeLink;

class MeasureBar : public QWidget {
  Q_OBJECT

 public:
  explicit MeasureBar(TimeLink* link, QWidget* parent = nullptr);

  /// The chart that is told of, by a plan's name.
  void set_chart(GanttView* chart, const QString& name);
  /// All that it shows, a line each; for the clipboard too.
  QStringList lines() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent*) override;
  bool event(QEvent* event) override;

 private:
  struct Line {
    QString name;
    MeasuredTime time;
  };
  void refresh();
  QString span_text() const;
  static QString parts_text(const MeasuredTime& time);
  void paint_line(QPainter& painter, const Line& line, int top) const;

  TimeLink* link_;
  QPointer<GanttView> chart_;
  QString name_;
  std::vector<Line> lines_;
};

}  // namespace pipedeck::app
