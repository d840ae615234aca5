// SPDX-License-Identifier: GPL-3.0-or-later
// Painted views whose parts are a list, for assistive technology: a child for each part, made when it is asked for.
#pragma once

#include <QRect>
#include <QString>

class QWidget;

namespace pipedeck::app {

/// What a view tells of its parts.
class AccessibleItems {
 public:
  virtual ~AccessibleItems() = default;
  virtual int item_count() const = 0;
  virtual QString item_text(int item) const = 0;
  virtual QRect item_rect(int item) const = 0;  ///< in the view; null where it is out of sight
  virtual bool item_selected(int) const { return false; }
  virtual bool items_can_be_pressed() const { return false; }
  virtual void press_item(int) {}
};

/// Once in a program for all such views; more do no harm.
void install_accessible_items();

}  // namespace pipedeck::app
