// SPDX-License-Identifier: Apache-2.0
// Profiles and links measured on GPUs.
#include <QTest>

#include <thread>

#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/module.hpp"
#include "core/runtime/exec/worker_links.hpp"
#include "core/runtime/profile/link_probe.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/transport/profiling_collectives.hpp"
#include "core/runtime/transport/threads.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;

extern "C" const runtime::cuda::Module* pipedeck_cuda(const char* version);

namespace {

const runtime::cuda::Module& gpu_module() { return *pipedeck_cuda(PIPEDECK_VERSION); }

ModelSpec gpt_of_four_heads() {
  ModelSpec model = small_gpt(1, 16, 4, 12);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "transformer") layer.sizes["heads"] = 4;
  return model;
}

}  // namespace

class TestCudaProfiles : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void init();
  void cleanup();
  void profilesAreMeasured();
  void cutLayersAreMeasured();
  void linksAreMeasured();
#ifdef PIPEDECK_CUDA_STAND_IN
  void profilesAreRecorded();
  void cutLayersWithoutNccl();
  void oneRankStandsForMoreThanThereAre();
  void waitingIsNoMoving();
  void aRankThatFailsEndsTheProfile();
#endif
};

void TestCudaProfiles::initTestCase() { SKIP_WITHOUT_GPU(1); }
void TestCudaProfiles::init() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(6);
#endif
}
void TestCudaProfiles::cleanup() {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::reset();
  QTRY_VERIFY2_WITH_TIMEOUT(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str(), 20000);
#endif
}

/// Bytes are the processor's, times the GPU's.
void TestCudaProfiles::profilesAreMeasured() {
  const ModelSpec model = gpt_of_four_heads();
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY2(gpus.has_value(), gpus ? "" : gpus.error().text().c_str());
  QVERIFY(!gpus->names.empty() && !gpus->names.front().empty());
  runtime::profile::ProfileOptions options;
  options.micro_batches = {2, 4};
  options.repetitions = {3, 3, 0, Seconds(2)};
  const runtime::profile::ProfiledOn where{"measured on a GPU", gpus->names.front()};
  const auto found = runtime::profile::profile_with(gpus->backend, where, model, options);
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  const auto expected = runtime::profile::profile_on_cpu(model, options);
  QVERIFY(expected.has_value());
  QCOMPARE(found->device, gpus->names.front());
  QVERIFY2(QByteArray::fromStdString(found->source).startsWith("measured on a GPU, CUDA graphs"),
           found->source.c_str());
  QCOMPARE(found->layers.size(), expected->layers.size());
  for (std::size_t i = 0; i < found->layers.size(); ++i) {
    const Layer &layer = found->layers[i], &there = expected->layers[i];
    QCOMPARE(layer.parameters, there.parameters);
    QCOMPARE(layer.output, there.output);
    QCOMPARE(layer.at.size(), std::size_t{2});
    for (const LayerPoint& point : layer.at)
      QVERIFY(point.forward.count > 0 && point.backward.count > 0 && point.details.saved > Bytes());
  }
}

namespace {

/// Bytes of layers that are cut are the processor's; scratch memory is the GPU's own.
void check_cut(const Profile& found, const Profile& expected, std::size_t degrees) {
  QCOMPARE(found.layers.size(), expected.layers.size());
  for (std::size_t i = 0; i < found.layers.size(); ++i) {
    const Layer &layer = found.layers[i], &there = expected.layers[i];
    QCOMPARE(layer.replicated_parameters, there.replicated_parameters);
    QCOMPARE(layer.tensor_parallel.size(), degrees);
    for (std::size_t k = 0; k < degrees; ++k) {
      const TensorParallelPoint &point = layer.tensor_parallel[k], &other = there.tensor_parallel[k];
      QCOMPARE(point.degree, other.degree);
      QCOMPARE(point.forward_allreduce, other.forward_allreduce);
      QCOMPARE(point.backward_allreduce, other.backward_allreduce);
      QVERIFY(point.forward.count > 0 && point.backward.count > 0);
      QVERIFY(point.ways.size() == other.ways.size() && !point.ways.empty());
      for (std::size_t way = 0; way < point.ways.size(); ++way) {
        QVERIFY(point.ways[way].step == other.ways[way].step);
        QCOMPARE(point.ways[way].replicated_parameters, other.ways[way].replicated_parameters);
        QVERIFY(point.ways[way].saved > Bytes());
      }
    }
  }
}

runtime::profile::ProfileOptions cut_over(std::vector<int> degrees) {
  return {{2}, std::move(degrees), {3, 3, 0, Seconds(20)}};
}

}  // namespace

void TestCudaProfiles::cutLayersAreMeasured() {
  SKIP_WITHOUT_GPU(2);
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  const int count = static_cast<int>(gpus->names.size());
  const runtime::profile::ProfileOptions options = count < 4 ? cut_over({2}) : cut_over({2, 4});
  for (const ModelSpec& model : {gpt_of_four_heads(), small_mlp(24, 4, 10, 12), small_lstm(2)}) {
    const auto found =
        runtime::profile::profile_with(gpus->backend, {"measured on GPUs", "GPU", count}, model, options);
    QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
    check_cut(*found, runtime::profile::profile_on_cpu(model, options).value(), options.tensor_parallel.size());
    const QByteArray degrees = count < 4 ? "2" : "2 and 4";
    QVERIFY2(QByteArray::fromStdString(found->source)
                 .endsWith(", layers cut over " + degrees + " by all ranks at once, joined by " +
                           QByteArray::fromStdString(gpu_module().nccl())),
             found->source.c_str());
  }
}

void TestCudaProfiles::linksAreMeasured() {
  SKIP_WITHOUT_GPU(2);
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  const auto one = std::make_shared<runtime::tensor::DeviceMemory>(gpus->backend.device(0));
  const auto other = std::make_shared<runtime::tensor::DeviceMemory>(gpus->backend.device(1));
  const runtime::profile::LinkMeasurement measured = runtime::profile::measure_copies(one, other);
  QCOMPARE(measured.points.front().bytes, Bytes(64));
  QCOMPARE(measured.points.back().bytes, Bytes(64 << 20));
  for (const runtime::profile::TransferPoint& point : measured.points) QVERIFY(point.seconds.median > 0);
  QVERIFY(measured.link.bandwidth.count > 0);
}

#ifdef PIPEDECK_CUDA_STAND_IN
/// Later repetitions launch the graphs of the first one after the warm-ups: three passes per layer. The reported memory
/// is that of plain passes.
void TestCudaProfiles::profilesAreRecorded() {
  const ModelSpec model = gpt_of_four_heads();
  auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::bf16);
  QVERIFY(gpus.has_value());
  const runtime::profile::ProfileOptions options{{2, 4}, {}, {5, 5, 0, Seconds(20)}};
  const auto recorded = runtime::profile::profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY2(recorded.has_value(), recorded ? "" : recorded.error().text().c_str());
  const int passes = 3 * static_cast<int>(recorded->layers.size());
  QCOMPARE(cuda_stand_in::graphs_made(), 2 * passes);
  QCOMPARE(cuda_stand_in::graphs_launched(), 2 * 5 * passes);
  // Own kernels compute the attention of such small heads, as the source has it.
  QVERIFY2(recorded->source.starts_with("measured on a GPU, CUDA graphs"), recorded->source.c_str());

  const auto check_alike = [&](const Profile& plain) {
    for (std::size_t i = 0; i < plain.layers.size(); ++i) {
      const Layer &layer = recorded->layers[i], &there = plain.layers[i];
      QCOMPARE(layer.memory, there.memory);
      QCOMPARE(layer.output, there.output);
      QCOMPARE(layer.saved, there.saved);
      QCOMPARE(layer.workspace, there.workspace);
      for (std::size_t k = 0; k < layer.at.size(); ++k) {
        QCOMPARE(layer.at[k].details.saved, there.at[k].details.saved);
        QCOMPARE(layer.at[k].details.workspace, there.at[k].details.workspace);
        QVERIFY(layer.at[k].forward.count > 0 && layer.at[k].backward.count > 0);
      }
    }
  };
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(6);
  cuda_stand_in::refuse_in_captures("cublasLtMatmul");
  const auto refused = runtime::profile::profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY2(refused.has_value(), refused ? "" : refused.error().text().c_str());
  QVERIFY2(QByteArray::fromStdString(refused->source).startsWith("measured on a GPU, without CUDA graphs: ") &&
               refused->source.find("cublasLtMatmul") != std::string::npos,
           refused->source.c_str());
  QCOMPARE(cuda_stand_in::graphs_launched(), 0);
  check_alike(*refused);

  cuda_stand_in::reset();
  cuda_stand_in::set_devices(6);
  cuda_stand_in::fail_call(passes + 2, "cudaGraphLaunch", cudaErrorMemoryAllocation);
  const auto given_up = runtime::profile::profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY2(given_up.has_value(), given_up ? "" : given_up.error().text().c_str());
  QVERIFY2(given_up->source.find("without CUDA graphs: ") != std::string::npos, given_up->source.c_str());
  check_alike(*given_up);

  cuda_stand_in::reset();
  cuda_stand_in::set_devices(6);
  gpus->backend.recorded.clear();
  const auto plain = runtime::profile::profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY(plain.has_value());
  QVERIFY2(
      plain->source.starts_with("measured on a GPU") && !plain->source.starts_with("measured on a GPU, CUDA graphs"),
      plain->source.c_str());
  QCOMPARE(cuda_stand_in::graphs_made(), 0);
  check_alike(*plain);
}

/// NCCL joins no slices: copies do, as with --oversubscribe.
void TestCudaProfiles::cutLayersWithoutNccl() {
  cuda_stand_in::set_name(1, "NVIDIA A100 MIG 1g.5gb");
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  const ModelSpec model = gpt_of_four_heads();
  const auto found =
      runtime::profile::profile_with(gpus->backend, {"measured on GPUs", "GPU", 6}, model, cut_over({2}));
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  check_cut(*found, runtime::profile::profile_on_cpu(model, cut_over({2})).value(), 1);
  QVERIFY2(found->source.find("joined by copies within and between GPUs") != std::string::npos, found->source.c_str());
}

void TestCudaProfiles::oneRankStandsForMoreThanThereAre() {
  cuda_stand_in::set_devices(2);
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  const ModelSpec model = gpt_of_four_heads();
  const auto found =
      runtime::profile::profile_with(gpus->backend, {"measured on GPUs", "GPU", 2}, model, cut_over({2, 4}));
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  check_cut(*found, runtime::profile::profile_on_cpu(model, cut_over({2, 4})).value(), 2);
  QVERIFY2(QByteArray::fromStdString(found->source).endsWith(", over 4 by one rank alone (found 2 devices)"),
           found->source.c_str());
}

/// One of two ranks is late: the other's wait does not count as transfer time, and both report equal times.
void TestCudaProfiles::waitingIsNoMoving() {
  constexpr std::chrono::milliseconds late(400);
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  const std::vector<std::size_t> all{0, 1};
  runtime::transport::RunControl control(std::chrono::seconds(20), {DeviceId(0), DeviceId(1)});
  const std::vector near{std::make_shared<runtime::tensor::DeviceMemory>(),
                         std::make_shared<runtime::tensor::DeviceMemory>()};
  runtime::transport::ThreadTransport hosts(near, control);
  const std::vector memories{std::make_shared<runtime::tensor::DeviceMemory>(gpus->backend.device(0)),
                             std::make_shared<runtime::tensor::DeviceMemory>(gpus->backend.device(1))};
  const auto joined = gpus->backend.join(std::make_unique<runtime::transport::ThreadTransport>(near, control), memories,
                                         runtime::transport::WorkerLinks{{all}, {}}, control);
  std::vector<std::unique_ptr<runtime::transport::TimingCollective>> groups;
  for (const std::size_t rank : all)
    groups.push_back(std::make_unique<runtime::transport::TimingCollective>(
        joined->join(all, rank), memories[rank]->device_shared(), hosts.join(all, rank)));
  std::vector<Seconds> moved(2), waited(2);
  std::vector<std::thread> threads;
  for (const std::size_t rank : all)
    threads.emplace_back([&, rank] {
      joined->connect(rank);
      runtime::tensor::ComputeDevice& device = memories[rank]->device();
      runtime::tensor::Tensor value = runtime::tensor::Tensor::zeros(memories[rank], 1, 8);
      groups[rank]->barrier();
      const runtime::tensor::Completion begin = device.now();
      if (rank == 1)
        cuda_stand_in::enqueue(runtime::cuda::CudaDevice::of(value).stream(),
                               [&] { std::this_thread::sleep_for(late); });
      groups[rank]->all_reduce(value.values());
      const runtime::tensor::Completion end = device.now();
      device.synchronise();
      waited[rank] = Seconds(std::chrono::duration<double>(end.time() - begin.time()).count());
      const std::vector<Seconds> each = groups[rank]->collective_durations();
      if (each.size() == 1) moved[rank] = each.front();
    });
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(moved[0], moved[1]);
  const double sleep = std::chrono::duration<double>(late).count();
  QVERIFY2(moved[0].count > 0 && moved[0].count < 0.5 * sleep, qPrintable(QString::number(moved[0].count)));
  QVERIFY(waited[0].count > 0.5 * sleep && waited[1].count >= sleep);
  QCOMPARE(groups[0]->all_reduce_counts().bytes, Bytes(32));
  groups.clear();
}

/// Whichever rank's call it is, the profile ends with its words, and nothing is left (cleanup).
void TestCudaProfiles::aRankThatFailsEndsTheProfile() {
  cuda_stand_in::set_devices(2);
  const auto gpus = runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  for (const int nth : {1, 40, 150}) {
    cuda_stand_in::reset();
    cuda_stand_in::fail_call(nth, "ncclAllReduce", ncclInternalError);
    const auto found = runtime::profile::profile_with(gpus->backend, {"measured on GPUs", "GPU", 2},
                                                      gpt_of_four_heads(), cut_over({2}));
    QVERIFY2(cuda_stand_in::failed(), "the model has fewer calls");
    QVERIFY(!found.has_value());
    QCOMPARE(found.error().code, ErrorCode::run_failed);
    QVERIFY2(found.error().message.find("ncclAllReduce") != std::string::npos, found.error().text().c_str());
  }
}
#endif

QTEST_GUILESS_MAIN(TestCudaProfiles)
#include "tst_cuda_profiles.moc"
