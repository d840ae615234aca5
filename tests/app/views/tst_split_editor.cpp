// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split_editor.hpp"

#include <QSignalSpy>
#include <QTest>

#include "tests/app/models/samples.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

class TestSplitEditor : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<const Profile> profile_ = std::make_shared<const Profile>(samples::profile());
  std::unique_ptr<SplitEditor> editor_;

  void show(const std::vector<int>& firsts, int width = 1000) {
    editor_ = std::make_unique<SplitEditor>();
    editor_->set_plan(profile_, samples::plan("p", firsts), {});
    editor_->resize(width, editor_->sizeHint().height());
    editor_->show();
    QVERIFY(QTest::qWaitForWindowExposed(editor_.get()));
  }

 private slots:
  void init() { show({0, 24}); }

  void a_drag_previews_and_commits_once() {
    QSignalSpy preview(editor_.get(), &SplitEditor::preview), committed(editor_.get(), &SplitEditor::committed);
    QSignalSpy cancelled(editor_.get(), &SplitEditor::cancelled);
    const QPoint from = editor_->handle_position(1);
    QTest::mousePress(editor_.get(), Qt::LeftButton, {}, from);
    QVERIFY(editor_->dragging());
    for (int dx = 4; dx <= 60; dx += 4) QTest::mouseMove(editor_.get(), from + QPoint(dx, 0));
    const Firsts while_dragging = editor_->firsts();
    QVERIFY(while_dragging[1] > 24);
    QCOMPARE(preview.count(), while_dragging[1] - 24);  // one for each layer passed, none for moves within one
    QCOMPARE(committed.count(), 0);
    QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, from + QPoint(60, 0));
    QCOMPARE(committed.count(), 1);
    QCOMPARE(committed.front().front().value<std::vector<int>>(), while_dragging);
    QCOMPARE(cancelled.count(), 0);
    QVERIFY(!editor_->dragging());
  }

  void the_cut_follows_the_pointer_at_every_width() {
    for (int width : {400, 777, 1280, 1920}) {
      show({0, 13, 25, 38}, width);
      for (int stage : {1, 2, 3}) {
        const QPoint from = editor_->handle_position(stage);
        QTest::mousePress(editor_.get(), Qt::LeftButton, {}, from);
        QTest::mouseMove(editor_.get(), from + QPoint(width / 15, 0));
        const int off = std::abs(editor_->handle_position(stage).x() - (from.x() + width / 15));
        QVERIFY2(off <= width / 50 / 2 + 3, qPrintable(QString::number(off)));
        QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, from + QPoint(width / 15, 0));
      }
    }
  }

  void escape_puts_the_cut_back() {
    QSignalSpy committed(editor_.get(), &SplitEditor::committed), cancelled(editor_.get(), &SplitEditor::cancelled);
    editor_->set_plan(profile_, samples::plan("p", {0, 24}), {{milliseconds(145), {}}, {milliseconds(148), {}}});
    const QString before = editor_->caption(0);
    const QPoint from = editor_->handle_position(1);
    QTest::mousePress(editor_.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(editor_.get(), from + QPoint(80, 0));
    editor_->set_figures({{milliseconds(900), Bytes(1)}, {milliseconds(1), Bytes(0)}});
    QTest::keyClick(editor_.get(), Qt::Key_Escape);
    QCOMPARE(editor_->caption(0), before);
    QCOMPARE(editor_->firsts(), (Firsts{0, 24}));
    QCOMPARE(cancelled.count(), 1);
    QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, from + QPoint(80, 0));
    QCOMPARE(committed.count(), 0);
    QCOMPARE(cancelled.count(), 1);
  }

  void let_go_at_the_old_place_changes_nothing() {
    QSignalSpy committed(editor_.get(), &SplitEditor::committed), cancelled(editor_.get(), &SplitEditor::cancelled);
    const QPoint from = editor_->handle_position(1);
    QTest::mousePress(editor_.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(editor_.get(), from + QPoint(60, 0));
    QTest::mouseMove(editor_.get(), from);
    QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, from);
    QCOMPARE(committed.count(), 0);
    QCOMPARE(cancelled.count(), 1);
  }

  void a_cut_never_passes_its_neighbour() {
    show({0, 13, 25, 38});
    const QPoint from = editor_->handle_position(2);
    QTest::mousePress(editor_.get(), Qt::LeftButton, {}, from);
    QTest::mouseMove(editor_.get(), QPoint(editor_->width() + 300, from.y()));
    QCOMPARE(editor_->firsts(), (Firsts{0, 13, 37, 38}));
    QTest::mouseMove(editor_.get(), QPoint(-300, from.y()));
    QCOMPARE(editor_->firsts(), (Firsts{0, 13, 14, 38}));
  }

  void by_keyboard() {
    show({0, 13, 25, 38});
    QSignalSpy preview(editor_.get(), &SplitEditor::preview), committed(editor_.get(), &SplitEditor::committed);
    editor_->setFocus(Qt::TabFocusReason);
    QTest::keyClick(editor_.get(), Qt::Key_Tab);  // from the first cut to the second
    QTest::keyClick(editor_.get(), Qt::Key_Right);
    QTest::keyClick(editor_.get(), Qt::Key_Right);
    QTest::keyClick(editor_.get(), Qt::Key_Left);
    QCOMPARE(editor_->firsts(), (Firsts{0, 13, 26, 38}));
    QCOMPARE(preview.count(), 3);
    QTest::keyClick(editor_.get(), Qt::Key_Return);
    QCOMPARE(committed.count(), 1);
    QCOMPARE(committed.front().front().value<std::vector<int>>(), (Firsts{0, 13, 26, 38}));
  }

  void escape_after_keys_restores() {
    QSignalSpy cancelled(editor_.get(), &SplitEditor::cancelled);
    editor_->setFocus(Qt::TabFocusReason);
    QTest::keyClick(editor_.get(), Qt::Key_Left);
    QCOMPARE(editor_->firsts(), (Firsts{0, 23}));
    QTest::keyClick(editor_.get(), Qt::Key_Escape);
    QCOMPARE(editor_->firsts(), (Firsts{0, 24}));
    QCOMPARE(cancelled.count(), 1);
  }

  void a_new_plan_ends_a_drag_silently() {
    QSignalSpy committed(editor_.get(), &SplitEditor::committed), cancelled(editor_.get(), &SplitEditor::cancelled);
    const QPoint from = editor_->handle_position(1);
    QTest::mousePress(editor_.get(), Qt::LeftButton, {}, from);
    editor_->set_plan(profile_, samples::plan("q", {0, 30}), {});
    QVERIFY(!editor_->dragging());
    QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, from);
    QCOMPARE(committed.count() + cancelled.count(), 0);
  }

  void captions_tell_layers_time_and_what_is_too_much() {
    editor_->set_figures({{milliseconds(145), Bytes(0)}, {milliseconds(148), Bytes(0)}});
    QCOMPARE(samples::plain(editor_->caption(0)), QStringLiteral("stage 0 · layers 0–23 · 145 ms"));
    QCOMPARE(samples::plain(editor_->caption(1)), QStringLiteral("stage 1 · layers 24–49 · 148 ms"));
    editor_->set_overflow(1, Bytes(3 * samples::gibibyte));
    QVERIFY(editor_->caption(1).contains("too much"));
    QVERIFY(editor_->accessibleDescription().contains("stage 0"));
  }

  void captions_always_fit() {
    for (int width = 320; width < 1400; width += 37) {
      show({0, 4, 8, 12, 16, 20, 24, 27, 30, 33, 36, 39, 42, 44, 46, 48}, width);
      for (int stage = 0; stage + 1 < 16; ++stage) {
        const double room = stage + 1 < 16 && stage > 0
                                ? editor_->handle_position(stage + 1).x() - editor_->handle_position(stage).x()
                                : 1e9;
        QVERIFY(QFontMetricsF(editor_->font()).horizontalAdvance(editor_->caption(stage)) <= room);
      }
    }
  }

  void without_a_plan_nothing_can_be_dragged() {
    editor_->clear();
    QSignalSpy preview(editor_.get(), &SplitEditor::preview);
    QTest::mousePress(editor_.get(), Qt::LeftButton, {}, QPoint(300, 50));
    QTest::mouseMove(editor_.get(), QPoint(350, 50));
    QTest::mouseRelease(editor_.get(), Qt::LeftButton, {}, QPoint(350, 50));
    QTest::keyClick(editor_.get(), Qt::Key_Left);
    QCOMPARE(preview.count(), 0);
  }
};

QTEST_MAIN(TestSplitEditor)
#include "tst_split_editor.moc"
