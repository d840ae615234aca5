// SPDX-License-Identifier: GPL-3.0-or-later
// The split editor besides cuts and devices: stages and layers, its messages, its zoom, and the events that it leaves
// to the window.
#include <QAccessible>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>

#include "tests/app/views/split/split_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_split_editor {

using namespace pipedeck::test;

class TestSplitEditor : public SplitFixture {
  Q_OBJECT

 private slots:
  void init() { show({0, 24}); }

  // -- stages and layers
  void a_double_click_splits();
  void control_click_recomputes_a_layer();
  void stages_by_keyboard();
  void tab_goes_through_everything();
  void every_item_is_an_accessible_child();
  void a_menu_does_the_same();

  // -- messages and captions
  void captions_tell_layers_time_and_what_is_too_much();
  void captions_always_fit();
  void what_is_not_possible_is_said();
  void figures_of_the_plan_under_the_hand();
  void the_strip_zooms_and_scrolls();
  void the_first_press_on_a_zoomed_strip_grabs_what_is_there();
  void shortcuts_of_the_window_wait();
  void a_new_plan_ends_a_drag_silently();
  void without_a_plan_nothing_can_be_dragged();
};

void TestSplitEditor::a_double_click_splits() {
  QTest::mouseDClick(editor_.get(), Qt::LeftButton, {}, layer_position(10) - QPoint(4, 0));
  QCOMPARE(edit(), plan::PlanEdit(plan::SplitStage{0, 10}));
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 10, 24}));
  QCOMPARE(editor_->layout_now().columns.size(), std::size_t{3});
}

void TestSplitEditor::control_click_recomputes_a_layer() {
  QTest::mouseClick(editor_.get(), Qt::LeftButton, Qt::ControlModifier, layer_position(30));
  QCOMPARE(edit(), plan::PlanEdit(plan::SetLayerRecompute{30, true}));
  QVERIFY(editor_->item_text({models::split::Part::stage, 1, 0, {}}).contains("partly recomputed"));
  QTest::mouseClick(editor_.get(), Qt::LeftButton, Qt::ControlModifier, layer_position(30));
  QCOMPARE(edit(), plan::PlanEdit(plan::SetLayerRecompute{30, false}));
}

void TestSplitEditor::stages_by_keyboard() {
  editor_->setFocus();
  editor_->set_focused({models::split::Part::stage, 0, 22, {}});
  key(Qt::Key_Right);
  key(Qt::Key_Right);
  QCOMPARE(*editor_->focused(), (models::split::Item{models::split::Part::stage, 1, 24, {}}));
  QCOMPARE(editor_->selected_stage(), 1);
  key(Qt::Key_Right, Qt::ShiftModifier);
  key(Qt::Key_S);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 24, 29}));
  key(Qt::Key_Return);
  QCOMPARE(edit(), plan::PlanEdit(plan::SplitStage{1, 29}));
  key(Qt::Key_Left, Qt::ControlModifier);
  QCOMPARE(editor_->focused()->stage, 0);
  key(Qt::Key_Minus);
  key(Qt::Key_Minus);
  QCOMPARE(on(plan(), 0).size(), std::size_t{6});
  key(Qt::Key_Return);
  QCOMPARE(edit(), plan::PlanEdit(plan::SetReplicas{0, 6}));
  key(Qt::Key_Plus);
  QCOMPARE(on(plan(), 0).size(), std::size_t{7});
  key(Qt::Key_Escape);
  key(Qt::Key_R);
  QVERIFY(plan().stages[0].recompute.all);
  key(Qt::Key_Return);
  QCOMPARE(edit(), plan::PlanEdit(plan::SetStageRecompute{0, {true, {}}}));
  key(Qt::Key_R, Qt::ShiftModifier);
  QCOMPARE(plan().stages[0].recompute.layers.size(), std::size_t{23});
  key(Qt::Key_Escape);
  key(Qt::Key_T);
  QVERIFY(editor_->message().contains("no tensor-parallel times"));
  key(Qt::Key_Delete);
  QCOMPARE(plan().stages.size(), std::size_t{2});
  key(Qt::Key_Return);
  QCOMPARE(edit(), plan::PlanEdit(plan::MergeStages{0}));
}

void TestSplitEditor::tab_goes_through_everything() {
  show({0, 13, 25, 38});
  editor_->setFocus(Qt::TabFocusReason);
  const std::vector<models::split::Item> items = editor_->items();
  QCOMPARE(items.size(), std::size_t{3 + 4 + 16});
  for (std::size_t i = 0; i < items.size(); ++i) {
    QCOMPARE(*editor_->focused(), items[i]);
    QVERIFY(!editor_->item_text(items[i]).isEmpty());
    QVERIFY(editor_->rect().contains(editor_->item_rect(items[i]).toAlignedRect()));
    QVERIFY(editor_->accessibleDescription().contains(editor_->item_text(items[i])));
    if (i + 1 < items.size()) key(Qt::Key_Tab);
  }
  key(Qt::Key_Backtab, Qt::ShiftModifier);
  QCOMPARE(*editor_->focused(), items[items.size() - 2]);
  key(Qt::Key_Up);
  QCOMPARE(editor_->focused()->part, models::split::Part::stage);
  key(Qt::Key_Up);
  QCOMPARE(editor_->focused()->part, models::split::Part::cut);
  key(Qt::Key_Down);
  key(Qt::Key_Down);
  QCOMPARE(editor_->focused()->part, models::split::Part::chip);
}

void TestSplitEditor::every_item_is_an_accessible_child() {
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(editor_.get());
  const std::vector<models::split::Item> items = editor_->items();
  QCOMPARE(list->childCount(), static_cast<int>(items.size()));
  editor_->setFocus();
  editor_->set_focused(items[3]);
  for (int i = 0; i < list->childCount(); ++i) {
    QAccessibleInterface* child = list->child(i);
    QVERIFY(child->isValid() && child->parent() == list && list->indexOfChild(child) == i);
    QCOMPARE(child->text(QAccessible::Name), editor_->item_text(items[static_cast<std::size_t>(i)]));
    QCOMPARE(bool(child->state().focused), i == 3);
    const QPoint centre = child->rect().center();
    QVERIFY(list->childAt(centre.x(), centre.y()));
  }
  QAccessibleInterface* last = list->child(list->childCount() - 1);
  editor_->clear();
  QCOMPARE(list->childCount(), 0);
  QVERIFY(!last->isValid() && last->text(QAccessible::Name).isEmpty());
}

void TestSplitEditor::a_menu_does_the_same() {
  const auto menu_at = [&](const QPoint& at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, editor_->mapToGlobal(at));
    QCoreApplication::sendEvent(editor_.get(), &event);
    return editor_->findChild<QMenu*>("split_menu");
  };
  const auto trigger = [&](QMenu* menu, const char* name) {
    auto* action = menu->findChild<QAction*>(name);
    QVERIFY2(action && action->isEnabled(), name);
    action->trigger();
    menu->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  };
  trigger(menu_at(layer_position(10)), "split_recompute_all");
  QCOMPARE(edit(), plan::PlanEdit(plan::SetStageRecompute{0, {true, {}}}));
  trigger(menu_at(layer_position(10)), "split_stage");
  QCOMPARE(edit(), plan::PlanEdit(plan::SplitStage{0, 10}));
  trigger(menu_at(editor_->handle_position(1)), "split_merge");
  QCOMPARE(edit(), plan::PlanEdit(plan::MergeStages{0}));
  trigger(menu_at(editor_->chip_position(DeviceId(3))), "split_take_out");
  QCOMPARE(on(plan(), 0).size(), std::size_t{7});
  trigger(menu_at(editor_->chip_position(DeviceId(3))), "split_move_to_stage");
  QCOMPARE(on(plan(), 0).size(), std::size_t{8});
  QMenu* menu = menu_at(layer_position(40));
  QVERIFY(menu->findChild<QAction*>("split_more_replicas"));
  QVERIFY(!menu->findChild<QAction*>("split_more_replicas")->isEnabled());  // no device is spare
  menu->close();
}

void TestSplitEditor::captions_tell_layers_time_and_what_is_too_much() {
  const QString first = samples::plain(editor_->caption(0));
  QVERIFY2(first.startsWith("stage 0 · layers 0–23 · ") && first.endsWith(" · 11 GiB"), qPrintable(first));
  QVERIFY(editor_->accessibleDescription().contains("stage 1 · layers 24–49"));
  show(samples::plan("p", {0, 24}), 1200, 17.5);
  QVERIFY2(samples::plain(editor_->caption(0)).endsWith("G0 1.50 GiB above its memory"),
           qPrintable(editor_->caption(0)));
  QCOMPARE(samples::plain(editor_->message()), QString("G0 (stage 0): 1.50 GiB more than its 16 GiB"));
}

void TestSplitEditor::captions_always_fit() {
  for (int width = 320; width < 1400; width += 37) {
    show({0, 4, 8, 12, 16, 20, 24, 27, 30, 33, 36, 39, 42, 44, 46, 48}, width);
    for (int stage = 0; stage < 16; ++stage) {
      const double room = editor_->layout_now().columns[static_cast<std::size_t>(stage)].width();
      QVERIFY(QFontMetricsF(editor_->font()).horizontalAdvance(editor_->caption(stage)) <= room);
    }
  }
}

void TestSplitEditor::what_is_not_possible_is_said() {
  editor_->apply(plan::SetMicroBatch{7});
  QVERIFY(editor_->message().contains("does not divide"));
  QCOMPARE(refused_->count(), 1);
  QVERIFY(editor_->accessibleDescription().contains("does not divide"));
  editor_->setFocus();
  editor_->set_focused({models::split::Part::stage, 0, 0, {}});
  key(Qt::Key_Plus);
  QVERIFY2(editor_->message().contains("none is spare"), qPrintable(editor_->message()));
  key(Qt::Key_Escape);
  QVERIFY(editor_->message().isEmpty());
}

void TestSplitEditor::figures_of_the_plan_under_the_hand() {
  press(editor_->handle_position(1));
  move(editor_->handle_position(1) + QPoint(60, 0));
  editor_->show_preview(plan(), samples::simulation(plan(), 800, 17.5), {});
  QVERIFY(editor_->message().contains("more than its"));
  editor_->show_preview(plan(), nullptr, "no schedule");
  QCOMPARE(editor_->message(), QString("no schedule"));
  // An answer for a plan of other stages is ignored.
  editor_->show_preview(samples::plan("q", {0, 10, 20, 30}), nullptr, "overtaken");
  QCOMPARE(editor_->message(), QString("no schedule"));
}

void TestSplitEditor::the_strip_zooms_and_scrolls() {
  auto* scroll = editor_->findChild<QScrollBar*>("split_scroll");
  QVERIFY(!scroll->isVisible());
  const QPoint at = layer_position(30);
  for (int turn = 0; turn < 8; ++turn) wheel(120, at, Qt::ControlModifier);
  QVERIFY(scroll->isVisible() && !editor_->window_now().whole());
  QVERIFY(std::abs(layer_position(30).x() - at.x()) < 30);
  const QPoint from = editor_->chip_position(DeviceId(9));
  QVERIFY(!editor_->rect().contains(editor_->handle_position(1)) || from.x() > 0);
  const double begin = editor_->window_now().begin;
  wheel(120, at, {});
  QVERIFY(editor_->window_now().begin < begin);
  scroll->setValue(scroll->maximum());
  QVERIFY(std::abs(editor_->window_now().end - 1) < 1e-3);
  editor_->setFocus();
  editor_->set_focused({models::split::Part::cut, 1, 0, {}});  // comes into view
  QVERIFY(editor_->rect().contains(editor_->handle_position(1)));
  key(Qt::Key_F);
  QVERIFY(editor_->window_now().whole() && !scroll->isVisible());
  key(Qt::Key_Plus, Qt::ControlModifier);
  QVERIFY(!editor_->window_now().whole());
}

void TestSplitEditor::the_first_press_on_a_zoomed_strip_grabs_what_is_there() {
  QWidget window;
  auto* focused = new QLineEdit(&window);
  editor_ = std::make_unique<views::split::Editor>(&window);
  const Plan plan = samples::plan("p", {0, 24});
  editor_->set_plan(profile_, cluster_, plan, samples::simulation(plan, 735, 11));
  editor_->resize(1200, editor_->sizeHint().height());
  window.show();
  window.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  focused->setFocus();
  const QPointF at = editor_->handle_position(1);
  for (int turn = 0; turn < 8; ++turn) wheel(120, at, Qt::ControlModifier);
  const models::split::Window before = editor_->window_now();
  QVERIFY(before.begin > 0 && !editor_->hasFocus());
  const QPoint handle = editor_->handle_position(1);
  press(handle);
  QVERIFY(editor_->hasFocus());
  QCOMPARE(editor_->window_now(), before);
  move(QPointF(editor_->layout_now().strip.x_of(26), handle.y()).toPoint());
  QCOMPARE(editor_->draft().shown().stages[1].first, 26);
  editor_.reset();  // before its parent
}

void TestSplitEditor::shortcuts_of_the_window_wait() {
  editor_->setFocus();
  editor_->set_focused({models::split::Part::cut, 1, 0, {}});
  for (const auto& [code, taken] :
       {std::pair{Qt::Key_Delete, true}, {Qt::Key_R, true}, {Qt::Key_P, false}, {Qt::Key_Escape, false}}) {
    QKeyEvent event(QEvent::ShortcutOverride, code, Qt::NoModifier);
    event.ignore();
    QCoreApplication::sendEvent(editor_.get(), &event);
    QCOMPARE(event.isAccepted(), taken);
  }
}

void TestSplitEditor::a_new_plan_ends_a_drag_silently() {
  const QPoint from = editor_->handle_position(1);
  press(from);
  move(from + QPoint(60, 0));
  editor_->set_plan(profile_, cluster_, samples::plan("q", {0, 30}), nullptr);
  QVERIFY(!editor_->dragging());
  release(from);
  QCOMPARE(committed_->count() + cancelled_->count(), 0);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 30}));
}

void TestSplitEditor::without_a_plan_nothing_can_be_dragged() {
  editor_->clear();
  press(QPoint(300, 50));
  move(QPoint(350, 50));
  release(QPoint(350, 50));
  for (int code : {Qt::Key_Left, Qt::Key_R, Qt::Key_Delete, Qt::Key_Return, Qt::Key_Tab}) key(code);
  QCOMPARE(preview_->count() + committed_->count() + cancelled_->count(), 0);
}

PIPEDECK_WINDOW_TEST(TestSplitEditor)

}  // namespace pipedeck::tst_split_editor

#include "tst_split_editor.moc"
