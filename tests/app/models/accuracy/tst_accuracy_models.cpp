// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the accuracy chart against formulas, filters and figures against plain enumeration.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/models/accuracy/error_figures.hpp"
#include "app/models/accuracy/run_filter.hpp"
#include "app/models/accuracy/scatter_geometry.hpp"
#include "tests/app/models/accuracy/accuracy_rows.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_accuracy_models {

using namespace models::accuracy;

/// Spaces as everybody types them.
QString plain(QString text) { return text.replace(QChar::Nbsp, QLatin1Char(' ')); }

std::vector<std::size_t> all_shown(const std::vector<RunRow>& rows) { return RunChoices(rows).shown({}); }

class TestAccuracyModels : public QObject {
  Q_OBJECT

 private slots:
  void families_and_precisions();
  void texts_of_a_run();
  void parts_add_up();
  void points_follow_the_formula();
  void bands_are_shares();
  void ticks_are_round();
  void errors_stay_in_the_plot();
  void hit_is_the_nearest();
  void filter_moves_no_point();
  void keys_walk_through_all();
  void nothing_to_draw();
  void filter_by_enumeration();
  void counts_by_enumeration();
  void words_are_all_found();
  void many_sources_share_a_choice();
  void figures_by_hand();
  void figures_of_random_errors();
  void groups_hold_every_run();
  void largest_errors_are_first();
};

void TestAccuracyModels::families_and_precisions() {
  const std::map<QString, Family> gpus{{"H100", Family::hopper},    {"H800", Family::hopper},
                                       {"GH200", Family::hopper},   {"A100-80GB", Family::ampere},
                                       {"A800", Family::ampere},    {"GB200", Family::blackwell},
                                       {"B300", Family::blackwell}, {"V100-32GB", Family::volta},
                                       {"MI300X", Family::other},   {"", Family::other}};
  for (const auto& [gpu, family] : gpus) QVERIFY2(family_of(gpu) == family, qPrintable(gpu));
  const std::map<QString, PrecisionKind> precisions{
      {"bf16", PrecisionKind::bits_16},      {"fp16", PrecisionKind::bits_16}, {"fp8-delayed", PrecisionKind::fp8},
      {"fp8-blockwise", PrecisionKind::fp8}, {"mxfp8", PrecisionKind::narrow}, {"nvfp4", PrecisionKind::narrow}};
  for (const auto& [name, precision] : precisions) QVERIFY2(precision_of(name) == precision, qPrintable(name));
}

void TestAccuracyModels::texts_of_a_run() {
  RunRow row = test::run_of("row-1", 1113, 1036);
  row.tensor = row.pipeline = 4;
  row.virtual_stages = 5;
  row.context = row.data = 2;
  row.micro_batch = 1;
  QCOMPARE(plain(mapping_text(row)), "TP 4 · PP 4 · VP 5 · CP 2 · DP 2");
  QCOMPARE(mapping_text(RunRow()), "one GPU");
  QCOMPARE(machine_text(row), "64 H100, 8 per node");
  QCOMPARE(plain(error_text(row.error())), "−6.9 %");
  const QStringList lines = describe_run(row);
  QCOMPARE(lines.front(), "llama-3-70b · 64 H100 · bf16");
  QVERIFY2(plain(lines.back()).endsWith("tokens/s/GPU, −6.9 %"), qPrintable(lines.back()));
  row.measured_memory = 50;
  row.predicted_memory = 55;
  QCOMPARE(*row.memory_error(), 55.0 / 50 - 1);
  bool memory = false, batch = false;
  for (const Fact& fact : facts_of(row)) {
    memory |= plain(fact.text) == "55 GiB, measured 50 GiB (+10 %)";
    batch |= fact.text.endsWith(", micro-batch 1");
  }
  QVERIFY(memory && batch);
  QVERIFY(plain(copied_text(row)).contains("TP 4"));
}

void TestAccuracyModels::parts_add_up() {
  const RunRow row = test::run_of("row-1", 1113, 1036);
  const std::vector<models::whatif::BarRow> bars = part_rows(row);
  QCOMPARE(bars.size(), std::size_t{4});  // a part without time is no row
  QCOMPARE(bars[0].from, 0.0);
  QCOMPARE(bars[1].from, bars[0].to);
  QCOMPARE(bars[1].to, row.predicted_seconds);
  QVERIFY(bars[0].part == TimePart::compute && bars[1].part == TimePart::all_reduce && !bars[2].part);
  QCOMPARE(bars[2].to, row.predicted_seconds);
  QCOMPARE(bars[3].to, row.measured_seconds);
  for (const models::whatif::BarRow& bar : bars) QCOMPARE(bar.mark, row.measured_seconds);
  QVERIFY(part_rows(RunRow()).empty());
}

void TestAccuracyModels::points_follow_the_formula() {
  const std::vector<RunRow> rows = test::random_runs(1, 300);
  const std::vector<std::size_t> shown = all_shown(rows);
  const QRectF plot(70, 8, 640, 360);
  const ScatterGeometry geometry = lay_out_runs(rows, shown, ScatterMode::scatter, plot);
  QCOMPARE(geometry.points.size(), shown.size());
  QCOMPARE(geometry.x_of(geometry.least), plot.left());
  QCOMPARE(geometry.x_of(geometry.most), plot.right());
  QCOMPARE(geometry.y_of(geometry.least), plot.bottom());
  QCOMPARE(geometry.y_of(geometry.most), plot.top());
  const double decades = std::log10(geometry.most / geometry.least);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const RunRow& row = rows[shown[i]];
    const double x = plot.left() + std::log10(row.measured / geometry.least) / decades * plot.width();
    const double y = plot.bottom() - std::log10(row.predicted / geometry.least) / decades * plot.height();
    QVERIFY(std::abs(geometry.points[i].x() - x) < 1e-9 && std::abs(geometry.points[i].y() - y) < 1e-9);
    QVERIFY(plot.contains(geometry.points[i]));
  }
}

void TestAccuracyModels::bands_are_shares() {
  const std::vector<RunRow> rows{test::run_of("a", 100, 110), test::run_of("b", 10000, 9000)};
  for (const ScatterMode mode : {ScatterMode::scatter, ScatterMode::ratio}) {
    const ScatterGeometry geometry = lay_out_runs(rows, all_shown(rows), mode, QRectF(0, 0, 400, 300));
    for (const double share : {0.1, 0.2})
      for (const double measured : {100.0, 1000.0, 10000.0})
        for (const double within : {-0.99, -0.5, 0.0, 0.99, -1.01, 1.01}) {
          const QPointF point = geometry.point_of(measured, measured * (1 + within * share));
          QCOMPARE(geometry.band(share).containsPoint(point, Qt::OddEvenFill), std::abs(within) < 1);
        }
  }
}

void TestAccuracyModels::ticks_are_round() {
  const std::vector<RunRow> rows{test::run_of("a", 20, 20), test::run_of("b", 90000, 90000)};
  const ScatterGeometry geometry = lay_out_runs(rows, all_shown(rows), ScatterMode::scatter, QRectF(0, 0, 500, 120));
  QStringList up;
  for (const AxisTick& tick : geometry.up) up << QString(tick.text).remove(u',');
  QCOMPARE(up, QStringList({"100", "1000", "10000", "100000"}));
  QCOMPARE(geometry.up[1].position, geometry.y_of(1000));
  const ScatterGeometry large = lay_out_runs(rows, all_shown(rows), ScatterMode::scatter, QRectF(0, 0, 2000, 1200));
  QVERIFY(large.across.size() > geometry.across.size());
  for (const ScatterGeometry* one : {&geometry, &large})
    for (std::size_t i = 1; i < one->across.size(); ++i)
      QVERIFY(one->across[i].position - one->across[i - 1].position > 40);
  const ScatterGeometry ratio = lay_out_runs(rows, all_shown(rows), ScatterMode::ratio, QRectF(0, 0, 500, 300));
  QVERIFY(std::ranges::any_of(
      ratio.up, [&](const AxisTick& tick) { return tick.text == "0" && tick.position == ratio.plot.center().y(); }));
}

void TestAccuracyModels::errors_stay_in_the_plot() {
  std::vector<RunRow> rows{test::run_of("a", 100, 115), test::run_of("b", 1000, 700), test::run_of("c", 5000, 20000)};
  const QRectF plot(0, 0, 300, 200);
  const ScatterGeometry geometry = lay_out_runs(rows, all_shown(rows), ScatterMode::ratio, plot);
  QCOMPARE(geometry.error_edge, ScatterGeometry::most_error);
  QCOMPARE(geometry.points[0].y(), 100 - 0.15 * 100);
  QCOMPARE(geometry.points[1].y(), 100 + 0.3 * 100);
  QCOMPARE(geometry.points[2].y(), plot.top());
  rows.pop_back();
  rows.pop_back();
  QCOMPARE(lay_out_runs(rows, all_shown(rows), ScatterMode::ratio, plot).error_edge, ScatterGeometry::least_error);
}

void TestAccuracyModels::hit_is_the_nearest() {
  const std::vector<RunRow> rows = test::random_runs(2, 400);
  const ScatterGeometry geometry = lay_out_runs(rows, all_shown(rows), ScatterMode::scatter, QRectF(50, 10, 600, 400));
  int hits = 0, misses = 0;
  for (int x = 40; x < 660; x += 7)
    for (int y = 0; y < 420; y += 7) {
      const QPointF mouse(x, y);
      double least = 1e9;
      for (const QPointF& point : geometry.points)
        least = std::min(least, std::hypot(point.x() - mouse.x(), point.y() - mouse.y()));
      const auto hit = geometry.hit(mouse);
      QCOMPARE(hit.has_value(), least <= ScatterGeometry::reach);
      ++(hit ? hits : misses);
      if (!hit) continue;
      const QPointF apart = geometry.points[*hit] - mouse;
      QCOMPARE(std::hypot(apart.x(), apart.y()), least);
    }
  QVERIFY(hits > 100 && misses > 100);
}

void TestAccuracyModels::filter_moves_no_point() {
  const std::vector<RunRow> rows = test::random_runs(3, 100);
  const std::vector<std::size_t> all = all_shown(rows);
  const QRectF plot(0, 0, 300, 200);
  const ScatterGeometry whole = lay_out_runs(rows, all, ScatterMode::scatter, plot);
  const ScatterGeometry one = lay_out_runs(rows, std::vector{all[5]}, ScatterMode::scatter, plot);
  QCOMPARE(one.points.front(), whole.points[5]);
}

void TestAccuracyModels::keys_walk_through_all() {
  const std::vector<RunRow> rows = test::random_runs(4, 80);
  const std::vector<std::size_t> shown = all_shown(rows);
  std::set<std::size_t> seen;
  auto at = next_run(rows, shown, {}, 1);
  double before = 0;
  for (std::size_t step = 0; step < shown.size(); ++step) {
    QVERIFY(seen.insert(*at).second);
    QVERIFY(rows[shown[*at]].measured >= before);
    before = rows[shown[*at]].measured;
    at = next_run(rows, shown, at, 1);
  }
  QCOMPARE(*at, *next_run(rows, shown, {}, -1));  // the last stays the last
  QVERIFY(!next_run(rows, {}, {}, 1));
}

void TestAccuracyModels::nothing_to_draw() {
  const ScatterGeometry geometry = lay_out_runs({}, {}, ScatterMode::scatter, QRectF(0, 0, 100, 100));
  QVERIFY(geometry.points.empty() && !geometry.hit({50, 50}));
  QVERIFY(!geometry.across.empty());
  QVERIFY(RunChoices().shown({}).empty());
  QVERIFY(RunChoices().choices(Section::gpu, {}).empty());
  QCOMPARE(headline_of({}, {}).errors.runs, 0);
  QVERIFY(groups_of({}, {}, GroupBy::gpu).empty());
}

/// Leaves out Ampere and fp8, and requires tensor and pipeline parallelism.
RunFilter some_filter() {
  RunFilter filter;
  filter.of(Section::gpu) << QString::number(static_cast<int>(Family::ampere));
  filter.of(Section::precision) << QString::number(static_cast<int>(PrecisionKind::fp8));
  filter.of(Section::use) << QString::number(static_cast<int>(Use::tensor))
                          << QString::number(static_cast<int>(Use::pipeline));
  return filter;
}

void TestAccuracyModels::filter_by_enumeration() {
  const std::vector<RunRow> rows = test::random_runs(5, 400);
  std::vector<std::size_t> expected, all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunRow& row = rows[i];
    if (!row.judged || row.measured <= 0 || row.predicted <= 0) continue;
    all.push_back(i);
    if (row.gpu.startsWith("A100") || row.precision.startsWith("fp8")) continue;
    if (row.tensor > 1 && row.pipeline > 1) expected.push_back(i);
  }
  QVERIFY(!expected.empty() && expected.size() < all.size() && all.size() < rows.size());
  QCOMPARE(RunChoices(rows).shown({}), all);
  QCOMPARE(RunChoices(rows).shown(some_filter()), expected);
}

void TestAccuracyModels::counts_by_enumeration() {
  const std::vector<RunRow> rows = test::random_runs(6, 300);
  const RunChoices choices(rows);
  const RunFilter filter = some_filter();
  for (const Section section : {Section::gpu, Section::source, Section::precision, Section::use}) {
    const std::vector<FilterChoice> shown = choices.choices(section, filter);
    QVERIFY(shown.size() >= 3);
    for (const FilterChoice& choice : shown) {
      // Only this choice of its section is on; a use is required in addition. Other sections are as they are.
      RunFilter only = filter;
      if (section == Section::use) {
        only.of(section) << choice.key;
      } else {
        only.of(section).clear();
        for (const FilterChoice& other : shown)
          if (other.key != choice.key) only.of(section) << other.key;
      }
      QCOMPARE(choice.count, static_cast<int>(choices.shown(only).size()));
      QCOMPARE(choice.on, filter.of(section).contains(choice.key) == (section == Section::use));
    }
  }
}

void TestAccuracyModels::words_are_all_found() {
  std::vector<RunRow> rows{test::run_of("a-1", 10, 10), test::run_of("b-2", 20, 20), test::run_of("b-3", 30, 30)};
  rows[1].tensor = 8;
  rows[2].gpu = "V100";
  const RunChoices choices(rows);
  const auto found = [&](const char* words) {
    RunFilter filter;
    filter.words = QLatin1String(words);
    return choices.shown(filter);
  };
  QCOMPARE(found("LLAMA h100"), std::vector<std::size_t>({0, 1}));
  QCOMPARE(found("tp 8"), std::vector<std::size_t>({1}));
  QCOMPARE(found("TP8 llama"), std::vector<std::size_t>({1}));
  QCOMPARE(found("b- v100"), std::vector<std::size_t>({2}));
  QCOMPARE(found("  "), std::vector<std::size_t>({0, 1, 2}));
  QVERIFY(found("mixtral").empty());
}

void TestAccuracyModels::many_sources_share_a_choice() {
  std::vector<RunRow> rows;
  for (int source = 0; source < 12; ++source)
    for (int i = 0; i <= source; ++i) {
      rows.push_back(test::run_of(QString::number(rows.size()), 10, 10));
      rows.back().source = QStringLiteral("s%1").arg(source);
    }
  const RunChoices choices(rows);
  const std::vector<FilterChoice> sources = choices.choices(Section::source, {});
  QCOMPARE(sources.size(), std::size_t{7});
  QCOMPARE(sources.front().text, "s11");
  QCOMPARE(sources.front().count, 12);
  QCOMPARE(sources.back().text, "6 others");
  QCOMPARE(sources.back().count, 1 + 2 + 3 + 4 + 5 + 6);
  RunFilter filter;
  filter.of(Section::source) << sources.back().key;
  for (const std::size_t i : choices.shown(filter)) QVERIFY(rows[i].source.mid(1).toInt() >= 6);
}

void TestAccuracyModels::figures_by_hand() {
  const ErrorFigures figures = figures_of({-0.1, 0.1, 0.2, -0.4});
  QCOMPARE(figures.runs, 4);
  QCOMPARE(figures.mean, 0.2);
  QCOMPARE(figures.bias, -0.05);
  QCOMPARE(figures.nine_in_ten, 0.4);
  QCOMPARE(figures.within, 0.75);
  std::vector<RunRow> rows{test::run_of("a", 100, 110), test::run_of("b", 100, 70), test::run_of("c", 100, 100)};
  rows[0].measured_memory = 50;
  rows[0].predicted_memory = 60;
  rows[1].measured_memory = 50;
  rows[1].predicted_memory = 50;
  rows[2].fits = false;
  const Headline headline = headline_of(rows, all_shown(rows));
  QCOMPARE(headline.errors.runs, 3);
  QCOMPARE(headline.too_large, 1);
  QCOMPARE(headline.memories, 2);
  QCOMPARE(headline.memory_median, 0.1);
}

void TestAccuracyModels::figures_of_random_errors() {
  std::mt19937 random(7);
  for (int count = 1; count <= 60; ++count) {
    std::vector<double> errors;
    for (int i = 0; i < count; ++i) errors.push_back(static_cast<double>(random() % 1000) / 1000 - 0.5);
    const ErrorFigures figures = figures_of(errors);
    // The smallest absolute error that at least nine in ten do not exceed.
    double smallest = 1;
    for (const double candidate : errors) {
      const auto below =
          std::ranges::count_if(errors, [&](double error) { return std::abs(error) <= std::abs(candidate); });
      if (10 * below >= 9 * count) smallest = std::min(smallest, std::abs(candidate));
    }
    QCOMPARE(figures.nine_in_ten, smallest);
  }
}

void TestAccuracyModels::groups_hold_every_run() {
  const std::vector<RunRow> rows = test::random_runs(8, 200);
  const std::vector<std::size_t> shown = all_shown(rows);
  for (const GroupBy by : {GroupBy::gpu, GroupBy::source, GroupBy::model, GroupBy::precision}) {
    const std::vector<ErrorGroup> groups = groups_of(rows, shown, by);
    std::size_t runs = 0;
    double bias = 0;
    for (const ErrorGroup& group : groups) {
      QCOMPARE(group.errors.size(), static_cast<std::size_t>(group.figures.runs));
      QVERIFY(std::ranges::is_sorted(group.errors));
      runs += group.errors.size();
      bias += group.figures.bias * group.figures.runs;
    }
    QCOMPARE(runs, shown.size());
    QVERIFY(std::abs(bias / static_cast<double>(runs) - headline_of(rows, shown).errors.bias) < 1e-12);
    QVERIFY(std::ranges::is_sorted(groups, std::ranges::greater(),
                                   [](const ErrorGroup& group) { return group.figures.runs; }));
  }
  for (const ErrorGroup& group : groups_of(rows, shown, GroupBy::dimension))
    if (group.name == use_text(Use::context))
      QCOMPARE(group.figures.runs,
               static_cast<int>(std::ranges::count_if(shown, [&](std::size_t i) { return rows[i].context > 1; })));
}

void TestAccuracyModels::largest_errors_are_first() {
  const std::vector<RunRow> rows = test::random_runs(9, 60);
  const std::vector<std::size_t> shown = all_shown(rows);
  const std::vector<std::size_t> largest = largest_errors(rows, shown, 5);
  QCOMPARE(largest.size(), std::size_t{5});
  const double least = std::abs(rows[largest.back()].error());
  for (std::size_t i = 1; i < largest.size(); ++i)
    QVERIFY(std::abs(rows[largest[i - 1]].error()) >= std::abs(rows[largest[i]].error()));
  for (const std::size_t i : shown) QVERIFY(std::ranges::count(largest, i) == 1 || std::abs(rows[i].error()) <= least);
  QCOMPARE(largest_errors(rows, shown, 1000).size(), shown.size());
  const auto bars = error_rows(rows, largest);
  QCOMPARE(bars.size(), largest.size());
  QCOMPARE(bars.front().to, rows[largest.front()].error());
}

PIPEDECK_TEST(TestAccuracyModels)

}  // namespace pipedeck::tst_accuracy_models

#include "tst_accuracy_models.moc"
