// SPDX-License-Identifier: GPL-3.0-or-later
// Tells Qt, once, which interface a painted view has for assistive technology.
#pragma once

#include <QAccessible>
#include <QString>

namespace pipedeck::app {

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

}  // namespace pipedeck::app
