// SPDX-License-Identifier: GPL-3.0-or-later
// How many devices, in the real window: fields with units, points as they are found, other limits at once, cancelled
// and gone on from, plans taken into the project.
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>

#include "app/session/project/state.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/views/whatif/capacity_pane.hpp"
#include "app/views/whatif/summary.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "tests/app/ui/pages/what_if_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_capacity_page {

struct Opened : test::WhatIfFixture {
  [[nodiscard]] bool show() {
    open_page();
    child<QTabWidget>("what_if_tabs")->setCurrentIndex(1);
    return settle() && page->capacity().isVisible();
  }
  void type(const char* field, const QString& text) const {
    child<QLineEdit>(field)->selectAll();
    QTest::keyClicks(child<QLineEdit>(field), text);
  }
  void find() const { click("capacity_find"); }
  QString words() const { return child<QLabel>("capacity_words")->text(); }
  QString button() const { return child<QPushButton>("capacity_find")->text(); }
  views::widgets::BarTable& table() const { return page->capacity().table(); }
};

class TestCapacityPage : public QObject {
  Q_OBJECT

 private slots:
  void a_sweep_by_hand();
  void other_limits_at_once();
  void what_cannot_be_read();
  void cancelled_and_gone_on();
  void a_point_is_shown_and_taken();
  void every_type();
  void points_are_kept_and_gone_on_from();
  void points_of_the_command_line();
  void points_of_other_questions_are_refused();
  void pictures();
};

void TestCapacityPage::a_sweep_by_hand() {
  Opened opened;
  QVERIFY(opened.show());
  QCOMPARE(opened.table().rowCount(), 0);
  opened.child<QSpinBox>("capacity_nodes")->setValue(4);
  opened.type("capacity_amount", "20M");
  opened.type("capacity_budget", "$50k");
  opened.find();
  QVERIFY(opened.settle());
  QCOMPARE(opened.table().rowCount(), 4);
  QVERIFY2(opened.words().startsWith("Choose: "), qPrintable(opened.words()));
  const CapacityGoal goal = *opened.page->capacity().goal();
  QCOMPARE(goal.samples, 20e6);
  QCOMPARE(goal.within->count, 30 * 86400.0);
  QCOMPARE(*goal.budget, 50000.0);
  // The bars are what the points take.
  const auto found = opened.page->capacity_study().found();
  for (std::size_t i = 0; i < found.size(); ++i) {
    QCOMPARE(found[i].point.nodes, static_cast<int>(i) + 1);
    QCOMPARE(opened.table().rows()[i].to, capacity_cost(goal, found[i])->time.count);
    QCOMPARE(opened.table().rows()[i].mark, goal.within->count);
  }
}

void TestCapacityPage::other_limits_at_once() {
  Opened opened;
  QVERIFY(opened.show());
  opened.find();
  QVERIFY(opened.settle());
  const double before = opened.table().rows().front().to;
  opened.type("capacity_within", "1h");
  QVERIFY(!opened.page->capacity_study().running());
  QVERIFY2(opened.words().startsWith("No cluster meets these limits"), qPrintable(opened.words()));
  QCOMPARE(opened.table().rows().front().meaning, models::whatif::BarMeaning::worse);
  opened.type("capacity_within", "300d");
  QVERIFY(opened.words().startsWith("Choose: "));
  opened.type("capacity_amount", "20M");
  QVERIFY(std::abs(opened.table().rows().front().to / before - 2) < 1e-5);
  opened.type("capacity_tokens", "500");
  QVERIFY(opened.table().rows().front().to < before);
  QVERIFY(opened.table().rows().front().tool_tip.contains("tokens/s"));
}

void TestCapacityPage::what_cannot_be_read() {
  Opened opened;
  QVERIFY(opened.show());
  auto* find = opened.child<QPushButton>("capacity_find");
  QVERIFY(find->isEnabled());
  for (const auto& [field, text] : {std::pair{"capacity_amount", "many"}, std::pair{"capacity_within", "5 GB"},
                                    std::pair{"capacity_budget", "20 EUR"}, std::pair{"capacity_tokens", "0"}}) {
    const QString before = opened.child<QLineEdit>(field)->text();
    opened.type(field, text);
    QVERIFY2(!find->isEnabled(), field);
    QVERIFY2(opened.words().contains(QLatin1String(text)), qPrintable(opened.words()));
    opened.child<QLineEdit>(field)->setText(before);
    QVERIFY(find->isEnabled());
  }
}

void TestCapacityPage::cancelled_and_gone_on() {
  Opened opened;
  QVERIFY(opened.show());
  opened.child<QSpinBox>("capacity_nodes")->setValue(40);
  opened.find();
  QCOMPARE(opened.button(), "Cancel");
  QVERIFY(QTest::qWaitFor([&] { return opened.table().rowCount() > 1; }, 60000));
  opened.find();
  QVERIFY(opened.settle());
  const auto broken = opened.page->capacity_study().found();
  QVERIFY(!broken.empty() && broken.size() < 40);
  QCOMPARE(opened.button(), "Continue");
  opened.find();
  QVERIFY(opened.settle());
  QCOMPARE(opened.button(), "Find out");
  QCOMPARE(opened.table().rowCount(), 40);
  // The previous points stay, plan by plan.
  const auto all = opened.page->capacity_study().found();
  for (const CapacityFound& one : broken)
    QVERIFY(std::ranges::any_of(all, [&](const CapacityFound& other) {
      return other.point == one.point && other.plan->plan == one.plan->plan;
    }));
}

void TestCapacityPage::a_point_is_shown_and_taken() {
  Opened opened;
  QVERIFY(opened.show());
  opened.find();
  QVERIFY(opened.settle());
  opened.table().setCurrentCell(1, 0);
  QVERIFY(opened.settle());
  QVERIFY(opened.page->summary().words().startsWith("Picked: "));
  const std::size_t plans = opened.fixture.session().state().plans.size();
  opened.table().setFocus();
  emit opened.table().activated(opened.table().model()->index(1, 0));
  QCOMPARE(opened.fixture.session().state().plans.size(), plans + 1);
  QCOMPARE(opened.fixture.session().state().plans.back().plan->stages,
           opened.page->capacity_study().found()[1].plan->plan->stages);
  opened.fixture.session().undo();
  QCOMPARE(opened.fixture.session().state().plans.size(), plans);
}

void TestCapacityPage::every_type() {
  Opened opened;
  QVERIFY(opened.show());
  opened.child<QSpinBox>("capacity_nodes")->setValue(2);
  opened.child<QComboBox>("capacity_types")->setCurrentIndex(1);
  opened.find();
  QVERIFY(opened.settle());
  QCOMPARE(opened.table().rowCount(), 2 * static_cast<int>(session::whatif::CapacityStudy::catalogue_types().size()));
  QVERIFY(opened.table().rows().front().label.startsWith("V100-16GB"));
}

/// Points are saved during the sweep, which is cancelled; another window resumes from the dropped file, to an equal
/// answer.
void TestCapacityPage::points_are_kept_and_gone_on_from() {
  QTemporaryDir directory;
  const QString file = directory.filePath("sweep.points.json");
  std::vector<CapacityFound> broken;
  {
    Opened opened;
    QVERIFY(opened.show());
    opened.fixture.answers.file_to_save = file;
    opened.page->findChild<QAction*>("capacity_points_keep")->trigger();
    QVERIFY(QFile::exists(file));
    QVERIFY2(opened.words().contains("sweep.points.json"), qPrintable(opened.words()));
    opened.child<QSpinBox>("capacity_nodes")->setValue(40);
    opened.find();
    QVERIFY(QTest::qWaitFor([&] { return opened.table().rowCount() > 2; }, 60000));
    opened.find();
    QVERIFY(opened.settle());
    broken = opened.page->capacity_study().found();
    QVERIFY(!broken.empty() && broken.size() < 40);
    QVERIFY(!opened.fixture.session().can_undo() || !opened.fixture.session().undo_name().contains("point"));
  }
  Opened opened;
  opened.fixture.window->open_files({file});
  QVERIFY2(opened.fixture.errors.isEmpty(), qPrintable(opened.fixture.errors.join('\n')));
  QVERIFY(opened.page->capacity().isVisible());
  const auto taken = opened.page->capacity_study().found();
  QVERIFY(taken.size() >= broken.size());  // one that was under way when it was cancelled may have ended
  for (const CapacityFound& one : broken)
    QVERIFY(std::ranges::any_of(taken, [&](const CapacityFound& other) {
      return other.point == one.point && *other.plan->plan == *one.plan->plan &&
             *other.plan->cluster == *one.plan->cluster;
    }));
  opened.child<QSpinBox>("capacity_nodes")->setValue(40);
  opened.find();
  QVERIFY(opened.settle());
  QCOMPARE(opened.page->capacity_study().found().size(), std::size_t{40});
  Opened unbroken;
  QVERIFY(unbroken.show());
  unbroken.fixture.answers.file_to_save = directory.filePath("unbroken.points.json");
  unbroken.page->findChild<QAction*>("capacity_points_keep")->trigger();
  unbroken.child<QSpinBox>("capacity_nodes")->setValue(40);
  unbroken.find();
  QVERIFY(unbroken.settle());
  const auto bytes = [](const QString& path) {
    QFile kept(path);
    return kept.open(QIODevice::ReadOnly) ? kept.readAll() : QByteArray();
  };
  QVERIFY(bytes(file) == bytes(unbroken.fixture.answers.file_to_save) && !bytes(file).isEmpty());
}

void TestCapacityPage::points_of_the_command_line() {
  if (!QFile::exists(test::command_line_program())) QSKIP("pipedeck-cli is not built");
  Opened opened;
  const QString file = opened.fixture.path("cli.points.json");
  QProcess process;
  process.start(test::command_line_program(),
                {"capacity", "--profile", "preset:BERT-48", "--cluster", "preset:dapple-a", "--global-batch", "64",
                 "--nodes", "1-3", "--samples", "20M", "--points", file});
  QVERIFY(process.waitForFinished(120000));
  QCOMPARE(process.exitCode(), 0);
  QVERIFY(opened.show());
  opened.fixture.answers.files_to_open = {file};
  opened.page->findChild<QAction*>("capacity_points_go_on")->trigger();
  QVERIFY2(opened.fixture.errors.isEmpty(), qPrintable(opened.fixture.errors.join('\n')));
  QCOMPARE(opened.table().rowCount(), 3);
  QCOMPARE(opened.child<QSpinBox>("capacity_nodes")->value(), 3);
  QVERIFY(opened.page->capacity_study().complete());
}

void TestCapacityPage::points_of_other_questions_are_refused() {
  Opened opened;
  QVERIFY(opened.show());
  const QString file = opened.fixture.path("sweep.points.json");
  opened.fixture.answers.file_to_save = file;
  opened.find();
  QVERIFY(opened.settle());
  opened.page->findChild<QAction*>("capacity_points_keep")->trigger();
  const auto go_on = [&] {
    opened.fixture.errors.clear();
    opened.fixture.window->open_files({file});
    return opened.fixture.errors.value(0);
  };
  QCOMPARE(go_on(), QString());
  opened.fixture.session().set_global_batch(128);
  QVERIFY(opened.settle());
  QVERIFY2(go_on().contains("no points for this batch size"), qPrintable(go_on()));
  QCOMPARE(opened.table().rowCount(), 0);
  opened.fixture.session().set_global_batch(64);
  QCOMPARE(go_on(), QString());
  opened.fixture.session().choose_profile_preset("VGG-19");
  QVERIFY2(go_on().contains("found points of another question"), qPrintable(go_on()));
  QFile broken(file);
  QVERIFY(broken.open(QFile::WriteOnly));
  broken.write("{\"format\": \"pipedeck.capacity-points\", \"version\": 1}");
  broken.close();
  QVERIFY2(go_on().contains("sweep.points.json"), qPrintable(go_on()));
  // A folder that does not exist: reported, nothing is saved.
  opened.fixture.answers.file_to_save = opened.fixture.path("nowhere/sweep.points.json");
  opened.fixture.errors.clear();
  opened.page->findChild<QAction*>("capacity_points_keep")->trigger();
  QCOMPARE(opened.fixture.errors.size(), 1);
  QVERIFY(opened.page->capacity_study().file().isEmpty());
}

void TestCapacityPage::pictures() {
  Opened opened;
  opened.fixture.window->resize(1500, 1240);  // all of the page
  QVERIFY(opened.show());
  opened.child<QSpinBox>("capacity_nodes")->setValue(12);
  opened.type("capacity_amount", "20M");
  opened.type("capacity_within", "3d");
  opened.find();
  QVERIFY(opened.settle());
  opened.table().setCurrentCell(4, 0);
  QVERIFY(opened.settle());
  for (const char* appearance : {"dark", "light"}) {
    opened.fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
    QVERIFY(opened.settle());
    QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "capacity-" + appearance + ".png"),
             QString());
  }
  opened.fixture.window->resize(1100, 700);
  QVERIFY(opened.settle());
  QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "capacity-small.png"), QString());
}

PIPEDECK_WINDOW_TEST(TestCapacityPage)

}  // namespace pipedeck::tst_capacity_page

#include "tst_capacity_page.moc"
