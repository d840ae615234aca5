// SPDX-License-Identifier: GPL-3.0-or-later
// Strong and weak scaling in the real window: the figures of the core in charts and table, cancelled and continued,
// sizes without a plan, plans taken into the project.
#include <QApplication>
#include <QBarSet>
#include <QChart>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineSeries>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStackedBarSeries>
#include <QTabWidget>
#include <QTableWidget>

#include "app/models/format.hpp"
#include "app/session/project/state.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/views/whatif/capacity_pane.hpp"
#include "app/views/whatif/scaling_view.hpp"
#include "app/views/whatif/summary.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/capacity/question.hpp"
#include "tests/app/ui/pages/what_if_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_scaling_page {

using session::whatif::ScalingKind;
using session::whatif::ScalingPoint;

struct Opened : test::WhatIfFixture {
  [[nodiscard]] bool show(const char* model = "Llama 3 8B", const char* cluster = "8 × 8 H100-SXM", int batch = 64) {
    fixture.session().choose_profile_preset(QString::fromUtf8(model));
    fixture.session().choose_cluster_preset(QString::fromUtf8(cluster));
    fixture.session().set_global_batch(batch);
    open_page();
    child<QTabWidget>("what_if_tabs")->setCurrentIndex(1);
    return settle() && page->capacity().isVisible();
  }
  void choose(int mode) const { click(qPrintable(QStringLiteral("capacity_mode_%1").arg(mode))); }
  void find(int nodes) const {
    child<QSpinBox>("capacity_scaling_nodes")->setValue(nodes);
    click("capacity_find");
  }
  views::whatif::ScalingView& view() const { return page->capacity().scaling(); }
  QString words() const { return child<QLabel>("capacity_words")->text(); }
  QString button() const { return child<QPushButton>("capacity_find")->text(); }
  QLineSeries* line(int i) const { return qobject_cast<QLineSeries*>(view().lines().series()[i]); }
};

class TestScalingPage : public QObject {
  Q_OBJECT

 private slots:
  void curves_are_the_figures_of_the_core();
  void weak_keeps_the_samples_of_a_device();
  void cancelled_and_continued();
  void sizes_without_a_plan_say_why();
  void above_the_ideal_is_explained();
  void a_size_is_shown_and_taken();
  void copied_and_exported();
  void the_ticks_of_throughputs();
  void pictures();
};

void TestScalingPage::curves_are_the_figures_of_the_core() {
  Opened opened;
  QVERIFY(opened.show());
  opened.choose(1);
  QVERIFY2(opened.words().startsWith("The global batch stays."), qPrintable(opened.words()));
  opened.find(4);
  QVERIFY(opened.settle());
  // The command line's way, here.
  const auto problem = opened.fixture.session().problem();
  const std::vector<int> sizes{1, 2, 4};
  const auto points = study::capacity::scaling_points(*problem->cluster, 64, ScalingKind::strong, sizes);
  const study::capacity::ProblemAt at = [&](const CapacityPoint& point) {
    return study::capacity::problem_at({*problem, {}, {}}, point, presets::device_catalogue());
  };
  const auto expected =
      study::capacity::find_scaling(*points, at, study::capacity::scaling_planners(*problem->profile), {}).value();
  const auto& content = opened.view().content();
  QCOMPARE(content.rows.size(), std::size_t{3});
  QVERIFY(content.counts_tokens);
  const auto* shares = qobject_cast<QStackedBarSeries*>(opened.view().bars().series().first());
  QCOMPARE(shares->count(), static_cast<int>(content.parts.size()));
  for (std::size_t p = 0; p < 3; ++p) {
    const ScalingPoint& one = expected[p];
    const auto i = static_cast<int>(p);
    QCOMPARE(content.rows[p].devices, one.devices);
    QCOMPARE(content.rows[p].iteration, models::format_time(one.plan->iteration));
    QCOMPARE(opened.line(1)->at(i).y(), 100 * study::capacity::scaling_efficiency(expected, p));
    QCOMPARE(opened.line(3)->at(i).y(), std::log10(one.plan->utilization->tokens_per_second));
    double sum = 0;
    for (int s = 0; s < shares->count(); ++s) {
      const TimePart part = content.parts[static_cast<std::size_t>(s)];
      QCOMPARE(shares->barSets()[s]->at(i), 100 * one.parts.share(one.parts[part]));
      sum += shares->barSets()[s]->at(i);
      const int column = opened.view().table().columnCount() - shares->count() + s;
      QCOMPARE(opened.view().table().item(i, column)->text(),
               models::decimal(100 * one.parts.share(one.parts[part]), 1));
    }
    QVERIFY(std::abs(sum - 100) < 0.5);
    QVERIFY(!opened.view().table().item(i, 1)->toolTip().isEmpty());
  }
  QCOMPARE(opened.view().content().rows[0].efficiency, 1.0);
  const QPointF middle = opened.view().bars().plotArea().center();
  QVERIFY(opened.view().card_lines(opened.view().bars(), middle).first().startsWith("16 devices"));
}

void TestScalingPage::weak_keeps_the_samples_of_a_device() {
  Opened opened;
  QVERIFY(opened.show());
  opened.choose(2);
  opened.find(4);
  QVERIFY(opened.settle());
  const auto& rows = opened.view().content().rows;
  QCOMPARE(rows.size(), std::size_t{3});
  for (std::size_t i = 0; i < rows.size(); ++i) QCOMPARE(rows[i].global_batch, 8 << i);  // 64 on 64 devices
  opened.choose(1);
  QVERIFY(opened.view().content().rows.empty());  // strong is another search
  opened.choose(2);
  QCOMPARE(opened.view().content().rows.size(), std::size_t{3});
  opened.choose(0);
  QVERIFY(opened.child<QWidget>("capacity_table")->isVisible() && !opened.view().isVisible());
}

void TestScalingPage::cancelled_and_continued() {
  Opened opened;
  QVERIFY(opened.show());
  opened.choose(1);
  opened.find(64);
  QCOMPARE(opened.button(), QStringLiteral("Cancel"));
  QVERIFY(QTest::qWaitFor([&] { return !opened.view().content().rows.empty(); }, 120000));
  opened.click("capacity_find");
  QVERIFY(opened.settle());
  const auto known = opened.page->scaling_study().found(ScalingKind::strong);
  QVERIFY(!known.empty() && known.size() < 7);
  QCOMPARE(opened.button(), QStringLiteral("Continue"));
  QVERIFY2(opened.words().contains(QStringLiteral("Cancelled: %1 of 7").arg(known.size())), qPrintable(opened.words()));
  if (!opened.page->scaling_study().has_first(ScalingKind::strong))
    QCOMPARE(opened.view().content().rows.back().efficiency, 0.0);  // of an unknown size
  opened.click("capacity_find");
  QVERIFY(opened.settle());
  QCOMPARE(opened.button(), QStringLiteral("Find out"));
  const auto all = opened.page->scaling_study().found(ScalingKind::strong);
  QCOMPARE(all.size(), std::size_t{7});
  for (const ScalingPoint& one : known)
    QVERIFY(std::ranges::any_of(all, [&](const ScalingPoint& other) { return other.plan->plan == one.plan->plan; }));
  opened.fixture.session().set_global_batch(128);
  QVERIFY(opened.settle());
  QVERIFY(opened.view().content().rows.empty());
}

void TestScalingPage::sizes_without_a_plan_say_why() {
  Opened opened;
  QVERIFY(opened.show("Llama 3 70B", "8 × 8 H100-SXM", 64));
  opened.choose(1);
  opened.find(1);
  QVERIFY(opened.settle());
  const auto& rows = opened.view().content().rows;
  QCOMPARE(rows.size(), std::size_t{1});
  QVERIFY(!rows[0].planned && !rows[0].reason.isEmpty());
  QCOMPARE(opened.view().table().item(0, models::whatif::scaling_plan_column)->text(), rows[0].reason);
  QVERIFY2(opened.words().contains("No plan fits at any size"), qPrintable(opened.words()));
  opened.choose(2);
  opened.fixture.session().set_global_batch(4);  // no whole number of samples for 8 of 64 devices
  QVERIFY(opened.settle());
  opened.find(1);
  QVERIFY(opened.settle());
  QVERIFY2(opened.words().contains("whole number of samples"), qPrintable(opened.words()));
}

/// The smallest size recomputes to fit; larger ones need not.
void TestScalingPage::above_the_ideal_is_explained() {
  Opened opened;
  QVERIFY(opened.show("Llama 3 70B", "8 × 8 H100-SXM", 256));
  opened.choose(1);
  opened.find(8);
  QVERIFY(opened.settle());
  const auto points = opened.page->scaling_study().found(ScalingKind::strong);
  const auto& rows = opened.view().content().rows;
  int above = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    QCOMPARE(!rows[p].note.isEmpty(), study::capacity::above_ideal(points, p).has_value());
    if (rows[p].note.isEmpty()) continue;
    ++above;
    QCOMPARE(opened.view().table().item(static_cast<int>(p), 6)->toolTip(), rows[p].note);
  }
  QVERIFY(above > 0);
  // The plan of 16 devices recomputes all blocks; the others nothing.
  QVERIFY2(opened.words().contains(QStringLiteral("Above 100 % on 32, 64 devices: recompute takes ")) &&
               opened.words().endsWith(QStringLiteral("The smaller size recomputes to fit.")),
           qPrintable(opened.words()));
}

void TestScalingPage::a_size_is_shown_and_taken() {
  Opened opened;
  QVERIFY(opened.show());
  opened.choose(1);
  opened.find(2);
  QVERIFY(opened.settle());
  opened.view().table().setCurrentCell(1, 0);
  QVERIFY(opened.settle());
  QVERIFY2(opened.page->summary().words().startsWith("Picked: "), qPrintable(opened.page->summary().words()));
  const std::size_t plans = opened.fixture.session().state().plans.size();
  emit opened.view().table().activated(opened.view().table().model()->index(1, 0));
  QCOMPARE(opened.fixture.session().state().plans.size(), plans + 1);
  QCOMPARE(opened.fixture.session().state().plans.back().plan->stages,
           opened.page->scaling_study().found(ScalingKind::strong)[1].plan->plan->stages);
}

void TestScalingPage::copied_and_exported() {
  Opened opened;
  QVERIFY(opened.show());
  opened.choose(1);
  QVERIFY(!opened.child<QAbstractButton>("capacity_csv")->isEnabled());
  opened.find(2);
  QVERIFY(opened.settle());
  opened.view().table().setFocus();
  QTest::keyClick(&opened.view().table(), Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QApplication::clipboard()->text().split('\n');
  QCOMPARE(lines.size(), 3);
  QCOMPARE(lines[1].split('\t').size(), lines[0].split('\t').size());
  opened.fixture.answers.file_to_save = opened.fixture.path("scaling.csv");
  opened.click("capacity_csv");
  QFile file(opened.fixture.path("scaling.csv"));
  QVERIFY(file.open(QFile::ReadOnly));
  QCOMPARE(file.readAll().toStdString(), opened.page->scaling_study().csv(ScalingKind::strong));
}

void TestScalingPage::the_ticks_of_throughputs() {
  for (const auto& [low, high] : {std::pair(1.0, 1.0), std::pair(3.0, 90.0), std::pair(180.0, 210.0),
                                  std::pair(2e4, 8e6), std::pair(9.99e5, 1.001e6)}) {
    const auto ticks = models::whatif::rate_ticks(low, high);
    QVERIFY(ticks.size() >= 1 && ticks.size() <= 8);
    QVERIFY(ticks.front().value <= low * (1 + 1e-6) && ticks.back().value >= high * (1 - 1e-6));
    for (std::size_t i = 1; i < ticks.size(); ++i) QVERIFY(ticks[i].value > ticks[i - 1].value);
  }
  QCOMPARE(models::whatif::rate_ticks(150e3, 600e3).front().text, QStringLiteral("100k"));
}

void TestScalingPage::pictures() {
  Opened opened;
  opened.fixture.window->resize(1500, 1500);
  QVERIFY(opened.show("Llama 3 70B", "8 × 8 H100-SXM", 256));
  opened.choose(1);
  opened.find(64);
  QVERIFY(opened.settle());
  for (const char* appearance : {"dark", "light"}) {
    opened.fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
    QVERIFY(opened.settle());
    QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "scaling-" + appearance + ".png"),
             QString());
  }
  opened.fixture.window->resize(1280, 720);
  QVERIFY(opened.settle());
  auto* scroll = opened.child<QScrollArea>("what_if_scroll");
  scroll->verticalScrollBar()->setValue(scroll->verticalScrollBar()->maximum());
  QTest::qWait(50);
  QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "scaling-small.png"), QString());
}

PIPEDECK_WINDOW_TEST(TestScalingPage)

}  // namespace pipedeck::tst_scaling_page

#include "tst_scaling_page.moc"
