// SPDX-License-Identifier: Apache-2.0
// The copy that keeps edits between saves, read after its writer is gone, and the lock that the kernel gives back.
#include <filesystem>
#include <functional>
#include <tuple>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/store/project_lock.hpp"
#include "core/store/work_copy.hpp"

using namespace pipedeck;
namespace fs = std::filesystem;

namespace {

StoredTraces traces(const char* line) { return traces_at_hand({"{}", "columns", {{line, {}}}}); }

using Run = std::tuple<std::int64_t, std::string, std::string, RunTraces>;
std::vector<Run> whole(const std::vector<StoredRun>& runs) {
  std::vector<Run> all;
  for (const StoredRun& run : runs) all.emplace_back(run.id, run.name, run.json, run.traces.load().value());
  return all;
}

bool equal(const ProjectContent& a, const ProjectContent& b) {
  return a.documents == b.documents && a.settings == b.settings && whole(a.runs) == whole(b.runs);
}

ProjectContent first() {
  ProjectContent content;
  content.documents = {{1, "profile", "p", "{}", 0}, {2, "cluster", "c", "{}", 0}, {3, "plan", "a", "{}", 0}};
  content.runs = {{4, "r", "{}", traces("saved")}};
  content.settings = {{"question", "{}"}, {"plans", "[]"}};
  return content;
}

/// Adds, changes, removes and moves a bit of everything.
std::vector<ProjectContent> edits() {
  std::vector<ProjectContent> all{first()};
  const auto next = [&](const std::function<void(ProjectContent&)>& change) {
    ProjectContent content = all.back();
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

}  // namespace

class TestWorkCopy : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    project_ = folder_.filePath("p.pipedeck").toStdString();
    work_ = work_copy_path(project_);
  }
  void cleanup() {
    remove_work_copy(work_);
    fs::remove(project_);
    QVERIFY(fs::is_empty(folder_.path().toStdString()));
  }

  void lies_hidden_beside_the_project() {
    QCOMPARE(QString::fromStdString(work_), folder_.filePath(".p.pipedeck.work"));
    const std::string link = folder_.filePath("elsewhere").toStdString();
    QVERIFY(write_project(project_, first()));
    fs::create_symlink(project_, link);
    QCOMPARE(work_copy_path(link), work_);
    fs::remove(link);
  }

  void what_was_kept_last_is_read() {
    const auto states = edits();
    for (std::size_t last = 0; last < states.size(); ++last) {
      {
        auto copy = WorkCopy::begin(work_, project_, states[0]);
        QVERIFY2(copy, copy ? "" : copy.error().text().c_str());
        for (std::size_t i = 1; i <= last; ++i) {
          const auto kept = copy->keep(states[i]);
          QVERIFY2(kept, kept ? "" : kept.error().text().c_str());
        }
      }
      const auto left = read_work_copy(work_, states[0]);
      QVERIFY2(left, left ? "" : left.error().text().c_str());
      QVERIFY2(equal(left->content, states[last]), qPrintable(QString("edit %1").arg(last)));
      QCOMPARE(left->project, project_);
      QCOMPARE(*project_of_work_copy(work_), project_);
    }
  }

  void saved_traces_are_not_copied() {
    ProjectContent content = first();
    content.runs[0].traces = traces_at_hand({{}, {}, {{std::string(1 << 20, 'x'), {}}}});
    auto copy = WorkCopy::begin(work_, project_, content);
    content.settings["question"] = "[]";
    QVERIFY(copy && copy->keep(content));
    QVERIFY(fs::file_size(work_) < 200'000 && fs::file_size(work_ + "-wal") < 200'000);
    copy = tl::unexpected(Error{});  // closed
    const auto left = read_work_copy(work_, content);
    QVERIFY(left && equal(left->content, content));
    // The saved file is gone: so are its traces, but nothing else.
    const auto alone = read_work_copy(work_, {});
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
        auto copy = WorkCopy::begin(work_, project_, states[0]);
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
      const auto left = read_work_copy(work_, states[0]);
      QVERIFY2(left, left ? "" : left.error().text().c_str());
      const auto kept = static_cast<std::size_t>(last);
      QVERIFY(equal(left->content, states[kept]) || equal(left->content, states[(kept + 1) % states.size()]));
    }
  }

  void a_project_says_what_a_work_copy_is() {
    QVERIFY(WorkCopy::begin(work_, project_, first()));
    const auto read = read_project(work_);
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().message).contains("work copy"), read.error().message.c_str());
  }

  void a_damaged_copy_is_an_error() {
    QVERIFY(WorkCopy::begin(work_, project_, first()));
    fs::resize_file(work_, fs::file_size(work_) / 2);
    QVERIFY(!read_work_copy(work_, {}));
    QVERIFY(!project_of_work_copy(project_));
  }

  void one_window_has_the_lock() {
    auto mine = ProjectLock::take(project_);
    QVERIFY(mine && mine->has_value());
    const auto other = ProjectLock::take(project_);
    QVERIFY(other && !other->has_value());
    mine->reset();
    QVERIFY(ProjectLock::take(project_)->has_value());
  }

  void a_killed_owner_locks_nobody_out() {
    int report[2];
    QCOMPARE(::pipe(report), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto lock = ProjectLock::take(project_);
      const char taken = lock && lock->has_value() ? 1 : 0;
      if (::write(report[1], &taken, 1) == 1) ::pause();
      ::_exit(1);
    }
    char taken = 0;
    QCOMPARE(::read(report[0], &taken, 1), ssize_t{1});
    QCOMPARE(taken, char{1});
    const auto refused = ProjectLock::take(project_);
    QVERIFY(refused && !refused->has_value());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(report[0]);
    ::close(report[1]);
    const auto lock = ProjectLock::take(project_);
    QVERIFY(lock && lock->has_value());
  }

  void no_lock_where_nothing_can_be_written() {
    QVERIFY(!ProjectLock::take(folder_.filePath("no/where.pipedeck").toStdString()));
  }

 private:
  QTemporaryDir folder_;
  std::string project_, work_;
};

QTEST_APPLESS_MAIN(TestWorkCopy)
#include "tst_work_copy.moc"
