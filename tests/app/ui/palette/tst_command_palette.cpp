// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette in the real window: opened by key and by its field, driven by keys and mouse.
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>

#include "app/ui/pages/compare_page.hpp"
#include "app/ui/palette/palette.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/gantt/chart_search.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_command_palette {

using namespace pipedeck::test;

ui::palette::Palette& palette_of(const WindowFixture& fixture) {
  return *fixture.child<ui::palette::Palette>("command_palette");
}

void open_with_keys(const WindowFixture& fixture) {
  QTest::keyClick(fixture.window.get(), Qt::Key_K, Qt::ControlModifier);
}

/// Types a text and returns what is found.
QStringList found(const WindowFixture& fixture, const QString& text) {
  palette_of(fixture).field().clear();
  QTest::keyClicks(&palette_of(fixture).field(), text);
  return palette_of(fixture).shown();
}

class TestCommandPalette : public QObject {
  Q_OBJECT

 private slots:
  void keys_open_and_close_it() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    fixture.window->compare_page().table().setFocus();
    open_with_keys(fixture);
    ui::palette::Palette& palette = palette_of(fixture);
    QTRY_VERIFY(palette.isVisible() && palette.field().hasFocus());
    QCOMPARE(palette.width(), 640);
    QVERIFY(std::abs(palette.geometry().center().x() - fixture.window->rect().center().x()) <= 1);
    QVERIFY(palette.y() > 20 && palette.y() < 80);
    QVERIFY(palette.shown().contains("Compare"));
    QTest::keyClick(&palette.field(), Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
    QTRY_VERIFY(fixture.window->compare_page().table().hasFocus());
    // Also from a text field, which has its own meaning of the key.
    auto* text = fixture.child<QComboBox>("batch_box")->lineEdit();
    text->setFocus();
    QTest::keyClick(text, Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(palette.isVisible());
    QTest::mouseClick(fixture.window->centralWidget(), Qt::LeftButton, {}, {5, 5});  // elsewhere
    QVERIFY(!palette.isVisible());
    fixture.child<QPushButton>("palette_button")->click();
    QVERIFY(palette.isVisible());
    fixture.window->grab().save(pictures_folder() + "palette.png");
  }

  void every_action_of_the_menus_is_there() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    open_with_keys(fixture);
    const QStringList all = found(fixture, ">");
    for (const char* text : {"Save", "Undo", "Charts side by side", "Export: Report…", "Launch", "Reset layout",
                             "Lanes: Move the lane up", "Align: Align left", "User guide", "Add a flag"})
      QVERIFY2(
          std::ranges::any_of(all, [&](const QString& entry) { return entry.startsWith(QString::fromUtf8(text)); }),
          qPrintable(QString::fromUtf8(text) + QStringLiteral(" in: ") + all.join(QStringLiteral("; "))));
    QVERIFY(!all.contains("BERT-48"));
    QVERIFY(all.size() > 80);
  }

  void enter_runs_what_is_chosen() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    open_with_keys(fixture);
    QCOMPARE(found(fixture, "overview strip").value(0), "Overview strip  ✓");
    const bool before = fixture.action("action_overview")->isChecked();
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return);
    QVERIFY(!palette_of(fixture).isVisible());
    QCOMPARE(fixture.action("action_overview")->isChecked(), !before);
    // It is remembered, and offered first.
    open_with_keys(fixture);
    QVERIFY(palette_of(fixture).shown().value(0).startsWith("Overview strip"));
    // Down and Up go round; Ctrl+Enter stays.
    found(fixture, "side by side");
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Up);
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Down);
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(palette_of(fixture).isVisible() && palette_of(fixture).field().hasFocus());
    QVERIFY(fixture.action("action_side_by_side")->isChecked());
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!fixture.action("action_side_by_side")->isChecked());
  }

  void a_disabled_action_says_why() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    open_with_keys(fixture);
    found(fixture, ">launch");
    ui::palette::Palette& palette = palette_of(fixture);
    const auto shown = [&] {
      for (int row = 0; row < palette.list().model()->rowCount(); ++row) {
        const QModelIndex index = palette.list().model()->index(row, 0);
        if (index.data().toString() == "Launch") return index.data(Qt::UserRole).toString();
      }
      return QString();
    };
    QVERIFY(!fixture.action("action_launch")->isEnabled());  // BERT-48 is only a profile
    QCOMPARE(shown(), fixture.action("action_launch")->toolTip());
    QVERIFY2(shown().contains("BERT-48"), qPrintable(shown()));
    found(fixture, ">redo");
    QTest::keyClick(&palette.field(), Qt::Key_Return);
    QVERIFY(palette.isVisible());  // nothing was run
  }

  void plans_models_clusters_and_operations_are_found() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const session::project::PlanEntry& last = fixture.state().plans.back();
    open_with_keys(fixture);
    const QStringList plans = found(fixture, "@" + QString::fromStdString(last.plan->name));
    QVERIFY(plans.contains(QString::fromStdString(last.plan->name)));
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return);
    QCOMPARE(
        QString::fromStdString(session::project::find_plan(fixture.state(), fixture.state().selected_plan)->plan->name),
        plans.value(0));
    open_with_keys(fixture);
    QVERIFY(found(fixture, "vgg16").value(0).startsWith("vgg", Qt::CaseInsensitive));
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return);
    QVERIFY(fixture.settle());
    const auto* profile = session::project::find_profile(fixture.state(), fixture.state().question.profile);
    QVERIFY(QString::fromStdString(profile->profile->name).startsWith("vgg", Qt::CaseInsensitive));
    fixture.session().undo();
    open_with_keys(fixture);
    const QStringList operations = found(fixture, "#B 1");
    QVERIFY(operations.value(0).contains("B 1") && operations.size() > 2);
    QVERIFY2(operations[1].startsWith("backward · micro-batch 1"), qPrintable(operations[1]));
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Down);
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return);
    QVERIFY(fixture.window->compare_page().charts().link().selection());
    QCOMPARE(fixture.window->compare_page().charts().link().selection()->operation.micro_batch, 1);
    open_with_keys(fixture);
    found(fixture, "#B 1");
    QTest::keyClick(&palette_of(fixture).field(), Qt::Key_Return);
    QVERIFY(fixture.window->compare_page().charts().search().isVisible());
    open_with_keys(fixture);
    found(fixture, "#forwerd");
    QVERIFY(palette_of(fixture).list().model()->rowCount() == 2);
    QCOMPARE(found(fixture, "zzzzqqq"), QStringList());
  }

  void a_click_runs_a_line() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    open_with_keys(fixture);
    found(fixture, ">topology");
    QListView& list = palette_of(fixture).list();
    const QModelIndex line = list.model()->index(1, 0);
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(line).center());
    QVERIFY(!palette_of(fixture).isVisible());
    QCOMPARE(fixture.window->page(), ui::window::Page::topology);
  }
};

PIPEDECK_WINDOW_TEST(TestCommandPalette)

}  // namespace pipedeck::tst_command_palette

#include "tst_command_palette.moc"
