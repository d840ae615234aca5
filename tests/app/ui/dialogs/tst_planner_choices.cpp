// SPDX-License-Identifier: GPL-3.0-or-later
// Which planners answer, with which options and within which pins.
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
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
  void programs_run_only_with_consent();
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

/// A project that names a program starts nothing: the user's tick is the consent, and no file brings it.
void TestPlannerChoices::programs_run_only_with_consent() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const QString path = fixture.path("mine.sh"), mark = fixture.path("ran");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("#!/bin/sh\ntouch " + mark.toUtf8() + "\necho '{\"infeasible\": \"not today\"}'\n");
  file.close();
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  const std::string name = "exec:" + path.toStdString();

  ui::dialogs::PlannerDialog dialog(fixture.state().question.planning, nullptr, nullptr);
  auto* list = dialog.findChild<QListWidget*>("planner_list");
  const int before = list->count();
  dialog.add_program(path);
  dialog.add_program(path);
  QCOMPARE(list->count(), before + 1);
  QCOMPARE(list->item(before)->checkState(), Qt::Checked);
  QCOMPARE(list->item(before)->text(), QString("mine.sh"));
  session::project::Planning planning = dialog.planning();
  QVERIFY(planning.planners.at(name).allowed && planning.planners.at(name).compared == true);
  list->item(before)->setCheckState(Qt::Unchecked);
  QVERIFY(!dialog.planning().planners.at(name).allowed);

  for (const planner::PlannerInfo& planner : planner::planners())
    planning.planners[planner.name].compared = planner.name == "gpipe";
  fixture.answers.planning = planning;
  fixture.trigger("action_planners");
  fixture.trigger("action_compare");
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(QFile::exists(mark));
  const auto notes = [](const WindowFixture& of, const std::string& planner) {
    QStringList notes;
    for (const session::project::PlanEntry& entry : of.state().plans)
      if (entry.plan->planner == planner) notes << entry.note;
    return notes;
  };
  QCOMPARE(notes(fixture, name), QStringList{"Not today."});

  fixture.answers.file_to_save = fixture.path("program.pipedeck");
  fixture.trigger("action_save_as");
  QVERIFY(fixture.session().finish_saving());
  QVERIFY(QFile::remove(mark));
  WindowFixture second;
  QVERIFY(second.session().open(fixture.path("program.pipedeck")));
  const session::project::Planning opened = second.state().question.planning;
  QVERIFY(opened.planners.at(name).compared == true && !opened.planners.at(name).allowed);
  QCOMPARE(session::project::programs_not_allowed(opened), QStringList{path});
  second.trigger("action_compare");
  QVERIFY(second.settle());
  second.session().search_longer(name, Seconds(1));
  QVERIFY(second.settle());
  QVERIFY(!QFile::exists(mark));
  QCOMPARE(second.errors.size(), 2);
  for (const QString& error : second.errors) QVERIFY2(error.contains("after you agree"), qPrintable(error));
  const ui::dialogs::PlannerDialog again(opened, nullptr, nullptr);
  QCOMPARE(again.findChild<QListWidget*>("planner_list")->item(before)->checkState(), Qt::Unchecked);
}

PIPEDECK_WINDOW_TEST(TestPlannerChoices)

}  // namespace pipedeck::tst_planner_choices

#include "tst_planner_choices.moc"
