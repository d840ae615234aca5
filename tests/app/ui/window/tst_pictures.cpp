// SPDX-License-Identifier: GPL-3.0-or-later
// The window's views drawn into files, light and dark, for people to look at: tests/app/ui/pictures in the build
// folder.
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QSpinBox>
#include <QTableWidget>
#include <QTimer>

#include "app/ui/dialogs/planner_dialog.hpp"
#include "app/ui/dialogs/training_memory_dialog.hpp"
#include "app/ui/dialogs/transformer_dialog.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/split/editor.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pictures {

using namespace pipedeck::test;

class TestPictures : public QObject {
  Q_OBJECT

 private slots:
  void every_page_light_and_dark();
  void a_cut_being_dragged();
  void a_finished_run();
  void a_project_opened_again();
  void a_second_window_on_a_project();
  void the_question_after_a_kill();
  void planners_and_options();
  void what_training_keeps();
  void a_configuration_about_to_be_imported();
  void an_onnx_model_about_to_be_imported();
  void svg_and_pdf();
  void unknown_endings_and_bad_folders_are_errors();
};

/// More than one colour: something was drawn.
bool has_content(const QString& file) {
  const QImage image(file);
  if (image.isNull()) return false;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) {
      if (image.pixel(x, y) != image.pixel(0, 0)) return true;
    }
  }
  return false;
}

void TestPictures::every_page_light_and_dark() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    for (const char* page : {"compare", "profile", "topology", "run"}) {
      fixture.trigger(qPrintable(QString("action_page_%1").arg(page)));
      QCoreApplication::processEvents();
      const QString file = pictures_folder() + QString("%1-%2.png").arg(page, appearance);
      QCOMPARE(ui::layout::write_picture(*fixture.window, file), QString());
      QVERIFY2(has_content(file), qPrintable(file));
    }
  }
  fixture.trigger("action_appearance_light");
}

void TestPictures::a_cut_being_dragged() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  auto& split = *fixture.child<views::split::Editor>("split_editor");
  const QPoint handle = split.handle_position(1);
  QTest::mousePress(&split, Qt::LeftButton, {}, handle);
  QTest::mouseMove(&split, handle - QPoint(60, 0));
  QVERIFY(split.dragging());
  QTest::qWait(300);  // the live simulation
  const QString file = pictures_folder() + "drag.png";
  QCOMPARE(ui::layout::write_picture(*fixture.window, file), QString());
  QVERIFY(has_content(file));
  QTest::keyClick(&split, Qt::Key_Escape);
  // A device on its way to the other stage.
  const QPoint chip = split.chip_position(pipedeck::DeviceId(3)),
               target = split.chip_position(pipedeck::DeviceId(11)) + QPoint(4, -14);
  QTest::mousePress(&split, Qt::LeftButton, {}, chip);
  QTest::mouseMove(&split, chip + QPoint(9, 0));
  QTest::mouseMove(&split, target);
  QTest::qWait(300);
  const QString device = pictures_folder() + "drag-device.png";
  QCOMPARE(ui::layout::write_picture(*fixture.window, device), QString());
  QVERIFY(has_content(device));
  QTest::keyClick(&split, Qt::Key_Escape);
}

/// Two devices train the small transformer; the measured timeline covers the predicted one.
void TestPictures::a_finished_run() {
  if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
  WindowFixture fixture;
  fixture.session().choose_profile_preset("gpt-tiny");
  fixture.session().choose_cluster_preset("2 CPU threads");
  fixture.session().set_global_batch(32);
  fixture.session().compare();
  QVERIFY(fixture.settle());
  for (const models::compare::PlanRow& row : fixture.window->compare_page().rows())
    if (row.plan.stages.size() == 2 && row.plan.synchronous()) fixture.session().select_plan(row.id);
  fixture.window->run_page().set_steps(60);
  fixture.trigger("action_launch");
  QVERIFY(QTest::qWaitFor([&] { return !fixture.session().launching(); }, 120000));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    QTest::qWait(200);
    const QString file = pictures_folder() + QString("finished-run-%1.png").arg(appearance);
    QCOMPARE(ui::layout::write_picture(*fixture.window, file), QString());
    QVERIFY(has_content(file));
  }
  fixture.trigger("action_appearance_light");
}

void TestPictures::a_project_opened_again() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const QString project = fixture.path("bert-48.pipedeck");
  QVERIFY(fixture.session().save_as(project));
  fixture.window.reset();
  WindowFixture again;
  QVERIFY(again.session().open(project));
  QVERIFY(again.settle());
  QTest::qWait(200);  // charts that have just come are laid out
  const QString file = pictures_folder() + "reopened.png";
  QCOMPARE(ui::layout::write_picture(*again.window, file), QString());
  QVERIFY(has_content(file));
}

void TestPictures::a_second_window_on_a_project() {
  WindowFixture first, second;
  QVERIFY(first.open_sample());
  const QString project = first.path("bert-48.pipedeck");
  QVERIFY(first.session().save_as(project));
  QVERIFY(second.session().open(project));
  QVERIFY(second.settle());
  second.window->resize(1200, 700);
  for (const char* appearance : {"dark", "light"}) {
    second.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    QTest::qWait(300);
    const QString file = pictures_folder() + QString("read-only-%1.png").arg(appearance);
    QCOMPARE(ui::layout::write_picture(*second.window, file), QString());
    QVERIFY(has_content(file));
  }
}

void TestPictures::the_question_after_a_kill() {
  const QString file = pictures_folder() + "recovery.png";
  QTimer::singleShot(300, [&] {
    QWidget* box = QApplication::activeModalWidget();
    QVERIFY(box);
    QVERIFY(box->grab().save(file));
    box->close();
  });
  const QDateTime saved(QDate(2026, 11, 21), QTime(14, 2));
  const session::Recovery answer =
      ui::dialogs::interactive_dialogs().recovery(nullptr, {"bert-48.pipedeck", saved, saved.addSecs(900), {}});
  QCOMPARE(answer, session::Recovery::later);  // closed without an answer
  QVERIFY(has_content(file));
}

void TestPictures::planners_and_options() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto problem = fixture.session().problem();
  ui::dialogs::PlannerDialog dialog({}, problem->profile, problem->cluster, fixture.window.get());
  dialog.show();
  QTest::qWait(200);
  const QString file = pictures_folder() + "planners.png";
  QVERIFY(dialog.grab().save(file));
  QVERIFY(has_content(file));
}

void TestPictures::what_training_keeps() {
  WindowFixture fixture;
  fixture.session().choose_profile_preset("Llama-3-8B");
  const session::project::State& state = fixture.state();
  ui::dialogs::TrainingMemoryDialog dialog(session::project::training_state_of(state),
                                           session::project::find_profile(state, state.question.profile)->profile,
                                           fixture.window.get());
  dialog.show();
  QTest::qWait(200);
  const QString file = pictures_folder() + "training-state.png";
  QVERIFY(dialog.grab().save(file));
  QVERIFY(has_content(file));
}

void TestPictures::a_configuration_about_to_be_imported() {
  WindowFixture fixture;
  const auto preview =
      session::project::transformer_in(QStringLiteral(PIPEDECK_FIXTURES "/hugging_face/llama-3-8b.config.json"));
  QVERIFY(preview);
  const auto draw = [&](const char* name) {
    ui::dialogs::TransformerDialog dialog(*preview, fixture.window.get());
    dialog.show();
    dialog.findChild<QTableWidget*>("transformer_layers")->setCurrentCell(1, 0);
    QTest::qWait(200);
    const QString file = pictures_folder() + QString("transformer-%1.png").arg(name);
    QVERIFY(dialog.grab().save(file));
    QVERIFY(has_content(file));
  };
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    draw(appearance);
  }
  fixture.trigger("action_appearance_light");
}

void TestPictures::an_onnx_model_about_to_be_imported() {
  WindowFixture fixture;
  const auto preview = session::project::transformer_in(QStringLiteral(PIPEDECK_FIXTURES "/onnx/gpt2-runtime.onnx"));
  QVERIFY(preview);
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    ui::dialogs::TransformerDialog dialog(*preview, fixture.window.get());
    dialog.show();
    dialog.findChild<QSpinBox*>("transformer_size_0")->setValue(1024);
    dialog.findChild<QTableWidget*>("transformer_layers")->setCurrentCell(2, 0);
    QTest::qWait(200);
    const QString file = pictures_folder() + QString("onnx-%1.png").arg(appearance);
    QVERIFY(dialog.grab().save(file));
    QVERIFY(has_content(file));
  }
  fixture.trigger("action_appearance_light");
}

void TestPictures::svg_and_pdf() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  for (const char* ending : {"svg", "pdf"}) {
    fixture.answers.file_to_save = fixture.path(qPrintable(QString("view.%1").arg(ending)));
    fixture.trigger("action_export_picture");
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QVERIFY(QFile(fixture.answers.file_to_save).size() > 5000);
  }
}

void TestPictures::unknown_endings_and_bad_folders_are_errors() {
  WindowFixture fixture;
  fixture.answers.file_to_save = fixture.path("view.xyz");
  fixture.trigger("action_export_picture");
  QCOMPARE(fixture.errors.size(), 1);
  QVERIFY(fixture.errors[0].contains("'xyz'"));
  fixture.answers.file_to_save = fixture.path("no/such/folder/view.png");
  fixture.trigger("action_export_picture");
  QCOMPARE(fixture.errors.size(), 2);
}

PIPEDECK_WINDOW_TEST(TestPictures)

}  // namespace pipedeck::tst_pictures

#include "tst_pictures.moc"
