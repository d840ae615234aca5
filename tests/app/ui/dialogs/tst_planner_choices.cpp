// SPDX-License-Identifier: GPL-3.0-or-later
// Which planners answer, with which options and within which pins.
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>

#include "app/ui/dialogs/planner_dialog.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_planner_choices {

using namespace pipedeck::test;

class TestPlannerChoices : public QObject {
  Q_OBJECT

 private slots:
  void planners_are_chosen_and_pinned();
  void planner_dialog_reads_its_fields();
  void rows_keep_their_height();
};

/// Only the ticked planners answer, with their options and within the pins; one step of undo; saved with the project.
void TestPlannerChoices::planners_are_chosen_and_pinned() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  session::project::Planning planning;
  for (const planner::PlannerInfo& planner : planner::planners())
    planning.planners[planner.name].compared = planner.name == "dapple";
  planning.planners["dapple"].options = {{"rank-by", "objective"}};
  planning.pins.tensor_parallel = 1;
  fixture.answers.planning = planning;
  fixture.trigger("action_planners");
  QCOMPARE(fixture.session().undo_name(), "Change planner options");
  fixture.trigger("action_compare");
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QCOMPARE(fixture.session().last_comparison()->plans, 1);
  for (const session::project::PlanEntry& entry : fixture.state().plans)
    if (entry.plan->planner == "dapple") QVERIFY(!entry.plan->rationale.empty() && entry.plan->certificate.has_value());

  fixture.answers.file_to_save = fixture.path("planned.pipedeck");
  fixture.trigger("action_save_as");
  QVERIFY(fixture.session().finish_saving());
  WindowFixture second;
  QVERIFY(second.session().open(fixture.path("planned.pipedeck")));
  QVERIFY(second.state().question.planning == planning);
}

void TestPlannerChoices::planner_dialog_reads_its_fields() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto problem = fixture.session().problem();
  ui::dialogs::PlannerDialog dialog({}, problem->profile, problem->cluster);
  QVERIFY(dialog.planning() == session::project::Planning());
  const auto* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);

  dialog.findChild<QSpinBox*>("pin_stages")->setValue(3);
  dialog.findChild<QSpinBox*>("pin_max_stages")->setValue(2);
  QVERIFY(!ok->isEnabled());
  QVERIFY(dialog.findChild<QLabel*>("planning_problem")->text().contains("contradicts"));
  dialog.findChild<QSpinBox*>("pin_max_stages")->setValue(0);
  QVERIFY(ok->isEnabled());

  auto* layers = dialog.findChild<QLineEdit*>("pin_layers");
  layers->setText("nowhere=0");
  QVERIFY(!ok->isEnabled());
  layers->setText(QString::fromStdString(problem->profile->layers[1].name) + "=2, 0=1");
  QVERIFY(ok->isEnabled());
  dialog.findChild<QComboBox*>("dapple/rank-by")->setCurrentText("objective");
  dialog.findChild<QCheckBox*>("dapple/ignore-memory")->setChecked(true);

  const session::project::Planning planning = dialog.planning();
  QCOMPARE(planning.pins.stages, 3);
  QVERIFY((planning.pins.layers ==
           std::vector<std::pair<LayerId, DeviceId>>{{LayerId(1), DeviceId(2)}, {LayerId(0), DeviceId(1)}}));
  QVERIFY((planning.planners.at("dapple").options ==
           planner::PlannerOptions{{"ignore-memory", "true"}, {"rank-by", "objective"}}));
  QCOMPARE(planning.planners.size(), std::size_t{1});
}

void TestPlannerChoices::rows_keep_their_height() {
  WindowFixture fixture;  // has the style sheet
  ui::dialogs::PlannerDialog dialog({}, nullptr, nullptr);
  dialog.show();
  QCoreApplication::processEvents();
  auto* list = dialog.findChild<QListWidget*>("planner_list");
  const QRect before = list->visualItemRect(list->item(5));
  list->item(1)->setCheckState(list->item(1)->checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(3)).center());
  QCoreApplication::processEvents();
  QCOMPARE(list->visualItemRect(list->item(5)), before);
}

PIPEDECK_WINDOW_TEST(TestPlannerChoices)

}  // namespace pipedeck::tst_planner_choices

#include "tst_planner_choices.moc"
