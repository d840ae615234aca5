// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/ui/window/command_line.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_command_line {

class TestCommandLine : public QObject {
  Q_OBJECT

 private slots:
  void files_and_options() {
    const ui::window::WindowCommand command =
        ui::window::parse_command_line({"--compare", "a.json", "--screenshot", "run", "x.png", "--screenshot", "window",
                                        "y.svg", "--reset-layout", "--", "--b"});
    QVERIFY(command.error.isEmpty());
    QVERIFY(command.compare && command.reset_layout && !command.help);
    QCOMPARE(command.files, (QStringList{"a.json", "--b"}));
    QCOMPARE(command.screenshots.size(), std::size_t{2});
    QVERIFY(command.screenshots[1] == (ui::window::Screenshot{"window", "y.svg"}));
  }
  void mistakes_name_what_was_found() {
    QVERIFY(ui::window::parse_command_line({"--screenshot", "run"}).error.contains("--screenshot"));
    QVERIFY(ui::window::parse_command_line({"--screenshot", "sky", "x.png"}).error.contains("'sky'"));
    QVERIFY(ui::window::parse_command_line({"--appearance", "pink"}).error.contains("'pink'"));
    QVERIFY(ui::window::parse_command_line({"--frobnicate"}).error.contains("--frobnicate"));
  }
  void pictures_end_in_what_can_be_drawn() {
    QVERIFY(ui::window::parse_command_line({"--screenshot", "gantt", "x.svg"}).error.isEmpty());
    QVERIFY(ui::window::parse_command_line({"--screenshot", "gantt", "x.PDF"}).error.isEmpty());
    QVERIFY(ui::window::parse_command_line({"--screenshot", "gantt", "x.jpg"}).error.contains("x.jpg"));
  }

  void the_program_answers_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("words");
    QTest::newRow("help") << QStringList{"--help"} << 0 << "--screenshot VIEW FILE";
    QTest::newRow("version") << QStringList{"--version"} << 0 << "pipedeck ";
    QTest::newRow("unknown option") << QStringList{"--frobnicate"} << 2 << "'--frobnicate'";
    QTest::newRow("unknown view") << QStringList{"--screenshot", "sky", "x.png"} << 2 << "'sky'";
    QTest::newRow("no file") << QStringList{"--screenshot", "run"} << 2 << "expected a view and a file";
    QTest::newRow("no picture") << QStringList{"--screenshot", "run", "x.txt"} << 2 << "x.txt";
    QTest::newRow("missing project") << QStringList{"none.pipedeck", "--screenshot", "run", "x.png"} << 2
                                     << "none.pipedeck";
  }
  void the_program_answers() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, words);
    const auto [code, said] = run(arguments);
    QVERIFY2(code == status, qPrintable(QString("exit %1: %2").arg(code).arg(said)));
    QVERIFY2(said.contains(words), qPrintable(said));
  }

  void every_view_is_drawn_as_every_kind() {
    QStringList arguments{"--reset-layout", "--compare"};
    QStringList files;
    for (const char* view : {"compare", "gantt", "memory", "split", "explain", "profile", "topology", "run", "window"})
      for (const char* ending : {"png", "svg", "pdf"}) {
        files << folder_.filePath(QString("%1.%2").arg(view, ending));
        arguments << "--screenshot" << view << files.back();
      }
    const auto [code, said] = run(arguments);
    QVERIFY2(code == 0, qPrintable(said));
    for (const QString& name : files) {
      QFile file(name);
      QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
      const QByteArray bytes = file.readAll();
      const QByteArray begins = name.endsWith("png") ? "\x89PNG" : name.endsWith("pdf") ? "%PDF" : "<?xml";
      QVERIFY2(bytes.startsWith(begins) && bytes.size() > 1000, qPrintable(name));
    }
    QVERIFY(QDir(folder_.path()).entryList({"*.work", "*.lock"}, QDir::Files | QDir::Hidden).isEmpty());
  }

  /// A signal ends the program as such, and leaves no temporary folder.
  void signals_leave_no_folders_data() {
    QTest::addColumn<int>("number");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGHUP") << SIGHUP;
  }
  void signals_leave_no_folders() {
    QFETCH(int, number);
    const QString temporary = folder_.filePath(QString("temporary-%1").arg(number));
    QVERIFY(QDir().mkpath(temporary));
    QProcessEnvironment environment = surroundings();
    environment.insert("TMPDIR", temporary);
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(PIPEDECK_BUILD_DIR "/pipedeck", {"--reset-layout"});
    const auto folders = [&] { return QDir(temporary).entryList({"pipedeck-*"}, QDir::Dirs); };
    QTRY_VERIFY_WITH_TIMEOUT(!folders().isEmpty(), 60000);
    QVERIFY(program.state() == QProcess::Running && program.processId() > 0);
    QCOMPARE(::kill(static_cast<pid_t>(program.processId()), number), 0);
    QVERIFY(program.waitForFinished(10000));
    QCOMPARE(program.exitStatus(), QProcess::CrashExit);
    QCOMPARE(program.exitCode(), number);
    QCOMPARE(folders(), QStringList());
  }

 private:
  QProcessEnvironment surroundings() const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("XDG_STATE_HOME", folder_.path());
    environment.insert("XDG_CONFIG_HOME", folder_.path());
    return environment;
  }

  std::pair<int, QString> run(const QStringList& arguments) {
    QProcess program;
    program.setProcessEnvironment(surroundings());
    program.setProcessChannelMode(QProcess::MergedChannels);
    program.setWorkingDirectory(folder_.path());
    program.start(PIPEDECK_BUILD_DIR "/pipedeck", arguments);
    if (!program.waitForFinished(120000)) program.kill();
    return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -1,
            QString::fromUtf8(program.readAll())};
  }

  QTemporaryDir folder_;
};

PIPEDECK_TEST(TestCommandLine)

}  // namespace pipedeck::tst_command_line

#include "tst_command_line.moc"
