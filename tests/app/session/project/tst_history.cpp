// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo against a plain list of states, for random sequences of steps.
#include <random>
#include <vector>

#include <QTest>

#include "app/session/project/history.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_history {

using pipedeck::session::project::History;

class TestHistory : public QObject {
  Q_OBJECT

 private slots:
  void names_belong_to_the_step_they_undo();
  void equal_state_is_no_step();
  void saved_state_is_found_again();
  void saved_state_on_a_lost_branch_is_gone();
  void amending_is_no_step();
  void random_walk_equals_a_list();
  void forgets_only_the_oldest();
  void a_state_neither_moves_nor_changes();
  void a_restart_has_one_saved_step();
};

void TestHistory::names_belong_to_the_step_they_undo() {
  pipedeck::session::project::History<int> history(0);
  QVERIFY(!history.can_undo());
  QVERIFY(history.push("one", 1));
  QVERIFY(history.push("two", 2));
  QCOMPARE(history.undo_name(), QString("two"));
  history.undo();
  QCOMPARE(history.state(), 1);
  QCOMPARE(history.undo_name(), QString("one"));
  QCOMPARE(history.redo_name(), QString("two"));
  QVERIFY(history.push("three", 3));
  QVERIFY(!history.can_redo());
}

void TestHistory::equal_state_is_no_step() {
  pipedeck::session::project::History<int> history(5);
  QVERIFY(!history.push("same", 5));
  QVERIFY(!history.can_undo());
}

void TestHistory::saved_state_is_found_again() {
  pipedeck::session::project::History<int> history(0);
  QVERIFY(history.clean());
  history.push("one", 1);
  QVERIFY(!history.clean());
  history.mark_clean();
  history.undo();
  QVERIFY(!history.clean());
  QCOMPARE(history.changes_since_clean(), 1);
  history.redo();
  QVERIFY(history.clean());
}

void TestHistory::saved_state_on_a_lost_branch_is_gone() {
  pipedeck::session::project::History<int> history(0);
  history.push("one", 1);
  history.mark_clean();
  history.undo();
  history.push("other", 2);
  QVERIFY(!history.clean());
  history.undo();
  QVERIFY(!history.clean());
  QCOMPARE(history.changes_since_clean(), -1);
}

void TestHistory::amending_is_no_step() {
  pipedeck::session::project::History<int> history(0);
  history.push("one", 1);
  history.mark_clean();
  history.amend([](int& state) { state = 10; });
  QCOMPARE(history.state(), 10);
  QVERIFY(history.clean());
  QCOMPARE(history.steps(), std::size_t{1});
}

void TestHistory::random_walk_equals_a_list() {
  std::mt19937 random(7);
  pipedeck::session::project::History<int> history(0);
  std::vector<int> list{0};
  std::size_t at = 0;
  int next = 1;
  for (int i = 0; i < 5000; ++i) {
    switch (random() % 3) {
      case 0:
        list.resize(at + 1);
        list.push_back(next);
        ++at;
        history.push("step", next++);
        break;
      case 1:
        at -= at > 0;
        history.undo();
        break;
      default:
        at += at + 1 < list.size();
        history.redo();
    }
    QCOMPARE(history.state(), list[at]);
    QCOMPARE(history.can_undo(), at > 0);
    QCOMPARE(history.can_redo(), at + 1 < list.size());
    if (list.size() > 400) break;
  }
}

void TestHistory::forgets_only_the_oldest() {
  pipedeck::session::project::History<int> history(0, 3);
  for (int i = 1; i <= 10; ++i) history.push(QString::number(i), i);
  QCOMPARE(history.steps(), std::size_t{3});
  QCOMPARE(history.state(), 10);
  while (history.can_undo()) history.undo();
  QCOMPARE(history.state(), 7);
  QVERIFY(!history.clean());
}

/// A function may have a reference to the state that its own edit replaces.
void TestHistory::a_state_neither_moves_nor_changes() {
  History<std::vector<int>> history({1});
  const std::vector<int>& first = history.state();
  for (int i = 2; i <= 100; ++i) history.push("step", {i});
  const std::vector<int>& last = history.state();
  history.amend([](std::vector<int>& state) { state.assign(1000, 7); });
  QCOMPARE(last, std::vector<int>{100});
  QCOMPARE(history.state().size(), std::size_t{1000});
  while (history.can_undo()) history.undo();
  QCOMPARE(&history.state(), &first);
  QCOMPARE(history.replaced(), std::size_t{1});
  history.push("other", {5});  // cuts off the undone steps
  QCOMPARE(history.replaced(), std::size_t{100});
  QCOMPARE(last, std::vector<int>{100});
  history.release_replaced();
  QCOMPARE(history.replaced(), std::size_t{0});
  QCOMPARE(history.state(), std::vector<int>{5});
}

void TestHistory::a_restart_has_one_saved_step() {
  History<int> history(0);
  history.push("one", 1);
  history.push("two", 2);
  history.undo();
  const std::size_t before = history.step_id();
  history.restart(7);
  QCOMPARE(history.state(), 7);
  QCOMPARE(history.steps(), std::size_t{0});
  QVERIFY(history.clean() && !history.can_undo() && !history.can_redo());
  QVERIFY(history.step_id() != before);
}

PIPEDECK_TEST(TestHistory)

}  // namespace pipedeck::tst_history

#include "tst_history.moc"
