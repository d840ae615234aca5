// SPDX-License-Identifier: GPL-3.0-or-later
// The session without a window: questions, comparisons, edits, undo, files.
#include <set>

#include <QEventLoop>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>

#include "app/session/examples.hpp"
#include "app/session/plans/edits.hpp"
#include "app/session/project/content.hpp"
#include "app/session/project/training_state.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/store/project_file.hpp"
#include "tests/app/session/session_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_session {

using namespace pipedeck::test;

/// Moves the last stage's cut to `layer`, else by one; where it is then.
int move_last_cut(session::Session& session, int plan, std::optional<int> layer = std::nullopt) {
  const session::project::PlanEntry& entry = *session::project::find_plan(session.state(), plan);
  const Stage& last = entry.plan->stages.back();
  const plan::MoveBoundary edit{static_cast<int>(entry.plan->stages.size()) - 1,
                                layer.value_or(last.last - last.first > 1 ? last.first + 1 : last.first - 1)};
  auto edited = session::plans::edited_plan(session.state(), plan, edit, session.plan_simulator());
  if (!edited) return -1;
  session.change(session::plans::edit_name(edit, *entry.plan,
                                           *session::project::find_profile(session.state(), entry.profile)->profile),
                 session::plans::with_plan_edited(session.state(), plan, *std::move(edited)));
  return edit.layer;
}

class TestSession : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void examples_ask_with_the_defaults_of_their_devices();
  void sample_compares();
  void comparison_is_the_same_on_any_number_of_threads();
  void comparing_again_replaces_rows_in_place();
  void every_change_is_one_step_and_undo_takes_it_back();
  void ids_are_never_used_twice();
  void moving_a_cut_makes_an_edited_plan_once();
  void live_answers_are_the_newest_and_stop_when_cancelled();
  void cancelled_comparison_changes_nothing();
  void cancelled_comparison_keeps_its_answers();
  void answers_come_one_by_one_as_one_step();
  void answers_leave_the_users_choice_alone();
  void one_planner_searches_again();
  void baseline_and_names_of_questions_are_saved();
  void last_comparison_belongs_to_its_question();
  void plan_that_fits_nowhere_is_a_row_that_says_why();
  void saved_project_comes_back_equal();
  void failed_save_keeps_the_old_file();
  void imports_what_it_exports();
  void plan_without_its_profile_says_what_is_missing();
  void graph_text_asks_for_its_micro_batch();
  void malformed_files_are_errors_with_file_and_place_data();
  void malformed_files_are_errors_with_file_and_place();
  void other_warmup_is_known();
  void launch_of_a_missing_program_is_a_failed_run();
  void presets_without_layers_are_planned_on_not_launched();
  void a_replaced_state_lives_until_its_event_ends();
  void a_replaced_state_lives_while_a_dialog_waits();
  void a_plan_without_times_is_exported_without_prediction();

 private:
  QString write(const QString& name, const std::string& content) {
    const QString path = directory_->filePath(name);
    const auto written = io::write_file(path.toStdString(), content);
    Q_ASSERT(written);
    return path;
  }
  /// The small problem imported from files and chosen.
  void open_small(Recorded& recorded) {
    QVERIFY(recorded.session.import(write("p.json", io::documents::profile_to_json(small_profile()))));
    QVERIFY(recorded.session.import(write("c.json", io::documents::cluster_to_json(small_cluster()))));
    recorded.session.set_global_batch(8);
  }
  void compare_small(Recorded& recorded) {
    open_small(recorded);
    recorded.session.compare();
    recorded.wait();
    QVERIFY2(recorded.errors.isEmpty(), qPrintable(recorded.errors.join('\n')));
  }
  static int pipeline_of(const session::Session& session) {
    for (const session::project::PlanEntry& entry : session.state().plans) {
      if (entry.plan->stages.size() > 1 && entry.plan->schedule == ScheduleKind::one_f_one_b) return entry.id;
    }
    for (const session::project::PlanEntry& entry : session.state().plans) {
      if (entry.plan->stages.size() > 1) return entry.id;
    }
    return 0;
  }

  std::unique_ptr<QTemporaryDir> directory_;
};

void TestSession::init() { directory_ = std::make_unique<QTemporaryDir>(); }

/// As the command line does: memory that is not the model's, and the network model.
void TestSession::examples_ask_with_the_defaults_of_their_devices() {
  int with_memory = 0;
  for (const session::Example& example : session::examples()) {
    const auto state = session::example_project(example);
    QVERIFY2(state, example.title);
    const session::project::TrainingState training = session::project::training_state_of(*state);
    QCOMPARE(training.reserve, training.usual.reserve);
    QCOMPARE(training.communication, training.usual.communication);
    QCOMPARE(training.fragmentation, training.usual.fragmentation);
    const Cluster& cluster = *session::project::find_cluster(*state, state->question.cluster)->cluster;
    QCOMPARE(state->question.workload.conventions.network, default_network(cluster));
    with_memory += training.reserve > Bytes{};
  }
  QCOMPARE(with_memory, 3);  // those on H100
}

void TestSession::sample_compares() {
  Recorded recorded;
  recorded.session.open_sample();
  QCOMPARE(recorded.session.state().question.workload.global_batch, 64);
  QVERIFY(!recorded.session.modified());
  QVERIFY(recorded.session.compare() > 0);
  recorded.wait();
  QVERIFY2(recorded.errors.isEmpty(), qPrintable(recorded.errors.join('\n')));
  const auto& summary = recorded.session.last_comparison();
  QVERIFY(summary);
  QCOMPARE(summary->plans + summary->without_plan, static_cast<int>(session::project::chosen_planners({}).size()));
  QVERIFY(summary->lower_bound.count > 0);
  QVERIFY(recorded.session.state().selected_plan > 0);
  for (const session::project::PlanEntry& entry : recorded.session.state().plans) {
    if (!entry.feasible()) continue;
    const auto plan_result = recorded.session.plan_result(entry);
    QVERIFY(plan_result);
    QVERIFY(to_seconds(plan_result->simulation->iteration) >= recorded.session.facts()->bound_of(*entry.plan));
  }
  // Three different charts, none of a plan that changes training.
  std::set<std::pair<std::string, double>> charts;
  for (const session::project::PlanEntry& entry : recorded.session.state().plans) {
    if (!entry.ticked) continue;
    QVERIFY(entry.plan->synchronous());
    charts.emplace(stage_shape_text(*entry.plan), entry.plan->predicted->iteration.count);
  }
  QCOMPARE(charts.size(), std::size_t{3});
}

void TestSession::comparison_is_the_same_on_any_number_of_threads() {
  std::vector<std::vector<Plan>> answers;
  for (const int threads : {1, 2, 4}) {
    Recorded recorded({.threads = threads});
    compare_small(recorded);
    std::vector<Plan> plans;
    for (const session::project::PlanEntry& entry : recorded.session.state().plans) plans.push_back(*entry.plan);
    answers.push_back(std::move(plans));
  }
  QVERIFY(!answers[0].empty());
  QVERIFY(answers[0] == answers[1]);
  QVERIFY(answers[0] == answers[2]);
}

void TestSession::comparing_again_replaces_rows_in_place() {
  Recorded recorded;
  compare_small(recorded);
  const session::project::State first = recorded.session.state();
  recorded.session.compare();
  recorded.wait();
  QCOMPARE(recorded.session.state().plans.size(), first.plans.size());
  for (std::size_t i = 0; i < first.plans.size(); ++i) {
    QCOMPARE(recorded.session.state().plans[i].id, first.plans[i].id);
    QVERIFY(*recorded.session.state().plans[i].plan == *first.plans[i].plan);
  }
}

void TestSession::every_change_is_one_step_and_undo_takes_it_back() {
  Recorded recorded;
  compare_small(recorded);
  session::Session& session = recorded.session;
  const int plan = pipeline_of(session);
  QVERIFY(plan > 0);
  const int profile = session.state().question.profile;
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"tick", [&] { session.set_ticked(plan, !session::project::find_plan(session.state(), plan)->ticked); }},
      {"rename", [&] { session.rename_plan(plan, "mine"); }},
      {"duplicate", [&] { session.duplicate_plan(plan); }},
      {"move a cut", [&] { move_last_cut(session, plan); }},
      {"batch", [&] { session.set_global_batch(16); }},
      {"micro-batch", [&] { session.set_micro_batch(2); }},
      {"model preset", [&] { session.choose_profile_preset(session::project::profile_preset_list().front()); }},
      {"cluster preset", [&] { session.choose_cluster_preset(session::project::cluster_preset_list().front()); }},
      {"profile back", [&] { session.choose_profile(profile); }},
      {"go to a plan", [&] { session.select_plan(plan); }},
      {"delete plan", [&] { session.delete_plan(plan); }},
      {"delete profile", [&] { session.delete_profile(profile); }},
      {"delete cluster", [&] { session.delete_cluster(session.state().question.cluster); }},
  };
  for (const auto& [name, change] : changes) {
    session::project::State before = session.state();
    const std::size_t steps = session.undo_steps();
    change();
    QVERIFY2(session.undo_steps() == steps + 1, name);
    QVERIFY2(!session.undo_name().isEmpty(), name);
    session::project::State after = session.state();
    session.undo();
    before.next_id = session.state().next_id;
    QVERIFY2(session.state() == before, name);
    session.redo();
    after.next_id = session.state().next_id;
    QVERIFY2(session.state() == after, name);
  }
  recorded.wait();
  QVERIFY2(recorded.errors.isEmpty(), qPrintable(recorded.errors.join('\n')));
}

void TestSession::ids_are_never_used_twice() {
  Recorded recorded;
  compare_small(recorded);
  const int plan = pipeline_of(recorded.session);
  recorded.session.duplicate_plan(plan);
  const int copy = recorded.session.state().selected_plan;
  recorded.session.undo();
  recorded.session.duplicate_plan(plan);
  QVERIFY(recorded.session.state().selected_plan != copy);
}

void TestSession::moving_a_cut_makes_an_edited_plan_once() {
  Recorded recorded;
  compare_small(recorded);
  session::Session& session = recorded.session;
  const int plan = pipeline_of(session);
  session.select_plan(plan);
  const std::size_t plans = session.state().plans.size();
  const Plan before = *session::project::find_plan(session.state(), plan)->plan;
  const int old = before.stages.back().first;
  const int moved = move_last_cut(session, plan);
  QVERIFY(moved != old);
  QCOMPARE(session.state().plans.size(), plans + 1);
  const int edited = session.state().selected_plan;
  QVERIFY(edited != plan);
  const Plan& after = *session::project::find_plan(session.state(), edited)->plan;
  QString name = QString::fromStdString(before.name + " (edited)");
  name.replace(QString::fromStdString(stage_shape_text(before)), QString::fromStdString(stage_shape_text(after)));
  QCOMPARE(QString::fromStdString(after.name), name);
  QVERIFY(*session::project::find_plan(session.state(), plan)->plan == before);
  (void)session.plan_result(*session::project::find_plan(session.state(), edited));  // asks for it
  recorded.wait();
  QVERIFY(session.plan_result(*session::project::find_plan(session.state(), edited)));
  QCOMPARE(move_last_cut(session, edited, old), old);
  QCOMPARE(session.state().plans.size(), plans + 1);
  QVERIFY2(session.undo_name().startsWith("Move cut before "), qPrintable(session.undo_name()));
  QCOMPARE(session::project::find_plan(session.state(), edited)->plan->stages.back().first, old);
  // Back at the planner's cut it must be judged as the planner's plan is.
  (void)session.plan_result(*session::project::find_plan(session.state(), edited));
  recorded.wait();
  QCOMPARE(session.plan_result(*session::project::find_plan(session.state(), edited))->simulation->iteration.count,
           session.plan_result(*session::project::find_plan(session.state(), plan))->simulation->iteration.count);
}

void TestSession::live_answers_are_the_newest_and_stop_when_cancelled() {
  Recorded recorded;
  compare_small(recorded);
  session::Session& session = recorded.session;
  const session::project::PlanEntry entry = *session::project::find_plan(session.state(), pipeline_of(session));
  const Problem problem = *session::project::make_problem(session.state(), entry);
  std::vector<std::int64_t> seen;
  Plan last;
  connect(&session.live(), &session::plans::PreviewSimulator::simulated, this,
          [&](std::int64_t generation, const Plan& plan, const std::shared_ptr<const study::PlanResult>& plan_result,
              const QString& why) {
            QVERIFY2(plan_result && plan_result->simulation && plan_result->reasons, qPrintable(why));
            seen.push_back(generation);
            last = plan;
          });
  std::int64_t newest = 0;
  Plan wanted;
  for (int i = 0; i < 40; ++i) {
    const std::vector<Stage>& stages = entry.plan->stages;
    const int cut = i % 2 == 0 ? stages.back().first : stages[stages.size() - 2].first + 1;
    wanted = plan::with_edit(*entry.plan, *problem.profile, *problem.cluster,
                             plan::MoveBoundary{static_cast<int>(stages.size()) - 1, cut})
                 .value();
    newest = session.live().request(problem, wanted);
  }
  QTRY_VERIFY(!session.live().busy());
  QVERIFY(!seen.empty());
  QVERIFY(std::is_sorted(seen.begin(), seen.end()));
  QVERIFY(seen.size() < 40);  // requests that were overtaken were never computed
  QCOMPARE(seen.back(), newest);
  QVERIFY(last == wanted);
  seen.clear();
  session.live().request(problem, wanted);
  session.live().cancel();
  QTRY_VERIFY(!session.live().busy());
  QVERIFY(seen.empty());
}

void TestSession::cancelled_comparison_changes_nothing() {
  Recorded recorded;
  open_small(recorded);
  session::project::State before = recorded.session.state();
  recorded.session.compare();
  QVERIFY(recorded.session.comparing());
  recorded.session.cancel_comparison();
  QVERIFY(!recorded.session.comparing());
  QTest::qWait(100);
  QVERIFY(recorded.session.state() == before);
  QVERIFY(recorded.errors.isEmpty());
}

void TestSession::cancelled_comparison_keeps_its_answers() {
  Recorded recorded({.threads = 1});
  open_small(recorded);
  session::Session& session = recorded.session;
  connect(&session, &session::Session::state_changed, this, [&] {
    if (!session.state().plans.empty()) session.cancel_comparison();
  });
  const std::size_t asked = session::project::chosen_planners({}).size();
  session.compare();
  QCOMPARE(session.searches().size(), asked);
  QTRY_VERIFY(!session.state().plans.empty());
  recorded.wait();
  QVERIFY(!session.comparing() && session.searches().empty());
  QVERIFY(!session.state().plans.empty() && session.state().plans.size() < asked);
  QVERIFY(session.state().selected_plan > 0);
  QVERIFY(recorded.errors.isEmpty());
}

void TestSession::answers_come_one_by_one_as_one_step() {
  Recorded recorded;
  open_small(recorded);
  session::Session& session = recorded.session;
  const std::size_t steps = session.undo_steps();
  std::vector<std::size_t> open;
  std::set<std::size_t> plans;
  connect(&session, &session::Session::searches_changed, this, [&] { open.push_back(session.searches().size()); });
  connect(&session, &session::Session::state_changed, this, [&] { plans.insert(session.state().plans.size()); });
  session.compare();
  recorded.wait();
  const std::size_t asked = session::project::chosen_planners({}).size();
  QCOMPARE(open.front(), asked);
  QCOMPARE(open.back(), std::size_t{0});
  QVERIFY(std::is_sorted(open.rbegin(), open.rend()));
  QCOMPARE(plans.size(), asked);  // each of them was seen
  QCOMPARE(session.undo_steps(), steps + 1);
  QCOMPARE(session.undo_name(), QStringLiteral("Compare plans"));
  const auto chosen = session::project::chosen_planners({});
  for (std::size_t i = 0; i < asked; ++i)  // in the order of the planners, whoever was first
    QCOMPARE(session.state().plans[i].plan->planner, chosen[i].planner->name);
  session.undo();
  QVERIFY(session.state().plans.empty());
}

void TestSession::answers_leave_the_users_choice_alone() {
  Recorded recorded;
  open_small(recorded);
  session::Session& session = recorded.session;
  int chosen = 0;
  connect(&session, &session::Session::state_changed, this, [&] {
    const auto& plans = session.state().plans;
    const auto other = std::ranges::find_if(plans, [&](const session::project::PlanEntry& entry) {
      return entry.feasible() && entry.id != session.state().selected_plan;
    });
    if (chosen != 0 || other == plans.end()) return;
    chosen = other->id;
    session.select_plan(chosen);
  });
  session.compare();
  recorded.wait();
  QVERIFY(chosen != 0);
  QCOMPARE(session.state().selected_plan, chosen);
}

void TestSession::one_planner_searches_again() {
  Recorded recorded;
  compare_small(recorded);
  session::Session& session = recorded.session;
  const std::vector<session::project::PlanEntry> before = session.state().plans;
  session.search_longer("dapple", Seconds(60));
  QCOMPARE(session.searches().size(), std::size_t{1});
  QCOMPARE(session.searches().front().title, QStringLiteral("DAPPLE"));
  QVERIFY(session.jobs().list().back().title.contains(QStringLiteral("DAPPLE")));
  recorded.wait();
  QCOMPARE(session.state().plans.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) QCOMPARE(session.state().plans[i].id, before[i].id);
  QVERIFY(recorded.errors.isEmpty());
}

void TestSession::baseline_and_names_of_questions_are_saved() {
  Recorded recorded;
  compare_small(recorded);
  session::Session& session = recorded.session;
  const int first = pipeline_of(session), other = session.state().plans.back().id;
  session.set_baseline(first);
  session.set_baseline(other);
  const bool feasible = session::project::find_plan(session.state(), other)->feasible();
  QCOMPARE(std::ranges::count_if(session.state().plans, &session::project::PlanEntry::baseline), feasible ? 1 : 0);
  session.set_baseline(first);
  session.rename_question(first, "mine");
  QCOMPARE(session::project::question_name(session.state(), session.state().plans.back()), QStringLiteral("mine"));
  session::project::Planning planning = session.state().question.planning;
  planning.budget = Seconds(60);
  session.set_planning(planning);
  const auto read = session::project::state_of(session::project::content_of(session.state()), "p");
  QVERIFY(read);
  QVERIFY(session::project::find_plan(*read, first)->baseline);
  QCOMPARE(read->question_names, session.state().question_names);
  QCOMPARE(read->question.planning.budget.count, 60.0);
  recorded.session.compare();
  recorded.wait();
  QVERIFY(session::project::find_plan(session.state(), first)->baseline);  // survives a new answer
  session.rename_question(first, {});
  QVERIFY(session.state().question_names.empty());
}

void TestSession::last_comparison_belongs_to_its_question() {
  Recorded recorded;
  compare_small(recorded);
  QVERIFY(recorded.session.last_comparison());
  recorded.session.set_global_batch(16);
  QVERIFY(!recorded.session.last_comparison());
  recorded.session.set_global_batch(8);
  QVERIFY(recorded.session.last_comparison());
  QVERIFY(!recorded.session.jobs().list().empty());
  recorded.session.new_project();
  QVERIFY(recorded.session.jobs().list().empty());
}

void TestSession::plan_that_fits_nowhere_is_a_row_that_says_why() {
  Recorded recorded;
  Cluster tiny = small_cluster();
  for (DeviceType& type : tiny.device_types) type.memory = Bytes(1000);
  QVERIFY(recorded.session.import(write("p.json", io::documents::profile_to_json(small_profile()))));
  QVERIFY(recorded.session.import(write("c.json", io::documents::cluster_to_json(tiny))));
  recorded.session.set_global_batch(8);
  recorded.session.compare();
  recorded.wait();
  QVERIFY2(recorded.errors.isEmpty(), qPrintable(recorded.errors.join('\n')));
  QCOMPARE(recorded.session.state().plans.size(), session::project::chosen_planners({}).size());
  int without = 0;
  for (const session::project::PlanEntry& entry : recorded.session.state().plans) {
    if (entry.feasible()) continue;
    ++without;
    QVERIFY(!entry.note.isEmpty());
  }
  QVERIFY(without > 0);
  QCOMPARE(recorded.session.last_comparison()->without_plan, without);
}

void TestSession::saved_project_comes_back_equal() {
  Recorded recorded;
  compare_small(recorded);
  recorded.session.duplicate_plan(pipeline_of(recorded.session));
  recorded.session.choose_profile_preset(session::project::profile_preset_list().front());
  const QString file = directory_->filePath("p.pipedeck");
  QVERIFY(recorded.session.save_as(file));
  QVERIFY(!recorded.session.modified());

  Recorded again;
  QVERIFY(again.session.open(file));
  QVERIFY(again.errors.isEmpty());
  QVERIFY(!again.session.modified());
  const auto content = store::read_project(file.toStdString());
  QVERIFY(content.has_value());
  QVERIFY(session::project::same_project(session::project::content_of(again.session.state()), *content));
  QVERIFY(session::project::same_project(session::project::content_of(recorded.session.state()), *content));
  QVERIFY(again.session.state().question == recorded.session.state().question);
  QCOMPARE(again.session.state().plans.size(), recorded.session.state().plans.size());
}

void TestSession::failed_save_keeps_the_old_file() {
  Recorded recorded;
  open_small(recorded);
  const QString file = directory_->filePath("p.pipedeck");
  QVERIFY(recorded.session.save_as(file));
  const auto before = io::read_file(file.toStdString());
  QVERIFY(!recorded.session.save_as(directory_->filePath("no/such/folder/p.pipedeck")));
  QCOMPARE(recorded.errors.size(), 1);
  QCOMPARE(recorded.session.file(), QFileInfo(file).absoluteFilePath());
  QVERIFY(*io::read_file(file.toStdString()) == *before);
}

void TestSession::imports_what_it_exports() {
  Recorded recorded;
  compare_small(recorded);
  const int id = pipeline_of(recorded.session);
  const QString file = directory_->filePath("plan.json");
  QVERIFY(recorded.session.export_plan(id, file));
  const auto exported = io::read_plan(file.toStdString());
  QVERIFY(exported.has_value());
  QVERIFY(exported->predicted.has_value());
  QVERIFY(!exported->profile_sha256.empty());
  const std::size_t plans = recorded.session.state().plans.size();
  QVERIFY(recorded.session.import(file));
  QCOMPARE(recorded.session.state().plans.size(), plans + 1);
  QVERIFY(recorded.session.state().plans.back().plan->stages ==
          session::project::find_plan(recorded.session.state(), id)->plan->stages);
  QVERIFY(recorded.session.state().plans.back().note.isEmpty());  // made for this very profile and cluster
}

void TestSession::plan_without_its_profile_says_what_is_missing() {
  Recorded recorded;
  compare_small(recorded);
  const QString file = directory_->filePath("plan.json");
  QVERIFY(recorded.session.export_plan(pipeline_of(recorded.session), file));
  Recorded other;
  QVERIFY(!other.session.import(file));
  QCOMPARE(other.errors.size(), 1);
  QVERIFY(other.errors[0].contains("six layers"));
  QVERIFY(other.session.state().empty());
}

void TestSession::graph_text_asks_for_its_micro_batch() {
  const std::string graph =
      "node1 -- Linear -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=100.0, "
      "parameter_size=400.0\n"
      "node2 -- Linear -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=100.0, "
      "parameter_size=400.0\n"
      "\tnode1 -- node2\n";
  QString asked;
  Recorded recorded({.ask_micro_batch = [&](const QString& file) -> std::optional<int> {
    asked = file;
    return 7;
  }});
  QVERIFY2(recorded.session.import(write("graph.txt", graph)), qPrintable(recorded.errors.join('\n')));
  QVERIFY(asked.endsWith("graph.txt"));
  QCOMPARE(recorded.session.state().profiles.back().profile->micro_batch, 7);

  asked.clear();
  QVERIFY(recorded.session.import(write("graph-pbs-3.txt", graph)));
  QVERIFY(asked.isEmpty());  // the name contains it
  QCOMPARE(recorded.session.state().profiles.back().profile->micro_batch, 3);

  Recorded declined({.ask_micro_batch = [](const QString&) { return std::optional<int>(); }});
  QVERIFY(!declined.session.import(write("graph.txt", graph)));
  QVERIFY(declined.errors.isEmpty());  // giving up is no error
}

void TestSession::malformed_files_are_errors_with_file_and_place_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QString>("place");
  QTest::newRow("no file kind") << QByteArray("{\"format\": \"pipedeck.banana\"}") << "/format";
  QTest::newRow("cut short") << QByteArray("{\"format\": \"pipedeck.profile\", ") << "";
  QTest::newRow("no layers") << QByteArray(
                                    "{\"format\": \"pipedeck.profile\", \"version\": 1, \"name\": \"x\", "
                                    "\"micro_batch\": 1, \"layers\": 5}")
                             << "/layers";
  QTest::newRow("newer version") << QByteArray("{\"format\": \"pipedeck.cluster\", \"version\": 99}") << "/version";
  QTest::newRow("graph line") << QByteArray("node1 -- Linear -- forward_compute_time=abc\n") << "line 1";
  QTest::newRow("database in pieces") << QByteArray("SQLite format 3\0garbage", 23) << "";
}

void TestSession::malformed_files_are_errors_with_file_and_place() {
  QFETCH(QByteArray, content);
  QFETCH(QString, place);
  Recorded recorded({.ask_micro_batch = [](const QString&) { return std::optional(1); }});
  const QString file = write("broken.dat", content.toStdString());
  QVERIFY(!recorded.session.open_or_import(file));
  QCOMPARE(recorded.errors.size(), 1);
  QVERIFY2(recorded.errors[0].contains("broken.dat"), qPrintable(recorded.errors[0]));
  QVERIFY2(recorded.errors[0].contains(place), qPrintable(recorded.errors[0]));
  // The next step: bytes can't be corrected in an editor.
  const char* const next = content.startsWith("SQLite") ? "\nChoose another file" : "\nFix the file at this location";
  QVERIFY2(recorded.errors[0].contains(next), qPrintable(recorded.errors[0]));
  QVERIFY(recorded.session.state().empty());
  QCOMPARE(recorded.session.undo_steps(), std::size_t{0});
}

void TestSession::other_warmup_is_known() {
  Recorded recorded;
  recorded.session.open_sample();
  recorded.session.compare();
  recorded.wait();
  int pipelines = 0;
  for (const session::project::PlanEntry& entry : recorded.session.state().plans) {
    if (!entry.feasible() || entry.plan->stages.size() < 2 || entry.plan->schedule != ScheduleKind::one_f_one_b)
      continue;
    ++pipelines;
    const auto plan_result = recorded.session.plan_result(entry);
    QVERIFY(plan_result && plan_result->other_warmup);
    Plan other = *entry.plan;
    other.warmup = plan_result->other_warmup->policy;
    QVERIFY(other.warmup != entry.plan->warmup);
    const auto simulated = sim::simulate(*session::project::make_problem(recorded.session.state(), entry), other);
    QVERIFY(simulated.has_value());
    QCOMPARE(plan_result->other_warmup->iteration.count, to_seconds(simulated->iteration).count);
  }
  QVERIFY(pipelines > 0);
}

void TestSession::launch_of_a_missing_program_is_a_failed_run() {
  Recorded recorded({.runner = "/no/such/pipedeck-cli"});
  recorded.session.choose_profile_preset("mlp-small");
  recorded.session.choose_cluster_preset(session::project::cluster_preset_list().front());
  recorded.session.set_global_batch(64);
  recorded.session.compare();
  recorded.wait();
  const int plan = recorded.session.state().selected_plan;
  QVERIFY(plan > 0);
  QCOMPARE(recorded.session.not_launchable_reason(plan), QString());
  session::runs::RunSettings settings;
  settings.steps = 3;
  QVERIFY(recorded.session.launch({plan, nullptr, settings}));
  QTRY_VERIFY(!recorded.session.launching());
  QCOMPARE(recorded.session.state().runs.size(), std::size_t{1});
  QCOMPARE(recorded.session.state().runs[0].run->state, session::project::RunOutcome::failed);
  QVERIFY(recorded.errors.join(' ').contains("/no/such/pipedeck-cli"));
}

// Papers give figures of AmoebaNet-36 and TransGAN, not layers that could be trained.
void TestSession::presets_without_layers_are_planned_on_not_launched() {
  QCOMPARE(session::project::profile_preset_list().count("AmoebaNet-36"), 1);
  Recorded recorded;
  recorded.session.choose_profile_preset("AmoebaNet-36");
  const session::project::State& state = recorded.session.state();
  QCOMPARE(state.profiles.size(), std::size_t{1});
  QVERIFY(!state.profiles[0].model);
  QCOMPARE(state.question.profile, state.profiles[0].id);
  recorded.session.choose_cluster_preset(session::project::cluster_preset_list().front());
  recorded.session.set_global_batch(16);
  recorded.session.compare();
  recorded.wait();
  const int plan = recorded.session.state().selected_plan;
  QVERIFY(plan > 0);
  QVERIFY(!recorded.session.not_launchable_reason(plan).isEmpty());
}

void TestSession::a_replaced_state_lives_until_its_event_ends() {
  Recorded recorded;
  open_small(recorded);
  const session::project::State& before = recorded.session.state();
  const std::weak_ptr<const Profile> profile = before.profiles.front().profile;
  recorded.session.new_project();
  QVERIFY(recorded.session.state().empty());
  QCOMPARE(before.profiles.size(), std::size_t{1});
  QCOMPARE(before.profiles.front().profile, profile.lock());
  QTRY_VERIFY(profile.expired());
}

void TestSession::a_replaced_state_lives_while_a_dialog_waits() {
  Recorded recorded;
  open_small(recorded);
  const std::weak_ptr<const Profile> profile = recorded.session.state().profiles.front().profile;
  bool kept = false;
  QEventLoop program;
  QTimer::singleShot(0, &program, [&] {
    const session::project::State& before = recorded.session.state();
    QEventLoop dialog;
    QTimer::singleShot(0, &dialog, [&] { recorded.session.new_project(); });
    QTimer::singleShot(100, &dialog, &QEventLoop::quit);
    dialog.exec();
    kept = before.profiles.size() == 1 && before.profiles.front().profile == profile.lock();
    program.quit();
  });
  program.exec();
  QVERIFY(kept);
  QVERIFY(recorded.session.state().empty());
  QTRY_VERIFY(profile.expired());
}

/// The cluster's devices became others, of a type for which the profile has no times.
void TestSession::a_plan_without_times_is_exported_without_prediction() {
  Recorded recorded;
  compare_small(recorded);
  const int id = pipeline_of(recorded.session), cluster = recorded.session.state().question.cluster;
  Cluster other = *session::project::find_cluster(recorded.session.state(), cluster)->cluster;
  for (DeviceType& type : other.device_types) {
    type.name = "a type that no profile knows";
    type.relative_speed = 2;
  }
  for (Node& node : other.nodes)
    for (DeviceGroup& group : node.devices) group.type = other.device_types.front().name;
  Profile profile = *recorded.session.state().profiles.front().profile;
  profile.device = "V100-16GB";
  auto next = session::project::with_cluster_replaced(recorded.session.state(), cluster, other, {}).state;
  next = session::project::with_profile_replaced(std::move(next), next.question.profile, profile).state;
  recorded.session.change("Other devices", std::move(next));
  const session::project::PlanEntry* entry = session::project::find_plan(recorded.session.state(), id);
  QVERIFY(entry);
  QVERIFY(!session::project::make_problem(recorded.session.state(), *entry));
  const QString file = directory_->filePath("plan.json");
  QVERIFY(recorded.session.export_plan(id, file));
  QVERIFY(io::read_plan(file.toStdString()).has_value());
}

PIPEDECK_TEST(TestSession)

}  // namespace pipedeck::tst_session

#include "tst_session.moc"
