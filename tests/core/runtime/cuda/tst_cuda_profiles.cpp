// SPDX-License-Identifier: Apache-2.0
// Profiles and links measured on GPUs.
#include <QTest>

#include "core/runtime/cuda/module.hpp"
#include "core/runtime/profile/link_probe.hpp"
#include "core/runtime/profiler.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/schedule_cases.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace pipedeck::test;

extern "C" const cuda::Module* pipedeck_cuda(const char* version);

namespace {

const cuda::Module& gpu_module() { return *pipedeck_cuda(PIPEDECK_VERSION); }

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
  void linksAreMeasured();
#ifdef PIPEDECK_CUDA_STAND_IN
  void profilesAreRecorded();
#endif
};

void TestCudaProfiles::initTestCase() { SKIP_WITHOUT_GPU(2); }
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
  const auto gpus = gpus_to_measure(gpu_module(), cuda::Precision::fp32);
  QVERIFY2(gpus.has_value(), gpus ? "" : gpus.error().text().c_str());
  QVERIFY(!gpus->names.empty() && !gpus->names.front().empty());
  ProfileOptions options;
  options.micro_batches = {2, 4};
  options.repetitions = {3, 3, 0, Seconds(2)};
  const ProfiledOn where{"measured on a GPU", gpus->names.front()};
  const auto found = profile_with(gpus->backend, where, model, options);
  QVERIFY2(found.has_value(), found ? "" : found.error().text().c_str());
  const auto expected = profile_on_cpu(model, options);
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
  options.tensor_parallel = {2};
  const auto cut = profile_with(gpus->backend, where, model, options);
  QVERIFY(!cut && cut.error().code == ErrorCode::bad_usage);
}

void TestCudaProfiles::linksAreMeasured() {
  const auto gpus = gpus_to_measure(gpu_module(), cuda::Precision::fp32);
  QVERIFY(gpus.has_value());
  const auto one = std::make_shared<DeviceMemory>(gpus->backend.device(0));
  const auto other = std::make_shared<DeviceMemory>(gpus->backend.device(1));
  const LinkMeasurement measured = measure_copies(one, other);
  QCOMPARE(measured.points.front().bytes, Bytes(64));
  QCOMPARE(measured.points.back().bytes, Bytes(64 << 20));
  for (const TransferPoint& point : measured.points) QVERIFY(point.seconds.median > 0);
  QVERIFY(measured.link.bandwidth.count > 0);
}

#ifdef PIPEDECK_CUDA_STAND_IN
/// Later repetitions launch what the first one behind the warm-ups recorded: three passes a layer. What is told of
/// memory is what plain passes tell.
void TestCudaProfiles::profilesAreRecorded() {
  const ModelSpec model = gpt_of_four_heads();
  auto gpus = gpus_to_measure(gpu_module(), cuda::Precision::bf16);
  QVERIFY(gpus.has_value());
  const ProfileOptions options{{2, 4}, {}, {5, 5, 0, Seconds(20)}};
  const auto recorded = profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY2(recorded.has_value(), recorded ? "" : recorded.error().text().c_str());
  const int passes = 3 * static_cast<int>(recorded->layers.size());
  QCOMPARE(cuda_stand_in::graphs_made(), 2 * passes);
  QCOMPARE(cuda_stand_in::graphs_launched(), 2 * 5 * passes);
  QCOMPARE(recorded->source, std::string("measured on a GPU, CUDA graphs"));

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
  cuda_stand_in::refuse_in_captures("cublasLtMatmul");
  const auto refused = profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY2(refused.has_value(), refused ? "" : refused.error().text().c_str());
  QVERIFY2(QByteArray::fromStdString(refused->source).startsWith("measured on a GPU, without CUDA graphs: ") &&
               refused->source.find("cublasLtMatmul") != std::string::npos,
           refused->source.c_str());
  QCOMPARE(cuda_stand_in::graphs_launched(), 0);
  check_alike(*refused);

  cuda_stand_in::reset();
  cuda_stand_in::fail_call(passes + 2, "cudaGraphLaunch", cudaErrorMemoryAllocation);
  const auto given_up = profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY2(given_up.has_value(), given_up ? "" : given_up.error().text().c_str());
  QVERIFY2(given_up->source.find("without CUDA graphs: ") != std::string::npos, given_up->source.c_str());
  check_alike(*given_up);

  cuda_stand_in::reset();
  gpus->backend.recorded.clear();
  const auto plain = profile_with(gpus->backend, {"measured on a GPU", "GPU"}, model, options);
  QVERIFY(plain.has_value());
  QCOMPARE(plain->source, std::string("measured on a GPU"));
  QCOMPARE(cuda_stand_in::graphs_made(), 0);
  check_alike(*plain);
}
#endif

QTEST_GUILESS_MAIN(TestCudaProfiles)
#include "tst_cuda_profiles.moc"
