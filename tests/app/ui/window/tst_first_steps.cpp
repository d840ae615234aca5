// SPDX-License-Identifier: GPL-3.0-or-later
// A first start leads to a comparison in three clicks at most. Empty pages describe the next step, with a button for
// it. Fields accept usual input.
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

#include "app/session/examples.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/widgets/empty_state.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_first_steps {

using namespace pipedeck::test;

class TestFirstSteps : public QObject {
  Q_OBJECT

 private:
  int clicks_ = 0;

  void click(QWidget* widget) {
    QVERIFY(widget);
    QTRY_VERIFY(widget->isVisible() && widget->isEnabled());
    ++clicks_;
    QTest::mouseClick(widget, Qt::LeftButton);
  }
  static views::widgets::EmptyState* shown_on(const WindowFixture& fixture, ui::window::Page page) {
    fixture.window->show_page(page);
    for (auto* state : fixture.window->page_widget(page)->findChildren<views::widgets::EmptyState*>())
      if (state->isVisible()) return state;
    return nullptr;
  }

 private slots:
  void three_clicks_lead_to_a_comparison() {
    WindowFixture fixture;  // an empty folder of settings
    clicks_ = 0;
    auto* panel = fixture.child<views::compare::StartPanel>("start_panel");
    QVERIFY(panel->isVisible());
    QCOMPARE(panel->profile(), QString(session::examples().front().profile));  // something is chosen already
    QCOMPARE(panel->cluster(), QString(session::examples().front().cluster));
    // Another cluster than the one that is there: a click opens the list, a click picks.
    auto* box = fixture.child<QComboBox>("start_cluster");
    click(box);
    QTRY_VERIFY(QApplication::activePopupWidget());
    auto* list = box->findChild<QTreeWidget*>("search_list");
    QTreeWidgetItem* next = list->itemBelow(list->currentItem());
    QVERIFY(next);
    ++clicks_;
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(next).center());
    QTRY_COMPARE(box->currentText(), next->text(0));
    click(fixture.child<QPushButton>("start_compare"));
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QVERIFY(fixture.window->compare_page().rows().size() >= 5);
    QVERIFY(fixture.window->compare_page().isVisible());
    QVERIFY2(clicks_ <= 3, qPrintable(QString::number(clicks_)));
  }

  void pages_without_a_model_offer_one() {
    WindowFixture fixture;
    fixture.session().choose_cluster_preset(session::project::cluster_preset_list().front());
    for (const ui::window::Page page :
         {ui::window::Page::compare, ui::window::Page::explain, ui::window::Page::profile}) {
      views::widgets::EmptyState* state = shown_on(fixture, page);
      QVERIFY(state);
      QVERIFY(state->accessibleName().contains("model"));
    }
    click(shown_on(fixture, ui::window::Page::compare)->findChild<QPushButton*>("empty_first"));
    QTRY_VERIFY(QApplication::activePopupWidget());  // the list of models
    QApplication::activePopupWidget()->close();
    fixture.session().complete_question();
    views::widgets::EmptyState* state = shown_on(fixture, ui::window::Page::compare);
    QVERIFY(state && state->accessibleName().contains("compared"));
    click(state->findChild<QPushButton*>("empty_first"));
    QVERIFY(fixture.settle());
    for (const ui::window::Page page :
         {ui::window::Page::compare, ui::window::Page::explain, ui::window::Page::profile})
      QVERIFY(!shown_on(fixture, page));
  }

  void the_run_page_says_what_a_run_would_show() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::widgets::EmptyState* state = shown_on(fixture, ui::window::Page::run);
    QVERIFY(state && state->accessibleName() == "No run yet");
    session::project::RunRecord run;
    run.name = "one";
    fixture.session().change(
        "Run",
        session::project::with_run(fixture.state(), std::make_shared<const session::project::RunRecord>(run)).state);
    QVERIFY(!shown_on(fixture, ui::window::Page::run));
  }

  void drawn() {
    for (const char* appearance : {"light", "dark"}) {
      WindowFixture fixture;
      fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
      fixture.session().choose_cluster_preset(session::project::cluster_preset_list().front());
      QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + QString("empty-%1.png").arg(appearance)),
               QString());
      QVERIFY(fixture.open_sample());
      fixture.trigger("action_page_run");
      QCoreApplication::processEvents();
      QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + QString("no-run-%1.png").arg(appearance)),
               QString());
    }
  }

  void batches_are_taken_as_they_are_typed_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<int>("samples");
    QTest::newRow("plain") << "128" << 128;
    QTest::newRow("gap") << "1 024" << 1024;
    QTest::newRow("comma") << "1,024" << 1024;
    QTest::newRow("thousand") << "2k" << 2000;
    QTest::newRow("binary") << "4Ki" << 4096;
    QTest::newRow("unit") << "96 samples" << 96;
    QTest::newRow("nonsense stays") << "many" << 64;
    QTest::newRow("nothing stays") << "" << 64;
    QTest::newRow("zero stays") << "0" << 64;
    QTest::newRow("part stays") << "0.5" << 64;
  }
  void batches_are_taken_as_they_are_typed() {
    QFETCH(QString, typed);
    QFETCH(int, samples);
    WindowFixture fixture;
    fixture.session().open_sample();
    auto* field = fixture.child<QComboBox>("batch_box")->lineEdit();
    field->setFocus();
    field->selectAll();
    QTest::keyClick(field, Qt::Key_Delete);
    QTest::keyClicks(field, typed);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(fixture.state().question.workload.global_batch, samples);
    QCOMPARE(fixture.child<QComboBox>("batch_box")->currentText(), QString::number(samples));
  }
};

PIPEDECK_WINDOW_TEST(TestFirstSteps)

}  // namespace pipedeck::tst_first_steps

#include "tst_first_steps.moc"
