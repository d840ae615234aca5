// SPDX-License-Identifier: GPL-3.0-or-later
// Killed while a hand edits, at night a hundred times, and found again; what is done about work that killed windows
// left.
#include <QDir>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QThread>

#include "app/session/project/autosave.hpp"
#include "tests/app/ui/edits.hpp"
#include "tests/app/ui/project_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_recovery {

using namespace pipedeck::test;

/// Without a window: what a test knows of the right answer.
struct Plain {
  Plain(const QString& state_folder, session::Recovery answer)
      : session(
            session::SessionServices{{}, {}, 1, state_folder, [this, answer](const session::RecoveryRequest& question) {
                                       asked.push_back(question);
                                       return answer;
                                     }}) {
    QObject::connect(&session, &session::Session::error,
                     [this](const QString&, const QString& text) { errors << text; });
  }
  std::vector<session::RecoveryRequest> asked;
  QStringList errors;
  session::Session session;
};

class TestRecovery : public QObject {
  Q_OBJECT

 private slots:
  void every_edit_of_the_hand_is_one();
  void killed_and_recovered_data();
  void killed_and_recovered();
  void the_program_itself_killed_and_recovered();
  void last_saved_is_opened_and_the_rest_can_be_had_back();
  void deciding_later_changes_nothing();
  void a_damaged_project_is_recovered_from_its_work_copy();
  void a_damaged_work_copy_is_put_aside();
};

/// Else what is found after a kill would prove less than it seems to.
void TestRecovery::every_edit_of_the_hand_is_one() {
  Plain plain({}, session::Recovery::saved);
  Hand hand(plain.session);
  for (int i = 0; i < 3 * edit_kinds; ++i) {
    const QByteArray before = described(plain.session.state());
    hand.edit(i);
    QVERIFY2(described(plain.session.state()) != before, qPrintable(QString("edit %1").arg(i)));
  }
  QVERIFY2(plain.errors.isEmpty(), qPrintable(plain.errors.join('\n')));
}

/// Twenty kills, at night a hundred, in parts that each end before the test's clock does, also where the machine has
/// much else to do.
void TestRecovery::killed_and_recovered_data() {
  QTest::addColumn<bool>("named");
  QTest::addColumn<int>("part");
  for (const int part : {1, 2, 3}) QTest::addRow("project with a file, %d of 3", part) << true << part;
  for (const int part : {1, 2}) QTest::addRow("new project, %d of 2", part) << false << part;
}

void TestRecovery::killed_and_recovered() {
  QFETCH(bool, named);
  QFETCH(int, part);
  QRandomGenerator random(static_cast<quint32>(named ? part : 10 + part));
  for (int kill = 0; kill < (nightly() ? 20 : 4); ++kill) {
    QTemporaryDir folder;
    const QString project = folder.filePath("p.pipedeck"), state = folder.filePath("state");
    QDir().mkpath(state);
    if (named) write_project_file(project);
    QProcess child;
    child.start(QStringLiteral(PIPEDECK_BUILD_DIR "/tests/app/ui/edit_until_killed"),
                {named ? project : QStringLiteral("-"), state});
    QVERIFY2(child.waitForStarted(), qPrintable(child.errorString()));
    int last = -1;
    const int wanted = 1 + static_cast<int>(random.bounded(2 * edit_kinds));
    while (last < wanted) {
      QVERIFY2(child.canReadLine() || child.waitForReadyRead(30000), child.readAllStandardError().constData());
      while (child.canReadLine()) last = child.readLine().trimmed().toInt();
    }
    QThread::usleep(random.bounded(20000u));
    child.kill();
    QVERIFY(child.waitForFinished());
    while (child.canReadLine()) last = child.readLine().trimmed().toInt();

    Plain found(state, session::Recovery::restore);
    if (named) {
      QVERIFY2(found.session.open(project), qPrintable(found.errors.join('\n')));
    } else {
      QVERIFY2(found.session.offer_recovery(), qPrintable(found.errors.join('\n')));
    }
    QVERIFY2(found.session.read_only_reason().isEmpty(), qPrintable(found.session.read_only_reason()));
    // The edits without the window: up to the last reported edit, or one more.
    QTemporaryDir elsewhere;
    Plain right({}, session::Recovery::saved);
    if (named) {
      write_project_file(elsewhere.filePath("p.pipedeck"));
      QVERIFY(right.session.open(elsewhere.filePath("p.pipedeck")));
    }
    Hand hand(right.session);
    for (int i = 0; i <= last; ++i) hand.edit(i);
    const QByteArray before = described(right.session.state());
    hand.edit(last + 1);
    const QByteArray after = described(right.session.state());
    const QByteArray here = described(found.session.state());
    QVERIFY2(here == before || here == after, qPrintable(QString("kill %1 after edit %2").arg(kill).arg(last)));
    found.session.discard_unsaved();
    right.session.discard_unsaved();
    QVERIFY(session::project::find_recoverable(state).empty());
  }
}

void TestRecovery::the_program_itself_killed_and_recovered() {
  QTemporaryDir folder;
  const QString project = folder.filePath("p.pipedeck");
  write_project_file(project);
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_QPA_PLATFORM", "offscreen");
  environment.insert("XDG_STATE_HOME", folder.path());
  environment.insert("XDG_CONFIG_HOME", folder.path());
  QProcess child;
  child.setProcessEnvironment(environment);
  child.start(PIPEDECK_BUILD_DIR "/pipedeck", {"--compare", project});
  QVERIFY(child.waitForStarted());
  const QString work = folder.filePath(".p.pipedeck.work");
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(work + "-wal") && QFileInfo(work + "-wal").size() > 0, 30000);
  QTest::qWait(200);
  child.kill();
  QVERIFY(child.waitForFinished());
  QVERIFY(QFile::exists(work));
  Plain found(folder.filePath("pipedeck"), session::Recovery::restore);
  QVERIFY(found.session.offer_recovery());  // without knowledge of the project
  QCOMPARE(found.session.file(), project);
  QCOMPARE(found.asked.size(), std::size_t{1});
  QCOMPARE(found.asked[0].name, QString("p.pipedeck"));
  QVERIFY(found.asked[0].saved.has_value() && found.asked[0].edited >= *found.asked[0].saved);
  QVERIFY(found.session.state().plans.size() > 1);
  QVERIFY(found.session.modified());
  QVERIFY(found.session.save());
  QVERIFY(!QFile::exists(work));
}

/// Creates a project with one change of a killed window: the global batch is 77.
static void leave_work(const QString& project) {
  auto saved = store::read_project(project.toStdString());
  QVERIFY(saved.has_value());
  auto copy =
      store::RecoveryJournal::begin(store::work_copy_path(project.toStdString()), project.toStdString(), *saved);
  QVERIFY(copy.has_value());
  auto state = session::project::state_of(*saved, "p");
  QVERIFY(state.has_value());
  state->question.workload.global_batch = 77;
  QVERIFY(copy->keep(session::project::content_of(*state)));
}

void TestRecovery::last_saved_is_opened_and_the_rest_can_be_had_back() {
  QTemporaryDir folder;
  const QString project = folder.filePath("p.pipedeck");
  write_project_file(project);
  leave_work(project);
  Plain found({}, session::Recovery::saved);
  QVERIFY(found.session.open(project));
  QVERIFY(!found.session.modified());
  QVERIFY(found.session.state().question.workload.global_batch != 77);
  QVERIFY(found.session.can_redo());
  found.session.redo();
  QCOMPARE(found.session.state().question.workload.global_batch, 77);
  QVERIFY(found.session.modified());
  found.session.undo();
  QVERIFY(!QFile::exists(folder.filePath(".p.pipedeck.work")));  // nothing is unsaved
}

void TestRecovery::deciding_later_changes_nothing() {
  QTemporaryDir folder;
  const QString project = folder.filePath("p.pipedeck");
  write_project_file(project);
  leave_work(project);
  const QByteArray work = bytes_of(folder.filePath(".p.pipedeck.work"));
  Plain found({}, session::Recovery::later);
  QVERIFY(!found.session.open(project));
  QVERIFY(found.session.file().isEmpty());
  QVERIFY(found.errors.isEmpty());
  QVERIFY(QFile::exists(folder.filePath(".p.pipedeck.work")));
  Plain again({}, session::Recovery::restore);
  QVERIFY(again.session.open(project));
  QCOMPARE(again.session.state().question.workload.global_batch, 77);
  again.session.discard_unsaved();
}

void TestRecovery::a_damaged_project_is_recovered_from_its_work_copy() {
  QTemporaryDir folder;
  const QString project = folder.filePath("p.pipedeck");
  write_project_file(project);
  leave_work(project);
  write_bytes(project, bytes_of(project).left(5000));
  Plain found({}, session::Recovery::restore);
  QVERIFY2(found.session.open(project), qPrintable(found.errors.join('\n')));
  QVERIFY(!found.asked[0].problem.isEmpty());
  QCOMPARE(found.session.state().question.workload.global_batch, 77);
  QCOMPARE(found.session.state().profiles.size(), std::size_t{2});
  QVERIFY(found.session.save());
  Plain whole({}, session::Recovery::later);
  QVERIFY(whole.session.open(project) || !whole.errors.isEmpty());
}

void TestRecovery::a_damaged_work_copy_is_put_aside() {
  QTemporaryDir folder;
  const QString project = folder.filePath("p.pipedeck"), work = folder.filePath(".p.pipedeck.work");
  write_project_file(project);
  leave_work(project);
  const QByteArray damaged = bytes_of(work).left(3000);
  write_bytes(work, damaged);
  Plain found({}, session::Recovery::restore);
  QVERIFY(found.session.open(project));
  QCOMPARE(found.errors.size(), 1);
  QVERIFY2(found.errors[0].contains("cannot be read"), qPrintable(found.errors[0]));
  QCOMPARE(bytes_of(work + ".damaged"), damaged);
}

PIPEDECK_WINDOW_TEST(TestRecovery)

}  // namespace pipedeck::tst_recovery

#include "tst_recovery.moc"
