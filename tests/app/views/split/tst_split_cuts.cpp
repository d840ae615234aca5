// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts of the split editor by mouse and by key: each gesture previews, is kept in one step, or put back.
#include "tests/app/views/split/split_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_split_cuts {

using namespace pipedeck::test;

class TestSplitCuts : public SplitFixture {
  Q_OBJECT

 private slots:
  void init() { show({0, 24}); }

  void a_drag_previews_and_commits_once();
  void the_cut_follows_the_pointer_at_every_width();
  void escape_puts_the_cut_back();
  void let_go_at_the_old_place_changes_nothing();
  void a_cut_never_passes_its_neighbour();
  void a_cut_on_its_neighbour_merges_two_stages();
  void cuts_by_keyboard();
  void escape_after_keys_restores();
  void going_on_keeps_what_was_tried();
};

void TestSplitCuts::a_drag_previews_and_commits_once() {
  const QPoint from = editor_->handle_position(1);
  press(from);
  QVERIFY(editor_->dragging());
  for (int dx = 4; dx <= 60; dx += 4) move(from + QPoint(dx, 0));
  const models::split::StageStarts while_dragging = editor_->firsts();
  QVERIFY(while_dragging[1] > 24);
  QCOMPARE(preview_->count(), while_dragging[1] - 24);  // one for each layer passed, none for moves within one
  QCOMPARE(committed_->count(), 0);
  release(from + QPoint(60, 0));
  QCOMPARE(committed_->count(), 1);
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveBoundary{1, while_dragging[1]}));
  QCOMPARE(cancelled_->count(), 0);
  QVERIFY(!editor_->dragging());
}

void TestSplitCuts::the_cut_follows_the_pointer_at_every_width() {
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

void TestSplitCuts::escape_puts_the_cut_back() {
  const QString before = editor_->caption(0);
  const QPoint from = editor_->handle_position(1);
  press(from);
  move(from + QPoint(80, 0));
  editor_->show_preview(plan(), samples::simulation(plan(), 900, 12), {});
  key(Qt::Key_Escape);
  QCOMPARE(editor_->caption(0), before);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 24}));
  QCOMPARE(cancelled_->count(), 1);
  release(from + QPoint(80, 0));
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitCuts::let_go_at_the_old_place_changes_nothing() {
  const QPoint from = editor_->handle_position(1);
  press(from);
  move(from + QPoint(60, 0));
  move(from);
  release(from);
  QCOMPARE(committed_->count(), 0);
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitCuts::a_cut_never_passes_its_neighbour() {
  show({0, 13, 25, 38});
  const QPoint from = editor_->handle_position(2);
  press(from);
  move(QPoint(editor_->width() + 300, from.y()));
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 13, 37, 38}));
  move(QPoint(-300, from.y()));
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 13, 14, 38}));
}

void TestSplitCuts::a_cut_on_its_neighbour_merges_two_stages() {
  show({0, 13, 25, 38});
  const QPoint from = editor_->handle_position(2), neighbour = editor_->handle_position(1);
  press(from);
  move(neighbour + QPoint(2, 0));
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 13, 38}));
  QCOMPARE(plan().stages[1].devices.size(), std::size_t{8});
  move(neighbour + QPoint(60, 0));  // and away again
  QCOMPARE(editor_->firsts().size(), std::size_t{4});
  move(neighbour + QPoint(2, 0));
  release(neighbour + QPoint(2, 0));
  QCOMPARE(edit(), plan::PlanEdit(plan::MergeStages{1}));
}

void TestSplitCuts::cuts_by_keyboard() {
  show({0, 13, 25, 38});
  editor_->setFocus(Qt::TabFocusReason);
  key(Qt::Key_Tab);  // from the first cut to the second
  key(Qt::Key_Right);
  key(Qt::Key_Right);
  key(Qt::Key_Left);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 13, 26, 38}));
  QCOMPARE(preview_->count(), 3);
  QVERIFY(editor_->message().contains("Enter"));
  key(Qt::Key_Return);
  QCOMPARE(committed_->count(), 1);
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveBoundary{2, 26}));
  key(Qt::Key_Left, Qt::ShiftModifier);
  QCOMPARE(editor_->firsts()[2], 21);
  key(Qt::Key_Home);
  QCOMPARE(editor_->firsts()[2], 14);
  key(Qt::Key_End);
  QCOMPARE(editor_->firsts()[2], 37);
  key(Qt::Key_Escape);
  key(Qt::Key_Delete);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 13, 38}));
  key(Qt::Key_Return);
  QCOMPARE(edit(), plan::PlanEdit(plan::MergeStages{1}));
}

void TestSplitCuts::escape_after_keys_restores() {
  editor_->setFocus(Qt::TabFocusReason);
  key(Qt::Key_Left);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 23}));
  key(Qt::Key_Escape);
  QCOMPARE(editor_->firsts(), (models::split::StageStarts{0, 24}));
  QCOMPARE(cancelled_->count(), 1);
}

void TestSplitCuts::going_on_keeps_what_was_tried() {
  editor_->setFocus(Qt::TabFocusReason);
  key(Qt::Key_Left);
  key(Qt::Key_Tab);
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveBoundary{1, 23}));
  editor_->set_focused({models::split::Part::cut, 1, 0, {}});
  key(Qt::Key_Left);
  editor_->clearFocus();
  QCOMPARE(edit(), plan::PlanEdit(plan::MoveBoundary{1, 22}));
}

PIPEDECK_WINDOW_TEST(TestSplitCuts)

}  // namespace pipedeck::tst_split_cuts

#include "tst_split_cuts.moc"
