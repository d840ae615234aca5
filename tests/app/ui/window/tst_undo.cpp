// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window is triggered on every page, with the focus in every view that it acts upon (at night in
// every view), dialogs answered. A change of the project is one step of undo with a name. Undo and redo give the bytes
// of the project file back. Actions are found, not listed: a new one is tried as soon as it is there.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTimer>

#include "app/session/plans/clipboard.hpp"
#include "app/session/project/content.hpp"
#include "app/session/project/entry_edits.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_undo {

using namespace pipedeck::test;

/// Actions that are no edits of the open project: they end it, begin another one, or are undo itself.
const QStringList no_edits{"action_quit", "action_new",     "action_sample", "action_open",
                           "action_save", "action_save_as", "action_undo",   "action_redo"};

/// The project's documents and settings, runs by their summaries.
struct FileBytes {
  std::vector<store::StoredDocument> documents;
  std::vector<std::string> runs;
  std::map<std::string, std::string> settings;
  bool operator==(const FileBytes&) const = default;
};

FileBytes bytes_of(const session::project::State& state) {
  store::ProjectContent content = session::project::content_of(state);
  FileBytes bytes{std::move(content.documents), {}, std::move(content.settings)};
  for (const store::StoredRun& run : content.runs) bytes.runs.push_back(std::to_string(run.id) + run.name + run.json);
  return bytes;
}

/// Returns the bytes without the user's selection, which is not part of the project.
FileBytes without_selection(FileBytes bytes) {
  bytes.settings.erase("selection");
  bytes.settings.erase("window");
  return bytes;
}

/// Answers what no seam answers: boxes that wait are accepted, menus put away.
class Answering : public QObject {
 public:
  Answering() {
    timer_.setInterval(50);
    QObject::connect(&timer_, &QTimer::timeout, [] {
      if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) return dialog->accept();
      if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    });
    timer_.start();
  }

 private:
  QTimer timer_;
};

class Prepared : public WindowFixture {
 public:
  /// Everything that actions could ask for is there: plans, a run, something to paste, files to import.
  bool prepare() {
    window->what_if_page().set_preload(false);  // its searches would begin again after each step
    if (!open_sample()) return false;
    session::project::RunRecord run;
    run.name = "a run";
    run.model = "BERT-48";
    run.when = QDateTime(QDate(2026, 11, 21), QTime(12, 0));
    run.state = session::project::RunOutcome::finished;
    session().change(
        "Prepare",
        session::project::with_run(session().state(), std::make_shared<const session::project::RunRecord>(run)).state);
    const int plan = session().state().selected_plan;
    QApplication::clipboard()->setText(
        QString::fromStdString(session::plans::plans_to_text(session().state(), {plan})));
    Cluster cluster = pipedeck::test::flat_cluster(4);
    cluster.name = "imported";
    if (!io::write_file(path("imported.cluster.json").toStdString(), io::documents::cluster_to_json(cluster)))
      return false;
    answers.files_to_open = {path("imported.cluster.json")};
    answers.file_to_save = path("written.png");
    answers.text = "typed";
    session::project::Planning planning = session().state().question.planning;
    planning.planners["dapple"].compared = false;
    answers.planning = planning;
    answers.training_state = session::project::training_state_of(session().state());
    answers.training_state->optimizer = Optimizer::sgd;
    return true;
  }
};

bool takes_focus_as_a_view(const QWidget& widget) {
  return widget.isVisible() && widget.focusPolicy() & Qt::TabFocus && !qobject_cast<const QAbstractButton*>(&widget) &&
         !qobject_cast<const QLineEdit*>(&widget) && !qobject_cast<const QComboBox*>(&widget) &&
         !qobject_cast<const QAbstractSpinBox*>(&widget) && !qobject_cast<const QTabBar*>(&widget) &&
         !qobject_cast<const QScrollBar*>(&widget) && !qobject_cast<const QPlainTextEdit*>(&widget);
}

/// Views of the same name are tried once: charts of several plans are alike.
std::vector<QWidget*> views_in(const QWidget& page) {
  std::vector<QWidget*> views;
  QStringList seen;
  for (QWidget* widget : page.findChildren<QWidget*>()) {
    const QString name = QLatin1String(widget->metaObject()->className()) + widget->objectName();
    if (!takes_focus_as_a_view(*widget) || seen.contains(name)) continue;
    seen << name;
    views.push_back(widget);
  }
  return views;
}

/// Returns true for slow actions that do not depend on the focus: tried once per page.
bool the_same_everywhere(const QAction& action) {
  for (const char* beginning : {"action_export", "action_appearance", "action_page"})
    if (action.objectName().startsWith(QLatin1String(beginning))) return true;
  return false;
}

/// Returns true for actions of the view and of the menu of edits, which acts upon what has the focus.
bool depends_on_focus(const QAction& action, const WindowFixture& fixture, const QString& view) {
  return fixture.child<QMenu>("edit_menu")->actions().contains(const_cast<QAction*>(&action)) ||
         std::ranges::any_of(action.associatedObjects(),
                             [&](const QObject* object) { return object->objectName() == view; });
}

QString label(const QAction& action) { return action.objectName().isEmpty() ? action.text() : action.objectName(); }

class TestUndo : public QObject {
  Q_OBJECT

 private:
  QStringList edits_;  ///< of all pages

  bool try_action(Prepared& fixture, QAction& action, const QString& where);

 private slots:
  void every_action_data();
  void every_action();
  void the_known_edits_were_among_them();
  void other_projects_begin_without_steps();
};

void TestUndo::every_action_data() {
  QTest::addColumn<int>("page");
  Prepared fixture;
  QVERIFY(fixture.prepare());
  for (int page = 0; fixture.window->page_widget(static_cast<ui::window::Page>(page)); ++page)
    QTest::addRow("page %d", page) << page;
  QTest::newRow("project tree") << -1;
}

bool TestUndo::try_action(Prepared& fixture, QAction& action, const QString& where) {
  session::Session& session = fixture.session();
  const FileBytes before = bytes_of(session.state());
  action.trigger();
  // A name is typed in its place.
  if (auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
      field &&
      qobject_cast<QAbstractItemView*>(field->parentWidget() ? field->parentWidget()->parentWidget() : nullptr)) {
    field->selectAll();
    QTest::keyClicks(field, "typed in its place");
    QTest::keyClick(field, Qt::Key_Return);
  }
  QCoreApplication::processEvents();
  if (!fixture.settle()) return QTest::qFail(qPrintable(where + ": does not end"), __FILE__, __LINE__), false;
  const auto failed = [&](const char* what) {
    QTest::qFail(qPrintable(QString("%1: %2 (%3)").arg(where, QLatin1String(what), session.undo_name())), __FILE__,
                 __LINE__);
    return false;
  };
  const FileBytes after = bytes_of(session.state());
  if (without_selection(after) == without_selection(before)) return true;
  edits_ << label(action);
  if (!session.can_undo() || session.undo_name().isEmpty()) return failed("changed the project without a named step");
  if (session.can_redo()) return failed("left something to redo beside its step");
  session.undo();
  if (!(bytes_of(session.state()) == before)) return failed("undo does not give the project back");
  session.redo();
  if (session.can_redo()) return failed("made more than one step");
  if (!(bytes_of(session.state()) == after)) return failed("redo does not give the change back");
  session.undo();
  // The step is cut off, so that the next action starts as this one did.
  session::project::State touched = session.state();
  touched.plans.front().note = QStringLiteral("touched %1").arg(session.undo_steps());
  session.change("Touch", std::move(touched));
  return fixture.settle();
}

void TestUndo::every_action() {
  QFETCH(int, page);
  Prepared fixture;
  QVERIFY(fixture.prepare());
  const Answering answering;
  if (page >= 0) fixture.window->show_page(static_cast<ui::window::Page>(page));
  QVERIFY(fixture.settle());
  QWidget* root = page >= 0 ? fixture.window->page_widget(static_cast<ui::window::Page>(page))
                            : fixture.child<QWidget>("project_dock");
  QStringList views;
  for (const QWidget* view : views_in(*root)) views << view->objectName();
  for (const QString& name : views) {
    // Found anew at each action: actions may make and unmake views.
    const auto find_view = [&]() -> QWidget* {
      for (QWidget* view : views_in(*root))
        if (view->objectName() == name) return view;
      return nullptr;
    };
    for (const QPointer<QAction> action : fixture.window->findChildren<QAction*>()) {
      if (!action || action->isSeparator() || action->menu() || no_edits.contains(action->objectName())) continue;
      // Each style sheet polishes all widgets: seconds on every page, with equal effects.
      if (page != 0 && !nightly() && action->objectName().startsWith(QLatin1String("action_appearance"))) continue;
      if (name != views.front() &&
          (the_same_everywhere(*action) || (!nightly() && !depends_on_focus(*action, fixture, name))))
        continue;
      if (page >= 0 && fixture.window->page() != static_cast<ui::window::Page>(page))
        fixture.window->show_page(static_cast<ui::window::Page>(page));
      if (QWidget* view = find_view()) {
        view->setFocus(Qt::OtherFocusReason);
        QTest::keyClick(view, Qt::Key_Home);
        QTest::keyClick(view, Qt::Key_A, Qt::ControlModifier);
      }
      if (!action || !action->isEnabled()) continue;
      const QString where = QString("%1 with the focus in %2").arg(label(*action), name);
      if (!try_action(fixture, *action, where)) return;
      for (QDialog* dialog : fixture.window->findChildren<QDialog*>()) dialog->close();
      for (QWidget* over : fixture.window->findChildren<QWidget*>(QStringLiteral("shortcut_overlay"))) over->hide();
    }
  }
}

void TestUndo::the_known_edits_were_among_them() {
  edits_.removeDuplicates();
  qInfo("edits: %s", qPrintable(edits_.join(", ")));
  for (const char* name : {"action_cut", "action_paste", "action_duplicate", "action_rename", "action_delete",
                           "action_tick", "action_planners", "action_training_state", "action_import"}) {
    QVERIFY2(edits_.contains(QLatin1String(name)), name);
  }
}

void TestUndo::other_projects_begin_without_steps() {
  for (const char* name : {"action_new", "action_sample"}) {
    Prepared fixture;
    QVERIFY(fixture.prepare());
    QVERIFY(fixture.session().can_undo());
    fixture.trigger(name);
    QVERIFY(fixture.settle());
    QVERIFY2(!fixture.session().modified(), name);
  }
}

PIPEDECK_WINDOW_TEST(TestUndo)

}  // namespace pipedeck::tst_undo

#include "tst_undo.moc"
