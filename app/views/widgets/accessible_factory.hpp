// SPDX-License-Identifier: GPL-3.0-or-later
// Registers with Qt, once per process, the accessibility interface of a painted view.
#pragma once

#include <QAccessible>
#include <QString>

namespace pipedeck::views::widgets {

template <class Interface, class View>
void install_accessible() {
  static const bool once = [] {
    QAccessible::installFactory([](const QString&, QObject* object) -> QAccessibleInterface* {
      auto* view = qobject_cast<View*>(object);
      return view ? new Interface(view) : nullptr;
    });
    return true;
  }();
  (void)once;
}

}  // namespace pipedeck::views::widgets
