// SPDX-License-Identifier: GPL-3.0-or-later
// The choice above the drawing: the dimension of parallelism whose groups are coloured, a line about them, and the
// button that places a plan's ranks in the cluster's order.
#pragma once

#include <array>

#include <QWidget>

class QLabel;
class QPushButton;

namespace pipedeck::views::widgets {
class SegmentSwitch;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::topology {

class GroupBar : public QWidget {
  Q_OBJECT

 public:
  static constexpr int choice_count = 6;  ///< TP, CP, EP, DP, PP, shards

  explicit GroupBar(QWidget* parent = nullptr);

  struct Choice {
    bool available = false;
    QString words;         ///< about its groups
    bool crosses = false;  ///< words are a warning
    bool operator==(const Choice&) const = default;
  };
  /// Keeps the chosen dimension if it is available.
  void set_choices(const std::array<Choice, choice_count>& choices);
  /// Returns the chosen dimension; -1: none.
  int current() const;
  /// Chooses as a click does.
  void choose(int choice);
  QString words() const;
  /// Offers to place the ranks in the cluster's order. `gain`: what it changes, in words.
  void offer_order(bool offered, const QString& gain = {});
  QPushButton& order() { return *order_; }

 signals:
  void chosen(int choice);
  void order_wanted();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_words();

  widgets::SegmentSwitch* switch_;
  QLabel *title_, *words_;
  QPushButton* order_;
  std::array<Choice, choice_count> choices_;
};

}  // namespace pipedeck::views::topology
