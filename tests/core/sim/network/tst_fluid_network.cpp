// SPDX-License-Identifier: Apache-2.0
// The fluid network against a plain solver that computes all rates of all flows at every query.
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "core/sim/network/fluid_network.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_fluid_network {

constexpr double gigabyte = 1e9;

/// Keeps what flows use for as long as the program runs.
std::span<const sim::network::LinkUse> keep(std::vector<sim::network::LinkUse> uses) {
  static std::deque<std::vector<sim::network::LinkUse>> kept;
  return kept.emplace_back(std::move(uses));
}

/// `bytes` over `uses` as `ideal` counts them.
sim::network::FlowShape transfer(double latency, double bytes, std::vector<sim::network::LinkUse> uses,
                                 const std::vector<double>& capacities, double most = 1e30) {
  double rate = most;
  for (const sim::network::LinkUse& use : uses)
    rate = std::min(rate, capacities[static_cast<std::size_t>(use.link)] / use.times);
  return {{latency * 1e9, 0}, {(latency + bytes / rate) * 1e9, rate, keep(std::move(uses))}};
}

std::int64_t rounded(double nanoseconds) { return static_cast<std::int64_t>(std::floor(nanoseconds + 0.5)); }

/// Ends of flows that start at given times.
std::vector<std::int64_t> ends(const std::vector<double>& capacities,
                               const std::vector<sim::network::FlowShape>& shapes,
                               const std::vector<std::int64_t>& starts) {
  sim::network::FluidNetwork network(capacities);
  std::vector<std::int64_t> end(shapes.size(), -1);
  std::map<int, std::size_t> running;
  std::size_t done = 0;
  std::vector<int> ended;
  while (done < shapes.size()) {
    std::int64_t now = network.next();
    for (std::size_t i = 0; i < starts.size(); ++i)
      if (end[i] < 0 && starts[i] < now &&
          std::none_of(running.begin(), running.end(), [&](const auto& r) { return r.second == i; }))
        now = starts[i];
    ended.clear();
    network.advance(now, ended);
    for (const int number : ended) {
      end[running.at(number)] = now;
      running.erase(number);
      ++done;
    }
    for (std::size_t i = 0; i < starts.size(); ++i)
      if (starts[i] == now && end[i] < 0) running[network.start(shapes[i], now)] = i;
    network.update_rates(now);
  }
  return end;
}

/// Max-min fair rates of all flows by the definition: the level rises until some link is full.
std::map<int, double> plain_rates(const std::map<int, const sim::network::FlowShape*>& flows,
                                  const sim::network::FluidNetwork& network, std::vector<double> left) {
  std::map<int, double> rates;
  const auto uses = [&](int number) { return (*flows.at(number))[network.phase_of(number)].uses; };
  std::vector<int> open;
  for (const auto& [number, shape] : flows) {
    rates[number] = 0;
    if (!uses(number).empty()) open.push_back(number);
  }
  double level = 0;
  while (!open.empty()) {
    std::vector<double> weight(left.size(), 0);
    for (const int number : open)
      for (const sim::network::LinkUse& use : uses(number)) weight[static_cast<std::size_t>(use.link)] += use.times;
    double rise = 1e300;
    for (std::size_t l = 0; l < left.size(); ++l)
      if (weight[l] > 0) rise = std::min(rise, left[l] / weight[l]);
    for (const int number : open) rise = std::min(rise, (*flows.at(number))[network.phase_of(number)].rate - level);
    level += rise;
    for (std::size_t l = 0; l < left.size(); ++l) left[l] -= rise * weight[l];
    std::vector<int> still;
    for (const int number : open) {
      rates[number] = level;
      bool stuck = (*flows.at(number))[network.phase_of(number)].rate <= level * (1 + 1e-12);
      for (const sim::network::LinkUse& use : uses(number))
        stuck = stuck || left[static_cast<std::size_t>(use.link)] <= 1e-3;
      if (!stuck) still.push_back(number);
    }
    open = still;
  }
  return rates;
}

/// A few random links, once or several times each.
sim::network::FlowShape random_shape(test::Random& random, const std::vector<double>& capacities) {
  sim::network::FlowShape shape;
  double until = 0;
  const int phases = random.integer(1, 3);
  for (int p = 0; p < phases; ++p) {
    if (random.integer(0, 1)) shape.push_back({until += random.integer(0, 20'000) * 0.37, 0});
    std::vector<sim::network::LinkUse> uses;
    double rate = random.integer(0, 4) ? 1e30 : random.uniform(0.1, 20) * gigabyte;
    for (std::size_t l = 0; l < capacities.size(); ++l) {
      if (random.integer(0, static_cast<int>(capacities.size())) > 3) continue;
      uses.push_back({static_cast<int>(l), random.integer(0, 5) ? 1.0 : random.integer(2, 5)});
      rate = std::min(rate, capacities[l] / uses.back().times);
    }
    if (uses.empty()) uses.push_back({0, 1}), rate = std::min(rate, capacities[0]);
    shape.push_back({until += random.integer(0, 2'000'000) / rate * 1e9, rate, keep(uses)});
  }
  return shape;
}

class TestFluidNetwork : public QObject {
  Q_OBJECT

 private slots:
  void aloneItTakesLatencyAndBytes() {
    test::Random random(7);
    for (int i = 0; i < 500; ++i) {
      const std::vector<double> capacities{random.uniform(0.5, 100) * gigabyte, random.uniform(0.5, 100) * gigabyte};
      const sim::network::FlowShape shape =
          transfer(random.integer(0, 3) * 1.3e-6, random.integer(0, 100'000'000), {{0, 1}, {1, 1}}, capacities);
      const std::int64_t start = random.integer(0, 1 << 30);
      QCOMPARE(ends(capacities, {shape}, {start})[0], start + rounded(shape.back().until));
    }
  }

  /// Parts of hops that add up to one by their sum only: 0.1 + 0.2 + 0.7 is not 1 in any order of subtraction.
  void parts_of_hops_end() {
    const std::vector<double> capacities{gigabyte, 100 * gigabyte};
    std::vector<sim::network::FlowShape> shapes;
    for (const double part : {0.1, 0.2, 0.7, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.6})
      shapes.push_back(transfer(0, 1e6, {{0, part}, {1, 1}}, capacities));
    const std::vector<std::int64_t> starts(shapes.size(), 0);
    for (const std::int64_t end : ends(capacities, shapes, starts)) QVERIFY(end > 0);
  }

  void twoOverOneLinkTakeDouble() {
    const std::vector<double> capacities{gigabyte};
    const sim::network::FlowShape shape = transfer(0, 1'000'000, {{0, 1}}, capacities);
    QCOMPARE(ends(capacities, {shape, shape}, {0, 0}), (std::vector<std::int64_t>{2'000'000, 2'000'000}));
    // The second comes when half of the first is through: 0.5 ms alone, 1 ms together, 0.5 ms alone.
    QCOMPARE(ends(capacities, {shape, shape}, {0, 500'000}), (std::vector<std::int64_t>{1'500'000, 2'000'000}));
  }

  void latencyHoldsNoBandwidth() {
    const std::vector<double> capacities{gigabyte};
    const sim::network::FlowShape now = transfer(0, 1'000'000, {{0, 1}}, capacities);
    const sim::network::FlowShape later = transfer(1e-3, 1'000'000, {{0, 1}}, capacities);
    QCOMPARE(ends(capacities, {now, later}, {0, 0}), (std::vector<std::int64_t>{1'000'000, 2'000'000}));
  }

  /// Bertsekas and Gallager, Data Networks, section 6.5.2: another flow uses the capacity that one cannot use.
  void whatOneCannotUseOthersGet() {
    const std::vector<double> capacities{1 * gigabyte, 3 * gigabyte};
    sim::network::FluidNetwork network(capacities);
    const sim::network::FlowShape both = transfer(0, 1e9, {{0, 1}, {1, 1}}, capacities);
    const sim::network::FlowShape narrow = transfer(0, 1e9, {{0, 1}}, capacities),
                                  wide = transfer(0, 1e9, {{1, 1}}, capacities);
    const int a = network.start(both, 0), b = network.start(narrow, 0), c = network.start(wide, 0);
    network.update_rates(0);
    QCOMPARE(network.rate(a), 0.5 * gigabyte);
    QCOMPARE(network.rate(b), 0.5 * gigabyte);
    QCOMPARE(network.rate(c), 2.5 * gigabyte);
  }

  void collectiveIsHeldBackByItsSlowestHop() {
    const std::vector<double> capacities{gigabyte, gigabyte, gigabyte};
    sim::network::FluidNetwork network(capacities);
    const sim::network::FlowShape ring = transfer(0, 1e9, {{0, 1}, {1, 1}, {2, 1}}, capacities);
    const sim::network::FlowShape one = transfer(0, 1e9, {{0, 1}}, capacities),
                                  two = transfer(0, 1e9, {{1, 1}}, capacities);
    const int a = network.start(ring, 0), b = network.start(one, 0), c = network.start(one, 0);
    const int d = network.start(two, 0);
    network.update_rates(0);
    for (const int third : {a, b, c}) QVERIFY(std::abs(network.rate(third) - gigabyte / 3) < 1);
    QVERIFY(std::abs(network.rate(d) - gigabyte * 2 / 3) < 1);
  }

  void hopsOverOneLinkCountEach() {
    const std::vector<double> capacities{gigabyte};
    const sim::network::FlowShape bus = transfer(0, 1'000'000, {{0, 4}}, capacities);
    QCOMPARE(ends(capacities, {bus}, {5}), (std::vector<std::int64_t>{4'000'005}));
    // A concurrent transfer gets as much as each of the four hops.
    const sim::network::FlowShape single = transfer(0, 1'000'000, {{0, 1}}, capacities);
    QCOMPARE(ends(capacities, {bus, single}, {0, 0}), (std::vector<std::int64_t>{5'000'000, 5'000'000}));
  }

  void aCapLeavesTheRestToOthers() {
    const std::vector<double> capacities{gigabyte};
    const sim::network::FlowShape slow = transfer(0, 100'000, {{0, 1}}, capacities, 0.2 * gigabyte);
    const sim::network::FlowShape fast = transfer(0, 800'000, {{0, 1}}, capacities);
    QCOMPARE(ends(capacities, {slow, fast}, {0, 0}), (std::vector<std::int64_t>{500'000, 900'000}));
  }

  /// At every event, the rates of all flows; and no link exceeds its capacity.
  void ratesAreMaxMinFair() {
    for (int seed = 0; seed < 300; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed));
      std::vector<double> capacities;
      for (int l = random.integer(1, 12); l > 0; --l) capacities.push_back(random.uniform(0.1, 50) * gigabyte);
      const int count = random.integer(1, 25);
      std::vector<sim::network::FlowShape> shapes;
      std::vector<std::int64_t> starts;
      for (int i = 0; i < count; ++i) {
        shapes.push_back(random_shape(random, capacities));
        starts.push_back(random.integer(0, 2'000'000));
      }
      std::sort(starts.begin(), starts.end());
      sim::network::FluidNetwork network(capacities);
      std::map<int, const sim::network::FlowShape*> running;
      std::vector<int> ended;
      for (std::size_t next = 0; next < starts.size() || !running.empty();) {
        const std::int64_t now = next < starts.size() ? std::min(starts[next], network.next()) : network.next();
        ended.clear();
        network.advance(now, ended);
        for (const int number : ended) running.erase(number);
        for (; next < starts.size() && starts[next] == now; ++next)
          running[network.start(shapes[next], now)] = &shapes[next];
        network.update_rates(now);
        for (const auto& [number, rate] : plain_rates(running, network, capacities))
          if (rate > 0)
            QVERIFY2(std::abs(network.rate(number) - rate) <= 1e-9 * rate,
                     qPrintable(QString("seed %1: %2 against %3").arg(seed).arg(network.rate(number)).arg(rate)));
      }
    }
  }

  /// Bytes over each link are at most its capacity times the time in which anything crossed it.
  void linksCarryNoMoreThanTheyCan() {
    for (int seed = 0; seed < 200; ++seed) {
      test::Random random(static_cast<std::uint64_t>(seed) + 1000);
      std::vector<double> capacities;
      for (int l = random.integer(1, 6); l > 0; --l) capacities.push_back(random.uniform(0.1, 5) * gigabyte);
      std::vector<sim::network::FlowShape> shapes;
      std::vector<std::int64_t> starts;
      std::vector<double> carried(capacities.size(), 0), uses(capacities.size(), 0);
      for (int i = random.integer(2, 15); i > 0; --i) {
        shapes.push_back(random_shape(random, capacities));
        starts.push_back(random.integer(0, 500'000));
        double before = 0;
        for (const sim::network::FlowPhase& phase : shapes.back()) {
          for (const sim::network::LinkUse& use : phase.uses) {
            carried[static_cast<std::size_t>(use.link)] += use.times * phase.rate * (phase.until - before) * 1e-9;
            uses[static_cast<std::size_t>(use.link)] += use.times;
          }
          before = phase.until;
        }
      }
      const std::vector<std::int64_t> end = ends(capacities, shapes, starts);
      const std::int64_t first = *std::min_element(starts.begin(), starts.end());
      const std::int64_t last = *std::max_element(end.begin(), end.end());
      for (std::size_t l = 0; l < capacities.size(); ++l)  // an end is rounded by half a nanosecond at most
        QVERIFY(carried[l] <= capacities[l] * (static_cast<double>(last - first) + uses[l]) * 1e-9 + 1);
      for (std::size_t i = 0; i < shapes.size(); ++i)
        QVERIFY(end[i] - starts[i] >= rounded(shapes[i].back().until) - static_cast<std::int64_t>(shapes.size()));
    }
  }
};

PIPEDECK_TEST(TestFluidNetwork)

}  // namespace pipedeck::tst_fluid_network

#include "tst_fluid_network.moc"
