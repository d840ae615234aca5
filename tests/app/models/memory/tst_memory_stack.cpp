// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <random>

#include "app/models/memory/stack.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_stack {

DeviceItems random_items(int points, std::uint32_t seed) {
  std::mt19937 random(seed);
  DeviceItems items;
  items.device = DeviceId(std::int32_t{3});
  items.held[MemoryItem::weights] = Bytes(500);
  std::int64_t time = 0;
  for (int i = 0; i < points; ++i) {
    const auto bytes = [&] { return Bytes(static_cast<std::int64_t>(random() % 1000)); };
    items.points.push_back({Nanoseconds(time), bytes(), bytes(), bytes()});
    time += 1 + static_cast<std::int64_t>(random() % 50);
  }
  return items;
}

class TestMemoryStack : public QObject {
  Q_OBJECT

 private slots:
  void highest_equals_a_look_at_every_point() {
    const DeviceItems items = random_items(3000, 9);
    const models::memory::Stack stack(items);
    std::mt19937 random(10);
    const std::int64_t whole = items.points.back().time.count;
    for (int trial = 0; trial < 500; ++trial) {
      const auto begin = static_cast<double>(random() % static_cast<std::uint32_t>(whole));
      const double end = begin + (trial % 3 == 0 ? 0.5 : static_cast<double>(random() % 20000));
      std::optional<std::size_t> expected;
      for (std::size_t p = 0; p < items.points.size(); ++p) {
        const auto from = static_cast<double>(items.points[p].time.count);
        const double to = p + 1 < items.points.size() ? static_cast<double>(items.points[p + 1].time.count) : 1e18;
        if (to <= begin || from >= end) continue;
        if (!expected || items.points[p].changing() > items.points[*expected].changing()) expected = p;
      }
      QCOMPARE(stack.highest(begin, end), *expected);
      QVERIFY(static_cast<double>(items.points[stack.at(begin)].time.count) <= begin);
    }
    QCOMPARE(stack.at(-5), std::size_t{0});
    QCOMPARE(stack.highest(-5, -4), std::size_t{0});
    QCOMPARE(stack.at(1e18), items.points.size() - 1);
  }

  void item_under_a_height() {
    MemoryBreakdown parts;
    parts[MemoryItem::reserve] = Bytes(10);
    parts[MemoryItem::weights] = Bytes(100);
    parts[MemoryItem::activations] = Bytes(50);
    parts[MemoryItem::workspace] = Bytes(1);
    QCOMPARE(*models::memory::item_at(parts, Bytes(0)), MemoryItem::reserve);
    QCOMPARE(*models::memory::item_at(parts, Bytes(9)), MemoryItem::reserve);
    QCOMPARE(*models::memory::item_at(parts, Bytes(10)), MemoryItem::weights);
    QCOMPARE(*models::memory::item_at(parts, Bytes(110)), MemoryItem::activations);
    QCOMPARE(*models::memory::item_at(parts, Bytes(160)), MemoryItem::workspace);
    QVERIFY(!models::memory::item_at(parts, Bytes(161)));
    QVERIFY(!models::memory::item_at(parts, Bytes(-1)));
  }

  void stacks_of_devices() {
    auto all = std::make_shared<std::vector<DeviceItems>>();
    all->push_back(random_items(5, 1));
    all->push_back({DeviceId(std::int32_t{4}), {}, {}});  // nothing simulated
    const auto stacks = models::memory::make_memory_stacks(all);
    QVERIFY(stacks->of(DeviceId(std::int32_t{3})));
    QVERIFY(!stacks->of(DeviceId(std::int32_t{4})));
    QCOMPARE(stacks->kinds(), (std::vector<MemoryItem>{MemoryItem::weights, MemoryItem::activations,
                                                       MemoryItem::boundary, MemoryItem::workspace}));
    QVERIFY(!models::memory::make_memory_stacks(nullptr));
  }

  void strips_say_where_what_is() {
    for (const int count : {1, 4, 5, 8, 16, 64}) {
      const models::memory::Strips strips{count, 1000};
      for (int strip = 0; strip < count; ++strip) {
        QCOMPARE(*strips.strip_at(strips.top(strip)), strip);
        QCOMPARE(*strips.strip_at(strips.bottom(strip) - 0.5), strip);
        QVERIFY(!strips.strip_at(strips.bottom(strip) + 1));  // between two
        QCOMPARE(strips.y_of(strip, Bytes(0)), strips.bottom(strip));
        QCOMPARE(strips.y_of(strip, Bytes(1000)), strips.top(strip));
        const double y = strips.y_of(strip, Bytes(250));
        QVERIFY(std::abs(static_cast<double>(strips.bytes_at(strip, y).count) - 250) <= 1);
      }
      QVERIFY(!strips.strip_at(-1));
      QVERIFY(!strips.strip_at(strips.height()));
      QVERIFY(strips.bottom(count - 1) < strips.height());
    }
    QVERIFY((models::memory::Strips{4, 1}).strip_height() > (models::memory::Strips{64, 1}).strip_height());
  }
};

PIPEDECK_TEST(TestMemoryStack)

}  // namespace pipedeck::tst_memory_stack

#include "tst_memory_stack.moc"
