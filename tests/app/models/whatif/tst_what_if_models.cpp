// SPDX-License-Identifier: GPL-3.0-or-later
// Sliders' stops, the front's content and geometry, its table twin, the comparison in words.
#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QTest>

#include <cmath>

#include "app/models/whatif/capacity_rows.hpp"
#include "app/models/whatif/front_table_model.hpp"
#include "app/models/whatif/pareto_geometry.hpp"
#include "app/models/whatif/slider_stops.hpp"
#include "app/models/whatif/what_if_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_what_if_models {

PlanCandidate plan_of(double samples, double gib, std::optional<double> price, int devices = 4) {
  PlanCandidate found;
  Plan plan;
  plan.name = "plan " + std::to_string(static_cast<int>(samples));
  found.plan = std::make_shared<const Plan>(plan);
  found.cluster = std::make_shared<const Cluster>();
  found.samples_per_second = samples;
  found.iteration = Seconds(64 / samples);
  found.largest_peak = found.peak = Bytes(static_cast<std::int64_t>(gib * (1 << 30)));
  found.capacity = Bytes(std::int64_t{16} << 30);
  found.price_per_hour = price;
  found.devices = devices;
  found.nodes = 1;
  return found;
}

/// Spaces as everybody types them.
QString plain(QString text) { return text.replace(QChar::Nbsp, QLatin1Char(' ')); }

std::vector<PlanCandidate> some_plans() {
  return {plan_of(10, 2, 4.0), plan_of(20, 4, 8.0), plan_of(15, 5, 2.0), plan_of(20, 8, 8.0), plan_of(30, 8, 16.0)};
}

class TestWhatIfModels : public QObject {
  Q_OBJECT

 private slots:
  void stops_have_today();
  void stops_are_found_again();
  void micro_batches_divide();
  void front_and_line();
  void unknown_prices();
  void walk_along_the_front();
  void geometry_by_hand();
  void geometry_of_random_points();
  void nothing_to_draw();
  void table_twin();
  void table_sorts_by_figures();
  void rows_and_words();
  void purchases_in_words();
  void utilization_where_it_is_known();
};

void TestWhatIfModels::stops_have_today() {
  const models::whatif::SliderValues stops = models::whatif::SliderValues::doublings(3.125e9, 5, 5);
  QCOMPARE(stops.count(), 41);
  QCOMPARE(stops.at(stops.current()), 3.125e9);
  QCOMPARE(stops.at(0), 3.125e9 / 32);
  QCOMPARE(stops.at(stops.count() - 1), 3.125e9 * 32);
  QCOMPARE(stops.at(stops.current() + 4), 6.25e9);
  for (int i = 1; i < stops.count(); ++i) QVERIFY(stops.at(i) > stops.at(i - 1));
  const models::whatif::SliderValues whole = models::whatif::SliderValues::whole(1, 8, 20);  // today beyond the others
  QCOMPARE(whole.at(whole.current()), 20.0);
  QCOMPARE(whole.count(), 9);
  QCOMPARE(models::whatif::SliderValues::whole_doublings(64, 10, 2, 1).values(),
           (std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256}));
}

void TestWhatIfModels::stops_are_found_again() {
  const models::whatif::SliderValues stops = models::whatif::SliderValues::doublings(130e9, 4, 4);
  for (int i = 0; i < stops.count(); ++i) QCOMPARE(stops.nearest(stops.at(i)), i);
  QCOMPARE(stops.nearest(1), 0);
  QCOMPARE(stops.nearest(1e18), stops.count() - 1);
  QCOMPARE(stops.at(-5), stops.at(0));
  QCOMPARE(models::whatif::SliderValues().at(3), 0.0);
  const models::whatif::SliderValues sizes({0, 1, 2, 4}, 0);
  QCOMPARE(sizes.nearest(0), 0);
  QCOMPARE(sizes.nearest(1), 1);
}

void TestWhatIfModels::micro_batches_divide() {
  QCOMPARE(models::whatif::micro_batch_stops(64, 2), (std::vector<double>{0, 2, 4, 8, 16, 32, 64}));
  QCOMPARE(models::whatif::micro_batch_stops(12, 1), (std::vector<double>{0, 1, 2, 4}));
  QCOMPARE(models::whatif::micro_batch_stops(5, 8), std::vector<double>{0});
}

void TestWhatIfModels::front_and_line() {
  const models::whatif::ParetoContent content = models::whatif::make_front_content(
      some_plans(), models::whatif::FrontMeasure::memory, models::whatif::FrontMeasure::price);
  QCOMPARE(content.on_front, (std::vector<bool>{true, true, true, false, true}));
  QCOMPARE(content.line, (std::vector<std::size_t>{0, 1, 4}));
  const models::whatif::ParetoContent priced = models::whatif::make_front_content(
      some_plans(), models::whatif::FrontMeasure::price, models::whatif::FrontMeasure::memory);
  QCOMPARE(priced.on_front, content.on_front);
  QCOMPARE(priced.line, (std::vector<std::size_t>{2, 1, 4}));  // of two equal ones the first
}

void TestWhatIfModels::unknown_prices() {
  std::vector<PlanCandidate> plans = some_plans();
  plans[2].price_per_hour.reset();
  const models::whatif::ParetoContent content = models::whatif::make_front_content(
      plans, models::whatif::FrontMeasure::price, models::whatif::FrontMeasure::memory);
  QCOMPARE(content.on_front, (std::vector<bool>{true, true, false, false, true}));
  QVERIFY(std::ranges::find(content.line, 2) == content.line.end());
  QVERIFY(models::whatif::measure_text(plans[2], models::whatif::FrontMeasure::price).contains("unknown"));
  const models::whatif::ParetoGeometry geometry = models::whatif::lay_out_front(content, QRectF(0, 0, 400, 300));
  QVERIFY(geometry.points[2].x() < 0);
}

void TestWhatIfModels::walk_along_the_front() {
  const models::whatif::ParetoContent content = models::whatif::make_front_content(
      some_plans(), models::whatif::FrontMeasure::memory, models::whatif::FrontMeasure::price);
  QCOMPARE(*models::whatif::next_on_front(content, {}, 1), std::size_t{0});
  QCOMPARE(*models::whatif::next_on_front(content, {}, -1), std::size_t{4});
  QCOMPARE(*models::whatif::next_on_front(content, 0, 1), std::size_t{1});
  QCOMPARE(*models::whatif::next_on_front(content, 1, 1), std::size_t{2});
  QCOMPARE(*models::whatif::next_on_front(content, 4, 1), std::size_t{4});
  QCOMPARE(*models::whatif::next_on_front(content, 3, -1), std::size_t{2});  // from a point off the front
  QVERIFY(!models::whatif::next_on_front({}, {}, 1));
}

void TestWhatIfModels::geometry_by_hand() {
  const models::whatif::ParetoContent content = models::whatif::make_front_content(
      some_plans(), models::whatif::FrontMeasure::memory, models::whatif::FrontMeasure::price);
  const QRectF plot(50, 10, 400, 300);
  const models::whatif::ParetoGeometry geometry = models::whatif::lay_out_front(content, plot);
  QVERIFY(!geometry.log_x);
  for (const QPointF& point : geometry.points) QVERIFY(plot.contains(point));
  QCOMPARE(geometry.x_of(0), plot.left());
  QCOMPARE(geometry.y_of(0), plot.bottom());
  QVERIFY(geometry.points[4].y() < geometry.points[0].y());
  QVERIFY(geometry.points[4].x() > geometry.points[0].x());
  QVERIFY(std::abs((geometry.points[1].x() - plot.left()) / (geometry.points[0].x() - plot.left()) - 2) < 1e-9);
  QCOMPARE(geometry.radii[2], models::whatif::ParetoGeometry::min_radius);
  QCOMPARE(geometry.radii[4], models::whatif::ParetoGeometry::max_radius);
  QCOMPARE(*geometry.hit(content, geometry.points[1] + QPointF(2, 1)), std::size_t{1});
  QVERIFY(!geometry.hit(content, plot.topLeft()));
  const std::vector<QPointF> steps = geometry.staircase(content);
  for (std::size_t i = 1; i < steps.size(); ++i)
    QVERIFY(steps[i].x() == steps[i - 1].x() || steps[i].y() == steps[i - 1].y());
  QCOMPARE(steps.back().x(), plot.right());
  QVERIFY(geometry.across.size() > 2 && geometry.up.size() > 2);
}

void TestWhatIfModels::geometry_of_random_points() {
  pipedeck::test::Random random(7);
  for (int i = 0; i < 60; ++i) {
    std::vector<PlanCandidate> plans;
    const int count = random.integer(1, 80);
    for (int p = 0; p < count; ++p)
      plans.push_back(plan_of(random.uniform(0.1, 500), std::exp2(random.uniform(-6, 8)), random.uniform(0, 100),
                              random.integer(1, 512)));
    for (const models::whatif::FrontMeasure x : models::whatif::front_measures) {
      const models::whatif::ParetoContent content =
          models::whatif::make_front_content(plans, x, models::whatif::FrontMeasure::memory);
      const QRectF plot(40, 20, random.uniform(60, 900), random.uniform(40, 600));
      const models::whatif::ParetoGeometry geometry = models::whatif::lay_out_front(content, plot);
      const QRectF around = plot.adjusted(-1e-6, -1e-6, 1e-6, 1e-6);
      for (std::size_t p = 0; p < geometry.points.size(); ++p) {
        QVERIFY(around.contains(geometry.points[p]));
        QVERIFY(geometry.hit(content, geometry.points[p]));
      }
      for (const models::whatif::FrontTick& tick : geometry.across)
        QVERIFY(tick.position >= plot.left() - 1e-6 && tick.position <= plot.right() + 1e-6 && !tick.text.isEmpty());
      QVERIFY(geometry.across.size() < 30 && !content.line.empty());
      for (const std::size_t at : content.line) QVERIFY(at < plans.size());
    }
  }
}

void TestWhatIfModels::nothing_to_draw() {
  const models::whatif::ParetoContent content =
      models::whatif::make_front_content({}, models::whatif::FrontMeasure::memory, models::whatif::FrontMeasure::price);
  const models::whatif::ParetoGeometry geometry = models::whatif::lay_out_front(content, QRectF(0, 0, 100, 100));
  QVERIFY(geometry.points.empty() && geometry.staircase(content).empty());
  QVERIFY(!geometry.hit(content, QPointF(5, 5)));
}

void TestWhatIfModels::table_twin() {
  models::whatif::FrontTableModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  model.set_content(models::whatif::make_front_content(some_plans(), models::whatif::FrontMeasure::memory,
                                                       models::whatif::FrontMeasure::price));
  QCOMPARE(model.rowCount(), 5);
  QCOMPARE(model.index(0, models::whatif::FrontTableModel::name).data().toString(), "plan 10");
  QCOMPARE(model.index(3, models::whatif::FrontTableModel::front).data().toString(), QString());
  QVERIFY(!model.index(0, models::whatif::FrontTableModel::front).data(Qt::AccessibleTextRole).toString().isEmpty());
  const QString copied = models::whatif::copied_text(model);
  QCOMPARE(copied.count('\n'), 6);
  QVERIFY(copied.contains("plan 20\t20"));
  model.set_content({});
  QCOMPARE(model.rowCount(), 0);
}

void TestWhatIfModels::table_sorts_by_figures() {
  models::whatif::FrontTableModel model;
  QSortFilterProxyModel sorted;
  QAbstractItemModelTester tester(&sorted, QAbstractItemModelTester::FailureReportingMode::QtTest);
  sorted.setSourceModel(&model);
  sorted.setSortRole(models::whatif::FrontTableModel::sort_role);
  std::vector<PlanCandidate> plans = some_plans();
  plans.push_back(plan_of(100, 1, 3.0));
  model.set_content(models::whatif::make_front_content(plans, models::whatif::FrontMeasure::memory,
                                                       models::whatif::FrontMeasure::price));
  sorted.sort(models::whatif::FrontTableModel::samples, Qt::DescendingOrder);
  QCOMPARE(sorted.index(0, models::whatif::FrontTableModel::name).data().toString(), "plan 100");
  sorted.sort(models::whatif::FrontTableModel::memory);
  QCOMPARE(sorted.index(0, models::whatif::FrontTableModel::name).data().toString(), "plan 100");
}

void TestWhatIfModels::rows_and_words() {
  const PlanCandidate today = plan_of(10, 8, 4.0), now = plan_of(20, 4, 6.0);
  const std::vector<models::whatif::Row> rows = models::whatif::what_if_rows(today, now);
  const auto row = [&](const char* label) {
    return *std::ranges::find(rows, QString::fromUtf8(label), &models::whatif::Row::label);
  };
  QVERIFY(row("Samples per second").effect == models::whatif::Row::Effect::better);
  QCOMPARE(plain(row("Samples per second").change), "+100 %");
  QVERIFY(row("Price per hour").effect == models::whatif::Row::Effect::worse);
  QVERIFY(row("Price per 1 M samples").effect == models::whatif::Row::Effect::better);
  QVERIFY(plain(models::whatif::difference_text(today, now)).contains("100 % more"));
  QVERIFY(models::whatif::difference_text(today, now).contains("cheaper"));
  QVERIFY(models::whatif::difference_text(today, today).startsWith("No change from today"));
  QVERIFY(models::whatif::difference_text({}, now).contains("plan 20"));
  QVERIFY(models::whatif::difference_text(today, {}).isEmpty());
  QVERIFY(models::whatif::what_if_rows(today, {}).front().now.isEmpty());
  QVERIFY(models::whatif::times_text({TimeScale::Source::scaled, 2.5, "V100", "A100"}).contains("2.5"));
  QVERIFY(models::whatif::times_text({}).isEmpty());
}

void TestWhatIfModels::purchases_in_words() {
  std::vector<PurchaseGain> gains(3);
  gains[0].purchase.kind = UpgradeKind::links_between;
  gains[0].purchase.factor = 2;
  gains[0].best = plan_of(20, 4, 6.0);
  gains[0].gain = 10;
  gains[1].purchase.kind = UpgradeKind::links;
  gains[1].purchase.places = {"a – b", "a – c", "a – d", "a – e", "a – f"};
  gains[1].failure_reason = "it can't be";
  gains[2] = gains[0];
  gains[2].purchase.kind = UpgradeKind::node;
  gains[2].price_change = 5;
  const std::vector<models::whatif::BarRow> rows = models::whatif::purchase_rows(gains);
  QCOMPARE(rows.size(), std::size_t{3});
  QVERIFY(rows[0].label.contains("between nodes"));
  QCOMPARE(rows[0].to, 10.0);
  QVERIFY(rows[1].label.contains("2 more"));
  QVERIFY(rows[2].text.contains("2"));
  for (const models::whatif::BarRow& row : rows) QVERIFY(!row.tool_tip.isEmpty());
}

/// Half of the peak at 10 samples/s.
PlanCandidate with_rates(PlanCandidate found, double peak = 989e12) {
  Utilization rates;
  rates.devices = found.devices;
  rates.tokens_per_second = found.samples_per_second * 4096;
  rates.precision = "bf16";
  rates.peak_per_device = peak;
  rates.mfu = peak > 0 ? 0.05 * found.samples_per_second : 0;
  rates.unknown_peak = peak > 0 ? "" : "New-GPU";
  found.utilization = rates;
  return found;
}

void TestWhatIfModels::utilization_where_it_is_known() {
  const PlanCandidate today = with_rates(plan_of(10, 8, 4.0)), now = with_rates(plan_of(8, 8, 4.0));
  const auto row_of = [](const std::vector<models::whatif::Row>& rows, const char* label) {
    return std::ranges::find(rows, QString::fromUtf8(label), &models::whatif::Row::label);
  };
  const std::vector<models::whatif::Row> rows = models::whatif::what_if_rows(today, now);
  QCOMPARE(plain(row_of(rows, "MFU")->current), "50.0 %");
  QVERIFY(row_of(rows, "MFU")->effect == models::whatif::Row::Effect::worse);
  QVERIFY(row_of(rows, "MFU")->tool_tip.startsWith("MFU counts"));
  QCOMPARE(row_of(rows, "Tokens per second")->now, "32768");
  const std::vector<models::whatif::Row> unknown = models::whatif::what_if_rows(plan_of(10, 8, 4.0), {});
  QVERIFY(row_of(unknown, "MFU") == unknown.end());

  models::whatif::FrontTableModel table;
  table.set_content(models::whatif::make_front_content({today}, models::whatif::FrontMeasure::memory,
                                                       models::whatif::FrontMeasure::price));
  QVERIFY(table.has_rates());
  const QModelIndex mfu = table.index(0, models::whatif::FrontTableModel::mfu);
  QCOMPARE(plain(mfu.data().toString()), "50.0 %");
  QVERIFY(mfu.data(Qt::ToolTipRole).toString().startsWith("MFU counts"));

  const CapacityPoint point{.type = "", .nodes = 1, .global_batch = 64, .micro_batch = 0};
  const CapacityGoal goal{.samples = 1e6};
  const std::vector<CapacityFound> found{
      {point, today, {}}, {point, with_rates(plan_of(10, 8, 4.0), 0), {}}, {point, plan_of(10, 8, 4.0), {}}};
  const auto bars = models::whatif::capacity_rows(goal, found, "USD");
  QCOMPARE(plain(bars[0].more), "50.0 %");
  QVERIFY(bars[0].more_tip.startsWith("MFU counts"));
  QVERIFY(bars[1].more_tip.contains("no bf16 peak of New-GPU"));
  QVERIFY(bars[2].more.isEmpty());
}

PIPEDECK_TEST(TestWhatIfModels)

}  // namespace pipedeck::tst_what_if_models

#include "tst_what_if_models.moc"
