// SPDX-License-Identifier: Apache-2.0
// Crashes of a real process: each leaves a report, and the process ends by its signal.
#include <csignal>

#include <sys/wait.h>

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/crash_report.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_crash_report {

namespace {

const QString program = QStringLiteral(PIPEDECK_BUILD_DIR "/tests/core/base/crash_on_purpose");

struct Ended {
  int signal = 0;
  QByteArray said;
};

/// Runs the program. QProcess does not report the number of a signal, so a shell does.
Ended crash(const QString& kind, const QString& folder) {
  QProcess process;
  process.start("sh", {"-c", "ulimit -c 0; \"$0\" \"$@\"; echo status $?", program, kind, folder, "secret argument"});
  if (!process.waitForFinished(30000)) return {};
  const auto status = QRegularExpression("status (\\d+)").match(process.readAllStandardOutput());
  return {status.captured(1).toInt() - 128, process.readAllStandardError()};
}

QByteArray read(const std::string& path) {
  QFile file(QString::fromStdString(path));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestCrashReport : public QObject {
  Q_OBJECT

 private slots:
  void a_crash_leaves_a_report_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("address") << SIGSEGV << QByteArray("SIGSEGV, code 1, at address 0x0");
    QTest::newRow("thread") << SIGSEGV << QByteArray("SIGSEGV, code 1, at address 0x0");
    QTest::newRow("stack") << SIGSEGV << QByteArray("SIGSEGV, code ");
    QTest::newRow("illegal") << SIGILL << QByteArray("SIGILL, code ");
    QTest::newRow("abort") << SIGABRT << QByteArray("SIGABRT\n");
    QTest::newRow("exception") << SIGABRT << QByteArray("SIGABRT\nexception: std::runtime_error\n");
    QTest::newRow("bus") << SIGBUS << QByteArray("SIGBUS\n");
    QTest::newRow("arithmetic") << SIGFPE << QByteArray("SIGFPE\n");
  }
  void a_crash_leaves_a_report() {
    QFETCH(int, signal);
    QFETCH(QByteArray, name);
    QTemporaryDir folder;
    const QString crashes = folder.filePath("state/pipedeck/crashes");
    const Ended ended = crash(QTest::currentDataTag(), crashes);
    QCOMPARE(ended.signal, signal);
    const std::vector<std::string> reports = crash_reports(crashes.toStdString());
    QCOMPARE(reports.size(), std::size_t{1});
    QVERIFY2(ended.said.contains(QByteArray::fromStdString(reports[0])), ended.said);
    QCOMPARE(QFileInfo(QString::fromStdString(reports[0])).permissions() & (QFile::ReadGroup | QFile::ReadOther),
             QFile::Permissions());
    const QByteArray text = read(reports[0]);
    QVERIFY2(text.startsWith("crash_on_purpose 1.2.3\nbuild ID: "), text);
    QVERIFY2(text.contains("\nsignal: " + name), text);
    QVERIFY2(QRegularExpression("\ntime: 20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\n").match(text).hasMatch(), text);
    QVERIFY2(QRegularExpression("\n  crash_on_purpose\\+0x[0-9a-f]+").match(text).hasMatch(), text);
    QVERIFY2(!text.contains("secret") && !text.contains('/'), text);  // no argument, no text, no folder
  }

  /// The build ID is that of the file, and an offset leads to the function that crashed.
  void a_report_leads_to_the_code() {
    QTemporaryDir folder;
    crash("stack", folder.path());
    const QByteArray text = read(crash_reports(folder.path().toStdString()).at(0));
    const auto id = QRegularExpression("build ID: ([0-9a-f]+)\n").match(text).captured(1);
    QProcess tool;
    tool.start("readelf", {"-n", program});
    QVERIFY(tool.waitForFinished());
    QVERIFY2(id.size() >= 16 && tool.readAllStandardOutput().contains("Build ID: " + id.toLatin1()), text);
    QStringList offsets;
    auto all = QRegularExpression("crash_on_purpose\\+(0x[0-9a-f]+)").globalMatch(text);
    while (all.hasNext()) offsets << all.next().captured(1);
    tool.start("addr2line", QStringList{"-f", "-C", "-e", program} + offsets);
    QVERIFY(tool.waitForFinished());
    const QByteArray functions = tool.readAllStandardOutput();
    QVERIFY2(functions.count("deepen") > 5, functions + text);
  }

  void the_newest_ten_are_kept_and_other_files_stay() {
    QTemporaryDir folder;
    for (int day = 1; day <= 14; ++day) {
      QFile old(folder.filePath(QString("202601%1-000000-pipedeck-1.txt").arg(day, 2, 10, QLatin1Char('0'))));
      QVERIFY(old.open(QIODevice::WriteOnly));
    }
    QFile mine(folder.filePath("notes.txt"));
    QVERIFY(mine.open(QIODevice::WriteOnly));
    crash("abort", folder.path());
    const auto reports = crash_reports(folder.path().toStdString());
    QCOMPARE(reports.size(), std::size_t{most_crash_reports});
    QCOMPARE(QFileInfo(QString::fromStdString(reports[0])).fileName(), QString("20260106-000000-pipedeck-1.txt"));
    QVERIFY(mine.exists());
  }

  /// A folder that is a link of another person is not followed; the program still ends by its signal.
  void no_report_goes_through_a_link() {
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("elsewhere"));
    QVERIFY(QFile::link(folder.filePath("elsewhere"), folder.filePath("crashes")));
    QCOMPARE(crash("abort", folder.filePath("crashes")).signal, SIGABRT);
    QVERIFY(QDir(folder.filePath("elsewhere")).isEmpty());
  }

  void a_good_end_leaves_nothing() {
    QTemporaryDir folder;
    QCOMPARE(crash("none", folder.filePath("crashes")).signal, -128);
    QVERIFY(!QFile::exists(folder.filePath("crashes")));
  }

  void the_state_folder_is_the_users() {
    qputenv("XDG_STATE_HOME", "/some/state");
    QCOMPARE(crash_folder(state_folder()), std::string("/some/state/pipedeck/crashes"));
    qputenv("XDG_STATE_HOME", "relative");
    qputenv("HOME", "/home/of/it");
    QCOMPARE(state_folder(), std::string("/home/of/it/.local/state/pipedeck"));
  }
};

PIPEDECK_TEST(TestCrashReport)

}  // namespace pipedeck::tst_crash_report

#include "tst_crash_report.moc"
