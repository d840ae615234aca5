// SPDX-License-Identifier: GPL-3.0-or-later
// The selected span, docked below the charts: its device time by kind of operation and by stage, of one chart. While
// only the first end is set, it explains how to set the second.
#pragma once

#include <optional>

#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>

#include "app/models/gantt/measure.hpp"

class QHBoxLayout;
class QLabel;
class QTableWidget;
class QToolButton;

namespace pipedeck::views::gantt {

class View;
class TimeAxisController;

class SpanPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SpanPanel(TimeAxisController* link, QWidget* parent = nullptr);

  /// Sets the chart that is summed up and the name of its plan.
  void set_chart(View* chart, const QString& name);
  /// Restricts the sums by kind to the place of this index; nothing: all devices.
  void set_place(std::optional<std::size_t> place);
  const std::optional<models::gantt::SpanSums>& sums() const { return sums_; }
  /// Returns the span and the sums by kind and by stage as text, one per line.
  QStringList lines() const;
  /// Returns a row per place and kind: place, stages, devices, kind, operations, seconds, share of the device time.
  QString csv() const;
  QTableWidget& kinds() const { return *kinds_; }
  QTableWidget& places() const { return *places_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  QToolButton* add_button(QHBoxLayout* row, const QString& text, const char* name, const QString& tool_tip);
  void refresh();
  void fill_kinds();
  void fill_places();
  void apply_theme();
  QString title() const;
  QString place_name(const models::gantt::PlaceSums& place) const;

  TimeAxisController* link_;
  QPointer<View> chart_;
  QString name_;
  std::optional<models::gantt::SpanSums> sums_;
  std::optional<std::size_t> place_;
  QLabel *heading_ = nullptr, *length_ = nullptr, *details_ = nullptr;
  QTableWidget *kinds_ = nullptr, *places_ = nullptr;
  QWidget *buttons_ = nullptr, *tables_ = nullptr;
};

}  // namespace pipedeck::views::gantt
