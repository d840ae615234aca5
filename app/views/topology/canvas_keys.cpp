// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard control of the drawing, and its field for names.
#include "app/views/topology/canvas.hpp"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QNativeGestureEvent>
#include <QToolTip>

#include "app/views/topology/accessible.hpp"

namespace pipedeck::views::topology {

bool Canvas::event(QEvent* event) {
  switch (event->type()) {
    case QEvent::NativeGesture: {
      const auto* gesture = static_cast<QNativeGestureEvent*>(event);
      if (gesture->gestureType() != Qt::ZoomNativeGesture) break;
      camera_.zoom_at(gesture->position(), 1 + gesture->value());
      fitted_ = false;
      stale();
      return true;
    }
    case QEvent::ToolTip: {
      const auto* help = static_cast<QHelpEvent*>(event);
      const auto hit = cluster_ ? scene_.hit(to_drawing(help->pos()), 8 / camera_.zoom) : std::nullopt;
      if (!hit) {
        QToolTip::hideText();
      } else if (hit->kind == models::topology::Hit::rack) {
        const models::topology::Rack& rack = scene_.racks[static_cast<std::size_t>(hit->index)];
        QToolTip::showText(
            help->globalPos(),
            QStringLiteral("<b>%1</b><br>%2").arg(rack.name.toHtmlEscaped(), rack.lines.join(QStringLiteral("<br>"))),
            this);
      } else {
        QToolTip::showText(help->globalPos(), tip_of(*hit), this);
      }
      return true;
    }
    default:
      break;
  }
  return QWidget::event(event);
}

QString Canvas::tip_of(const models::topology::Hit& hit) const {
  const bool on_label = hit.kind == models::topology::Hit::label;
  QString tip =
      on_label ? scene_.labels[static_cast<std::size_t>(hit.index)].text : models::topology::tool_tip(*cluster_, hit);
  if (!overlay_) return tip;
  QString more;
  if (hit.kind == models::topology::Hit::device) more = overlay_->device_text(hit.index);
  if (hit.kind == models::topology::Hit::link) more = overlay_->load_text({hit.index});
  if (on_label) more = overlay_->load_text(scene_.links_of(scene_.labels[static_cast<std::size_t>(hit.index)]));
  if (!more.isEmpty() && hit.kind != models::topology::Hit::device)
    more = tr("%1 of %2 in a step, each way").arg(more, overlay_->name);
  return more.isEmpty() ? tip : tip + QStringLiteral("<br>") + more;
}

void Canvas::keyPressEvent(QKeyEvent* event) {
  if (!handle_key(event)) QWidget::keyPressEvent(event);
}

bool Canvas::handle_key(QKeyEvent* event) {
  const bool alt = event->modifiers().testFlag(Qt::AltModifier);
  const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : models::topology::topology_grid;
  const auto arrow = [&](QPointF direction) {
    alt ? select_towards(direction) : nudge(direction * step);
    return true;
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return arrow({-1, 0});
    case Qt::Key_Right:
      return arrow({1, 0});
    case Qt::Key_Up:
      return arrow({0, -1});
    case Qt::Key_Down:
      return arrow({0, 1});
    case Qt::Key_PageDown:
      return select_next(1), true;
    case Qt::Key_PageUp:
      return select_next(-1), true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!group_selected()) return false;
      return set_groups_open(std::ranges::any_of(scene_.racks,
                                                 [&](const models::topology::Rack& rack) {
                                                   return rack.alike && rack.collapsed &&
                                                          selection_.places.contains(rack.members.front());
                                                 })),
             true;
    case Qt::Key_Space:
      if (!event->isAutoRepeat()) space_ = true;
      return update_cursor(), true;
    case Qt::Key_Escape:
      if (!busy() && selection_.empty()) return false;
      busy() ? cancel() : choose({});
      return true;
    default:
      return false;
  }
}

void Canvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->isAutoRepeat()) return;
  if (event->key() == Qt::Key_Space) {
    space_ = false;
    update_cursor();
  }
  const int key = event->key();
  const bool arrow = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
  if (arrow && gesture_ == Gesture::nudge) {
    gesture_ = Gesture::none;
    finish_move();
  }
  QWidget::keyReleaseEvent(event);
}

void Canvas::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  report_topology_selection(*this);
  update();
}

void Canvas::focusOutEvent(QFocusEvent* event) {
  space_ = false;
  if (gesture_ == Gesture::nudge) {
    gesture_ = Gesture::none;
    finish_move();
  }
  update_cursor();
  update();
  QWidget::focusOutEvent(event);
}

// ---- names

void Canvas::start_rename() {
  if (!cluster_ || busy()) return;
  QRectF area;
  if (renamed_.rack) {
    for (const models::topology::Rack& rack : scene_.racks)
      if (rack.name == renamed_.name) area = rack.header;
  } else if (selection_.places.size() == 1) {
    const auto end = scene_.find_end(*selection_.places.begin());
    if (!end || end->kind == models::topology::End::rack) return;
    renamed_.name = QString::fromStdString(*selection_.places.begin());
    area = end->kind == models::topology::End::node ? scene_.nodes[static_cast<std::size_t>(end->index)].header
                                                    : scene_.rect_of(*end);
  }
  // If exactly the nodes of one rack are selected, the rack is renamed.
  for (const models::topology::Rack& rack : scene_.racks)
    if (area.isNull() && !rack.alike &&
        selection_.places == std::set<std::string>(rack.members.begin(), rack.members.end())) {
      renamed_ = {true, rack.name};
      area = rack.header;
    }
  if (area.isNull()) return;
  QRect box = camera_.to_view(area).toRect();
  box.setSize(box.size().expandedTo(QSize(140, name_edit_->sizeHint().height())));
  name_edit_->setGeometry(box);
  name_edit_->setText(renamed_.name);
  name_edit_->selectAll();
  name_edit_->show();
  name_edit_->setFocus(Qt::OtherFocusReason);
  name_edit_->installEventFilter(this);
}

void Canvas::finish_rename(bool keep) {
  if (!name_edit_->isVisible()) return;
  const Name name = renamed_;
  const QString to = name_edit_->text().trimmed();
  const bool had_focus = name_edit_->hasFocus();
  renamed_ = {};
  {
    const QSignalBlocker quiet(name_edit_);  // when hidden it loses the focus, which must not end editing twice
    name_edit_->hide();
  }
  if (had_focus) setFocus(Qt::OtherFocusReason);
  if (!keep || to == name.name || !rename) return;
  if (const QString why = rename(name, to); !why.isEmpty()) show_message(why);
}

bool Canvas::eventFilter(QObject* watched, QEvent* event) {
  if (watched == name_edit_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    finish_rename(false);
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace pipedeck::views::topology
