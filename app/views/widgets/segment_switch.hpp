// SPDX-License-Identifier: GPL-3.0-or-later
// A row of joined buttons, of which one is chosen. Arrow keys move the choice.
#pragma once

#include <QWidget>

class QButtonGroup;

namespace pipedeck::views::widgets {

class SegmentSwitch : public QWidget {
  Q_OBJECT

 public:
  /// Names the buttons `name_0`, `name_1` and so on. The first is chosen.
  SegmentSwitch(const QStringList& texts, const QString& name, QWidget* parent = nullptr);

  int current() const;
  /// Emits no signal.
  void set_current(int segment);
  /// Sets whether a segment can be chosen, and its tool tip.
  void set_enabled(int segment, bool on, const QString& tip);

 signals:
  void chosen(int segment);

 private:
  QButtonGroup* buttons_;
};

}  // namespace pipedeck::views::widgets
