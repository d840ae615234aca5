// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh editor in the real window: a click on a degree is one named step that charts and figures follow, locks keep
// dimensions, keys do what the mouse does.
#include <algorithm>
#include <cmath>

#include <QAbstractButton>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QToolButton>

#include "app/session/project/content.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/mesh/degrees.hpp"
#include "app/views/mesh/editor.hpp"
#include "app/views/split/editor.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/presets/presets.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_editor {

using namespace pipedeck::test;
using MeshDimension = session::plans::MeshStudy::Dimension;

/// Llama 3 70B on 64 devices with T 4, D 4, P 4, v 5, sharded optimizer states.
Plan plan_70b(const std::string& profile, const std::string& cluster) {
  constexpr int stages = 20, of_stage = 4, ranks = 4, of_rank = 16;
  Plan plan;
  plan.profile = profile, plan.cluster = cluster;
  plan.name = "my 70B", plan.planner = "hand";
  plan.global_batch = 128, plan.micro_batch = 4, plan.micro_batches = 32;
  plan.schedule = ScheduleKind::interleaved;
  plan.precision = Precision::mixed_18;
  plan.sharding.level = 1;
  plan.choices.emplace().training.products.clear();
  for (int s = 0; s < stages; ++s) {
    Stage& stage = plan.stages.emplace_back();
    stage.first = s == 0 ? 0 : 1 + s * of_stage;
    stage.last = 1 + (s + 1) * of_stage + (s + 1 == stages ? 3 : 0);
    stage.tensor_parallel = 4, stage.degrees.sequence = true;
    for (int d = 0; d < of_rank; ++d) stage.devices.emplace_back(s % ranks * of_rank + d);
  }
  return plan;
}

/// Mixtral 8x7B on 64 devices with P 2, D 32 and e 8.
Plan plan_of_experts(const Profile& profile, const std::string& cluster) {
  Plan plan;
  plan.profile = profile.name, plan.cluster = cluster;
  plan.name = "my experts", plan.planner = "hand";
  plan.micro_batch = 32, plan.micro_batches = 8, plan.global_batch = 256;
  plan.schedule = ScheduleKind::one_f_one_b;
  plan.precision = Precision::mixed_18;
  plan.sharding.level = 1;
  plan.choices.emplace().training.products.clear();
  const int layers = static_cast<int>(profile.layers.size()), between = layers - 4;  // embedding; norm, head, loss
  for (int s = 0; s < 2; ++s) {
    Stage& stage = plan.stages.emplace_back();
    stage.first = s == 0 ? 0 : 1 + between / 4 * 2;
    stage.last = s == 0 ? 1 + between / 4 * 2 : layers;
    stage.degrees.expert = 8;
    for (int d = 0; d < 32; ++d) stage.devices.emplace_back(s * 32 + d);
  }
  return plan;
}

class TestMeshEditor : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<WindowFixture> fixture_;

  ui::pages::ComparePage& page() const { return fixture_->window->compare_page(); }
  views::mesh::Editor& editor() const { return page().mesh(); }
  views::mesh::Degrees& degrees() const { return editor().degrees(); }
  session::Session& session() const { return fixture_->session(); }
  const Plan& plan() const {
    return *session::project::find_plan(session().state(), session().state().selected_plan)->plan;
  }
  int tensor() const { return plan().stages.front().tensor_parallel; }
  QString product() const {
    QString text = editor().product().text();
    return text.remove(QRegularExpression(QStringLiteral("<[^>]*>")));
  }
  const models::mesh::Row* row(MeshDimension dimension) const {
    for (const models::mesh::Row& one : degrees().sheet().rows)
      if (one.dimension == static_cast<int>(dimension)) return &one;
    return nullptr;
  }
  [[nodiscard]] bool ready() const {
    return fixture_->settle() && QTest::qWaitFor(
                                     [&] {
                                       return page().mesh_study().current() && !session().jobs().any_running() &&
                                              page().row(session().state().selected_plan) &&
                                              page().row(session().state().selected_plan)->simulation;
                                     },
                                     60000);
  }
  void click(MeshDimension dimension, int value) const {
    const QRect place = degrees().place_of(static_cast<int>(dimension), value);
    QVERIFY2(!place.isNull(), qPrintable(QString::number(value)));
    QTest::mouseClick(&degrees(), Qt::LeftButton, {}, place.center());
  }

 private slots:
  void init() {
    fixture_ = std::make_unique<WindowFixture>();
    const auto profile = presets::profile_preset("llama-3-70b");
    const auto cluster = presets::open_cluster("preset:8x8-h100-sxm");
    QVERIFY(profile && cluster);
    const auto file = [&](const char* name) { return fixture_->path(name).toStdString(); };
    QVERIFY(io::write_file(file("p.profile.json"), io::documents::profile_to_json(*profile)));
    QVERIFY(io::write_file(file("c.cluster.json"), io::documents::cluster_to_json(*cluster)));
    QVERIFY(io::write_file(file("70b.plan.json"), io::documents::plan_to_json(plan_70b(profile->name, cluster->name))));
    fixture_->window->open_files({fixture_->path("p.profile.json"), fixture_->path("c.cluster.json")});
    QVERIFY(fixture_->settle());
    fixture_->window->open_files({fixture_->path("70b.plan.json")});
    QVERIFY(ready());
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join('\n')));
  }

  void a_click_is_one_step_that_all_follow() {
    QVERIFY(editor().isVisible() && !page().split().isVisible());
    QCOMPARE(product(), QStringLiteral("TP 4 × CP 1 × PP 4 × DP 4 = 64 GPUs"));
    QVERIFY(row(MeshDimension::tensor)->bytes != QStringLiteral("–"));
    QVERIFY(!row(MeshDimension::expert));  // no experts
    const auto before = session::project::content_of(session().state()).documents;
    const std::size_t steps = session().undo_steps();
    const Nanoseconds old = page().row(session().state().selected_plan)->simulation->iteration;
    const QString verdict = editor().findChild<QLabel*>(QStringLiteral("mesh_verdict"))->text();

    click(MeshDimension::tensor, 8);
    QCOMPARE(session().undo_steps(), steps + 1);
    QCOMPARE(session().undo_name(), QStringLiteral("TP 8"));
    QCOMPARE(tensor(), 8);
    QCOMPARE(plan().stages.front().replicas(), 2);
    QVERIFY(ready());
    QCOMPARE(product(), QStringLiteral("TP 8 × CP 1 × PP 4 × DP 2 = 64 GPUs"));
    const auto simulation = page().row(session().state().selected_plan)->simulation;
    QVERIFY(simulation->iteration != old);
    QVERIFY(editor().findChild<QLabel*>(QStringLiteral("mesh_verdict"))->text() != verdict);
    // The sheet's time and memory are the simulation's.
    const auto* sheet = page().mesh_study().sheet();
    QCOMPARE(round_to_nanoseconds(sheet->now.iteration).count, simulation->iteration.count);
    QCOMPARE(sheet->now.fits, simulation->fits);
    Bytes peak;
    for (const SimulatedDevice& device : simulation->devices) peak = std::max(peak, device.peak);
    QVERIFY2(std::abs(double(peak.count) / double(sheet->memory.count) - 1) < 0.005,
             qPrintable(QStringLiteral("%1 %2").arg(peak.count).arg(sheet->memory.count)));
    const auto* panel = page().charts().panel(session().state().selected_plan);
    QVERIFY(panel && panel->row().simulation == simulation);

    const auto after = session::project::content_of(session().state()).documents;
    session().undo();
    QVERIFY(session::project::content_of(session().state()).documents == before);
    QVERIFY(ready());
    QCOMPARE(product(), QStringLiteral("TP 4 × CP 1 × PP 4 × DP 4 = 64 GPUs"));
    session().redo();
    QVERIFY(session::project::content_of(session().state()).documents == after);
  }

  void what_is_not_possible_says_why() {
    const auto* virtual_stages = row(MeshDimension::virtual_stages);
    const auto three = std::ranges::find(virtual_stages->degrees, 3, &models::mesh::Degree::value);
    QVERIFY(three != virtual_stages->degrees.end());
    QCOMPARE(three->tone, models::mesh::Tone::impossible);
    const QRect place = degrees().place_of(static_cast<int>(MeshDimension::virtual_stages), 3);
    const QString tip = degrees().tip_at(place.center());
    QVERIFY2(tip.contains(QStringLiteral("VP 3 is not possible here")) &&
                 tip.contains(QStringLiteral("Rule of Megatron-LM")),
             qPrintable(tip));
    QVERIFY2(tip.contains(QStringLiteral("Nearest: VP ")), qPrintable(tip));
    const std::size_t steps = session().undo_steps();
    click(MeshDimension::virtual_stages, 3);
    QCOMPARE(session().undo_steps(), steps);
  }

  /// torchtitan shards weights in a pipeline, and no engine gradients alone. The tip names the rule and what would do.
  void sharding_in_a_pipeline_has_the_planners_rules() {
    const auto* sharding = row(MeshDimension::sharding);
    const auto degree = [&](int level) {
      return std::ranges::find(sharding->degrees, level, &models::mesh::Degree::value);
    };
    QVERIFY(degree(3)->tone != models::mesh::Tone::impossible);
    QCOMPARE(degree(2)->tone, models::mesh::Tone::impossible);
    for (const char* part :
         {"Sharding ZeRO-2 is not possible here", "found sharding level 2 on 4 pipeline ranks, expected level 0 or 1",
          "Rule of Megatron-LM: distributed/fsdp", "Possible with PP 1", "Nearest: Sharding ZeRO-"})
      QVERIFY2(degree(2)->tip.contains(QLatin1String(part)), qPrintable(degree(2)->tip));
    click(MeshDimension::sharding, 3);
    QVERIFY(ready());
    QCOMPARE(plan().sharding.level, 3);
    const auto* pipeline = row(MeshDimension::pipeline);
    const auto two = std::ranges::find(pipeline->degrees, 2, &models::mesh::Degree::value);
    QVERIFY2(two != pipeline->degrees.end() && two->tone != models::mesh::Tone::impossible, qPrintable(two->tip));
    fixture_->window->resize(1280, 720);
    for (const char* appearance : {"dark", "light"}) {
      fixture_->trigger(qPrintable(QStringLiteral("action_appearance_%1").arg(QLatin1String(appearance))));
      page().set_split_folded(false);
      QTest::qWait(100);
      const QString file =
          pictures_folder() + QStringLiteral("mesh-editor-sharded-%1.png").arg(QLatin1String(appearance));
      QCOMPARE(ui::layout::write_picture(*fixture_->window, file), QString());
    }
  }

  /// Ranks of an expert are a row like the others: degrees with their gains, bytes and exposed time.
  void ranks_of_an_expert_have_a_row() {
    QVERIFY(!row(MeshDimension::expert_tensor));  // Llama has no experts
    const auto profile = presets::profile_preset("mixtral-8x7b");
    const auto file = [&](const char* name) { return fixture_->path(name).toStdString(); };
    QVERIFY(io::write_file(file("m.profile.json"), io::documents::profile_to_json(*profile)));
    fixture_->window->open_files({fixture_->path("m.profile.json")});
    QVERIFY(fixture_->settle());
    const auto cluster = session().problem()->cluster;
    QVERIFY(io::write_file(file("m.plan.json"), io::documents::plan_to_json(plan_of_experts(*profile, cluster->name))));
    fixture_->window->open_files({fixture_->path("m.plan.json")});
    QVERIFY(ready());
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join('\n')));
    const auto* cut = row(MeshDimension::expert_tensor);
    QVERIFY(cut);
    QCOMPARE(cut->name, QStringLiteral("ETP"));
    QCOMPARE(cut->bytes, QStringLiteral("–"));
    const auto two = std::ranges::find(cut->degrees, 2, &models::mesh::Degree::value);
    QVERIFY(two != cut->degrees.end() && two->tone != models::mesh::Tone::impossible);
    click(MeshDimension::expert_tensor, 2);
    QVERIFY(ready());
    QCOMPARE(plan().stages.front().degrees.expert_tensor, 2);
    QCOMPARE(plan().stages.front().degrees.expert, 8);
    cut = row(MeshDimension::expert_tensor);
    QVERIFY(cut->bytes != QStringLiteral("–") && cut->exposed != QStringLiteral("–") && cut->share > 0);
    QCOMPARE(session().undo_name(), QStringLiteral("ETP 2"));
    click(MeshDimension::expert_tensor, 8);  // e follows
    QVERIFY(ready());
    QCOMPARE(plan().stages.front().degrees.expert_tensor, 8);
    QCOMPARE(plan().stages.front().degrees.expert, 4);
    fixture_->window->resize(1500, 1050);
    QTest::qWait(100);
    QCOMPARE(ui::layout::write_picture(*fixture_->window, pictures_folder() + "mesh-editor-experts.png"), QString());
  }

  void locks_keep_dimensions() {
    QTest::mouseClick(&degrees(), Qt::LeftButton, {},
                      degrees().lock_of(static_cast<int>(MeshDimension::data)).center());
    QVERIFY(ready());
    QVERIFY(row(MeshDimension::data)->locked);
    click(MeshDimension::tensor, 8);
    QVERIFY(ready());
    QCOMPARE(product(), QStringLiteral("TP 8 × CP 1 × PP 2 × DP 4 = 64 GPUs"));  // another one follows
    QTest::mouseClick(&degrees(), Qt::LeftButton, {},
                      degrees().lock_of(static_cast<int>(MeshDimension::tensor)).center());
    QVERIFY(ready());
    click(MeshDimension::tensor, 4);
    QCOMPARE(tensor(), 8);
  }

  void keys_do_the_same() {
    degrees().setFocus();
    QTRY_VERIFY(degrees().hasFocus());
    while (degrees().focused().row > 0) QTest::keyClick(&degrees(), Qt::Key_Up);
    QTest::keyClick(&degrees(), Qt::Key_Down);
    QTest::keyClick(&degrees(), Qt::Key_Up);  // to the degree that is taken
    QTest::keyClick(&degrees(), Qt::Key_Right);
    QTest::keyClick(&degrees(), Qt::Key_Return);
    QVERIFY(ready());
    QCOMPARE(tensor(), 8);
    QTest::keyClick(&degrees(), Qt::Key_L);
    QVERIFY(ready());
    QVERIFY(row(MeshDimension::tensor)->locked);
    const Nanoseconds before = page().row(session().state().selected_plan)->simulation->iteration;
    QTest::keyClick(&degrees(), Qt::Key_Space);
    QVERIFY(ready());
    QVERIFY(page().row(session().state().selected_plan)->simulation->iteration < before);
    QCOMPARE(tensor(), 8);  // the best unlocked step
  }

  void plans_of_version_1_keep_the_split_editor() {
    QVERIFY(fixture_->open_sample());
    QTRY_VERIFY(page().split().isVisible());
    QVERIFY(!editor().isVisible());
  }

  void stages_can_be_edited_one_by_one() {
    QTest::mouseClick(&editor().uneven_button(), Qt::LeftButton);
    QVERIFY(page().split().isVisible() && editor().isVisible() && !degrees().isVisible());
    QTest::mouseClick(&editor().uneven_button(), Qt::LeftButton);
    QVERIFY(!page().split().isVisible() && degrees().isVisible());
  }

  void the_unlocked_are_searched() {
    QTest::mouseClick(&degrees(), Qt::LeftButton, {},
                      degrees().lock_of(static_cast<int>(MeshDimension::tensor)).center());
    QVERIFY(ready());
    QTest::mouseClick(&editor().search(), Qt::LeftButton);
    QVERIFY(fixture_->settle());
    const auto& plans = session().state().plans;
    const auto found = std::ranges::find_if(plans, [](const auto& entry) { return entry.plan->planner == "mesh"; });
    QVERIFY(found != plans.end() && found->feasible());
    QCOMPARE(found->plan->stages.front().tensor_parallel, 4);
    QCOMPARE(session().state().question.planning.planners.at("mesh").options.at("tp"), std::string("4"));
  }

  void pictures_light_and_dark() {
    for (const char* appearance : {"light", "dark"}) {
      fixture_->trigger(qPrintable(QStringLiteral("action_appearance_%1").arg(QLatin1String(appearance))));
      QTest::qWait(100);
      const QString file = pictures_folder() + QStringLiteral("mesh-editor-%1.png").arg(QLatin1String(appearance));
      QCOMPARE(ui::layout::write_picture(*fixture_->window, file), QString());
    }
    fixture_->trigger("action_appearance_light");
  }

  /// In a small window and at 150 %, every text has its room; what has none is scrolled to.
  void small_windows_and_large_texts() {
    const auto whole = [&](const char* picture) {
      page().set_split_folded(false);
      QTest::qWait(100);
      QCOMPARE(ui::layout::write_picture(*fixture_->window, pictures_folder() + QLatin1String(picture)), QString());
      for (const QWidget* part : editor().findChildren<QWidget*>())
        if ((qobject_cast<const QLabel*>(part) || qobject_cast<const QAbstractButton*>(part)) && part->isVisible())
          QVERIFY2(part->width() >= part->sizeHint().width() && part->height() >= part->sizeHint().height(),
                   qPrintable(part->objectName()));
      const auto* scroll = fixture_->child<QScrollArea>("mesh_scroll");
      QVERIFY(degrees().width() >= degrees().minimumWidth() && degrees().height() >= degrees().minimumHeight());
      degrees().setFocus();
      for (int i = 0; i < 20; ++i) QTest::keyClick(&degrees(), Qt::Key_Down);  // the last row comes into view
      QTest::keyClick(&degrees(), Qt::Key_End);
      const auto& last = degrees().sheet().rows.back();
      const QRect place = degrees().place_of(last.dimension, last.degrees.back().value);
      const QRect seen(degrees().mapTo(scroll->viewport(), place.topLeft()), place.size());
      QVERIFY2(scroll->viewport()->rect().contains(seen), picture);
    };
    fixture_->window->resize(1280, 720);
    whole("mesh-editor-small.png");
    fixture_->window->resize(1680, 1050);
    for (int i = 0; i < 3; ++i) fixture_->trigger("action_interface_larger");
    QCOMPARE(ui::layout::zoom(), 150);
    whole("mesh-editor-150.png");
    fixture_->trigger("action_interface_normal");
  }
};

PIPEDECK_WINDOW_TEST(TestMeshEditor)

}  // namespace pipedeck::tst_mesh_editor

#include "tst_mesh_editor.moc"
