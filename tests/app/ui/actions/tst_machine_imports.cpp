// SPDX-License-Identifier: GPL-3.0-or-later
// Described machines on their way into the window: opened, dropped, imported together; the dialog shows what was
// understood and follows what is answered; this machine is looked at by a child process.
#include <algorithm>
#include <functional>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QScopeGuard>
#include <QSpinBox>
#include <QTableWidget>

#include "app/session/project/content.hpp"
#include "app/ui/dialogs/cloud_dialog.hpp"
#include "app/ui/dialogs/machine_dialog.hpp"
#include "app/views/topology/palette.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/quantity_edit.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_machine_imports {

using namespace pipedeck::test;

QString fixture(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/topology/") + QLatin1String(name); }

/// The contents of the project file, without runs.
auto bytes_of(const session::project::State& state) {
  store::ProjectContent content = session::project::content_of(state);
  return std::pair(std::move(content.documents), std::move(content.settings));
}

const Cluster& chosen(const WindowFixture& window) {
  return *session::project::find_cluster(window.state(), window.state().question.cluster)->cluster;
}

class TestMachineImports : public QObject {
  Q_OBJECT

 private slots:
  void files_become_a_cluster_in_one_step() {
    WindowFixture window;
    window.session().open_sample();
    const auto before = bytes_of(window.state());
    window.window->open_files({fixture("dgx-a100.topo.txt"), fixture("dgx-a100.xml")});
    QCOMPARE(window.questions, QStringList{QStringLiteral("Cluster from machine descriptions")});
    QCOMPARE(chosen(window).name, std::string("8 × A100-40GB"));
    QCOMPARE(window.session().undo_name(), QStringLiteral("Import 8 × A100-40GB"));
    window.trigger("action_undo");
    QVERIFY(bytes_of(window.state()) == before);
    window.answers.machines = false;
    window.window->open_files({fixture("4xt4.xml")});
    QVERIFY(bytes_of(window.state()) == before);
    QVERIFY(window.errors.isEmpty());
  }

  /// A cluster's speeds are against a V100: of a profile of a third device they make something else.
  void unlike_devices_are_marked() {
    WindowFixture window;
    const auto profile_of = [&](const QByteArray& device) {
      QFile file(window.path(device + ".profile.json"));
      ensure(file.open(QFile::WriteOnly), "a profile");
      file.write(
          QByteArray(R"({"format": "pipedeck.profile", "version": 1, "name": "of @", "device": "@", "micro_batch": 1,
        "layers": [{"name": "a", "forward_ms": 1, "backward_ms": 2, "output_bytes": 1, "parameter_bytes": 1},
                   {"name": "b", "forward_ms": 1, "backward_ms": 2, "output_bytes": 1, "parameter_bytes": 1}]})")
              .replace('@', device));
      return file.fileName();
    };
    const auto* box = window.child<QComboBox>("cluster_box");
    window.window->open_files({profile_of("A100-80GB")});
    window.window->open_files({fixture("dgx-a100.topo.txt")});  // of A100-40GB
    QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
    QVERIFY(!box->itemIcon(box->currentIndex()).isNull());
    QVERIFY2(box->toolTip().contains("as fast as A100-80GB, for which the layer times are"),
             qPrintable(box->toolTip()));
    window.window->grab().save(pictures_folder() + "unlike-devices.png");
    window.window->open_files({profile_of("A100-40GB")});
    QVERIFY(box->itemIcon(box->currentIndex()).isNull());
    QVERIFY(!box->toolTip().contains("the profile is for"));
  }

  /// The words of the command line, for files that are none.
  void strange_files_are_told_by_their_words_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("words");
    QTest::newRow("a device") << QByteArray() << "found a device, expected a file";
    QTest::newRow("a later dump") << QByteArray("<system version=\"3\"/>") << "found version \"3\", expected 1 or 2";
    QTest::newRow("statuses") << QByteArray("\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n")
                              << "found no matrix of GPUs, expected what nvidia-smi topo -m prints";
    QTest::newRow("all down") << QByteArray("NodeName=a Gres=gpu:8 State=DOWN\n")
                              << "found 1 nodes with GPUs, all of them down or drained, expected one that is up";
    QTest::newRow("a thousand million hosts")
        << QByteArray("NodeName=node[1-1000000000] Gres=gpu:8\n") << "found more than 65536 hosts";
  }
  void strange_files_are_told_by_their_words() {
    QFETCH(QByteArray, content);
    QFETCH(QString, words);
    WindowFixture window;
    const QString path = window.path("strange");
    QFile file(path);
    if (content.isEmpty()) {
      QVERIFY(QFile::link("/dev/zero", path));
    } else {
      QVERIFY(file.open(QFile::WriteOnly));
      file.write(content);
      file.close();
    }
    const auto before = bytes_of(window.state());
    window.window->open_files({path});
    QCOMPARE(window.errors.size(), 1);
    QVERIFY2(window.errors[0].contains("strange") && window.errors[0].contains(words), qPrintable(window.errors[0]));
    QVERIFY(bytes_of(window.state()) == before);
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
    ui::dialogs::MachineDialog dialog(
        session::cluster::preview_of(*session::cluster::machines_in({fixture("dgx1-v100.topo.txt")})));
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
    auto* network = dialog.findChild<views::widgets::QuantityEdit*>("machine_network");
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
    FoundMachines nameless = *session::cluster::machines_in({fixture("4xt4.topo.txt")});
    for (FoundGpu& gpu : nameless.machines[0].gpus) gpu.name.clear();
    ui::dialogs::MachineDialog dialog(session::cluster::preview_of(nameless));
    auto* add = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(!add->isEnabled() && !dialog.cluster());
    QVERIFY(dialog.findChild<QLabel*>("machine_summary")->text().contains("--device"));
    dialog.findChild<QComboBox*>("machine_device")->setCurrentText("L4");
    QVERIFY(add->isEnabled() && dialog.cluster());
  }

  void a_site_asks_for_its_partition() {
    ui::dialogs::MachineDialog dialog(session::cluster::preview_of(
        *session::cluster::machines_in({fixture("site.slurm.txt"), fixture("site.topology.conf")})));
    QVERIFY(dialog.cluster() && dialog.cluster()->switches.size() == 4);
    QVERIFY(!dialog.findChild<QSpinBox*>("machine_copies") && !dialog.findChild<QComboBox*>("machine_unit"));
    dialog.findChild<QComboBox*>("machine_partition")->setCurrentText("h100");
    QCOMPARE(devices_of(*dialog.cluster()).size(), std::size_t{4});
    dialog.grab().save(pictures_folder() + "machine_dialog_site.png");
  }

  void one_node_stands_for_a_site() {
    ui::dialogs::MachineDialog dialog(session::cluster::preview_of(
        *session::cluster::machines_in({fixture("site.slurm.txt"), fixture("dgx-a100.topo.txt")})));
    QCOMPARE(dialog.cluster()->nodes.size(), std::size_t{5});
    QVERIFY(!dialog.findChild<QListWidget*>("machine_notes")
                 ->findItems("3 more are taken to be like dgx-a100", Qt::MatchContains)
                 .isEmpty());
    dialog.grab().save(pictures_folder() + "machine_dialog_one_node.png");
  }

  void a_site_asks_for_its_uplinks() {
    ui::dialogs::MachineDialog dialog(session::cluster::preview_of(
        *session::cluster::machines_in({fixture("site.slurm.txt"), fixture("site.topology.conf")})));
    dialog.show();
    (void)QTest::qWaitForWindowActive(&dialog);
    auto* uplink = dialog.findChild<views::widgets::QuantityEdit*>("machine_uplink");
    QVERIFY(uplink);
    const auto switches_at = [&](BytesPerSecond rate) {
      const std::vector<NetworkLink>& links = dialog.cluster()->links;
      return std::ranges::count_if(links, [&](const NetworkLink& link) { return link.link.bandwidth == rate; });
    };
    QCOMPARE(switches_at(BytesPerSecond(7e9)), 0);
    uplink->setFocus();
    QTest::keyClicks(uplink, "56 Gbit/s");
    QTest::keyClick(uplink, Qt::Key_Tab);
    QCOMPARE(switches_at(BytesPerSecond(7e9)), 3);  // of the leaves to the core
    QVERIFY(!ui::dialogs::MachineDialog(
                 session::cluster::preview_of(*session::cluster::machines_in({fixture("4xt4.topo.txt")})))
                 .findChild<QWidget*>("machine_uplink"));
  }

  void a_cloud_machine_in_one_step() {
    WindowFixture window;
    window.session().open_sample();
    const auto before = bytes_of(window.state());
    window.answers.cloud = false;
    window.trigger("action_import_cloud");
    QVERIFY(!window.session().can_undo());
    window.answers.cloud = true;
    window.trigger("action_import_cloud");
    QCOMPARE(window.session().undo_steps(), std::size_t{1});
    QVERIFY(window.session().undo_name().startsWith("Import "));
    window.trigger("action_undo");
    QVERIFY(bytes_of(window.state()) == before);
    // The palette of the topology offers the same.
    window.trigger("action_page_topology");
    auto& palette = *window.window->findChild<views::topology::Palette*>();
    palette.setCurrentItem(palette.find_item("Cloud machines…"));
    palette.setFocus();
    QTest::keyClick(&palette, Qt::Key_Return);
    QCOMPARE(window.questions.size(), 3);
  }

  /// For the types of clouds, the months of the first and the last price.
  void clouds_tell_the_months_of_prices() {
    QStringList months;
    for (const session::cluster::CloudInstance& offer : session::cluster::cloud_offers()) months << offer.price_date;
    months.sort();
    QVERIFY(months.first() < months.last());
    const QString text = ui::dialogs::CloudDialog().findChild<QLabel*>("cloud_dates")->text();
    QVERIFY2(text.contains(months.first() + " – " + months.last()), qPrintable(text));
  }

  void clouds_are_searched() {
    ui::dialogs::CloudDialog dialog;
    dialog.show();
    auto& table = *dialog.findChild<QTableWidget*>("cloud_offers");
    auto& search = *dialog.findChild<QLineEdit*>("cloud_search");
    const auto shown = [&] {
      QStringList names;
      for (int row = 0; row < table.rowCount(); ++row)
        if (!table.isRowHidden(row)) names << table.item(row, 0)->text();
      return names;
    };
    QCOMPARE(shown().size(), static_cast<qsizetype>(session::cluster::cloud_offers().size()));
    QTest::keyClicks(&search, "aws a100-40");
    QCOMPARE(shown(), QStringList{"p4d.24xlarge"});
    QCOMPARE(dialog.chosen(), QStringLiteral("p4d.24xlarge"));
    const Cluster cluster = dialog.cluster().value();
    QCOMPARE(devices_of(cluster).size(), std::size_t{8});
    QCOMPARE(cluster.device_types[0].name, std::string("A100-40GB"));
    auto& copies = *dialog.findChild<QSpinBox*>("machine_copies");
    copies.setValue(3);
    QCOMPARE(devices_of(*dialog.cluster()).size(), std::size_t{24});
    QCOMPARE(copies.maximum(), 8192);  // 65,536 devices, the most of a cluster file
    copies.setValue(2048);
    QCOMPARE(devices_of(*dialog.cluster()).size(), std::size_t{16384});
    // Too large to draw while the user types: the place of the drawing does not ask for a cluster.
    const auto* drawing = dialog.findChild<views::topology::View*>();
    QVERIFY(drawing && drawing->isHidden());
    copies.setValue(3);
    QVERIFY(!drawing->isHidden());
    const Cluster three = dialog.cluster().value();
    QCOMPARE(three.links[0].link.bandwidth, BytesPerSecond(400e9 / 8));
    QVERIFY(!dialog.findChild<QWidget*>("machine_device"));
    QTest::keyClicks(&search, " nonsense");
    QVERIFY(shown().isEmpty() && dialog.chosen().isEmpty() && !dialog.cluster());
    QVERIFY(!dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled());
    search.clear();
    QVERIFY(dialog.cluster() && !dialog.chosen().isEmpty());
    const QString first = dialog.chosen();
    QTest::keyClick(&search, Qt::Key_Down);
    QVERIFY(dialog.chosen() != first);
  }

  /// By figures, not by their letters.
  void clouds_are_sorted() {
    ui::dialogs::CloudDialog dialog;
    auto& table = *dialog.findChild<QTableWidget*>("cloud_offers");
    const auto prices = [&] {
      std::vector<double> found;
      for (int row = 0; row < table.rowCount(); ++row)
        for (const session::cluster::CloudInstance& offer : session::cluster::cloud_offers())
          if (offer.name == table.item(row, 0)->text()) found.push_back(offer.price_per_hour.value_or(-1));
      return found;
    };
    QVERIFY(std::ranges::is_sorted(prices()));
    table.sortByColumn(6, Qt::DescendingOrder);
    QVERIFY(std::ranges::is_sorted(prices(), std::greater{}));
    QCOMPARE(prices().size(), session::cluster::cloud_offers().size());
  }

  void cloud_pictures() {
    WindowFixture window;
    for (const char* appearance : {"dark", "light"}) {
      window.trigger((QByteArray("action_appearance_") + appearance).constData());
      ui::dialogs::CloudDialog dialog(window.window.get());
      dialog.show();
      QTest::keyClicks(dialog.findChild<QLineEdit*>("cloud_search"), "a100");
      dialog.findChild<QSpinBox*>("machine_copies")->setValue(2);
      QCoreApplication::processEvents();
      dialog.grab().save(pictures_folder() + "cloud-" + appearance + ".png");
    }
  }

  void a_table_asks_for_its_unit() {
    FoundMachines table = *session::cluster::machines_in({fixture("4-devices.bandwidths.csv")});
    QVERIFY(!ui::dialogs::MachineDialog(session::cluster::preview_of(table)).findChild<QComboBox*>("machine_unit"));
    table.matrix->unit.clear();
    ui::dialogs::MachineDialog dialog(session::cluster::preview_of(table));
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

  /// With a driver that a library of the tests stands for.
  void gpus_of_this_machine_in_one_click() {
    const QByteArray folders = qgetenv("LD_LIBRARY_PATH");
    const auto restore = qScopeGuard([&] {
      folders.isNull() ? qunsetenv("LD_LIBRARY_PATH") : qputenv("LD_LIBRARY_PATH", folders);
      qunsetenv("FAKE_GPUS");
    });
    qputenv("LD_LIBRARY_PATH", QByteArray(PIPEDECK_FAKE_DRIVER) + (folders.isEmpty() ? "" : ":" + folders));
    qputenv("FAKE_GPUS", "4");
    WindowFixture window;
    window.session().open_sample();
    window.trigger("action_import_machine");
    QTRY_VERIFY_WITH_TIMEOUT(!window.questions.isEmpty() || !window.errors.isEmpty(), 30000);
    QVERIFY2(window.errors.isEmpty(), qPrintable(window.errors.join('\n')));
    QCOMPARE(chosen(window).name, std::string("4 × H200"));
    QCOMPARE(devices_of(chosen(window)).size(), std::size_t{4});
    QCOMPARE(chosen(window).nodes.front().link->bandwidth, BytesPerSecond(450e9));  // 18 NVLinks of 25 GB/s
    QCOMPARE(window.session().undo_name(), QStringLiteral("Import 4 × H200"));
  }
};

PIPEDECK_WINDOW_TEST(TestMachineImports)

}  // namespace pipedeck::tst_machine_imports

#include "tst_machine_imports.moc"
