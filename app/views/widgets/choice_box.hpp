// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box whose list shows each choice with a small picture, its name and a one-line description. Unavailable
// choices are listed with the reason.
#pragma once

#include <functional>
#include <vector>

#include <QComboBox>
#include <QString>

#include "app/views/widgets/theme.hpp"

class QPainter;

namespace pipedeck::views::widgets {

struct Choice {
  QString key;                 ///< the argument of `chosen`
  QString title;               ///< in the closed box
  QString summary;             ///< one line
  QString unavailable_reason;  ///< empty: available
  std::function<void(QPainter&, const QRectF&, const Theme&)> picture;
};

class ChoiceBox : public QComboBox {
  Q_OBJECT

 public:
  explicit ChoiceBox(QWidget* parent = nullptr);

  void set_choices(std::vector<Choice> choices);
  /// Shows a choice as current; none if the key is unknown.
  void set_current(const QString& key);
  QString current() const;
  const std::vector<Choice>& choices() const { return choices_; }

  void showPopup() override;

 signals:
  void chosen(const QString& key);  ///< by the user, if it differs from the current one

 private:
  void activate(int index);

  std::vector<Choice> choices_;
  QString shown_;
};

}  // namespace pipedeck::views::widgets
