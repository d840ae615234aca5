// SPDX-License-Identifier: GPL-3.0-or-later
// Background work: results on the owner's thread, stale ones dropped, a broken invariant harmless.
#include <atomic>
#include <semaphore>
#include <thread>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "app/session/work/jobs.hpp"
#include "core/base/result.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_jobs {

class TestJobs : public QObject {
  Q_OBJECT

 private slots:
  void result_is_applied_on_the_owners_thread();
  void progress_reaches_the_list();
  void cancelled_result_is_dropped_at_once();
  void broken_invariant_is_an_error_and_nothing_else();
  void destructor_stops_what_runs();
  void external_job_is_ended_by_its_owner();
  void short_work_is_not_kept_waiting_by_studies();
  void a_paused_job_stands_still();
};

void TestJobs::result_is_applied_on_the_owners_thread() {
  session::work::Jobs jobs;
  QThread* worker = nullptr;
  QThread* applier = nullptr;
  const int id = jobs.start("work", [&](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
    worker = QThread::currentThread();
    return [&] {
      applier = QThread::currentThread();
      return QString("done well");
    };
  });
  QVERIFY(jobs.running(id));
  QTRY_VERIFY(!jobs.running(id));
  QCOMPARE(applier, QThread::currentThread());
  QVERIFY(worker != applier);
  QCOMPARE(jobs.list().back().detail, QString("done well"));
  QCOMPARE(jobs.list().back().state, session::work::JobState::finished);
}

void TestJobs::progress_reaches_the_list() {
  session::work::Jobs jobs;
  std::binary_semaphore go(0);
  const int id = jobs.start("work", [&](const session::work::Jobs::Context& context) -> session::work::Jobs::Apply {
    context.progress(0.25, "a quarter");
    go.acquire();
    return {};
  });
  QTRY_COMPARE(jobs.list().back().progress, 0.25);
  QCOMPARE(jobs.list().back().detail, QString("a quarter"));
  go.release();
  QTRY_VERIFY(!jobs.running(id));
}

void TestJobs::cancelled_result_is_dropped_at_once() {
  session::work::Jobs jobs;
  QSignalSpy ended(&jobs, &session::work::Jobs::ended);
  std::binary_semaphore go(0);
  std::atomic<bool> left = false;
  bool applied = false;
  const int id = jobs.start("stubborn", [&](const session::work::Jobs::Context& context) -> session::work::Jobs::Apply {
    go.acquire();  // deaf to the stop token
    if (!context.stop.stop_requested()) return {};
    left = true;
    return [&] {
      applied = true;
      return QString();
    };
  });
  jobs.cancel(id);
  QVERIFY(!jobs.running(id));  // at once, though its thread still works
  QCOMPARE(ended.size(), 1);
  QCOMPARE(jobs.list().back().state, session::work::JobState::cancelled);
  go.release();
  QTRY_VERIFY(left);
  QTest::qWait(20);
  QVERIFY(!applied);
  QCOMPARE(ended.size(), 1);
}

void TestJobs::broken_invariant_is_an_error_and_nothing_else() {
  session::work::Jobs jobs;
  QSignalSpy errors(&jobs, &session::work::Jobs::internal_error);
  jobs.start("in the worker", [](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
    ensure(false, "two and two make five");
    return {};
  });
  QTRY_COMPARE(errors.size(), 1);
  QVERIFY(errors[0][1].toString().contains("two and two make five"));
  jobs.start("while applying", [](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
    return []() -> QString { throw InvariantViolation("a row without a plan"); };
  });
  QTRY_COMPARE(errors.size(), 2);
  QCOMPARE(jobs.list().back().state, session::work::JobState::failed);
  int after = 0;
  jobs.start("next", [&](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
    return [&] { return ++after, QString(); };
  });
  QTRY_COMPARE(after, 1);
}

void TestJobs::destructor_stops_what_runs() {
  std::atomic<bool> stopped = false;
  {
    session::work::Jobs jobs;
    std::binary_semaphore started(0);
    jobs.start("endless", [&](const session::work::Jobs::Context& context) -> session::work::Jobs::Apply {
      started.release();
      while (!context.stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      stopped = true;
      return {};
    });
    started.acquire();
  }
  QVERIFY(stopped);
}

void TestJobs::external_job_is_ended_by_its_owner() {
  session::work::Jobs jobs;
  int asked = 0;
  const int id = jobs.start_external("process", [&] { ++asked; });
  jobs.update_external(id, 0.5, "half");
  jobs.cancel(id);
  QCOMPARE(asked, 1);
  QVERIFY(jobs.running(id));
  jobs.end_external(id, session::work::JobState::cancelled, "gone");
  QVERIFY(!jobs.running(id));
}

/// A study that takes what it gets of the processor.
static session::work::Jobs::Apply study_until(std::atomic<bool>& end, const session::work::Jobs::Context& context) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2 * QThread::idealThreadCount(); ++i)
    threads.emplace_back([&] {
      while (!end && !context.stop.stop_requested()) context.progress(0.5, "busy");
    });
  return {};
}

void TestJobs::short_work_is_not_kept_waiting_by_studies() {
  session::work::Jobs jobs;
  std::atomic<bool> end = false;
  for (int i = 0; i < 2 * QThread::idealThreadCount() + 2; ++i)
    jobs.start(
        "study", [&](const session::work::Jobs::Context& context) { return study_until(end, context); },
        session::work::Urgency::study);
  QTest::qWait(50);
  QElapsedTimer clock;
  clock.start();
  bool done = false;
  jobs.start("export", [&](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
    QElapsedTimer work;
    work.start();
    while (work.elapsed() < 10) continue;
    return [&] { return done = true, QString(); };
  });
  QTRY_VERIFY(done);
  const qint64 took = clock.elapsed();
  end = true;
  QVERIFY2(took < 500, qPrintable(QString::number(took)));  // 10 ms, and what other programs take of this machine
}

void TestJobs::a_paused_job_stands_still() {
  session::work::Jobs jobs;
  std::atomic<int> steps = 0;
  const auto count = [&](const session::work::Jobs::Context& context) -> session::work::Jobs::Apply {
    while (!context.stop.stop_requested()) {
      context.progress(0.5, "counting");
      ++steps;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
  };
  const int id = jobs.start("count", count, session::work::Urgency::study);
  QTRY_VERIFY(steps > 3);
  jobs.pause(id, true);
  QVERIFY(jobs.running(id) && jobs.list().back().paused && !jobs.any_running());
  QTest::qWait(30);
  const int then = steps;
  QTest::qWait(50);
  QCOMPARE(steps, then);
  jobs.pause(id, false);
  QVERIFY(jobs.any_running());
  QTRY_VERIFY(steps > then + 3);
  // A paused job can be cancelled, and one that has not begun can be paused.
  jobs.pause(id, true);
  jobs.cancel(id);
  QVERIFY(!jobs.running(id));
  std::atomic<bool> begun = false;
  const int next = jobs.start(
      "next",
      [&](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
        begun = true;
        return {};
      },
      session::work::Urgency::study);
  jobs.pause(next, true);
  QTest::qWait(30);
  if (!begun) {
    jobs.pause(next, false);
  }
  QTRY_VERIFY(begun);
}

PIPEDECK_TEST(TestJobs)

}  // namespace pipedeck::tst_jobs

#include "tst_jobs.moc"
