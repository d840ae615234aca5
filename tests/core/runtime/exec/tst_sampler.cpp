// SPDX-License-Identifier: Apache-2.0
// The samples of a run in progress: busy time and memory at an even rate whatever the steps' durations, and pauses
// between steps that take no processor time.
#include <QTest>

#include <atomic>
#include <ctime>
#include <numeric>
#include <thread>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/exec/sampler.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/train/sample_aggregator.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_sampler {

using namespace pipedeck::test;
using namespace std::chrono_literals;

using Clock = runtime::exec::BusyMeter::Clock;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class TestSampler : public QObject {
  Q_OBJECT

 private slots:
  /// The second process looked late once, and has not yet looked a third time.
  void samples_of_processes_are_put_together() {
    runtime::train::SampleAggregator first(Seconds(0.1)), second(Seconds(0.1));
    for (const double time : {0.1, 0.2, 0.3, 0.4}) first.add({Seconds(time), {time}, {Bytes(1)}});
    for (const double time : {0.11, 0.3}) second.add({Seconds(time), {10 * time, 0.5}, {Bytes(2), Bytes(3)}});
    const auto some = first.together({first.told(), second.told()}, false);
    QCOMPARE(some.size(), std::size_t{3});
    QVERIFY((some[0] == RunSample{Seconds(0.1), {0.1, 10 * 0.11, 0.5}, {Bytes(1), Bytes(2), Bytes(3)}}));
    QVERIFY((some[1] == RunSample{Seconds(0.2), {0.2, 10 * 0.3, 0.5}, {Bytes(1), Bytes(2), Bytes(3)}}));
    QCOMPARE(some[2].busy_fraction[1], 10 * 0.3);
    const auto rest = first.together({first.told(), second.told()}, true);
    QCOMPARE(rest.size(), std::size_t{1});
    QVERIFY(rest[0].time == Seconds(0.4));
    QCOMPARE(rest[0].busy_fraction.size(), std::size_t{3});
  }

  void a_meter_counts_what_is_under_way() {
    runtime::exec::BusyMeter meter;
    const auto start = Clock::now();
    QCOMPARE(meter.busy(start).count, 0);
    meter.begin(start);
    QCOMPARE(meter.busy(start + 5ms).count, 5'000'000);
    meter.end(start + 7ms);
    QCOMPARE(meter.busy(start + 50ms).count, 7'000'000);
    meter.begin(start + 60ms);
    QCOMPARE(meter.busy(start + 61ms).count, 8'000'000);
    meter.end(start + 62ms);
    QCOMPARE(meter.busy(start + 62ms).count, 9'000'000);
  }

  /// The sum over all samples is the whole busy time until the last: none of it falls between two.
  void samples_lose_nothing() {
    const auto meter = std::make_shared<runtime::exec::BusyMeter>();
    const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
    EventLog log;
    const auto begin = Clock::now();
    {
      runtime::exec::Sampler sampler(10ms, {{meter, memory}}, log.sink());
      runtime::tensor::Tensor tensor(memory, 1, 1000);
      for (int i = 0; i < 20; ++i) {
        meter->begin(Clock::now());
        std::this_thread::sleep_for(3ms);
        meter->end(Clock::now());
        std::this_thread::sleep_for(4ms);
      }
      std::this_thread::sleep_for(15ms);  // the last look comes behind all of it
    }
    const auto samples = log.of<RunSample>();
    QVERIFY2(samples.size() >= 5, qPrintable(QString::number(samples.size())));
    double busy = 0, last = 0;
    for (const RunSample& sample : samples) {
      busy += sample.busy_fraction[0] * (sample.time.count - last);
      QVERIFY(sample.time.count > last);
      last = sample.time.count;
    }
    QVERIFY(last <= std::chrono::duration<double>(Clock::now() - begin).count());
    QVERIFY(std::abs(busy - 1e-9 * static_cast<double>(meter->busy(Clock::now()).count)) < 1e-4);
    QCOMPARE(samples.front().memory[0].count, 4000);
  }

  /// A device that was busy to the end: what is left of an interval is no sample in which it seems idle.
  void the_end_is_no_idle_moment() {
    const auto seems_busy = [](std::chrono::milliseconds length) {
      const auto meter = std::make_shared<runtime::exec::BusyMeter>();
      EventLog log;
      {
        runtime::exec::Sampler sampler(20ms, {{meter, std::make_shared<runtime::tensor::DeviceMemory>()}}, log.sink());
        meter->begin(Clock::now());
        std::this_thread::sleep_for(length);
        meter->end(Clock::now());
        std::this_thread::sleep_for(1ms);
      }
      const auto samples = log.of<RunSample>();
      double last = 0;
      for (const RunSample& sample : samples) {
        if (sample.time.count - last < 0.0099 || sample.busy_fraction[0] <= 0.5) return false;
        last = sample.time.count;
      }
      return !samples.empty();
    };
    // On a busy machine looks come late and rests take long: once of a few times they do not.
    const auto once_of_ten = [&](std::chrono::milliseconds length) {
      for (int i = 0; i < 10; ++i)
        if (seems_busy(length)) return true;
      return false;
    };
    for (const auto length : {42ms, 44ms, 63ms, 85ms})
      QVERIFY2(once_of_ten(length), qPrintable(QString("%1 ms").arg(length.count())));
    EventLog log;  // shorter than any interval: still reported
    {
      runtime::exec::Sampler sampler(
          1000ms, {{std::make_shared<runtime::exec::BusyMeter>(), std::make_shared<runtime::tensor::DeviceMemory>()}},
          log.sink());
    }
    QCOMPARE(log.of<RunSample>().size(), std::size_t{1});
  }

  /// Whoever listens takes long over the last step: no sample is of that time.
  void a_finished_run_does_not_seem_idle() {
    const ModelSpec model = small_mlp();
    const Plan plan = plan_for(model, {1, 1}, 4, 2);
    runtime::train::TrainOptions options;
    options.steps = 3;
    options.sample_every = 20ms;
    double last_sample = 0;
    const Clock::time_point begin = Clock::now();  // before that of the samples
    Clock::time_point last_step;
    const auto sink = [&](const RunEvent& event) {
      if (const auto* sample = std::get_if<RunSample>(&event)) last_sample = sample->time.count;
      const auto* step = std::get_if<StepDone>(&event);
      if (!step || step->step < options.steps) return;
      last_step = Clock::now();
      std::this_thread::sleep_for(200ms);
    };
    QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, sink));
    QVERIFY(last_sample > 0);
    QVERIFY(last_sample <= std::chrono::duration<double>(last_step - begin).count());
  }

  /// A step of a second has samples in its middle.
  void a_long_step_is_looked_into() {
    ModelSpec model = small_mlp(24, 4);
    model.layers[2] = {"slow", "slow", {{"hidden", 24}}};
    runtime::layers::KernelRegistry kernels = runtime::cpu::cpu_kernel_registry();
    kernels.layers["slow"] = [](const ModelLayer& layer) -> Result<std::unique_ptr<runtime::layers::LayerKernel>> {
      return std::make_unique<Slow>(layer.size("hidden"));
    };
    const Plan plan = plan_for(model, {1, 1, 1, 1}, 4, 1);
    runtime::train::TrainOptions options;
    options.steps = 1;
    options.sample_every = 50ms;
    EventLog log;
    const auto trained = runtime::train_with(runtime::cpu::cpu_backend(kernels), model, plan,
                                             schedule_for(plan, Order::policy_a), options, log.sink());
    QVERIFY2(trained, trained ? "" : trained.error().text().c_str());
    const auto samples = log.of<RunSample>();
    std::size_t within = 0;
    for (const RunSample& sample : samples) {
      QCOMPARE(sample.busy_fraction.size(), std::size_t{4});
      QVERIFY(sample.memory[0].count > 0);
      within += sample.busy_fraction[2] > 0.9 && sample.busy_fraction[0] < 0.1;
    }
    QVERIFY2(within >= 5, qPrintable(QString("%1 of %2").arg(within).arg(samples.size())));
  }

  void a_paused_run_takes_no_time_of_a_processor() {
    const ModelSpec model = small_mlp();
    const Plan plan = plan_for(model, {1, 1}, 4, 2);
    runtime::train::TrainOptions options;
    options.steps = 40;
    options.sample_every = 100ms;
    options.pause = std::make_shared<runtime::machine::PauseGate>();
    std::vector<RunEvent> events;
    std::atomic<int> paused{0}, resumed{0};
    const auto sink = [&](const RunEvent& event) {
      events.push_back(event);
      if (const auto* step = std::get_if<StepDone>(&event); step && step->step == 10) options.pause->pause();
      if (std::holds_alternative<RunPaused>(event)) ++paused;
      if (std::holds_alternative<RunResumed>(event)) ++resumed;
    };
    Result<runtime::train::TrainedParameters> trained = fail(ErrorCode::internal, "not run");
    std::thread training(
        [&] { trained = runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, sink); });
    while (paused == 0) std::this_thread::sleep_for(5ms);
    const double before = processor_seconds();
    std::this_thread::sleep_for(500ms);
    const double used = processor_seconds() - before;
    const int resumed_early = resumed;
    options.pause->resume();
    training.join();
    QVERIFY2(trained, trained ? "" : trained.error().text().c_str());
    QCOMPARE(resumed_early, 0);
    QCOMPARE(resumed.load(), 1);
    QVERIFY2(used < 0.05, qPrintable(QString("%1 s of a processor in 0.5 s").arg(used)));
    const auto at = [&](const RunEvent& event) { return std::find(events.begin(), events.end(), event); };
    QVERIFY(at(RunPaused{10}) < at(RunResumed{10}));
    QVERIFY(at(RunResumed{10}) != events.end());
    const auto same = runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), {.steps = 40}, {});
    QVERIFY(same && same->layers == trained->layers);  // a pause changes nothing of what is computed
  }

  void a_paused_run_can_be_stopped() {
    const ModelSpec model = small_mlp();
    const Plan plan = plan_for(model, {1, 1}, 4, 2);
    runtime::train::TrainOptions options;
    options.steps = 1000000;
    options.pause = std::make_shared<runtime::machine::PauseGate>();
    options.pause->pause();
    std::stop_source stop;
    std::vector<RunEvent> events;
    const auto sink = [&](const RunEvent& event) {
      events.push_back(event);
      if (std::holds_alternative<RunPaused>(event)) stop.request_stop();
    };
    const auto trained =
        runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, sink, stop.get_token());
    QVERIFY(trained);
    const auto* finished = std::get_if<RunFinished>(&events.back());
    QVERIFY(finished && finished->stopped && finished->steps == 0);
  }

  void cores_are_checked_and_kept() {
    const std::vector<int> usable = runtime::machine::usable_cores();
    QVERIFY(!usable.empty());
    QVERIFY(runtime::machine::check_cores({}, 3));
    QVERIFY(runtime::machine::check_cores({usable.front(), usable.back()}, 2));
    const auto few = runtime::machine::check_cores({usable.front()}, 2);
    QVERIFY(!few && few.error().message.find("expected 2") != std::string::npos);
    const auto absent = runtime::machine::check_cores({9999, usable.front()}, 2);
    QVERIFY(!absent && absent.error().message.find("found core 9999") != std::string::npos);
    std::thread([core = usable.back()] {
      QVERIFY(runtime::machine::pin_this_thread(core));
      QCOMPARE(runtime::machine::usable_cores(), std::vector<int>{core});
    }).join();
    const ModelSpec model = small_mlp();
    const Plan plan = plan_for(model, {1, 1}, 4, 2);
    runtime::train::TrainOptions options;
    options.cores = {usable.front(), usable.front()};
    QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, {}));
    options.cores = {9999, 9999};
    QVERIFY(!runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, {}));
  }

 private:
  /// Passes its input on after a while.
  class Slow final : public runtime::layers::LayerKernel {
   public:
    explicit Slow(std::int64_t width) : runtime::layers::LayerKernel(width, width, 0) {}
    void initialise(std::span<float>, Random) const override {}
    runtime::tensor::Tensor forward(runtime::tensor::Tensor input, std::span<const float>,
                                    runtime::layers::SavedTensors&) const override {
      std::this_thread::sleep_for(700ms);
      return input;
    }
    runtime::tensor::Tensor backward_input(runtime::tensor::Tensor gradient, std::span<const float>,
                                           runtime::layers::SavedTensors&, bool) const override {
      return gradient;
    }
    void backward_weight(runtime::layers::SavedTensors&, std::span<float>) const override {}
  };
};

PIPEDECK_TEST(TestSampler)

}  // namespace pipedeck::tst_sampler

#include "tst_sampler.moc"
