// SPDX-License-Identifier: GPL-3.0-or-later
// Schedule, chunks and network chosen in the real window: one step each, saved with the project; and their lists, drawn
// light and dark.
#include <QAbstractItemView>
#include <QLabel>
#include <QSpinBox>
#include <QStandardItemModel>

#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_bar.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/widgets/choice_box.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_choosers {

using namespace pipedeck::test;

class TestChoosers : public QObject {
  Q_OBJECT

 private slots:
  void schedule_is_chosen_in_one_step();
  void what_a_plan_cannot_have_says_why();
  void every_schedule_offered_is_drawn_and_simulated();
  void conventions_judge_anew_and_are_saved();
  void lists_are_drawn();

 private:
  /// As a click in the open list does.
  static void choose(views::widgets::ChoiceBox& box, const QString& key) {
    const int index = box.findData(key);
    QVERIFY2(index >= 0, qPrintable(key));
    box.setCurrentIndex(index);
    emit box.activated(index);
  }
  static const session::project::PlanEntry& selected(const WindowFixture& fixture) {
    return *session::project::find_plan(fixture.state(), fixture.state().selected_plan);
  }
  /// GPipe's plan of equal stages: one device a stage or more, at least two stages.
  static void select_pipeline(const WindowFixture& fixture) {
    for (const session::project::PlanEntry& entry : fixture.state().plans)
      if (entry.plan->planner == "gpipe" && entry.plan->stages.size() > 1) {
        fixture.session().select_plan(entry.id);
        return;
      }
    QFAIL("no pipeline");
  }
};

void TestChoosers::schedule_is_chosen_in_one_step() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  select_pipeline(fixture);
  auto& box = *fixture.child<views::widgets::ChoiceBox>("schedule_box");
  QCOMPARE(box.current(), QString("gpipe"));
  const auto before = fixture.state();
  const std::size_t steps = fixture.session().undo_steps();
  choose(box, "1f1b");
  QCOMPARE(fixture.session().undo_steps(), steps + 1);
  QVERIFY(selected(fixture).edited);
  QCOMPARE(selected(fixture).plan->schedule, ScheduleKind::one_f_one_b);
  QVERIFY(!selected(fixture).plan->objective);
  QCOMPARE(box.current(), QString("1f1b"));
  QVERIFY(fixture.settle());
  const models::compare::PlanRow* row = fixture.window->compare_page().row(fixture.state().selected_plan);
  QVERIFY(row && row->simulation);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  // The summary next to the box describes the choice.
  QVERIFY(!fixture.child<QLabel>("schedule_summary")->text().isEmpty());
  // An edited plan is changed in place.
  choose(box, "gpipe");
  QCOMPARE(fixture.session().undo_steps(), steps + 2);
  QCOMPARE(fixture.state().plans.size(), before.plans.size() + 1);
  fixture.trigger("action_undo");
  fixture.trigger("action_undo");
  QCOMPARE(fixture.state().plans, before.plans);
}

void TestChoosers::what_a_plan_cannot_have_says_why() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  select_pipeline(fixture);
  auto& box = *fixture.child<views::widgets::ChoiceBox>("schedule_box");
  const auto* items = qobject_cast<QStandardItemModel*>(box.model());
  const int explicit_row = box.findData("explicit");
  QVERIFY(explicit_row >= 0);
  QVERIFY(!items->item(explicit_row)->isEnabled());
  QVERIFY(!items->item(explicit_row)->toolTip().isEmpty());
  for (const views::widgets::Choice& choice : box.choices())
    QVERIFY2(!choice.summary.isEmpty(), qPrintable(choice.key));
}

/// Whatever the list offers, the window shows: chart, memory, split, inspector, for plans of several chunks too.
void TestChoosers::every_schedule_offered_is_drawn_and_simulated() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  select_pipeline(fixture);
  auto& box = *fixture.child<views::widgets::ChoiceBox>("schedule_box");
  const std::vector<views::widgets::Choice> offered = box.choices();
  for (const views::widgets::Choice& choice : offered) {
    if (!choice.unavailable_reason.isEmpty() || choice.key == box.current()) continue;
    choose(box, choice.key);
    QCOMPARE(box.current(), choice.key);
    QVERIFY(fixture.settle());
    const int id = fixture.state().selected_plan;
    const models::compare::PlanRow* row = fixture.window->compare_page().row(id);
    QVERIFY2(row && row->simulation, qPrintable(choice.key + ": " + fixture.errors.join('\n')));
    const QString file = pictures_folder() + QString("schedule-%1.png").arg(choice.key);
    QCOMPARE(ui::layout::write_picture(*fixture.window, file), QString());
    const auto content = fixture.window->compare_page().charts().panel(id)->gantt().content();
    const auto places = models::split::stage_places(row->plan);
    QCOMPARE(content->max_chunks(), places.front().chunks);
    for (int stage = 0; stage < static_cast<int>(places.size()); ++stage)
      (void)fixture.window->compare_page().split().caption(stage);
    fixture.trigger("action_undo");
  }
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestChoosers::conventions_judge_anew_and_are_saved() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  auto& box = *fixture.child<views::widgets::ChoiceBox>("overlap_box");
  QCOMPARE(box.current(), QString("layer"));
  const int id = fixture.state().selected_plan;
  const auto by_layer = fixture.window->compare_page().row(id)->simulation;
  choose(box, "none");
  QCOMPARE(fixture.state().question.workload.conventions.overlap, Overlap::none);
  QVERIFY(fixture.settle());
  const auto after = fixture.window->compare_page().row(id)->simulation;
  QVERIFY(after);
  QCOMPARE(after->overlap, Overlap::none);
  QVERIFY(after->iteration >= by_layer->iteration);
  choose(*fixture.child<views::widgets::ChoiceBox>("network_box"), "shared");
  choose(*fixture.child<views::widgets::ChoiceBox>("collectives_box"), "ring");
  QVERIFY(fixture.settle());
  QVERIFY(fixture.window->compare_page().row(id)->simulation);
  QCOMPARE(fixture.window->compare_page().row(id)->simulation->network, NetworkModel::shared);
  const QString project = fixture.path("judged.pipedeck");
  QVERIFY(fixture.session().save_as(project));
  WindowFixture again;
  QVERIFY(again.session().open(project));
  QCOMPARE(again.child<views::widgets::ChoiceBox>("overlap_box")->current(), QString("none"));
  QCOMPARE(again.child<views::widgets::ChoiceBox>("network_box")->current(), QString("shared"));
  QCOMPARE(again.child<views::widgets::ChoiceBox>("collectives_box")->current(), QString("ring"));
  fixture.trigger("action_undo");
  fixture.trigger("action_undo");
  fixture.trigger("action_undo");
  QCOMPARE(box.current(), QString("layer"));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestChoosers::lists_are_drawn() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  select_pipeline(fixture);
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    for (const char* name : {"schedule_box", "network_box", "overlap_box", "collectives_box"}) {
      auto& box = *fixture.child<views::widgets::ChoiceBox>(name);
      box.showPopup();
      QWidget* list = box.view()->window();
      QVERIFY(QTest::qWaitForWindowExposed(list));
      QVERIFY(box.view()->width() > box.width());
      QVERIFY(list->grab().save(pictures_folder() + QString("%1-%2.png").arg(name, appearance)));
      box.hidePopup();
    }
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 800)}) {
      fixture.window->resize(size);
      QTest::qWait(100);
      QCOMPARE(fixture.window->size(), size);  // nothing asks for more room
      const QString file = pictures_folder() + QString("choosers-%1-%2.png").arg(size.width()).arg(appearance);
      QCOMPARE(ui::layout::write_picture(*fixture.window, file), QString());
    }
  }
  fixture.trigger("action_appearance_light");
}

PIPEDECK_WINDOW_TEST(TestChoosers)

}  // namespace pipedeck::tst_choosers

#include "tst_choosers.moc"
