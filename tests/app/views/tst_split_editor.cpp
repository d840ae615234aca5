// SPDX-License-Identifier: GPL-3.0-or-later
// The split editor by mouse and by key: each gesture previews, is kept in one step, or put back.
#include "app/views/split_editor.hpp"

#include <QAccessible>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/app/models/samples.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

namespace {

std::vector<std::int32_t> on(const Plan& plan, std::size_t stage) {
  std::vector<std::int32_t> numbers;
  for (DeviceId device : plan.stages[stage].devices) numbers.push_back(device.value);
  return numbers;
}

using Numbers = std::vector<std::int32_t>;

}  // namespace

class TestSplitEditor : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<const Profile> profile_ = std::make_shared<const Profile>(samples::profile());
  std::shared_ptr<const Cluster> cluster_ = std::make_shared<const Cluster>(samples::cluster());
  std::unique_ptr<SplitEditor> editor_;
  std::unique_ptr<QSignalSpy> preview_, committed_, cancelled_, refused_;

  void show(const Plan& plan, int width = 1200, double peak_gib = 11) {
    editor_ = std::make_unique<SplitEditor>();
    editor_->set_plan(profile_, cluster_, plan, samples::simulation(plan, 735, peak_gib));
    editor_->resize(width, editor_->sizeHint().height());
    editor_->show();
    editor_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(editor_.get()));
    preview_ = std::make_unique<QSignalSpy>(editor_.get(), &SplitEditor::preview);
    committed_ = std::make_unique<QSignalSpy>(editor_.get(), &SplitEditor::committed);
    cancelled_ = std::make_unique<QSignalSpy>(editor_.get(), &SplitEditor::cancelled);
    refused_ = std::make_unique<QSignalSpy>(editor_.get(), &SplitEditor::refused);
  }
  void show(const std::vector<int>& firsts, int width = 1200) { show(samples::plan("p", firsts), width); }

  void press(const QPoint& at, Qt::KeyboardModifiers keys = {}) {
    QTest::mousePress(editor_.get(), Qt::LeftButton, keys, at);
  }
  void move(const QPoint& at) { QTest::mouseMove(editor_.get(), at); }
  void release(const QPoint& at) { QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, at); }
  void drag(const QPoint& from, const QPoint& to) {
    press(from);
    for (int step = 1; step <= 8; ++step) move(from + (to - from) * step / 8);
    release(to);
  }
  void key(int code, Qt::KeyboardModifiers keys = {}) {
    QTest::keyClick(editor_.get(), static_cast<Qt::Key>(code), keys);
  }
  const Plan& plan() const { return editor_->draft().shown(); }
  PlanEdit edit() const { return committed_->back().front().value<PlanEdit>(); }
  QPoint layer_position(int layer) const {
    const SplitLayout& layout = editor_->layout_now();
    return QPointF((layout.strip.x_of(layer) + layout.strip.x_of(layer + 1)) / 2, layout.areas.strip.bottom() - 5)
        .toPoint();
  }
  QPoint tray() const { return editor_->layout_now().areas.tray.center().toPoint(); }
  QPoint column(std::size_t stage) const {
    const QRectF& column = editor_->layout_now().columns[stage];
    return QPointF(column.right() - 8, editor_->layout_now().areas.captions.center().y()).toPoint();
  }
  void wheel(int turn, const QPointF& at, Qt::KeyboardModifiers keys) {
    QWheelEvent event(at, editor_->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(editor_.get(), &event);
  }

 private slots:
  void init() { show({0, 24}); }

  // -- cuts
  void a_drag_previews_and_commits_once();
  void the_cut_follows_the_pointer_at_every_width();
  void escape_puts_the_cut_back();
  void let_go_at_the_old_place_changes_nothing();
  void a_cut_never_passes_its_neighbour();
  void a_cut_on_its_neighbour_merges_two_stages();
  void cuts_by_keyboard();
  void escape_after_keys_restores();
  void going_on_keeps_what_was_tried();

  // -- devices
  void a_chip_goes_to_another_stage();
  void a_chip_goes_to_the_tray_and_back();
  void a_chip_changes_its_place_in_the_stage();
  void two_chips_trade_places();
  void escape_puts_a_chip_back();
  void a_stage_can_not_lose_its_last_device();
  void let_go_nowhere_a_chip_stays();
  void a_click_on_a_chip_is_no_drag();
  void chips_by_keyboard();

  // -- stages and layers
  void a_double_click_splits();
  void control_click_recomputes_a_layer();
  void stages_by_keyboard();
  void tab_goes_through_everything();
  void every_item_is_an_accessible_child();
  void a_menu_does_the_same();

  // -- what is said and shown
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

void TestSplitEditor::a_drag_previews_and_commits_once() {
  const QPoint from = editor_->handle_position(1);
  press(from);
  QVERIFY(editor_->dragging());
  for (int dx = 4; dx <= 60; dx += 4) move(from + QPoint(dx, 0));
  const Firsts while_dragging = editor_->firsts();
  QVERIFY(while_dragging[1] > 24);
  QCOMPARE(preview_->count(), while_dragging[1] - 24);  // one for each layer passed, none for moves within one
  QCOMPARE(committed_->count(), 0);
  release(from + QPoint(60, 0));
  QCOMPARE(committed_->count(), 1);
  QCOMPARE(edit(), PlanEdit(CutMove{1, while_dragging[1]}));
  QCOMPARE(cancelled_->count(), 0);
  QVERIFY(!editor_->dragging());
}

void TestSplitEditor::the_cut_follows_the_pointer_at_every_width() {
  for (int width : {400, 777, 1280, 1920}) {
    show({0, 13, 25, 38}, width);
    for (int stage : {1, 2, 3}) {
      const QPoint from = editor_->handle_position(stage);
      press(from);
      move(from + QPoint(width / 15, 0));
      const int off = std::abs(editor_->handle_position(stage).x() - (from.x() + width / 15));
      QVERIFY2(off <= width / 50 / 2 + 3, qPrintable(QString::number(off)));
      release(from + QPoint(width / 15, 0));
    }
  }
}

void TestSplitEditor::escape_puts_the_cut_back() {
  const QString before = editor_->caption(0);
  const QPoint from = editor_->handle_position(1);
  press(from);
  move(from + QPoint(80, 0));
  editor_->show_preview(plan(), samples::simulation(plan(), 900, 12), {});
  key(Qt::Key_Escape);
  QCOMPARE(editor_->caption(0), before);
  QCOMPARE(editor_->firsts(), (Firsts{0, 24}));
  QCOMPARE(cancelled_->count(), 1);
  release(from + QPoint(80, 0));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitEditor::let_go_at_the_old_place_changes_nothing() {
  const QPoint from = editor_->handle_position(1);
  press(from);
  move(from + QPoint(60, 0));
  move(from);
  release(from);
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitEditor::a_cut_never_passes_its_neighbour() {
  show({0, 13, 25, 38});
  const QPoint from = editor_->handle_position(2);
  press(from);
  move(QPoint(editor_->width() + 300, from.y()));
  QCOMPARE(editor_->firsts(), (Firsts{0, 13, 37, 38}));
  move(QPoint(-300, from.y()));
  QCOMPARE(editor_->firsts(), (Firsts{0, 13, 14, 38}));
}

void TestSplitEditor::a_cut_on_its_neighbour_merges_two_stages() {
  show({0, 13, 25, 38});
  const QPoint from = editor_->handle_position(2), neighbour = editor_->handle_position(1);
  press(from);
  move(neighbour + QPoint(2, 0));
  QCOMPARE(editor_->firsts(), (Firsts{0, 13, 38}));
  QCOMPARE(plan().stages[1].devices.size(), std::size_t{8});
  move(neighbour + QPoint(60, 0));  // and away again
  QCOMPARE(editor_->firsts().size(), std::size_t{4});
  move(neighbour + QPoint(2, 0));
  release(neighbour + QPoint(2, 0));
  QCOMPARE(edit(), PlanEdit(StageMerge{1}));
}

void TestSplitEditor::cuts_by_keyboard() {
  show({0, 13, 25, 38});
  editor_->setFocus(Qt::TabFocusReason);
  key(Qt::Key_Tab);  // from the first cut to the second
  key(Qt::Key_Right);
  key(Qt::Key_Right);
  key(Qt::Key_Left);
  QCOMPARE(editor_->firsts(), (Firsts{0, 13, 26, 38}));
  QCOMPARE(preview_->count(), 3);
  QVERIFY(editor_->message().contains("Enter"));
  key(Qt::Key_Return);
  QCOMPARE(committed_->count(), 1);
  QCOMPARE(edit(), PlanEdit(CutMove{2, 26}));
  key(Qt::Key_Left, Qt::ShiftModifier);
  QCOMPARE(editor_->firsts()[2], 21);
  key(Qt::Key_Home);
  QCOMPARE(editor_->firsts()[2], 14);
  key(Qt::Key_End);
  QCOMPARE(editor_->firsts()[2], 37);
  key(Qt::Key_Escape);
  key(Qt::Key_Delete);
  QCOMPARE(editor_->firsts(), (Firsts{0, 13, 38}));
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(StageMerge{1}));
}

void TestSplitEditor::escape_after_keys_restores() {
  editor_->setFocus(Qt::TabFocusReason);
  key(Qt::Key_Left);
  QCOMPARE(editor_->firsts(), (Firsts{0, 23}));
  key(Qt::Key_Escape);
  QCOMPARE(editor_->firsts(), (Firsts{0, 24}));
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitEditor::going_on_keeps_what_was_tried() {
  editor_->setFocus(Qt::TabFocusReason);
  key(Qt::Key_Left);
  key(Qt::Key_Tab);
  QCOMPARE(edit(), PlanEdit(CutMove{1, 23}));
  editor_->set_focused({SplitPart::cut, 1, 0, {}});
  key(Qt::Key_Left);
  editor_->clearFocus();
  QCOMPARE(edit(), PlanEdit(CutMove{1, 22}));
}

void TestSplitEditor::a_chip_goes_to_another_stage() {
  const QPoint from = editor_->chip_position(DeviceId(3));
  press(from);
  move(from + QPoint(2, 1));
  QCOMPARE(preview_->count(), 0);
  move(column(1));
  QCOMPARE(on(plan(), 0), (Numbers{0, 1, 2, 4, 5, 6, 7}));
  QCOMPARE(on(plan(), 1).back(), 3);
  QCOMPARE(preview_->count(), 1);
  move(column(1) - QPoint(3, 0));
  QCOMPARE(preview_->count(), 1);
  release(column(1));
  QCOMPARE(edit(), PlanEdit(DevicesMove{samples::devices(3, 1), 1, 8}));
}

void TestSplitEditor::a_chip_goes_to_the_tray_and_back() {
  drag(editor_->chip_position(DeviceId(3)), tray());
  QCOMPARE(edit(), PlanEdit(DevicesMove{samples::devices(3, 1), std::nullopt, std::nullopt}));
  QCOMPARE(on(plan(), 0).size(), std::size_t{7});
  QCOMPARE(editor_->item_text({SplitPart::chip, -1, 0, DeviceId(3)}), QString("G3, spare"));
  drag(editor_->chip_position(DeviceId(3)), column(1));
  QCOMPARE(on(plan(), 1).back(), 3);
}

void TestSplitEditor::a_chip_changes_its_place_in_the_stage() {
  drag(editor_->chip_position(DeviceId(2)), editor_->chip_position(DeviceId(0)) - QPoint(6, 0));
  QCOMPARE(on(plan(), 0), (Numbers{2, 0, 1, 3, 4, 5, 6, 7}));
  QCOMPARE(edit(), PlanEdit(DevicesMove{samples::devices(2, 1), 0, 0}));
}

void TestSplitEditor::two_chips_trade_places() {
  const QPoint from = editor_->chip_position(DeviceId(2)), to = editor_->chip_position(DeviceId(9));
  press(from);
  QMouseEvent half(QEvent::MouseMove, QPointF(from + QPoint(30, 0)), editor_->mapToGlobal(QPointF(from)), Qt::NoButton,
                   Qt::LeftButton, Qt::ControlModifier);
  QMouseEvent over(QEvent::MouseMove, QPointF(to), editor_->mapToGlobal(QPointF(to)), Qt::NoButton, Qt::LeftButton,
                   Qt::ControlModifier);
  QCoreApplication::sendEvent(editor_.get(), &half);
  QCoreApplication::sendEvent(editor_.get(), &over);
  QCOMPARE(on(plan(), 0)[2], 9);
  QCOMPARE(on(plan(), 1)[1], 2);
  QCoreApplication::sendEvent(editor_.get(), &over);  // it stays so, although the chips changed under the pointer
  QCOMPARE(on(plan(), 0)[2], 9);
  release(to);
  QCOMPARE(edit(), PlanEdit(DeviceSwap{DeviceId(2), DeviceId(9)}));
}

void TestSplitEditor::escape_puts_a_chip_back() {
  press(editor_->chip_position(DeviceId(3)));
  move(column(1));
  key(Qt::Key_Escape);
  release(column(1));
  QCOMPARE(plan(), samples::plan("p", {0, 24}));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitEditor::a_stage_can_not_lose_its_last_device() {
  Plan plan = samples::plan("p", {0, 24});
  plan.stages[0].devices = samples::devices(3, 1);
  show(plan);
  press(editor_->chip_position(DeviceId(3)));
  move(column(1) - QPoint(20, 0));
  move(column(1));
  QVERIFY2(editor_->message().contains("without a device"), qPrintable(editor_->message()));
  release(column(1));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(refused_->count(), 1);
  QCOMPARE(this->plan(), plan);
  QVERIFY(editor_->message().contains("without a device"));  // to be read in peace
  press(editor_->chip_position(DeviceId(8)));
  QVERIFY(!editor_->message().contains("without a device"));
}

void TestSplitEditor::let_go_nowhere_a_chip_stays() {
  drag(editor_->chip_position(DeviceId(3)), QPoint(600, 4));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(plan(), samples::plan("p", {0, 24}));
}

void TestSplitEditor::a_click_on_a_chip_is_no_drag() {
  QTest::mouseClick(editor_.get(), Qt::LeftButton, {}, editor_->chip_position(DeviceId(9)));
  QCOMPARE(preview_->count() + committed_->count(), 0);
  QCOMPARE(editor_->focused()->device, DeviceId(9));
  QCOMPARE(editor_->selected_stage(), 1);
}

void TestSplitEditor::chips_by_keyboard() {
  editor_->setFocus();
  editor_->set_focused({SplitPart::chip, 0, 0, DeviceId(3)});
  key(Qt::Key_Right);
  QCOMPARE(on(plan(), 1).back(), 3);
  key(Qt::Key_Right);  // on into the tray
  QCOMPARE(on(plan(), 1).size(), std::size_t{8});
  QCOMPARE(on(plan(), 0).size(), std::size_t{7});
  key(Qt::Key_Left);
  key(Qt::Key_Left);
  QCOMPARE(plan(), samples::plan("p", {0, 24}));
  key(Qt::Key_Right);
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(DevicesMove{samples::devices(3, 1), 1, 1 << 20}));
  QCOMPARE(editor_->focused()->stage, 1);
  key(Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(on(plan(), 1), (Numbers{8, 9, 10, 11, 12, 13, 14, 3, 15}));
  key(Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(on(plan(), 1), (Numbers{8, 9, 10, 11, 12, 13, 3, 14, 15}));
  key(Qt::Key_Escape);
  key(Qt::Key_Delete);
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(DevicesMove{samples::devices(3, 1), std::nullopt, std::nullopt}));
  QCOMPARE(editor_->focused()->stage, -1);
  key(Qt::Key_Left);
  QCOMPARE(on(plan(), 1).back(), 3);
}

void TestSplitEditor::a_double_click_splits() {
  QTest::mouseDClick(editor_.get(), Qt::LeftButton, {}, layer_position(10) - QPoint(4, 0));
  QCOMPARE(edit(), PlanEdit(StageSplit{0, 10}));
  QCOMPARE(editor_->firsts(), (Firsts{0, 10, 24}));
  QCOMPARE(editor_->layout_now().columns.size(), std::size_t{3});
}

void TestSplitEditor::control_click_recomputes_a_layer() {
  QTest::mouseClick(editor_.get(), Qt::LeftButton, Qt::ControlModifier, layer_position(30));
  QCOMPARE(edit(), PlanEdit(LayerRecompute{30, true}));
  QVERIFY(editor_->item_text({SplitPart::stage, 1, 0, {}}).contains("partly recomputed"));
  QTest::mouseClick(editor_.get(), Qt::LeftButton, Qt::ControlModifier, layer_position(30));
  QCOMPARE(edit(), PlanEdit(LayerRecompute{30, false}));
}

void TestSplitEditor::stages_by_keyboard() {
  editor_->setFocus();
  editor_->set_focused({SplitPart::stage, 0, 22, {}});
  key(Qt::Key_Right);
  key(Qt::Key_Right);
  QCOMPARE(*editor_->focused(), (SplitItem{SplitPart::stage, 1, 24, {}}));
  QCOMPARE(editor_->selected_stage(), 1);
  key(Qt::Key_Right, Qt::ShiftModifier);
  key(Qt::Key_S);
  QCOMPARE(editor_->firsts(), (Firsts{0, 24, 29}));
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(StageSplit{1, 29}));
  key(Qt::Key_Left, Qt::ControlModifier);
  QCOMPARE(editor_->focused()->stage, 0);
  key(Qt::Key_Minus);
  key(Qt::Key_Minus);
  QCOMPARE(on(plan(), 0).size(), std::size_t{6});
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(ReplicaCount{0, 6}));
  key(Qt::Key_Plus);
  QCOMPARE(on(plan(), 0).size(), std::size_t{7});
  key(Qt::Key_Escape);
  key(Qt::Key_R);
  QVERIFY(plan().stages[0].recompute.all);
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(StageRecompute{0, {true, {}}}));
  key(Qt::Key_R, Qt::ShiftModifier);
  QCOMPARE(plan().stages[0].recompute.layers.size(), std::size_t{23});
  key(Qt::Key_Escape);
  key(Qt::Key_T);
  QVERIFY(editor_->message().contains("no times"));
  key(Qt::Key_Delete);
  QCOMPARE(plan().stages.size(), std::size_t{2});
  key(Qt::Key_Return);
  QCOMPARE(edit(), PlanEdit(StageMerge{0}));
}

void TestSplitEditor::tab_goes_through_everything() {
  show({0, 13, 25, 38});
  editor_->setFocus(Qt::TabFocusReason);
  const std::vector<SplitItem> items = editor_->items();
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
  QCOMPARE(editor_->focused()->part, SplitPart::stage);
  key(Qt::Key_Up);
  QCOMPARE(editor_->focused()->part, SplitPart::cut);
  key(Qt::Key_Down);
  key(Qt::Key_Down);
  QCOMPARE(editor_->focused()->part, SplitPart::chip);
}

void TestSplitEditor::every_item_is_an_accessible_child() {
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(editor_.get());
  const std::vector<SplitItem> items = editor_->items();
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
  QCOMPARE(edit(), PlanEdit(StageRecompute{0, {true, {}}}));
  trigger(menu_at(layer_position(10)), "split_stage");
  QCOMPARE(edit(), PlanEdit(StageSplit{0, 10}));
  trigger(menu_at(editor_->handle_position(1)), "split_merge");
  QCOMPARE(edit(), PlanEdit(StageMerge{0}));
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
  QVERIFY2(samples::plain(editor_->caption(0)).endsWith("G0 1.50 GiB too much"), qPrintable(editor_->caption(0)));
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
  editor_->apply(MicroBatchSize{7});
  QVERIFY(editor_->message().contains("does not divide"));
  QCOMPARE(refused_->count(), 1);
  QVERIFY(editor_->accessibleDescription().contains("does not divide"));
  editor_->setFocus();
  editor_->set_focused({SplitPart::stage, 0, 0, {}});
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
  // An answer to a plan of other stages says nothing here.
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
  editor_->set_focused({SplitPart::cut, 1, 0, {}});  // comes into view
  QVERIFY(editor_->rect().contains(editor_->handle_position(1)));
  key(Qt::Key_F);
  QVERIFY(editor_->window_now().whole() && !scroll->isVisible());
  key(Qt::Key_Plus, Qt::ControlModifier);
  QVERIFY(!editor_->window_now().whole());
}

void TestSplitEditor::the_first_press_on_a_zoomed_strip_grabs_what_is_there() {
  QWidget window;
  auto* focused = new QLineEdit(&window);
  editor_ = std::make_unique<SplitEditor>(&window);
  const Plan plan = samples::plan("p", {0, 24});
  editor_->set_plan(profile_, cluster_, plan, samples::simulation(plan, 735, 11));
  editor_->resize(1200, editor_->sizeHint().height());
  window.show();
  window.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  focused->setFocus();
  const QPointF at = editor_->handle_position(1);
  for (int turn = 0; turn < 8; ++turn) wheel(120, at, Qt::ControlModifier);
  const SplitWindow before = editor_->window_now();
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
  editor_->set_focused({SplitPart::cut, 1, 0, {}});
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
  QCOMPARE(editor_->firsts(), (Firsts{0, 30}));
}

void TestSplitEditor::without_a_plan_nothing_can_be_dragged() {
  editor_->clear();
  press(QPoint(300, 50));
  move(QPoint(350, 50));
  release(QPoint(350, 50));
  for (int code : {Qt::Key_Left, Qt::Key_R, Qt::Key_Delete, Qt::Key_Return, Qt::Key_Tab}) key(code);
  QCOMPARE(preview_->count() + committed_->count() + cancelled_->count(), 0);
}

QTEST_MAIN(TestSplitEditor)
#include "tst_split_editor.moc"
