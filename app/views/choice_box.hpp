// SPDX-License-Identifier: GPL-3.0-or-later
// A box whose list shows each choice with a small picture, its name and a line that says what it is. What can't be
// chosen is there too, and says why.
#pragma once

#include <functional>
#include <vector>

#include <QComboBox>
#include <QString>

#include "app/views/theme.hpp"

class QPainter;

namespace pipedeck::app {

struct Choice {
  QString key;      ///< what `chosen` tells
  QString title;    ///< in the closed box
  QString summary;  ///< one line
  QString why_not;  ///< empty: it can be chosen
  std::function<void(QPainter&, const QRectF&, const Theme&)> picture;
};

class ChoiceBox : public QComboBox {
  Q_OBJECT

 public:
  explicit ChoiceBox(QWidget* parent = nullptr);

  void set_choices(std::vector<Choice> choices);
  /// What is shown as chosen; nothing where there is no such key.
  void set_current(const QString& key);
  QString current() const;
  const std::vector<Choice>& choices() const { return choices_; }

  void showPopup() override;

 signals:
  void chosen(const QString& key);  ///< by the user, another than before

 private:
  void activate(int index);

  std::vector<Choice> choices_;
  QString shown_;
};

}  // namespace pipedeck::app
