// SPDX-License-Identifier: Apache-2.0
// Reports on disk: whole or what was there before; words of commands as a shell reads them back.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include "core/study/reports/commands.hpp"
#include "core/study/reports/plain_text.hpp"
#include "core/study/reports/write_report.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_report_files {

study::reports::Document document(const std::string& text) {
  return {"a title",
          {study::reports::Heading{1, "a title"}, study::reports::Paragraph{text},
           study::reports::Picture{"plan-1-schedule", "a picture",
                                   "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>x</title></svg>\n"},
           study::reports::Picture{"plan-1-memory", "another",
                                   "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>y</title></svg>\n"}}};
}

QStringList listed(const QString& folder) {
  return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class TestReportFiles : public QObject {
  Q_OBJECT

 private slots:
  void markdown_comes_with_its_pictures() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("my report.md");
    QVERIFY(study::reports::write_report(file.toStdString(), document("first")));
    QVERIFY(study::reports::write_report(file.toStdString(), document("second")));
    QCOMPARE(listed(folder.path()), QStringList({"my report-pictures", "my report.md"}));
    QCOMPARE(listed(folder.filePath("my report-pictures")), QStringList({"plan-1-memory.svg", "plan-1-schedule.svg"}));
    QVERIFY(content(file).contains("second"));
    QVERIFY(content(file).contains("](my%20report-pictures/plan-1-memory.svg)"));
  }

  void commands_name_no_folder_of_their_writer() {
    const std::string line = study::reports::simulation_command({.profile = "/home/ada/p.json",
                                                                 .cluster = "preset:config-a",
                                                                 .plan = "plans/x.json",
                                                                 .calibration = "/tmp/c.json"},
                                                                {});
    QVERIFY2(line.find("/home") == line.npos && line.find("/tmp") == line.npos, line.c_str());
    QVERIFY2(line.find("--profile p.json --cluster preset:config-a --plan plans/x.json") != line.npos, line.c_str());
    for (const std::string& command : study::reports::question_commands({"/home/ada/x.pipedeck", "p", "c"}))
      QVERIFY2(command.starts_with("pipedeck-cli export x.pipedeck "), command.c_str());
  }

  void html_is_one_file() {
    const QTemporaryDir folder;
    QVERIFY(study::reports::write_report(folder.filePath("report.html").toStdString(), document("text")));
    QCOMPARE(listed(folder.path()), QStringList({"report.html"}));
  }

  void what_cannot_be_written_leaves_nothing() {
    const QTemporaryDir folder;
    for (const char* name : {"missing/report.html", "missing/report.md"}) {
      const auto written = study::reports::write_report(folder.filePath(name).toStdString(), document("text"));
      QVERIFY(!written);
      QCOMPARE(written.error().code, ErrorCode::io);
      QVERIFY2(written.error().file.find("missing/") != std::string::npos, written.error().text().c_str());
    }
    QVERIFY(QDir(folder.path()).mkdir("taken.html"));
    QVERIFY(!study::reports::write_report(folder.filePath("taken.html").toStdString(), document("text")));
    QCOMPARE(listed(folder.path()), QStringList({"taken.html"}));
  }

  /// The text's own name is taken by a folder: its pictures are not written either.
  void a_text_that_cannot_be_written_takes_its_pictures_along() {
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("report.md"));
    const auto written = study::reports::write_report(folder.filePath("report.md").toStdString(), document("text"));
    QVERIFY(!written);
    QVERIFY2(QString::fromStdString(written.error().file).endsWith("report.md"), written.error().text().c_str());
    QCOMPARE(listed(folder.path()), QStringList({"report.md"}));
  }

  /// A picture can't be replaced: the report that was there stays as it was, all of it.
  void an_older_report_stays_whole() {
    const QTemporaryDir folder;
    const QString file = folder.filePath("report.md");
    QVERIFY(study::reports::write_report(file.toStdString(), document("first")));
    const QString picture = folder.filePath("report-pictures/plan-1-memory.svg");
    QVERIFY(QFile::remove(picture));
    QVERIFY(QDir().mkdir(picture));
    const QByteArray before = content(file);
    const auto written = study::reports::write_report(file.toStdString(), document("second"));
    QVERIFY(!written);
    QVERIFY2(written.error().file.ends_with("plan-1-memory.svg"), written.error().text().c_str());
    QCOMPARE(content(file), before);
    QCOMPARE(listed(folder.path()), QStringList({"report-pictures", "report.md"}));
    QCOMPARE(listed(folder.filePath("report-pictures")), QStringList({"plan-1-memory.svg", "plan-1-schedule.svg"}));
  }

  void a_file_stands_where_pictures_go() {
    const QTemporaryDir folder;
    QFile taken(folder.filePath("report-pictures"));
    QVERIFY(taken.open(QIODevice::WriteOnly));
    const auto written = study::reports::write_report(folder.filePath("report.md").toStdString(), document("text"));
    QVERIFY(!written);
    QVERIFY2(written.error().file.ends_with("report-pictures"), written.error().text().c_str());
    QCOMPARE(listed(folder.path()), QStringList({"report-pictures"}));
  }

  void a_shell_reads_words_back() {
    for (const char* word : {"plain", "", "two words", "it's", "$(id) `id` \"x\" \\", "two\nlines", "tab\t'and\\quote'",
                             "*", "~", "a;b|c&d", "\x01\x7f", "preset:bert-48", "-x", "\u00e4\u4e2d"}) {
      QProcess shell;
      shell.start("bash", {"-c", QString::fromStdString("printf %s " + study::reports::shell_word(word))});
      QVERIFY(shell.waitForFinished());
      QCOMPARE(shell.readAllStandardOutput(), QByteArray(word));
      for (const char c : study::reports::shell_word(word)) QVERIFY(static_cast<unsigned char>(c) >= ' ' && c != 0x7F);
    }
  }

  void endings_say_what_is_written() {
    QVERIFY(study::reports::is_markdown_file("a.md") && study::reports::is_markdown_file("a.b.MD") &&
            study::reports::is_markdown_file("x/a.markdown"));
    QVERIFY(!study::reports::is_markdown_file("a.html") && !study::reports::is_markdown_file("a") &&
            !study::reports::is_markdown_file("md") && !study::reports::is_markdown_file("-"));
  }

  void a_line_begins_harmlessly() {
    QCOMPARE(study::reports::markdown_line("- a"), std::string("\\- a"));
    QCOMPARE(study::reports::markdown_line("12. a"), std::string("12\\. a"));
    QCOMPARE(study::reports::markdown_line("12.5 ms"), std::string("12.5 ms"));
    QCOMPARE(study::reports::markdown_text("-"), std::string("-"));
    QCOMPARE(study::reports::markdown_text("a|b\nc"), std::string("a\\|b c"));
  }
};

PIPEDECK_TEST(TestReportFiles)

}  // namespace pipedeck::tst_report_files

#include "tst_report_files.moc"
