// SPDX-License-Identifier: Apache-2.0
// Times at other sizes, on other devices and at other degrees against a plain reading of formats.md, and the profiles
// that are refused.
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/cost/compute.hpp"
#include "core/plan/validate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_compute {

using test::Random;

using Point = std::pair<double, double>;  // samples, seconds

/// Returns the piecewise linear function through `points`, extended at both ends, never below 0; a single point is
/// joined with 0.
double on_broken_line(std::vector<Point> points, double samples) {
  std::ranges::sort(points);
  for (const auto& [size, time] : points)
    if (size == samples) return time;
  if (points.size() == 1) return points[0].second * samples / points[0].first;
  std::size_t right = 1;
  while (right + 1 < points.size() && points[right].first < samples) ++right;
  const auto [x0, y0] = points[right - 1];
  const auto [x1, y1] = points[right];
  return std::max(0.0, y0 + (y1 - y0) * (samples - x0) / (x1 - x0));
}

struct Asked {
  int samples = 1;
  std::string type;
  int degree = 1;
};

/// Forward, backward and its weight part, one after the other as formats.md has it.
cost::LayerTimes plain_times(const Profile& profile, const Layer& layer, const Cluster& cluster, const Asked& asked) {
  const auto time = [&](bool backward) {
    std::vector<Point> points{{profile.micro_batch, backward ? layer.backward.count : layer.forward.count}};
    for (const LayerPoint& point : layer.at)
      if (point.micro_batch != profile.micro_batch)
        points.emplace_back(point.micro_batch, backward ? point.backward.count : point.forward.count);
    double seconds = on_broken_line(points, asked.samples);
    const double base = points.front().second;
    if (asked.type != profile.device) {
      const auto column = layer.on.find(asked.type);
      if (column != layer.on.end()) {
        if (base > 0) seconds *= (backward ? column->second.backward : column->second.forward).count / base;
      } else {
        double own = 1, other = 1;
        for (const DeviceType& type : cluster.device_types) {
          if (type.name == profile.device) own = type.relative_speed;
          if (type.name == asked.type) other = type.relative_speed;
        }
        seconds *= own / other;
      }
    }
    for (const TensorParallelPoint& point : layer.tensor_parallel)
      if (point.degree == asked.degree && base > 0) seconds *= (backward ? point.backward : point.forward).count / base;
    return seconds;
  };
  cost::LayerTimes times;
  times.forward = Seconds(time(false));
  times.backward = Seconds(time(true));
  times.backward_weight =
      layer.backward.count > 0 ? times.backward * (layer.backward_weight.count / layer.backward.count) : Seconds();
  return times;
}

void near(Seconds actual, Seconds expected) {
  QVERIFY2(std::abs(actual.count - expected.count) <= 1e-12 * expected.count + 1e-16,
           qPrintable(QStringLiteral("%1 against %2").arg(actual.count).arg(expected.count)));
}

Cluster cluster_of_types(Random& random) {
  Cluster cluster = test::flat_cluster(1);
  for (const char* name : {"Y", "Z"}) {
    cluster.device_types.push_back(cluster.device_types.front());
    cluster.device_types.back().name = name;
  }
  for (DeviceType& type : cluster.device_types) type.relative_speed = random.uniform(0.2, 4);
  return cluster;
}

Layer random_layer(Random& random, int micro_batch) {
  Layer layer;
  layer.name = "l";
  const auto time = [&] { return random.integer(0, 7) == 0 ? Seconds() : Seconds(random.uniform(1e-5, 1e-2)); };
  layer.forward = time();
  layer.backward = time();
  layer.backward_weight = layer.backward * random.uniform(0, 1);
  std::map<int, LayerPoint> points{{micro_batch, {micro_batch, layer.forward, layer.backward}}};
  for (int i = random.integer(0, 4); i > 0; --i) {
    const int size = random.integer(1, 40);
    points.try_emplace(size, LayerPoint{size, time(), time()});
  }
  if (points.size() > 1 || random.integer(0, 1))
    for (const auto& [size, point] : points) layer.at.push_back(point);
  for (const int degree : {2, 4, 8})
    if (random.integer(0, 2) > 0) layer.tensor_parallel.push_back({degree, time(), time(), {}, {}});
  if (random.integer(0, 1)) layer.on["Y"] = {time(), time()};
  return layer;
}

Profile measured(std::vector<LayerPoint> at) {
  Profile profile = test::uniform_profile(1, milliseconds(8), milliseconds(16));
  profile.micro_batch = 4;
  profile.layers[0].at = std::move(at);
  return profile;
}

class TestCompute : public QObject {
  Q_OBJECT
 private slots:
  void everyFigureAgainstAPlainReading() {
    Random random(77);
    int beyond = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      const Cluster cluster = cluster_of_types(random);
      Profile profile;
      profile.device = random.integer(0, 4) ? "X" : "nowhere";
      profile.micro_batch = random.integer(1, 20);
      profile.layers = {random_layer(random, profile.micro_batch)};
      const Layer& layer = profile.layers.front();
      QVERIFY(plan::validate(profile).has_value());
      for (const DeviceType& type : cluster.device_types)
        for (const int samples : {1, 2, 3, 7, profile.micro_batch, 19, 40, 100})
          for (std::size_t d = 0; d <= layer.tensor_parallel.size(); ++d) {
            const int degree = d == 0 ? 1 : layer.tensor_parallel[d - 1].degree;
            const cost::LayerTimes actual = cost::layer_times(profile, layer, samples, cluster, type, degree);
            const cost::LayerTimes expected = plain_times(profile, layer, cluster, {samples, type.name, degree});
            near(actual.forward, expected.forward);
            near(actual.backward, expected.backward);
            near(actual.backward_weight, expected.backward_weight);
            beyond += actual.forward.count == 0 && layer.forward.count > 0;
          }
    }
    QVERIFY2(beyond > 50, "lines that would go below 0 should be among the cases");
  }

  void betweenBelowAboveExactAndASinglePoint_data() {
    QTest::addColumn<QList<int>>("sizes");  // of points, with their milliseconds
    QTest::addColumn<QList<double>>("times");
    QTest::addColumn<int>("samples");
    QTest::addColumn<double>("expected");
    const auto row = [](const char* name, const QList<int>& sizes, const QList<double>& times, int samples,
                        double expected) { QTest::newRow(name) << sizes << times << samples << expected; };
    row("no points, half", {}, {}, 2, 4);
    row("no points, twice", {}, {}, 8, 16);
    row("the base alone, half", {4}, {8}, 2, 4);
    row("the base alone, exact", {4}, {8}, 4, 8);
    row("two, between", {4, 8}, {8, 12}, 6, 10);
    row("two, exact", {4, 8}, {8, 12}, 8, 12);
    row("two, above", {4, 8}, {8, 12}, 16, 20);
    row("two, below", {4, 8}, {8, 12}, 1, 5);
    row("two, below 0", {3, 4}, {1, 8}, 1, 0);
    row("three, above by the last two", {2, 4, 8}, {5, 8, 12}, 10, 14);
    row("three, below by the first two", {2, 4, 8}, {5, 8, 12}, 1, 3.5);
    row("three, falling at the end", {2, 4, 8}, {5, 8, 2}, 9, 0.5);
    row("three, falling below 0", {2, 4, 8}, {5, 8, 2}, 16, 0);
    row("level", {4, 8}, {8, 8}, 100, 8);
  }
  void betweenBelowAboveExactAndASinglePoint() {
    QFETCH(QList<int>, sizes);
    QFETCH(QList<double>, times);
    QFETCH(int, samples);
    QFETCH(double, expected);
    std::vector<LayerPoint> at;
    for (int i = 0; i < sizes.size(); ++i)
      at.push_back({sizes[i], milliseconds(times[i]), milliseconds(sizes[i] == 4 ? 16 : 1)});
    const Profile profile = measured(at);
    QVERIFY(plan::validate(profile).has_value());
    const Cluster cluster = test::flat_cluster(1);
    near(cost::layer_times(profile, profile.layers[0], samples, cluster, cluster.device_types[0]).forward,
         milliseconds(expected));
  }

  void pointsThatAreRefused_data() {
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    QTest::newRow("one size twice") << QList<int>{4, 8, 8} << "/layers/0/at/2/micro_batch"
                                    << "second point at 8";
    QTest::newRow("not in order") << QList<int>{4, 16, 8} << "/layers/0/at/2/micro_batch"
                                  << "second point at 8";
    QTest::newRow("without the base") << QList<int>{2, 8} << "/layers/0/at"
                                      << "no point at the profile's micro-batch of 4";
    QTest::newRow("of no samples") << QList<int>{0, 4} << "/layers/0/at/0/micro_batch"
                                   << "found 0, expected a whole number from 1";
    QTest::newRow("of fewer than none") << QList<int>{-2, 4} << "/layers/0/at/0/micro_batch"
                                        << "found -2";
  }
  void pointsThatAreRefused() {
    QFETCH(QList<int>, sizes);
    QFETCH(QString, place);
    QFETCH(QString, words);
    std::vector<LayerPoint> at;
    for (const int size : sizes) at.push_back({size, milliseconds(8), milliseconds(16)});
    const Result<void> valid = plan::validate(measured(at));
    QVERIFY(!valid.has_value());
    QCOMPARE(valid.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(valid.error().place), place);
    QVERIFY2(valid.error().message.find(words.toStdString()) != std::string::npos, valid.error().text().c_str());
  }

  void unlikeDevices() {
    Profile profile = measured({});
    Layer& layer = profile.layers[0];
    layer.backward_weight = milliseconds(4);
    Cluster cluster = test::flat_cluster(1);
    cluster.device_types.push_back(cluster.device_types[0]);
    cluster.device_types[1].name = "Y";
    cluster.device_types[1].relative_speed = 0.25;
    const auto on = [&](std::size_t type) {
      return cost::layer_times(profile, layer, 4, cluster, cluster.device_types[type]);
    };
    near(on(0).forward, milliseconds(8));
    near(on(1).forward, milliseconds(32));  // without a column: by speed
    layer.on["Y"] = {milliseconds(10), milliseconds(80)};
    near(on(1).forward, milliseconds(10));  // a measured time counts, whatever the speeds
    near(on(1).backward, milliseconds(80));
    near(on(1).backward_weight, milliseconds(20));  // an equal fraction of the backward
    layer.on["X"] = {milliseconds(1), milliseconds(1)};
    near(on(0).forward, milliseconds(8));  // the profile's own device needs no column
    layer.on["Y"] = {};
    near(on(1).forward, {});  // measured as zero
  }

  void aTimeOfNothingHasNoRatio() {
    Profile profile = measured({});
    Layer& layer = profile.layers[0];
    layer.forward = layer.backward = layer.backward_weight = {};
    layer.on["Y"] = {milliseconds(10), milliseconds(80)};
    layer.tensor_parallel = {{2, milliseconds(1), milliseconds(1), {}, {}}};
    Cluster cluster = test::flat_cluster(1);
    cluster.device_types[0].name = "Y";
    const cost::LayerTimes times = cost::layer_times(profile, layer, 8, cluster, cluster.device_types[0], 2);
    near(times.forward, {});
    near(times.backward, {});
    near(times.backward_weight, {});
  }
};

PIPEDECK_TEST(TestCompute)

}  // namespace pipedeck::tst_compute

#include "tst_compute.moc"
