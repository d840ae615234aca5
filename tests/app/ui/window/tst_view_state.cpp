// SPDX-License-Identifier: GPL-3.0-or-later
// A project comes up as it was left, and the window as it was arranged.
#include <cstdlib>

#include <QFileInfo>
#include <QHeaderView>
#include <QSplitter>

#include "app/models/compare/plan_table_model.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_table.hpp"
#include "core/store/project_file.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_view_state {

using namespace pipedeck::test;

class TestViewState : public QObject {
  Q_OBJECT

 private:
  static views::gantt::TimeAxisController& link(const WindowFixture& fixture) {
    return fixture.window->compare_page().charts().link();
  }

 private slots:
  void a_project_opened_elsewhere_comes_up_as_saved() {
    WindowFixture first;
    QVERIFY(first.open_sample());
    link(first).zoom(4, link(first).axis().full / 3);
    const models::gantt::TimeAxis axis = link(first).axis();
    const int hidden = first.state().plans[0].id;
    first.session().set_ticked(hidden, false);
    first.trigger("action_page_topology");
    const QString file = first.path("left.pipedeck");
    QVERIFY(first.session().save_as(file));

    WindowFixture second;  // other settings: another machine
    second.window->open_files({file});
    QVERIFY(second.window->page() == ui::window::Page::topology);
    QVERIFY(second.settle());
    QTRY_VERIFY(link(second).axis() == axis);
    QVERIFY(!session::project::find_plan(second.state(), hidden)->ticked);
    QCOMPARE(second.state().selected_plan, first.state().selected_plan);
    QVERIFY(!second.session().modified());
    QVERIFY(!second.session().can_undo());
  }

  /// Looked at only: the file is left alone, and this machine knows still.
  void a_project_that_was_only_looked_at_comes_up_as_left() {
    WindowFixture first;
    QVERIFY(first.open_sample());
    const QString file = first.path("left.pipedeck");
    QVERIFY(first.session().save_as(file));
    const QDateTime written = QFileInfo(file).lastModified();
    first.trigger("action_page_explain");
    QVERIFY(!first.session().modified());
    QVERIFY(first.window->close());
    QVERIFY(first.questions.isEmpty());
    QCOMPARE(QFileInfo(file).lastModified(), written);
    first.window.reset();
    auto again = std::make_unique<ui::window::MainWindow>(
        ui::window::WindowServices{ui::dialogs::interactive_dialogs(), &first.settings, {}});
    again->open_files({file});
    QVERIFY(again->page() == ui::window::Page::explain);
    again.reset();

    // Saved since by somebody else, on another page: theirs is newer.
    WindowFixture other;
    other.window->open_files({file});
    other.trigger("action_page_profile");
    other.session().set_global_batch(32);
    QTest::qWait(20);
    QVERIFY(other.session().save());
    other.window.reset();
    auto last = std::make_unique<ui::window::MainWindow>(
        ui::window::WindowServices{ui::dialogs::interactive_dialogs(), &first.settings, {}});
    last->open_files({file});
    QVERIFY(last->page() == ui::window::Page::profile);
  }

  void nonsense_in_a_file_is_no_harm() {
    for (const char* view : {"", "nonsense", "[]", "{\"page\": 7, \"run\": \"x\"}",
                             "{\"charts\": {\"begin_ns\": -5, \"end_ns\": 1e300, \"full_ns\": 0}}"}) {
      WindowFixture fixture;
      QVERIFY(fixture.open_sample());
      const QString file = fixture.path("p.pipedeck");
      QVERIFY(fixture.session().save_as(file));
      auto content = store::read_project(file.toStdString());
      QVERIFY(content);
      content->settings["window"] = view;
      QVERIFY(store::write_project(fixture.path("odd.pipedeck").toStdString(), *content));
      WindowFixture second;
      second.window->open_files({fixture.path("odd.pipedeck")});
      QVERIFY2(second.errors.isEmpty(), view);
      QVERIFY(second.settle());
      QVERIFY(second.window->page() == ui::window::Page::compare);
    }
  }

  void the_window_is_arranged_as_before_and_can_be_reset() {
    QTemporaryDir directory;
    QSettings settings(directory.filePath("s.ini"), QSettings::IniFormat);
    const auto make = [&] {
      auto window = std::make_unique<ui::window::MainWindow>(
          ui::window::WindowServices{ui::dialogs::interactive_dialogs(), &settings, {}});
      window->show();
      window->open_sample();
      (void)QTest::qWaitFor([&] { return !window->session().jobs().any_running(); });
      return window;
    };
    const auto splitter = [](const ui::window::MainWindow& window) {
      return window.findChild<QSplitter*>("compare_splitter");
    };
    auto first = make();
    const QList<int> as_made = splitter(*first)->sizes();
    QTest::mousePress(splitter(*first)->handle(1), Qt::LeftButton);
    QTest::mouseMove(splitter(*first)->handle(1), {5, -60});
    QTest::mouseRelease(splitter(*first)->handle(1), Qt::LeftButton, {}, {5, 0});
    const QList<int> by_hand = splitter(*first)->sizes();
    QVERIFY(by_hand != as_made);
    first->compare_page().table().sortByColumn(models::compare::PlanTableModel::peak, Qt::DescendingOrder);
    const auto order = first->compare_page().table().shown_plans();
    first->session().mark_unchanged();
    first->close();
    auto second = make();
    QCOMPARE(splitter(*second)->sizes(), by_hand);
    QCOMPARE(second->compare_page().table().horizontalHeader()->sortIndicatorSection(),
             int(models::compare::PlanTableModel::peak));
    QCOMPARE(second->compare_page().table().shown_plans(), order);
    second->reset_layout();
    // A few pixels apart: the first arrangement is made before the docks have their heights.
    for (int i = 0; i < 3; ++i) QVERIFY(std::abs(splitter(*second)->sizes()[i] - as_made[i]) <= 6);
    QVERIFY(second->compare_page().table().shown_plans() != order);
    second->session().mark_unchanged();
    second->close();
    auto third = make();
    QCOMPARE(splitter(*third)->sizes(), as_made);
  }
};

PIPEDECK_WINDOW_TEST(TestViewState)

}  // namespace pipedeck::tst_view_state

#include "tst_view_state.moc"
