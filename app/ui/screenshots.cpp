// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/screenshots.hpp"

#include <cstdio>

#include <QApplication>
#include <QTimer>

#include "app/ui/main_window.hpp"
#include "app/ui/picture.hpp"

namespace pipedeck::app {

namespace {

constexpr int look_again_ms = 50;
const QSize picture_size(1680, 1050);

Page page_named(const QString& view) {
  if (view == QLatin1String("explain")) return Page::explain;
  if (view == QLatin1String("profile")) return Page::profile;
  if (view == QLatin1String("topology")) return Page::topology;
  return view == QLatin1String("run") ? Page::run : Page::compare;
}

int draw_all(MainWindow& window, const std::vector<Screenshot>& screenshots) {
  int failed = 0;
  for (const Screenshot& screenshot : screenshots) {
    const bool whole = screenshot.view == QLatin1String("window");
    window.show_page(page_named(screenshot.view));
    QApplication::processEvents();  // the page that is shown now lays itself out
    const QString failure =
        write_picture(whole ? static_cast<QWidget&>(window) : *window.page_widget(window.page()), screenshot.file);
    if (failure.isEmpty()) continue;
    ++failed;
    std::fputs(QStringLiteral("pipedeck: %1\n").arg(failure).toUtf8().constData(), stderr);
  }
  return failed > 0 ? 1 : 0;
}

}  // namespace

void take_screenshots(MainWindow& window, const std::vector<Screenshot>& screenshots) {
  window.resize(picture_size);
  auto* timer = new QTimer(&window);
  QObject::connect(timer, &QTimer::timeout, &window, [&window, timer, screenshots] {
    if (window.session().jobs().any_running()) return;
    timer->stop();
    QApplication::exit(draw_all(window, screenshots));
  });
  timer->start(look_again_ms);
}

}  // namespace pipedeck::app
