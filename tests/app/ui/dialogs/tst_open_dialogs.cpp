// SPDX-License-Identifier: GPL-3.0-or-later
// The project changes while a dialog is open, as when a job ends: here it is gone. Every action that opens a dialog is
// triggered. Actions are found, not listed.
#include <QDialog>
#include <QPointer>
#include <QTest>

#include "app/ui/pages/what_if_page.hpp"
#include "app/views/run/view.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_open_dialogs {

using namespace pipedeck::test;

class TestOpenDialogs : public QObject {
  Q_OBJECT

 private slots:
  void no_action_reads_a_project_that_is_gone_data();
  void no_action_reads_a_project_that_is_gone();
  void a_model_file_of_a_plan_that_is_gone_is_taken();
};

void TestOpenDialogs::no_action_reads_a_project_that_is_gone_data() {
  QTest::addColumn<ui::window::Page>("page");
  QTest::addColumn<QString>("view");
  QTest::addColumn<int>("least");  ///< actions that open a dialog
  QTest::newRow("plans") << ui::window::Page::compare << QStringLiteral("plan_table") << 8;
  QTest::newRow("layers") << ui::window::Page::profile << QStringLiteral("profile_table") << 8;
}

void TestOpenDialogs::no_action_reads_a_project_that_is_gone() {
  QFETCH(ui::window::Page, page);
  QFETCH(QString, view);
  QFETCH(int, least);
  WindowFixture fixture;
  fixture.window->what_if_page().set_preload(false);
  QVERIFY(fixture.open_sample());
  const session::project::State sample = fixture.state();
  int opened = 0;
  fixture.answers.text = QStringLiteral("2");
  fixture.answers.file_to_save = fixture.path("written.png");
  fixture.answers.files_to_open = {fixture.path("none.json")};
  fixture.answers.meanwhile = [&] {
    ++opened;
    fixture.session().new_project();
    QCoreApplication::processEvents();
  };
  for (const QPointer<QAction> action : fixture.window->findChildren<QAction*>()) {
    if (!action || action->isSeparator() || action->menu() || action->isCheckable()) continue;
    if (action->objectName() == QStringLiteral("action_quit")) continue;
    if (!(fixture.state() == sample)) fixture.session().open_unnamed(sample);
    fixture.window->show_page(page);
    auto* focus = fixture.child<QWidget>(qPrintable(view));
    QVERIFY(focus);
    focus->setFocus(Qt::OtherFocusReason);
    QTest::keyClick(focus, Qt::Key_Home);
    QTest::keyClick(focus, Qt::Key_Right);
    QTest::keyClick(focus, Qt::Key_A, Qt::ControlModifier);
    if (!action || !action->isEnabled()) continue;
    action->trigger();
    QCoreApplication::processEvents();
    for (QDialog* dialog : fixture.window->findChildren<QDialog*>()) dialog->close();
  }
  QVERIFY2(opened >= least, qPrintable(QString::number(opened)));
  QVERIFY(fixture.settle());
}

void TestOpenDialogs::a_model_file_of_a_plan_that_is_gone_is_taken() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.answers.files_to_open = {QStringLiteral(PIPEDECK_SOURCES "/presets/models/17-gpt-bytes.model.json")};
  fixture.answers.meanwhile = [&] { fixture.session().new_project(); };
  emit fixture.window->findChild<views::run::View*>()->model_file_requested();
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join(QLatin1Char('\n'))));
  QVERIFY(fixture.state().empty());
}

PIPEDECK_WINDOW_TEST(TestOpenDialogs)

}  // namespace pipedeck::tst_open_dialogs

#include "tst_open_dialogs.moc"
