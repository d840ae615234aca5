// SPDX-License-Identifier: GPL-3.0-or-later
// The rows and cards of the start page. Each is a button.
#pragma once

#include <memory>
#include <optional>

#include <QAbstractButton>

#include "core/model/simulation.hpp"

class QPainter;
class QRectF;

namespace pipedeck::views::widgets {
struct Theme;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::compare {

/// Paints the beginning of an iteration: a lane per stage, at most four of them. Needs no application.
void paint_schedule(QPainter& painter, const QRectF& area, const Timeline& timeline, const widgets::Theme& theme);

/// A row with two lines: a name and what it is, with two figures at the right.
class TwoLineRow : public QAbstractButton {
  Q_OBJECT

 public:
  struct Texts {
    QString name, about, figure, date;
    bool operator==(const Texts&) const = default;
  };
  explicit TwoLineRow(Texts texts, QWidget* parent = nullptr);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Texts texts_;
};

/// A card with the beginning of a simulated schedule, a title and two texts.
class ExampleCard : public QAbstractButton {
  Q_OBJECT

 public:
  ExampleCard(const QString& title, const QString& about, QWidget* parent = nullptr);

  /// Sets the drawn plan: its devices' lanes, one per stage, and its iteration time. Null: it has none.
  void set_plan(const QString& plan, const std::shared_ptr<const Simulation>& simulation);
  bool drawn() const { return simulation_ != nullptr; }
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString title_, about_, plan_;
  std::shared_ptr<const Simulation> simulation_;
};

}  // namespace pipedeck::views::compare
