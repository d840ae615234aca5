// SPDX-License-Identifier: GPL-3.0-or-later
// How the window is arranged: remembered, put back, and on small screens.
#include <map>

#include <QAbstractButton>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTableView>

#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

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

}  // namespace

class TestWindowLayout : public QObject {
  Q_OBJECT

 private slots:
  void layout_is_remembered_and_reset();
  void columns_are_remembered_and_reset();
  void pages_leave_the_docks_their_room_in_a_small_window();
  void what_a_cluster_is_good_at_is_whole_in_a_small_window();
  void no_text_is_cut_off();
  void docks_get_their_room_back();
};

void TestWindowLayout::layout_is_remembered_and_reset() {
  QTemporaryDir directory;
  QSettings settings(directory.filePath("s.ini"), QSettings::IniFormat);
  const auto make = [&] {
    return std::make_unique<ui::window::MainWindow>(
        ui::window::WindowServices{ui::dialogs::interactive_dialogs(), &settings, {}});
  };
  auto first = make();
  first->show();
  auto* jobs = first->findChild<QWidget*>("jobs_dock");
  QVERIFY(jobs->isVisible());
  jobs->hide();
  first->close();
  auto second = make();
  second->show();
  QVERIFY(!second->findChild<QWidget*>("jobs_dock")->isVisible());
  second->reset_layout();
  QVERIFY(second->findChild<QWidget*>("jobs_dock")->isVisible());
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
  const std::pair<const char*, int> tables[] = {{"plan_table", 4}, {"profile_table", 3}};
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
    QCOMPARE(header(first, "plan_table")->sectionSize(4), widths["plan_table"].second);
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
void TestWindowLayout::pages_leave_the_docks_their_room_in_a_small_window() {
  WindowFixture fixture;
  fixture.window->resize(1280, 720);
  QVERIFY(fixture.open_sample());
  fixture.window->show_page(ui::window::Page::compare);
  QCoreApplication::processEvents();
  QWidget* inspector = fixture.child<QWidget>("inspector_dock");
  QWidget* project = fixture.child<QWidget>("project_dock");
  const int beside = inspector->width() + project->width();
  QVERIFY2(beside >= 440, qPrintable(QString::number(beside)));
  for (int page = 0; QWidget* shown = fixture.window->page_widget(static_cast<ui::window::Page>(page)); ++page) {
    fixture.window->show_page(static_cast<ui::window::Page>(page));
    QVERIFY(fixture.settle());
    QCoreApplication::processEvents();
    const QString where = QString("page %1 asks for %2 x %3, the window is %4 x %5, docks %6 of %7")
                              .arg(page)
                              .arg(shown->minimumSizeHint().width())
                              .arg(shown->minimumSizeHint().height())
                              .arg(fixture.window->width())
                              .arg(fixture.window->height())
                              .arg(inspector->width() + project->width())
                              .arg(beside);
    QVERIFY(fixture.window->grab().save(pictures_folder() + QString("small-window-%1.png").arg(page)));
    QVERIFY2(fixture.window->size() == QSize(1280, 720), qPrintable(where));
    QVERIFY2(inspector->width() + project->width() >= beside, qPrintable(where));
    QVERIFY2(shown->minimumSizeHint().width() <= shown->width(), qPrintable(where));
    QVERIFY2(shown->minimumSizeHint().height() <= shown->height(), qPrintable(where));
  }
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

void TestWindowLayout::no_text_is_cut_off() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QStringList found;
  for (const QSize size : {QSize(1680, 1050), QSize(1280, 800)}) {
    fixture.window->resize(size);
    for (const auto page : {ui::window::Page::compare, ui::window::Page::explain, ui::window::Page::profile,
                            ui::window::Page::topology, ui::window::Page::what_if, ui::window::Page::run}) {
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
  fixture.window->resize(1440, 900);
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
#include "tst_window_layout.moc"
