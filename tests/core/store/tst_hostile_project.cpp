// SPDX-License-Identifier: Apache-2.0
// Projects and work copies that somebody else wrote to do harm.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <QTemporaryDir>
#include <QTest>

#include "core/store/project_file.hpp"
#include "core/store/sqlite.hpp"
#include "core/store/tables.hpp"
#include "core/store/work_copy.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_hostile_project {

namespace fs = std::filesystem;
using store::sqlite::Database;

constexpr auto endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'k' || x AS key, "
    "hex(zeroblob(1000)) AS value FROM c";

void alter(const std::string& path, const std::string& sql) {
  auto database = Database::open(path, SQLITE_OPEN_READWRITE);
  QVERIFY(database);
  const auto done = database->run(sql);
  QVERIFY2(done, done ? "" : done.error().text().c_str());
}

/// Writes a statement into the schema past SQLite's checks.
std::string written_into_schema(const std::string& name, const std::string& columns) {
  return "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET " + columns + " WHERE name = '" + name + "'";
}

class TestHostileProject : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    file_ = folder_->filePath("p.pipedeck").toStdString();
    store::ProjectContent content;
    content.documents = {{1, "plan", "a", "{}", 0}};
    content.runs = {{7, "today", "{}", store::traces_at_hand({{}, {}, {{"{}", {}}}})}};
    content.settings = {{"question", "{}"}};
    QVERIFY(store::write_project(file_, content));
  }

  void schemas_that_are_not_the_programs_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& sql, const char* words) {
      QTest::newRow(name) << QString::fromStdString(sql) << QString::fromUtf8(words);
    };
    row("endless view", std::string("DROP TABLE setting; CREATE VIEW setting AS ") + endless, "the view 'setting'");
    row("view beside", std::string("CREATE VIEW more AS ") + endless, "the view 'more'");
    row("trigger", "CREATE TRIGGER spy AFTER INSERT ON setting BEGIN DELETE FROM run; END", "the trigger 'spy'");
    row("table of another", "CREATE TABLE other(x)", "the table 'other'");
    row("index that computes", "CREATE INDEX slow ON setting(hex(value))", "the index 'slow'");
    row("computed column", "ALTER TABLE setting ADD COLUMN twice TEXT AS (value || value)",
        "the computed column 'twice'");
    row("virtual table",
        written_into_schema("setting", "rootpage = 0, sql = 'CREATE VIRTUAL TABLE setting USING fts5(key, value)'"),
        "the virtual table 'setting'");
    row("view that says it is a table",
        "CREATE VIEW more AS SELECT 1 AS key, 2 AS value; DROP TABLE setting; " +
            written_into_schema("more",
                                "type = 'table', name = 'setting', tbl_name = 'setting', rootpage = 2, "
                                "sql = 'CREATE VIEW setting AS SELECT 1 AS key, 2 AS value'"),
        "malformed");
  }
  void schemas_that_are_not_the_programs() {
    QFETCH(QString, sql);
    QFETCH(QString, words);
    alter(file_, sql.toStdString());
    const auto read = store::read_project(file_);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QCOMPARE(read.error().file, file_);
    QVERIFY2(QString::fromStdString(read.error().message).contains(words), read.error().text().c_str());
  }

  void a_check_is_not_run() {
    alter(file_, written_into_schema("setting",
                                     "sql = replace(sql, 'value TEXT NOT NULL', 'value TEXT NOT NULL "
                                     "CHECK(length(hex(randomblob(900000000))) > 0)')"));
    QVERIFY(store::read_project(file_).has_value());
  }

  void a_value_that_is_too_long_is_refused() {
    auto database = Database::open_foreign(file_, SQLITE_OPEN_READONLY);
    QVERIFY(database);
    const auto run = database->run("SELECT zeroblob(" + std::to_string(store::sqlite::max_value_bytes + 1) + ")");
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::bad_input);
    QVERIFY2(run.error().message.starts_with("found a value of more than 268435456 bytes"), run.error().text().c_str());
  }

  void more_bytes_than_the_file_has_are_refused() {
    auto database = Database::open_foreign(file_, SQLITE_OPEN_READONLY);
    QVERIFY(database);
    const auto file =
        std::make_shared<store::OpenFile>(*std::move(database), store::project_version, file_, std::size_t{20});
    const auto read = store::content_of(file);
    QVERIFY(!read);
    QVERIFY2(read.error().message.starts_with("found more than 20 bytes"), read.error().text().c_str());
  }

  void pipes_and_devices_are_refused() {
    const std::string pipe = folder_->filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {pipe, std::string("/dev/zero")}) {
      const auto read = store::read_project(path);
      QVERIFY(!read);
      QCOMPARE(read.error().code, ErrorCode::bad_input);
      QVERIFY(!store::is_database(path));
    }
  }

  void reading_ends_when_it_is_asked_to() {
    std::stop_source stop;
    stop.request_stop();
    const auto read = store::read_project(file_, stop.get_token());
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::cancelled);
    QCOMPARE(read.error().file, file_);
  }

  void an_endless_statement_is_stopped() {
    auto database = Database::open_foreign(file_, SQLITE_OPEN_READONLY);
    QVERIFY(database);
    std::stop_source stop;
    database->watch(stop.get_token());
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request_stop();
    });
    const auto run = database->run(endless);
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::cancelled);
  }

  void an_endless_statement_has_a_deadline() {
    auto database = Database::open_foreign(file_, SQLITE_OPEN_READONLY);
    QVERIFY(database);
    database->watch({}, std::chrono::seconds(0));
    const auto run = database->run(endless);
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::bad_input);
    QVERIFY2(run.error().message.find("takes minutes") != std::string::npos, run.error().text().c_str());
  }

  void a_statement_that_needs_much_memory_ends() {
    auto database = Database::open_foreign(file_, SQLITE_OPEN_READONLY);
    QVERIFY(database && database->run("PRAGMA temp_store = MEMORY"));
    database->watch({}, std::chrono::seconds(100), 10'000'000);
    const auto run = database->run(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT randomblob(10000) FROM c ORDER BY 1");
    QVERIFY(!run);
    QCOMPARE(run.error().code, ErrorCode::bad_input);
    QVERIFY2(run.error().message.find("takes much memory") != std::string::npos, run.error().text().c_str());
  }

  void work_copies_are_checked_alike_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("words");
    QTest::newRow("endless view") << QStringLiteral(
                                         "DROP TABLE work; CREATE VIEW work AS SELECT key AS project FROM (%1)")
                                         .arg(QString::fromUtf8(endless))
                                  << "the view 'work'";
    QTest::newRow("trigger") << "CREATE TRIGGER spy AFTER INSERT ON setting BEGIN DELETE FROM run; END"
                             << "the trigger 'spy'";
    QTest::newRow("other program") << "PRAGMA application_id = 7"
                                   << "another kind";
    QTest::newRow("other version") << "PRAGMA user_version = 7"
                                   << "version 7";
  }
  void work_copies_are_checked_alike() {
    QFETCH(QString, sql);
    QFETCH(QString, words);
    const std::string work = left_work();
    alter(work, sql.toStdString());
    const auto read = store::read_work_copy(work, {});
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::bad_input);
    QCOMPARE(read.error().file, work);
    QVERIFY2(QString::fromStdString(read.error().message).contains(words), read.error().text().c_str());
  }

  void a_work_copy_is_no_link() {
    const std::string work = left_work(), elsewhere = folder_->filePath("elsewhere").toStdString();
    fs::rename(work, elsewhere);
    fs::create_symlink(elsewhere, work);
    QVERIFY(!store::read_work_copy(work, {}));
    fs::remove(work);
    fs::rename(elsewhere, work);
    QVERIFY(store::read_work_copy(work, {}).has_value());
  }

  /// A rollback journal names a file that SQLite removes.
  void a_work_copy_has_no_rollback_journal() {
    const std::string work = left_work();
    std::ofstream(work + "-journal") << "anything";
    const auto read = store::read_work_copy(work, {});
    QVERIFY(!read);
    QVERIFY2(read.error().message.find("rollback journal") != std::string::npos, read.error().text().c_str());
    std::stop_source stop;
    stop.request_stop();
    fs::remove(work + "-journal");
    const auto stopped = store::read_work_copy(work, {}, stop.get_token());
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code, ErrorCode::cancelled);
  }

 private:
  std::string left_work() const {
    const std::string work = store::work_copy_path(file_);
    const auto saved = store::read_project(file_);
    auto copy = store::RecoveryJournal::begin(work, file_, *saved);
    return copy && copy->keep(*saved) ? work : std::string();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::string file_;
};

PIPEDECK_TEST(TestHostileProject)

}  // namespace pipedeck::tst_hostile_project

#include "tst_hostile_project.moc"
