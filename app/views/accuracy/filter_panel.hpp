// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of published runs: a search field, and choices with their numbers of runs.
#pragma once

#include <array>
#include <vector>

#include <QWidget>

#include "app/models/accuracy/run_filter.hpp"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace pipedeck::views::accuracy {

class FilterPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FilterPanel(QWidget* parent = nullptr);

  /// Shows the choices of `choices` under the present filter. Emits no signal.
  void set_choices(const models::accuracy::RunChoices& choices);
  const models::accuracy::RunFilter& filter() const { return filter_; }
  void set_filter(const models::accuracy::RunFilter& filter);

 signals:
  void filter_changed();
  void add_requested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Line {
    QString key;
    QWidget* box;
    QCheckBox* check;
    QLabel* count;
  };
  struct Group {
    QLabel* heading;
    QVBoxLayout* column;
    std::vector<Line> lines;
  };
  QWidget* make_head();
  QWidget* make_foot();
  void make_group(models::accuracy::Section section, QVBoxLayout* column);
  void make_lines(models::accuracy::Section section, const std::vector<models::accuracy::FilterChoice>& choices);
  void toggle(models::accuracy::Section section, const QString& key);
  void apply_theme();

  models::accuracy::RunFilter filter_;
  QLabel *title_, *hint_;
  QToolButton* reset_;
  QLineEdit* search_;
  QPushButton* add_;
  std::array<Group, models::accuracy::section_count> groups_;
};

}  // namespace pipedeck::views::accuracy
