// SPDX-License-Identifier: GPL-3.0-or-later
// A project is written by a thread while edits go on: nothing is lost, whatever happens meanwhile.
#include <atomic>

#include <QDir>
#include <QFile>
#include <QSemaphore>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include "app/session/project/content.hpp"
#include "app/session/session.hpp"
#include "core/io/documents/formats.hpp"
#include "core/store/work_copy.hpp"
#include "tests/app/ui/large_runs.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_background_save {

using namespace pipedeck::test;

/// A session with a project that takes a moment to write.
struct Large {
  explicit Large(int runs = 40) : session(session::SessionServices{{}, {}, 1, directory.filePath("state"), {}}) {
    QObject::connect(&session, &session::Session::error,
                     [this](const QString&, const QString& text) { errors << text; });
    session.open_sample();
    session.change("runs", with_large_runs(session.state(), runs, 100'000));
    if (!session.save_as(file())) qFatal("the project was not saved");
  }

  QString path(const char* name) const { return directory.filePath(QLatin1String(name)); }
  QString file() const { return path("large.pipedeck"); }
  QString work() const { return path(".large.pipedeck.work"); }
  Result<session::project::State> on_disk() const {
    const auto content = store::read_project(file().toStdString());
    return content ? session::project::state_of(*content, "large") : tl::unexpected(content.error());
  }
  bool saving() const { return session.saver().busy(); }
  [[nodiscard]] bool saved() const {
    return QTest::qWaitFor([&] { return !saving(); }, 120000);
  }

  QTemporaryDir directory;
  QStringList errors;
  session::Session session;
};

/// The file that a crash at this moment would leave: the copy that the window has is its alone.
Result<store::RecoveredEdits> after_a_crash(const QString& work, const QString& project) {
  const QTemporaryDir folder;
  const QString left = folder.filePath("work");
  QFile::copy(work, left);
  QFile::copy(work + "-wal", left + "-wal");
  const auto saved = store::read_project(project.toStdString());
  return saved ? store::read_work_copy(left.toStdString(), *saved) : tl::unexpected(saved.error());
}

/// A run whose operations are delivered when the test releases them, and the thread that requested them.
struct HeldRun {
  HeldRun() {
    record.name = QStringLiteral("held");
    record.state = session::project::RunOutcome::finished;
    record.when = QDateTime::currentDateTime();
    record.stored = std::make_shared<const store::StoredTraces>(store::StoredTraces{
        std::make_shared<const int>(0), [this]() -> Result<store::RunTraces> {
          asked_by = QThread::currentThread();
          asked.release();
          given.acquire();
          return store::RunTraces{{}, {}, {{io::documents::event_to_json(StepDone{1, 0, Seconds(1), 1, {}, {}}), {}}}};
        }});
  }
  session::project::RunRecord record;
  QSemaphore asked, given;
  std::atomic<QThread*> asked_by = nullptr;
};

class TestBackgroundSave : public QObject {
  Q_OBJECT

 private slots:
  /// By structure, not by time: the change returns, and further ones are safe, while no operations are delivered.
  void a_large_run_never_holds_the_window_up() {
    HeldRun held;  // outlives the session
    Large large(1);
    large.session.change("held",
                         session::project::with_run(large.session.state(),
                                                    std::make_shared<const session::project::RunRecord>(held.record))
                             .state);
    QVERIFY(held.asked.tryAcquire(1, 30000));
    QVERIFY(held.asked_by != QThread::currentThread());
    large.session.set_global_batch(717);
    large.session.delete_run(large.session.state().runs.front().id);
    {
      const auto left = after_a_crash(large.work(), large.file());
      QVERIFY2(left.has_value(), left ? "" : left.error().text().c_str());
      auto state = session::project::state_of(left->content, "work copy");
      QVERIFY(state.has_value());
      QCOMPARE(state->question.workload.global_batch, 717);
      QVERIFY(state->runs.empty());  // one was deleted, and of the other nothing is there yet
    }
    held.given.release();
    large.session.finish_persisting();
    const auto left = after_a_crash(large.work(), large.file());
    QVERIFY2(left.has_value(), left ? "" : left.error().text().c_str());
    QVERIFY(session::project::same_project(left->content, session::project::content_of(large.session.state())));
    const auto events = left->content.runs.front().traces.load();
    QVERIFY(events && events->events.size() == 1);
    QCOMPARE(held.asked.available(), 0);  // asked once
    held.given.release();                 // to whoever saves it
  }

  void given_up_a_large_run_is_not_waited_for() {
    HeldRun held;
    QTemporaryDir folder;
    session::Session session(session::SessionServices{{}, {}, 1, folder.filePath("state"), {}});
    session.change("held", session::project::with_run(session.state(),
                                                      std::make_shared<const session::project::RunRecord>(held.record))
                               .state);
    QVERIFY(held.asked.tryAcquire(1, 30000));
    session.discard_unsaved();
    QVERIFY(session::project::find_recoverable(folder.filePath("state")).empty());
    QVERIFY(QDir(folder.filePath("state")).isEmpty());
    held.given.release();
    session.finish_persisting();
    QVERIFY(QDir(folder.filePath("state")).isEmpty());
  }

  /// Two million operations as a run has them, not as a test does.
  void a_million_events_are_kept_by_another_thread() {
    Large large(1);
    large.session.change("large", with_large_runs(large.session.state(), 1, 2'000'000));
    large.session.set_global_batch(718);
    large.session.finish_persisting();
    const auto left = after_a_crash(large.work(), large.file());
    QVERIFY2(left.has_value(), left ? "" : left.error().text().c_str());
    const auto state = session::project::state_of(left->content, "work copy");
    QVERIFY(state.has_value());
    const auto found = session::project::with_traces(state->runs.back().run);
    QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
    QVERIFY((*found)->events == large.session.state().runs.back().run->events);
    QVERIFY((*found)->predicted->timeline == large.session.state().runs.back().run->predicted->timeline);
  }

  void edits_go_on_and_are_unsaved_afterwards() {
    Large large;
    large.session.set_global_batch(111);
    QVERIFY(large.session.start_save());
    QVERIFY(large.saving());
    large.session.set_global_batch(222);
    large.session.delete_run(large.session.state().runs.front().id);
    QVERIFY(large.saving());
    QVERIFY(large.saved());
    QVERIFY(large.session.modified());
    QCOMPARE(large.session.changes_since_save(), 2);
    auto saved = large.on_disk();
    QVERIFY(saved.has_value());
    QCOMPARE(saved->question.workload.global_batch, 111);
    QCOMPARE(saved->runs.size(), large.session.state().runs.size() + 1);
    // A crash now: the copy has what was done meanwhile.
    const auto left = after_a_crash(large.work(), large.file());
    QVERIFY2(left.has_value(), left ? "" : left.error().text().c_str());
    QVERIFY(session::project::same_project(left->content, session::project::content_of(large.session.state())));
    large.session.undo();
    large.session.undo();
    QVERIFY(!large.session.modified());
    QVERIFY(!QFile::exists(large.work()));
  }

  /// A run restored while the file without it is being written must not exist in the old file only.
  void a_run_put_back_while_its_deletion_is_saved_survives_a_crash() {
    Large large;
    const int run = large.session.state().runs.front().id;
    const auto whole = session::project::with_traces(large.session.state().runs.front().run);
    QVERIFY(whole.has_value());
    // Opened anew, so that its operations are in the file alone.
    QVERIFY(large.session.open(large.file()));
    large.session.delete_run(run);
    QVERIFY(large.session.start_save());
    QVERIFY(large.saving());
    large.session.undo();
    QVERIFY(large.saving());
    QVERIFY(large.saved());
    const auto left = after_a_crash(large.work(), large.file());
    QVERIFY2(left.has_value(), left ? "" : left.error().text().c_str());
    const auto state = session::project::state_of(left->content, "work copy");
    QVERIFY(state.has_value());
    const auto found = session::project::with_traces(session::project::find_run(*state, run)->run);
    QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
    QVERIFY((*found)->events == (*whole)->events);
  }

  void saved_twice_at_once_is_saved_once_more() {
    Large large;
    large.session.set_global_batch(5);
    QVERIFY(large.session.start_save());
    large.session.set_global_batch(6);
    QVERIFY(large.session.start_save());
    QVERIFY(large.saving());
    QVERIFY(large.session.finish_saving());
    QVERIFY(!large.session.modified());
    QCOMPARE(large.on_disk()->question.workload.global_batch, 6);
  }

  void stopped_it_leaves_the_old_file() {
    Large large;
    large.session.set_global_batch(444);
    QVERIFY(large.session.start_save());
    QVERIFY(large.saving());
    for (const session::work::JobInfo& job : large.session.jobs().list())
      if (job.state == session::work::JobState::running) large.session.jobs().cancel(job.id);
    QVERIFY(large.saved());
    QVERIFY2(large.errors.isEmpty(), qPrintable(large.errors.join('\n')));
    QVERIFY(large.session.modified());
    QVERIFY(large.on_disk()->question.workload.global_batch != 444);
    QVERIFY(QDir(large.directory.path()).entryList({"*.tmp"}).isEmpty());
    QVERIFY(QFile::exists(large.work()));
    QVERIFY(large.session.save());
    QCOMPARE(large.on_disk()->question.workload.global_batch, 444);
  }

  void a_failure_is_told_and_loses_nothing() {
    Large large(1);
    large.session.set_global_batch(555);
    QVERIFY(QFile::remove(large.file()));
    QVERIFY(QDir().mkdir(large.file()));  // nothing can be renamed to it
    QVERIFY(QFile(large.file() + "/in the way").open(QIODevice::WriteOnly));
    QVERIFY(large.session.start_save());
    QVERIFY(large.saved());
    QCOMPARE(large.errors.size(), 1);
    QVERIFY2(large.errors[0].contains("can't be written"), qPrintable(large.errors[0]));
    QVERIFY(large.session.modified());
    QVERIFY(QFile::exists(large.work()));
    QVERIFY(QDir(large.directory.path()).entryList({"*.tmp"}).isEmpty());
    QVERIFY(QDir(large.file()).removeRecursively());
    QVERIFY(large.session.save());
    QCOMPARE(large.on_disk()->question.workload.global_batch, 555);
  }

  void under_another_name_the_copy_follows() {
    Large large;
    large.session.set_global_batch(600);
    QVERIFY(large.session.start_save_as(large.path("other.pipedeck")));
    large.session.set_global_batch(601);
    QVERIFY(QFile::exists(large.work()));
    QVERIFY(large.saved());
    QCOMPARE(large.session.file(), large.path("other.pipedeck"));
    QVERIFY(large.session.modified());
    QVERIFY(!QFile::exists(large.work()));
    const auto left = after_a_crash(large.path(".other.pipedeck.work"), large.path("other.pipedeck"));
    QVERIFY2(left.has_value(), left ? "" : left.error().text().c_str());
    QVERIFY(session::project::same_project(left->content, session::project::content_of(large.session.state())));
  }

  void a_killed_process_leaves_no_half_file_for_ever() {
    Large large(1);
    QFile half(large.file() + ".4194000.tmp");  // above every number that a process has
    QVERIFY(half.open(QIODevice::WriteOnly));
    half.write("half");
    half.close();
    QFile foreign(large.file() + ".note.tmp");
    QVERIFY(foreign.open(QIODevice::WriteOnly));
    foreign.close();
    large.session.set_global_batch(7);
    QVERIFY(large.session.save());
    QVERIFY(!half.exists());
    QVERIFY(foreign.exists());
  }

  void a_session_that_ends_finishes_first() {
    QTemporaryDir folder;
    const QString file = folder.filePath("p.pipedeck");
    {
      session::Session session(session::SessionServices{{}, {}, 1, folder.filePath("state"), {}});
      session.open_sample();
      session.change("runs", with_large_runs(session.state(), 20, 100'000));
      QVERIFY(session.start_save_as(file));
      QVERIFY(session.saver().busy());
    }
    const auto content = store::read_project(file.toStdString());
    QVERIFY(content.has_value());
    QCOMPARE(content->runs.size(), std::size_t{20});
    QVERIFY(session::project::find_recoverable(folder.filePath("state")).empty());  // all is saved: nothing is offered
  }
};

PIPEDECK_TEST(TestBackgroundSave)

}  // namespace pipedeck::tst_background_save

#include "tst_background_save.moc"
