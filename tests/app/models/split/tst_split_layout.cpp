// SPDX-License-Identifier: GPL-3.0-or-later
// The split editor without a window: what is seen at which zoom, what a pixel means there, what a drag gives, and the
// figures of a simulation for stages and layers.
#include "app/models/split/layout.hpp"

#include <cmath>
#include <numeric>

#include <QTest>

#include "app/models/split/draft.hpp"
#include "app/models/split/figures.hpp"
#include "app/models/split/window.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_split_layout {

double width_of(const QString& text) { return 7.0 * static_cast<double>(text.size()); }

const std::vector<double>& fifty() {
  static const std::vector<double> edges = models::split::strip_edges(std::vector<double>(50, 1.0));
  return edges;
}

/// 64 stages of eight devices.
Plan wide_plan() {
  Plan plan;
  for (int s = 0; s < 64; ++s) {
    Stage stage;
    stage.first = 5000 * s / 64;
    stage.last = 5000 * (s + 1) / 64;
    stage.devices = samples::devices(8 * s, 8);
    plan.stages.push_back(stage);
  }
  return plan;
}

models::split::Layout layout_of(const Plan& plan, const std::vector<double>& edges, double width,
                                const models::split::Window& window = {}, const std::vector<DeviceId>& spare = {}) {
  const models::split::Areas areas = models::split::split_areas(QRectF(0, 0, width, 200), {});
  return models::split::split_layout(areas, window.strip(areas.strip, edges), plan, models::split::stage_places(plan),
                                     spare, 90, {}, width_of);
}

const models::split::Chip& chip_with(const models::split::Layout& layout, int device) {
  for (const models::split::Chip& chip : layout.chips)
    if (std::ranges::count(chip.devices, DeviceId(device)) > 0) return chip;
  qFatal("no chip of device %d", device);
}

class TestSplitLayout : public QObject {
  Q_OBJECT

 private slots:
  void zoom_keeps_what_is_under_the_pointer() {
    const QRectF area(10, 0, 1000, 50);
    models::split::Window window;
    for (const double x : {10.0, 333.0, 700.0, 1010.0})
      for (const double factor : {1.5, 4.0, 0.3, 20.0, 0.5}) {
        const double before = window.at(x, area);
        const models::split::Window old = window;
        window.zoom(factor, before, models::split::min_span(50));
        QVERIFY(window.begin >= 0 && window.end <= 1 + 1e-12 && window.span() >= models::split::min_span(50) - 1e-12);
        const bool free = window.begin > 0 && window.end < 1 && old.begin > 0 && old.end < 1;
        if (free) QVERIFY(std::abs(window.at(x, area) - before) < 1e-9);
      }
    window.zoom(1e-6, 0.5, models::split::min_span(50));
    QVERIFY(window.whole());
  }

  void panning_stops_at_the_ends() {
    models::split::Window window{0.4, 0.6};
    window.pan(-1);
    QCOMPARE(window.begin, 0.0);
    window.pan(5);
    QVERIFY(std::abs(window.end - 1) < 1e-12 && std::abs(window.span() - 0.2) < 1e-12);
    window.reveal(0.1, 0.15);
    QVERIFY(window.begin <= 0.1 && window.end >= 0.15);
    const models::split::Window before = window;
    window.reveal(0.12, 0.13);
    QCOMPARE(window, before);
  }

  void a_cut_follows_the_pointer_at_every_zoom() {
    const models::split::StageStarts firsts{0, 13, 25, 38};
    const QRectF area(14, 0, 900, 54);
    for (double span = 1; span > 0.1; span *= 0.8)
      for (double begin = 0; begin + span <= 1; begin += 0.13) {
        const models::split::Strip strip = models::split::Window{begin, begin + span}.strip(area, fifty());
        for (int cut = 14; cut < 38; ++cut) {
          QCOMPARE(models::split::cut_target(strip, firsts, 2, strip.x_of(cut), 5),
                   (models::split::CutTarget{cut, false}));
          // Anywhere nearer to it than to its neighbours, in layers and not in pixels.
          const double half = (strip.x_of(cut + 1) - strip.x_of(cut)) * 0.49;
          QCOMPARE(models::split::cut_target(strip, firsts, 2, strip.x_of(cut) - half, 0).cut, cut);
        }
      }
  }

  void a_cut_on_its_neighbour_merges() {
    const models::split::StageStarts firsts{0, 13, 25, 38};
    const models::split::Strip strip{0, 1000, fifty()};
    QVERIFY(models::split::cut_target(strip, firsts, 2, strip.x_of(13) + 3, 5).merges);
    QVERIFY(models::split::cut_target(strip, firsts, 2, strip.x_of(38) - 3, 5).merges);
    QCOMPARE(models::split::cut_target(strip, firsts, 2, strip.x_of(13) - 30, 5),
             (models::split::CutTarget{14, false}));  // beyond is no aim
    QCOMPARE(models::split::cut_target(strip, firsts, 2, strip.x_of(38) + 300, 5),
             (models::split::CutTarget{37, false}));
    QVERIFY(models::split::cut_target(strip, firsts, 1, strip.x_of(0), 5).merges);
    QVERIFY(models::split::cut_target(strip, firsts, 3, strip.x_of(50), 5).merges);
  }

  void thousands_of_layers_are_no_more_boxes_than_pixels() {
    const std::vector<double> edges = models::split::strip_edges(std::vector<double>(5000, 1.0));
    std::vector<double> shares(5000, 0.25);
    shares[1234] = 1;
    std::vector<bool> marks(5000, false);
    std::fill(marks.begin() + 2500, marks.end(), true);
    const Plan plan = wide_plan();
    for (double span : {1.0, 0.3, 0.05, 0.002}) {
      const QRectF area(0, 0, 1000, 50);
      const models::split::Strip strip =
          models::split::Window{std::min(0.24, 1 - span), std::min(0.24, 1 - span) + span}.strip(area, edges);
      const auto boxes = models::split::layer_boxes(strip, models::split::stage_starts(plan), shares, marks, 0, 1000);
      QVERIFY2(boxes.size() <= 600 + 64, qPrintable(QString::number(boxes.size())));
      int layer = boxes.front().first;
      double highest = 0;
      for (const models::split::LayerBox& box : boxes) {
        QCOMPARE(box.first, layer);
        QVERIFY(box.right > box.left && box.last > box.first);
        QVERIFY(plan.stages[static_cast<std::size_t>(box.stage)].first <= box.first &&
                box.last <= plan.stages[static_cast<std::size_t>(box.stage)].last);
        QCOMPARE(box.marked, box.first >= 2500 || (box.last > 2500 && 2 * (box.last - 2500) >= box.last - box.first));
        highest = std::max(highest, box.share);
        layer = box.last;
      }
      QVERIFY(boxes.front().left <= 0 && boxes.back().right >= 1000 - 1e-6);
      if (span == 1.0) QCOMPARE(highest, 1.0);  // the one that stands out is seen
    }
  }

  void chips_stay_in_their_column_and_apart() {
    for (double width = 60; width < 1900; width += 61)
      for (double zoom : {1.0, 2.0, 7.0}) {
        const Plan plan = samples::plan("p", {0, 13, 25, 38});
        const models::split::Layout layout = layout_of(plan, fifty(), width, {0, 1 / zoom}, samples::devices(16, 40));
        for (const models::split::Chip& chip : layout.chips) {
          const QRectF room = chip.stage ? layout.columns[static_cast<std::size_t>(*chip.stage)] : layout.areas.tray;
          QVERIFY(chip.rect.left() >= room.left() - 1e-6 && chip.rect.right() <= room.right() + 1e-6);
          QVERIFY(chip.text.isEmpty() || width_of(chip.text) <= chip.rect.width());
          for (const models::split::Chip& other : layout.chips)
            QVERIFY(&other == &chip || !other.rect.intersects(chip.rect));
        }
      }
  }

  void chips_fold_where_there_is_no_room() {
    const Plan plan = samples::plan("p", {0, 24});
    QCOMPARE(layout_of(plan, fifty(), 1000).chips.size(), std::size_t{16});
    const models::split::Layout narrow = layout_of(plan, fifty(), 200);
    QCOMPARE(narrow.chips.size(), std::size_t{2});
    QCOMPARE(narrow.chips[0].text, QStringLiteral("G0–G7"));
    QCOMPARE(models::split::grabbed(narrow, narrow.chips[0]), samples::devices(7, 1));
    // A stage of a few pixels still has something to take hold of.
    const models::split::Layout wide =
        layout_of(wide_plan(), models::split::strip_edges(std::vector<double>(5000, 1.0)), 1400);
    QCOMPARE(wide.chips.size(), std::size_t{64});
    QVERIFY(wide.chips[3].text.isEmpty() && wide.chips[3].rect.width() >= 4);
    const models::split::Layout near =
        layout_of(wide_plan(), models::split::strip_edges(std::vector<double>(5000, 1.0)), 1400, {0, 1.0 / 16});
    QVERIFY(near.chips.size() >= 32);
    QCOMPARE(near.chips[3].text, QStringLiteral("G3"));
  }

  void a_replica_of_several_devices_is_one_chip() {
    Plan plan = samples::plan("p", {0, 24});
    plan.stages[0].tensor_parallel = 2;
    const models::split::Layout layout = layout_of(plan, fifty(), 1400);
    QCOMPARE(layout.chips[1].devices, samples::devices(2, 2));
    QCOMPARE(layout.chips[1].text, QStringLiteral("G2–G3"));
    QCOMPARE(models::split::grabbed(layout, layout.chips[1]), samples::devices(2, 2));
  }

  void what_is_under_the_pointer() {
    const models::split::Layout layout =
        layout_of(samples::plan("p", {0, 13, 25, 38}), fifty(), 1000, {}, samples::devices(16, 2));
    const double cut = layout.strip.x_of(25), middle = layout.areas.strip.center().y();
    QCOMPARE(models::split::hit(layout, {cut + 5, middle}, 8),
             (models::split::Item{models::split::Part::cut, 2, 0, {}}));
    QCOMPARE(models::split::hit(layout, {cut + 12, middle}, 8),
             (models::split::Item{models::split::Part::stage, 2, 25, {}}));
    const models::split::Chip& chip = chip_with(layout, 5);
    QCOMPARE(models::split::hit(layout, chip.rect.center(), 8),
             (models::split::Item{models::split::Part::chip, 1, 0, DeviceId(5)}));
    QCOMPARE(models::split::chip_of(layout, {models::split::Part::chip, 1, 0, DeviceId(5)}), &chip);
    QCOMPARE(models::split::hit(layout, chip_with(layout, 17).rect.center(), 8),
             (models::split::Item{models::split::Part::chip, -1, 0, DeviceId(17)}));
    QCOMPARE(models::split::hit(layout, layout.areas.tray.center(), 8).part, models::split::Part::tray);
    QCOMPARE(models::split::hit(layout, {2, 2}, 8).part, models::split::Part::none);
  }

  void where_a_chip_falls() {
    const models::split::Layout layout =
        layout_of(samples::plan("p", {0, 13, 25, 38}), fifty(), 1400, {}, samples::devices(16, 4));
    const auto drop = [&](int device, double shift, const std::vector<DeviceId>& dragged) {
      return models::split::drop_at(layout, chip_with(layout, device).rect.center() + QPointF(shift, 0), dragged);
    };
    QCOMPARE(drop(5, -3, samples::devices(0, 1)), (models::split::ChipDrop{1, 1}));
    QCOMPARE(drop(5, 3, samples::devices(0, 1)), (models::split::ChipDrop{1, 2}));
    QCOMPARE(drop(7, 60, samples::devices(4, 1)), (models::split::ChipDrop{1, 3}));  // the dragged one is not counted
    QCOMPARE(models::split::drop_at(layout, layout.areas.tray.center(), {}), models::split::ChipDrop{});
    QVERIFY(!models::split::drop_at(layout, {-50, 90}, {}));
    QVERIFY(!models::split::drop_at(layout, {700, 2}, {}));
    // The tray gives as many devices as a replica of the stage has.
    Plan plan = samples::plan("p", {0, 24});
    plan.stages[1].tensor_parallel = 2;
    const models::split::Layout pairs = layout_of(plan, fifty(), 1400, {}, samples::devices(16, 4));
    QCOMPARE(models::split::device_move(pairs, {1, 3}, samples::devices(17, 1), {}).devices, samples::devices(17, 2));
    QCOMPARE(models::split::device_move(pairs, {0, 3}, samples::devices(17, 1), {}).devices, samples::devices(17, 1));
    QVERIFY(!models::split::device_move(pairs, models::split::ChipDrop{}, samples::devices(3, 1), 0).stage);
  }

  void copies_of_a_stage_are_shown_and_not_taken() {
    Plan plan = samples::plan("both ways", {0, 12, 24, 36});
    plan.schedule = ScheduleKind::chimera;
    const models::split::Layout layout = layout_of(plan, fifty(), 1900);
    QCOMPARE(std::ranges::count(layout.chips, true, &models::split::Chip::copy), 4);
    for (const models::split::Chip& chip : layout.chips)
      if (chip.copy) QVERIFY(models::split::hit(layout, chip.rect.center(), 8).part != models::split::Part::chip);
  }

  void a_draft_tries_edits_and_goes_back() {
    const Plan plan = samples::plan("p", {0, 24});
    models::split::Draft draft(std::make_shared<const Profile>(samples::profile()),
                               std::make_shared<const Cluster>(samples::cluster()), plan);
    QVERIFY(draft.propose(plan::MoveBoundary{1, 30}));
    QVERIFY(!draft.propose(plan::MoveBoundary{1, 30}));
    QCOMPARE(draft.shown().stages[1].first, 30);
    QVERIFY(draft.propose(plan::SetMicroBatch{5}));
    QVERIFY(!draft.refusal().isEmpty());
    QCOMPARE(draft.shown(), plan);
    QVERIFY(draft.propose(plan::MoveBoundary{1, 20}));
    QVERIFY(draft.refusal().isEmpty());
    draft.restore();
    QVERIFY(!draft.pending() && draft.shown() == plan);
    draft.propose(plan::MoveBoundary{1, 20});
    draft.accept();
    QVERIFY(!draft.pending() && draft.original().stages[1].first == 20);
  }

  void layers_add_up_to_their_device() {
    const Profile profile = samples::profile();
    Plan plan = samples::plan("p", {0, 24});
    plan.stages[0].recompute.layers = {LayerId(std::int32_t{3})};
    const auto simulation = samples::simulation(plan, 700, 12);
    const auto memory = models::split::layer_memory(profile, plan, simulation.get());
    const auto figures = models::split::stage_figures(plan, *simulation);
    QCOMPARE(figures[0].device, DeviceId(0));
    QCOMPARE(figures[1].device, DeviceId(8));
    QCOMPARE(figures[1].peak, simulation->devices[8].peak);
    for (std::size_t s : {0U, 1U}) {
      const MemoryBreakdown& parts = simulation->devices[8 * s].peak_breakdown;
      std::int64_t state = 0, kept = 0;
      for (int p = plan.stages[s].first; p < plan.stages[s].last; ++p) {
        state += memory[static_cast<std::size_t>(p)].state.count;
        kept += memory[static_cast<std::size_t>(p)].activations.count;
      }
      const std::int64_t wanted =
          (parts[MemoryItem::weights] + parts[MemoryItem::gradients] + parts[MemoryItem::optimizer]).count;
      QVERIFY(std::abs(state - wanted) < 100);
      QVERIFY(std::abs(kept - parts[MemoryItem::activations].count) < 100);
    }
    QVERIFY(memory[3].activations < memory[4].activations);
    QCOMPARE(models::split::layer_memory(profile, plan, nullptr)[5].state, profile.layers[5].parameters);
    QCOMPARE(models::split::layer_memory(profile, plan, nullptr)[5].activations, profile.layers[5].saved);
  }

  void layers_cut_over_devices_keep_what_the_profile_says_of_a_part() {
    Profile profile = samples::profile();
    Plan plan = samples::plan("p", {0, 24});
    TensorParallelPoint point;
    point.details.saved = Bytes(700);
    profile.layers[5].tensor_parallel = profile.layers[30].tensor_parallel = {point};
    plan.stages[0].tensor_parallel = 2;
    const auto memory = models::split::layer_memory(profile, plan, nullptr);
    QCOMPARE(memory[5].activations, Bytes(700));
    QCOMPARE(memory[6].activations, profile.layers[6].saved);
    QCOMPARE(memory[30].activations, profile.layers[30].saved);
    plan.stages[0].shard_fractions = {{0.75, 0.25}};
    QCOMPARE(models::split::layer_memory(profile, plan, nullptr)[5].activations, profile.layers[5].saved);
  }

  void what_does_not_fit_is_said() {
    const Plan plan = samples::plan("p", {0, 24});
    const auto fits = samples::simulation(plan, 700, 12), over = samples::simulation(plan, 735, 17.5);
    QVERIFY(models::split::overflow_text(plan, *fits).isEmpty());
    QCOMPARE(samples::plain(models::split::overflow_text(plan, *over)),
             QStringLiteral("G0 (stage 0): 1.50 GiB more than its 16 GiB"));
    QCOMPARE(models::split::stage_figures(plan, *over)[0].over, Bytes(3 * samples::gibibyte / 2));
    const models::split::Feedback feedback = models::split::split_feedback(*fits, *over);
    QCOMPARE(samples::plain(models::split::feedback_variants(feedback).front()),
             QStringLiteral("0.700 s → 0.735 s (+5.0 %) · 91.4 → 87.1 samples/s · peak 12 GiB → 17.5 GiB"));
  }
};

PIPEDECK_TEST(TestSplitLayout)

}  // namespace pipedeck::tst_split_layout

#include "tst_split_layout.moc"
