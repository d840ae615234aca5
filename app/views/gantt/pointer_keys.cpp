// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/pointer_keys.hpp"

#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

#include "app/views/gantt/time_view.hpp"

namespace pipedeck::views::gantt {

namespace {

bool takes_text(const QWidget& widget) {
  if (const auto* text = qobject_cast<const QTextEdit*>(&widget)) return !text->isReadOnly();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(&widget)) return !text->isReadOnly();
  return qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QAbstractSpinBox*>(&widget);
}

/// Returns true for keys that belong to the place of the mouse. Arrows, Enter and Space belong to the focus.
bool of_pointer(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  if (event.key() == Qt::Key_Escape || event.key() == Qt::Key_Slash) return true;
  if (event.key() == Qt::Key_Plus || event.key() == Qt::Key_Minus || event.key() == Qt::Key_Equal) return true;
  return event.key() >= Qt::Key_A && event.key() <= Qt::Key_Z && !(event.modifiers() & Qt::ShiftModifier);
}

/// Triggers the action of an ancestor that has this key for its children.
bool trigger_action(const QWidget& view, const QKeyEvent& event) {
  for (const QWidget* widget = &view; widget; widget = widget->parentWidget())
    for (QAction* action : widget->actions())
      if (action->isEnabled() && action->shortcutContext() == Qt::WidgetWithChildrenShortcut &&
          action->shortcuts().contains(QKeySequence(event.key()))) {
        action->trigger();
        return true;
      }
  return false;
}

}  // namespace

TimeView* view_at_pointer(const QWidget& window) {
  for (QWidget* widget = QApplication::widgetAt(QCursor::pos()); widget; widget = widget->parentWidget())
    if (auto* view = qobject_cast<TimeView*>(widget)) return view->window() == &window ? view : nullptr;
  return nullptr;
}

PointerKeys::PointerKeys(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool PointerKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress || !watched->isWidgetType()) return false;
  const auto& focus = static_cast<const QWidget&>(*watched);
  auto* key = static_cast<QKeyEvent*>(event);
  if (!of_pointer(*key) || takes_text(focus) || QApplication::activePopupWidget()) return false;
  TimeView* view = view_at_pointer(*focus.window());
  if (!view || view == &focus) return false;
  return view->use_key(key) || trigger_action(*view, *key);
}

}  // namespace pipedeck::views::gantt
