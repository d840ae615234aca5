// SPDX-License-Identifier: Apache-2.0
// Schedules as PyTorch's CSV: every schedule comes back as it was; malformed rows are named by line and cell.
#include <QtTest/QTest>

#include "core/io/csv/schedule.hpp"
#include "core/plan/reschedule.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_schedule_csv {

/// Two stages of two layers each, three micro-batches.
Plan base_plan(int stages = 2, int micro_batches = 3, int replicas = 1) {
  Plan plan;
  plan.micro_batch = 2;
  plan.micro_batches = micro_batches;
  plan.global_batch = 2 * micro_batches;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = 2 * s;
    stage.last = 2 * s + 2;
    for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId(std::int32_t{s + r * stages}));
    plan.stages.push_back(stage);
  }
  return plan;
}

const std::string sample = "0F0,0F1,,0B0,0F2,0B1,0B2\n,1F0,1B0,1F1,1B1,1F2,1B2\n";

Schedule built(const Plan& plan) {
  schedule::StageEstimates figures;
  figures.max_in_flight = 1000;
  const Result<Schedule> schedule =
      schedule::build_schedule(plan, std::vector<schedule::StageEstimates>(plan.stages.size(), figures));
  if (!schedule) qFatal("%s", schedule.error().text().c_str());
  return *schedule;
}

std::vector<std::vector<Operation>> lists_of(const Schedule& schedule) {
  std::vector<std::vector<Operation>> lists;
  for (const DeviceLane& lane : schedule.lanes) {
    lists.emplace_back();
    for (int i = 0; i < operation_count(lane.order); ++i) lists.back().push_back(operation_at(lane.order, i));
  }
  return lists;
}

struct Malformed {
  const char* name;
  std::string from, to;  ///< as in malformed_cases.hpp
  std::string place, words;
};

const std::vector<Malformed>& malformed() {
  static const std::vector<Malformed> cases{
      {"empty", "", "", "line 1", "empty file"},
      {"blank", "", "  \n", "line 1", "1 rows, expected 2"},
      {"one row", "", "0F0,0F1,0F2,0B0,0B1,0B2\n", "line 1", "1 rows, expected 2"},
      {"a row too many", "1B2\n", "1B2\n0F0\n", "line 3", "3 rows, expected 2"},
      {"no stage", "0F1", "F1", "line 1, cell 2", "\"F1\", expected a stage number"},
      {"prose", "0F1", "hello", "line 1, cell 2", "\"hello\", expected a stage number"},
      {"unknown letter", "0F1", "0X1", "line 1, cell 2", "\"0X1\", expected F, B, I, W or R"},
      {"lower case", "0F1", "0f1", "line 1, cell 2", "expected F, B"},
      {"no letter", "0F1", "01", "line 1, cell 2", "expected F, B"},
      {"no micro-batch", "0F1", "0F", "line 1, cell 2", "expected a micro-batch number"},
      {"text behind", "0F1", "0F1x", "line 1, cell 2", "expected a micro-batch number"},
      {"negative stage", "0F1", "-1F1", "line 1, cell 2", "expected a stage number"},
      {"negative micro-batch", "0F1", "0F-1", "line 1, cell 2", "expected F, B"},
      {"fraction", "0F1", "0F1.5", "line 1, cell 2", "expected a micro-batch number"},
      {"huge number", "0F1", "0F99999999999", "line 1, cell 2", "expected a micro-batch number"},
      {"huge stage", "0F1", "99999999999F1", "line 1, cell 2", "expected a stage number"},
      {"no such stage", "0F1", "2F1", "line 1, cell 2", "stage 2 in \"2F1\", expected 0 to 1"},
      {"no such micro-batch", "0F1", "0F3", "line 1, cell 2", "micro-batch 3 in \"0F3\", expected 0 to 2"},
      {"another device's stage", "0F1", "1F1", "line 1, cell 2", "stage 1 for micro-batch 1 on device 0"},
      {"twice", "0F1", "0F0", "line 1, cell 2", "\"0F0\" a second time, expected it in cell 1"},
      {"no forward", "0F1", "", "line 1", "no 0F1"},
      {"no backward", "1B1", "", "line 2", "found  of micro-batch 1 on stage 1, expected B"},
      {"input gradient alone", "1B1", "1I1", "line 2", "found I of micro-batch 1"},
      {"backward and its parts", ",,0B0", ",0I0,0B0,0W0", "line 1", "found BIW of micro-batch 0"},
      {"recompute of a stage without", ",,0B0", ",0R0,0B0", "line 1, cell 3", "does not recompute"},
      {"open pair", "0F1,,0B0", "(0F1;0B0,", "line 1, cell 2", "expected two actions as (0F1;1B0)OVERLAP_F_B"},
      {"pair without its word", "0F1,,0B0", "(0F1;0B0)", "line 1, cell 2", "expected two actions as"},
      {"pair of one", "0F1,,0B0", "(0F1)OVERLAP_F_B,0B0", "line 1, cell 2", "1 actions in"},
      {"pair of three", "0F1,,0B0,0F2", "(0F1;0B0;0F2)OVERLAP_F_B", "line 1, cell 2", "3 actions in"},
      {"empty half", "0F1,,0B0", "(0F1;)OVERLAP_F_B", "line 1, cell 2", "\"\", expected a stage number"},
      {"send in a pair", "0F1,,0B0", "(0F1;0SEND_F0)OVERLAP_F_B", "line 1, cell 2", "expected F, B"},
      {"pair that waits for itself", "0F1,,0B0,0F2,0B1", "(0F1;0B1)OVERLAP_F_B,0B0,0F2", "line 1, cell 2",
       "do not wait for one another"},
      {"not UTF-8", "0F1", "\xff\xfe", "line 1, cell 2", "expected a stage number"},
      {"another separator", "0F0,0F1,,", "0F0;0F1;;", "line 1, cell 1", "expected a micro-batch number"},
  };
  return cases;
}

class TestScheduleCsv : public QObject {
  Q_OBJECT
 private slots:
  void reads() {
    const Result<Plan> plan = io::csv::plan_with_schedule_csv(base_plan(), "\xef\xbb\xbf" + sample);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QCOMPARE(plan->schedule, ScheduleKind::explicit_order);
    QVERIFY(plan::validate(*plan));
    QCOMPARE(plan->operations->size(), std::size_t{2});
    QCOMPARE((*plan->operations)[0][2], (Operation{OpKind::backward, StageId(0), 0}));
    const Schedule schedule = built(*plan);
    QVERIFY(schedule::check_deadlock_free(schedule, *plan));
    QCOMPARE(io::csv::schedule_to_csv(schedule), std::string("0F0,0F1,0B0,0F2,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n"));
  }

  void readsWhatPyTorchWrites() {
    // Windows line ends, spaces, quotes, and the transfers that the plan implies.
    const std::string text =
        "0UNSHARD,0F0,0SEND_F0, 0F1 ,0SEND_F1,\"0F2\",0SEND_F2,0RECV_B0,0I0,0W0,0RECV_B1,0B1,0B2,0RESHARD\r\n"
        "1RECV_F0,1F0,1B0,1SEND_B0,1F1,1B1,1F2,1B2,1REDUCE_GRAD\r\n";
    const Result<Plan> plan = io::csv::plan_with_schedule_csv(base_plan(), text);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QCOMPARE(io::csv::schedule_to_csv(built(*plan)),
             std::string("0F0,0F1,0F2,0I0,0W0,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n"));
  }

  void everyScheduleComesBack() {
    const Profile profile = test::uniform_profile(16, milliseconds(1), milliseconds(2));
    for (const ScheduleTraits& info : all_schedules) {
      if (info.kind == ScheduleKind::explicit_order || info.kind == ScheduleKind::adaptive || asynchronous(info.kind))
        continue;
      for (const bool recompute : {false, true})
        for (const int replicas : {1, 2}) {
          Plan base = base_plan(4, 16, replicas);
          base.stages[1].last = base.stages[2].first = 5;
          base.stages[3].last = 16;
          for (Stage& stage : base.stages) stage.recompute.all = recompute && stage.first != 5;
          const Result<Plan> plan = plan::with_schedule(base, profile, info.kind);
          QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
          const Schedule schedule = built(*plan);
          const Result<Plan> back = io::csv::plan_with_schedule_csv(*plan, io::csv::schedule_to_csv(schedule));
          QVERIFY2(back, back ? "" : (std::string(info.name) + ": " + back.error().text()).c_str());
          QVERIFY(plan::validate(*back));
          QVERIFY2(*back->operations == lists_of(schedule), info.name.data());
          const Schedule again = built(*back);
          QCOMPARE(lists_of(again), lists_of(schedule));
          QVERIFY(schedule::check_deadlock_free(again, *back));
        }
    }
  }

  void aRowARank() {
    const Plan base = base_plan(2, 3, 2);
    const Plan plan = io::csv::plan_with_schedule_csv(base, sample).value();
    QCOMPARE(plan.operations->size(), std::size_t{4});
    QCOMPARE((*plan.operations)[0], (*plan.operations)[2]);
    QCOMPARE((*plan.operations)[1], (*plan.operations)[3]);
    QVERIFY(schedule::check_deadlock_free(built(plan), plan));
  }

  void recomputesWhereTheRowSays() {
    Plan base = base_plan();
    base.stages[0].recompute.all = true;
    Plan plan = io::csv::plan_with_schedule_csv(base, sample).value();
    QCOMPARE(io::csv::schedule_to_csv(built(plan)), std::string("0F0,0F1,0B0,0F2,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n"));
    std::string early = sample;
    early.replace(early.find(",,0B0"), 5, ",0R0,0F2,0B0").replace(early.find("0B0,0F2"), 7, "0B0");
    plan = io::csv::plan_with_schedule_csv(base, early).value();
    QCOMPARE(io::csv::schedule_to_csv(built(plan)),
             std::string("0F0,0F1,0R0,0F2,0B0,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n"));
  }

  void asynchronousPlansHaveNoLists() {
    Plan base = base_plan();
    base.schedule = ScheduleKind::pipedream;
    const Result<Plan> plan = io::csv::plan_with_schedule_csv(base, sample);
    QVERIFY(!plan);
    QVERIFY(plan.error().message.find("asynchronous") != std::string::npos);
  }

  void malformedRows_data() {
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < malformed().size(); ++i) QTest::newRow(malformed()[i].name) << static_cast<int>(i);
  }
  void malformedRows() {
    QFETCH(int, number);
    const Malformed& one = malformed()[static_cast<std::size_t>(number)];
    std::string text = one.to;
    if (!one.from.empty()) {
      text = sample;
      QVERIFY(text.find(one.from) != text.npos);
      text.replace(text.find(one.from), one.from.size(), one.to);
    }
    const Result<Plan> plan = io::csv::plan_with_schedule_csv(base_plan(), text);
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, ErrorCode::bad_input);
    QCOMPARE(plan.error().place, one.place);
    QVERIFY2(plan.error().message.find(one.words) != std::string::npos, plan.error().message.c_str());
  }

  void damagedFilesDoNotCrash() {
    test::Random random(31);
    for (int trial = 0; trial < 3000; ++trial) {
      std::string text = sample;
      for (int edits = random.integer(1, 4); edits > 0 && !text.empty(); --edits) {
        const auto at = static_cast<std::size_t>(random.integer(0, static_cast<int>(text.size()) - 1));
        if (random.integer(0, 1))
          text[at] = "(),;0123FBIWR\n\"x"[random.integer(0, 15)];
        else
          text.erase(at, static_cast<std::size_t>(random.integer(1, 4)));
      }
      const Result<Plan> plan = io::csv::plan_with_schedule_csv(base_plan(), text);
      if (plan) QVERIFY(plan::validate(*plan));
    }
  }
};

PIPEDECK_TEST(TestScheduleCsv)

}  // namespace pipedeck::tst_schedule_csv

#include "tst_schedule_csv.moc"
