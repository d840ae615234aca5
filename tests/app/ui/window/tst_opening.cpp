// SPDX-License-Identifier: GPL-3.0-or-later
// A project that takes long to read never holds the window up.
#include <atomic>
#include <chrono>
#include <thread>

#include <QApplication>
#include <QElapsedTimer>
#include <QProgressDialog>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/ui/window/main_window.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_opening {

/// A window whose projects are read until they are cancelled, and a clock that its events drive.
struct SlowWindow {
  SlowWindow() {
    ui::dialogs::Dialogs dialogs;
    dialogs.error = [this](QWidget*, const QString&, const QString& text) { errors << text; };
    window = std::make_unique<ui::window::MainWindow>(ui::window::WindowServices{
        dialogs,
        &settings,
        {},
        directory.filePath("state"),
        false,
        [this](const std::string&, const std::stop_token& stop) -> Result<store::ProjectContent> {
          while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          std::this_thread::sleep_for(after_cancel);
          return fail(ErrorCode::bad_input, "never shown");
        }});
    window->show();
    QObject::connect(&clock, &QTimer::timeout, [this] {
      longest_gap = std::max(longest_gap, since_tick.restart());
      ++ticks;
    });
  }
  /// Opens the project, and calls `meanwhile` when it has been read for a while. Returns after how many ms it returned.
  qint64 open(const std::function<void(QProgressDialog&)>& meanwhile) {
    const QString file = directory.filePath("slow.pipedeck");
    QFile project(file);
    if (!project.open(QIODevice::WriteOnly) || project.write("SQLite format 3") != 15) qFatal("not written");
    project.close();
    QElapsedTimer since_cancel;
    QTimer::singleShot(600, window.get(), [&] {
      auto* dialog = window->findChild<QProgressDialog*>("opening");
      QVERIFY(dialog);
      since_cancel.start();
      meanwhile(*dialog);
    });
    clock.start(20);
    since_tick.start();
    window->open_files({file});
    clock.stop();
    return since_cancel.isValid() ? since_cancel.elapsed() : -1;
  }

  QTemporaryDir directory;
  QSettings settings{directory.filePath("settings.ini"), QSettings::IniFormat};
  QStringList errors;
  std::chrono::milliseconds after_cancel{0};
  QTimer clock;
  QElapsedTimer since_tick;
  qint64 longest_gap = 0;
  int ticks = 0;
  std::unique_ptr<ui::window::MainWindow> window;
};

class TestOpening : public QObject {
  Q_OBJECT

 private slots:
  void the_window_says_what_it_does_and_stays_responsive() {
    SlowWindow slow;
    slow.after_cancel = std::chrono::milliseconds(1500);  // it does not look at its token meanwhile
    const qint64 ended = slow.open([&](QProgressDialog& dialog) {
      QVERIFY(dialog.isVisible());
      QVERIFY2(dialog.labelText().contains("slow.pipedeck"), qPrintable(dialog.labelText()));
      QCOMPARE(QApplication::activeModalWidget(), &dialog);
      QVERIFY(!slow.window->session().open(slow.directory.filePath("slow.pipedeck")));  // not twice at a time
      dialog.findChild<QPushButton*>()->click();
    });
    QVERIFY2(ended >= 0 && ended < 1000, qPrintable(QString::number(ended)));
    QVERIFY2(slow.ticks > 5, qPrintable(QString::number(slow.ticks)));
    QVERIFY2(slow.longest_gap < 400, qPrintable(QString::number(slow.longest_gap)));  // 100 without events at most
    QVERIFY(!slow.window->findChild<QProgressDialog*>("opening"));
    QVERIFY(slow.window->session().file().isEmpty());
    QCOMPARE(slow.errors, QStringList());
    QVERIFY(!slow.window->session().jobs().any_running());
  }

  void closing_the_window_cancels() {
    SlowWindow slow;
    const qint64 ended = slow.open([&](QProgressDialog&) { QVERIFY(!slow.window->close()); });
    QVERIFY2(ended >= 0 && ended < 1000, qPrintable(QString::number(ended)));
    QVERIFY(slow.window->isVisible());
    QVERIFY(slow.window->close());
  }
};

PIPEDECK_WINDOW_TEST(TestOpening)

}  // namespace pipedeck::tst_opening

#include "tst_opening.moc"
