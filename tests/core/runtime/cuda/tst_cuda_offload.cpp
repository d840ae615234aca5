// SPDX-License-Identifier: Apache-2.0
// Trainings whose optimizer is on the host: they have the bits of those on the GPU alone, as much less memory there as
// the plan has it, and as many bytes on the link.
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <bit>

#include "core/cost/state_bytes.hpp"
#include "core/runtime/checkpoint/resume.hpp"
#include "tests/core/runtime/cuda/beside_one_processor.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/support/repetitions.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::tensor::OptimizerState;
using runtime::tensor::StatePlace;
using runtime::tensor::Tensor;

namespace {

bool equal_bits(std::span<const float> a, std::span<const float> b) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  return std::ranges::equal(a, b, {}, bits, bits);
}

/// Returns what differs in the bits of two trainings, or nothing.
QByteArray difference(const Trained& found, const Trained& expected) {
  const auto& [a, b] = std::pair(found.parameters.layers, expected.parameters.layers);
  if (a.empty() || !std::ranges::equal(a, b, equal_bits)) return "other parameters";
  if (found.log.losses() != expected.log.losses()) return "other losses";
  return {};
}

/// The kernels of a GPU fuse products and sums, which the host's step rounds apart.
constexpr bool host_has_the_bits =
#ifdef PIPEDECK_CUDA_STAND_IN
    true;
#else
    false;
#endif

void verify_equal(const Trained& found, const Trained& expected, bool in_bits) {
  if (in_bits) {
    const QByteArray differs = difference(found, expected);
    QVERIFY2(differs.isEmpty(), differs);
    return;
  }
  VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), 1e-4);
  VERIFY_BELOW(loss_difference(found.log.losses(), expected.log.losses()), 1e-4);
}

Plan offloaded(Plan plan, bool paged) {
  Training& training = plan.choices.value().training;
  (paged ? training.pages_optimizer : training.offloads_optimizer) = true;
  return plan;
}

/// A plan's stages, replicas and sharding.
struct Mesh {
  QList<int> replicas{1};
  int level = 0, group = 0;
  CopySync copies = CopySync::each_step;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  Optimizer optimizer = Optimizer::adam;
};

Plan plan_of(const ModelSpec& model, const Mesh& mesh) {
  Plan plan = plan_for(model, {mesh.replicas.begin(), mesh.replicas.end()}, 4, 3);
  plan.optimizer = mesh.optimizer, plan.schedule = mesh.schedule;
  plan.choices.emplace().training.products = "";  // those of the run
  plan.sharding.level = mesh.level, plan.sharding.group = mesh.group, plan.sharding.copies = mesh.copies;
  return plan;
}

/// Returns a stage's parameters, and the layers that have some.
std::pair<std::int64_t, std::int64_t> parameters_of(const Trained& trained, const Stage& stage) {
  std::int64_t sum = 0, layers = 0;
  for (int layer = stage.first; layer < stage.last; ++layer) {
    const auto size = std::ssize(trained.parameters.layers[static_cast<std::size_t>(layer)]);
    sum += size, layers += size > 0 ? 1 : 0;
  }
  return {sum, layers};
}

#ifdef PIPEDECK_CUDA_STAND_IN
void be_strict() {
  begin_on_eight_gpus();
  cuda_stand_in::set_strictness({.lazy_loading = true, .hardware_queues = true, .allocation_waits = true});
  cuda_stand_in::set_delay(20);
}
#endif

}  // namespace

Q_DECLARE_METATYPE(Mesh)

class TestCudaOffload : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void init() { begin_on_eight_gpus(); }
  void cleanup() { end_on_gpus(); }
  void a_step_in_chunks_is_the_gpus_data();
  void a_step_in_chunks_is_the_gpus();
  void the_host_learns_of_changed_weights();
  void trainings_have_equal_bits_data();
  void trainings_have_equal_bits();
  void every_precision_has_equal_bits();
  void activations_have_equal_bits_data();
  void activations_have_equal_bits();
  void checkpoints_go_on_either_way();
  void divergence_is_found();
#ifdef PIPEDECK_CUDA_STAND_IN
  void memory_and_copies_are_the_formulas_data();
  void memory_and_copies_are_the_formulas();
  void a_host_without_memory();
  void calls_that_fail();
#endif
};

void TestCudaOffload::a_step_in_chunks_is_the_gpus_data() {
  QTest::addColumn<int>("kind");
  QTest::addColumn<int>("place");
  for (const Optimizer kind :
       {Optimizer::none, Optimizer::sgd, Optimizer::momentum, Optimizer::rmsprop, Optimizer::adam})
    for (const StatePlace place : {StatePlace::host, StatePlace::paged})
      QTest::addRow("%s, %s", name_of(kind).data(), place == StatePlace::host ? "on the host" : "in pages")
          << static_cast<int>(kind) << static_cast<int>(place);
}

/// Ranges of all sizes next to a chunk's, with more chunks than are on their way at a time, on late streams.
void TestCudaOffload::a_step_in_chunks_is_the_gpus() {
  QFETCH(int, kind);
  QFETCH(int, place);
  constexpr std::int64_t chunk = 64, all = 1000;
  auto memory = std::make_shared<runtime::tensor::DeviceMemory>(
      std::make_shared<runtime::cuda::CudaDevice>(0, runtime::cuda::Precision::fp32));
  runtime::tensor::ComputeDevice& device = memory->device();
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::set_delay(50);
#endif
  struct Side {
    Tensor weights, gradients;
    OptimizerState optimizer;
  };
  const auto side = [&](StatePlace where) {
    return Side{Tensor(memory, 1, all), Tensor(memory, 1, all),
                OptimizerState(static_cast<Optimizer>(kind), 0.01, all, memory, where, chunk)};
  };
  Side own = side(StatePlace::device), other = side(static_cast<StatePlace>(place));
  const auto fill = [&](Tensor& tensor, std::uint64_t seed) {
    device.upload(tensor.values(), [&](std::span<float> values) {
      Random random(seed, 0);
      for (float& value : values) value = static_cast<float>(random.uniform() - 0.5);
    });
  };
  for (Side* one : {&own, &other}) fill(one->weights, 1);
  const std::vector<std::pair<std::int64_t, std::int64_t>> ranges{{0, 1}, {1, 63}, {64, 64}, {128, 129}, {257, 700}};
  for (std::uint64_t step = 0; step < 3; ++step)
    for (Side* one : {&own, &other}) {
      fill(one->gradients, 2 + step);
      one->optimizer.begin_step();
      for (const auto& [first, count] : ranges)
        one->optimizer.update(std::span(one->weights.data() + first, static_cast<std::size_t>(count)),
                              std::span(one->gradients.data() + first, static_cast<std::size_t>(count)), first);
      one->optimizer.end_step();
    }
  const auto values = [&](const Tensor& tensor) {
    std::vector<float> found(static_cast<std::size_t>(tensor.size()));
    tensor.memory()->device().download(found, tensor.data());
    found.resize(957);  // no range has the last ones
    return found;
  };
  const auto same = [&](const Tensor& a, const Tensor& b) {
    if (host_has_the_bits || static_cast<StatePlace>(place) == StatePlace::paged)
      return equal_bits(values(a), values(b));
    const std::vector<float> x = values(a), y = values(b);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::abs(x[i] - y[i]) > 1e-5) return false;
    return true;
  };
  QVERIFY(same(other.weights, own.weights));
  QVERIFY(same(other.gradients, own.gradients));
  QCOMPARE(other.optimizer.moments().size(), own.optimizer.moments().size());
  for (std::size_t i = 0; i < own.optimizer.moments().size(); ++i)
    QVERIFY(same(*other.optimizer.moments()[i], *own.optimizer.moments()[i]));
}

/// Weights that the device moved itself between two steps, as it balances experts, are in the next one.
void TestCudaOffload::the_host_learns_of_changed_weights() {
  constexpr std::int64_t all = 300;
  auto memory = std::make_shared<runtime::tensor::DeviceMemory>(
      std::make_shared<runtime::cuda::CudaDevice>(0, runtime::cuda::Precision::fp32));
  Tensor weights = Tensor::zeros(memory, 1, all), gradients = Tensor::zeros(memory, 1, all);
  OptimizerState optimizer(Optimizer::adam, 0.01, all, memory, StatePlace::host, 64);
  optimizer.update(weights, gradients);
  const Tensor seven = [&] {
    Tensor made(memory, 1, all);
    memory->device().upload(made.values(), [](std::span<float> values) { std::ranges::fill(values, 7.0f); });
    return made;
  }();
  memory->device().copy(weights.data() + 100, seven.data(), 50);
  memory->device().copy(weights.data() + 200, seven.data(), 10);  // unknown to the host
  optimizer.weights_changed(100, 50);
  optimizer.update(weights, gradients);
  optimizer.update(weights, gradients);
  std::vector<float> found(all);
  memory->device().download(found, weights.data());
  for (std::size_t i = 0; i < found.size(); ++i) QCOMPARE(found[i], i >= 100 && i < 150 ? 7.0f : 0.0f);
}

void TestCudaOffload::trainings_have_equal_bits_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<Mesh>("mesh");
  const auto row = [](const char* name, const char* model, const Mesh& mesh) {
    QTest::newRow(name) << QString(model) << mesh;
  };
  row("one GPU", "GPT", {});
  row("momentum", "MLP", {.optimizer = Optimizer::momentum});
  row("gradient descent", "MLP", {.optimizer = Optimizer::sgd});
  row("stages", "ResNet", {.replicas = {1, 1}});
  row("replicas", "MLP", {.replicas = {2, 1}});
  row("level 1", "GPT", {.replicas = {3}, .level = 1});
  row("level 2", "Llama", {.replicas = {2}, .level = 2});
  row("level 3", "Mixtral", {.replicas = {2}, .level = 3});
  row("HSDP, copies with all states", "MLP", {.replicas = {4}, .level = 3, .group = 2});
  row("HSDP, copies with parts of the states", "GPT",
      {.replicas = {4}, .level = 2, .group = 2, .copies = CopySync::shard_optimizer});
  row("asynchronous", "MLP", {.replicas = {1, 1}, .schedule = ScheduleKind::pipedream});
  row("zero bubble", "GPT", {.replicas = {1, 1}, .schedule = ScheduleKind::zb_h1});
}

/// Under all that the stand-in can ask for; in nightly checks twice.
void TestCudaOffload::trainings_have_equal_bits() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  const ModelSpec spec = models()[model];
  const Plan plan = plan_of(spec, mesh);
  if (const QByteArray why = why_no_gpus(static_cast<int>(devices_used(plan).size())); !why.isEmpty())
    QSKIP("too few GPUs");
  const Trained expected = trained_on(by_nccl(plan), spec, plan, steps_of(2));
  QVERIFY(!expected.parameters.layers.empty());
  for (const bool paged : nightly() ? std::vector{false, true, false, true} : std::vector{false, true}) {
#ifdef PIPEDECK_CUDA_STAND_IN
    be_strict();
#endif
    const Plan other = offloaded(plan, paged);
    const Trained found = trained_on(by_nccl(other), spec, other, steps_of(2));
    verify_equal(found, expected, paged || host_has_the_bits);
    const std::string on = found.log.of<RunStarted>().front().backend;
    QVERIFY2(on.find(paged ? ", optimizer states on the host (" : ", optimizer on the host (") != std::string::npos,
             on.c_str());
    for (const RunWarning& warning : found.log.of<RunWarning>())
      QVERIFY2(warning.message.find("offload") == std::string::npos, warning.message.c_str());
  }
}

/// The copies of weights in 16 bits follow what comes from the host.
void TestCudaOffload::every_precision_has_equal_bits() {
  const ModelSpec spec = wide_gpt();
  for (const int level : {0, 1})
    for (const auto precision : {runtime::cuda::Precision::tf32, runtime::cuda::Precision::bf16}) {
      const Plan plan = plan_of(spec, {.replicas = {level + 1}, .level = level});
      if (const QByteArray why = why_no_gpus(level + 1); !why.isEmpty()) QSKIP("too few GPUs");
      const Trained expected = trained_on(by_nccl(plan, precision), spec, plan, steps_of(2));
      for (const bool paged : {false, true}) {
        const Plan other = offloaded(plan, paged);
        verify_equal(trained_on(by_nccl(other, precision), spec, other, steps_of(2)), expected,
                     paged || host_has_the_bits);
      }
    }
}

void TestCudaOffload::activations_have_equal_bits_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<Mesh>("mesh");
  QTest::addColumn<int>("blocks");
  QTest::addColumn<QString>("recompute");
  const auto row = [](const char* name, const char* model, const Mesh& mesh, int blocks, const char* recompute = "") {
    QTest::newRow(name) << QString(model) << mesh << blocks << QString(recompute);
  };
  row("all blocks", "GPT", {.schedule = ScheduleKind::gpipe}, 9);
  row("one of two", "Llama", {.schedule = ScheduleKind::gpipe}, 1);
  row("experts, stages", "Mixtral", {.replicas = {1, 1}}, 1);
  row("recomputed by block", "Llama", {.replicas = {2}, .level = 3}, 2, "blocks");
  row("recomputed as a stage", "GPT", {.replicas = {1, 1}, .schedule = ScheduleKind::gpipe}, 2, "all");
  row("recomputed modules", "Llama", {}, 2, "modules");
  row("zero bubble, replicas", "GPT", {.replicas = {2, 2}, .level = 1, .schedule = ScheduleKind::zb_h1}, 2);
}

/// Sharded states are on the host, too.
void TestCudaOffload::activations_have_equal_bits() {
  QFETCH(QString, model);
  QFETCH(Mesh, mesh);
  QFETCH(int, blocks);
  QFETCH(QString, recompute);
  const ModelSpec spec = models()[model];
  Plan plan = plan_of(spec, mesh);
  if (const QByteArray why = why_no_gpus(static_cast<int>(devices_used(plan).size())); !why.isEmpty())
    QSKIP("too few GPUs");
  for (Stage& stage : plan.stages) {
    if (recompute == "modules") stage.recompute.modules = {"mlp"};
    stage.recompute.all = recompute == "all" || recompute == "blocks";
    if (recompute == "blocks") stage.recompute.each = RecomputeUnit::block;
  }
  const Trained expected = trained_on(by_nccl(plan), spec, plan, steps_of(2));
  QVERIFY(!expected.parameters.layers.empty());
#ifdef PIPEDECK_CUDA_STAND_IN
  be_strict();
#endif
  Plan other = mesh.level > 0 ? offloaded(plan, true) : plan;
  other.choices->training.offloaded_blocks = blocks;
  const Trained found = trained_on(by_nccl(other), spec, other, steps_of(2));
  verify_equal(found, expected, true);
  const std::string on = found.log.of<RunStarted>().front().backend;
  QVERIFY2(on.find("activations are offloaded") != std::string::npos, on.c_str());
  for (const RunWarning& warning : found.log.of<RunWarning>())
    QVERIFY2(warning.message.find("offload") == std::string::npos, warning.message.c_str());
#ifdef PIPEDECK_CUDA_STAND_IN
  // Nothing else comes to pinned memory of the host, and all returns.
  const auto [to_host, to_device] = cuda_stand_in::pinned_copies();
  QVERIFY(to_host > 0);
  QVERIFY(to_device >= to_host);
#endif
}

/// A run with offload resumes one without it, and the other way round.
void TestCudaOffload::checkpoints_go_on_either_way() {
  const ModelSpec spec = wide_gpt();
  const Plan plan = plan_of(spec, {.replicas = {2}, .level = 1});
  if (const QByteArray why = why_no_gpus(2); !why.isEmpty()) QSKIP("too few GPUs");
  const Trained whole = trained_on(by_nccl(plan), spec, plan, steps_of(4));
  const std::vector<Plan> plans{plan, offloaded(plan, false), offloaded(plan, true)};
  for (const auto& [before, after] : {std::pair(0, 1), {1, 1}, {1, 2}, {2, 0}}) {
    const QTemporaryDir folder;
    runtime::train::TrainOptions first = steps_of(2), second = steps_of(4);
    first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
    const Plan& from = plans[static_cast<std::size_t>(before)];
    const Plan& to = plans[static_cast<std::size_t>(after)];
    trained_on(by_nccl(from), spec, from, first);
    auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
    QVERIFY2(kept.has_value(), kept ? "" : kept.error().text().c_str());
    second.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
    Trained rest = trained_on(by_nccl(to), spec, to, second), expected = whole;
    rest.log = expected.log;
    verify_equal(rest, expected, host_has_the_bits);
  }
}

/// Weights that are not finite come from the host as from a kernel: the run ends, or continues with a warning.
void TestCudaOffload::divergence_is_found() {
  ModelSpec spec = models()["MLP"];
  spec.learning_rate = 1e38;
  Plan plan = plan_of(spec, {.optimizer = Optimizer::momentum});
  const auto outcome = [&](const Plan& of, runtime::train::OnDivergence answer) {
    runtime::train::TrainOptions options = steps_of(6);
    options.on_divergence = answer;
    EventLog log;
    const auto trained = runtime::train_with(by_nccl(of), spec, of, built(of), options, log.sink());
    return std::pair(trained ? std::string() : trained.error().message, log.of<StepDone>().size());
  };
  for (const auto answer : {runtime::train::OnDivergence::stop, runtime::train::OnDivergence::warn}) {
    const auto expected = outcome(plan, answer);
    QCOMPARE(expected.first.find("training diverged") != std::string::npos,
             answer == runtime::train::OnDivergence::stop);
    for (const bool paged : {false, true}) QCOMPARE(outcome(offloaded(plan, paged), answer), expected);
  }
}

#ifdef PIPEDECK_CUDA_STAND_IN

void TestCudaOffload::memory_and_copies_are_the_formulas_data() {
  QTest::addColumn<Mesh>("mesh");
  QTest::newRow("one GPU") << Mesh{};
  QTest::newRow("stages") << Mesh{.replicas = {1, 1}};
  QTest::newRow("level 3") << Mesh{.replicas = {2}, .level = 3};
  QTest::newRow("HSDP") << Mesh{.replicas = {4}, .level = 3, .group = 2};
  QTest::newRow("HSDP, copies with parts of the states")
      << Mesh{.replicas = {4}, .level = 2, .group = 2, .copies = CopySync::shard_optimizer};
}

/// A GPU lacks 8 bytes for each weight whose states it has, the host pins them, and 8 more for copies. A step moves 8
/// bytes a weight, in pages 16. Lists have gaps between layers.
void TestCudaOffload::memory_and_copies_are_the_formulas() {
  QFETCH(Mesh, mesh);
  const ModelSpec spec = small_gpt(2, 64, 16, 96);
  const Plan plan = plan_of(spec, mesh);
  struct Found {
    Trained trained;
    double pinned = 0;
    std::size_t to_host = 0, to_device = 0;  ///< of the last step
  };
  const auto run = [&](const Plan& of) {
    begin_on_eight_gpus();
    Found found;
    EventLog log;
    cuda_stand_in::PinnedCopies before;
    auto trained = runtime::train_with(by_nccl(of), spec, of, built(of), steps_of(2), [&](const RunEvent& event) {
      log.sink()(event);
      if (!std::holds_alternative<StepDone>(event)) return;
      const auto now = cuda_stand_in::pinned_copies();
      found.to_host = now.to_host - before.to_host, found.to_device = now.to_device - before.to_device;
      before = now;
    });
    if (!trained) qFatal("%s", trained.error().text().c_str());
    const QString on = QString::fromStdString(log.of<RunStarted>().front().backend);
    found.pinned = 1e6 * on.section("on the host (", 1).section(" MB", 0, 0).toDouble();
    found.trained = {*std::move(trained), std::move(log)};
    return found;
  };
  const Found plain = run(plan), host = run(offloaded(plan, false)), paged = run(offloaded(plan, true));
  double states = 0, gaps = 0;  // of all devices
  std::size_t device = 0;
  for (const Stage& stage : plan.stages) {
    const auto [parameters, layers] = parameters_of(plain.trained, stage);
    const int replicas = stage.replicas(), group = mesh.group > 0 ? mesh.group : replicas;
    const double own = static_cast<double>(parameters) *
                       cost::sharded_bytes({4, 4, 8, 0}, plan.sharding, group, replicas / group).optimizer;
    const double gap = 2 * 64 * sizeof(float) * static_cast<double>(layers),
                 sent = plan.stages.size() > 1 ? 4 * 64 * 16 * sizeof(float) : 0;  // a tensor may come earlier
    for (int replica = 0; replica < replicas; ++replica, ++device) {
      const auto peak = [&](const Found& of) {
        return static_cast<double>(of.trained.log.of<StepDone>().back().memory[device].count);
      };
      for (const Found* found : {&host, &paged}) {
        const double less = peak(plain) - peak(*found);
        QVERIFY2(less >= own - gap - sent && less <= own + gap + sent,
                 qPrintable(QString("device %1: %2 less, expected %3").arg(device).arg(less).arg(own)));
        QVERIFY(own > 10 * (gap + sent));
      }
      states += own, gaps += gap;
    }
  }
  VERIFY_BELOW(std::abs(host.pinned - 2 * states), 2 * gaps);
  VERIFY_BELOW(std::abs(paged.pinned - states), gaps);
  const auto more = [&](const Found& found, auto side) { return static_cast<double>(found.*side - plain.*side); };
  for (const auto side : {&Found::to_host, &Found::to_device}) {
    VERIFY_BELOW(std::abs(more(host, side) - states / 2), gaps);
    VERIFY_BELOW(std::abs(more(paged, side) - states), gaps);
  }
}

/// A run that can pin too little does not begin. Its error has the bytes. Each of two stages pins four lists.
void TestCudaOffload::a_host_without_memory() {
  const ModelSpec spec = models()["MLP"];
  const Plan plan = offloaded(plan_of(spec, {.replicas = {1, 1}}), false);
  QSet<QString> texts;
  for (std::size_t most = 3000;; most += 500) {
    begin_on_eight_gpus();
    const auto backend = by_nccl(plan);
    cuda_stand_in::set_pinned_memory(most);
    EventLog log;
    const auto trained = runtime::train_with(backend, spec, plan, built(plan), steps_of(1), log.sink());
    if (trained) break;
    QCOMPARE(trained.error().code, ErrorCode::run_failed);
    const QString text = QString::fromStdString(trained.error().text());
    QVERIFY2(text.contains("cudaMallocHost"), qPrintable(text));
    if (!text.contains("bytes of host memory to pin for the optimizer")) continue;  // staging of weights and samples
    QVERIFY2(text.contains("its parameters") && text.contains("that it may pin"), qPrintable(text));
    QVERIFY(log.of<StepDone>().empty());
    texts.insert(text);
  }
  QVERIFY2(texts.size() == 2, qPrintable(QStringList(texts.values()).join('\n')));
  // Activations are pinned in the first step's forward passes.
  const ModelSpec gpt = models()["GPT"];
  Plan kept = plan_of(gpt, {.optimizer = Optimizer::sgd});
  kept.choices->training.offloaded_blocks = 2;
  bool found = false;
  for (std::size_t most = 40000; most < 400000 && !found; most += 20000) {
    begin_on_eight_gpus();
    const auto backend = by_nccl(kept);
    cuda_stand_in::set_pinned_memory(most);
    const auto trained = runtime::train_with(backend, gpt, kept, built(kept), steps_of(1), [](const RunEvent&) {});
    if (trained) break;
    const QString text = QString::fromStdString(trained.error().text());
    QVERIFY2(text.contains("cudaMallocHost"), qPrintable(text));
    found = text.contains("forward of micro-batch 0 on stage 0") && text.contains("to pin for activations");
  }
  QVERIFY(found);
}

/// Each call fails once. The error names it, or the run has made up for it. Nothing stays.
void TestCudaOffload::calls_that_fail() {
  for (const StatePlace place : {StatePlace::host, StatePlace::paged}) {
    std::vector<float> expected;
    int calls = 0;
    for (int nth = 0; nth < 1000; ++nth, ++calls) {  // at first none fails
      begin_on_eight_gpus();
      std::string text;
      std::vector<float> found(300);
      try {
        auto memory = std::make_shared<runtime::tensor::DeviceMemory>(
            std::make_shared<runtime::cuda::CudaDevice>(0, runtime::cuda::Precision::fp32));
        Tensor weights = Tensor::zeros(memory, 1, 300), gradients = Tensor::zeros(memory, 1, 300);
        if (nth > 0) cuda_stand_in::fail_call(nth);
        OptimizerState optimizer(Optimizer::adam, 0.01, 300, memory, place, 64);
        for (int step = 0; step < 2; ++step) {
          memory->device().upload(gradients.values(), [](std::span<float> values) { std::ranges::fill(values, 1.0f); });
          optimizer.update(weights, gradients);
        }
        memory->device().download(found, weights.data());
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      if (nth == 0) expected = found;
      if (nth > 0 && !cuda_stand_in::failed()) break;
      const std::string call = cuda_stand_in::last_refusal().substr(0, cuda_stand_in::last_refusal().find(':'));
      const bool right = text.empty() ? equal_bits(found, expected) : text.find(call) != std::string::npos;
      QVERIFY2(right, (call + " in: " + text).c_str());
      QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str());
    }
    QVERIFY2(calls > 40, std::to_string(calls).c_str());
    QVERIFY(expected.front() < 0);
  }
}

#endif

QTEST_GUILESS_MAIN(TestCudaOffload)
#include "tst_cuda_offload.moc"
