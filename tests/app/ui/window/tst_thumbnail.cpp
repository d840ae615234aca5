// SPDX-License-Identifier: GPL-3.0-or-later
// Thumbnails of projects by the real program, in the way that the desktop calls it, also of hostile files.
#include <csignal>

#include <QDir>
#include <QElapsedTimer>
#include <QImage>
#include <QProcess>
#include <QRandomGenerator>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include "app/ui/window/command_line.hpp"
#include "app/views/widgets/theme.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_thumbnail {

namespace {

const QString project = QStringLiteral(PIPEDECK_FIXTURES "/version2.pipedeck");

struct Ended {
  int status = -1;  ///< 128 and the signal, if one ended it
  QByteArray said;
};

Ended draw(const QString& file, const QString& picture, const QString& size = "128") {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_QPA_PLATFORM", "no-display");
  environment.insert("XDG_STATE_HOME", QFileInfo(picture).path());
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(PIPEDECK_BUILD_DIR "/pipedeck"), {"--thumbnail", size, file, picture});
  if (!process.waitForFinished(60000)) return {};
  return {process.exitCode() + (process.exitStatus() == QProcess::CrashExit ? 128 : 0), process.readAllStandardError()};
}

QByteArray bytes_of(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

}  // namespace

class TestThumbnail : public QObject {
  Q_OBJECT

 private slots:
  void the_selected_plan_is_drawn();
  void what_is_no_project_draws_nothing_data();
  void what_is_no_project_draws_nothing();
  void damaged_projects_end_well();
  void endless_files_end_in_time();
  void a_wrong_size_is_refused();
  void the_desktop_entry_calls_this();
};

void TestThumbnail::the_selected_plan_is_drawn() {
  QTemporaryDir folder;
  const QByteArray before = bytes_of(project);
  QDir().mkpath(folder.filePath("project"));
  QVERIFY(QFile::copy(project, folder.filePath("project/p.pipedeck")));
  for (const int size : {32, 128, 512}) {
    const Ended ended = draw(folder.filePath("project/p.pipedeck"), folder.filePath("p.png"), QString::number(size));
    QVERIFY2(ended.status == 0, ended.said);
    const QImage image(folder.filePath("p.png"), "PNG");
    QCOMPARE(image.size(), QSize(size, size * 3 / 4));
    const auto& theme = views::widgets::Theme::light();
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) seen << image.pixelColor(x, y).rgb();
    QVERIFY(seen.contains(theme.of(OpKind::forward).rgb()) && seen.contains(theme.of(OpKind::backward).rgb()));
  }
  QFile::remove(QStringLiteral(PIPEDECK_BUILD_DIR "/pictures/thumbnail.png"));
  QDir().mkpath(QStringLiteral(PIPEDECK_BUILD_DIR "/pictures"));
  QVERIFY(QFile::copy(folder.filePath("p.png"), QStringLiteral(PIPEDECK_BUILD_DIR "/pictures/thumbnail.png")));
  QCOMPARE(QDir(folder.filePath("project")).entryList(QDir::Files | QDir::Hidden), QStringList{"p.pipedeck"});
  QCOMPARE(bytes_of(folder.filePath("project/p.pipedeck")), before);
}

void TestThumbnail::what_is_no_project_draws_nothing_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::newRow("empty") << QByteArray();
  QTest::newRow("text") << QByteArray("hello");
  QTest::newRow("cut off") << bytes_of(project).left(9000);
  QTest::newRow("another database") << bytes_of(project).left(100) + QByteArray(8092, '\0');
}

void TestThumbnail::what_is_no_project_draws_nothing() {
  QFETCH(QByteArray, content);
  QTemporaryDir folder;
  QFile file(folder.filePath("bad.pipedeck"));
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
  file.close();
  const Ended ended = draw(file.fileName(), folder.filePath("p.png"));
  QVERIFY2(ended.status == 2 || ended.status == 1, ended.said);
  QVERIFY2(ended.said.contains("bad.pipedeck"), ended.said);
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"bad.pipedeck"});
}

/// Bytes at random places are changed: a picture or an error, never a crash.
void TestThumbnail::damaged_projects_end_well() {
  QTemporaryDir folder;
  const QByteArray whole = bytes_of(project);
  QRandomGenerator random(7);
  for (int round = 0; round < 40; ++round) {
    QByteArray damaged = whole;
    for (int change = 0; change < 1 + round; ++change)
      damaged[random.bounded(static_cast<int>(damaged.size()))] = static_cast<char>(random.bounded(256));
    QFile file(folder.filePath("bad.pipedeck"));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(damaged) == damaged.size());
    file.close();
    const Ended ended = draw(file.fileName(), folder.filePath("p.png"));
    QVERIFY2(ended.status >= 0 && ended.status <= 2, ended.said + QByteArray::number(round));
    QVERIFY2(ended.status == 0 || !ended.said.isEmpty(), QByteArray::number(round));
  }
}

/// A pipe that nothing writes to, and a device without an end.
void TestThumbnail::endless_files_end_in_time() {
  QTemporaryDir folder;
  QVERIFY(QProcess::execute("mkfifo", {folder.filePath("pipe.pipedeck")}) == 0);
  QElapsedTimer timer;
  timer.start();
  for (const QString& file : {folder.filePath("pipe.pipedeck"), QString("/dev/zero"), folder.path()}) {
    const Ended ended = draw(file, folder.filePath("p.png"));
    QVERIFY2(ended.status == 1 || ended.status == 2, ended.said);
  }
  QVERIFY(timer.elapsed() < 30000);
  QVERIFY(!QFile::exists(folder.filePath("p.png")));
}

void TestThumbnail::a_wrong_size_is_refused() {
  using ui::window::parse_command_line;
  QVERIFY(
      parse_command_line({"--thumbnail", "9999", "a", "b"}).error.contains("found '9999', expected pixels from 16"));
  QVERIFY(parse_command_line({"--thumbnail", "big", "a", "b"}).error.contains("found 'big'"));
  QVERIFY(parse_command_line({"--thumbnail", "128", "a"}).error.contains("found 1 files, expected a project and"));
  QVERIFY(parse_command_line({"--thumbnail", "128", "a", "b"}).error.isEmpty());
}

void TestThumbnail::the_desktop_entry_calls_this() {
  const QString entry = QString::fromUtf8(bytes_of(QStringLiteral(PIPEDECK_SOURCES "/packaging/pipedeck.thumbnailer")));
  const QString line = entry.section("Exec=pipedeck ", 1).section('\n', 0, 0);
  const auto command = ui::window::parse_command_line(QString(line).replace("%s", "256").split(' '));
  QVERIFY2(command.error.isEmpty() && command.thumbnail == 256, qPrintable(line));
  QCOMPARE(command.files, (QStringList{"%i", "%o"}));
}

PIPEDECK_TEST(TestThumbnail)

}  // namespace pipedeck::tst_thumbnail

#include "tst_thumbnail.moc"
