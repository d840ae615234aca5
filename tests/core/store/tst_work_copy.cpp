// SPDX-License-Identifier: Apache-2.0
// The copy that keeps edits between saves, read after its writer is gone, and the lock that the kernel gives back.
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <tuple>

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/store/project_lock.hpp"
#include "core/store/work_copy.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_work_copy {

namespace fs = std::filesystem;

store::StoredTraces traces(const char* line) { return store::traces_at_hand({"{}", "columns", {{line, {}}}}); }

using Run = std::tuple<std::int64_t, std::string, std::string, store::RunTraces>;
std::vector<Run> whole(const std::vector<store::StoredRun>& runs) {
  std::vector<Run> all;
  for (const store::StoredRun& run : runs) all.emplace_back(run.id, run.name, run.json, run.traces.load().value());
  return all;
}

bool equal(const store::ProjectContent& a, const store::ProjectContent& b) {
  return a.documents == b.documents && a.settings == b.settings && whole(a.runs) == whole(b.runs);
}

store::ProjectContent first() {
  store::ProjectContent content;
  content.documents = {{1, "profile", "p", "{}", 0}, {2, "cluster", "c", "{}", 0}, {3, "plan", "a", "{}", 0}};
  content.runs = {{4, "r", "{}", traces("saved")}};
  content.settings = {{"question", "{}"}, {"plans", "[]"}};
  return content;
}

/// Adds, changes, removes and moves a bit of everything.
std::vector<store::ProjectContent> edits() {
  std::vector<store::ProjectContent> all{first()};
  const auto next = [&](const std::function<void(store::ProjectContent&)>& change) {
    store::ProjectContent content = all.back();
    change(content);
    all.push_back(std::move(content));
  };
  next([](auto& c) { c.documents.push_back({5, "plan", "b", "{}", 1}); });
  next([](auto& c) { c.documents.erase(c.documents.begin()); });
  next([](auto& c) { std::swap(c.documents[0], c.documents[1]); });
  next([](auto& c) { c.documents[1].json = R"({"changed":true})"; });
  next([](auto& c) { c.settings["selection"] = "5"; });
  next([](auto& c) { c.settings.erase("plans"); });
  next([](auto& c) { c.runs.push_back({6, "new", "{}", traces("new")}); });
  next([](auto& c) { c.runs[1].name = "renamed"; });
  next([](auto& c) { c.runs.erase(c.runs.begin()); });
  next([](auto& c) { c.runs[0].traces = traces("ran again"); });
  next([](auto& c) { c.documents.clear(); });
  all.push_back(first());
  return all;
}

/// Larger than what is written at once; not whole parts, and no two parts alike.
store::RunTraces large_traces(char seed) {
  std::string columns(3'000'017, seed);
  for (std::size_t i = 0; i < columns.size(); i += 1000) columns[i] = static_cast<char>(i / 1000);
  return {
      "{}", std::move(columns), {{"first", {}}, {"", std::string(700'001, seed)}, {std::string(600'000, seed), {}}}};
}

store::ProjectContent with_large_run(store::ProjectContent content, char seed) {
  content.runs.push_back({7, "large", "{}", store::traces_at_hand(large_traces(seed))});
  return content;
}

/// One thread, work after work.
class Worker {
 public:
  ~Worker() {
    thread_.request_stop();
    some_.notify_all();
  }
  store::TraceWriting writing() {
    return {[this](std::function<void()> work) {
              const std::lock_guard lock(mutex_);
              works_.push_back(std::move(work));
              some_.notify_all();
            },
            {}};
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (some_.wait(lock, stop, [this] { return !works_.empty(); })) {
      const auto work = std::move(works_.front());
      works_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any some_;
  std::deque<std::function<void()>> works_;
  std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

class TestWorkCopy : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    project_ = folder_.filePath("p.pipedeck").toStdString();
    work_ = store::work_copy_path(project_);
  }
  void cleanup() {
    store::remove_work_copy(work_);
    fs::remove(project_);
    QVERIFY(fs::is_empty(folder_.path().toStdString()));
  }

  void lies_hidden_beside_the_project() {
    QCOMPARE(QString::fromStdString(work_), folder_.filePath(".p.pipedeck.work"));
    const std::string link = folder_.filePath("elsewhere").toStdString();
    QVERIFY(store::write_project(project_, first()));
    fs::create_symlink(project_, link);
    QCOMPARE(store::work_copy_path(link), work_);
    fs::remove(link);
  }

  void what_was_kept_last_is_read() {
    const auto states = edits();
    for (std::size_t last = 0; last < states.size(); ++last) {
      {
        auto copy = store::RecoveryJournal::begin(work_, project_, states[0]);
        QVERIFY2(copy, copy ? "" : copy.error().text().c_str());
        for (std::size_t i = 1; i <= last; ++i) {
          const auto kept = copy->keep(states[i]);
          QVERIFY2(kept, kept ? "" : kept.error().text().c_str());
        }
      }
      const auto left = store::read_work_copy(work_, states[0]);
      QVERIFY2(left, left ? "" : left.error().text().c_str());
      QVERIFY2(equal(left->content, states[last]), qPrintable(QString("edit %1").arg(last)));
      QCOMPARE(left->project, project_);
      QCOMPARE(*store::project_of_work_copy(work_), project_);
    }
  }

  void saved_traces_are_not_copied() {
    store::ProjectContent content = first();
    content.runs[0].traces = store::traces_at_hand({{}, {}, {{std::string(1 << 20, 'x'), {}}}});
    auto copy = store::RecoveryJournal::begin(work_, project_, content);
    content.settings["question"] = "[]";
    QVERIFY(copy && copy->keep(content));
    QVERIFY(fs::file_size(work_) < 200'000 && fs::file_size(work_ + "-wal") < 200'000);
    copy = tl::unexpected(Error{});  // closed
    const auto left = store::read_work_copy(work_, content);
    QVERIFY(left && equal(left->content, content));
    // The saved file is gone: so are its traces, but nothing else.
    const auto alone = store::read_work_copy(work_, {});
    QVERIFY(alone && alone->content.documents == content.documents);
    QVERIFY(alone->content.runs[0].traces.load()->events.empty());
  }

  void a_killed_writer_loses_at_most_the_edit_at_hand() {
    const auto states = edits();
    for (int trial = 0; trial < 20; ++trial) {
      int report[2];
      QCOMPARE(::pipe(report), 0);
      const pid_t child = ::fork();
      if (child == 0) {
        auto copy = store::RecoveryJournal::begin(work_, project_, states[0]);
        for (std::size_t i = 0; copy; i = (i + 1) % states.size()) {
          const auto number = static_cast<char>(i);
          if (!copy->keep(states[i]) || ::write(report[1], &number, 1) != 1) break;
        }
        ::_exit(1);
      }
      ::close(report[1]);
      char last = -1;
      for (int i = 0; i <= trial * 7; ++i) QCOMPARE(::read(report[0], &last, 1), ssize_t{1});
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      char further = 0;
      while (::read(report[0], &further, 1) == 1) last = further;
      ::close(report[0]);
      const auto left = store::read_work_copy(work_, states[0]);
      QVERIFY2(left, left ? "" : left.error().text().c_str());
      const auto kept = static_cast<std::size_t>(last);
      QVERIFY(equal(left->content, states[kept]) || equal(left->content, states[(kept + 1) % states.size()]));
    }
  }

  /// Changes do not wait for a large trace, and a run that lacks it is not found.
  void large_traces_come_after_their_run() {
    std::vector<std::function<void()>> works;
    const store::TraceWriting later{[&](std::function<void()> work) { works.push_back(std::move(work)); }, {}};
    store::ProjectContent content = with_large_run(first(), 'a');
    bool told = false;
    {
      auto copy = store::RecoveryJournal::begin(work_, project_, first(), later);
      QVERIFY(copy && copy->keep(content));
      content.documents[0].name = "edited";
      QVERIFY(copy->keep(content));
      copy->when_durable([&] { told = true; });
      QCOMPARE(works.size(), std::size_t{2});  // the trace once, and who waits for it
      QVERIFY(!told);
      const auto left = after_a_crash();
      store::ProjectContent without = content;
      without.runs.pop_back();
      QVERIFY(left && equal(left->content, without));
      for (const auto& work : works) work();
      QVERIFY(told);
      works.clear();  // they have the copy open
    }
    const auto left = store::read_work_copy(work_, first());
    QVERIFY2(left, left ? "" : left.error().text().c_str());
    QVERIFY(equal(left->content, content));
  }

  void taken_back_and_done_again_a_large_trace_is_written_once() {
    int loads = 0;
    store::ProjectContent with = with_large_run(first(), 'b');
    with.runs.back().traces.load = [&, load = with.runs.back().traces.load] {
      ++loads;
      return load();
    };
    {
      auto copy = store::RecoveryJournal::begin(work_, project_, first());
      for (int i = 0; i < 3; ++i) QVERIFY(copy->keep(with) && copy->keep(first()));
      QVERIFY(copy->keep(with));
    }
    QCOMPARE(loads, 1);
    const auto left = store::read_work_copy(work_, first());
    QVERIFY(left && equal(left->content, with));
  }

  void what_failed_is_told_and_tried_again() {
    bool fails = true;
    QStringList told;
    store::ProjectContent with = with_large_run(first(), 'c');
    with.runs.back().traces.load = [&, load = with.runs.back().traces.load]() -> Result<store::RunTraces> {
      return fails ? fail(ErrorCode::io, "no space left") : load();
    };
    store::TraceWriting writing;
    writing.failed = [&](const Error& error) { told << QString::fromStdString(error.text()); };
    {
      auto copy = store::RecoveryJournal::begin(work_, project_, first(), writing);
      QVERIFY(copy->keep(with));
      QCOMPARE(told.size(), 1);
      QVERIFY2(told[0].contains("no space left") && told[0].contains(".work"), qPrintable(told[0]));
      copy->when_durable([] { QFAIL("it was not kept"); });
      fails = false;
      with.settings["question"] = "[]";
      QVERIFY(copy->keep(with));
      QCOMPARE(told.size(), 1);
    }
    const auto left = store::read_work_copy(work_, first());
    QVERIFY(left && equal(left->content, with));
  }

  /// Whoever gives the copy up does not wait for what is on its way.
  void removed_while_a_large_trace_is_on_its_way() {
    std::function<void()> work;
    auto copy = store::RecoveryJournal::begin(work_, project_, first(),
                                              {[&](std::function<void()> now) { work = std::move(now); }, {}});
    QVERIFY(copy->keep(with_large_run(first(), 'd')));
    store::RecoveryJournal::remove(*std::move(copy));
    QVERIFY(fs::is_empty(folder_.path().toStdString()));
    auto next = store::RecoveryJournal::begin(work_, project_, first());
    work();  // not into the next one
    next = tl::unexpected(Error{});
    const auto left = store::read_work_copy(work_, first());
    QVERIFY(left && equal(left->content, first()));
  }

  /// Large runs come and go while a thread writes them: the last reported state exists, except for incomplete runs.
  void a_writer_killed_with_a_large_trace_on_its_way_loses_that_alone() {
    int whole_runs = 0, lost_runs = 0;
    for (int trial = 0; trial < 20; ++trial) {
      int report[2];
      QCOMPARE(::pipe(report), 0);
      const auto state = [](int i) {
        store::ProjectContent content = i < 3 ? first() : with_large_run(first(), static_cast<char>('a' + i / 32 % 20));
        content.settings["question"] = std::to_string(i);
        return content;
      };
      const pid_t child = ::fork();
      if (child == 0) {
        Worker worker;
        auto copy = store::RecoveryJournal::begin(work_, project_, state(0), worker.writing());
        store::ProjectContent now = state(0);
        for (int i = 1; copy && i < 4000; ++i) {
          store::ProjectContent next = state(i);
          if (i % 32 != 0 && now.runs.size() == next.runs.size()) next.runs = now.runs;  // the same run: the same key
          now = std::move(next);
          if (!copy->keep(now) || ::write(report[1], &i, sizeof i) != sizeof i) break;
        }
        ::_exit(1);
      }
      ::close(report[1]);
      int last = 0;
      for (int i = 0; i < 6 + trial * 3; ++i) QCOMPARE(::read(report[0], &last, sizeof last), ssize_t{sizeof last});
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      for (int further = 0; ::read(report[0], &further, sizeof further) == sizeof further;) last = further;
      ::close(report[0]);
      const auto left = store::read_work_copy(work_, first());
      QVERIFY2(left, left ? "" : left.error().text().c_str());
      const int found = std::stoi(left->content.settings.at("question"));
      QVERIFY2(found == last || found == last + 1, qPrintable(QString("%1 after %2").arg(found).arg(last)));
      const store::ProjectContent whole = state(found);
      store::ProjectContent without = whole;
      without.runs.resize(1);
      QVERIFY(equal(left->content, whole) || equal(left->content, without));
      if (whole.runs.size() > 1) ++(left->content.runs.size() > 1 ? whole_runs : lost_runs);
    }
    qInfo("large runs: %d whole, %d not yet", whole_runs, lost_runs);
    QVERIFY(whole_runs > 0 && lost_runs > 0);
  }

  void a_copy_of_an_older_program_is_read() {
    {
      auto copy = store::RecoveryJournal::begin(work_, project_, first());
      QVERIFY(copy && copy->keep(first()));
    }
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(work_.c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, "DROP TABLE large_trace; DROP TABLE trace_part; DROP TABLE whole_trace", nullptr,
                          nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(database);
    const auto left = store::read_work_copy(work_, first());
    QVERIFY2(left, left ? "" : left.error().text().c_str());
    QVERIFY(equal(left->content, first()));
  }

  void a_damaged_part_is_an_error() {
    {
      auto copy = store::RecoveryJournal::begin(work_, project_, first());
      QVERIFY(copy && copy->keep(with_large_run(first(), 'e')));
    }
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(work_.c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, "DELETE FROM trace_part WHERE rowid = 2", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    const auto left = store::read_work_copy(work_, first());
    QVERIFY(!left);
    QVERIFY2(QString::fromStdString(left.error().message).contains("part"), left.error().message.c_str());
  }

  void a_project_says_what_a_work_copy_is() {
    QVERIFY(store::RecoveryJournal::begin(work_, project_, first()));
    const auto read = store::read_project(work_);
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().message).contains("work copy"), read.error().message.c_str());
  }

  void a_damaged_copy_is_an_error() {
    QVERIFY(store::RecoveryJournal::begin(work_, project_, first()));
    fs::resize_file(work_, fs::file_size(work_) / 2);
    QVERIFY(!store::read_work_copy(work_, {}));
    QVERIFY(!store::project_of_work_copy(project_));
  }

  void one_window_has_the_lock() {
    auto mine = store::ProjectLock::take(project_);
    QVERIFY(mine && mine->has_value());
    const auto other = store::ProjectLock::take(project_);
    QVERIFY(other && !other->has_value());
    mine->reset();
    QVERIFY(store::ProjectLock::take(project_)->has_value());
  }

  void a_killed_owner_locks_nobody_out() {
    int report[2];
    QCOMPARE(::pipe(report), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto lock = store::ProjectLock::take(project_);
      const char taken = lock && lock->has_value() ? 1 : 0;
      if (::write(report[1], &taken, 1) == 1) ::pause();
      ::_exit(1);
    }
    char taken = 0;
    QCOMPARE(::read(report[0], &taken, 1), ssize_t{1});
    QCOMPARE(taken, char{1});
    const auto refused = store::ProjectLock::take(project_);
    QVERIFY(refused && !refused->has_value());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(report[0]);
    ::close(report[1]);
    const auto lock = store::ProjectLock::take(project_);
    QVERIFY(lock && lock->has_value());
  }

  void no_lock_where_nothing_can_be_written() {
    QVERIFY(!store::ProjectLock::take(folder_.filePath("no/where.pipedeck").toStdString()));
  }

 private:
  /// The file that a crash at this moment would leave.
  Result<store::RecoveredEdits> after_a_crash() const {
    const QTemporaryDir elsewhere;
    const std::string left = elsewhere.filePath("work").toStdString();
    fs::copy_file(work_, left);
    fs::copy_file(work_ + "-wal", left + "-wal");
    return store::read_work_copy(left, first());
  }

  QTemporaryDir folder_;
  std::string project_, work_;
};

PIPEDECK_TEST(TestWorkCopy)

}  // namespace pipedeck::tst_work_copy

#include "tst_work_copy.moc"
