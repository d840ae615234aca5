// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/picture.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QPixmap>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QWidget>

namespace pipedeck::ui::layout {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Picture)
};

bool draw_svg(QWidget& widget, QIODevice& device) {
  QSvgGenerator generator;
  generator.setOutputDevice(&device);
  generator.setSize(widget.size());
  generator.setViewBox(widget.rect());
  QPainter painter;
  if (!painter.begin(&generator)) return false;
  widget.render(&painter);
  return painter.end();
}

bool draw_pdf(QWidget& widget, QIODevice& device) {
  QPdfWriter writer(&device);
  constexpr int dots_per_inch = 96;  // a page has the size of the widget on a screen
  writer.setResolution(dots_per_inch);
  writer.setPageSize(QPageSize(QSizeF(widget.size()) * 72.0 / dots_per_inch, QPageSize::Point));
  writer.setPageMargins({});
  QPainter painter;
  if (!painter.begin(&writer)) return false;
  widget.render(&painter);
  return painter.end();
}

}  // namespace

QString write_picture(QWidget& widget, const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly))
    return Words::tr("%1 cannot be written: %2. Choose another folder or name.").arg(path, file.errorString());
  bool drawn = false;
  if (ending == QLatin1String("svg")) {
    drawn = draw_svg(widget, file);
  } else if (ending == QLatin1String("pdf")) {
    drawn = draw_pdf(widget, file);
  } else if (ending == QLatin1String("png")) {
    drawn = widget.grab().save(&file, "PNG");
  } else {
    return Words::tr("%1: found the ending '%2', expected png, svg or pdf").arg(path, ending);
  }
  if (!drawn || !file.commit())
    return Words::tr("%1 cannot be written: %2. Choose another folder or name.").arg(path, file.errorString());
  return {};
}

}  // namespace pipedeck::ui::layout
