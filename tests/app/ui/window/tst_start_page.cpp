// SPDX-License-Identifier: GPL-3.0-or-later
// The start page of the real window: examples with pictures of their own simulations, recent projects, unsaved work,
// files dropped on it.
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>
#include <QWindow>

#include "app/models/format.hpp"
#include "app/session/examples.hpp"
#include "app/session/project/content.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/start_cards.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/widgets/search_box.hpp"
#include "core/store/project_file.hpp"
#include "core/store/work_copy.hpp"
#include "tests/app/ui/project_files.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_start_page {

using namespace pipedeck::test;

class TestStartPage : public QObject {
  Q_OBJECT

 private:
  static views::compare::StartPanel* page(const WindowFixture& fixture) {
    return fixture.child<views::compare::StartPanel>("start_panel");
  }

 private slots:
  void texts_have_their_fonts_and_colours_at_once();
  void every_example_is_a_question_with_a_plan();
  void pictures_are_drawn_while_the_page_is_shown();
  void an_example_opens_and_is_compared();
  void recent_projects_show_their_best_time();
  void unsaved_work_is_a_row();
  void a_dropped_file_is_imported();
  void models_are_searched_and_grouped();
  void the_page_can_be_switched_off();
};

/// Style sheets reset fonts and colours when a window is shown first. A change of appearance sets them again.
void TestStartPage::texts_have_their_fonts_and_colours_at_once() {
  WindowFixture fixture;
  std::vector<QPointer<QLabel>> labels;  // some rows are made anew for another appearance
  for (QLabel* label : fixture.window->findChildren<QLabel*>()) labels.emplace_back(label);
  QVERIFY(labels.size() > 50);
  const auto look = [](const QLabel& label) {
    return std::pair(label.font(), label.palette().color(QPalette::Active, label.foregroundRole()));
  };
  std::vector<std::pair<QFont, QColor>> first;
  for (const auto& label : labels) first.push_back(look(*label));
  fixture.trigger("action_appearance_light");
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i])
      QVERIFY2(look(*labels[i]) == first[i], qPrintable(labels[i]->objectName() + ": " + labels[i]->text()));
}

/// The text and the picture of a card are of the plan that the example's planner finds today.
void TestStartPage::every_example_is_a_question_with_a_plan() {
  QCOMPARE(session::examples().size(), std::size_t{6});
  for (const session::Example& example : session::examples()) {
    const auto project = session::example_project(example);
    QVERIFY2(project.has_value(), example.title);
    QCOMPARE(project->question.workload.global_batch, example.global_batch);
    const auto drawn = session::example_plan(example, {});
    QVERIFY2(drawn.has_value(), drawn ? "" : (example.title + (": " + drawn.error().message)).c_str());
    QVERIFY2(drawn->simulation->fits, example.title);
    QVERIFY(drawn->simulation->timeline.size() > 0);
  }
}

void TestStartPage::pictures_are_drawn_while_the_page_is_shown() {
  WindowFixture fixture;
  QVERIFY(page(fixture)->isVisible());
  QCOMPARE(page(fixture)->examples().size(), 6);
  for (views::compare::ExampleCard* card : page(fixture)->examples()) {
    QTRY_VERIFY_WITH_TIMEOUT(card->drawn(), 60000);
    QVERIFY(card->toolTip().contains("simulated"));
    QVERIFY2(card->toolTip().contains("may find a faster plan"), qPrintable(card->toolTip()));
  }
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    for (const QSize size : {QSize(1440, 900), QSize(1280, 720)}) {
      fixture.window->resize(size);
      QCoreApplication::processEvents();
      QVERIFY(fixture.window->grab().save(pictures_folder() +
                                          QString("start-page-%1-%2.png").arg(size.width()).arg(appearance)));
    }
  }
  fixture.trigger("action_appearance_light");
}

void TestStartPage::an_example_opens_and_is_compared() {
  WindowFixture fixture;
  QTest::mouseClick(page(fixture)->examples()[3], Qt::LeftButton);  // BERT-48
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(!page(fixture)->isVisible());
  QVERIFY(fixture.window->compare_page().rows().size() >= 5);
  QVERIFY(!fixture.session().modified());  // nothing to be asked about when it is closed
  fixture.trigger("action_new");
  QVERIFY(page(fixture)->isVisible());
}

void TestStartPage::recent_projects_show_their_best_time() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QVERIFY(fixture.session().save_as(fixture.path("bert.pipedeck")));
  QTRY_COMPARE(fixture.session().file(), fixture.path("bert.pipedeck"));
  double best = 1e300;
  for (const models::compare::PlanRow& row : fixture.window->compare_page().rows())
    if (row.simulation && row.simulation->fits && row.plan.synchronous())
      best = std::min(best, static_cast<double>(row.simulation->iteration.count) * 1e-9);
  fixture.trigger("action_new");
  QTRY_VERIFY(fixture.child<views::compare::TwoLineRow>("recent_project"));
  auto* row = fixture.child<views::compare::TwoLineRow>("recent_project");
  QTRY_VERIFY(row->isVisible());
  QVERIFY2(row->accessibleName().contains("bert.pipedeck") && row->accessibleName().contains("BERT-48") &&
               row->accessibleName().contains(models::format_time(Seconds{best})),
           qPrintable(row->accessibleName()));
  QTest::mouseClick(row, Qt::LeftButton);
  QCOMPARE(fixture.session().file(), fixture.path("bert.pipedeck"));
  QVERIFY(!page(fixture)->isVisible());
}

void TestStartPage::unsaved_work_is_a_row() {
  for (const bool restore : {true, false}) {
    QTemporaryDir folder;
    const QString state_folder = folder.filePath("state"), project = folder.filePath("left.pipedeck");
    QDir().mkpath(state_folder);
    write_project_file(project);
    auto saved = store::read_project(project.toStdString());
    QVERIFY(saved.has_value());
    {
      auto copy =
          store::RecoveryJournal::begin(store::work_copy_path(project.toStdString()), project.toStdString(), *saved);
      auto state = session::project::state_of(*saved, "p");
      QVERIFY(copy.has_value() && state.has_value());
      state->question.workload.global_batch = 77;
      QVERIFY(copy->keep(session::project::content_of(*state)));
      QFile note(state_folder + "/1.open");
      QVERIFY(note.open(QIODevice::WriteOnly));
      note.write(project.toUtf8());
    }
    QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
    int questions = 0;
    ui::dialogs::Dialogs dialogs = ui::dialogs::interactive_dialogs();
    dialogs.recovery = [&](QWidget*, const session::RecoveryRequest&) {
      ++questions;
      return session::Recovery::later;
    };
    ui::window::MainWindow window({dialogs, &settings, {}, state_folder});
    window.resize(1440, 900);
    window.show();
    window.start();
    auto* button = window.findChild<QPushButton*>(restore ? "unsaved_restore_0" : "unsaved_other_0");
    QVERIFY(button);
    QTRY_VERIFY(button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(questions, 0);  // the row is the question
    QCOMPARE(window.session().file(), project);
    QCOMPARE(window.session().state().question.workload.global_batch == 77, restore);
    window.session().discard_unsaved();
  }
}

void TestStartPage::a_dropped_file_is_imported() {
  WindowFixture fixture;
  const QString file = fixture.path("c.cluster.json");
  QFile out(file);
  QVERIFY(out.open(QIODevice::WriteOnly));
  out.write(R"({"format": "pipedeck.cluster", "version": 1, "name": "dropped",
    "device_types": [{"name": "V100-16GB", "memory_bytes": 17179869184, "relative_speed": 1.0}],
    "nodes": [{"name": "n0", "devices": [{"type": "V100-16GB", "count": 2}],
               "link": {"gb_per_s": 25.0, "latency_us": 5.0}}]})");
  out.close();
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  // As the desktop sends it: to the window's surface, which passes it to the part below the mouse.
  const auto* batch = fixture.child<QWidget>("start_batch");
  for (const QPoint& at : {QPoint(300, 300), batch->mapTo(fixture.window.get(), QPoint(20, batch->height() / 2))}) {
    fixture.trigger("action_new");
    QVERIFY(page(fixture)->isVisible() && fixture.state().clusters.empty());
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(fixture.window->windowHandle(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(fixture.window->windowHandle(), &drop);
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.state().clusters.size(), std::size_t{1});
  }
}

void TestStartPage::models_are_searched_and_grouped() {
  WindowFixture fixture;
  auto* box = fixture.child<views::widgets::SearchBox>("start_profile");
  QTest::mouseClick(box, Qt::LeftButton);
  auto* list = box->findChild<QTreeWidget*>("search_list");
  auto* search = box->findChild<QLineEdit*>("search_field");
  QTRY_VERIFY(search && search->isVisible());
  QVERIFY(list->topLevelItemCount() >= 3);
  const auto shown = [&] {
    QStringList names;
    for (QTreeWidgetItemIterator item(list, QTreeWidgetItemIterator::NotHidden); *item; ++item)
      if ((*item)->parent()) names << (*item)->text(0);
    return names;
  };
  QCOMPARE(shown().size(), box->count());
  QTest::keyClicks(search, "llama 70");
  QCOMPARE(shown(), QStringList{"Llama 3 70B"});
  QTest::keyClick(search, Qt::Key_Return);
  QCOMPARE(box->currentText(), QString("Llama 3 70B"));
  QVERIFY(!search->isVisible());
}

void TestStartPage::the_page_can_be_switched_off() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QVERIFY(fixture.session().save_as(fixture.path("last.pipedeck")));
  fixture.settings.setValue("window/start_page", false);
  fixture.trigger("action_new");
  fixture.window->start();
  QCOMPARE(fixture.session().file(), fixture.path("last.pipedeck"));
}

PIPEDECK_WINDOW_TEST(TestStartPage)

}  // namespace pipedeck::tst_start_page

#include "tst_start_page.moc"
