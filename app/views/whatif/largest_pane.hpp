// SPDX-License-Identifier: GPL-3.0-or-later
// The largest model or batch that fits: the size to grow, the answer in sentences, and a bar for each planned size.
#pragma once

#include <optional>
#include <vector>

#include <QStringList>
#include <QWidget>

#include "app/models/whatif/explain_rows.hpp"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace pipedeck::views::widgets {
class BarTable;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

class LargestPane : public QWidget {
  Q_OBJECT

 public:
  /// Takes the names of the sizes that can grow.
  explicit LargestPane(const QStringList& sizes, QWidget* parent = nullptr);

  int size() const;  ///< index in `sizes`
  /// Returns nothing for the default of this size.
  std::optional<int> step() const;
  std::optional<int> most() const;

  struct Shown {
    QStringList words;  ///< the first is bold
    std::vector<models::whatif::BarRow> rows;
    bool bad = false;  ///< nothing was found
    bool running = false;
    bool can_find = true, can_keep = false;
  };
  void show_answer(const Shown& shown);
  widgets::BarTable& table() const { return *table_; }
  QString words() const;

 signals:
  void search_requested();
  void cancel_requested();
  void keep_requested();
  void changed();  ///< another size, step or limit

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_head(const QStringList& sizes);
  QSpinBox* make_count(const char* name, const QString& tip);
  void apply_theme();

  QComboBox* size_ = nullptr;
  QSpinBox *step_ = nullptr, *most_ = nullptr;
  QLabel *answer_ = nullptr, *words_ = nullptr;
  QPushButton *find_ = nullptr, *keep_ = nullptr;
  widgets::BarTable* table_ = nullptr;
  bool running_ = false, bad_ = false;
};

}  // namespace pipedeck::views::whatif
