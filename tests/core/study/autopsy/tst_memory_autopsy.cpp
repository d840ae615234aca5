// SPDX-License-Identifier: Apache-2.0
// Memory snapshots of an allocator that make_dumps.py plays: its peak, uses, reserved bytes and gaps come back.
#include <QTest>

#include "core/io/dumps/files.hpp"
#include "core/study/autopsy/autopsy.hpp"
#include "tests/support/made_dumps.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_autopsy {

using io::dumps::MemoryAction;
using io::dumps::MemoryUse;
using study::autopsy::measured_piles;
using study::autopsy::MeasuredPile;

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// A device with weights of 2 GiB that lie there from the begin.
io::dumps::MemorySnapshot small_snapshot() {
  io::dumps::DeviceMemory device{0, Bytes(4 * gib), {}, {}};
  device.blocks = {{4096, Bytes(2 * gib), true, MemoryUse::weights, 1},
                   {4096 + 2 * gib, Bytes(gib), false, MemoryUse::other, 0},
                   {4096 + 3 * gib, Bytes(gib), false, MemoryUse::other, 0}};
  const auto address = static_cast<std::uint64_t>(4096 + 2 * gib);
  device.events = {{MemoryAction::allocated, MemoryUse::activations, 2, address, Bytes(gib), Bytes(), 1000},
                   {MemoryAction::out_of_memory, MemoryUse::other, 2, 0, Bytes(8 * gib), Bytes(gib / 2), 1500},
                   {MemoryAction::freed, MemoryUse::other, 0, address, Bytes(gib), Bytes(), 2000},
                   {MemoryAction::released, MemoryUse::other, 0, 1 << 20, Bytes(gib), Bytes(), 2500}};
  return {{device}, {"", "train.py:12 main", "model.py:41 forward"}, 0};
}

class TestMemoryAutopsy : public QObject {
  Q_OBJECT

 private slots:
  void what_was_played_comes_back() {
    if (!test::has_python()) QSKIP("no python3 here");
    for (int seed = 1; seed <= 12; ++seed) {
      const test::MadeDumps made(QStringLiteral("snapshot"), seed);
      QVERIFY(made.ok());
      const auto dump = io::dumps::read_dump(made.file(QStringLiteral("snapshot.pickle")));
      QVERIFY2(dump, dump ? "" : dump.error().text().c_str());
      const auto piles = measured_piles(std::get<io::dumps::MemorySnapshot>(*dump));
      QCOMPARE(piles.size(), 1U);
      const MeasuredPile& pile = piles.front();
      const QJsonObject truth = made.truth();
      const auto number = [&](const char* key) { return truth[QLatin1String(key)].toInteger(); };
      QCOMPARE(pile.peak.live.total().count, number("peak"));
      for (int i = 0; i < study::autopsy::memory_use_count; ++i) {
        const auto use = static_cast<MemoryUse>(i);
        const std::string name(name_of(use));
        QCOMPARE(pile.peak.live[use].count, truth[QStringLiteral("uses")].toObject()[name.c_str()].toInteger());
      }
      QCOMPARE(pile.reserved_at_end.count, number("reserved"));
      QCOMPARE(pile.live_at_end.count, number("active"));
      QCOMPARE(pile.largest_gap.count, number("largest_free"));
      QCOMPARE(pile.points.back().live.total(), pile.live_at_end);  // the record leads to the snapshot
      QCOMPARE(pile.points.back().reserved, pile.reserved_at_end);
      QCOMPARE(pile.failed.size(), 1U);
      Bytes places;
      for (const auto& place : pile.places) places += place.bytes;
      QCOMPARE(places, pile.peak.live.total());
    }
  }

  void what_was_there_before_the_record() {
    const MeasuredPile pile = measured_piles(small_snapshot()).front();
    QCOMPARE(pile.points.front().live[MemoryUse::weights], Bytes(2 * gib));
    QCOMPARE(pile.points.front().reserved, Bytes(5 * gib));  // one is released at the end
    QCOMPARE(pile.peak.live.total(), Bytes(3 * gib));
    QVERIFY(pile.timed && pile.peak.time == 0 && pile.points.back().time == 1500);
    QCOMPARE(pile.reserved_peak, Bytes(5 * gib));
    QCOMPARE(pile.gaps(), 0.5);
    QCOMPARE(QString::fromStdString(pile.places.front().place), QStringLiteral("train.py:12 main"));
    const auto found = findings_of(pile);
    QVERIFY(found.front().starts_with("Live bytes peak at 3.00 GiB, 0.0 ms after"));
    QVERIFY(
        found.back().starts_with("A request for 8.00 GiB failed with 512.0 MiB free on the device and 2.00 GiB free"));
  }

  void a_long_record_keeps_its_peaks() {
    io::dumps::MemorySnapshot snapshot{{{0, Bytes(100 * gib), {}, {}}}, {""}, 0};
    auto& events = snapshot.devices.front().events;
    for (int i = 0; i < 50'000; ++i) {
      const auto size = Bytes(i == 31'007 ? 9 * gib : 1024 + i);
      events.push_back({MemoryAction::allocated, MemoryUse::other, 0, 64, size, Bytes(), 0});
      events.push_back({MemoryAction::freed, MemoryUse::other, 0, 64, size, Bytes(), 0});
    }
    const MeasuredPile pile = measured_piles(snapshot).front();
    QVERIFY(pile.points.size() <= study::autopsy::most_points);
    QVERIFY(!pile.timed);
    QCOMPARE(pile.peak.live.total(), Bytes(9 * gib));
    QCOMPARE(pile.peak.time, 2 * 31'007);
    const auto highest =
        std::ranges::max(pile.points, {}, [](const study::autopsy::PilePoint& one) { return one.live.total(); });
    QCOMPARE(highest.live, pile.peak.live);
  }

  void beside_the_prediction_of_a_rank() {
    SimulatedDevice device;
    device.peak_breakdown[MemoryItem::weights] = Bytes(2 * gib);
    device.peak_breakdown[MemoryItem::activations] = Bytes(gib / 2);
    device.peak_breakdown[MemoryItem::boundary] = Bytes(gib / 4);
    device.peak_breakdown[MemoryItem::reserve] = Bytes(gib);
    device.peak = device.peak_breakdown.total();
    const MeasuredPile pile = measured_piles(small_snapshot()).front();
    const auto rows = beside_prediction(pile, device, 0.5);
    const auto row = [&](std::string_view name) {
      return *std::ranges::find(rows, name, &study::autopsy::PileRow::name);
    };
    QCOMPARE(row("weights").measured, row("weights").predicted);
    QCOMPARE(row("activations").predicted, Bytes(3 * gib / 4));
    QCOMPARE(row("activations").measured, Bytes(gib));
    QCOMPARE(row("allocated at the peak").predicted, Bytes(11 * gib / 4));  // without the context
    QCOMPARE(row("reserved at most").predicted, Bytes(11 * gib / 2));
    QVERIFY(!row("of unknown use").predicted);
    QCOMPARE(
        QString::fromStdString(verdict_of(rows)),
        QStringLiteral("The measured peak is 256.0 MiB (9 %) above the predicted one; most of the difference is in "
                       "activations: 256.0 MiB more."));
  }
};

PIPEDECK_TEST(TestMemoryAutopsy)

}  // namespace pipedeck::tst_memory_autopsy

#include "tst_memory_autopsy.moc"
