// SPDX-License-Identifier: GPL-3.0-or-later
// The search field over the charts. It marks the matches in all charts and steps through them. Searches run in a
// background thread; further typing restarts them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QWidget>

#include "app/models/background_task.hpp"
#include "app/models/gantt/matches.hpp"

class QLabel;
class QLineEdit;
class QToolButton;

namespace pipedeck::views::gantt {

class View;
class TimeAxisController;

class ChartSearch : public QWidget {
  Q_OBJECT

 public:
  /// Calls `charts` for each search; it returns the charts to search, in order.
  ChartSearch(TimeAxisController* link, std::function<std::vector<View*>()> charts, QWidget* parent = nullptr);

  /// Shows the field and gives it the focus. Earlier matches stay.
  void open(const QString& text = {});
  void close_search();
  QString text() const;
  /// Searches the charts that have changed again.
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
  std::vector<std::shared_ptr<const models::gantt::Content>> contents() const;
  void take(const std::vector<std::shared_ptr<const models::gantt::Matches>>& found);
  void go(bool forward);
  /// Returns the selected match.
  std::optional<Place> current() const;
  std::optional<Place> step(bool forward) const;
  void tell();
  void say(const QString& text, bool problem);
  void apply_theme();

  TimeAxisController* link_;
  std::function<std::vector<View*>()> charts_;
  QLineEdit* field_;
  QLabel *told_, *syntax_;
  QToolButton *previous_, *next_, *close_;
  std::vector<std::shared_ptr<const models::gantt::Matches>> found_;  ///< by chart
  std::vector<std::shared_ptr<const models::gantt::Content>> searched_;
  bool problem_ = false;
  models::BackgroundTask background_;
};

}  // namespace pipedeck::views::gantt
