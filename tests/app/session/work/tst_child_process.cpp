// SPDX-License-Identifier: GPL-3.0-or-later
// Child processes: lines, messages, and that stopping leaves nothing behind.
#include <csignal>

#include <QSignalSpy>
#include <QTest>

#include "app/session/work/child_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_child_process {

class TestChildProcess : public QObject {
  Q_OBJECT

 private slots:
  void lines_come_whole();
  void failure_carries_its_last_words();
  void program_that_is_not_there();
  void stop_asks_first();
  void stop_kills_the_deaf_and_their_children();
  void crash_is_told_from_a_stop();
};

struct Run {
  session::work::ChildProcess process;
  QList<QByteArray> lines;
  QList<session::work::ProcessEnd> ends;

  Run() {
    QObject::connect(&process, &session::work::ChildProcess::output_line,
                     [this](const QByteArray& line) { lines << line; });
    QObject::connect(&process, &session::work::ChildProcess::ended,
                     [this](const session::work::ProcessEnd& end) { ends << end; });
  }
  void shell(const char* script) { process.start("/bin/sh", {"-c", script}); }
};

void TestChildProcess::lines_come_whole() {
  Run run;
  run.shell("printf 'on'; sleep 0.05; printf 'e\\ntwo\\n\\nthree\\n'");
  QTRY_COMPARE(run.ends.size(), 1);
  QCOMPARE(run.lines, (QList<QByteArray>{"one", "two", "three"}));
  QCOMPARE(run.ends[0].exit_status, 0);
  QVERIFY(!run.ends[0].crashed && !run.ends[0].stopped);
}

void TestChildProcess::failure_carries_its_last_words() {
  Run run;
  run.shell("echo 'plan.json: /stages/1: bad' >&2; exit 2");
  QTRY_COMPARE(run.ends.size(), 1);
  QCOMPARE(run.ends[0].exit_status, 2);
  QCOMPARE(run.ends[0].messages, QString("plan.json: /stages/1: bad"));
}

void TestChildProcess::program_that_is_not_there() {
  Run run;
  run.process.start("/no/such/program", {});
  QTRY_COMPARE(run.ends.size(), 1);
  QVERIFY(!run.ends[0].started);
  QVERIFY(run.ends[0].messages.contains("/no/such/program"));
}

void TestChildProcess::stop_asks_first() {
  Run run;
  run.shell("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.02; done");
  QTRY_VERIFY(run.lines.contains("ready"));
  run.process.stop();
  QTRY_COMPARE(run.ends.size(), 1);
  QVERIFY(run.lines.contains("bye"));
  QVERIFY(run.ends[0].stopped);
  QCOMPARE(run.ends[0].exit_status, 0);
}

void TestChildProcess::stop_kills_the_deaf_and_their_children() {
  Run run;
  run.process.set_grace(100);
  run.shell("trap '' TERM; (trap '' TERM; exec sleep 30) & echo $!; wait; sleep 30");
  QTRY_COMPARE(run.lines.size(), 1);
  const auto grandchild = static_cast<pid_t>(run.lines[0].toInt());
  QCOMPARE(::kill(grandchild, 0), 0);
  run.process.stop();
  QTRY_COMPARE(run.ends.size(), 1);
  QVERIFY(run.ends[0].stopped);
  QVERIFY(!run.ends[0].crashed);
  // Dead, though perhaps not yet reaped by its new parent: its state shows it.
  QTRY_VERIFY([&] {
    QFile stat(QString("/proc/%1/stat").arg(grandchild));
    return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z ");
  }());
}

void TestChildProcess::crash_is_told_from_a_stop() {
  Run run;
  run.shell("kill -SEGV $$");
  QTRY_COMPARE(run.ends.size(), 1);
  QVERIFY(run.ends[0].crashed);
  QVERIFY(!run.ends[0].stopped);
}

PIPEDECK_TEST(TestChildProcess)

}  // namespace pipedeck::tst_child_process

#include "tst_child_process.moc"
