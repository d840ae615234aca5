// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/zoom.hpp"

#include <algorithm>
#include <array>

#include <QApplication>
#include <QEvent>
#include <QFont>
#include <QList>
#include <QPointer>
#include <QVariant>
#include <QWidget>

namespace pipedeck::ui::layout {

namespace {

constexpr std::array zoom_steps{60, 75, 90, 100, 110, 125, 150, 175, 200, 250};
/// Properties of the application: the zoom, and the font without it.
const char* const zoom_property = "interface_zoom";
const char* const font_property = "interface_font";

/// Sends the application's font to every widget. Qt sends it to windows alone, and under a style sheet their parts keep
/// the old one.
void hand_down_font() {
  QList<QPointer<QWidget>> widgets;  // some are made anew meanwhile
  for (QWidget* widget : QApplication::allWidgets()) widgets << widget;
  for (const QPointer<QWidget>& widget : widgets) {
    if (!widget) continue;
    QEvent changed(QEvent::ApplicationFontChange);
    QCoreApplication::sendEvent(widget, &changed);
  }
}

}  // namespace

int zoom() {
  const QVariant set = qApp->property(zoom_property);
  return set.isValid() ? set.toInt() : 100;
}

int zoomed(int pixels) { return pixels * zoom() / 100; }

int next_zoom(int percent, int direction) {
  if (direction > 0) {
    const auto larger = std::ranges::upper_bound(zoom_steps, percent);
    return larger == zoom_steps.end() ? zoom_steps.back() : *larger;
  }
  const auto smaller = std::ranges::lower_bound(zoom_steps, percent);
  return smaller == zoom_steps.begin() ? zoom_steps.front() : *(smaller - 1);
}

int set_zoom(int percent) {
  const int wanted = std::clamp(percent, least_zoom, most_zoom);
  const int before = zoom();
  if (wanted == before) return wanted;
  if (!qApp->property(font_property).isValid()) qApp->setProperty(font_property, QApplication::font());
  qApp->setProperty(zoom_property, wanted);
  QFont font = qApp->property(font_property).value<QFont>();
  if (font.pixelSize() > 0)
    font.setPixelSize(std::max(1, font.pixelSize() * wanted / 100));
  else
    font.setPointSizeF(font.pointSizeF() * wanted / 100);
  // Fonts that widgets set by themselves do not follow the application's. Widgets that derive them anew do it after.
  const double factor = static_cast<double>(wanted) / before;
  for (QWidget* widget : QApplication::allWidgets()) {
    if (!widget->testAttribute(Qt::WA_SetFont)) continue;
    QFont own = widget->font();
    if (own.pixelSize() > 0)
      own.setPixelSize(std::max(1, qRound(own.pixelSize() * factor)));
    else
      own.setPointSizeF(own.pointSizeF() * factor);
    widget->setFont(own);
  }
  QApplication::setFont(font);
  hand_down_font();
  return wanted;
}

}  // namespace pipedeck::ui::layout
