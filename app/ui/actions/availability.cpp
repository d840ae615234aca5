// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/availability.hpp"

#include <QAction>
#include <QVariant>

namespace pipedeck::ui::actions {

namespace {

constexpr const char* reason_key = "pipedeck_unavailable_reason";
constexpr const char* own_tip_key = "pipedeck_own_tool_tip";

/// Returns the tool tip that a program set; empty if it is only the text.
QString own_tip(const QAction& action) {
  QString text = action.text();
  text.remove(u'&');
  while (text.endsWith(QChar(0x2026))) text.chop(1);
  return action.toolTip() == text ? QString() : action.toolTip();
}

}  // namespace

void set_available(QAction& action, const QString& reason) {
  const QString before = action.property(reason_key).toString();
  if (before.isEmpty() && !reason.isEmpty()) action.setProperty(own_tip_key, own_tip(action));
  action.setProperty(reason_key, reason);
  action.setEnabled(reason.isEmpty());
  if (!reason.isEmpty())
    action.setToolTip(reason);
  else if (!before.isEmpty())
    action.setToolTip(action.property(own_tip_key).toString());
}

QString unavailable_reason(const QAction& action) {
  return action.isEnabled() ? QString() : action.property(reason_key).toString();
}

}  // namespace pipedeck::ui::actions
