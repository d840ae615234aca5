// SPDX-License-Identifier: GPL-3.0-or-later
// The split editor in the real window: every gesture and field is followed by charts and figures, is one named step,
// and undo gives the project's bytes back.
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include "app/session/project/content.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/split/editor.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_split_editing {

using namespace pipedeck::test;

/// The contents of the project file about plans, profiles, clusters.
std::vector<store::StoredDocument> documents(const session::Session& session) {
  return session::project::content_of(session.state()).documents;
}

class TestSplitEditing : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<WindowFixture> fixture_;

  ui::pages::ComparePage& page() const { return fixture_->window->compare_page(); }
  views::split::Editor& split() const { return page().split(); }
  session::Session& session() const { return fixture_->session(); }
  const Plan& plan() const {
    return *session::project::find_plan(session().state(), session().state().selected_plan)->plan;
  }

  /// Does something once: one step of that name, and undo takes the very bytes back.
  void one_step(const std::function<void()>& edit, const QString& name) {
    const auto before = documents(session());
    const int selected = session().state().selected_plan;
    const std::size_t steps = session().undo_steps();
    edit();
    QVERIFY2(session().undo_steps() == steps + 1, qPrintable(name + ": " + split().message()));
    QCOMPARE(session().undo_name(), name);
    const auto after = documents(session());
    QVERIFY(after != before);
    session().undo();
    QVERIFY2(documents(session()) == before, qPrintable(name));
    QCOMPARE(session().state().selected_plan, selected);
    session().redo();
    QVERIFY2(documents(session()) == after, qPrintable(name));
    QVERIFY(fixture_->settle());
    QTRY_VERIFY2(page().row(session().state().selected_plan)->simulation, qPrintable(name));
    QCOMPARE(split().draft().original(), plan());
  }
  void drag(const QPoint& from, const QPoint& to) {
    QTest::mousePress(&split(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 6; ++step) QTest::mouseMove(&split(), from + (to - from) * step / 6);
    QTest::mouseRelease(&split(), Qt::LeftButton, {}, to);
  }
  QPoint caption(std::size_t stage) const {
    const QRectF& column = split().layout_now().columns[stage];
    return QPointF(column.right() - 6, split().layout_now().areas.captions.center().y()).toPoint();
  }

 private slots:
  void init() {
    fixture_ = std::make_unique<WindowFixture>();
    QVERIFY(fixture_->open_sample());
    QCOMPARE(plan().stages.size(), std::size_t{2});
  }

  void each_gesture_is_one_step() {
    const int old = plan().stages[1].first;
    const std::string layer =
        fixture_->state().profiles.front().profile->layers[static_cast<std::size_t>(old) - 3].name;
    split().setFocus();
    one_step(
        [&] {
          split().set_focused({models::split::Part::cut, 1, 0, {}});
          for (int key : {Qt::Key_Left, Qt::Key_Left, Qt::Key_Left, Qt::Key_Return})
            QTest::keyClick(&split(), static_cast<Qt::Key>(key));
        },
        QStringLiteral("Move cut before %1").arg(QString::fromStdString(layer)));
    QCOMPARE(plan().stages[1].first, old - 3);
    one_step([&] { drag(split().chip_position(DeviceId(3)), caption(1)); }, "Move G3 to stage 1");
    QCOMPARE(plan().stages[1].devices.size(), std::size_t{9});
    one_step([&] { drag(split().chip_position(DeviceId(3)), split().layout_now().areas.tray.center().toPoint()); },
             "Leave out G3");
    one_step([&] { drag(split().chip_position(DeviceId(3)), caption(0)); }, "Move G3 to stage 0");
    one_step(
        [&] {
          split().set_focused({models::split::Part::stage, 0, 4, {}});
          QTest::keyClick(&split(), Qt::Key_R);
          QTest::keyClick(&split(), Qt::Key_Return);
        },
        "Recompute stage 0");
    one_step(
        [&] {
          split().set_focused({models::split::Part::stage, 0, 4, {}});
          QTest::keyClick(&split(), Qt::Key_S);
          QTest::keyClick(&split(), Qt::Key_Return);
        },
        QStringLiteral("Split stage 0 before %1")
            .arg(QString::fromStdString(fixture_->state().profiles.front().profile->layers[4].name)));
    one_step([&] { drag(split().handle_position(1), split().handle_position(2) + QPoint(2, 0)); },
             "Merge stages 0 and 1");
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join('\n')));
  }

  void each_field_is_one_step() {
    auto* first = fixture_->child<QSpinBox>("first_layer_box");
    auto* stage = fixture_->child<QSpinBox>("stage_box");
    auto* replicas = fixture_->child<QSpinBox>("replicas_box");
    auto* shares = fixture_->child<QLineEdit>("shares_edit");
    auto* recompute = fixture_->child<QComboBox>("recompute_box");
    auto* micro_batch = page().findChild<QComboBox*>("micro_batch_box");
    stage->setValue(1);
    QCOMPARE(split().selected_stage(), 1);
    one_step([&] { first->setValue(plan().stages[1].first + 2); }, "Move cut before block_29");
    one_step([&] { replicas->setValue(6); }, "Replicas of stage 1: 6");
    QCOMPARE(stage->value(), 1);
    one_step(
        [&] {
          shares->setFocus();
          shares->selectAll();
          QTest::keyClicks(shares, "6,2,2,2,2,2");
          QTest::keyClick(shares, Qt::Key_Return);
        },
        "Shares of stage 1");
    QCOMPARE(*plan().stages[1].samples_per_replica, (std::vector<int>{6, 2, 2, 2, 2, 2}));
    one_step(
        [&] {
          recompute->setCurrentIndex(1);
          emit recompute->activated(1);
        },
        "Recompute stage 1");
    one_step(
        [&] {
          micro_batch->setFocus();
          micro_batch->lineEdit()->selectAll();
          QTest::keyClicks(micro_batch->lineEdit(), "32");
          QTest::keyClick(micro_batch->lineEdit(), Qt::Key_Return);
        },
        "Micro-batch of 32");
    QCOMPARE(plan().micro_batches, 2);
    stage->setValue(0);
    const std::size_t stages = plan().stages.size(), steps = session().undo_steps();
    fixture_->child<QToolButton>("split_stage_button")->click();
    QCOMPARE(plan().stages.size(), stages + 1);
    fixture_->child<QToolButton>("merge_stage_button")->click();
    QCOMPARE(plan().stages.size(), stages);
    QCOMPARE(session().undo_steps(), steps + 2);
    QVERIFY(!fixture_->child<QComboBox>("tensor_parallel_box")->isEnabled());
    QVERIFY(fixture_->child<QComboBox>("tensor_parallel_box")->toolTip().contains("no tensor-parallel times"));
  }

  void what_can_not_be_is_said_and_changes_nothing() {
    const std::size_t steps = session().undo_steps();
    auto* micro_batch = page().findChild<QComboBox*>("micro_batch_box");
    micro_batch->setFocus();
    micro_batch->lineEdit()->selectAll();
    QTest::keyClicks(micro_batch->lineEdit(), "7");
    QTest::keyClick(micro_batch->lineEdit(), Qt::Key_Return);
    QVERIFY2(split().message().contains("does not divide"), qPrintable(split().message()));
    QCOMPARE(micro_batch->currentText(), QString("16"));
    auto* replicas = fixture_->child<QSpinBox>("replicas_box");
    replicas->setValue(12);
    QVERIFY2(split().message().contains("spare"), qPrintable(split().message()));
    QCOMPARE(replicas->value(), 8);
    QCOMPARE(session().undo_steps(), steps);
  }

  /// The edited plan takes the place of its parent: what is under the mouse stays there.
  void an_edit_moves_nothing() {
    const auto top = [&](const QWidget& part) { return part.mapTo(fixture_->window.get(), QPoint(0, 0)).y(); };
    const auto chart = [&] { return top(*page().charts().panel(session().state().selected_plan)); };
    const int parent = session().state().selected_plan;
    const int editor = top(split()), height = page().table().height(), charts = chart();
    drag(split().handle_position(1), split().handle_position(1) + QPoint(60, 0));
    QVERIFY(session().state().selected_plan != parent);
    QVERIFY(fixture_->settle());
    QTRY_VERIFY(page().row(session().state().selected_plan)->simulation);
    QCoreApplication::processEvents();
    QCOMPARE(top(split()), editor);
    QCOMPARE(page().table().height(), height);
    QCOMPARE(chart(), charts);
    session().undo();
    QVERIFY(fixture_->settle());
    QCoreApplication::processEvents();
    QCOMPARE(session().state().selected_plan, parent);
    QCOMPARE(top(split()), editor);
    QCOMPARE(chart(), charts);
  }

  void a_dragged_device_is_followed_and_put_back() {
    const int id = session().state().selected_plan;
    const std::int64_t before = page().row(id)->simulation->iteration.count;
    const auto bytes = documents(session());
    const QPoint from = split().chip_position(DeviceId(3));
    QTest::mousePress(&split(), Qt::LeftButton, {}, from);
    QTest::mouseMove(&split(), from + QPoint(9, 0));
    QTest::mouseMove(&split(), caption(1));
    QTRY_VERIFY(!session().live().busy() && page().row(id)->plan.stages[1].devices.size() == 9);
    QVERIFY(page().row(id)->simulation->iteration.count != before);
    QTRY_COMPARE(page().charts().panel(id)->row().simulation, page().row(id)->simulation);
    QVERIFY(split().caption(1).contains("stage 1"));
    QTest::keyClick(&split(), Qt::Key_Escape);
    QTest::mouseRelease(&split(), Qt::LeftButton, {}, caption(1));
    QCOMPARE(page().row(id)->simulation->iteration.count, before);
    QVERIFY(documents(session()) == bytes);
  }
};

PIPEDECK_WINDOW_TEST(TestSplitEditing)

}  // namespace pipedeck::tst_split_editing

#include "tst_split_editing.moc"
