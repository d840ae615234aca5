// SPDX-License-Identifier: GPL-3.0-or-later
// The list of shortcuts has every one there is, and none means two things in one place.
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>

#include "app/ui/help/shortcut_overlay.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/split/editor.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_shortcuts {

using namespace pipedeck::test;

/// Where an action's shortcut holds; empty: everywhere in the window.
QList<const QWidget*> places_of(const QAction& action) {
  QList<const QWidget*> places;
  if (action.shortcutContext() == Qt::WindowShortcut || action.shortcutContext() == Qt::ApplicationShortcut)
    return places;
  for (const QObject* object : action.associatedObjects()) {
    const auto* widget = qobject_cast<const QWidget*>(object);
    if (widget && !qobject_cast<const QMenu*>(object)) places << widget;
  }
  return places;
}

bool same_place(const QAction& a, const QAction& b) {
  const auto first = places_of(a), second = places_of(b);
  if (first.isEmpty() || second.isEmpty()) return true;
  for (const QWidget* x : first) {
    for (const QWidget* y : second) {
      if (x == y || x->isAncestorOf(y) || y->isAncestorOf(x)) return true;
    }
  }
  return false;
}

class TestShortcuts : public QObject {
  Q_OBJECT

 private:
  static ui::help::ShortcutOverlay* overlay(const WindowFixture& fixture) {
    return fixture.window->findChild<ui::help::ShortcutOverlay*>();
  }
  static std::size_t count(const ui::help::ShortcutOverlay& overlay) {
    std::size_t shortcuts = 0;
    for (const ui::help::ShortcutGroup& group : overlay.shown()) shortcuts += group.shortcuts.size();
    return shortcuts;
  }

 private slots:
  void every_action_with_a_shortcut_is_listed() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    fixture.trigger("action_shortcuts");
    std::set<const QAction*> listed;
    for (const ui::help::ShortcutGroup& group : overlay(fixture)->shown()) {
      QVERIFY(!group.title.isEmpty());
      for (const ui::help::Shortcut& shortcut : group.shortcuts) {
        QVERIFY2(!shortcut.what.isEmpty() && !shortcut.keys.isEmpty(), qPrintable(group.title));
        if (shortcut.action) listed.insert(shortcut.action);
      }
    }
    int with_shortcut = 0;
    for (const QAction* action : fixture.window->findChildren<QAction*>()) {
      if (action->shortcuts().isEmpty() || action->text().isEmpty()) continue;
      ++with_shortcut;
      QVERIFY2(listed.count(action) == 1, qPrintable(action->objectName() + ' ' + action->text()));
    }
    QVERIFY(with_shortcut > 20);
  }

  void no_shortcut_means_two_things_in_one_place() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const auto actions = fixture.window->findChildren<QAction*>();
    for (qsizetype i = 0; i < actions.size(); ++i) {
      for (const QKeySequence& key : actions[i]->shortcuts()) {
        for (qsizetype j = i + 1; j < actions.size(); ++j) {
          const bool both = actions[j]->shortcuts().contains(key) && same_place(*actions[i], *actions[j]);
          QVERIFY2(
              !both,
              qPrintable(
                  QString("%1: %2 and %3").arg(key.toString(), actions[i]->objectName(), actions[j]->objectName())));
        }
      }
    }
  }

  /// A key that a view obeys by itself would never come to it.
  void no_action_takes_a_key_of_a_view() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    for (QWidget* view : fixture.window->findChildren<QWidget*>()) {
      for (const views::widgets::KeyGroup& group : views::widgets::described_keys(*view)) {
        for (const views::widgets::KeyHelp& help : group.keys) {
          for (const QString& text : help.keys.split(", ")) {
            const QKeySequence key = QKeySequence::fromString(text);
            if (key.isEmpty() || key[0].key() == Qt::Key_unknown) continue;
            QKeyEvent first(QEvent::ShortcutOverride, key[0].key(), key[0].keyboardModifiers());
            first.ignore();
            view->setFocus(Qt::TabFocusReason);
            QCoreApplication::sendEvent(view, &first);
            if (first.isAccepted()) continue;  // the view asks for it before any shortcut
            for (const QAction* action : fixture.window->findChildren<QAction*>()) {
              if (!action->shortcuts().contains(key)) continue;
              const auto places = places_of(*action);
              bool here = places.isEmpty();
              for (const QWidget* place : places) here = here || place == view || place->isAncestorOf(view);
              QVERIFY2(!here, qPrintable(QString("%1: %2 and %3").arg(text, help.what, action->objectName())));
            }
          }
        }
      }
    }
  }

  /// The documented keys of a view work: each is handled by the view, not by others.
  void told_keys_are_obeyed() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    ui::pages::ComparePage& page = fixture.window->compare_page();
    QWidget& gantt = page.charts().panels()[0]->gantt();
    // The split editor's keys need a stage or a cut that is picked: its own tests press them.
    const std::pair<const QWidget*, QWidget*> views[] = {{&page.charts(), &gantt}, {&page.table(), &page.table()}};
    for (const auto& [telling, obeying] : views) {
      const std::vector<views::widgets::KeyGroup> told = views::widgets::described_keys(*telling);
      QVERIFY(!told.empty());
      for (const views::widgets::KeyHelp& help : told.front().keys) {
        for (const QString& text : help.keys.split(", ")) {
          const QKeySequence key = QKeySequence::fromString(text);
          if (key.isEmpty() || key[0].key() == Qt::Key_unknown || text == "Tab" || text == "Shift" || text == "Ctrl")
            continue;
          if (text == "Esc") continue;  // where nothing is under way there is nothing to give up
          obeying->setFocus(Qt::TabFocusReason);
          QKeyEvent event(QEvent::KeyPress, key[0].key(), Qt::NoModifier,
                          text.size() == 1 ? text.toLower() : QString());
          event.setAccepted(true);
          QCoreApplication::sendEvent(obeying, &event);
          QVERIFY2(event.isAccepted(), qPrintable(text + ": " + help.what));
        }
      }
    }
    QVERIFY(fixture.settle());
  }

  void opened_by_a_question_mark_searched_and_put_away() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::PlanTable& table = fixture.window->compare_page().table();
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Question);  // as a keyboard sends it: Shift is in it
    ui::help::ShortcutOverlay* shown = overlay(fixture);
    QVERIFY(shown->isVisible());
    QCOMPARE(shown->size(), fixture.window->size());
    const std::size_t all = count(*shown);
    QVERIFY(all > 30);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field);
    QTest::keyClicks(field, "zoom");
    QVERIFY(count(*shown) >= 3 && count(*shown) < all);
    QTest::keyClicks(field, " nothing like it");
    QCOMPARE(count(*shown), std::size_t(0));
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!shown->isVisible());
    QCOMPARE(QApplication::focusWidget(), &table);

    fixture.trigger("action_shortcuts");
    QCOMPARE(count(*shown), all);
    QTest::mouseClick(shown, Qt::LeftButton, {}, {5, 5});
    QVERIFY(!shown->isVisible());
  }

  void drawn_light_and_dark() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    for (const char* appearance : {"light", "dark"}) {
      fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
      fixture.trigger("action_shortcuts");
      QCoreApplication::processEvents();
      QCOMPARE(
          ui::layout::write_picture(*fixture.window, pictures_folder() + QString("shortcuts-%1.png").arg(appearance)),
          QString());
      overlay(fixture)->close_overlay();
    }
    fixture.trigger("action_appearance_light");
  }
};

PIPEDECK_WINDOW_TEST(TestShortcuts)

}  // namespace pipedeck::tst_shortcuts

#include "tst_shortcuts.moc"
