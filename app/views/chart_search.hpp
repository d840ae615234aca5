// SPDX-License-Identifier: GPL-3.0-or-later
// The search field over charts: marks what it finds in all of them, and goes from one to the next. Searches run off the
// window's thread; typing on replaces one that is under way.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QWidget>

#include "app/models/background.hpp"
#include "app/models/gantt_matches.hpp"

class QLabel;
class QLineEdit;
class QToolButton;

namespace pipedeck::app {

class GanttView;
class TimeLink;

class ChartSearch : public QWidget {
  Q_OBJECT

 public:
  /// `charts`: those that are searched, in their order; asked anew for each search.
  ChartSearch(TimeLink* link, std::function<std::vector<GanttView*>()> charts, QWidget* parent = nullptr);

  /// Shows the field with the keyboard in it; what was found stays.
  void open(const QString& text = {});
  void close_search();
  QString text() const;
  /// The charts may have changed: looks again where they did.
  void refresh();
  void next() { go(true); }
  void previous() { go(false); }
  bool searching() const { return background_.running(); }
  std::size_t count() const;

 signals:
  void closed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Place {
    std::size_t chart, operation;
  };
  void build();
  void search();
  std::vector<std::shared_ptr<const GanttContent>> contents() const;
  void take(const std::vector<std::shared_ptr<const GanttMatches>>& found);
  void go(bool forward);
  /// The match that is selected.
  std::optional<Place> current() const;
  std::optional<Place> step(bool forward) const;
  void tell();
  void say(const QString& text, bool problem);
  void apply_theme();

  TimeLink* link_;
  std::function<std::vector<GanttView*>()> charts_;
  QLineEdit* field_;
  QLabel *told_, *syntax_;
  QToolButton *previous_, *next_, *close_;
  std::vector<std::shared_ptr<const GanttMatches>> found_;  ///< by chart
  std::vector<std::shared_ptr<const GanttContent>> searched_;
  bool problem_ = false;
  Background background_;
};

}  // namespace pipedeck::app
