// SPDX-License-Identifier: Apache-2.0
// Profiles of this machine: bytes are exact, times are those of training. Times are compared loosely, because other
// load disturbs them; the benchmark measures them exactly.
#include <QTest>

#include <algorithm>
#include <limits>
#include <thread>

#include "core/plan/layer_bytes.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/machine/cores.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/profile/ranks.hpp"
#include "core/runtime/train.hpp"
#include "core/runtime/transport/profiling_collectives.hpp"
#include "tests/core/runtime/tensor/far_device.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_profiler {

using namespace pipedeck::test;

class TestProfiler : public QObject {
  Q_OBJECT
 private slots:
  void profile_has_the_models_layers_and_bytes();
  void images_and_lstms_are_timed_with_their_bytes();
  void what_ranks_hold_whole_is_told();
  void fewer_samples_are_never_predicted_below();
  void saved_bytes_are_what_training_keeps();
  void times_are_those_of_training();
  void other_cores_may_be_busy_meanwhile();
  void ranks_at_work_count_what_one_alone_counts();
  void what_ranks_wait_for_is_theirs_and_what_they_move_is_not();
  void another_device_is_measured_through_its_queue();
  void profiling_can_be_stopped_and_refuses_bad_sizes();
  void cluster_has_the_machines_figures();
  void devices_are_described();
};

void TestProfiler::profile_has_the_models_layers_and_bytes() {
  const ModelSpec model = small_gpt(2, 16, 8, 12);
  std::vector<double> done;
  const auto profile =
      runtime::profile::profile_on_cpu(model, {2, 4}, [&](double value, std::string_view) { done.push_back(value); });
  QVERIFY(profile.has_value());
  QCOMPARE(profile->layers.size(), static_cast<std::size_t>(runtime::layers::plannable_layers(model)));
  QCOMPARE(profile->micro_batch, 2);
  QCOMPARE(profile->device, std::string("CPU-core"));
  QVERIFY(done.back() == 1 && std::is_sorted(done.begin(), done.end()));
  const std::int64_t h = 16, rows = 2 * 8;
  const auto& layers = profile->layers;
  QCOMPARE(layers[0].parameters, Bytes(4 * (12 + 8) * h));
  QCOMPARE(layers[1].parameters, Bytes(4 * (12 * h * h + 13 * h)));
  QCOMPARE(layers[4].parameters, Bytes(4 * (h + 1) * 12));
  QCOMPARE(layers[1].output, Bytes(4 * rows * h));
  // x, norm, qkv, context, x1, norm: 8 h; up and its gelu: 8 h; two means and deviations; 2 heads of 8 probabilities.
  QCOMPARE(layers[1].saved, Bytes(4 * rows * (16 * h + 4 + 2 * 8)));
  QCOMPARE(layers[4].output, Bytes(4 * rows * 12));
  QCOMPARE(layers[4].saved, Bytes(4 * rows * (h + 12)));  // the head's input, and the loss's probabilities
  for (const Layer& layer : layers) {
    QCOMPARE(layer.at.size(), 2u);
    QCOMPARE(layer.at[0].micro_batch, 2);
    QCOMPARE(layer.at[1].micro_batch, 4);
    QVERIFY(layer.at[0].forward == layer.forward && layer.at[0].backward == layer.backward);
    QVERIFY(layer.forward.count > 0 && layer.backward.count > 0);
    QVERIFY(layer.backward_weight.count > 0 && layer.backward_weight <= layer.backward);
  }
}

void TestProfiler::images_and_lstms_are_timed_with_their_bytes() {
  const Profile images = runtime::profile::profile_on_cpu(small_cnn(true, 8, 8), {2, 4}).value();
  const auto& layers = images.layers;
  QCOMPARE(layers[0].kind, std::string("convolution"));
  QCOMPARE(layers[0].saved, Bytes(4 * 2 * 64));                    // its input: no bias, no activation
  QCOMPARE(layers[1].saved, Bytes(4 * 2 * (2 * 8 * 64 + 2 * 8)));  // input, what relu gets, statistics
  QCOMPARE(layers[2].saved, Bytes(4 * 2 * 8 * 64));
  // A block without projection: the inputs of both convolutions, their outputs, statistics, the input of relu.
  QCOMPARE(layers[3].saved, Bytes(4 * 2 * (5 * 8 * 16 + 2 * 2 * 8)));
  const Profile sequences = runtime::profile::profile_on_cpu(small_lstm(2), {2, 4}).value();
  QCOMPARE(sequences.layers[1].saved, Bytes(4 * 2 * 6 * (12 + 2 * 6 * 12)));
  for (const Profile* profile : {&images, &sequences})
    for (const Layer& layer : profile->layers) {
      QCOMPARE(layer.at.size(), 2u);
      QVERIFY(layer.forward.count > 0 && layer.backward.count > 0 && layer.backward_weight <= layer.backward);
    }
}

/// Half of the samples may need more memory besides the saved bytes: weights are still repacked, and fewer saved bytes
/// are free by then.
void TestProfiler::what_ranks_hold_whole_is_told() {
  const std::int64_t h = 16, classes = 12;
  const auto layers =
      runtime::profile::profile_on_cpu(small_gpt(2, h, 8, classes), runtime::profile::ProfileOptions{{2}, {2}})
          .value()
          .layers;
  QCOMPARE(layers[0].replicated_parameters, Bytes());                         // columns of tokens and positions
  QCOMPARE(layers[1].replicated_parameters, Bytes(4 * (2 * 2 * h + 2 * h)));  // two norms, the biases of two outputs
  QCOMPARE(layers[3].replicated_parameters, layers[3].parameters);            // a norm that all ranks compute
  QCOMPARE(layers[4].replicated_parameters, Bytes());                         // columns, the loss takes them so
  const Profile unasked = runtime::profile::profile_on_cpu(small_gpt(1, h, 8, classes), {2}).value();
  for (const Layer& layer : unasked.layers) QCOMPARE(layer.replicated_parameters, Bytes());  // no ranks were requested

  // 13 classes over two: the first rank's seven are what the prediction is for.
  const Layer uneven =
      runtime::profile::profile_on_cpu(small_mlp(24, 5, 10, 13), runtime::profile::ProfileOptions{{2}, {2}})
          .value()
          .layers[4];
  QCOMPARE(plan::share_of(plan::weights_of(uneven), 2), Bytes(4 * 7 * (24 + 1)));
}

void TestProfiler::fewer_samples_are_never_predicted_below() {
  const ModelSpec model = small_cnn(true, 64, 8);
  const Profile whole = runtime::profile::profile_on_cpu(model, {8}).value(),
                half = runtime::profile::profile_on_cpu(model, {4}).value();
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    const LayerMemory &all = *whole.layers[i].memory, &part = *half.layers[i].memory;
    const auto at_half = [](Bytes of_all, Bytes fixed) { return fixed.count + (of_all - fixed).count / 2; };
    QVERIFY(at_half(all.forward, all.forward_fixed) >= part.forward.count - 1);
    QVERIFY(at_half(all.backward, all.backward_fixed) >= part.backward.count - 1);
  }
}

void TestProfiler::saved_bytes_are_what_training_keeps() {
  const ModelSpec model = small_gpt(3);
  const Profile profile = runtime::profile::profile_on_cpu(model, {4}).value();
  std::int64_t saved = 0, parameters = 0, workspace = 0;
  for (const Layer& layer : profile.layers) {
    saved += layer.saved.count;
    parameters += layer.parameters.count;
    workspace = std::max(workspace, layer.workspace.count);
  }
  for (const int kept : {1, 3, 6}) {  // GPipe on one device keeps every micro-batch
    Plan plan = plan_for(model, {1}, 4, kept);
    EventLog log;
    QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::gpipe), {}, log.sink()).has_value());
    const std::int64_t measured = log.of<StepDone>()[0].memory[0].count;
    const std::int64_t predicted = 4 * parameters + kept * saved + workspace;  // Adam: 16 bytes a parameter
    QVERIFY2(measured <= predicted && measured > 0.9 * static_cast<double>(predicted),
             qPrintable(QString("%1 of %2").arg(measured).arg(predicted)));
  }
}

void TestProfiler::times_are_those_of_training() {
  const ModelSpec model = small_gpt(2, 64, 32, 64);
  const Plan plan = plan_for(model, {1}, 8, 4);
  runtime::train::TrainOptions options;
  options.steps = 30;
  options.timeline_every = 1;
  QString found;
  // A machine that is busy while one of the two is measured: not at every attempt.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Profile profile = runtime::profile::profile_on_cpu(model, {8}).value();
    Seconds forward, backward;
    for (const Layer& layer : profile.layers) forward += layer.forward, backward += layer.backward;
    EventLog log;
    QVERIFY(runtime::train_on_cpu(model, plan, schedule_for(plan, Order::gpipe), options, log.sink()).has_value());
    // It interrupts whole steps every time, and the shortest of many operations hardly ever.
    const auto shortest = [&](OpKind kind) {
      Nanoseconds least(std::numeric_limits<std::int64_t>::max());
      for (const MeasuredTimeline& step : log.of<MeasuredTimeline>())
        for (std::size_t i = 0; i < step.timeline.size(); ++i)
          if (step.timeline.kind[i] == kind) least = std::min(least, step.timeline.row(i).duration);
      return to_seconds(least).count;
    };
    const double forwards = shortest(OpKind::forward) / forward.count;
    const double backwards = shortest(OpKind::backward) / backward.count;
    if (forwards > 0.4 && forwards < 2 && backwards > 0.4 && backwards < 2) return;
    found += QString("%1 and %2; ").arg(forwards).arg(backwards);
  }
  QFAIL(qPrintable(found));
}

/// Whose memory the host can't touch.
void TestProfiler::another_device_is_measured_through_its_queue() {
  const ModelSpec model = small_gpt(2, 16, 8, 12);
  const runtime::layers::Backend far = far_backend();
  runtime::profile::ProfileOptions options{{2, 4}, {}, {3, 3, 0, Seconds(1)}};
  const auto found = runtime::profile::profile_with(far, {"measured far away", "far"}, model, options);
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  const auto near = runtime::profile::profile_on_cpu(model, options);
  QVERIFY(near.has_value());
  QCOMPARE(found->device, std::string("far"));
  QCOMPARE(found->source, std::string("measured far away"));
  for (std::size_t i = 0; i < near->layers.size(); ++i) {
    QCOMPARE(found->layers[i].parameters, near->layers[i].parameters);
    QCOMPARE(found->layers[i].output, near->layers[i].output);
    QVERIFY(found->layers[i].forward.count > 0 && found->layers[i].backward.count > 0);
  }
  options.busy_cores = 2;
  QCOMPARE(runtime::profile::profile_with(far, {}, model, options).error().code, ErrorCode::bad_usage);
}

/// They take time from the one that is timed and nothing else: its bytes are its own.
void TestProfiler::other_cores_may_be_busy_meanwhile() {
  const runtime::profile::Repetitions few{3, 3, 0, Seconds(2)};
  const Profile alone =
      runtime::profile::profile_on_cpu(small_gpt(), runtime::profile::ProfileOptions{{2, 4}, {2}, few, 1}).value();
  const Profile busy =
      runtime::profile::profile_on_cpu(small_gpt(), runtime::profile::ProfileOptions{{2, 4}, {2}, few, 3}).value();
  for (std::size_t i = 0; i < alone.layers.size(); ++i) {
    const Layer &a = alone.layers[i], &b = busy.layers[i];
    QVERIFY(a.saved == b.saved && a.memory == b.memory && a.replicated_parameters == b.replicated_parameters);
    QVERIFY(b.forward.count > 0 && b.backward.count > 0);
  }
}

void TestProfiler::ranks_at_work_count_what_one_alone_counts() {
  for (const ModelSpec& model : {small_gpt(2, 16, 8, 12), small_mlp(24, 4, 10, 12), small_lstm(2)}) {
    const runtime::exec::ModelParts parts =
        runtime::exec::make_parts(model, runtime::cpu::cpu_kernel_registry()).value();
    const auto group = std::make_shared<runtime::transport::SingleRankCollective>(0, 2);
    const runtime::layers::ShardedLayers part =
        runtime::layers::make_sharded_layers(model, 0, runtime::layers::plannable_layers(model),
                                             runtime::cpu::cpu_kernel_registry(), {0, 2, {}}, group)
            .value();
    const runtime::layers::SoftmaxCrossEntropy loss = part.loss ? parts.loss.over(*part.loss) : parts.loss;
    runtime::profile::LayerTimer alone(part.layers, loss, *parts.source, model.seed, 3, group.get());
    alone.run_once();
    const auto ranks = runtime::profile::Ranks::of(runtime::profile::cores_for_ranks(), model, parts, 2, 3).value();
    const bool together = runtime::machine::usable_cores().size() > 1;
    QCOMPARE(ranks->num_running(), together ? 2 : 1);
    for (int i = 0; i < 3; ++i) ranks->timer().run_once();
    for (std::size_t i = 0; i < part.layers.size(); ++i) {
      const runtime::profile::LayerSamples &one = alone.seen()[i], &both = ranks->timer().seen()[i];
      QCOMPARE(both.forward.size(), 3u);
      QCOMPARE(both.forward_all_reduced.bytes, one.forward_all_reduced.bytes);
      QCOMPARE(both.forward_all_reduced.meetings, one.forward_all_reduced.meetings);
      QCOMPARE(both.backward_all_reduced.bytes, one.backward_all_reduced.bytes);
      QCOMPARE(both.backward_all_reduced.meetings, one.backward_all_reduced.meetings);
      QCOMPARE(both.saved, one.saved);
      QCOMPARE(both.memory.forward, one.memory.forward);
      QCOMPARE(both.memory.backward, one.memory.backward);
      QVERIFY(one.forward_all_reduced.moving == Seconds());
      QVERIFY(both.forward_all_reduced.moving.count > 0 || one.forward_all_reduced.meetings == 0 || !together);
    }
  }
  // More ranks than cores would take turns: one alone stands for all.
  const int many = static_cast<int>(runtime::machine::usable_cores().size()) + 1;
  const ModelSpec wide = small_mlp(2 * many, 2, 10, 2 * many);
  const runtime::exec::ModelParts parts = runtime::exec::make_parts(wide, runtime::cpu::cpu_kernel_registry()).value();
  const auto ranks = runtime::profile::Ranks::of(runtime::profile::cores_for_ranks(), wide, parts, many, 2);
  QVERIFY(ranks.has_value());
  QCOMPARE((*ranks)->num_running(), 1);
  (*ranks)->timer().run_once();
}

/// All are there after a while; then it takes a while to move what they have.
class SlowGroup final : public runtime::transport::Collective {
 public:
  static constexpr std::chrono::milliseconds waits{20}, moves{5};
  int rank() const override { return 0; }
  int size() const override { return 2; }
  runtime::tensor::Completion all_reduce(std::span<float>) override {
    std::this_thread::sleep_for(waits);
    const auto all_there = runtime::tensor::RunClock::now();
    std::this_thread::sleep_for(moves);
    return all_there;
  }
  runtime::tensor::Completion all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  runtime::tensor::Completion all_gather(std::span<const float>, std::span<float> all,
                                         std::span<const std::size_t>) override {
    return all_reduce(all);
  }
  runtime::tensor::Completion reduce_scatter(std::span<const float>, std::span<float> mine,
                                             std::span<const std::size_t>) override {
    return all_reduce(mine);
  }
  runtime::tensor::Completion all_to_all(std::span<const float>, std::span<const std::size_t>, std::span<float> from,
                                         std::span<const std::size_t>) override {
    return all_reduce(from);
  }
  runtime::tensor::Completion broadcast(int, std::span<float> values) override { return all_reduce(values); }
};

void TestProfiler::what_ranks_wait_for_is_theirs_and_what_they_move_is_not() {
  runtime::transport::TimingCollective group(std::make_unique<SlowGroup>());
  std::vector<float> values(16);
  const std::vector<std::size_t> counts{8, 8};
  const auto start = runtime::tensor::RunClock::now();
  group.all_reduce(values);
  group.all_reduce_max(values);
  group.all_gather(std::span<const float>(values).first(8), values, counts);
  group.reduce_scatter(values, std::span(values).first(8), counts);
  std::vector<float> arrived(16);
  group.all_to_all(values, counts, arrived, counts);
  group.broadcast(0, values);
  const double took = std::chrono::duration<double>(runtime::tensor::RunClock::now() - start).count();
  group.barrier();  // not counted
  const runtime::transport::CountingCollective::Taken taken = group.all_reduce_counts();
  QCOMPARE(taken.bytes, Bytes(64 + 64 + 4 * 32));
  QCOMPARE(taken.meetings, 6);
  QVERIFY(taken.moving.count >= 6 * 0.005);
  QVERIFY(taken.moving.count <= took - 6 * 0.020);
  QCOMPARE(group.all_reduce_counts(), runtime::transport::CountingCollective::Taken());
}

void TestProfiler::profiling_can_be_stopped_and_refuses_bad_sizes() {
  std::stop_source stop;
  stop.request_stop();
  QCOMPARE(runtime::profile::profile_on_cpu(small_mlp(), {1}, {}, stop.get_token()).error().code, ErrorCode::cancelled);
  for (const std::vector<int>& sizes : {std::vector<int>{}, {0}, {4, 2}, {2, 2}})
    QCOMPARE(runtime::profile::profile_on_cpu(small_mlp(), sizes).error().code, ErrorCode::bad_usage);
  ModelSpec model = small_mlp();
  model.layers[1].kind = "dropout";
  QCOMPARE(runtime::profile::profile_on_cpu(model, {1}).error().code, ErrorCode::bad_input);
}

void TestProfiler::cluster_has_the_machines_figures() {
  const Cluster cluster = runtime::profile::cpu_cluster(2);
  QCOMPARE(devices_of(cluster).size(), 2u);
  QCOMPARE(cluster.device_types[0].name, std::string("CPU-core"));
  QVERIFY(cluster.device_types[0].memory > Bytes(std::int64_t{1} << 27));
  QVERIFY(cluster.device_types[0].memory_bandwidth->count > 1e8);
  const Link link = cluster.nodes[0].link.value();
  QVERIFY(link.bandwidth.count > 1e8 && link.latency.count > 0 && link.latency.count < 0.1);
  QVERIFY(!runtime::profile::cpu_cluster(1).nodes[0].link);
}

void TestProfiler::devices_are_described() {
  const auto backends = runtime::profile::backends_here();
  QCOMPARE(backends.size(), std::size_t{3});
  const std::array names{"cpu", "cuda", "mpi"};
  for (std::size_t i = 0; i < backends.size(); ++i) {
    QCOMPARE(backends[i].name, std::string(names[i]));
    QCOMPARE(backends[i].usable, backends[i].unavailable_reason.empty());
    QVERIFY(!backends[i].lines.empty());
    for (const std::string& line : backends[i].lines) QVERIFY(line.starts_with(backends[i].name + ": "));
  }
}

PIPEDECK_TEST(TestProfiler)

}  // namespace pipedeck::tst_profiler

#include "tst_profiler.moc"
