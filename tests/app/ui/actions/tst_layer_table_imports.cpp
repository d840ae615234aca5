// SPDX-License-Identifier: GPL-3.0-or-later
// Import of tables of layers: opened and dropped as any file, columns chosen by the boxes above them, errors reported
// with their cell, one undo step.
#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include "app/ui/dialogs/layer_table_dialog.hpp"
#include "app/ui/layout/picture.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_layer_table_imports {

using namespace pipedeck::test;

const char* const measured =
    "Layer;Fwd (us);Bwd (us);Activations (KiB);Params (MB);FLOPs\n"
    "embedding;120,5;240;64;12,5;1e6\n"
    "block_0;1500;3100;128;28;2e9\n"
    "block_1;1500;3100;128;28;2e9\n"
    "head;800;1700;512;6;9e8\n";

class Table {
 public:
  explicit Table(const QByteArray& text, const QString& name = "bert-pbs-8.csv") : path_(directory_.filePath(name)) {
    QFile file(path_);
    if (!file.open(QFile::WriteOnly) || file.write(text) != text.size()) qFatal("no file");
  }
  const QString& path() const { return path_; }
  session::profile::TablePreview preview() const {
    auto preview = session::profile::layer_table_in(path_);
    if (!preview) qFatal("%s", preview.error().text().c_str());
    return *std::move(preview);
  }

 private:
  QTemporaryDir directory_;
  QString path_;
};

template <class T>
T& part(const ui::dialogs::LayerTableDialog& dialog, const char* name) {
  return *dialog.findChild<T*>(QLatin1String(name));
}

bool can_add(const ui::dialogs::LayerTableDialog& dialog) {
  return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled();
}

QStringList findings(const ui::dialogs::LayerTableDialog& dialog) {
  QStringList lines;
  const auto& list = part<QListWidget>(dialog, "layer_table_findings");
  for (int row = 0; row < list.count(); ++row) lines << list.item(row)->text();
  return lines;
}

int meaning(const char* key) {
  const auto keys = io::profiles::column_keys();
  return static_cast<int>(std::ranges::find(keys, std::string_view(key), &io::profiles::ProfileKey::name) -
                          keys.begin()) +
         1;
}

class TestLayerTableImports : public QObject {
  Q_OBJECT

 private slots:
  void a_table_becomes_a_profile_in_one_step();
  void dropped_and_given_up();
  void columns_are_guessed();
  void columns_are_chosen();
  void what_is_wrong_is_told_with_its_cell();
  void what_is_no_text_is_refused();
  void which_files_are_tables();
  void a_large_table_is_read_at_once();
  void pictures();
};

void TestLayerTableImports::a_table_becomes_a_profile_in_one_step() {
  const Table table(measured);
  WindowFixture window;
  window.session().open_sample();
  const auto profiles = window.state().profiles.size();
  window.window->open_files({table.path()});
  QVERIFY(window.errors.isEmpty());
  QCOMPARE(window.questions, QStringList{"bert-pbs-8"});
  QCOMPARE(window.state().profiles.size(), profiles + 1);
  const Profile& profile = *session::project::find_profile(window.state(), window.state().question.profile)->profile;
  QCOMPARE(profile.name, std::string("bert-pbs-8"));
  QCOMPARE(profile.micro_batch, 8);
  QCOMPARE(profile.layers.size(), std::size_t{4});
  QVERIFY(std::abs(profile.layers[0].forward.count - 120.5e-6) < 1e-18);
  QCOMPARE(profile.layers[0].parameters, Bytes(12'500'000));
  QCOMPARE(profile.layers[3].output, Bytes(512 * 1024));
  QCOMPARE(window.session().undo_name(), QStringLiteral("Import bert-pbs-8"));
  window.trigger("action_undo");
  QCOMPARE(window.state().profiles.size(), profiles);
  QVERIFY(!window.session().can_undo());
}

void TestLayerTableImports::dropped_and_given_up() {
  const Table table(measured);
  WindowFixture window;
  window.session().open_sample();
  const auto drop = [&] {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(table.path())});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window.window.get(), &enter);
    QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.window.get(), &event);
  };
  window.answers.layer_table = false;
  drop();
  QCOMPARE(window.questions.size(), 1);
  QVERIFY(!window.session().can_undo());
  window.answers.layer_table = true;
  drop();
  QCOMPARE(window.session().undo_steps(), std::size_t{1});
}

void TestLayerTableImports::columns_are_guessed() {
  const Table table(measured, "mine.csv");
  ui::dialogs::LayerTableDialog dialog(table.preview());
  const char* const keys[] = {"name", "forward_ms", "backward_ms", "output_bytes", "parameter_bytes"};
  const char* const units[] = {"", "us", "us", "KiB", "MB"};
  for (int column = 0; column < 5; ++column) {
    QCOMPARE(dialog.meaning_box(column).currentIndex(), meaning(keys[column]));
    QCOMPARE(dialog.unit_box(column).currentText(), QLatin1String(units[column]));
  }
  QCOMPARE(dialog.meaning_box(5).currentIndex(), 0);
  QVERIFY(!dialog.unit_box(5).isEnabled());
  QVERIFY(can_add(dialog));
  const QString all = findings(dialog).join('\n');
  for (const char* part : {"4 layers, a row each, fields between semicolons", "Forward time: column Fwd (us), in us",
                           "Not used: FLOPs", "Times are for 1 sample", "Kinds of layers: by their names"})
    QVERIFY2(all.contains(QLatin1String(part)), qPrintable(all));
  QVERIFY(!all.contains("without a unit"));
  part<QSpinBox>(dialog, "layer_table_micro_batch").setValue(3);
  part<QLineEdit>(dialog, "layer_table_name").setText("named");
  QCOMPARE(dialog.profile()->micro_batch, 3);
  QCOMPARE(dialog.profile()->name, std::string("named"));
}

void TestLayerTableImports::columns_are_chosen() {
  const Table table("A,B,C,D,E,F\nfirst,1,2,3,4,5\nsecond,10,20,30,40,50\n", "plain.csv");
  ui::dialogs::LayerTableDialog dialog(table.preview());
  QVERIFY(!can_add(dialog));
  QVERIFY2(findings(dialog).first().contains("No column is chosen for: Name"), qPrintable(findings(dialog).first()));
  const char* const keys[] = {"name", "forward_ms", "backward_ms", "output_bytes", "parameter_bytes"};
  for (int column = 0; column < 5; ++column) dialog.meaning_box(column).setCurrentIndex(meaning(keys[column]));
  QVERIFY(can_add(dialog));
  QVERIFY(findings(dialog).join('\n').contains("Forward time: figures without a unit are in ms"));
  QCOMPARE(dialog.profile()->layers[1].forward, Seconds(0.010));
  dialog.unit_box(1).setCurrentText("s");
  QCOMPARE(dialog.profile()->layers[1].forward, Seconds(10));
  QVERIFY(!findings(dialog).join('\n').contains("Forward time: figures without"));
  dialog.unit_box(4).setCurrentText("MiB");
  QCOMPARE(dialog.profile()->layers[0].parameters, Bytes(4 << 20));
  // A meaning moves: the column that had it is left alone.
  dialog.meaning_box(5).setCurrentIndex(meaning("output_bytes"));
  QCOMPARE(dialog.meaning_box(3).currentIndex(), 0);
  QVERIFY(!dialog.unit_box(3).isEnabled());
  QCOMPARE(dialog.profile()->layers[1].output, Bytes(50));
  dialog.meaning_box(3).setCurrentIndex(meaning("saved_bytes"));
  QCOMPARE(dialog.profile()->layers[1].saved, Bytes(30));
  dialog.meaning_box(0).setCurrentIndex(0);
  QVERIFY(!dialog.profile() && !can_add(dialog));
}

void TestLayerTableImports::what_is_wrong_is_told_with_its_cell() {
  const Table table("name,forward_ms,backward_ms,output_bytes,parameter_bytes\na,1,2,3,4\nb,soon,2,3,4\na,1,2,-3,4\n",
                    "wrong.csv");
  ui::dialogs::LayerTableDialog dialog(table.preview());
  dialog.show();
  QVERIFY(!can_add(dialog));
  QCOMPARE(part<QLabel>(dialog, "layer_table_summary").text(), QStringLiteral("3 problems."));
  QVERIFY2(findings(dialog)[0].contains("Line 3, column 2 (forward_ms): found \"soon\""),
           qPrintable(findings(dialog)[0]));
  QVERIFY(findings(dialog)[1].contains("Line 4, column 1 (name)"));
  QVERIFY(findings(dialog)[2].contains("Line 4, column 4"));
  auto& cells = part<QTableWidget>(dialog, "layer_table");
  QVERIFY(cells.item(3, 1)->background().style() != Qt::NoBrush);
  QCOMPARE(cells.item(2, 1)->background().style(), Qt::NoBrush);
  auto& list = part<QListWidget>(dialog, "layer_table_findings");
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(2)).center());
  QCOMPARE(cells.currentRow(), 4);
  QCOMPARE(cells.currentColumn(), 3);
}

void TestLayerTableImports::what_is_no_text_is_refused() {
  const Table latin("name,forward_ms\nSchicht f\xfcr,1\n", "latin.csv"), open("name,forward_ms\n\"a,1\n", "open.csv"),
      empty("\n\n", "empty.csv"), heading("name,forward_ms,backward_ms,output_bytes,parameter_bytes\n", "heading.csv");
  WindowFixture window;
  window.window->open_files({latin.path(), open.path(), empty.path()});
  QCOMPARE(window.errors.size(), 3);
  QVERIFY2(window.errors[0].contains("latin.csv") && window.errors[0].contains("line 2"), qPrintable(window.errors[0]));
  QVERIFY2(window.errors[1].contains("line 2"), qPrintable(window.errors[1]));
  QVERIFY2(window.errors[2].contains("empty.csv"), qPrintable(window.errors[2]));
  QVERIFY(!window.session().can_undo());
  ui::dialogs::LayerTableDialog dialog(heading.preview());
  QVERIFY(!can_add(dialog));
  QCOMPARE(findings(dialog).size() > 0, true);
  QVERIFY(findings(dialog).first().contains("has no layers"));
}

void TestLayerTableImports::which_files_are_tables() {
  QVERIFY(session::profile::is_layer_table(Table(measured).path()));
  QVERIFY(session::profile::is_layer_table(Table("name,forward_ms\na,1\n", "layers.txt").path()));
  QVERIFY(!session::profile::is_layer_table(Table("{\"format\": \"pipedeck.plan\"}", "odd.csv").path()));
  QVERIFY(!session::profile::is_layer_table(Table("node1 -- a\n", "graph.txt").path()));
  // Bandwidths are no layers, whatever their ending.
  WindowFixture window;
  window.window->open_files({QStringLiteral(PIPEDECK_FIXTURES "/topology/4-devices.bandwidths.csv")});
  QCOMPARE(window.questions, QStringList{"Cluster from machine descriptions"});
}

void TestLayerTableImports::a_large_table_is_read_at_once() {
  QByteArray text("name,forward_ms,backward_ms,output_bytes,parameter_bytes\n");
  for (int i = 0; i < 20000; ++i) text += "layer_" + QByteArray::number(i) + ",1,2,3,4\n";
  const Table table(text);
  ui::dialogs::LayerTableDialog dialog(table.preview());
  QCOMPARE(dialog.profile()->layers.size(), std::size_t{20000});
  QElapsedTimer clock;
  clock.start();
  dialog.unit_box(1).setCurrentText("us");
  QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
}

void TestLayerTableImports::pictures() {
  const Table good(measured, "bert.csv"), bad(QByteArray(measured).replace("240", "soon"), "bert.csv");
  WindowFixture window;
  for (const char* appearance : {"dark", "light"}) {
    window.trigger((QByteArray("action_appearance_") + appearance).constData());
    for (const auto& [table, name] : {std::pair{&good, "layer-table-"}, std::pair{&bad, "layer-table-wrong-"}}) {
      ui::dialogs::LayerTableDialog dialog(table->preview(), window.window.get());
      dialog.show();
      QCoreApplication::processEvents();
      QCOMPARE(ui::layout::write_picture(dialog, pictures_folder() + name + appearance + ".png"), QString());
    }
  }
}

PIPEDECK_WINDOW_TEST(TestLayerTableImports)

}  // namespace pipedeck::tst_layer_table_imports

#include "tst_layer_table_imports.moc"
