// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split/geometry.hpp"

#include <cmath>
#include <random>

#include <QTest>

#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_split_geometry {

double width_of(const QString& text) { return 7.0 * static_cast<double>(text.size()); }

/// The nearest cut by trying all.
int nearest_by_trial(const models::split::Strip& strip, double x, int low, int high) {
  int best = low;
  for (int cut = low; cut <= high; ++cut)
    if (std::abs(strip.x_of(cut) - x) < std::abs(strip.x_of(best) - x)) best = cut;
  return best;
}

class TestSplitGeometry : public QObject {
  Q_OBJECT

 private slots:
  void edges_are_proportional_to_time() {
    const auto edges = models::split::strip_edges({1, 3, 4});
    QCOMPARE(edges, (std::vector<double>{0, 0.125, 0.5, 1}));
  }

  void stages_on_one_device_are_its_chunks() {
    Plan plan = samples::plan("interleaved", {0, 12, 24, 36});
    for (int s : {2, 3})
      plan.stages[static_cast<std::size_t>(s)].devices = plan.stages[static_cast<std::size_t>(s - 2)].devices;
    plan.schedule = ScheduleKind::interleaved;
    const auto places = models::split::stage_places(plan);
    QCOMPARE(places.size(), std::size_t{4});
    QCOMPARE(places[2].rank, 0);
    QCOMPARE(places[2].chunk, 1);
    QCOMPARE(places[2].chunks, 2);
    QCOMPARE(places[3].rank, 1);
    QVERIFY(places[3].copies.empty());
  }

  void copies_of_a_stage_are_on_the_devices_opposite() {
    Plan plan = samples::plan("both ways", {0, 12, 24, 36});
    plan.schedule = ScheduleKind::chimera;
    const auto places = models::split::stage_places(plan);
    for (std::size_t s = 0; s < 4; ++s) {
      QCOMPARE(places[s].rank, static_cast<int>(s));
      QCOMPARE(places[s].chunks, 2);
      QCOMPARE(places[s].chunk, s < 2 ? 0 : 1);
      QCOMPARE(places[s].devices, plan.stages[s].devices);
      QCOMPARE(places[s].copies, plan.stages[3 - s].devices);
    }
  }

  void a_layer_without_time_keeps_a_sliver() {
    const auto edges = models::split::strip_edges({10, 0, 10});
    QVERIFY(edges[2] > edges[1]);
    QCOMPARE(edges.back(), 1.0);
    QCOMPARE(models::split::strip_edges({0, 0}), (std::vector<double>{0, 0.5, 1}));
    QCOMPARE(models::split::strip_edges({}), (std::vector<double>{0}));
  }

  void snapping_agrees_with_trial_at_every_width() {
    std::mt19937 random(7);
    std::vector<double> weights;
    for (int i = 0; i < 50; ++i) weights.push_back(std::uniform_real_distribution<>(0, 5)(random));
    for (double width : {40.0, 123.0, 500.0, 1111.0, 3840.0}) {
      const models::split::Strip strip{13, width, models::split::strip_edges(weights)};
      for (double x = 0; x < width + 30; x += 0.7)
        QCOMPARE(strip.nearest_cut(x, 3, 41), nearest_by_trial(strip, x, 3, 41));
    }
  }

  void every_cut_snaps_to_itself_at_every_width() {
    for (double width : {60.0, 300.0, 999.5, 1920.0}) {
      const models::split::Strip strip{5, width, models::split::strip_edges(std::vector<double>(50, 1.0))};
      for (int cut = 1; cut < 50; ++cut) QCOMPARE(strip.nearest_cut(strip.x_of(cut), 1, 49), cut);
    }
  }

  void of_many_layers_width_still_is_time() {
    std::vector<double> weights(5000, 1.0);
    weights[7] = 10;
    const auto edges = models::split::strip_edges(weights);
    QVERIFY((edges[8] - edges[7]) / (edges[9] - edges[8]) > 9.9);
  }

  void the_layer_under_a_pixel() {
    const models::split::Strip strip{10, 100, models::split::strip_edges({1, 1, 2})};
    QVERIFY(!strip.layer_at(9.9));
    QCOMPARE(strip.layer_at(10).value(), 0);
    QCOMPARE(strip.layer_at(34.9).value(), 0);
    QCOMPARE(strip.layer_at(35).value(), 1);
    QCOMPARE(strip.layer_at(109).value(), 2);
    QVERIFY(!strip.layer_at(110));
  }

  void the_nearest_handle_is_hit() {
    const models::split::Strip strip{0, 100, models::split::strip_edges(std::vector<double>(10, 1.0))};
    const models::split::StageStarts firsts{0, 3, 4};
    QCOMPARE(strip.stage_cut_at(31, firsts, 6).value(), 1);
    QCOMPARE(strip.stage_cut_at(36, firsts, 6).value(), 2);
    QVERIFY(!strip.stage_cut_at(50, firsts, 6));
    QVERIFY(!strip.stage_cut_at(0, firsts, 6));  // the model's start is no cut
  }

  void layers_follow_the_plans_order() {
    Profile profile = samples::profile();
    profile.layers.resize(3);
    Plan plan = samples::plan("p", {0});
    plan.order = std::vector<LayerId>{LayerId(2), LayerId(0), LayerId(1)};
    const models::split::Layers layers = models::split::split_layers(profile, plan);
    QCOMPARE(layers.names.front(), QStringLiteral("layer_2"));
    QCOMPARE(layers.times[1].count, (profile.layers[0].forward + profile.layers[0].backward).count);
  }

  void runs_of_devices_in_words() {
    QCOMPARE(models::split::short_devices_text(samples::devices(0, 8)), QStringLiteral("G0–G7"));
    QCOMPARE(models::split::short_devices_text({DeviceId(3), DeviceId(1), DeviceId(2), DeviceId(9)}),
             QStringLiteral("G1–G3, G9"));
    QCOMPARE(models::split::short_devices_text({DeviceId(1), DeviceId(3), DeviceId(5)}, 2),
             QStringLiteral("G1, G3 +1"));
    QCOMPARE(models::split::short_devices_text({}), QString());
  }

  void the_longest_text_that_fits() {
    QCOMPARE(models::split::fitting_text({"stage 0", "0"}, 50, width_of), QStringLiteral("stage 0"));
    QCOMPARE(models::split::fitting_text({"stage 0", "0"}, 48, width_of), QStringLiteral("0"));
    QCOMPARE(models::split::fitting_text({"stage 0", "0"}, 5, width_of), QString());
  }
};

PIPEDECK_TEST(TestSplitGeometry)

}  // namespace pipedeck::tst_split_geometry

#include "tst_split_geometry.moc"
