// SPDX-License-Identifier: GPL-3.0-or-later
// Projects are read on another thread: a read that is cancelled or fails leaves the open project as it is.
#include <chrono>
#include <new>
#include <thread>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include "tests/app/session/session_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_opener {

using namespace pipedeck::test;

/// A session with the sample, saved and changed since; its projects are read by `read`.
struct Opened {
  explicit Opened(session::ReadProject read)
      : recorded(session::SessionServices{{}, {}, 1, directory.filePath("state"), {}, false, {}, std::move(read)}) {
    recorded.session.open_sample();
    if (!recorded.session.save_as(file())) qFatal("not saved");
    recorded.session.set_global_batch(96);
  }
  QString file() const { return directory.filePath("p.pipedeck"); }
  bool has_work() const { return QFile::exists(directory.filePath(".p.pipedeck.work")); }

  QTemporaryDir directory;
  Recorded recorded;
};

class TestOpener : public QObject {
  Q_OBJECT

 private slots:
  void a_project_is_read_on_another_thread() {
    QThread* thread = nullptr;
    Opened opened([&](const std::string& path, std::stop_token stop) {
      thread = QThread::currentThread();
      return store::read_project(path, std::move(stop));
    });
    QVERIFY(opened.recorded.session.open(opened.file()));
    QVERIFY(thread && thread != QThread::currentThread());
    QCOMPARE(opened.recorded.session.state().question.workload.global_batch, 64);
  }

  void a_cancelled_read_changes_nothing() {
    Opened opened([](const std::string&, const std::stop_token& stop) -> Result<store::ProjectContent> {
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return fail(ErrorCode::cancelled, "cancelled");
    });
    session::Session& session = opened.recorded.session;
    QVERIFY(opened.has_work());
    QTimer::singleShot(300, &session, [&] {  // as the list of jobs does
      const auto job = session.jobs().list().back();
      QCOMPARE(job.title, QString("Open p.pipedeck"));
      session.jobs().cancel(job.id);
    });
    QVERIFY(!session.open(opened.file()));
    QCOMPARE(opened.recorded.errors, QStringList());
    QCOMPARE(session.state().question.workload.global_batch, 96);
    QCOMPARE(session.file(), opened.file());
    QVERIFY(session.modified() && opened.has_work());
    QCOMPARE(session.jobs().list().back().state, session::work::JobState::cancelled);
  }

  void memory_that_ends_is_an_error() {
    Opened opened(
        [](const std::string&, const std::stop_token&) -> Result<store::ProjectContent> { throw std::bad_alloc(); });
    QVERIFY(!opened.recorded.session.open(opened.file()));
    QCOMPARE(opened.recorded.errors.size(), 1);
    QVERIFY(opened.recorded.errors.front().startsWith("out of memory"));
    QVERIFY(opened.has_work());
  }
};

PIPEDECK_TEST(TestOpener)

}  // namespace pipedeck::tst_opener

#include "tst_opener.moc"
