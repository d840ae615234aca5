// SPDX-License-Identifier: Apache-2.0
// NVIDIA's cuDNN itself, without a GPU: it takes the graphs of attention, chooses an engine and compiles its kernels
// for described GPUs (cuDNN 9.8 or later). Nothing is executed.
#include <QtTest>

#include "core/runtime/cuda/attention.hpp"

using namespace pipedeck;
using runtime::cuda::fused::Descriptor;
using runtime::cuda::fused::OperationGraph;
using runtime::cuda::fused::Plan;
using runtime::cuda::fused::Shape;
using runtime::cuda::fused::Unavailable;

namespace {

/// A GPU as cuDNN describes it: the limits of its data sheet and of the CUDA programming guide's table.
struct Gpu {
  const char* name;
  int capability;  ///< 900: 9.0
  int processors, shared_memory;
};
constexpr Gpu gpus[] = {{"A100", 800, 108, 166912}, {"H200", 900, 132, 232448}, {"B200", 1000, 148, 232448}};

Descriptor described(const Gpu& gpu) {
  const std::string json =
      QStringLiteral(
          R"({"maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536,
"multiProcessorCount": %1, "warpSize": 32, "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": %2,
"reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024,
"maxThreadsPerSM": 2048, "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1, "totalGlobalMem": 80000000000,
"smClockRateKHz": 1500000, "memClockRateKHz": 1500000, "l2CacheSize": 41943040, "cudaDeviceId": 0, "deviceVer": %3,
"driverVer": 13000, "deviceName": "%4"})")
          .arg(gpu.processors)
          .arg(gpu.shared_memory)
          .arg(gpu.capability)
          .arg(gpu.name)
          .toStdString();
  Descriptor descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, std::span<const char>(json.c_str(), json.size() + 1),
                 CUDNN_TYPE_CHAR);
  descriptor.finalise();
  return descriptor;
}

std::size_t bytes_of_plan(OperationGraph graph, const Descriptor& gpu, std::size_t most) {
  return Plan(std::move(graph), {nullptr, gpu.get()}, most).workspace();
}

}  // namespace

class TestCudaFusedPlans : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void cudnn_compiles_attention_data();
  void cudnn_compiles_attention();
  void what_does_not_fit_is_refused();
};

void TestCudaFusedPlans::initTestCase() {
  try {
    const Descriptor gpu = described(gpus[1]);
    bytes_of_plan(runtime::cuda::fused::forward_graph({1, 64, 1, 64, false}, nullptr), gpu, std::size_t{1} << 30);
  } catch (const std::exception& error) {
    // Before 9.8, or without NVIDIA's run-time compiler; a refused pattern is a failure.
    const QString words = error.what();
    if (cudnnGetVersion() < 90800 || words.contains("PREREQUISITE")) QSKIP(qPrintable(words));
    QFAIL(qPrintable(words));
  }
}

void TestCudaFusedPlans::cudnn_compiles_attention_data() {
  QTest::addColumn<int>("gpu");
  QTest::addColumn<QList<qint64>>("sizes");
  QTest::addColumn<bool>("causal");
  const auto row = [](int gpu, const char* name, const QList<qint64>& sizes, bool causal) {
    QTest::addRow("%s, %s%s", gpus[gpu].name, name, causal ? ", causal" : "") << gpu << sizes << causal;
  };
  // A kernel takes some seconds to compile.
  for (int gpu = 0; gpu < std::ssize(gpus); ++gpu) {
    row(gpu, "GPT-2", {8, 1024, 12, 64}, true);
    row(gpu, "odd length", {1, 97, 3, 64}, false);
  }
  row(1, "two positions", {1, 2, 1, 8}, true);
  row(1, "heads of 72", {1, 129, 2, 72}, true);
  row(0, "heads of 128", {2, 640, 4, 128}, true);
}

void TestCudaFusedPlans::cudnn_compiles_attention() {
  QFETCH(int, gpu);
  QFETCH(QList<qint64>, sizes);
  QFETCH(bool, causal);
  const Shape shape{sizes[0], sizes[1], sizes[2], sizes[3], causal};
  const Descriptor target = described(gpus[gpu]);
  const std::size_t most = runtime::cuda::most_attention_workspace;
  const std::size_t forward = bytes_of_plan(runtime::cuda::fused::forward_graph(shape, nullptr), target, most),
                    backward = bytes_of_plan(runtime::cuda::fused::backward_graph(shape, nullptr), target, most);
  QVERIFY2(forward < 1 << 20, qPrintable(QString::number(forward)));
  // The gradients of the scores in 16 bits, in whole tiles, are what makes the sums' order fixed.
  const auto scores = static_cast<std::size_t>(shape.samples * shape.heads * shape.sequence * shape.sequence);
  const auto padded = static_cast<std::size_t>((shape.sequence + 127) / 128 * 128);
  const std::size_t of_tiles = 2 * static_cast<std::size_t>(shape.samples * shape.heads) * padded * padded;
  QVERIFY2(backward >= 2 * scores && backward <= of_tiles + (1 << 20), qPrintable(QString::number(backward)));
}

void TestCudaFusedPlans::what_does_not_fit_is_refused() {
  const Descriptor target = described(gpus[1]);
  const Shape shape{8, 1024, 12, 64, true};
  QVERIFY_THROWS_EXCEPTION(Unavailable,
                           bytes_of_plan(runtime::cuda::fused::backward_graph(shape, nullptr), target, 1 << 20));
  QVERIFY_THROWS_EXCEPTION(
      Unavailable,
      bytes_of_plan(runtime::cuda::fused::forward_graph({1, 64, 1, 60, true}, nullptr), target, std::size_t{1} << 30));
}

QTEST_GUILESS_MAIN(TestCudaFusedPlans)
#include "tst_cuda_fused_plans.moc"
