// SPDX-License-Identifier: GPL-3.0-or-later
// Devices of the split editor by mouse and by key: each gesture previews, is kept in one step, or put back.
#include "tests/app/views/split/split_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_split_devices {

using namespace pipedeck::test;

class TestSplitDevices : public SplitFixture {
  Q_OBJECT

 private slots:
  void init() { show({0, 24}); }

  void a_chip_goes_to_another_stage();
  void a_chip_goes_to_the_tray_and_back();
  void a_chip_changes_its_place_in_the_stage();
  void two_chips_trade_places();
  void escape_puts_a_chip_back();
  void a_stage_can_not_lose_its_last_device();
  void let_go_nowhere_a_chip_stays();
  void a_click_on_a_chip_is_no_drag();
  void chips_by_keyboard();
};

void TestSplitDevices::a_chip_goes_to_another_stage() {
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
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveDevices{samples::devices(3, 1), 1, 8}));
}

void TestSplitDevices::a_chip_goes_to_the_tray_and_back() {
  drag(editor_->chip_position(DeviceId(3)), tray());
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveDevices{samples::devices(3, 1), std::nullopt, std::nullopt}));
  QCOMPARE(on(plan(), 0).size(), std::size_t{7});
  QCOMPARE(editor_->item_text({models::split::Part::chip, -1, 0, DeviceId(3)}), QString("G3, spare"));
  drag(editor_->chip_position(DeviceId(3)), column(1));
  QCOMPARE(on(plan(), 1).back(), 3);
}

void TestSplitDevices::a_chip_changes_its_place_in_the_stage() {
  drag(editor_->chip_position(DeviceId(2)), editor_->chip_position(DeviceId(0)) - QPoint(6, 0));
  QCOMPARE(on(plan(), 0), (Numbers{2, 0, 1, 3, 4, 5, 6, 7}));
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveDevices{samples::devices(2, 1), 0, 0}));
}

void TestSplitDevices::two_chips_trade_places() {
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
  QCOMPARE(edit(), plan::PlanEdit(plan::SwapDevices{DeviceId(2), DeviceId(9)}));
}

void TestSplitDevices::escape_puts_a_chip_back() {
  press(editor_->chip_position(DeviceId(3)));
  move(column(1));
  key(Qt::Key_Escape);
  release(column(1));
  QCOMPARE(plan(), samples::plan("p", {0, 24}));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitDevices::a_stage_can_not_lose_its_last_device() {
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

void TestSplitDevices::let_go_nowhere_a_chip_stays() {
  drag(editor_->chip_position(DeviceId(3)), QPoint(600, 4));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(plan(), samples::plan("p", {0, 24}));
}

void TestSplitDevices::a_click_on_a_chip_is_no_drag() {
  QTest::mouseClick(editor_.get(), Qt::LeftButton, {}, editor_->chip_position(DeviceId(9)));
  QCOMPARE(preview_->count() + committed_->count(), 0);
  QCOMPARE(editor_->focused()->device, DeviceId(9));
  QCOMPARE(editor_->selected_stage(), 1);
}

void TestSplitDevices::chips_by_keyboard() {
  editor_->setFocus();
  editor_->set_focused({models::split::Part::chip, 0, 0, DeviceId(3)});
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
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveDevices{samples::devices(3, 1), 1, 1 << 20}));
  QCOMPARE(editor_->focused()->stage, 1);
  key(Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(on(plan(), 1), (Numbers{8, 9, 10, 11, 12, 13, 14, 3, 15}));
  key(Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(on(plan(), 1), (Numbers{8, 9, 10, 11, 12, 13, 3, 14, 15}));
  key(Qt::Key_Escape);
  key(Qt::Key_Delete);
  key(Qt::Key_Return);
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveDevices{samples::devices(3, 1), std::nullopt, std::nullopt}));
  QCOMPARE(editor_->focused()->stage, -1);
  key(Qt::Key_Left);
  QCOMPARE(on(plan(), 1).back(), 3);
}

PIPEDECK_WINDOW_TEST(TestSplitDevices)

}  // namespace pipedeck::tst_split_devices

#include "tst_split_devices.moc"
