// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/palette/install.hpp"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QPushButton>

#include "app/ui/palette/palette.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::palette {

namespace {

const QKeySequence palette_keys(Qt::CTRL | Qt::Key_K);

/// A button that looks like a search field.
class FieldButton : public QPushButton {
 public:
  explicit FieldButton(QWidget* parent) : QPushButton(parent) {
    setObjectName(QStringLiteral("palette_button"));
    setText(Palette::tr("Search or run a command"));
    setAccessibleName(text());
    setToolTip(Palette::tr("Find actions, plans, models, clusters and operations (%1)")
                   .arg(palette_keys.toString(QKeySequence::NativeText)));
    setFocusPolicy(Qt::NoFocus);
    setCursor(Qt::IBeamCursor);
    setFixedWidth(300);
  }
  QSize sizeHint() const override { return {300, fontMetrics().height() + 8}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    const auto& theme = views::widgets::Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(underMouse() ? theme.muted : theme.border, 1));
    painter.setBrush(theme.panel);
    const QRectF box = QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5);
    painter.drawRoundedRect(box, 6, 6);
    const QPointF lens(15, box.center().y() - 1);
    painter.setPen(QPen(theme.muted, 1.4, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(lens, 4, 4);
    painter.drawLine(lens + QPointF(3, 3), lens + QPointF(6, 6));
    painter.setFont(views::widgets::caption_font(font()));
    const QString keys = palette_keys.toString(QKeySequence::NativeText);
    const int width = painter.fontMetrics().horizontalAdvance(keys);
    painter.setPen(theme.muted);
    painter.drawText(box.adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter, keys);
    painter.setFont(font());
    painter.drawText(box.adjusted(28, 0, -width - 16, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, qRound(box.width()) - width - 44));
  }
};

/// Lets the palette's keys pass text fields, which delete to the end of the line with them.
class KeyPasser : public QObject {
 public:
  KeyPasser(QWidget* window) : QObject(window), window_(window) { qApp->installEventFilter(this); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride || !watched->isWidgetType()) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    if (QKeySequence(key->keyCombination()) != palette_keys) return false;
    if (static_cast<QWidget*>(watched)->window() != window_) return false;
    event->ignore();
    return true;
  }

 private:
  QWidget* window_;
};

}  // namespace

void install(const Parts& parts, QMenu* menu) {
  auto* palette = new Palette(
      parts.window, parts.settings,
      {[parts] {
         Entries all = action_entries(*parts.window);
         for (Entry& entry : project_entries(*parts.session, parts.choices)) all.push_back(std::move(entry));
         return all;
       },
       [parts](const QString& query) { return operation_entries(*parts.charts, query, parts.show_charts); }});
  QAction* action = menu->addAction(Palette::tr("Command &palette…"));
  action->setObjectName(QStringLiteral("action_palette"));
  action->setShortcut(palette_keys);
  action->setToolTip(Palette::tr("Find actions, plans, models, clusters and operations"));
  QObject::connect(action, &QAction::triggered, palette, [palette] { palette->open(); });
  new KeyPasser(parts.window);
  auto* button = new FieldButton(parts.window->menuBar());
  QObject::connect(button, &QPushButton::clicked, palette, [palette] { palette->open(); });
  QMenuBar& bar = *parts.window->menuBar();
  auto* corner = new QWidget(&bar);
  auto* row = new QHBoxLayout(corner);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(button);
  if (QWidget* other = bar.cornerWidget(Qt::TopRightCorner)) row->addWidget(other);
  bar.setCornerWidget(corner, Qt::TopRightCorner);
}

}  // namespace pipedeck::ui::palette
