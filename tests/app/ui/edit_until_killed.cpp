// SPDX-License-Identifier: GPL-3.0-or-later
// The window with an endless sequence of edits: edit_until_killed PROJECT|- STATE_FOLDER. Prints the number of each
// completed edit. Its parent kills it.
#include <cstdio>

#include <QApplication>
#include <QSettings>
#include <QTimer>

#include "app/ui/window/main_window.hpp"
#include "tests/app/ui/edits.hpp"

using namespace pipedeck;

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  const QStringList arguments = QApplication::arguments();
  if (arguments.size() != 3) return 2;
  QSettings settings(arguments[2] + "/settings.ini", QSettings::IniFormat);
  ui::window::MainWindow window({ui::dialogs::interactive_dialogs(), &settings, {}, arguments[2]});
  window.show();
  if (arguments[1] != "-") window.open_files({arguments[1]});
  if (!window.session().read_only_reason().isEmpty()) return 3;
  int number = 0;
  test::Hand hand(window.session());
  QTimer next;
  QObject::connect(&next, &QTimer::timeout, [&] {
    hand.edit(number);
    std::printf("%d\n", number++);
    std::fflush(stdout);
  });
  next.start(0);
  return QApplication::exec();
}
