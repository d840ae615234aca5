// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include <QTemporaryDir>
#include <QTest>

#include "core/store/project_file.hpp"
#include "core/store/project_lock.hpp"
#include "core/store/sqlite.hpp"
#include "core/store/work_copy.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_project_file {

namespace fs = std::filesystem;

/// A comparable project: traces are read for it.
struct Whole {
  std::vector<store::StoredDocument> documents;
  std::vector<std::tuple<std::int64_t, std::string, std::string, store::RunTraces>> runs;
  std::map<std::string, std::string> settings;
  bool operator==(const Whole&) const = default;
};

Whole whole(const store::ProjectContent& content) {
  Whole all{content.documents, {}, content.settings};
  for (const store::StoredRun& run : content.runs)
    all.runs.emplace_back(run.id, run.name, run.json, run.traces.load().value());
  return all;
}

store::ProjectContent sample() {
  store::ProjectContent content;
  // In no particular order, an id for two kinds.
  content.documents = {{2, "profile", "b", std::string("nul\0inside", 10), 1},
                       {3, "cluster", "c", R"({"name":"c"})", 0},
                       {3, "profile", "größer", "{}", 0}};
  content.runs = {{7, "today", R"({"state":"finished"})",
                   store::traces_at_hand({R"({"iteration_ms":1})",
                                          std::string("columns\0of it", 13),
                                          {{R"({"event":"started"})", {}}, {R"({"event":"timeline"})", "columns"}}})},
                  {9, "empty", "{}", store::traces_at_hand({})}};
  content.settings = {{"question", "{}"}, {"ticked", "[1,2]"}};
  return content;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void alter(const std::string& path, const std::string& sql) {
  auto database = store::sqlite::Database::open(path, SQLITE_OPEN_READWRITE);
  QVERIFY(database && database->run(sql));
}

class TestProjectFile : public QObject {
  Q_OBJECT

 private slots:
  void init() { file_ = (folder_.path() + "/project.pipedeck").toStdString(); }
  void cleanup() { fs::remove(file_); }

  void what_is_written_reads_back_equal() {
    QVERIFY(store::write_project(file_, sample()));
    const auto read = store::read_project(file_);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY(whole(*read) == whole(sample()));
    QVERIFY(store::write_project(file_, store::ProjectContent{}));  // over an old file
    QVERIFY(whole(*store::read_project(file_)) == Whole{});
  }

  void a_thousand_runs_of_events_read_back_equal() {
    store::ProjectContent content;
    for (int i = 0; i < 100; ++i)
      content.runs.push_back(
          {i + 1, "run", "{}",
           store::traces_at_hand({{}, {}, std::vector<store::StoredEvent>(100, {std::string(200, 'x'), {}})})});
    QVERIFY(store::write_project(file_, content));
    QVERIFY(whole(*store::read_project(file_)) == whole(content));
  }

  void nothing_is_left_beside_the_file() {
    QVERIFY(store::write_project(file_, sample()));
    QCOMPARE(std::distance(fs::directory_iterator(folder_.path().toStdString()), {}), 1);
  }

  void a_write_that_fails_keeps_the_old_file() {
    QVERIFY(store::write_project(file_, sample()));
    store::ProjectContent broken;
    broken.documents = {{1, "plan", "a", "{}", 0}, {1, "plan", "the same id", "{}", 1}};
    const auto written = store::write_project(file_, broken);
    QVERIFY(!written);
    QVERIFY(!written.error().message.empty());
    QVERIFY(whole(*store::read_project(file_)) == whole(sample()));
    QCOMPARE(std::distance(fs::directory_iterator(folder_.path().toStdString()), {}), 1);
  }

  void a_folder_that_is_not_there_is_an_error() {
    const std::string nowhere = (folder_.path() + "/no/where.pipedeck").toStdString();
    const auto written = store::write_project(nowhere, sample());
    QVERIFY(!written);
    QCOMPARE(written.error().file, nowhere);
  }

  void every_truncation_is_an_error_or_the_whole_project() {
    QVERIFY(store::write_project(file_, sample()));
    const std::string whole = bytes_of(file_);
    for (std::size_t length = 0; length < whole.size(); length += 97) {
      write_bytes(file_, whole.substr(0, length));
      const auto read = store::read_project(file_);
      QVERIFY2(!read, qPrintable(QString("%1 of %2 bytes were taken").arg(length).arg(whole.size())));
      QCOMPARE(read.error().code, ErrorCode::bad_input);
      QCOMPARE(read.error().file, file_);
    }
  }

  void flipped_bytes_never_crash() {
    QVERIFY(store::write_project(file_, sample()));
    const std::string whole = bytes_of(file_);
    for (std::size_t at = 0; at < whole.size(); at += 53) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
      write_bytes(file_, damaged);
      if (const auto read = store::read_project(file_); !read) QCOMPARE(read.error().file, file_);
    }
  }

  void foreign_files_are_told_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("words");
    QTest::newRow("empty") << QByteArray() << "is empty";
    QTest::newRow("text") << QByteArray("node1 -- Input") << "another kind";
    QTest::newRow("json") << QByteArray(R"({"format":"pipedeck.plan"})") << "another kind";
    QTest::newRow("header alone") << QByteArray("SQLite format 3\0", 16) << "another kind";
    QTest::newRow("zeros") << QByteArray(4096, '\0') << "another kind";
  }
  void foreign_files_are_told() {
    QFETCH(QByteArray, content);
    QFETCH(QString, words);
    write_bytes(file_, content.toStdString());
    const auto read = store::read_project(file_);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(read.error().message).contains(words), read.error().message.c_str());
  }

  void databases_that_do_not_keep_the_contract_are_told_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("words");
    QTest::newRow("other program") << "PRAGMA application_id = 7"
                                   << "another program";
    QTest::newRow("newer") << "PRAGMA user_version = 3"
                           << "newer Pipedeck";
    QTest::newRow("far newer") << "PRAGMA user_version = 2147483647"
                               << "newer Pipedeck";
    QTest::newRow("no version") << "PRAGMA user_version = 0"
                                << "version 0";
    QTest::newRow("no documents") << "DROP TABLE document"
                                  << "document";
    QTest::newRow("no runs") << "DROP TABLE run"
                             << "run";
    QTest::newRow("no events") << "DROP TABLE event"
                               << "event";
    QTest::newRow("no settings") << "DROP TABLE setting"
                                 << "setting";
    QTest::newRow("a column less") << "ALTER TABLE document DROP COLUMN json"
                                   << "json";
    QTest::newRow("no names of documents") << "ALTER TABLE document RENAME COLUMN name TO title"
                                           << "name";
    QTest::newRow("no kinds of documents") << "ALTER TABLE document RENAME COLUMN kind TO sort"
                                           << "kind";
    QTest::newRow("no order of documents") << "ALTER TABLE document RENAME COLUMN position TO rank"
                                           << "position";
    QTest::newRow("no predictions") << "DROP TABLE prediction"
                                    << "prediction";
    QTest::newRow("no timelines") << "ALTER TABLE event DROP COLUMN timeline"
                                  << "timeline";
    QTest::newRow("no lines of events") << "ALTER TABLE event DROP COLUMN line"
                                        << "line";
    QTest::newRow("no values of settings") << "ALTER TABLE setting DROP COLUMN value"
                                           << "value";
    QTest::newRow("renamed column") << "ALTER TABLE run RENAME COLUMN name TO title"
                                    << "name";
  }
  void databases_that_do_not_keep_the_contract_are_told() {
    QFETCH(QString, sql);
    QFETCH(QString, words);
    QVERIFY(store::write_project(file_, sample()));
    alter(file_, sql.toStdString());
    const auto read = store::read_project(file_);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(read.error().message).contains(words), read.error().message.c_str());
  }

  void traces_are_read_from_the_file_that_was_opened() {
    QVERIFY(store::write_project(file_, sample()));
    const auto before = store::read_project(file_);
    QVERIFY(before.has_value());
    store::ProjectContent other = sample();
    other.runs.clear();
    QVERIFY(store::write_project(file_, other));  // renamed over: what was opened is still there
    QVERIFY(whole(*before) == whole(sample()));
  }

  void a_link_and_permissions_stay() {
    QVERIFY(store::write_project(file_, sample()));
    fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
    const std::string link = folder_.filePath("link.pipedeck").toStdString();
    fs::create_symlink(file_, link);
    QVERIFY(store::write_project(link, store::ProjectContent{}));
    QVERIFY(fs::is_symlink(link));
    QVERIFY(whole(*store::read_project(file_)) == Whole{});
    QVERIFY(fs::status(file_).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    fs::remove(link);
  }

  void a_link_to_a_file_that_is_not_there_stays() {
    const std::string link = folder_.filePath("link.pipedeck").toStdString();
    fs::create_symlink("project.pipedeck", link);
    {
      const auto by_link = store::ProjectLock::take(link), by_file = store::ProjectLock::take(file_);
      QVERIFY(by_link && by_link->has_value() && by_file && !by_file->has_value());
      QCOMPARE(store::work_copy_path(link), store::work_copy_path(file_));
    }
    QVERIFY(store::write_project(link, sample()));
    QVERIFY(fs::is_symlink(link));
    QVERIFY(whole(*store::read_project(file_)) == whole(sample()));
    fs::remove(link);
    fs::create_symlink("link.pipedeck", link);  // to itself
    QVERIFY(!store::write_project(link, sample()));
    QVERIFY(fs::is_symlink(link));
    fs::remove(link);
  }

  void long_names_have_locks_and_work_copies_data() {
    QTest::addColumn<int>("length");
    for (const int length : {220, 240, 255}) QTest::addRow("%d bytes", length) << length;
  }
  void long_names_have_locks_and_work_copies() {
    QFETCH(int, length);
    file_ = (folder_.path().toStdString() + '/') + std::string(static_cast<std::size_t>(length) - 9, 'n') + ".pipedeck";
    const auto lock = store::ProjectLock::take(file_);
    QVERIFY2(lock && lock->has_value(), lock ? "" : lock.error().text().c_str());
    const auto written = store::write_project(file_, sample());
    QVERIFY2(written, written ? "" : written.error().text().c_str());
    const auto saved = store::read_project(file_);
    QVERIFY(saved.has_value());
    const std::string work = store::work_copy_path(file_);
    auto copy = store::RecoveryJournal::begin(work, file_, *saved);
    QVERIFY2(copy && copy->keep(*saved), copy ? "" : copy.error().text().c_str());
    QVERIFY((work + ".damaged-journal").size() - folder_.path().toStdString().size() - 1 <= 255);
    store::RecoveryJournal::remove(*std::move(copy));
  }

  void set_uid_does_not_stay() {
    QVERIFY(store::write_project(file_, sample()));
    QCOMPARE(::chmod(file_.c_str(), 06640), 0);
    QVERIFY(store::write_project(file_, sample()));
    struct ::stat about {};
    QCOMPARE(::stat(file_.c_str(), &about), 0);
    QCOMPARE(about.st_mode & 07777, 0640u);
  }

  void a_lock_is_no_link() {
    const std::string precious = folder_.filePath("precious").toStdString(),
                      lock = folder_.filePath(".project.pipedeck.lock").toStdString();
    fs::create_symlink(precious, lock);
    const auto taken = store::ProjectLock::take(file_);
    QVERIFY(!taken && taken.error().text().find(lock) != std::string::npos);
    QVERIFY(fs::is_symlink(lock) && !fs::exists(precious));
    fs::remove(lock);
  }

  void damaged_traces_are_told_when_they_are_read() {
    store::ProjectContent content = sample();
    content.runs[0].traces = store::traces_at_hand({{}, {}, {{std::string(200'000, 'x'), {}}}});
    QVERIFY(store::write_project(file_, content));
    std::string bytes = bytes_of(file_);
    const std::size_t end = bytes.size() / 4096 * 4096;  // the long line's pages hold it by a chain of page numbers
    for (std::size_t page = 16; page * 4096 + 4 <= end; ++page) bytes.replace(page * 4096, 4, "\xff\xff\xff\xff");
    write_bytes(file_, bytes);
    const auto read = store::read_project(file_);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY(read->documents == sample().documents);
    const auto traces = read->runs[0].traces.load();
    QVERIFY(!traces);
    QCOMPARE(traces.error().file, file_);
    QCOMPARE(traces.error().place, std::string("run 7"));
  }

  void folders_and_missing_files_are_told() {
    QCOMPARE(store::read_project(folder_.path().toStdString()).error().code, ErrorCode::bad_input);
    QCOMPARE(store::read_project(file_).error().message, std::string("found no such file"));
  }

 private:
  QTemporaryDir folder_;
  std::string file_;
};

PIPEDECK_TEST(TestProjectFile)

}  // namespace pipedeck::tst_project_file

#include "tst_project_file.moc"
