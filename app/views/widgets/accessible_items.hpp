// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of painted views whose parts form a list: one child per part, created on request.
#pragma once

#include <QRect>
#include <QString>

class QWidget;

namespace pipedeck::views::widgets {

/// An interface through which a view describes its parts.
class AccessibleItems {
 public:
  virtual ~AccessibleItems() = default;
  virtual int item_count() const = 0;
  virtual QString item_text(int item) const = 0;
  virtual QRect item_rect(int item) const = 0;  ///< in the view; null where it is not visible
  virtual bool item_selected(int) const { return false; }
  virtual bool items_can_be_pressed() const { return false; }
  virtual void press_item(int) {}
};

/// Installs the factory for all such views. Further calls have no effect.
void install_accessible_items();

}  // namespace pipedeck::views::widgets
