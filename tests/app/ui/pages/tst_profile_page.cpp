// SPDX-License-Identifier: GPL-3.0-or-later
// The Profile view of the real window: cells typed in, keys and menu, warnings that lead to their layers, undo.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>

#include "app/models/profile/profile_table_model.hpp"
#include "app/session/project/content.hpp"
#include "app/views/profile/view.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_profile_page {

using namespace pipedeck::test;

/// The contents of the project file, without runs.
auto bytes_of(const session::project::State& state) {
  store::ProjectContent content = session::project::content_of(state);
  return std::pair(std::move(content.documents), std::move(content.settings));
}

class ProfilePage : public WindowFixture {
 public:
  ProfilePage() {
    session().open_sample();
    window->show_page(ui::window::Page::profile);
    table().setFocus();
    QCoreApplication::processEvents();
  }
  QTableView& table() { return *child<QTableView>("profile_table"); }
  views::profile::View& view() { return *child<views::profile::View>("profile_view"); }
  const Profile& profile() { return *session::project::find_profile(state(), state().question.profile)->profile; }
  const Layer& layer(int number) { return profile().layers[static_cast<std::size_t>(number)]; }
  void go_to(int row, int column) {
    view().select_layer(row);
    table().selectionModel()->setCurrentIndex(table().currentIndex().siblingAtColumn(column),
                                              QItemSelectionModel::NoUpdate);
  }
  void type(int row, int column, const QString& text) {
    go_to(row, column);
    QTest::keyClick(&table(), Qt::Key_F2);
    auto* field = table().viewport()->findChild<QLineEdit*>();
    if (!field) qFatal("no field");
    field->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
    // The cell's field is put away first.
    (void)QTest::qWaitFor([&] { return !table().viewport()->findChild<QLineEdit*>(); });
    for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
  }
};

class TestProfilePage : public QObject {
  Q_OBJECT

 private slots:
  void cells_take_figures_with_units() {
    ProfilePage page;
    const QAbstractItemModelTester tester(page.table().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto before = bytes_of(page.state());
    page.type(3, models::profile::TableModel::forward, "12.5 ms");
    QCOMPARE(page.layer(3).forward, Seconds(0.0125));
    QCOMPARE(page.view().selected_layer(), 3);
    QCOMPARE(page.session().undo_name(),
             QStringLiteral("Edit layer %1").arg(QString::fromStdString(page.layer(3).name)));
    page.type(3, models::profile::TableModel::backward, "20");  // milliseconds
    QCOMPARE(page.layer(3).backward, Seconds(0.020));
    page.type(3, models::profile::TableModel::parameters, "3 MiB");
    QCOMPARE(page.layer(3).parameters, Bytes(3 << 20));
    page.type(3, models::profile::TableModel::name, "attention");
    QCOMPARE(page.layer(3).name, std::string("attention"));
    page.type(3, models::profile::TableModel::kind, "block");
    QCOMPARE(page.layer(3).kind, std::string("block"));
    for (int step = 0; step < 5; ++step) page.trigger("action_undo");
    QVERIFY(bytes_of(page.state()) == before);
    QVERIFY2(page.errors.isEmpty(), qPrintable(page.errors.join('\n')));
  }

  void what_cannot_be_is_said_and_changes_nothing() {
    ProfilePage page;
    const auto before = bytes_of(page.state());
    page.type(3, models::profile::TableModel::forward, "fast");
    QVERIFY(bytes_of(page.state()) == before);
    page.type(3, models::profile::TableModel::name, QString::fromStdString(page.layer(4).name));
    QVERIFY(bytes_of(page.state()) == before);
    QVERIFY(page.errors.isEmpty());  // the field stays, in red, with its reason
    page.type(3, models::profile::TableModel::forward, "");
    QVERIFY(bytes_of(page.state()) == before);
    QVERIFY(!page.session().can_undo());
  }

  void several_rows_by_keys() {
    ProfilePage page;
    const std::size_t layers = page.profile().layers.size();
    page.go_to(2, models::profile::TableModel::saved);
    page.view().select_layers({2, 3, 4});
    page.go_to(2, models::profile::TableModel::saved);
    page.view().select_layers({2, 3, 4});
    QCOMPARE(page.view().selected_layers(), (std::vector<int>{2, 3, 4}));
    page.answers.text = "10 MiB";
    QTest::keyClick(&page.table(), Qt::Key_Return, Qt::ControlModifier);
    for (const int layer : {2, 3, 4}) QCOMPARE(page.layer(layer).saved, Bytes(10 << 20));
    QCOMPARE(page.view().selected_layers(), (std::vector<int>{2, 3, 4}));
    page.answers.text = "0.5";
    QTest::keyClick(&page.table(), Qt::Key_Asterisk, Qt::NoModifier);
    for (const int layer : {2, 3, 4}) QCOMPARE(page.layer(layer).saved, Bytes(5 << 20));
    QTest::keyClick(&page.table(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(page.profile().layers.size(), layers + 3);
    page.trigger("action_undo");
    page.view().select_layers({2, 3, 4});
    QTest::keyClick(&page.table(), Qt::Key_M, Qt::ControlModifier);
    QCOMPARE(page.profile().layers.size(), layers - 2);
    QTest::keyClick(&page.table(), Qt::Key_Delete);
    QCOMPARE(page.profile().layers.size(), layers - 3);
    QTest::keyClick(&page.table(), Qt::Key_Insert);
    QCOMPARE(page.profile().layers.size(), layers - 2);
    QCOMPARE(page.layer(2).name, std::string("new layer"));
    QVERIFY2(page.errors.isEmpty(), qPrintable(page.errors.join('\n')));
    QCOMPARE(page.session().undo_steps(), std::size_t{5});
  }

  void a_bad_factor_is_said() {
    ProfilePage page;
    page.go_to(2, models::profile::TableModel::name);
    page.trigger("action_layers_scale");
    QCOMPARE(page.errors.size(), 1);
    page.go_to(2, models::profile::TableModel::forward);
    page.answers.text = "much";
    page.trigger("action_layers_scale");
    QCOMPARE(page.errors.size(), 2);
    page.answers.text.reset();
    page.trigger("action_layers_scale");
    QCOMPARE(page.errors.size(), 2);
    QVERIFY(!page.session().can_undo());
  }

  void rows_go_to_a_spreadsheet_and_back() {
    ProfilePage page;
    page.view().select_layers({1, 2});
    QTest::keyClick(&page.table(), Qt::Key_C, Qt::ControlModifier);
    QString text = QApplication::clipboard()->text();
    QCOMPARE(text.count('\n'), 3);
    QTest::keyClick(&page.table(), Qt::Key_V, Qt::ControlModifier);
    QVERIFY(!page.session().can_undo());  // nothing is other than it was
    QStringList rows = text.split('\n');
    QStringList cells = rows[1].split('\t');
    cells[2] = "99 ms";
    rows[1] = cells.join('\t');
    QApplication::clipboard()->setText(rows.join('\n'));
    QTest::keyClick(&page.table(), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(page.layer(1).forward, Seconds(0.099));
    QCOMPARE(page.session().undo_name(), QStringLiteral("Paste layers"));
    QApplication::clipboard()->setText("{\"format\": \"pipedeck.plan\"}");
    QTest::keyClick(&page.table(), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(page.errors.size(), 1);
  }

  void warnings_lead_to_their_layers() {
    ProfilePage page;
    auto* gaps = page.child<QLabel>("profile_gaps");
    QVERIFY(gaps->isVisible());
    emit gaps->linkActivated(QStringLiteral("show:%1").arg(int(models::profile::Gap::no_splits)));
    QCOMPARE(page.view().selected_layers().size(), page.profile().layers.size());
    emit gaps->linkActivated(QStringLiteral("do:%1").arg(int(models::profile::Gap::no_splits)));
    QCOMPARE(page.layer(0).tensor_parallel.size(), std::size_t{3});
    QVERIFY(!gaps->text().contains("tensor-parallel"));
    QCOMPARE(page.session().undo_name(), QStringLiteral("Assume even shares"));
  }

  void models_are_renamed_and_doubled() {
    ProfilePage page;
    page.answers.text = "mine";
    page.trigger("action_profile_rename");
    QCOMPARE(page.profile().name, std::string("mine"));
    const std::size_t models = page.state().profiles.size();
    page.trigger("action_profile_duplicate");
    QCOMPARE(page.state().profiles.size(), models + 1);
    QCOMPARE(QString::fromStdString(page.view().profile()->name), QStringLiteral("mine (2)"));
    page.type(0, models::profile::TableModel::forward, "1 ms");  // the copy is edited, not the original
    QCOMPARE(page.state().profiles.back().profile->layers[0].forward, Seconds(0.001));
    QVERIFY(page.profile().layers[0].forward != Seconds(0.001));
  }

  /// A picture of the guide.
  void a_picture() {
    ProfilePage page;
    page.go_to(3, models::profile::TableModel::forward);
    page.view().select_layers({3, 4, 5, 6});
    page.go_to(3, models::profile::TableModel::forward);
    page.view().select_layers({3, 4, 5, 6});
    QTest::keyClick(&page.table(), Qt::Key_F2);
    QVERIFY(page.window->grab().save(pictures_folder() + "profile-edit.png"));
  }

  void plans_that_no_longer_fit_go_and_come_back() {
    ProfilePage page;
    QVERIFY(page.open_sample());
    page.window->show_page(ui::window::Page::profile);
    const std::size_t plans = page.state().plans.size();
    page.view().select_layers({0});
    page.trigger("action_layers_delete");
    QVERIFY(page.state().plans.size() < plans);
    page.trigger("action_undo");
    QCOMPARE(page.state().plans.size(), plans);
    QVERIFY(page.settle());
  }
};

PIPEDECK_WINDOW_TEST(TestProfilePage)

}  // namespace pipedeck::tst_profile_page

#include "tst_profile_page.moc"
