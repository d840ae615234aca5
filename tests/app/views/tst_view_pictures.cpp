// SPDX-License-Identifier: GPL-3.0-or-later
// Draws every side view, light and dark, into pictures/ next to this program, for inspection; and checks that a picture
// has more than one colour.
#include <QApplication>
#include <QDir>
#include <QImage>
#include <QSet>
#include <QTest>
#include <QWheelEvent>

#include "app/models/compare/inspector_content.hpp"
#include "app/models/compare/plan_table_model.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/profile/view.hpp"
#include "app/views/run/view.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/theme.hpp"
#include "core/study/bandwidths.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_view_pictures {

class TestViewPictures : public QObject {
  Q_OBJECT

 private:
  bool dark_ = false;

  void keep(QWidget& widget, const QString& name, QSize size) {
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
    QCoreApplication::processEvents();
    const QImage image = widget.grab().toImage();
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
      for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    QVERIFY2(colours.size() > 4, qPrintable(name));
    const QDir folder(QCoreApplication::applicationDirPath());
    QVERIFY(folder.mkpath(QStringLiteral("pictures")));
    QVERIFY(image.save(folder.filePath(QStringLiteral("pictures/%1-%2.png").arg(name, dark_ ? "dark" : "light"))));
  }

  /// 5,000 layers in 64 stages of eight devices: the whole, and a part of it.
  void wide_split(views::split::Editor& editor) {
    Profile profile = samples::profile();
    const Layer layer = profile.layers[5];
    profile.layers.assign(5000, layer);
    for (std::size_t i = 0; i < profile.layers.size(); ++i) {
      profile.layers[i].name = "block_" + std::to_string(i);
      profile.layers[i].forward = milliseconds(6 + static_cast<double>(i % 7));
    }
    Cluster cluster = samples::cluster();
    cluster.nodes.resize(1);
    cluster.links.clear();
    cluster.nodes[0].devices[0].count = 640;
    Plan plan;
    plan.global_batch = plan.micro_batch = 64;
    for (int s = 0; s < 64; ++s) {
      Stage stage;
      stage.first = 5000 * s / 64;
      stage.last = 5000 * (s + 1) / 64;
      stage.devices = samples::devices(8 * s, 8);
      plan.stages.push_back(stage);
    }
    editor.set_plan(std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), plan,
                    samples::simulation(plan, 900, 9));
    keep(editor, "split-wide", {1150, editor.sizeHint().height()});
    for (int turn = 0; turn < 14; ++turn) {
      const QPointF at(500, 60);
      QWheelEvent wheel(at, editor.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
                        false);
      QCoreApplication::sendEvent(&editor, &wheel);
    }
    keep(editor, "split-wide-zoomed", {1150, editor.sizeHint().height()});
  }

 private slots:
  void initTestCase_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }

  void init() {
    QFETCH_GLOBAL(bool, dark);
    dark_ = dark;
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setPalette((dark ? views::widgets::Theme::night() : views::widgets::Theme::light()).palette());
  }

  void plan_table() {
    models::compare::PlanTableModel model;
    model.set_rows(samples::rows());
    views::compare::PlanTable table(&model);
    table.select_plan(2);
    keep(table, "plan-table", {1150, table.full_height()});
    keep(table, "plan-table-narrow", {770, table.full_height()});
  }

  void split() {
    views::split::Editor editor;
    const auto profile = std::make_shared<const Profile>(samples::profile());
    const auto cluster = std::make_shared<const Cluster>(samples::cluster());
    const auto show = [&](const Plan& plan, double peak_gib) {
      editor.set_plan(profile, cluster, plan, samples::simulation(plan, 735, peak_gib));
    };
    const Plan plan = samples::plan("DAPPLE 8:8", {0, 24});
    show(plan, 11.2);
    editor.resize(1150, editor.sizeHint().height());
    editor.show();
    const QPoint from = editor.handle_position(1);
    QTest::mousePress(&editor, Qt::LeftButton, {}, from);
    QTest::mouseMove(&editor, from + QPoint(24, 0));
    editor.show_preview(editor.draft().shown(), samples::simulation(plan, 738, 10.9), {});
    keep(editor, "split", {1150, editor.sizeHint().height()});
    show(plan, 11.2);
    QTest::mousePress(&editor, Qt::LeftButton, {}, editor.chip_position(DeviceId(3)));
    QTest::mouseMove(&editor, editor.chip_position(DeviceId(4)));
    QTest::mouseMove(&editor, editor.chip_position(DeviceId(11)) + QPoint(4, 3));
    editor.show_preview(editor.draft().shown(), samples::simulation(plan, 801, 10.9), {});
    keep(editor, "split-chip", {1150, editor.sizeHint().height()});
    Plan spare = plan;
    spare.stages[0].devices.resize(5);
    spare.stages[0].recompute.all = true;
    for (int layer : {30, 31, 33}) spare.stages[1].recompute.layers.emplace_back(layer);
    show(spare, 11.2);
    editor.setFocus();
    editor.set_focused({models::split::Part::stage, 1, 33, {}});
    keep(editor, "split-recompute", {1150, editor.sizeHint().height()});
    show(samples::plan("straight", {0, 4, 8, 12, 16, 20, 24, 27, 30, 33, 36, 39, 42, 44, 46, 48}), 9);
    keep(editor, "split-straight", {1000, editor.sizeHint().height()});
    show(samples::plan("over", {0, 20, 30, 40}), 17.5);
    keep(editor, "split-over", {1000, editor.sizeHint().height()});
    wide_split(editor);
    editor.clear();
    keep(editor, "split-empty", {800, editor.sizeHint().height()});
  }

  void inspector() {
    const auto rows = samples::rows();
    views::compare::Inspector view;
    view.set_content(models::compare::inspector_content(rows[1]));
    keep(view, "inspector", {300, 900});
    view.set_content(models::compare::inspector_content(rows[3]));
    keep(view, "inspector-over", {300, 900});
  }

  void project_tree() {
    models::compare::ProjectTreeModel model;
    model.set_entries(models::compare::ProjectSection::profiles, {{1, "BERT-48", {}}, {2, "GNMT-16", {}}});
    model.set_entries(models::compare::ProjectSection::clusters, {{1, "2 × 8 V100", {}}, {2, "16 × 1 V100, 10G", {}}});
    model.set_questions({{"BERT-48",
                          "2 × 8 V100 · batch 64",
                          "0.735 s",
                          1,
                          {{1, "DAPPLE", {}, false, {}, "PP 2 · DP 8", "0.735 s"},
                           {2, "PipeDream", {}, false, {}, "2:6:2:2:2:2", "0.981 s"}}}});
    model.set_entries(models::compare::ProjectSection::runs,
                      {{1, "today 14:02 · CPU", {}}, {2, "today 12:15 · failed", {}, true}});
    views::compare::ProjectTree tree(&model);
    tree.select(models::compare::ProjectSection::plans, 1);
    keep(tree, "project-tree", {210, 400});
  }

  void topology() {
    views::topology::View view;
    view.set_cluster(std::make_shared<const Cluster>(samples::cluster()));
    view.summary_part().set_bandwidths(study::bandwidths_of(samples::cluster()).value());
    keep(view, "topology", {1100, 800});
    view.set_cluster(std::make_shared<const Cluster>(mixed_cluster()));
    view.summary_part().set_bandwidths(study::bandwidths_of(mixed_cluster()).value());
    keep(view, "topology-mixed", {1280, 900});
  }

  static Cluster mixed_cluster() {
    Cluster cluster = samples::cluster();
    cluster.name = "3 × p3 and a g4";
    DeviceType t4 = cluster.device_types.front();
    t4.name = "T4";
    cluster.device_types.push_back(t4);
    cluster.nodes.clear();
    cluster.links.clear();
    cluster.switches = {{"leaf-a"}, {"leaf-b"}, {"spine"}};
    int i = 0;
    for (const char* name : {"p3-a", "p3-b", "p3-c", "g4-a"}) {
      Node node;
      node.name = name;
      node.devices = {{i < 3 ? "V100-16GB" : "T4", 4}};
      node.link = Link{gigabytes_per_second(i < 3 ? 21.3 : 6.3), microseconds(5)};
      cluster.nodes.push_back(node);
      cluster.links.push_back({name, i < 2 ? "leaf-a" : "leaf-b", {gigabytes_per_second(i < 3 ? 1.25 : 6.25), {}}});
      ++i;
    }
    cluster.links.push_back({"leaf-a", "spine", {gigabytes_per_second(12.5), {}}});
    cluster.links.push_back({"leaf-b", "spine", {gigabytes_per_second(12.5), {}}});
    return cluster;
  }

  void profile() {
    views::profile::View view;
    view.set_profile(std::make_shared<const Profile>(samples::profile()));
    view.select_layer(7);
    keep(view, "profile", {1100, 800});
  }

  void start() {
    views::compare::StartPanel panel;
    panel.set_profiles({"BERT-48", "GPT-2 124M", "VGG-19"});
    panel.set_clusters({"DAPPLE config A, 2 × 8 V100", "This machine"});
    keep(panel, "start", {1000, 560});
  }

  void run() {
    views::run::View view;
    view.set_plans({{1, "DAPPLE 1:1 · 3:3", {}}});
    view.set_models({{0, "gpt-tiny, 0.8 M", {}}});
    view.set_steps(2000);
    view.set_runs({{1, "now · DAPPLE 1:1", 2000, {}, milliseconds(90.4), milliseconds(88.2), {}, false},
                   {2, "14:02 · GPipe 1:1", 2000, {}, milliseconds(97.6), milliseconds(93), {}, false},
                   {3, "12:15 · DAPPLE 1:1", 31, "failed", {}, {}, {}, true}});
    view.start_run("gpt-tiny · DAPPLE 1:1");
    view.set_prediction({181, {0.93, 0.9}, {Bytes(421 * samples::mebibyte), Bytes(362 * samples::mebibyte)}});
    view.append(RunStarted{"DAPPLE 1:1", "gpt-tiny", "cpu", 2000, 2});
    for (int i = 1; i <= 812; ++i) {
      const double wave = std::sin(i * 0.7) + std::sin(i * 1.9);
      view.append(
          StepDone{i,
                   1.6 + 2.7 * std::exp(-i / 180.0) + 0.03 * wave,
                   milliseconds(90),
                   177 - 27 * std::exp(-i / 40.0) + wave,
                   {0.93 + 0.01 * wave, 0.9 - 0.012 * wave},
                   {Bytes((415 + static_cast<int>(2 * wave)) * samples::mebibyte), Bytes(358 * samples::mebibyte)}});
    }
    view.append(RunWarning{"two workers share one core: times are not those of two devices"});
    view.set_differences({{"forward", milliseconds(41.2), milliseconds(41.9)},
                          {"backward", milliseconds(83), milliseconds(84.8)},
                          {"transfer", milliseconds(0.9), milliseconds(1.1)},
                          {"all-reduce", {}, {}},
                          {"iteration", milliseconds(88.4), milliseconds(90.1), true}});
    view.refresh_now();
    keep(view, "run", {1280, 800});
  }
};

PIPEDECK_WINDOW_TEST(TestViewPictures)

}  // namespace pipedeck::tst_view_pictures

#include "tst_view_pictures.moc"
