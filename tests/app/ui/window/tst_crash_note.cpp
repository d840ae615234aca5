// SPDX-License-Identifier: GPL-3.0-or-later
// A crash of the real window: its report, the exit by the signal, and the line at the next start.
#include <csignal>

#include <QDesktopServices>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QUrl>

#include "app/ui/window/crash_note.hpp"
#include "core/base/crash_report.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_crash_note {

using namespace pipedeck::test;

/// Opens what the window wants to show.
class Opened : public QObject {
  Q_OBJECT

 public:
  Opened() { QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "open"); }
  ~Opened() override { QDesktopServices::unsetUrlHandler(QStringLiteral("file")); }
  QList<QUrl> all;

 public slots:
  void open(const QUrl& address) { all << address; }
};

class TestCrashNote : public QObject {
  Q_OBJECT

 private slots:
  void a_crash_leaves_a_report_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("window") << QStringLiteral(PIPEDECK_BUILD_DIR "/pipedeck") << QStringList{"--start-time"};
    QTest::newRow("command line") << command_line_program() << QStringList{};
  }
  void a_crash_leaves_a_report();
  void the_next_start_says_so_once();
};

void TestCrashNote::a_crash_leaves_a_report() {
  QFETCH(QString, program);
  QFETCH(QStringList, arguments);
  QTemporaryDir folder;
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_STATE_HOME", folder.filePath("state"));
  environment.insert("XDG_CONFIG_HOME", folder.filePath("config"));
  process.setProcessEnvironment(environment);
  if (program == command_line_program()) {  // a command that waits for its input
    QVERIFY(QProcess::execute("mkfifo", {folder.filePath("profile.json")}) == 0);
    arguments = {"validate", folder.filePath("profile.json")};
  }
  process.setReadChannel(QProcess::StandardError);
  process.start(program, arguments);
  QVERIFY(process.waitForStarted());
  QVERIFY(program == command_line_program() ? !process.waitForFinished(700) : process.waitForReadyRead(60000));
  QVERIFY(::kill(static_cast<pid_t>(process.processId()), SIGSEGV) == 0);
  QVERIFY(process.waitForFinished(30000));
  QCOMPARE(process.exitStatus(), QProcess::CrashExit);
  QCOMPARE(process.exitCode(), SIGSEGV);
  const auto reports = crash_reports(folder.filePath("state/pipedeck/crashes").toStdString());
  QCOMPARE(reports.size(), std::size_t{1});
  const QByteArray said = process.readAllStandardError();
  QVERIFY2(said.contains("ended by SIGSEGV; a report is in " + QByteArray::fromStdString(reports[0])), said);
  QFile file(QString::fromStdString(reports[0]));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  const QByteArray name = QFileInfo(program).fileName().toLatin1();
  QVERIFY2(text.startsWith(name + " ") && text.contains("\n  " + name + "+0x"), text);
  QVERIFY2(!text.contains(folder.path().toLocal8Bit()) && !text.contains('/'), text);
}

void TestCrashNote::the_next_start_says_so_once() {
  WindowFixture fixture;
  const auto note = [](const ui::window::MainWindow& window) {
    return window.findChild<ui::window::CrashNote*>(QStringLiteral("crash_note"));
  };
  QVERIFY(!note(*fixture.window)->isVisible());
  const QString crashes = fixture.path("state/crashes");
  QVERIFY(QDir().mkpath(crashes));
  QFile report(crashes + "/20261129-113209-pipedeck-4711.txt");
  QVERIFY(report.open(QIODevice::WriteOnly) && report.write("pipedeck 0\n") > 0);
  report.close();

  const ui::window::WindowServices services{{}, &fixture.settings, command_line_program(), fixture.path("state")};
  ui::window::MainWindow next(services);
  next.resize(1280, 720);
  next.show();
  QVERIFY(note(next)->isVisible());
  const QString hint = note(next)->findChild<QLabel*>("hint")->text();
  QVERIFY2(hint.contains("20261129-113209-pipedeck-4711.txt") && hint.contains("Nothing was sent"), qPrintable(hint));
  next.grab().save(pictures_folder() + "crash-note.png");
  Opened opened;
  note(next)->findChild<QPushButton*>("hint_button")->click();
  QCOMPARE(opened.all, QList<QUrl>{QUrl::fromLocalFile(crashes)});
  QVERIFY(!note(next)->isVisible());

  ui::window::MainWindow later(services);
  later.show();
  QVERIFY(!note(later)->isVisible());
  QFile another(crashes + "/20261130-000000-pipedeck-cli-1.txt");
  QVERIFY(another.open(QIODevice::WriteOnly));
  ui::window::MainWindow last(services);
  last.show();
  QVERIFY(note(last)->isVisible());
  note(last)->findChild<QPushButton*>("hint_dismiss")->click();
  QVERIFY(!note(last)->isVisible());
}

PIPEDECK_WINDOW_TEST(TestCrashNote)

}  // namespace pipedeck::tst_crash_note

#include "tst_crash_note.moc"
