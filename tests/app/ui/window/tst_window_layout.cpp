// SPDX-License-Identifier: GPL-3.0-or-later
// How the window is arranged: remembered, put back, and on small screens.
#include <map>

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

#include "app/models/compare/plan_table_model.hpp"
#include "app/ui/layout/window_state_saver.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/theme.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_window_layout {

using namespace pipedeck::test;

QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  return {};
}

/// Finds a text that has less room than it needs.
bool cuts_off(const QWidget& widget) {
  if (!widget.isVisible() || text_of(widget).isEmpty()) return false;
  if (const auto* label = qobject_cast<const QLabel*>(&widget); label && label->wordWrap())
    return label->height() < label->heightForWidth(label->width());
  if (widget.minimumWidth() == 1) return false;  // the first to give way, with dots
  return widget.width() < widget.minimumSizeHint().width();
}

class TestWindowLayout : public QObject {
  Q_OBJECT

 private slots:
  void layout_is_remembered_and_reset();
  void columns_are_remembered_and_reset();
  void a_small_window_shows_the_product();
  void the_first_window_fits_its_screen();
  void charts_only();
  void jobs_are_a_line_that_opens_the_list();
  void topology_follows_the_question();
  void the_interface_zooms();
  void preferences_take_effect_at_once();
  void what_a_cluster_is_good_at_is_whole_in_a_small_window();
  void buttons_of_questions_are_whole();
  void no_text_is_cut_off();
  void docks_get_their_room_back();
};

void TestWindowLayout::layout_is_remembered_and_reset() {
  QTemporaryDir directory;
  QSettings settings(directory.filePath("s.ini"), QSettings::IniFormat);
  const auto make = [&] {
    auto window = std::make_unique<ui::window::MainWindow>(
        ui::window::WindowServices{ui::dialogs::interactive_dialogs(), &settings, {}});
    window->resize(1680, 1050);
    window->show();
    window->session().open_sample();
    return window;
  };
  const auto inspector = [](const auto& window) { return window->template findChild<QWidget*>("inspector_dock"); };
  auto first = make();
  QVERIFY(inspector(first)->isVisible());
  first->findChild<QAction*>("action_inspector_panel")->trigger();
  QVERIFY(!inspector(first)->isVisible());
  first->close();
  auto second = make();
  QVERIFY(!inspector(second)->isVisible());
  second->reset_layout();
  second->resize(1680, 1050);
  QTRY_VERIFY(inspector(second)->isVisible());
}

void TestWindowLayout::columns_are_remembered_and_reset() {
  QTemporaryDir directory;
  QSettings settings(directory.filePath("s.ini"), QSettings::IniFormat);
  const auto make = [&] {
    auto window = std::make_unique<ui::window::MainWindow>(
        ui::window::WindowServices{ui::dialogs::interactive_dialogs(), &settings, {}});
    window->show();
    window->open_sample();
    // An answer that comes makes the columns fit again.
    if (!QTest::qWaitFor([&] { return !window->session().jobs().any_running(); }, 30000)) window.reset();
    return window;
  };
  const auto header = [](const std::unique_ptr<ui::window::MainWindow>& window, const char* name) {
    return window->findChild<QTableView*>(QLatin1String(name))->horizontalHeader();
  };
  // One that gives its columns widths itself, and one whose columns are as wide as their contents.
  constexpr int dragged = models::compare::PlanTableModel::iteration;
  const std::pair<const char*, int> tables[] = {{"plan_table", dragged}, {"profile_table", 3}};
  std::map<QString, std::pair<int, int>> widths;
  {
    const auto first = make();
    QVERIFY(first);
    for (const auto& [name, column] : tables) {
      if (QLatin1String(name) == QLatin1String("profile_table")) first->show_page(ui::window::Page::profile);
      QCoreApplication::processEvents();
      QHeaderView* columns = header(first, name);
      QWidget* area = columns->viewport();
      QEvent enter(QEvent::Enter);
      QCoreApplication::sendEvent(area, &enter);
      const int before = columns->sectionSize(column);
      const QPoint edge(columns->sectionViewportPosition(column) + before - 1, area->height() / 2);
      QTest::mouseMove(area, edge);
      QTest::mousePress(area, Qt::LeftButton, {}, edge);
      for (int x = 10; x <= 40; x += 10) QTest::mouseMove(area, edge + QPoint(x, 0));
      QTest::mouseRelease(area, Qt::LeftButton, {}, edge + QPoint(40, 0));
      widths[QLatin1String(name)] = {before, columns->sectionSize(column)};
      QVERIFY2(columns->sectionSize(column) > before, name);
      columns->moveSection(columns->visualIndex(5), columns->visualIndex(6));
    }
    first->resize(1500, 950);
    QCOMPARE(header(first, "plan_table")->sectionSize(dragged), widths["plan_table"].second);
    first->close();
  }
  const auto second = make();
  QVERIFY(second);
  for (const auto& [name, column] : tables) {
    QCOMPARE(header(second, name)->sectionSize(column), widths[QLatin1String(name)].second);
    QCOMPARE(header(second, name)->logicalIndex(6), 5);
  }
  second->reset_layout();
  QCoreApplication::processEvents();
  for (const auto& [name, column] : tables) {
    QVERIFY(std::abs(header(second, name)->sectionSize(column) - widths[QLatin1String(name)].first) <= 4);
    QCOMPARE(header(second, name)->logicalIndex(5), 5);
  }
}

/// 1280 x 720, the smallest screens that people have.
void TestWindowLayout::a_small_window_shows_the_product() {
  WindowFixture fixture;
  fixture.window->resize(1280, 720);
  QVERIFY(fixture.open_sample());
  fixture.window->show_page(ui::window::Page::compare);
  QCoreApplication::processEvents();
  QWidget* inspector = fixture.child<QWidget>("inspector_dock");
  QWidget* project = fixture.child<QWidget>("project_dock");
  QVERIFY(fixture.child<QWidget>("rail")->isVisible() && !project->isVisible());
  QVERIFY(fixture.window->compare_page().split_folded());
  // Six rows of the table, and six lanes of charts.
  const auto* table = fixture.child<QTableView>("plan_table");
  const int rows = table->viewport()->height() / table->verticalHeader()->defaultSectionSize();
  QVERIFY2(rows >= 6, qPrintable(QString::number(rows)));
  const auto* scroll = fixture.child<QScrollArea>("comparison_scroll");
  constexpr int lane = 24;
  QVERIFY2(scroll->viewport()->height() >= 6 * lane, qPrintable(QString::number(scroll->viewport()->height())));
  for (int page = 0; QWidget* shown = fixture.window->page_widget(static_cast<ui::window::Page>(page)); ++page) {
    fixture.window->show_page(static_cast<ui::window::Page>(page));
    QVERIFY(fixture.settle());
    QCoreApplication::processEvents();
    const QString where = QString("page %1 asks for %2 x %3, the window is %4 x %5")
                              .arg(page)
                              .arg(shown->minimumSizeHint().width())
                              .arg(shown->minimumSizeHint().height())
                              .arg(fixture.window->width())
                              .arg(fixture.window->height());
    QVERIFY(fixture.window->grab().save(pictures_folder() + QString("small-window-%1.png").arg(page)));
    QVERIFY2(fixture.window->size() == QSize(1280, 720), qPrintable(where));
    // One panel at the right: a page with its own has no inspector.
    QCOMPARE(inspector->isVisible(), ui::window::page_table[static_cast<std::size_t>(page)].inspector);
    QVERIFY2(!inspector->isVisible() || inspector->width() >= 240, qPrintable(where));
    QVERIFY2(shown->minimumSizeHint().width() <= shown->width(), qPrintable(where));
    QVERIFY2(shown->minimumSizeHint().height() <= shown->height(), qPrintable(where));
  }
  fixture.window->show_page(ui::window::Page::compare);
  QTest::mouseClick(fixture.child<QToolButton>("rail_plans"), Qt::LeftButton);
  QVERIFY(project->isVisible());
  QTest::mouseClick(fixture.child<QToolButton>("rail_project"), Qt::LeftButton);
  QVERIFY(!project->isVisible());
  QTest::mouseClick(fixture.child<QToolButton>("fold_split"), Qt::LeftButton);
  QVERIFY(!fixture.window->compare_page().split_folded() && fixture.child<QWidget>("split_editor")->isVisible());
}

/// 1920 x 1080 at 200 % is 960 x 540.
void TestWindowLayout::the_first_window_fits_its_screen() {
  const QSize wanted(1440, 900);
  QCOMPARE(ui::layout::fitted_to_screen(wanted, {1920, 1040}, 24), wanted);
  QCOMPARE(ui::layout::fitted_to_screen(wanted, {1280, 693}, 24), QSize(1280, 669));
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.window->resize(960, 516);
  QCoreApplication::processEvents();
  const QSize least = fixture.window->minimumSizeHint();
  QVERIFY2(fixture.window->size() == QSize(960, 516), qPrintable(QString("%1 x %2, at least %3 x %4")
                                                                     .arg(fixture.window->width())
                                                                     .arg(fixture.window->height())
                                                                     .arg(least.width())
                                                                     .arg(least.height())));
  QVERIFY(fixture.window->grab().save(pictures_folder() + "tiny-window.png"));
  QVERIFY(!fixture.child<QWidget>("inspector_dock")->isVisible());
  for (int page = 0; fixture.window->page_widget(static_cast<ui::window::Page>(page)); ++page) {
    fixture.window->show_page(static_cast<ui::window::Page>(page));
    QVERIFY(fixture.settle());
    QCoreApplication::processEvents();
    QVERIFY(fixture.window->grab().save(pictures_folder() + QString("tiny-window-%1.png").arg(page)));
    QVERIFY2(
        fixture.window->size() == QSize(960, 516),
        qPrintable(QString("page %1: %2 x %3").arg(page).arg(fixture.window->width()).arg(fixture.window->height())));
  }
  fixture.window->show_page(ui::window::Page::compare);
  fixture.trigger("action_inspector_panel");
  QVERIFY(fixture.child<QWidget>("inspector_dock")->isVisible());
}

void TestWindowLayout::charts_only() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const int before = fixture.window->compare_page().charts().height();
  QTest::keyClick(fixture.window.get(), Qt::Key_F11);
  for (const char* hidden : {"question_bar", "project_dock", "inspector_dock", "plan_table", "split_editor"})
    QVERIFY2(!fixture.child<QWidget>(hidden)->isVisible(), hidden);
  QTRY_VERIFY(fixture.window->compare_page().charts().height() > before + 200);
  QTest::keyClick(fixture.window.get(), Qt::Key_Escape);
  for (const char* shown : {"question_bar", "project_dock", "inspector_dock", "plan_table", "split_editor"})
    QVERIFY2(fixture.child<QWidget>(shown)->isVisible(), shown);
}

void TestWindowLayout::jobs_are_a_line_that_opens_the_list() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  auto* line = fixture.child<QWidget>("jobs_line");
  QVERIFY(line->isVisible() && line->height() < 40);
  QTest::mouseClick(line, Qt::LeftButton);
  auto* list = fixture.child<QTreeWidget>("jobs_panel");
  QTRY_VERIFY(list->isVisible());
  QVERIFY(list->topLevelItemCount() >= 1 && list->topLevelItem(0)->text(0).contains("BERT-48"));
  // A row is as high while its job runs, with a bar and a button, as after it.
  fixture.trigger("action_compare");
  QVERIFY(list->topLevelItemCount() >= 2 && list->itemWidget(list->topLevelItem(0), 1));
  QCoreApplication::processEvents();
  const int running = list->visualItemRect(list->topLevelItem(0)).height();
  QVERIFY(fixture.settle());
  QCoreApplication::processEvents();
  QCOMPARE(list->visualItemRect(list->topLevelItem(0)).height(), running);
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->topLevelItem(0)).center());
  QCOMPARE(list->visualItemRect(list->topLevelItem(0)).height(), running);
  list->window()->close();
  fixture.trigger("action_new");  // jobs of another project are gone
  QCOMPARE(list->topLevelItemCount(), 0);
}

/// The button of the bar over the page makes the shown cluster the compared one.
void TestWindowLayout::topology_follows_the_question() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.window->show_page(ui::window::Page::topology);
  auto* bar = fixture.child<QWidget>("other_cluster_bar");
  auto* shown = fixture.child<views::topology::View>("topology_view");
  QVERIFY(!bar->isVisible());
  const int asked = fixture.state().question.cluster;
  fixture.trigger("action_new_cluster");
  QVERIFY(bar->isVisible() && shown->cluster_id() != asked);
  QTest::mouseClick(bar->findChild<QPushButton*>("hint_button"), Qt::LeftButton);
  QVERIFY(!bar->isVisible() && fixture.state().question.cluster == shown->cluster_id());
  fixture.session().choose_cluster(asked);
  QCOMPARE(shown->cluster_id(), asked);
  QVERIFY(!bar->isVisible());
}

/// The whole interface grows, and goes back.
void TestWindowLayout::the_interface_zooms() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto* table = fixture.child<QTableView>("plan_table");
  const auto* caption = fixture.child<QLabel>("caption");
  const double font = fixture.window->font().pointSizeF(), small = caption->font().pointSizeF();
  const int row = table->verticalHeader()->defaultSectionSize();
  fixture.trigger("action_interface_larger");
  fixture.trigger("action_interface_larger");
  fixture.trigger("action_interface_larger");
  QCOMPARE(ui::layout::zoom(), 150);
  QVERIFY(std::abs(fixture.window->font().pointSizeF() / font - 1.5) < 0.05);
  QVERIFY(std::abs(caption->font().pointSizeF() / small - 1.5) < 0.05);
  for (const QWidget* widget : fixture.window->findChildren<QWidget*>())
    if (widget->isVisible() && widget->font().pointSizeF() < small * 1.45)
      QFAIL(qPrintable(QString("%1 %2 has %3 pt")
                           .arg(widget->metaObject()->className(), widget->objectName())
                           .arg(widget->font().pointSizeF())));
  QVERIFY(table->verticalHeader()->defaultSectionSize() > row);
  const auto* compare = fixture.child<QPushButton>("primary");
  QVERIFY2(compare->minimumWidth() >= compare->sizeHint().width(),
           qPrintable(QString::number(compare->minimumWidth())));
  QCoreApplication::processEvents();
  QVERIFY(fixture.window->grab().save(pictures_folder() + "zoom-150.png"));
  fixture.trigger("action_interface_normal");
  QCOMPARE(ui::layout::zoom(), 100);
  QCOMPARE(fixture.window->font().pointSizeF(), font);
  QVERIFY(std::abs(caption->font().pointSizeF() - small) < 0.05);
}

void TestWindowLayout::preferences_take_effect_at_once() {
  WindowFixture fixture;
  fixture.trigger("action_preferences");
  auto* dialog = fixture.child<QDialog>("preferences");
  QVERIFY(dialog && dialog->isVisible());
  auto* appearance = dialog->findChild<QComboBox*>("preferences_appearance");
  appearance->setCurrentIndex(2);
  QCOMPARE(fixture.settings.value("window/appearance").toString(), QString("dark"));
  QVERIFY(views::widgets::Theme::of(fixture.window->palette()).dark);
  appearance->setCurrentIndex(1);
  auto* zoom = dialog->findChild<QSpinBox*>("preferences_zoom");
  zoom->setValue(120);
  QCOMPARE(ui::layout::zoom(), 120);
  QCOMPARE(fixture.settings.value("window/zoom").toInt(), 120);
  zoom->setValue(100);
  auto* budget = dialog->findChild<QComboBox*>("preferences_budget");
  budget->setCurrentIndex(budget->findData(60.0));
  QCOMPARE(fixture.state().question.planning.budget, Seconds{60});
  QVERIFY(!fixture.session().modified());
  fixture.trigger("action_new");
  QCOMPARE(fixture.state().question.planning.budget, Seconds{60});
  dialog->findChild<QCheckBox*>("preferences_start_page")->setChecked(false);
  QCOMPARE(fixture.settings.value("window/start_page").toBool(), false);
  QVERIFY(!fixture.child<QCheckBox>("start_shown")->isChecked());
}

/// Every sentence is as high as it needs to be, and can be scrolled to.
void TestWindowLayout::what_a_cluster_is_good_at_is_whole_in_a_small_window() {
  WindowFixture fixture;
  fixture.window->resize(1280, 720);
  QVERIFY(fixture.open_sample());
  for (const int width : {1280, 1680}) {
    fixture.window->resize(width, 720);
    fixture.window->show_page(ui::window::Page::topology);
    QVERIFY(fixture.settle());
    QCoreApplication::processEvents();
    auto* words = fixture.child<QLabel>("topology_strengths");
    auto* scroll = fixture.child<QScrollArea>("topology_summary_scroll");
    QVERIFY(words->text().count('\n') >= 2);
    QVERIFY2(words->height() >= words->heightForWidth(words->width()), qPrintable(QString::number(words->height())));
    QVERIFY(words->width() >= 200);
    QVERIFY(scroll->widget()->width() <= scroll->viewport()->width());
    const int below = words->mapTo(scroll->widget(), QPoint(0, words->height())).y();
    QVERIFY(below <= scroll->widget()->height());
    scroll->ensureVisible(0, below, 0, 0);
    const QPoint end = words->mapTo(scroll->viewport(), QPoint(0, words->height()));
    QVERIFY(end.y() <= scroll->viewport()->height());
    QVERIFY(fixture.window->grab().save(pictures_folder() + QString("topology-%1.png").arg(width)));
  }
}

/// The box that asks about unsaved work, which a user reads after a crash.
void TestWindowLayout::buttons_of_questions_are_whole() {
  WindowFixture fixture;
  QStringList cut;
  int buttons = 0;
  QTimer::singleShot(200, fixture.window.get(), [&] {
    QWidget* box = QApplication::activeModalWidget();
    QVERIFY(box);
    for (const QPushButton* button : box->findChildren<QPushButton*>()) {
      ++buttons;
      constexpr int padding = 2 * 14;  // of the style sheet
      const QString words = button->text().remove(QLatin1Char('&'));
      if (button->width() < button->fontMetrics().horizontalAdvance(words) + padding) cut << words;
    }
    box->grab().save(pictures_folder() + "recovery-question.png");
    box->close();
  });
  const QDateTime now = QDateTime::currentDateTime();
  const session::Recovery answer =
      ui::dialogs::interactive_dialogs().recovery(fixture.window.get(), {"p.pipedeck", now, now, {}});
  QCOMPARE(answer, session::Recovery::later);
  QCOMPARE(buttons, 3);
  QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
}

void TestWindowLayout::no_text_is_cut_off() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QStringList found;
  for (const QSize size : {QSize(1680, 1050), QSize(1280, 800)}) {
    fixture.window->resize(size);
    for (const auto page :
         {ui::window::Page::compare, ui::window::Page::explain, ui::window::Page::profile, ui::window::Page::topology,
          ui::window::Page::what_if, ui::window::Page::run, ui::window::Page::accuracy}) {
      fixture.window->show_page(page);
      QVERIFY(fixture.settle());
      QStringList cut;  // what has just come is laid out a moment later
      const auto all_whole = [&] {
        cut.clear();
        for (const QWidget* widget : fixture.window->findChildren<QWidget*>())
          if (cuts_off(*widget)) cut << widget->objectName() + QLatin1Char(' ') + text_of(*widget);
        return cut.isEmpty();
      };
      if (!QTest::qWaitFor(all_whole, 5000)) found << cut;
    }
  }
  found.removeDuplicates();
  QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
}

/// A wide page takes room from the docks while it is shown, not for ever.
void TestWindowLayout::docks_get_their_room_back() {
  WindowFixture fixture;
  fixture.window->resize(1600, 900);
  QVERIFY(fixture.open_sample());
  const auto* project = fixture.child<QWidget>("project_dock");
  const auto* inspector = fixture.child<QWidget>("inspector_dock");
  QTRY_VERIFY2(project->width() > 180 && inspector->width() > 260,
               qPrintable(QStringLiteral("%1, %2").arg(project->width()).arg(inspector->width())));
  const QSize before(project->width(), inspector->width());
  fixture.window->show_page(ui::window::Page::what_if);
  QTest::qWait(50);
  fixture.window->show_page(ui::window::Page::compare);
  QTRY_COMPARE(QSize(project->width(), inspector->width()), before);
}

PIPEDECK_WINDOW_TEST(TestWindowLayout)

}  // namespace pipedeck::tst_window_layout

#include "tst_window_layout.moc"
