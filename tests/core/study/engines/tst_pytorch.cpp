// SPDX-License-Identifier: Apache-2.0
// The program for PyTorch's pipelining under the python3-torch that is installed: it compares its stages with the whole
// model, and trains on several processes, where stand_ins/pipelining.py takes the place of what that version lacks.
#include <set>
#include <tuple>

#include <QRegularExpression>
#include <QTest>

#include "core/io/traces/ranks.hpp"
#include "core/plan/reschedule.hpp"
#include "core/plan/validate.hpp"
#include "tests/core/study/engines/engine_plans.hpp"
#include "tests/core/study/engines/engine_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pytorch {

using namespace pipedeck::test;

/// Eight modules, whose losses depend on every gradient after the first step; trained alone it prints the losses that
/// one process has with the batches of all replicas.
const char* const net = R"py(import sys
import torch

def make():
    torch.manual_seed(1)
    layers = [torch.nn.Sequential(torch.nn.Linear(12, 12), torch.nn.Tanh()) for _ in range(8)]
    def batch(step, replica, samples):
        torch.manual_seed(100 * step + replica)
        return torch.randn(samples, 12), torch.randint(0, 12, (samples,))
    return layers, torch.nn.functional.cross_entropy, batch

def short():
    layers, loss, batch = make()
    return layers[:7], loss, batch

if __name__ == "__main__":
    replicas, samples, steps = (int(one) for one in sys.argv[1:])
    layers, loss, batch = make()
    whole = torch.nn.Sequential(*layers)
    optimizer = torch.optim.SGD(whole.parameters(), lr=0.5)
    for step in range(steps):
        values = [loss(whole(inputs), targets) for inputs, targets in (batch(step, r, samples) for r in range(replicas))]
        (sum(values) / replicas).backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {values[0].item():.6f}")
)py";

/// Returns a plan of the nine layers, with the loss, of a model of five blocks: eight modules.
Plan plan_under(ScheduleKind schedule, int replicas) {
  const Profile profile = transformer(5);
  Plan plan = pipeline(profile, {4}, replicas);
  plan.optimizer = Optimizer::sgd;
  plan.micro_batch = 2 * replicas;
  plan.micro_batches = 4;
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  return schedule == ScheduleKind::one_f_one_b ? plan : *plan::with_schedule(plan, profile, schedule, 2);
}

void write_program(const EngineFolder& folder, const Plan& plan) {
  const Cluster cluster = flat_cluster(static_cast<int>(devices_used(plan).size()));
  folder.write("planned.py", QByteArray::fromStdString(text_of("pytorch", plan, transformer(5), cluster)));
  folder.write("net.py", net);
}

std::vector<double> losses_in(const QByteArray& text) {
  static const QRegularExpression line(QStringLiteral("step \\d+: loss ([0-9.]+)"));
  std::vector<double> losses;
  for (auto match = line.globalMatch(QString::fromUtf8(text)); match.hasNext();)
    losses.push_back(match.next().captured(1).toDouble());
  return losses;
}

class TestPytorch : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!EngineFolder::has_torch()) QSKIP("python3 has no torch here");
    qputenv("OMP_NUM_THREADS", "1");
  }

  void stages_give_the_whole_models_gradients_data() {
    QTest::addColumn<ScheduleKind>("schedule");
    QTest::addColumn<bool>("recompute");
    QTest::newRow("1f1b") << ScheduleKind::one_f_one_b << false;
    QTest::newRow("interleaved, recomputed") << ScheduleKind::interleaved << true;
  }

  void stages_give_the_whole_models_gradients() {
    QFETCH(ScheduleKind, schedule);
    QFETCH(bool, recompute);
    Plan plan = plan_under(schedule, 1);
    plan.precision = Precision::mixed_18;  // no matter: what is compared are the stages
    for (Stage& stage : plan.stages) stage.recompute.all = recompute;
    const EngineFolder folder;
    write_program(folder, plan);
    const auto good = folder.run("/usr/bin/python3", {"planned.py", "--model", "net:make", "--check"});
    QVERIFY2(good.status == 0, good.error + good.out);
    QVERIFY2(good.out.contains("of " + QByteArray::number(static_cast<int>(plan.stages.size())) + " stages"), good.out);
    // A model of another length is refused with what was found and expected.
    const auto bad = folder.run("/usr/bin/python3", {"planned.py", "--model", "net:short", "--check"});
    QVERIFY(bad.status != 0);
    QVERIFY2(bad.error.contains("found 7 modules, expected 8"), bad.error);
  }

  void an_old_version_is_told() {
    const EngineFolder folder;
    write_program(folder, plan_under(ScheduleKind::one_f_one_b, 1));
    const auto probe = folder.run("/usr/bin/python3", {"-c", "import torch.distributed.pipelining"});
    if (probe.status == 0) QSKIP("this PyTorch has pipelining");
    const auto old = folder.run("/usr/bin/python3", {"planned.py", "--model", "net:make"});
    QCOMPARE(old.status, 1);
    QVERIFY2(old.error.startsWith("found PyTorch ") && old.error.contains("expected 2.5 or newer"), old.error);
  }

  void it_trains_as_one_process_does_data() {
    QTest::addColumn<ScheduleKind>("schedule");
    QTest::addColumn<int>("replicas");
    QTest::addColumn<bool>("mixed");
    QTest::newRow("1f1b, replicas") << ScheduleKind::one_f_one_b << 2 << false;
    QTest::newRow("gpipe, mixed precision") << ScheduleKind::gpipe << 1 << true;
    QTest::newRow("interleaved, replicas") << ScheduleKind::interleaved << 2 << false;
    QTest::newRow("zb-v") << ScheduleKind::zb_v << 1 << false;
    QTest::newRow("zb-v, replicas") << ScheduleKind::zb_v << 2 << false;
    QTest::newRow("dualpipev, replicas") << ScheduleKind::dualpipe_v << 2 << false;
  }

  void it_trains_as_one_process_does() {
    QFETCH(ScheduleKind, schedule);
    QFETCH(int, replicas);
    QFETCH(bool, mixed);
    Plan plan = plan_under(schedule, replicas);
    plan.precision = mixed ? Precision::mixed_18 : Precision::fp32;
    const EngineFolder folder;
    write_program(folder, plan);
    const auto alone = folder.run(
        "/usr/bin/python3", {"net.py", QString::number(replicas), QString::number(plan.global_batch / replicas), "4"});
    const std::vector<double> wanted = losses_in(alone.out);
    QVERIFY2(wanted.size() == 4, alone.error);
    const auto trained = folder.run(
        "/usr/bin/python3",
        {QStringLiteral(PIPEDECK_SOURCES "/tests/core/study/engines/stand_ins") + "/pipelining.py",
         QString::number(2 * replicas), "planned.py", "--model", "net:make", "--steps", "4", "--learning-rate", "0.5"});
    QVERIFY2(trained.status == 0, trained.error);
    const std::vector<double> found = losses_in(trained.out);
    QVERIFY2(found.size() == wanted.size(), trained.out + trained.error);
    for (std::size_t step = 0; step < wanted.size(); ++step)
      QVERIFY2(std::abs(found[step] - wanted[step]) < (mixed ? 2e-2 : 5e-6), trained.out + alone.out);
  }

  void its_traces_are_a_timeline_of_the_plan_s_devices_data() {
    QTest::addColumn<ScheduleKind>("schedule");
    QTest::newRow("1f1b") << ScheduleKind::one_f_one_b;
    QTest::newRow("zb-v") << ScheduleKind::zb_v;
  }

  void its_traces_are_a_timeline_of_the_plan_s_devices() {
    QFETCH(ScheduleKind, schedule);
    const Plan plan = plan_under(schedule, 2);
    const EngineFolder folder;
    write_program(folder, plan);
    const auto trained = folder.run(
        "/usr/bin/python3", {QStringLiteral(PIPEDECK_SOURCES "/tests/core/study/engines/stand_ins") + "/pipelining.py",
                             "4", "planned.py", "--model", "net:make", "--steps", "4", "--trace", "traces"});
    QVERIFY2(trained.status == 0, trained.error);
    std::vector<std::string> files;
    for (int rank = 0; rank < 4; ++rank)
      files.push_back(folder.path(QStringLiteral("traces/rank%1.pt.trace.json").arg(rank)).toStdString());
    const auto run = io::traces::read_traces(files);
    QVERIFY2(run, run ? "" : run.error().text().c_str());
    QCOMPARE(run->timelines.size(), std::size_t{2});
    const auto chunks = static_cast<int>(plan.stages.size()) / 2;
    for (const MeasuredTimeline& step : run->timelines) {
      std::set<DeviceId> devices;
      for (const TimelineLane& lane : step.timeline.lanes) {
        devices.insert(lane.device);
        QCOMPARE(lane.size(), static_cast<std::size_t>(2 * chunks * plan.micro_batches));
        std::set<std::tuple<OpKind, StageId, int>> operations;
        for (std::size_t i = lane.begin; i < lane.end; ++i) {
          const Operation operation = step.timeline.row(i).operation;
          operations.emplace(operation.kind, operation.stage, operation.micro_batch);
        }
        QCOMPARE(operations.size(), lane.size());  // each once
      }
      const std::vector<DeviceId> used = devices_used(plan);
      QVERIFY(std::ranges::equal(devices, std::set<DeviceId>(used.begin(), used.end())));
    }
  }

  /// The assertions of Schedule1F1B, ScheduleInterleaved1F1B, ScheduleZBVZeroBubble and ScheduleDualPipeV on their
  /// arguments.
  void nearest_plans_keep_the_schedules_rules() {
    Random random(5);
    int changed = 0;
    for (int i = 0; i < 300; ++i) {
      Problem problem = random_rich_problem(random);
      const ScheduleKind kinds[] = {ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zb_v,
                                    ScheduleKind::dualpipe_v, ScheduleKind::chimera};
      const Plan plan = random_plan(random, problem, kinds[i % 5]);
      if (!plan::validate(plan, *problem.profile, *problem.cluster)) continue;
      for (const Plan& near :
           study::engines::closest_plans(engine("pytorch"), {plan, *problem.profile, *problem.cluster})) {
        const int stages = static_cast<int>(near.stages.size()), ranks = static_cast<int>(pipeline_ranks(near).size());
        const int parts = near.micro_batches;
        switch (near.schedule) {
          case ScheduleKind::one_f_one_b:
            QVERIFY2(parts >= stages && stages == ranks, stage_shape_text(near).c_str());
            break;
          case ScheduleKind::interleaved:
            QVERIFY(parts % std::max(1, parts / ranks) == 0 && stages % ranks == 0);
            break;
          case ScheduleKind::zb_v:
          case ScheduleKind::dualpipe_v:
            QVERIFY(stages == 2 * ranks && (near.schedule == ScheduleKind::zb_v || parts >= stages));
            break;
          default:
            QCOMPARE(near.schedule, ScheduleKind::gpipe);
        }
        changed += static_cast<int>(near != plan);
      }
    }
    QVERIFY2(changed > 100, qPrintable(QString::number(changed)));
  }

  /// Two micro-batches on four stages: no 1F1B of PyTorch's, but one of fewer stages.
  void too_few_micro_batches_for_the_stages() {
    const Profile profile = transformer(8);
    Plan plan = pipeline(profile, {3, 5, 7});
    plan.global_batch = plan.micro_batches = 2;
    plan.micro_batch = 1;
    const auto parts = study::engines::unsupported_features(engine("pytorch"), plan, profile);
    QCOMPARE(parts.size(), std::size_t{1});
    QVERIFY2(parts.front().find("micro-batches: found 2") == 0, parts.front().c_str());
    QVERIFY(study::engines::unsupported_features(engine("deepspeed"), plan, profile).empty());
    const auto near = study::engines::closest_plans(engine("pytorch"), {plan, profile, flat_cluster(4)});
    QVERIFY(!near.empty());
    for (const Plan& one : near) QVERIFY(one.stages.size() <= static_cast<std::size_t>(one.micro_batches));
    QCOMPARE(near.front().name, plan.name + " for PyTorch's pipelining");
  }
};

PIPEDECK_TEST(TestPytorch)

}  // namespace pipedeck::tst_pytorch

#include "tst_pytorch.moc"
