// SPDX-License-Identifier: Apache-2.0
// Files that are written: links, names, owners, and the traces of killed writers.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <QTemporaryDir>
#include <QTest>

#include "core/base/replaced_file.hpp"
#include "core/io/files.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_files {

namespace fs = std::filesystem;

struct ::stat about(const std::string& path) {
  struct ::stat found {};
  ::stat(path.c_str(), &found);
  return found;
}

constexpr auto no_process = "4194999";  // above every number that a process has

class TestFiles : public QObject {
  Q_OBJECT

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void a_link_stays_one_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("there");
    QTest::newRow("relative") << "later.json" << false;
    QTest::newRow("relative, there") << "later.json" << true;
    QTest::newRow("absolute") << "/later.json" << false;
    QTest::newRow("over another link") << "second" << false;
  }
  void a_link_stays_one() {
    QFETCH(QString, target);
    QFETCH(bool, there);
    const fs::path link = at("link.json");
    fs::create_symlink("later.json", at("second"));
    fs::create_symlink(target.startsWith('/') ? at("later.json") : target.toStdString(), link);
    if (there) std::ofstream(at("later.json")) << "old";
    QVERIFY(io::write_file(link.string(), "new"));
    QVERIFY(fs::is_symlink(link) && fs::is_symlink(at("second")));
    QVERIFY(!fs::is_symlink(at("later.json")));
    QCOMPARE(io::read_file(at("later.json")).value(), std::string("new"));
    QCOMPARE(files(), std::size_t{3});  // no temporary one
  }

  void a_link_to_itself_is_an_error() {
    const std::string link = at("link");
    fs::create_symlink("link", link);
    const auto written = io::write_file(link, "new");
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::io);
    QCOMPARE(written.error().file, link);
    QVERIFY(fs::is_symlink(link));
    QCOMPARE(files(), std::size_t{1});
  }

  void long_names_are_written_data() {
    QTest::addColumn<QString>("name");
    for (const int length : {219, 220, 221, 240, 254, 255}) QTest::addRow("%d bytes", length) << QString(length, 'n');
    QTest::newRow("letters of two bytes") << QString(127, QChar(0xe4)) + 'x';
  }
  void long_names_are_written() {
    QFETCH(QString, name);
    const std::string file = at(name.toStdString());
    const auto written = io::write_file(file, "new");
    QVERIFY2(written, written ? "" : written.error().text().c_str());
    QCOMPARE(io::read_file(file).value(), std::string("new"));
    QCOMPARE(files(), std::size_t{1});
  }

  void a_name_that_is_too_long_is_an_error() {
    const auto written = io::write_file(at(std::string(256, 'n')), "new");
    QVERIFY(!written);
    QCOMPARE(files(), std::size_t{0});
  }

  void names_of_companions_differ_and_are_whole_characters() {
    const std::string name(255, 'n'), letters = QString(127, QChar(0xe4)).toStdString();
    QCOMPARE(companion_name("short"), std::string("short"));
    QVERIFY(companion_name(name).size() <= 220);
    QVERIFY(companion_name(name) != companion_name(name.substr(1) + 'x'));
    const std::string shortened = companion_name(letters);
    QCOMPARE(QString::fromStdString(shortened).toStdString(), shortened);
    QCOMPARE(companion_name('x' + letters).substr(1, 198), letters.substr(0, 198));
  }

  void files_of_killed_writers_are_removed_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("short") << "o.json";
    QTest::newRow("long") << QString(255, 'n');
  }
  void files_of_killed_writers_are_removed() {
    QFETCH(QString, name);
    const std::string file = at(name.toStdString()), companion = at(companion_name(name.toStdString()));
    const std::string gone = companion + '.' + no_process + "-0.tmp",
                      gone_without_attempt = companion + '.' + no_process + ".tmp";
    const std::string running = companion + ".1-3.tmp", note = companion + ".note.tmp",
                      half = companion + '.' + no_process + "-.tmp",
                      other = at("other.json." + std::string(no_process) + "-0.tmp");
    for (const std::string& left : {gone, gone_without_attempt, running, note, half, other})
      std::ofstream(left) << "left";
    QVERIFY(io::write_file(file, "new"));
    for (const std::string& left : {gone, gone_without_attempt}) QVERIFY2(!fs::exists(left), left.c_str());
    for (const std::string& left : {running, note, half, other}) QVERIFY2(fs::exists(left), left.c_str());
  }

  void permissions_stay_and_set_uid_does_not() {
    const std::string file = at("o.json");
    QVERIFY(io::write_file(file, "old"));
    QCOMPARE(::chmod(file.c_str(), 06741), 0);
    QVERIFY(io::write_file(file, "new"));
    QCOMPARE(about(file).st_mode & 07777, 0741u);
  }

  void the_owner_stays() {
    if (::geteuid() != 0) QSKIP("only root gives files away");
    const std::string file = at("o.json");
    QVERIFY(io::write_file(file, "old"));
    QCOMPARE(::chown(file.c_str(), 12345, 23456), 0);
    QCOMPARE(::chmod(file.c_str(), 0640), 0);
    QVERIFY(io::write_file(file, "new"));
    QCOMPARE(about(file).st_uid, 12345u);
    QCOMPARE(about(file).st_gid, 23456u);
    QCOMPARE(about(file).st_mode & 07777, 0640u);
  }

 private:
  std::string at(const std::string& name) const { return (fs::path(folder_->path().toStdString()) / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_->path().toStdString()), {}));
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

PIPEDECK_TEST(TestFiles)

}  // namespace pipedeck::tst_files

#include "tst_files.moc"
