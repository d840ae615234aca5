// SPDX-License-Identifier: Apache-2.0
// Draws an SVG into PNG files of the sizes given: render_icon ICON.svg FOLDER SIZE...
#include <cstdio>

#include <QImage>
#include <QPainter>
#include <QString>
#include <QSvgRenderer>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: render_icon ICON.svg FOLDER SIZE...\n");
    return 2;
  }
  QSvgRenderer icon(QString::fromLocal8Bit(argv[1]));
  for (int i = 3; i < argc; ++i) {
    const int size = QString::fromLatin1(argv[i]).toInt();
    QImage image(size, size, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    icon.render(&painter);
    painter.end();
    const QString file = QStringLiteral("%1/%2.png").arg(QString::fromLocal8Bit(argv[2])).arg(size);
    if (!icon.isValid() || !image.save(file)) {
      std::fprintf(stderr, "render_icon: %s could not be written\n", qPrintable(file));
      return 1;
    }
  }
  return 0;
}
