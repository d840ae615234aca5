// SPDX-License-Identifier: GPL-3.0-or-later
// The state that all time-based views of a window share: the visible span, the cursor, the selected operation, the
// measured span and the flags. Views with the same link zoom, pan and select together.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QObject>
#include <QString>

#include "app/models/gantt/flag.hpp"
#include "app/models/gantt/time_axis.hpp"
#include "core/model/schedule.hpp"

namespace pipedeck::views::gantt {

/// An operation of one of several charts; the others show the one with the same kind, stage and micro-batch.
struct SelectedOperation {
  int chart = 0;             ///< View::chart_id of the chart in which it was selected
  std::size_t position = 0;  ///< in that chart's timeline columns
  Operation operation;
  bool operator==(const SelectedOperation&) const = default;
};

/// A span between two cursors. Until the second is set, it ends at the mouse.
struct TimeMeasure {
  double from = 0;           ///< ns
  std::optional<double> to;  ///< ns; before or after `from`
  bool operator==(const TimeMeasure&) const = default;
};

class TimeAxisController : public QObject {
  Q_OBJECT

 public:
  explicit TimeAxisController(QObject* parent = nullptr) : QObject(parent) {}

  const models::gantt::TimeAxis& axis() const { return axis_; }
  std::optional<double> cursor() const { return cursor_; }  ///< ns
  const std::optional<SelectedOperation>& selection() const { return selection_; }
  const std::optional<TimeMeasure>& measure() const { return measure_; }
  /// Returns the ends of the measured span in order, or nothing while there is no span.
  std::optional<std::pair<double, double>> span() const;
  /// Returns the span that a drag will zoom to.
  const std::optional<std::pair<double, double>>& zoom_span() const { return zoom_span_; }
  const std::vector<models::gantt::Flag>& flags() const { return flags_; }
  /// Returns the pixels left of the plots, equal in all views so that their times align.
  int label_width() const { return label_width_; }

  void set_axis(const models::gantt::TimeAxis& axis);
  /// Sets the whole span (ns from 0): that of the longest chart. "Fit" shows `fit` of it, or all of it if `fit` is 0. A
  /// fitted axis stays fitted.
  void set_full(double full, double fit = 0);
  void set_cursor(std::optional<double> time);
  void set_selection(const std::optional<SelectedOperation>& selection);
  void set_measure(const std::optional<TimeMeasure>& measure);
  /// Sets the first cursor, or the second if only the first is set.
  void mark(double time);
  void set_zoom_span(const std::optional<std::pair<double, double>>& span);
  /// Sets the flags that are drawn. Their owner answers `flags_edited` with new ones.
  void set_flags(const std::vector<models::gantt::Flag>& flags);
  /// Requests another flag. Times are limited to the full span.
  void add_flag(models::gantt::Flag flag);
  /// Requests the flag at `index` with another note, or none if `flag` is empty.
  void change_flag(std::size_t index, const std::optional<models::gantt::Flag>& flag);
  void set_label_width(int width);

  void zoom(double factor, double anchor) { set_axis(axis_.zoomed(factor, anchor)); }
  void pan(double time) { set_axis(axis_.panned(time)); }
  void fit() { set_axis(axis_.fitted()); }
  /// Pans by the least amount that brings [begin, end] into view.
  void reveal(double begin, double end);
  /// Centres [begin, end), and zooms in until it is wide enough to see.
  void centre(double begin, double end);
  void zoom_to(double from, double to) { set_axis(axis_.showing(from, to)); }

 signals:
  void axis_changed();
  void cursor_changed();
  void selection_changed();
  void measure_changed();
  void label_width_changed();
  void flags_changed();
  /// The user added, changed or removed a flag; `name` is the name of the undo step.
  void flags_edited(const std::vector<pipedeck::models::gantt::Flag>& flags, const QString& name);

 private:
  models::gantt::TimeAxis axis_;
  std::optional<double> cursor_;
  std::optional<SelectedOperation> selection_;
  std::optional<TimeMeasure> measure_;
  std::optional<std::pair<double, double>> zoom_span_;
  std::vector<models::gantt::Flag> flags_;
  int label_width_ = 84;
};

}  // namespace pipedeck::views::gantt
