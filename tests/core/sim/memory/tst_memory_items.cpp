// SPDX-License-Identifier: Apache-2.0
// The permanent memory of a device, item by item: the published bytes per parameter, ZeRO over replicas, copies and
// uneven parts against a plain sum, communicators and fragmentation against counts by hand.
#include <QtTest/QTest>

#include <cmath>
#include <map>

#include "core/cost/memory.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_memory_items {

using test::Random;

DeviceId dev(int number) { return DeviceId(std::int32_t{number}); }

std::vector<DeviceId> devs(std::initializer_list<int> numbers) {
  std::vector<DeviceId> list;
  for (const int number : numbers) list.push_back(dev(number));
  return list;
}

/// One layer per stage, with given bytes of weights.
struct Case {
  Plan plan;
  Problem problem;
};

Case case_of(const std::vector<std::vector<DeviceId>>& stages, Bytes parameters = Bytes(), int tensor_parallel = 1) {
  Case made;
  Profile profile = test::uniform_profile(static_cast<int>(stages.size()), milliseconds(1), milliseconds(2));
  int devices = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    profile.layers[s].parameters = parameters;
    profile.layers[s].tensor_parallel = {{2, milliseconds(1), milliseconds(2), {}, {}}};
    Stage stage;
    stage.first = static_cast<int>(s), stage.last = stage.first + 1;
    stage.devices = stages[s];
    stage.tensor_parallel = tensor_parallel;
    for (const DeviceId device : stage.devices) devices = std::max(devices, device.value + 1);
    made.plan.stages.push_back(stage);
  }
  made.plan.micro_batch = 8, made.plan.micro_batches = 8;
  made.plan.global_batch = 64;
  made.problem.profile = std::make_shared<const Profile>(std::move(profile));
  made.problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(devices));
  return made;
}

Simulation simulated(const Case& of) {
  const auto simulation = sim::simulate(of.problem, of.plan);
  if (!simulation) qFatal("%s", simulation.error().text().c_str());
  return *simulation;
}

Bytes states(const MemoryBreakdown& parts) {
  return parts[MemoryItem::weights] + parts[MemoryItem::gradients] + parts[MemoryItem::optimizer];
}

/// The bytes per parameter that formats.md gives for a convention, written out without a formula.
struct Bill {
  double weights = 4, gradients = 4, optimizer = 0;
};

Bill bill_of(Optimizer optimizer, Precision precision, int zero) {
  const std::map<Optimizer, int> moments{{Optimizer::none, 0},
                                         {Optimizer::sgd, 0},
                                         {Optimizer::momentum, 1},
                                         {Optimizer::rmsprop, 1},
                                         {Optimizer::adam, 2}};
  Bill bill;
  bill.optimizer = 4 * moments.at(optimizer);
  if (precision == Precision::fp32) return bill;
  bill.weights = 2;
  bill.gradients = precision == Precision::mixed_16 ? 2 : 4;
  if (optimizer != Optimizer::none) bill.optimizer += 4;  // fp32 weights
  if (precision != Precision::mixed_20) return bill;
  if (zero == 0 && optimizer != Optimizer::none) bill.optimizer += 2;  // 16-bit gradients, in addition to fp32
  // With ZeRO the 16-bit gradients are whole, and the fp32 ones cover only the own part.
  if (zero > 0) bill.gradients = 2, bill.optimizer += optimizer == Optimizer::none ? 2 : 4;
  return bill;
}

std::int64_t up(double value) { return static_cast<std::int64_t>(std::ceil(value - 1e-9)); }

class TestMemoryItems : public QObject {
  Q_OBJECT
 private slots:
  void bytesAParameter_data();
  void bytesAParameter();
  void copiesDivideWhatZeroDivides_data();
  void copiesDivideWhatZeroDivides();
  void everyCombinationAgainstAPlainSum();
  void communicators_data();
  void communicators();
  void reserveAndBuffersStandApart();
  void fragmentationByHand();
};

/// The published tables: Megatron's distributed optimizer (20, 18, 16), ZeRO's own (16), and the plain optimizers.
void TestMemoryItems::bytesAParameter_data() {
  QTest::addColumn<int>("optimizer");
  QTest::addColumn<int>("precision");
  QTest::addColumn<int>("zero");
  QTest::addColumn<double>("whole");    // bytes per parameter on every replica
  QTest::addColumn<double>("divided");  // by the replicas
  const auto row = [](const char* name, Optimizer optimizer, Precision precision, int zero, double whole,
                      double divided) {
    QTest::newRow(name) << static_cast<int>(optimizer) << static_cast<int>(precision) << zero << whole << divided;
  };
  using enum Optimizer;
  using enum Precision;
  row("fp32 Adam, 16", adam, fp32, 0, 16, 0);
  row("fp32 momentum, 12", momentum, fp32, 0, 12, 0);
  row("fp32 RMSProp, 12", rmsprop, fp32, 0, 12, 0);
  row("fp32 SGD, 8", sgd, fp32, 0, 8, 0);
  row("Megatron fp16 parameters and gradients, 20", adam, mixed_20, 0, 20, 0);
  row("Megatron bf16 parameters, fp32 gradients, 18", adam, mixed_18, 0, 18, 0);
  row("mixed 16", adam, mixed_16, 0, 16, 0);
  row("Megatron fp16, distributed optimizer: 4 + 16/d", adam, mixed_20, 1, 4, 16);
  row("Megatron bf16, distributed optimizer: 6 + 12/d", adam, mixed_18, 1, 6, 12);
  row("Megatron fp32, distributed optimizer: 8 + 8/d", adam, fp32, 1, 8, 8);
  row("ZeRO 1: 4 + 12/N", adam, mixed_16, 1, 4, 12);
  row("ZeRO 2: 2 + 14/N", adam, mixed_16, 2, 2, 14);
  row("ZeRO 3: 16/N", adam, mixed_16, 3, 0, 16);
  row("fp32 ZeRO 2: 4 + 12/N", adam, fp32, 2, 4, 12);
  row("fp32 ZeRO 3: 16/N", adam, fp32, 3, 0, 16);
  row("18 with ZeRO 2: 2 + 16/N", adam, mixed_18, 2, 2, 16);
  row("18 with ZeRO 3: 18/N", adam, mixed_18, 3, 0, 18);
  row("20 with ZeRO 2: 2 + 18/N", adam, mixed_20, 2, 2, 18);
  row("20 with ZeRO 3: 20/N", adam, mixed_20, 3, 0, 20);
  row("fp32 momentum, ZeRO 1: 8 + 4/N", momentum, fp32, 1, 8, 4);
  row("fp32 SGD, ZeRO 1 has nothing to divide", sgd, fp32, 1, 8, 0);
  row("fp32 SGD, ZeRO 2: 4 + 4/N", sgd, fp32, 2, 4, 4);
  row("fp32 SGD, ZeRO 3: 8/N", sgd, fp32, 3, 0, 8);
  row("mixed 16 momentum", momentum, mixed_16, 0, 12, 0);
  row("mixed 16 SGD", sgd, mixed_16, 0, 8, 0);
  row("mixed 18 SGD, ZeRO 1: 6 + 4/N", sgd, mixed_18, 1, 6, 4);
}

void TestMemoryItems::bytesAParameter() {
  QFETCH(int, optimizer);
  QFETCH(int, precision);
  QFETCH(int, zero);
  QFETCH(double, whole);
  QFETCH(double, divided);
  const auto convention = static_cast<Precision>(precision);
  const std::int64_t count = 840 * 1000;  // whole for every number of replicas below
  const Bytes weights(count * (convention == Precision::fp32 ? 4 : 2));
  for (int replicas = 1; replicas <= 8; ++replicas) {
    const auto expected = static_cast<std::int64_t>(std::llround((whole + divided / replicas) * count));
    const MemoryBreakdown parts =
        cost::state_memory(weights, replicas, static_cast<Optimizer>(optimizer), convention, zero);
    QCOMPARE(parts.total().count, expected);
    std::vector<DeviceId> devices;
    for (int d = 0; d < replicas; ++d) devices.push_back(dev(d));
    Case whole_plan = case_of({devices}, weights);
    whole_plan.plan.optimizer = static_cast<Optimizer>(optimizer);
    whole_plan.plan.precision = convention;
    whole_plan.plan.zero = zero;
    for (const SimulatedDevice& device : simulated(whole_plan).devices) {
      QCOMPARE(device.peak.count, expected);
      QCOMPARE(states(device.peak_breakdown).count, expected);
    }
  }
}

void TestMemoryItems::copiesDivideWhatZeroDivides_data() {
  QTest::addColumn<QString>("schedule");
  QTest::addColumn<int>("zero");
  for (const QString schedule : {"dualpipe", "chimera"})
    for (int zero = 0; zero <= 3; ++zero)
      QTest::newRow(qPrintable(QStringLiteral("%1, ZeRO %2").arg(schedule).arg(zero))) << schedule << zero;
}

/// Two copies of a stage of r replicas reduce their gradients over 2r devices, which divide the states. A device holds
/// parts of two stages.
void TestMemoryItems::copiesDivideWhatZeroDivides() {
  QFETCH(QString, schedule);
  QFETCH(int, zero);
  const Bill bill = bill_of(Optimizer::adam, Precision::mixed_16, zero);
  for (const int replicas : {1, 2, 3}) {
    std::vector<std::vector<DeviceId>> stages;
    for (int s = 0; s < 4; ++s) {
      stages.emplace_back();
      for (int r = 0; r < replicas; ++r) stages.back().push_back(dev(s * replicas + r));
    }
    const std::int64_t count = 1200;
    Case both = case_of(stages, Bytes(count * 2));
    both.plan.schedule = *parse_schedule(schedule.toStdString());
    both.plan.precision = Precision::mixed_16;
    both.plan.zero = zero;
    const int n = 2 * replicas;
    const double expected = bill.weights / (zero >= 3 ? n : 1) + bill.gradients / (zero >= 2 ? n : 1) +
                            bill.optimizer / (zero >= 1 ? n : 1);
    for (const SimulatedDevice& device : simulated(both).devices)
      QCOMPARE(states(device.peak_breakdown).count, std::llround(2 * count * expected));
  }
}

/// All combinations: schedules, chunks, copies, replicas, tensor parallelism with even and uneven parts, shares,
/// optimizers, precisions, ZeRO.
void TestMemoryItems::everyCombinationAgainstAPlainSum() {
  Random random(4242);
  int simulations = 0, uneven = 0, divided = 0;
  const ScheduleKind kinds[] = {
      ScheduleKind::gpipe,     ScheduleKind::one_f_one_b,   ScheduleKind::interleaved,       ScheduleKind::zb_h1,
      ScheduleKind::zb_v,      ScheduleKind::dualpipe,      ScheduleKind::chimera,           ScheduleKind::dualpipe_v,
      ScheduleKind::pipedream, ScheduleKind::pipedream_2bw, ScheduleKind::pipedream_vertical};
  for (int trial = 0; trial < 1500; ++trial) {
    Problem problem = test::random_rich_problem(random);
    const ScheduleKind kind = kinds[random.integer(0, static_cast<int>(std::size(kinds)) - 1)];
    if (devices_of(*problem.cluster).size() < 2) continue;
    Plan plan = test::random_plan(random, problem, kind);
    plan.optimizer = static_cast<Optimizer>(random.integer(0, 4));
    plan.precision = static_cast<Precision>(random.integer(0, 3));
    plan.zero = random.integer(0, 3);
    for (Stage& stage : plan.stages)
      if (stage.tensor_parallel == 2 && random.integer(0, 1)) {
        const double part = random.uniform(0.1, 0.9);
        stage.shard_fractions = {part, 1 - part};
      }
    const auto simulation = sim::simulate(problem, plan);
    if (!simulation) continue;  // of some draws there is no schedule
    ++simulations;
    const std::vector<LayerId> order = order_of(plan, *problem.profile);
    const Bill bill = bill_of(plan.optimizer, plan.precision, plan.zero);
    const double width = plan.precision == Precision::fp32 ? 4 : 2;
    std::map<DeviceId, std::array<std::int64_t, 3>> expected;
    for (const StageCopy& chunk : stage_copies(plan)) {
      const Stage& stage = plan.stages[chunk.stage.index()];
      std::int64_t cut = 0, whole = 0;
      for (int p = stage.first; p < stage.last; ++p) {
        const Layer& layer = problem.profile->layers[order[static_cast<std::size_t>(p)].index()];
        whole += layer.replicated_parameters.count, cut += (layer.parameters - layer.replicated_parameters).count;
      }
      const int replicas = stage.replicas() * (bidirectional(plan.schedule) ? 2 : 1);
      for (std::size_t i = 0; i < chunk.devices.size(); ++i) {
        const std::size_t rank = i % static_cast<std::size_t>(stage.tensor_parallel);
        const double part = stage.shard_fractions ? (*stage.shard_fractions)[rank] : 1.0 / stage.tensor_parallel;
        const auto own = static_cast<double>(whole + up(static_cast<double>(cut) * part)) / width;
        auto& items = expected[chunk.devices[i]];
        items[0] += up(own * bill.weights / (plan.zero >= 3 ? replicas : 1));
        items[1] += up(own * bill.gradients / (plan.zero >= 2 ? replicas : 1));
        items[2] += up(own * bill.optimizer / (plan.zero >= 1 ? replicas : 1));
        uneven += stage.shard_fractions.has_value();
        divided += plan.zero > 0 && replicas > 1;
      }
    }
    for (const SimulatedDevice& device : simulation->devices) {
      const MemoryBreakdown& parts = device.peak_breakdown;
      const auto same = [&](MemoryItem item, std::int64_t bytes) {
        QVERIFY2(std::abs(parts[item].count - bytes) <= 1, qPrintable(QStringLiteral("%1: %2 against %3, trial %4")
                                                                          .arg(name_of(item).data())
                                                                          .arg(parts[item].count)
                                                                          .arg(bytes)
                                                                          .arg(trial)));
      };
      same(MemoryItem::weights, expected[device.device][0]);
      same(MemoryItem::gradients, expected[device.device][1]);
      same(MemoryItem::optimizer, expected[device.device][2]);
      QCOMPARE(parts.total(), device.peak);
      QVERIFY(device.peak_upper_bound >= device.peak);
    }
  }
  QVERIFY(simulations > 900);
  QVERIFY(uneven > 100);
  QVERIFY(divided > 500);
}

void TestMemoryItems::communicators_data() {
  QTest::addColumn<QList<QList<int>>>("stages");  // their devices
  QTest::addColumn<int>("degree");
  QTest::addColumn<QString>("schedule");
  QTest::addColumn<QList<int>>("expected");  // per device
  const auto row = [](const char* name, const QList<QList<int>>& stages, int degree, const char* schedule,
                      const QList<int>& expected) {
    QTest::newRow(name) << stages << degree << QString::fromLatin1(schedule) << expected;
  };
  row("one device", {{0}}, 1, "1f1b", {0});
  row("replicas alone", {{0, 1, 2}}, 1, "1f1b", {1, 1, 1});
  row("a tensor-parallel replica alone", {{0, 1}}, 2, "1f1b", {1, 1});
  row("two of them", {{0, 1, 2, 3}}, 2, "1f1b", {2, 2, 2, 2});
  row("ends have one neighbour", {{0}, {1}, {2}}, 1, "1f1b", {1, 2, 1});
  row("replicas and a neighbour", {{0, 1}, {2}}, 1, "1f1b", {2, 2, 1});
  row("replicas on both sides", {{0, 1}, {2, 3}, {4}}, 1, "gpipe", {2, 2, 3, 3, 1});
  row("the most of a straight pipeline", {{0, 1}, {2, 3, 4, 5}, {6, 7}}, 2, "1f1b", {2, 2, 4, 4, 4, 4, 2, 2});
  row("weight gradients apart", {{0}, {1}, {2}}, 1, "zb-h1", {1, 2, 1});
  row("chunks share a neighbour", {{0}, {1}, {0}, {1}}, 1, "interleaved", {1, 1});
  row("chunks around a ring", {{0}, {1}, {2}, {0}, {1}, {2}}, 1, "interleaved", {2, 2, 2});
  row("chunks share their replicas", {{0, 1}, {2, 3}, {0, 1}, {2, 3}}, 1, "interleaved", {2, 2, 2, 2});
  row("down and up a V", {{0}, {1}, {1}, {0}}, 1, "zb-v", {1, 1});
  row("a longer V", {{0}, {1}, {2}, {2}, {1}, {0}}, 1, "v-half", {1, 2, 1});
  row("dualpipev", {{0}, {1}, {1}, {0}}, 1, "dualpipev", {1, 1});
  // Both directions: neighbours, and the other copy of each stage, which is on one device for both stages.
  row("both directions, two devices", {{0}, {1}}, 1, "dualpipe", {2, 2});
  row("both directions, four devices", {{0}, {1}, {2}, {3}}, 1, "dualpipe", {2, 3, 3, 2});
  row("both directions, replicas", {{0, 1}, {2, 3}}, 1, "chimera", {2, 2, 2, 2});
  row("asynchronous", {{0, 1}, {2}, {3}}, 1, "pipedream", {2, 2, 2, 1});
  row("two versions", {{0, 1}, {2}, {3}}, 1, "pipedream-2bw", {2, 2, 2, 1});
}

void TestMemoryItems::communicators() {
  QFETCH(QList<QList<int>>, stages);
  QFETCH(int, degree);
  QFETCH(QString, schedule);
  QFETCH(QList<int>, expected);
  std::vector<std::vector<DeviceId>> devices;
  for (const QList<int>& stage : stages) {
    devices.emplace_back();
    for (const int device : stage) devices.back().push_back(dev(device));
  }
  Case made = case_of(devices, Bytes(4), degree);
  made.plan.schedule = *parse_schedule(schedule.toStdString());
  const std::int64_t each = 688'000'000;  // NCCL's for more than two GPUs
  made.problem.workload.conventions.communication = Bytes(each);
  const Simulation simulation = simulated(made);
  QCOMPARE(static_cast<qsizetype>(simulation.devices.size()), expected.size());
  for (const SimulatedDevice& device : simulation.devices)
    QCOMPARE(device.peak_breakdown[MemoryItem::communication].count, each * expected[device.device.value]);
}

void TestMemoryItems::reserveAndBuffersStandApart() {
  Case made = case_of({devs({0}), devs({1})}, Bytes(400));
  made.problem.workload.conventions.reserve = Bytes(1000);
  made.problem.workload.conventions.communication = Bytes(30);
  for (const SimulatedDevice& device : simulated(made).devices) {
    QCOMPARE(device.peak_breakdown[MemoryItem::reserve].count, 1000);
    QCOMPARE(device.peak_breakdown[MemoryItem::communication].count, 30);
    QCOMPARE(device.peak.count, 1600 + 1000 + 30);
  }
  // Once per device, for any number of chunks on it.
  Case chunks = case_of({devs({0}), devs({1}), devs({0}), devs({1})}, Bytes(400));
  chunks.plan.schedule = ScheduleKind::interleaved;
  chunks.problem.workload.conventions = made.problem.workload.conventions;
  for (const SimulatedDevice& device : simulated(chunks).devices) {
    QCOMPARE(device.peak_breakdown[MemoryItem::reserve].count, 1000);
    QCOMPARE(device.peak_breakdown[MemoryItem::communication].count, 30);
    QCOMPARE(states(device.peak_breakdown).count, 2 * 1600);
  }
}

/// Two stages under GPipe, two micro-batches: 100 saved bytes of each, 10 sent, 7 of workspace; 1600 permanent.
void TestMemoryItems::fragmentationByHand() {
  for (const double lost : {0.0, 0.06, 0.2, 0.5}) {
    Case made = case_of({devs({0}), devs({1})}, Bytes(400));
    Profile profile = *made.problem.profile;
    for (Layer& layer : profile.layers) layer.saved = Bytes(100), layer.output = Bytes(10), layer.workspace = Bytes(7);
    profile.micro_batch = 4;
    made.problem.profile = std::make_shared<const Profile>(std::move(profile));
    made.plan.schedule = ScheduleKind::gpipe;
    made.plan.micro_batch = 4, made.plan.micro_batches = 2, made.plan.global_batch = 8;
    made.problem.workload.conventions.fragmentation = lost;
    made.problem.workload.conventions.reserve = Bytes(1000);
    made.problem.workload.conventions.communication = Bytes(30);
    const Simulation simulation = simulated(made);
    // Stage 0: two of (100 + 10). Stage 1: two of 100, and one input on its way.
    QCOMPARE(simulation.devices[0].peak_upper_bound.count, 1030 + up((1600 + 220 + 7) / (1 - lost)));
    QCOMPARE(simulation.devices[1].peak_upper_bound.count, 1030 + up((1600 + 200 + 10 + 7) / (1 - lost)));
    // The estimate does not include fragmentation.
    QCOMPARE(simulation.devices[0].peak.count, simulated(made).devices[0].peak.count);
    QVERIFY(simulation.devices[0].peak.count <= 1030 + 1600 + 220 + 7);
  }
}

PIPEDECK_TEST(TestMemoryItems)

}  // namespace pipedeck::tst_memory_items

#include "tst_memory_items.moc"
