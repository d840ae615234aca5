// SPDX-License-Identifier: GPL-3.0-or-later
// The training states per parameter in the window, and the defaults from computed profiles.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "app/ui/dialogs/training_memory_dialog.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_training_state {

using namespace pipedeck::test;

class TestTrainingState : public QObject {
  Q_OBJECT

 private slots:
  void weights_of_16_bits_are_trained_in_mixed_precision();
  void plans_take_it_over();
  void meshes_answer_for_adapters();
  void memory_defaults_follow_the_cluster();
  void the_dialog_reads_its_fields();

 private:
  static Precision asked(const WindowFixture& fixture) { return fixture.state().question.workload.precision; }
};

/// A profile has the type of its weights; the user's choice stays while that does not change.
void TestTrainingState::weights_of_16_bits_are_trained_in_mixed_precision() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  session::Session& session = fixture.session();
  QCOMPARE(asked(fixture), Precision::fp32);
  const int measured = fixture.state().question.profile;
  session.choose_profile_preset("Llama-3-8B");
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QCOMPARE(asked(fixture), Precision::mixed_16);
  session.undo();
  QCOMPARE(asked(fixture), Precision::fp32);
  session.redo();

  fixture.answers.training_state = session::project::training_state_of(fixture.state());
  fixture.answers.training_state->precision = Precision::mixed_18;
  fixture.trigger("action_training_state");
  session.choose_profile_preset("Mistral-7B");
  QCOMPARE(asked(fixture), Precision::mixed_18);
  session.choose_profile(measured);
  QCOMPARE(asked(fixture), Precision::fp32);
}

/// Rows of the table are judged with it at once, and so is what a comparison answers; it is saved with the project.
void TestTrainingState::plans_take_it_over() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto heaviest = [&] {
    const auto plans = session::project::plans_of_question(fixture.state());
    const auto simulation = fixture.session().plan_result(*plans.front())->simulation;
    return std::ranges::max(simulation->devices, {}, &SimulatedDevice::peak).peak;
  };
  const Bytes before = heaviest();
  session::project::TrainingState training = session::project::training_state_of(fixture.state());
  QCOMPARE(training, session::project::TrainingState());
  training.optimizer = Optimizer::sgd;
  training.reserve = Bytes(std::int64_t{1} << 30);
  fixture.answers.training_state = training;
  fixture.trigger("action_training_state");
  QCOMPARE(fixture.session().undo_name(), "Change training memory");
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(fixture.state()))
    QCOMPARE(entry->plan->optimizer, Optimizer::sgd);
  QVERIFY(fixture.settle());
  QVERIFY(heaviest() < before);

  fixture.answers.file_to_save = fixture.path("sgd.pipedeck");
  fixture.trigger("action_save_as");
  QVERIFY(fixture.session().finish_saving());
  WindowFixture second;
  QVERIFY(second.session().open(fixture.path("sgd.pipedeck")));
  QVERIFY(session::project::training_state_of(second.state()) == training);
  fixture.session().undo();
  QVERIFY(heaviest() == before);
}

/// Adapters are of the question: meshes answer for them, and a saved project has them.
void TestTrainingState::meshes_answer_for_adapters() {
  WindowFixture fixture;
  session::Session& session = fixture.session();
  session.choose_profile_preset("Llama 3 8B");
  session.choose_cluster_preset("2 × 8 H100-SXM");
  session.set_global_batch(32);
  session::project::TrainingState training = session::project::training_state_of(fixture.state());
  training.adapters = {16, AdapterTargets::query_value, FrozenWeights::nf4};
  fixture.answers.training_state = training;
  fixture.trigger("action_training_state");
  session.compare();
  QVERIFY(fixture.settle());
  int with_adapters = 0;
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(fixture.state())) {
    if (!entry->feasible()) continue;
    QCOMPARE(adapters_of(*entry->plan), training.adapters);
    ++with_adapters;
  }
  QVERIFY(with_adapters >= 3);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const auto best = session::project::plans_of_question(fixture.state()).front();
  const auto problem = session::project::make_problem(fixture.state(), *best);
  QCOMPARE(problem->workload.adapters, training.adapters);
  const auto result = session.plan_simulator().compute_result(*problem, *best->plan);
  QVERIFY(result && (*result)->reasons && !(*result)->reasons->replication);
  for (int pass = 0; pass < 3; ++pass) QCoreApplication::processEvents();
  QVERIFY(fixture.window->grab().save(pictures_folder() + "adapters.png"));

  fixture.answers.file_to_save = fixture.path("adapters.pipedeck");
  fixture.trigger("action_save_as");
  QVERIFY(session.finish_saving());
  WindowFixture second;
  QVERIFY(second.session().open(fixture.path("adapters.pipedeck")));
  QCOMPARE(session::project::training_state_of(second.state()).adapters, training.adapters);
}

/// GPUs of the catalogue bring their defaults; the user's own values stay, and so do those of a saved project.
void TestTrainingState::memory_defaults_follow_the_cluster() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  session::Session& session = fixture.session();
  const auto now = [](const WindowFixture& window) { return session::project::training_state_of(window.state()); };
  const int v100 = fixture.state().question.cluster;
  QCOMPARE(now(fixture).reserve, Bytes());
  session.choose_cluster_preset("8 × H100-SXM");
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const int h100 = fixture.state().question.cluster;
  QVERIFY(now(fixture).reserve.count > 0);
  QCOMPARE(now(fixture).reserve, now(fixture).usual.reserve);
  QCOMPARE(now(fixture).communication, now(fixture).usual.communication);
  QCOMPARE(now(fixture).fragmentation, 0.03);
  session.choose_cluster(v100);
  QCOMPARE(now(fixture).reserve, Bytes());

  session.choose_cluster(h100);
  session::project::TrainingState own = now(fixture);
  own.reserve = Bytes();
  session.set_training_state(own);
  session.choose_cluster(v100);
  QCOMPARE(now(fixture).fragmentation, 0.03);
  session.choose_cluster(h100);
  QCOMPARE(now(fixture).reserve, Bytes());
  fixture.answers.file_to_save = fixture.path("own.pipedeck");
  fixture.trigger("action_save_as");
  QVERIFY(session.finish_saving());
  WindowFixture second;
  QVERIFY(second.session().open(fixture.path("own.pipedeck")));
  QCOMPARE(now(second).reserve, Bytes());

  ui::dialogs::TrainingMemoryDialog dialog(own, nullptr);
  dialog.findChild<QPushButton*>("training_defaults")->click();
  QCOMPARE(dialog.training_state().reserve, own.usual.reserve);
  QVERIFY(!dialog.findChild<QPushButton*>("training_defaults")->toolTip().isEmpty());
  QVERIFY(!ui::dialogs::TrainingMemoryDialog({}, nullptr).findChild<QPushButton*>("training_defaults"));
}

void TestTrainingState::the_dialog_reads_its_fields() {
  WindowFixture fixture;
  fixture.session().choose_profile_preset("Llama-3-8B");
  const auto profile = session::project::find_profile(fixture.state(), fixture.state().question.profile)->profile;
  const session::project::TrainingState now{
      Optimizer::momentum, Precision::mixed_20, 2,    {8, AdapterTargets::attention, FrozenWeights::int8},
      Bytes(1 << 20),      Bytes(1 << 10),      0.125};
  QVERIFY(ui::dialogs::TrainingMemoryDialog(now, profile).training_state() == now);

  ui::dialogs::TrainingMemoryDialog dialog({}, profile);
  const auto choose = [&](const char* name, int value) {
    auto* box = dialog.findChild<QComboBox*>(QLatin1String(name));
    box->setCurrentIndex(box->findData(value));
  };
  choose("training_precision", static_cast<int>(Precision::mixed_16));
  choose("training_zero", 1);
  auto* reserve = dialog.findChild<views::widgets::QuantityEdit*>("training_reserve");
  reserve->selectAll();
  QTest::keyClicks(reserve, "2");
  QTest::keyClick(reserve, Qt::Key_Return);
  dialog.findChild<QDoubleSpinBox*>("training_fragmentation")->setValue(5);
  const session::project::TrainingState chosen = dialog.training_state();
  QVERIFY((chosen == session::project::TrainingState{
                         Optimizer::adam, Precision::mixed_16, 1, {}, Bytes(std::int64_t{2} << 30), {}, 0.05}));
  // 8 030 261 248 parameters of 16 bytes; of those 12 are divided over the replicas.
  const QString sum = dialog.findChild<QLabel*>("training_sum")->text().replace(QChar::Nbsp, ' ');
  QVERIFY2(sum.contains("120 GiB (weights 15.0 GiB, gradients 15.0 GiB, optimizer 89.7 GiB)"), qPrintable(sum));
  QVERIFY2(sum.contains("8 replicas: 41.1 GiB"), qPrintable(sum));
  const auto* targets = dialog.findChild<QComboBox*>("training_adapter_targets");
  QVERIFY(!targets->isEnabled());
  dialog.findChild<QSpinBox*>("training_adapter_rank")->setValue(16);
  QVERIFY(targets->isEnabled());
  choose("training_frozen", static_cast<int>(FrozenWeights::nf4));
  QVERIFY((dialog.training_state().adapters == Adapters{16, AdapterTargets::linear, FrozenWeights::nf4}));
  // 4.127 bits of each parameter.
  const QString frozen = dialog.findChild<QLabel*>("training_sum")->text().replace(QChar::Nbsp, ' ');
  QVERIFY2(frozen.contains("at least 3.86 GiB"), qPrintable(frozen));
  for (const bool dark : {false, true}) {
    fixture.trigger(dark ? "action_appearance_dark" : "action_appearance_light");
    QVERIFY(dialog.grab().save(pictures_folder() + QString("training_state_%1.png").arg(dark ? "dark" : "light")));
  }
}

PIPEDECK_WINDOW_TEST(TestTrainingState)

}  // namespace pipedeck::tst_training_state

#include "tst_training_state.moc"
