// SPDX-License-Identifier: GPL-3.0-or-later
// Described machines on their way into the window: opened, dropped, imported together; the dialog shows what was
// understood and follows what is answered; this machine is looked at by a child process.
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>

#include "app/session/project_content.hpp"
#include "app/ui/machine_dialog.hpp"
#include "app/views/quantity_edit.hpp"
#include "tests/app/ui/window_fixture.hpp"

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::app::test;

namespace {

QString fixture(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/topology/") + QLatin1String(name); }

/// What the project file would hold, runs apart.
auto bytes_of(const ProjectState& state) {
  ProjectContent content = content_of(state);
  return std::pair(std::move(content.documents), std::move(content.settings));
}

const Cluster& chosen(const WindowFixture& window) {
  return *find_cluster(window.state(), window.state().question.cluster)->cluster;
}

}  // namespace

class TestMachineImports : public QObject {
  Q_OBJECT

 private slots:
  void files_become_a_cluster_in_one_step() {
    WindowFixture window;
    window.session().open_sample();
    const auto before = bytes_of(window.state());
    window.window->open_files({fixture("dgx-a100.topo.txt"), fixture("dgx-a100.xml")});
    QCOMPARE(window.questions, QStringList{QStringLiteral("Cluster from descriptions of machines")});
    QCOMPARE(chosen(window).name, std::string("8 × A100-40GB"));
    QCOMPARE(window.session().undo_name(), QStringLiteral("Import 8 × A100-40GB"));
    window.trigger("action_undo");
    QVERIFY(bytes_of(window.state()) == before);
    window.answers.machines = false;
    window.window->open_files({fixture("4xt4.xml")});
    QVERIFY(bytes_of(window.state()) == before);
    QVERIFY(window.errors.isEmpty());
  }

  void broken_files_are_told() {
    WindowFixture window;
    window.session().open_sample();
    QFile file(window.path("broken.xml"));
    QVERIFY(file.open(QFile::WriteOnly));
    file.write("<system version=\"1\"><cpu>");
    file.close();
    window.window->open_files({file.fileName()});
    QCOMPARE(window.errors.size(), 1);
    QVERIFY2(window.errors.first().contains("broken.xml"), qPrintable(window.errors.first()));
    QVERIFY(!window.session().can_undo());
  }

  void dropped_files_too() {
    WindowFixture window;
    window.session().open_sample();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(fixture("4xt4.topo.txt"))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window.window.get(), &enter);
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.window.get(), &drop);
    QCOMPARE(chosen(window).name, std::string("4 × T4"));
  }

  void the_dialog_follows_the_answers() {
    MachineDialog dialog(preview_of(*machines_in({fixture("dgx1-v100.topo.txt")})));
    dialog.show();
    dialog.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
    auto* notes = dialog.findChild<QListWidget*>("machine_notes");
    auto* summary = dialog.findChild<QLabel*>("machine_summary");
    QVERIFY(notes->count() > 3);
    QVERIFY2(summary->text().startsWith("8 devices · 1 machine"), qPrintable(summary->text()));
    QVERIFY(dialog.cluster()->bandwidth_matrix);
    // Nothing can be dragged into a drawing that only shows what was understood, and no field offers to change it.
    for (const char* editing : {"topology_palette", "topology_properties"})
      QVERIFY(!dialog.findChild<QWidget*>(editing)->isVisible());
    dialog.grab().save(pictures_folder() + "machine_dialog.png");
    dialog.findChild<QComboBox*>("machine_shape")->setCurrentIndex(1);
    QVERIFY(!dialog.cluster()->bandwidth_matrix);
    dialog.findChild<QComboBox*>("machine_device")->setCurrentText("V100-32GB");
    QCOMPARE(dialog.cluster()->device_types[0].name, std::string("V100-32GB"));
    dialog.findChild<QSpinBox*>("machine_copies")->setValue(4);
    auto* network = dialog.findChild<QuantityEdit*>("machine_network");
    network->setFocus();
    QTest::keyClicks(network, "200 Gbit/s");
    QTest::keyClick(network, Qt::Key_Tab);
    QCOMPARE(dialog.cluster()->links[0].link.bandwidth, BytesPerSecond(25e9));
    QTest::keyClicks(dialog.findChild<QLineEdit*>("machine_name"), "the lab");
    QCOMPARE(dialog.cluster()->name, std::string("the lab"));
    QVERIFY(summary->text().startsWith("32 devices · 4 machines"));
    dialog.grab().save(pictures_folder() + "machine_dialog_links.png");
  }

  void what_is_not_told_is_asked_for() {
    FoundMachines nameless = *machines_in({fixture("4xt4.topo.txt")});
    for (FoundGpu& gpu : nameless.machines[0].gpus) gpu.name.clear();
    MachineDialog dialog(preview_of(nameless));
    auto* add = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(!add->isEnabled() && !dialog.cluster());
    QVERIFY(dialog.findChild<QLabel*>("machine_summary")->text().contains("--device"));
    dialog.findChild<QComboBox*>("machine_device")->setCurrentText("L4");
    QVERIFY(add->isEnabled() && dialog.cluster());
  }

  void a_site_asks_for_its_partition() {
    MachineDialog dialog(preview_of(*machines_in({fixture("site.slurm.txt"), fixture("site.topology.conf")})));
    QVERIFY(dialog.cluster() && dialog.cluster()->switches.size() == 4);
    QVERIFY(!dialog.findChild<QSpinBox*>("machine_copies") && !dialog.findChild<QComboBox*>("machine_unit"));
    dialog.findChild<QComboBox*>("machine_partition")->setCurrentText("h100");
    QCOMPARE(devices_of(*dialog.cluster()).size(), std::size_t{4});
    dialog.grab().save(pictures_folder() + "machine_dialog_site.png");
  }

  void a_table_asks_for_its_unit() {
    FoundMachines table = *machines_in({fixture("4-devices.bandwidths.csv")});
    QVERIFY(!MachineDialog(preview_of(table)).findChild<QComboBox*>("machine_unit"));
    table.matrix->unit.clear();
    MachineDialog dialog(preview_of(table));
    QVERIFY(!dialog.findChild<QWidget*>("machine_network"));
    QCOMPARE((*dialog.cluster()->bandwidth_matrix)[0][1], BytesPerSecond(233.9e9));
    dialog.findChild<QComboBox*>("machine_unit")->setCurrentText("MB/s");
    QCOMPARE((*dialog.cluster()->bandwidth_matrix)[0][1], BytesPerSecond(233.9e6));
  }

  void this_machine_by_a_child_process() {
    WindowFixture window;
    window.session().open_sample();
    window.trigger("action_import_machine");
    window.trigger("action_import_machine");  // once is enough
    QTRY_VERIFY_WITH_TIMEOUT(!window.questions.isEmpty() || !window.errors.isEmpty(), 30000);
    QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
    QCOMPARE(window.questions, QStringList{QStringLiteral("Cluster of this machine")});
    QVERIFY(window.session().undo_name().startsWith("Import "));
    QVERIFY(!devices_of(chosen(window)).empty());
  }
};

QTEST_MAIN(TestMachineImports)
#include "tst_machine_imports.moc"
