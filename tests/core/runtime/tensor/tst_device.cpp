// SPDX-License-Identifier: Apache-2.0
// Training on devices whose memory the host can't touch gives what the processor gives, bit for bit, and nothing is
// used before the work of another device on it is done.
#include <QTemporaryDir>
#include <QTest>

#include <thread>

#include "core/runtime/checkpoint/resume.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/transport/device_thread_group.hpp"
#include "core/runtime/transport/thread_group.hpp"
#include "tests/core/runtime/tensor/far_device.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_device {

using namespace pipedeck::test;

struct Outcome {
  Result<runtime::train::TrainedParameters> trained;
  EventLog log;
};

Outcome run_on(const runtime::layers::Backend& backend, const ModelSpec& model, const Plan& plan,
               const runtime::train::TrainOptions& options) {
  EventLog log;
  auto trained = runtime::train_with(backend, model, plan, built(plan), options, log.sink());
  return {std::move(trained), std::move(log)};
}

runtime::train::TrainOptions steps(int count, Overlap overlap = Overlap::none) {
  runtime::train::TrainOptions options;
  options.steps = count;
  options.overlap = overlap;
  return options;
}

#define VERIFY_TRAINED(outcome) \
  QVERIFY2((outcome).trained.has_value(), (outcome).trained ? "" : (outcome).trained.error().text().c_str())

/// Runs work(group, rank, values) for each rank, on a thread each.
template <class Group, class Work>
void together(Group& group, const std::vector<std::span<float>>& values, const Work& work) {
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    threads.emplace_back([&, rank] { work(group, rank, values[rank]); });
}

class TestDevice : public QObject {
  Q_OBJECT
 private slots:
  void training_is_the_processors_data();
  void training_is_the_processors();
  void sharded_states_are_the_processors();
  void checkpoints_are_the_processors();
  void groups_give_the_same_bits_data();
  void groups_give_the_same_bits();
  void work_that_does_not_wait_is_found();
  void a_moment_is_what_its_mark_says();
};

void TestDevice::training_is_the_processors_data() {
  QTest::addColumn<int>("model");
  QTest::addColumn<int>("schedule");
  QTest::addColumn<QList<int>>("replicas");
  QTest::addColumn<int>("optimizer");
  QTest::addColumn<bool>("recompute");
  QTest::addColumn<int>("overlap");
  const auto row = [](const char* name, int model, ScheduleKind schedule, QList<int> replicas, Optimizer optimizer,
                      bool recompute = false, Overlap overlap = Overlap::none) {
    QTest::newRow(name) << model << static_cast<int>(schedule) << replicas << static_cast<int>(optimizer) << recompute
                        << static_cast<int>(overlap);
  };
  using enum ScheduleKind;
  row("GPT, one device", 0, one_f_one_b, {1}, Optimizer::adam);
  row("GPT, stages", 0, one_f_one_b, {1, 1, 1}, Optimizer::adam);
  row("GPT, recomputed", 0, gpipe, {1, 1}, Optimizer::sgd, true);
  row("GPT, replicas of unlike numbers", 0, one_f_one_b, {2, 1, 3}, Optimizer::momentum);
  row("GPT, reduced beside the passes", 0, one_f_one_b, {2, 2}, Optimizer::adam, false, Overlap::layer);
  row("MLP, zero bubble", 1, zb_h1, {1, 1, 1}, Optimizer::rmsprop);
  row("MLP, weight stashing", 1, pipedream, {1, 1, 1}, Optimizer::adam);
  row("MLP, weight stashing, replicas", 1, pipedream, {2, 1}, Optimizer::momentum);
  row("MLP, two versions", 1, pipedream_2bw, {1, 1}, Optimizer::sgd);
  row("LSTM", 2, one_f_one_b, {1, 2}, Optimizer::adam);
  row("convolutions", 3, one_f_one_b, {2, 1}, Optimizer::adam);
  row("residual blocks", 4, one_f_one_b, {1, 1}, Optimizer::adam);
}

void TestDevice::training_is_the_processors() {
  QFETCH(int, model);
  QFETCH(int, schedule);
  QFETCH(QList<int>, replicas);
  QFETCH(int, optimizer);
  QFETCH(bool, recompute);
  QFETCH(int, overlap);
  const ModelSpec spec = std::vector{small_gpt(), small_mlp(), small_lstm(2), small_cnn(),
                                     small_cnn(true)}[static_cast<std::size_t>(model)];
  Plan plan = plan_for(spec, {replicas.begin(), replicas.end()}, 6, 4);
  plan.schedule = static_cast<ScheduleKind>(schedule);
  plan.optimizer = static_cast<Optimizer>(optimizer);
  for (Stage& stage : plan.stages) stage.recompute.all = recompute;
  const runtime::train::TrainOptions options = steps(4, static_cast<Overlap>(overlap));
  const Outcome expected = run_on(runtime::cpu::cpu_backend(), spec, plan, options);
  VERIFY_TRAINED(expected);
  for (const bool reaches : {true, false}) {
    const Outcome found = run_on(far_backend(reaches), spec, plan, options);
    VERIFY_TRAINED(found);
    QCOMPARE(found.log.losses(), expected.log.losses());
    QVERIFY(found.trained->layers == expected.trained->layers);
    QCOMPARE(found.log.of<RunStarted>().front().backend, std::string("far"));
    const auto rows = [](const Outcome& of) { return of.log.of<MeasuredTimeline>().back().timeline.size(); };
    QCOMPARE(rows(found), rows(expected));
    const StepDone last = found.log.of<StepDone>().back();
    for (const double busy : last.busy_fraction) QVERIFY(busy > 0);
  }
}

/// Pieces of weights, gradients and optimizer states, exchanged between passes and while they run.
void TestDevice::sharded_states_are_the_processors() {
  const ModelSpec model = small_gpt();
  for (const int level : {1, 2, 3})
    for (const CopySync copies : {CopySync::each_step, CopySync::each_micro_batch, CopySync::shard_optimizer})
      for (const Overlap overlap : {Overlap::none, Overlap::layer}) {
        Plan plan = plan_for(model, {4, 4}, 8, 4);
        plan.sharding = {level, 2, Reshard::after_forward, copies};
        if (overlap != Overlap::none) plan.choices.emplace();  // gathers weights ahead
        const Outcome expected = run_on(runtime::cpu::cpu_backend(), model, plan, steps(3, overlap));
        VERIFY_TRAINED(expected);
        for (const bool reaches : {true, false}) {
          const Outcome found = run_on(far_backend(reaches), model, plan, steps(3, overlap));
          VERIFY_TRAINED(found);
          QVERIFY(found.trained->layers == expected.trained->layers);
        }
      }
}

/// Kept on one and gone on from on the other.
void TestDevice::checkpoints_are_the_processors() {
  const ModelSpec model = small_gpt();
  for (const ScheduleKind schedule : {ScheduleKind::one_f_one_b, ScheduleKind::pipedream}) {
    Plan plan = plan_for(model, {1, 1}, 4, 2);
    plan.schedule = schedule;
    const Outcome whole = run_on(runtime::cpu::cpu_backend(), model, plan, steps(6));
    for (const bool far_first : {true, false}) {
      const QTemporaryDir folder;
      runtime::train::TrainOptions first = steps(3), second = steps(6);
      first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
      VERIFY_TRAINED(run_on(far_first ? far_backend() : runtime::cpu::cpu_backend(), model, plan, first));
      auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
      QVERIFY(kept.has_value());
      second.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
      const Outcome rest = run_on(far_first ? runtime::cpu::cpu_backend() : far_backend(), model, plan, second);
      VERIFY_TRAINED(rest);
      QVERIFY(rest.trained->layers == whole.trained->layers);
    }
  }
}

void TestDevice::groups_give_the_same_bits_data() {
  QTest::addColumn<int>("members");
  QTest::addColumn<int>("floats");
  QTest::addColumn<bool>("reaches");
  for (const int members : {2, 3, 4})
    for (const int floats : {1, 3, 1000})
      for (const bool reaches : {true, false})
        QTest::addRow("%d members, %d floats%s", members, floats, reaches ? "" : ", far from each other")
            << members << floats << reaches;
}

void TestDevice::groups_give_the_same_bits() {
  QFETCH(int, members);
  QFETCH(int, floats);
  QFETCH(bool, reaches);
  const auto count = static_cast<std::size_t>(members);
  runtime::transport::RunControl control(std::chrono::seconds(20), std::vector<DeviceId>(count, DeviceId(0)));
  runtime::transport::ThreadGroup near(count, control);
  const runtime::layers::Backend backend = far_backend(reaches);
  std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>> memories;
  for (std::size_t i = 0; i < count; ++i)
    memories.push_back(std::make_shared<runtime::tensor::DeviceMemory>(backend.device(i)));
  runtime::transport::DeviceThreadGroup far(memories, control);

  const auto same = [&](const auto& work, std::vector<float>* result = nullptr) {
    const auto host = std::make_shared<runtime::tensor::DeviceMemory>();
    std::vector<runtime::tensor::Tensor> near_values, far_values;
    std::vector<std::span<float>> near_spans, far_spans;
    for (int rank = 0; rank < members; ++rank) {
      runtime::tensor::Tensor values(host, 1, floats);
      Random random(7, static_cast<std::uint64_t>(rank));
      for (float& value : values.values()) value = random.normal();
      far_values.push_back(far_of(values, memories[static_cast<std::size_t>(rank)]));
      near_values.push_back(std::move(values));
    }
    for (runtime::tensor::Tensor& tensor : near_values) near_spans.push_back(tensor.values());
    for (runtime::tensor::Tensor& tensor : far_values) far_spans.push_back(tensor.values());
    together(near, near_spans, [&](auto& group, std::size_t rank, auto values) { work(group, rank, values, host); });
    together(far, far_spans,
             [&](auto& group, std::size_t rank, auto values) { work(group, rank, values, memories[rank]); });
    for (std::size_t rank = 0; rank < count; ++rank) {
      const runtime::tensor::Tensor found = near_of(far_values[rank]);
      QVERIFY(std::ranges::equal(found.values(), near_values[rank].values()));
      if (result && rank == 0) result->assign(found.values().begin(), found.values().end());
      if (result) QVERIFY(std::ranges::equal(found.values(), *result));
    }
  };
  std::vector<float> reduced, scattered, exchanged;
  same([](auto& group, std::size_t rank, std::span<float> values, const auto&) { group.all_reduce(rank, values); },
       &reduced);
  QCOMPARE(reduced.size(), static_cast<std::size_t>(floats));
  // Uneven pieces, of which some are empty.
  std::vector<std::size_t> counts(count, 0);
  for (std::size_t i = 0; i < reduced.size(); ++i) ++counts[i * i % count];
  const auto own_piece = [&](std::size_t rank, std::span<float> values) {
    return values.subspan(runtime::transport::offset_of(counts, rank), counts[rank]);
  };
  same(
      [&](auto& group, std::size_t rank, std::span<float> values, const auto&) {
        group.reduce_scatter(rank, values, own_piece(rank, values), counts);
        group.all_gather(rank, own_piece(rank, values), values, counts);
      },
      &scattered);
  QCOMPARE(scattered, reduced);
  // A reduce-scatter by hand: each rank sends the others their pieces, and adds those that it receives.
  same(
      [&](auto& group, std::size_t rank, std::span<float> values,
          const std::shared_ptr<runtime::tensor::DeviceMemory>& memory) {
        const std::span<float> own = own_piece(rank, values);
        runtime::tensor::Tensor pieces(memory, members, floats), sums(memory, 1, floats);
        group.all_to_all(rank, values, counts, pieces.values().first(count * own.size()),
                         std::vector<std::size_t>(count, own.size()));
        const auto size = static_cast<std::int64_t>(own.size());
        for (std::int64_t other = 0; other < members && size > 0; ++other)
          other == 0 ? memory->device().copy(sums.data(), pieces.data(), size)
                     : memory->device().add(sums.data(), pieces.data() + other * size, size);
        group.all_gather(rank, sums.values().first(own.size()), values, counts);
      },
      &exchanged);
  QCOMPARE(exchanged, reduced);
  same([](auto& group, std::size_t rank, std::span<float> values, const auto&) { group.all_reduce_max(rank, values); });
  same([](auto& group, std::size_t rank, std::span<float> values, const auto&) { group.broadcast(rank, 1, values); });
  // The gathered values are added to the own values, so that all of it is looked at.
  same([&](auto& group, std::size_t rank, std::span<float> values,
           const std::shared_ptr<runtime::tensor::DeviceMemory>& memory) {
    runtime::tensor::Tensor all(memory, members, floats);
    group.all_gather(rank, values, all.values(), std::vector<std::size_t>(count, values.size()));
    for (int other = 0; other < members; ++other)
      memory->device().add(values.data(), all.data() + other * floats, floats);
  });
}

/// The test's own eyes: a second device that reads or writes too early, and reuse of a block too early.
void TestDevice::work_that_does_not_wait_is_found() {
  const runtime::layers::Backend backend = far_backend();
  const auto first = std::make_shared<runtime::tensor::DeviceMemory>(backend.device(0)),
             second = std::make_shared<runtime::tensor::DeviceMemory>(backend.device(1));
  runtime::tensor::Tensor values = runtime::tensor::Tensor::zeros(first, 1, 4), copy(second, 1, 4);
  const auto use = [&] { second->device().copy(copy.data(), values.data(), 4); };
  QVERIFY_THROWS_EXCEPTION(std::logic_error, use());
  second->device().wait(first->device().now());
  use();
  QVERIFY_THROWS_EXCEPTION(std::logic_error, first->device().zero(values.values()));
  first->device().wait(second->device().now());
  first->device().zero(values.values());
  QVERIFY_THROWS_EXCEPTION(std::logic_error, first->device().zero({values.data(), 5}));

  // Given back by the device that had it last, it is taken again behind that one's work.
  values.transfer_to(second);
  values.arrive();
  second->device().zero(values.values());
  values.release();
  const runtime::tensor::Tensor again = runtime::tensor::Tensor::zeros(first, 1, 4);
  QCOMPARE(near_of(again).data()[3], 0.0f);
}

void TestDevice::a_moment_is_what_its_mark_says() {
  const auto before = runtime::tensor::RunClock::now();
  const runtime::layers::Backend backend = far_backend();
  const runtime::tensor::Completion marked = backend.device(0)->now(), told = runtime::tensor::cpu_device()->now();
  QVERIFY(marked.event() && !told.event());
  for (const runtime::tensor::Completion& moment : {marked, told})
    QVERIFY(moment.time() >= before && moment.time() <= runtime::tensor::RunClock::now());
}

PIPEDECK_TEST(TestDevice)

}  // namespace pipedeck::tst_device

#include "tst_device.moc"
