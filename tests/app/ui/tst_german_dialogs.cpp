// SPDX-License-Identifier: GPL-3.0-or-later
// German dialogs and pages with something in them, in small and large windows, light and dark: nothing English, nothing
// cut off. Pictures of all of them lie in the build folder's pictures/german for people to look at.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>

#include "app/language/language.hpp"
#include "app/session/layer_tables.hpp"
#include "app/session/machine_files.hpp"
#include "app/ui/cloud_dialog.hpp"
#include "app/ui/engine_dialog.hpp"
#include "app/ui/layer_table_dialog.hpp"
#include "app/ui/machine_dialog.hpp"
#include "app/ui/run_page.hpp"
#include "app/ui/trace_dialog.hpp"
#include "app/ui/transformer_dialog.hpp"
#include "app/ui/what_if_page.hpp"
#include "app/views/capacity_pane.hpp"
#include "tests/app/ui/shown_texts.hpp"
#include "tests/app/ui/window_fixture.hpp"
#ifdef PIPEDECK_STAND_IN_CLI
#include "core/domain/validate.hpp"
#include "tests/app/ui/fake_gpus.hpp"
#include "tests/app/ui/launch_fixture.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::app::test;

namespace {

constexpr QSize sizes[]{{1280, 720}, {1920, 1080}};

QString fixture_file(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/") + QLatin1String(name); }

QString join(const QStringList& lines) { return lines.join(QLatin1Char('\n')); }

}  // namespace

class TestGermanDialogs : public QObject {
  Q_OBJECT

  QSet<QString> english_;
  const QSet<QString> headings_{// of the table that is read
                                QStringLiteral("layer"), QStringLiteral("parameters"), QStringLiteral("remarks")};
  std::unique_ptr<WindowFixture> fixture_;

  /// Pictures of `shown` in both appearances and sizes of the window; dialogs have their own size, within it.
  void check(QWidget& shown, const char* name) {
    const QString folder = pictures_folder() + QStringLiteral("german/");
    QDir().mkpath(folder);
    for (const QSize& size : sizes) {
      fixture_->window->resize(size);
      for (const char* appearance : {"light", "dark"}) {
        fixture_->trigger((QByteArray("action_appearance_") + appearance).constData());
        QVERIFY(fixture_->settle());
        QTest::qWait(60);
        QVERIFY2(shown.width() <= size.width() && shown.height() <= size.height(),
                 qPrintable(QStringLiteral("%1: %2 x %3").arg(name).arg(shown.width()).arg(shown.height())));
        const QString file = QStringLiteral("%1%2-%3-%4.png").arg(folder, name).arg(size.width()).arg(appearance);
        QVERIFY(shown.grab().save(file));
      }
      QStringList cut;  // what has just come is laid out a moment later
      const bool whole = QTest::qWaitFor([&] { return (cut = cut_texts(shown)).isEmpty(); }, 5000);
      QVERIFY2(whole, qPrintable(QStringLiteral("%1 at %2: ").arg(name).arg(size.width()) + join(cut)));
    }
    Collector texts;
    texts.add_all(shown);
    const QStringList found = texts.passed_by(english_ - headings_) + texts.with_decimal_point();
    QVERIFY2(found.isEmpty(), qPrintable(join(found)));
  }

  /// As its caller shows it.
  template <class Dialog>
  void check_dialog(Dialog& dialog, const char* name) {
    dialog.show();
    QTest::qWait(20);
    check(dialog, name);
  }

  template <class Widget>
  Widget* child(const char* name) const {
    return fixture_->child<Widget>(name);
  }

 private slots:
  void initTestCase() {
    install_language(*qApp, QStringLiteral("de"));
    english_ = english_texts();
    QVERIFY(english_.size() > 1000);
  }
  void init() {
    fixture_ = std::make_unique<WindowFixture>();
    fixture_->window->resize(sizes[0]);
  }
  void cleanup() { fixture_.reset(); }

  void columnsOfALayerTable_data() {
    QTest::addColumn<QByteArray>("figure");
    QTest::newRow("layer-table") << QByteArray("2.4");
    QTest::newRow("layer-table-wrong") << QByteArray("soon");
  }
  void columnsOfALayerTable() {
    QFETCH(QByteArray, figure);
    QTemporaryDir folder;
    QFile file(folder.filePath("bert.csv"));
    QVERIFY(file.open(QFile::WriteOnly));
    file.write("layer,forward (ms),backward (ms),activation MB,parameters,remarks\nembedding,0.5,1.25,12,31254528,\n");
    for (int i = 0; i < 24; ++i)
      file.write("block_" + QByteArray::number(i) + "," + (i == 3 ? figure : QByteArray("2.4")) +
                 ",4.8,33.5,12596224,x\n");
    file.close();
    const auto preview = layer_table_in(file.fileName());
    QVERIFY(preview);
    LayerTableDialog dialog(*preview, fixture_->window.get());
    check_dialog(dialog, QTest::currentDataTag());
  }

  void machinesOfClouds() {
    CloudDialog dialog(fixture_->window.get());
    dialog.show();
    QTest::keyClicks(dialog.findChild<QLineEdit*>("cloud_search"), "a100");
    dialog.findChild<QSpinBox*>("machine_copies")->setValue(2);
    check_dialog(dialog, "cloud");
  }

  void descriptionsOfMachines() {
    MachineDialog one(preview_of(*machines_in({fixture_file("topology/dgx1-v100.topo.txt")})), fixture_->window.get());
    check_dialog(one, "machine");
  }

  void descriptionsOfASite() {
    MachineDialog site(preview_of(*machines_in(
                           {fixture_file("topology/site.slurm.txt"), fixture_file("topology/site.topology.conf")})),
                       fixture_->window.get());
    check_dialog(site, "machine-site");
  }

  void computedProfiles_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("transformer") << fixture_file("hugging_face/llama-3-8b.config.json");
    QTest::newRow("transformer-experts") << fixture_file("hugging_face/deepseek-v2-lite.config.json");
    QTest::newRow("onnx") << fixture_file("onnx/tokens.onnx");
    QTest::newRow("onnx-pictures") << fixture_file("onnx/pictures.onnx");
  }
  void computedProfiles() {
    QFETCH(QString, file);
    const auto preview = transformer_in(file);
    QVERIFY(preview);
    TransformerDialog dialog(*preview, fixture_->window.get());
    check_dialog(dialog, QTest::currentDataTag());
  }

  void modulesOfATrace() {
    const auto preview = traced_modules_in(fixture_file("traces/transformer.trace.json.gz"), {}, {});
    QVERIFY(preview && *preview);
    TraceDialog dialog(**preview, fixture_->window.get());
    check_dialog(dialog, "trace");
  }

  void plansForOtherEngines() {
    QVERIFY(fixture_->open_sample());
    fixture_->trigger("action_export_engine");
    auto* dialog = child<EngineDialog>("engine_dialog");
    QVERIFY(dialog);
    auto* choice = dialog->findChild<QComboBox*>("engine_choice");
    for (int i = 0; i < choice->count(); ++i) {
      choice->setCurrentIndex(i);
      QVERIFY(fixture_->settle());
      check(*dialog, qPrintable(QStringLiteral("engines-%1").arg(i)));
    }
  }

  void whatIf_data() {
    QTest::addColumn<int>("tab");
    QTest::newRow("front") << 0;
    QTest::newRow("capacity") << 1;
    QTest::newRow("largest") << 2;
  }
  void whatIf() {
    QFETCH(int, tab);
    QVERIFY(fixture_->open_sample());
    fixture_->window->show_page(Page::what_if);
    WhatIfPage& page = fixture_->window->what_if_page();
    auto* tabs = child<QTabWidget>("what_if_tabs");
    tabs->setCurrentIndex(tab);
    if (tab == 1) {
      child<QSpinBox>("capacity_nodes")->setValue(6);
      for (const auto& [field, text] : {std::pair{"capacity_amount", "20M"}, {"capacity_within", "3d"}}) {
        child<QLineEdit>(field)->selectAll();
        QTest::keyClicks(child<QLineEdit>(field), QLatin1String(text));
      }
      QTest::mouseClick(child<QPushButton>("capacity_find"), Qt::LeftButton);
    } else if (tab == 2) {
      child<QSpinBox>("largest_step")->setValue(24);
      child<QSpinBox>("largest_most")->setValue(192);
      QTest::mouseClick(child<QPushButton>("largest_find"), Qt::LeftButton);
    }
    QTest::qWait(80);
    QVERIFY(QTest::qWaitFor([&] { return !page.study().searching() && !fixture_->session().jobs().any_running(); },
                            120000));
    check(*fixture_->window, QTest::currentDataTag());
  }

  /// Trials are runs: they fill the list, the words below the buttons and the table's column.
  void trialsAndTheListOfRuns() {
    fixture_->session().choose_profile_preset("mlp-small");
    fixture_->session().choose_cluster_preset("2 CPU threads");
    fixture_->session().set_global_batch(64);
    fixture_->trigger("action_compare");
    QVERIFY(fixture_->settle());
    RunPage& page = fixture_->window->run_page();
    fixture_->window->show_page(Page::run);
    page.set_steps(5);
    child<QSpinBox>("run_trial_count")->setValue(2);
    child<QPushButton>("run_trials")->click();
    QVERIFY(QTest::qWaitFor([&] { return !page.trials().running(); }, 240000));
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(join(fixture_->errors)));
    check(*fixture_->window, "run");
    fixture_->window->show_page(Page::compare);
    check(*fixture_->window, "measured");
  }

  /// One GPU for a plan of two devices, what is offered, and a run that shares it.
  void gpusOfTheRunPage() {
#ifndef PIPEDECK_STAND_IN_CLI
    QSKIP("the stand-in for NVIDIA's libraries is not built");
#else
    const FakeGpus gpus({"FAKE_GPUS=1"});
    fixture_ = std::make_unique<WindowFixture>(QStringLiteral(PIPEDECK_STAND_IN_CLI));
    compare_on_this_machine(*fixture_, "mlp-small");
    for (const PlanEntry& entry : fixture_->state().plans)
      if (entry.feasible() && entry.plan->synchronous() && devices_used(*entry.plan).size() == 2)
        fixture_->session().select_plan(entry.id);
    fixture_->window->show_page(Page::run);
    auto* answer = child<QLabel>("run_answer");
    QTRY_VERIFY_WITH_TIMEOUT(!child<QLabel>("run_gpus_here")->text().isEmpty(), 60000);
    child<QComboBox>("run_backend")->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(child<QToolButton>("run_offer_sharing")->isVisible(), 60000);
    check(*fixture_->window, "gpus-too-few");
    QTRY_VERIFY_WITH_TIMEOUT(child<QToolButton>("run_offer_sharing")->isVisible(), 60000);  // it may be looked at anew
    QTest::mouseClick(child<QToolButton>("run_offer_sharing"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(answer->text().contains("teilen sich"), 60000);
    fixture_->window->run_page().set_steps(200);
    QTest::mouseClick(child<QPushButton>("run_launch"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !fixture_->session().launching(); }, 120000));
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(join(fixture_->errors)));
    QTRY_VERIFY_WITH_TIMEOUT(answer->isVisible() && answer->text().startsWith("bereit"), 60000);
    QTest::qWait(200);
    check(*fixture_->window, "run-on-gpus");
#endif
  }
};

QTEST_MAIN(TestGermanDialogs)
#include "tst_german_dialogs.moc"
