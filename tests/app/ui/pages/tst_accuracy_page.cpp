// SPDX-License-Identifier: GPL-3.0-or-later
// Published runs in the real window: read and predicted as a job, filtered, selected by mouse and keys, grouped.
#include <algorithm>

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>

#include "app/models/accuracy/error_figures.hpp"
#include "app/models/format.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/accuracy_page.hpp"
#include "app/views/accuracy/filter_panel.hpp"
#include "app/views/accuracy/group_table.hpp"
#include "app/views/accuracy/run_panel.hpp"
#include "app/views/accuracy/scatter_view.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/figure_row.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "core/presets/published_runs.hpp"
#include "core/study/accuracy/runs_table.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_accuracy_page {

using namespace pipedeck::test;

QString runs_file() { return QStringLiteral(PIPEDECK_FIXTURES "/published-runs.csv"); }

struct Opened {
  WindowFixture fixture;
  ui::pages::AccuracyPage* page;

  Opened() : page(&fixture.window->accuracy_page()) {
    fixture.session().choose_profile_preset("BERT-48");
    fixture.window->show_page(ui::window::Page::accuracy);
  }
  /// Opens the table by the button of the empty page.
  [[nodiscard]] bool open() {
    fixture.answers.files_to_open = {runs_file()};
    click("empty_other");
    return fixture.settle() && !page->rows().empty() && wait();
  }
  [[nodiscard]] static bool wait() {
    for (int pass = 0; pass < 3; ++pass) QCoreApplication::processEvents();
    return true;
  }
  template <class Widget>
  Widget* child(const QString& name) const {
    return page->findChild<Widget*>(name);
  }
  void click(const QString& button) const { QTest::mouseClick(child<QAbstractButton>(button), Qt::LeftButton); }
  QString figure(std::size_t i) const { return page->figures().figures()[i].value; }
  /// Returns a shown run that is the nearest one to its own point.
  std::size_t clickable() const {
    const auto& points = page->chart().geometry_of_runs().points;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (page->chart().geometry_of_runs().hit(points[i].toPoint()) == i) return i;
    return 0;
  }
};

class TestAccuracyPage : public QObject {
  Q_OBJECT

 private slots:
  void empty_page_opens_a_table();
  void empty_page_shows_the_published_runs();
  void a_dropped_table_is_opened();
  void a_bad_table_is_reported();
  void a_dropped_log_is_a_run();
  void a_cancelled_table_adds_nothing();
  void a_filter_changes_figures_and_points();
  void the_mouse_selects_a_run();
  void keys_select_runs();
  void hovering_shows_a_card();
  void ratio_and_groups();
  void further_tables_are_added();
  void reasons_are_listed();
  void every_run_fits_its_panel();
  void no_text_is_cut_off();
  void pictures();
};

void TestAccuracyPage::empty_page_opens_a_table() {
  Opened opened;
  auto* empty = opened.page->findChild<QWidget*>("empty_state");
  QVERIFY(empty->isVisible());
  QVERIFY(opened.open());
  QVERIFY(!empty->isVisible());
  QVERIFY2(opened.fixture.errors.isEmpty(), qPrintable(opened.fixture.errors.join('\n')));
  const auto& outcomes = opened.page->study().outcomes();
  const auto comparable = std::ranges::count_if(
      outcomes, [](const study::accuracy::Outcome& outcome) { return outcome.judged && outcome.prediction; });
  QVERIFY(comparable >= 10);
  QCOMPARE(opened.page->chart().shown().size(), static_cast<std::size_t>(comparable));
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (opened.page->rows()[i].shown()) QVERIFY(std::abs(opened.page->rows()[i].error() - *outcomes[i].error()) < 1e-9);
  const auto summary = study::accuracy::summary_of(outcomes);
  QCOMPARE(opened.figure(0), models::format_percent(summary.time.mean_absolute));
  QCOMPARE(opened.figure(3), QString("%1 of %2").arg(summary.refused).arg(summary.predicted));
}

void TestAccuracyPage::empty_page_shows_the_published_runs() {
  Opened opened;
  opened.click("empty_first");
  QVERIFY(opened.fixture.settle() && Opened::wait());
  QVERIFY2(opened.fixture.errors.isEmpty(), qPrintable(opened.fixture.errors.join('\n')));
  const auto runs = study::accuracy::runs_from_csv(presets::published_runs());
  QVERIFY(runs);
  QCOMPARE(opened.page->rows().size(), runs->size());
  QVERIFY(opened.page->chart().shown().size() > 500);
}

/// As dropped on the window, or named on the command line.
void TestAccuracyPage::a_dropped_table_is_opened() {
  WindowFixture fixture;
  fixture.window->open_files({runs_file()});
  QCOMPARE(fixture.window->page(), ui::window::Page::accuracy);
  QVERIFY(fixture.settle());
  QVERIFY(fixture.window->accuracy_page().isVisible());
  QVERIFY(!fixture.window->accuracy_page().rows().empty());
  QVERIFY(fixture.errors.isEmpty() && fixture.questions.isEmpty());
}

/// A log becomes the row that the command line gives (tst_cli_accuracy), on the GPUs of the project's cluster.
void TestAccuracyPage::a_dropped_log_is_a_run() {
  const QString log = QStringLiteral(PIPEDECK_FIXTURES "/jobs/llama3-8b.megatron.log");
  WindowFixture fixture;
  fixture.window->open_files({log});
  QTRY_COMPARE_WITH_TIMEOUT(fixture.errors.size(), 1, 60000);  // the log is read by a thread
  QVERIFY2(fixture.errors.front().contains("does not name its GPUs"), qPrintable(fixture.errors.front()));
  fixture.errors.clear();
  fixture.session().choose_cluster_preset("4 × 8 H100-SXM");
  fixture.window->open_files({log});
  QCOMPARE(fixture.window->page(), ui::window::Page::accuracy);
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.value(0)));
  const auto& outcomes = fixture.window->accuracy_page().study().outcomes();
  QTRY_COMPARE_WITH_TIMEOUT(outcomes.size(), std::size_t{1}, 60000);
  QCOMPARE(*outcomes[0].measured_seconds, 2.14985);
  QVERIFY(outcomes[0].prediction && outcomes[0].run.gpu == "H100-SXM");
  QCOMPARE(fixture.window->accuracy_page().rows().size(), std::size_t{1});
}

void TestAccuracyPage::a_bad_table_is_reported() {
  Opened opened;
  QFile file(opened.fixture.path("bad.csv"));
  QVERIFY(file.open(QFile::WriteOnly));
  file.write("row,source\na,b\n");
  file.close();
  opened.fixture.answers.files_to_open = {file.fileName()};
  opened.click("empty_other");
  QVERIFY(opened.fixture.settle());
  QCOMPARE(opened.fixture.errors.size(), 1);
  QVERIFY2(opened.fixture.errors.front().contains("bad.csv"), qPrintable(opened.fixture.errors.front()));
  QVERIFY(opened.page->rows().empty() && opened.page->findChild<QWidget*>("empty_state")->isVisible());
}

void TestAccuracyPage::a_cancelled_table_adds_nothing() {
  Opened opened;
  opened.page->open(runs_file());
  QVERIFY(opened.page->study().running());
  opened.page->study().cancel();
  QVERIFY(opened.fixture.settle() && opened.wait());
  QVERIFY(opened.page->rows().empty() && opened.fixture.errors.isEmpty());
  QVERIFY(opened.child<QAbstractButton>("empty_first")->isVisible());
  QVERIFY(opened.open());
}

void TestAccuracyPage::a_filter_changes_figures_and_points() {
  Opened opened;
  QVERIFY(opened.open());
  const std::vector<std::size_t> all = opened.page->chart().shown();
  const QString before = opened.figure(3);
  auto* first = opened.child<QCheckBox>("accuracy_filter_0_0");
  QVERIFY(first && first->isChecked());
  const QString family = first->text();
  opened.click("accuracy_filter_0_0");
  QVERIFY(!first->isChecked());
  const std::vector<std::size_t> fewer = opened.page->chart().shown();
  QVERIFY(fewer.size() < all.size() && !fewer.empty());
  for (const std::size_t i : fewer)
    QVERIFY(models::accuracy::family_text(models::accuracy::family_of(opened.page->rows()[i].gpu)) != family);
  QVERIFY(opened.figure(3) != before);
  QVERIFY(opened.child<QAbstractButton>("accuracy_reasons")->text().startsWith(QString::number(fewer.size())));
  int in_groups = 0;
  for (const models::accuracy::ErrorGroup& group : opened.page->groups().groups()) in_groups += group.figures.runs;
  QCOMPARE(in_groups, static_cast<int>(fewer.size()));
  opened.click("accuracy_reset");
  QCOMPARE(opened.page->chart().shown(), all);
  QCOMPARE(opened.figure(3), before);
  QTest::keyClicks(opened.child<QLineEdit>("accuracy_search"), "no run has this");
  QVERIFY(opened.page->chart().shown().empty());
  QCOMPARE(opened.figure(0), "–");
}

void TestAccuracyPage::the_mouse_selects_a_run() {
  Opened opened;
  QVERIFY(opened.open());
  auto& chart = opened.page->chart();
  QVERIFY(opened.child<QLabel>("accuracy_run_hint")->isVisible());
  const std::size_t run = opened.clickable();
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.geometry_of_runs().points[run].toPoint());
  const std::size_t row = chart.shown()[run];
  QCOMPARE(*chart.selected(), row);
  const models::accuracy::RunRow& selected = opened.page->rows()[row];
  QCOMPARE(opened.child<QLabel>("accuracy_run_title")->text(), selected.model);
  QVERIFY(opened.child<QLabel>("accuracy_run_origin")->text().startsWith(selected.id));
  QVERIFY(!opened.child<QLabel>("accuracy_run_hint")->isVisible());
  const auto& parts = opened.page->run().parts().rows();
  QVERIFY(parts.size() >= 3);
  QVERIFY(std::abs(parts[parts.size() - 3].to / selected.predicted_seconds - 1) < 1e-3);
  QCOMPARE(parts.back().to, selected.measured_seconds);
  opened.click("accuracy_copy");
  QVERIFY(QApplication::clipboard()->text().contains(selected.id));
  // A run that a filter leaves out is no longer selected.
  QTest::keyClicks(opened.child<QLineEdit>("accuracy_search"), "no run has this");
  QVERIFY(!chart.selected() && opened.child<QLabel>("accuracy_run_hint")->isVisible());
  opened.click("accuracy_reset");
  chart.press_item(0);
  QVERIFY(chart.selected().has_value());
  opened.click("accuracy_run_close");
  QVERIFY(!chart.selected() && opened.child<QLabel>("accuracy_run_hint")->isVisible());
  // The largest error of all is the first in the list.
  auto& largest = opened.page->run().largest();
  QTest::mouseClick(largest.viewport(), Qt::LeftButton, {}, largest.visualItemRect(largest.item(0, 0)).center());
  const double error = std::abs(opened.page->rows()[*chart.selected()].error());
  for (const std::size_t i : chart.shown()) QVERIFY(std::abs(opened.page->rows()[i].error()) <= error);
  QVERIFY(!largest.isVisible() && chart.hasFocus());
}

void TestAccuracyPage::keys_select_runs() {
  Opened opened;
  QVERIFY(opened.open());
  auto& chart = opened.page->chart();
  chart.setFocus();
  QTest::keyClick(&chart, Qt::Key_Home);
  const double slowest = opened.page->rows()[*chart.selected()].measured;
  for (const std::size_t i : chart.shown()) QVERIFY(opened.page->rows()[i].measured >= slowest);
  QTest::keyClick(&chart, Qt::Key_Right);
  QVERIFY(opened.page->rows()[*chart.selected()].measured >= slowest);
  QTest::keyClick(&chart, Qt::Key_Left);
  QCOMPARE(opened.page->rows()[*chart.selected()].measured, slowest);
  QTest::keyClick(&chart, Qt::Key_Escape);
  QVERIFY(!chart.selected());
  // Every part of the page is reached by Tab.
  QStringList reached;
  opened.child<QLineEdit>("accuracy_search")->setFocus();
  for (int i = 0; i < 80; ++i) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    reached << QApplication::focusWidget()->objectName();
  }
  for (const char* name :
       {"accuracy_filter_0_0", "accuracy_add", "accuracy_mode_0", "accuracy_chart", "accuracy_by_0", "accuracy_groups"})
    QVERIFY2(reached.contains(QLatin1String(name)), qPrintable(reached.join(' ')));
}

void TestAccuracyPage::hovering_shows_a_card() {
  Opened opened;
  QVERIFY(opened.open());
  auto& chart = opened.page->chart();
  const std::size_t run = opened.clickable();
  QTest::mouseMove(&chart, chart.geometry_of_runs().points[run].toPoint());
  QTRY_VERIFY(chart.card().isVisible());
  QCOMPARE(chart.card().lines(), models::accuracy::describe_run(opened.page->rows()[chart.shown()[run]]));
  QTest::mouseMove(&chart, chart.geometry_of_runs().plot.bottomRight().toPoint() - QPoint(2, 2));
  QTRY_VERIFY(!chart.card().isVisible());
}

void TestAccuracyPage::ratio_and_groups() {
  Opened opened;
  QVERIFY(opened.open());
  auto& chart = opened.page->chart();
  opened.click("accuracy_mode_1");
  QCOMPARE(chart.mode(), models::accuracy::ScatterMode::ratio);
  for (std::size_t i = 0; i < chart.shown().size(); ++i)
    QCOMPARE(chart.geometry_of_runs().points[i].y(),
             chart.geometry_of_runs().y_of_error(opened.page->rows()[chart.shown()[i]].error()));
  QTest::keyClick(opened.child<QAbstractButton>("accuracy_mode_1"), Qt::Key_Left);
  QCOMPARE(chart.mode(), models::accuracy::ScatterMode::scatter);
  auto& groups = opened.page->groups();
  for (int by = 0; by < models::accuracy::group_by_count; ++by) {
    opened.click(QString("accuracy_by_%1").arg(by));
    QCOMPARE(groups.horizontalHeaderItem(0)->text(),
             models::accuracy::group_by_text(static_cast<models::accuracy::GroupBy>(by)));
    QVERIFY(groups.rowCount() >= 2);
    QCOMPARE(groups.item(0, 0)->text(), groups.groups().front().name);
  }
  groups.setFocus();
  QTest::keyClick(&groups, Qt::Key_C, Qt::ControlModifier);
  QCOMPARE(QApplication::clipboard()->text().count('\n'), groups.rowCount() + 1);
}

void TestAccuracyPage::further_tables_are_added() {
  Opened opened;
  QVERIFY(opened.open());
  const std::size_t before = opened.page->rows().size();
  QFile published(runs_file()), own(opened.fixture.path("own.csv"));
  QVERIFY(published.open(QFile::ReadOnly) && own.open(QFile::WriteOnly));
  const QByteArray text = published.readAll();
  own.write(QByteArray(text).replace("\nmegatron-bridge-002,", "\nmine,"));
  own.close();
  opened.fixture.answers.files_to_open = {own.fileName()};
  opened.click("accuracy_add");
  QVERIFY(opened.fixture.settle() && opened.wait());
  // Rows of both tables are there once, the renamed one is added.
  QCOMPARE(opened.page->rows().size(), before + 1);
  QCOMPARE(std::ranges::count(opened.page->rows(), QString("mine"), &models::accuracy::RunRow::id), 1);
}

void TestAccuracyPage::reasons_are_listed() {
  Opened opened;
  QVERIFY(opened.open());
  auto* reasons = opened.child<QAbstractButton>("accuracy_reasons");
  const std::size_t hidden = opened.page->rows().size() - opened.page->chart().shown().size();
  QVERIFY(hidden > 0 && reasons->toolTip().contains(QString::number(hidden)));
  opened.click("accuracy_reasons");
  QCOMPARE(opened.fixture.informations.size(), 1);
  int runs = 0;
  for (const auto& [reason, count] : opened.page->study().reasons()) runs += count;
  QCOMPARE(static_cast<std::size_t>(runs), hidden);
}

/// Returns texts of the page that have less room than they need.
QStringList cut_texts(const QWidget& page) {
  QStringList cut;
  for (const QLabel* label : page.findChildren<QLabel*>()) {
    if (!label->isVisible() || label->text().isEmpty()) continue;
    const bool narrow = label->wordWrap() ? label->height() < label->heightForWidth(label->width())
                                          : label->width() < label->minimumSizeHint().width();
    if (narrow) cut << label->objectName() + u' ' + label->text();
  }
  for (const QAbstractButton* button : page.findChildren<QAbstractButton*>())
    if (button->isVisible() && button->width() < button->minimumSizeHint().width())
      cut << button->objectName() + u' ' + button->text();
  return cut;
}

/// Names of recipes have no blanks, and are wider than the panel.
void TestAccuracyPage::every_run_fits_its_panel() {
  Opened opened;
  QVERIFY(opened.open());
  const auto* panel = opened.page->findChild<views::accuracy::RunPanel*>();
  for (std::size_t i = 0; i < opened.page->chart().geometry_of_runs().points.size(); ++i) {
    opened.page->chart().press_item(static_cast<int>(i));
    QVERIFY(opened.wait());
    QVERIFY2(
        panel->widget()->width() <= panel->viewport()->width(),
        qPrintable(QString("run %1: %2 of %3").arg(i).arg(panel->widget()->width()).arg(panel->viewport()->width())));
  }
}

void TestAccuracyPage::no_text_is_cut_off() {
  Opened opened;
  QVERIFY(opened.open());
  for (const int zoom : {100, 150})
    for (const QSize size : {QSize(1280, 720), QSize(1680, 1050)}) {
      for (int step = 0; ui::layout::zoom() < zoom && step < 9; ++step)
        opened.fixture.trigger("action_interface_larger");
      opened.fixture.window->resize(size);
      opened.page->chart().press_item(static_cast<int>(opened.clickable()));
      QVERIFY(opened.wait());
      QStringList cut;
      QVERIFY2(QTest::qWaitFor([&] { return (cut = cut_texts(*opened.page)).isEmpty(); }, 3000),
               qPrintable(QString("%1 %, %2 wide: %3").arg(zoom).arg(size.width()).arg(cut.join('\n'))));
      QCOMPARE(opened.fixture.window->size(), size);
      const auto* scroll = opened.child<QScrollArea>("accuracy_scroll");
      if (zoom == 100) QVERIFY(scroll->widget()->width() <= scroll->viewport()->width());
      QVERIFY(opened.fixture.window->grab().save(pictures_folder() +
                                                 QString("accuracy-%1-%2.png").arg(size.width()).arg(zoom)));
    }
  opened.fixture.trigger("action_interface_normal");
}

void TestAccuracyPage::pictures() {
  Opened opened;
  opened.fixture.window->resize(1440, 900);
  const QString table = qEnvironmentVariable("PIPEDECK_RUNS");  // a large one, for pictures of the user guide
  if (!table.isEmpty()) {
    opened.page->open(table);
    QVERIFY(opened.fixture.settle() && opened.wait());
  } else {
    QVERIFY(opened.open());
  }
  opened.page->chart().press_item(static_cast<int>(opened.clickable()));
  for (const char* mode : {"scatter", "ratio"}) {
    opened.click(QLatin1String(mode) == QLatin1String("scatter") ? "accuracy_mode_0" : "accuracy_mode_1");
    for (const char* appearance : {"dark", "light"}) {
      opened.fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
      QVERIFY(opened.wait());
      QVERIFY(
          opened.fixture.window->grab().save(pictures_folder() + QString("accuracy-%1-%2.png").arg(mode, appearance)));
      QCOMPARE(ui::layout::write_picture(*opened.page,
                                         pictures_folder() + QString("accuracy-page-%1-%2.png").arg(mode, appearance)),
               QString());
    }
  }
}

PIPEDECK_WINDOW_TEST(TestAccuracyPage)

}  // namespace pipedeck::tst_accuracy_page

#include "tst_accuracy_page.moc"
