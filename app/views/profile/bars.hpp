// SPDX-License-Identifier: GPL-3.0-or-later
// A model's layers as bars, times above and bytes below, on one axis of layers.
#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "app/views/widgets/accessible_items.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::views::profile {

class Bars : public QWidget, public widgets::AccessibleItems {
  Q_OBJECT

 public:
  explicit Bars(QWidget* parent = nullptr);

  void set_profile(std::shared_ptr<const Profile> profile);
  void select(int layer);  ///< -1: none

  int item_count() const override { return profile_ ? static_cast<int>(profile_->layers.size()) : 0; }
  QString item_text(int layer) const override;
  QRect item_rect(int layer) const override;
  bool item_selected(int layer) const override { return layer == selected_; }
  bool items_can_be_pressed() const override { return true; }
  void press_item(int layer) override { emit layer_clicked(layer); }

  QSize sizeHint() const override { return {700, 320}; }
  QSize minimumSizeHint() const override { return {300, 220}; }

 signals:
  void layer_clicked(int layer);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF plot() const;
  std::optional<int> layer_at(double x) const;

  std::shared_ptr<const Profile> profile_;
  std::optional<int> hovered_;
  int selected_ = -1;
};

}  // namespace pipedeck::views::profile
