// SPDX-License-Identifier: Apache-2.0
// Planners that are programs: what they are asked, what counts as an answer, and what becomes of programs that
// misbehave.
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_program_planner {

Problem small_problem() {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(test::uniform_profile(4, milliseconds(1), milliseconds(2)));
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(2));
  problem.workload.global_batch = 8;
  return problem;
}

/// A plan for the small problem with a member changed.
std::string plan_text(const char* key = "zero", const QJsonValue& value = 0) {
  QJsonObject plan{{"format", "pipedeck.plan"}, {"version", 1},       {"name", "mine"}, {"global_batch", 8},
                   {"micro_batch", 2},          {"schedule", "1f1b"}, {"warmup", "A"},  {"optimizer", "adam"},
                   {"precision", "fp32"},       {"zero", 0}};
  plan["stages"] =
      QJsonDocument::fromJson(R"([{"layers": [0, 2], "devices": [0]}, {"layers": [2, 4], "devices": [1]}])").array();
  plan[key] = value;
  return QJsonDocument(plan).toJson(QJsonDocument::Compact).toStdString();
}

planner::PlannerContext limited(std::stop_token deadline, Seconds budget) {
  planner::PlannerContext context;
  context.deadline_token = std::move(deadline), context.budget = budget;
  return context;
}

class TestProgramPlanner : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// Returns the name of a planner that runs this script.
  std::string script(const std::string& body, const char* interpreter = "/bin/sh") {
    const QString path = folder_.filePath(QString::fromUtf8(QTest::currentTestFunction()) + "_" +
                                          QString::fromUtf8(QTest::currentDataTag()).replace(' ', '_'));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
    file.write(QByteArray("#!") + interpreter + "\n" + QByteArray::fromStdString(body) + "\n");
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return "exec:" + path.toStdString();
  }

  static Result<planner::Ranking> asked(const std::string& name, planner::PlannerContext context = {},
                                        const Problem& problem = small_problem(),
                                        const planner::PlannerOptions& options = {}) {
    const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    context.score = sim::score_of(*simulator);
    context.fits = sim::fits_of(*simulator);
    context.top = 10;
    return planner::run_planner(**planner::find_planner(name), problem, options, context);
  }

  static void verify_error(const Result<planner::Ranking>& answer, ErrorCode code, const std::string& words) {
    QVERIFY(!answer);
    QVERIFY2(answer.error().text().find(words) != std::string::npos, answer.error().text().c_str());
    QCOMPARE(answer.error().code, code);
  }

 private slots:
  void a_path_is_one_planner() {
    const auto one = planner::find_planner("exec:/bin/true"), again = planner::find_planner("exec:/bin/../bin/true");
    QVERIFY(one && again);
    QCOMPARE(*one, *again);
    QCOMPARE((*one)->name, std::string("exec:/bin/true"));
    QCOMPARE((*one)->title, std::string("true"));
    QVERIFY((*one)->external);
    for (const char* bad : {"exec:", "exec:/bin/"}) {
      const auto none = planner::find_planner(bad);
      QVERIFY2(!none && none.error().code == ErrorCode::bad_usage, bad);
    }
  }

  /// The program finds the question whole: it answers with a plan only then.
  void the_question_is_complete() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("no python3 here");
    Problem problem = small_problem();
    problem.workload.micro_batch = 2;
    problem.pins.max_stages = 2;
    problem.pins.layers = {{LayerId(3), DeviceId(1)}};
    const std::string name = script(
        "import json, sys\nq = json.load(sys.stdin)\n"
        "assert (q['format'], q['version'], q['top'], q['budget_s']) == ('pipedeck.question', 1, 10, 2.5)\n"
        "assert q['workload']['global_batch'] == 8 and q['workload']['micro_batch'] == 2\n"
        "assert q['workload']['optimizer'] == 'adam' and q['workload']['network'] == 'ideal'\n"
        "assert q['pins'] == {'stages': None, 'max_stages': 2, 'replicas': None, 'tensor_parallel': None, "
        "'layers': [[3, 1]]}\n"
        "assert len(q['profile']['layers']) == 4 and q['profile']['format'] == 'pipedeck.profile'\n"
        "assert len(q['cluster']['nodes']) == 1 and q['cluster']['format'] == 'pipedeck.cluster'\n"
        "print(r'''" +
            plan_text() + "''')",
        "/usr/bin/env python3");
    const auto answer = asked(name, limited({}, Seconds(2.5)), problem);
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QCOMPARE(answer->plans.size(), std::size_t{1});
  }

  void plans_are_judged_and_sorted_data() {
    QTest::addColumn<QString>("between");
    QTest::newRow("one after another") << "%1\n%2\n";
    QTest::newRow("a list") << "[%1,\n %2]";
    QTest::newRow("in one line") << "%1%2";
  }
  void plans_are_judged_and_sorted() {
    QFETCH(QString, between);
    const QString slow = QString::fromStdString(plan_text("micro_batch", 8)),
                  fast = QString::fromStdString(plan_text());
    const std::string name = script("cat <<'END'\n" + between.arg(slow, fast).toStdString() + "\nEND");
    const auto answer = asked(name);
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QCOMPARE(answer->plans.size(), std::size_t{2});
    const Plan &first = answer->plans[0], &second = answer->plans[1];
    QCOMPARE(first.micro_batch, 2);
    QVERIFY(*first.objective->time < *second.objective->time);
    QCOMPARE(first.planner, name);
    QCOMPARE(first.name, std::string("mine"));
    QVERIFY(first.certificate->lower_bound > Seconds());
    // 4 micro-batches of 2 samples through 2 stages of 2 layers, 1 and 2 ms a layer and sample: (4 + 1) (4 + 8) ms.
    QVERIFY2(std::abs(first.objective->time->count - 0.060) < 1e-6,
             std::to_string(first.objective->time->count).c_str());
  }

  void a_reason_is_an_answer() {
    const auto answer = asked(script(R"(echo '{"infeasible": "too few devices"}')"));
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QCOMPARE(answer->infeasible->reason, std::string("too few devices"));
    const auto silent = asked(script("cat >/dev/null"));
    QCOMPARE(silent->infeasible->reason, std::string("the program ended without a plan"));
  }

  void broken_answers_are_errors_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("words");
    const auto echo = [](const std::string& text) { return QString::fromStdString("echo '" + text + "'"); };
    QTest::newRow("status") << "echo 'no licence' >&2; exit 3"
                            << "ended with status 3: no licence";
    QTest::newRow("status after a plan") << echo(plan_text()) + "; exit 7"
                                         << "ended with status 7";
    QTest::newRow("signal") << "kill -SEGV $$"
                            << "ended with status 139";
    QTest::newRow("no JSON") << "echo hello"
                             << "found \"hello\", expected plans as JSON";
    QTest::newRow("half an object") << echo(R"({"format": "pipedeck.plan")") << "expected a whole one";
    QTest::newRow("half a list") << echo("[" + plan_text()) << "brackets that do not match";
    QTest::newRow("broken object") << echo(R"({"format" "pipedeck.plan"})") << "plan 1:";
    QTest::newRow("other format") << echo(R"({"format": "pipedeck.profile", "version": 1})") << "plan 1: /format";
    QTest::newRow("other devices")
        << echo(plan_text("stages", QJsonDocument::fromJson(R"([{"layers": [0, 4], "devices": [7]}])").array()))
        << "plan 1: /stages/0/devices";
    QTest::newRow("fewer layers")
        << echo(plan_text("stages", QJsonDocument::fromJson(R"([{"layers": [0, 3], "devices": [0]}])").array()))
        << "plan 1: /stages";
    QTest::newRow("other batch") << echo(plan_text("global_batch", 16))
                                 << "plan 1: /global_batch: found 16, expected 8 as asked";
    QTest::newRow("other optimizer") << echo(plan_text("optimizer", "sgd")) << "plan 1: /optimizer";
    QTest::newRow("flood") << "yes '[[[[[[[[['"
                           << "more than 64 MiB";
    QTest::newRow("flood of text") << "yes"
                                   << "more than 64 MiB";
  }
  void broken_answers_are_errors() {
    QFETCH(QString, body);
    QFETCH(QString, words);
    verify_error(asked(script(body.toStdString())), ErrorCode::bad_input, words.toStdString());
  }

  void pins_are_kept() {
    Problem problem = small_problem();
    problem.pins.stages = 1;
    verify_error(asked(script("echo '" + plan_text() + "'"), {}, problem), ErrorCode::bad_input, "plan 1:");
  }

  void what_cannot_be_started_is_an_error() {
    verify_error(asked("exec:/no/such/program"), ErrorCode::io, "can't be started: No such file");
    verify_error(asked("exec:/etc/passwd"), ErrorCode::io, "can't be started: Permission denied");
  }

  /// A question larger than a pipe holds, to a program that never reads it.
  void unread_questions_do_no_harm() {
    Problem problem = small_problem();
    Profile profile = *problem.profile;
    profile.source = std::string(1 << 20, 'x');
    problem.profile = std::make_shared<const Profile>(profile);
    const auto answer = asked(script("exec <&-; sleep 0.05; echo '" + plan_text() + "'"), {}, problem);
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QCOMPARE(answer->plans.size(), std::size_t{1});
  }

  void programs_end_with_their_time() {
    QElapsedTimer timer;
    timer.start();
    const std::string hangs = script("sleep 60 & sleep 60");
    verify_error(asked(hangs, {}, small_problem(), {{"limit", "0"}}), ErrorCode::bad_input, "no plan after 0 s");
    std::stop_source deadline, stop;
    std::jthread later([&] {
      QTest::qSleep(100);
      deadline.request_stop();
      QTest::qSleep(100);
      stop.request_stop();
    });
    const auto late = asked(hangs, limited(deadline.get_token(), Seconds(0.1)));
    QVERIFY(late && late->infeasible && late->infeasible->out_of_time);
    planner::PlannerContext stopped;
    stopped.stop = stop.get_token();
    verify_error(asked(hangs, stopped), ErrorCode::cancelled, "cancelled");
    QVERIFY(timer.elapsed() < 5000);
  }

  void plans_in_time_count() {
    std::stop_source deadline;
    const std::string name = script("echo '" + plan_text() + "'; echo '{\"format\": '; sleep 60");
    std::jthread later([&] {
      QTest::qSleep(800);
      deadline.request_stop();
    });
    const auto answer = asked(name, limited(deadline.get_token(), {}));
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QCOMPARE(answer->plans.size(), std::size_t{1});
    QVERIFY(answer->plans.front().truncated);
  }

  /// Processes that a program started end with it.
  void no_process_remains() {
    const QString noted = folder_.filePath("noted");
    const auto answer =
        asked(script("sleep 60 >/dev/null 2>&1 & echo $! > " + noted.toStdString() + "\necho '" + plan_text() + "'"));
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QFile file(noted);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const int id = file.readAll().trimmed().toInt();
    QVERIFY(id > 1);
    const auto gone = [id] {
      QFile stat(QString("/proc/%1/stat").arg(id));
      return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z ");
    };
    QTRY_VERIFY(gone());
  }

  void the_documented_example_plans() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("no python3 here");
    const std::string name = "exec:" + test::source_dir() + "/docs/examples/even_split.py";
    const Problem problem = small_problem();
    const auto answer = asked(name);
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    std::set<int> sizes;
    for (const Plan& plan : answer->plans) {
      sizes.insert(plan.micro_batch);
      QCOMPARE(plan.stages.size(), std::size_t{2});
      QCOMPARE(plan.stages[0].last, 2);
    }
    QCOMPARE(sizes.size(), answer->plans.size());
    QCOMPARE(*sizes.rbegin(), 8);
    Problem pinned = problem;
    pinned.pins.replicas = 2;
    const auto refused = asked(name, {}, pinned);
    QVERIFY(refused && refused->infeasible);
  }
};

PIPEDECK_TEST(TestProgramPlanner)

}  // namespace pipedeck::tst_program_planner

#include "tst_program_planner.moc"
