// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries fail, call by call: errors name the call, the device and the remedy, and nothing is leaked. On the
// stand-in only.
#include <QtTest>

#include "core/runtime/cuda/batch_norm.hpp"
#include "core/runtime/cuda/convolution.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/lstm.hpp"
#include "core/runtime/cuda/matmul.hpp"
#include "core/runtime/cuda/pooling.hpp"
#include "core/runtime/tensor/tensor.hpp"
#include "tests/core/runtime/cuda/on_device.hpp"
#include "tests/support/cuda_stand_in/stand_in.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Context;
using runtime::cuda::CudaError;
using runtime::cuda::Element;

namespace {

/// The words of what `work` throws; "nothing" where it throws nothing.
template <class Work>
QString words_of(const Work& work) {
  try {
    work();
  } catch (const runtime::tensor::OutOfMemory& error) {
    return QStringLiteral("OutOfMemory: ") + error.what();
  } catch (const CudaError& error) {
    return QStringLiteral("CudaError: ") + error.what();
  }
  return QStringLiteral("nothing");
}

/// Calls all that a worker computes with, once.
std::vector<std::vector<float>> one_of_each(runtime::cuda::Precision precision) {
  Context context(0, precision);
  const Element element = context.element();
  runtime::cuda::GemmRunner products(context);
  OnDevice a(context, std::vector<float>(64, 0.5f), element), b(context, std::vector<float>(64, 2), element);
  OnDevice c(context, 64, element);
  products.multiply(8, 8, 8, {a.data(), 8, element}, {b.data(), 8, element}, {c.data(), 8, element});

  const runtime::layers::ConvolutionShape shape{2, 3, 3, 1, 1, 4, 4};
  runtime::cuda::Convolution convolution(context, shape);
  OnDevice x(context, std::vector<float>(static_cast<std::size_t>(shape.in_values()), 1), element);
  OnDevice w(context, std::vector<float>(static_cast<std::size_t>(shape.weights()), 1));
  OnDevice y(context, shape.out_values(), element), dx(context, shape.in_values(), element);
  convolution.forward(y.data(), x.data(), w.floats(), 1);
  convolution.backward_input(dx.data(), y.data(), w.floats(), 1);
  convolution.backward_weight(w.floats(), x.data(), y.data(), 1);

  runtime::cuda::Pooling pooling(context, {2, 2, 2, 0, 4, 4}, runtime::cuda::Pooling::Kind::largest, element);
  OnDevice pooled(context, 8, element);
  pooling.forward(pooled.data(), x.data(), 1);
  pooling.backward(dx.data(), pooled.data(), x.data(), 1);

  const runtime::cuda::NormShape norm{1, 16, 2, element};
  OnDevice gain(context, {1, 1}), shift(context, {0, 0}), mean(context, 2), inverse(context, 2);
  OnDevice normal(context, 32, element);
  runtime::cuda::batch_norm(context, normal.data(), mean.floats(), inverse.floats(), x.data(), gain.floats(),
                            shift.floats(), norm);
  runtime::cuda::batch_norm_backward(context, dx.data(), gain.floats(), shift.floats(), normal.data(), x.data(),
                                     mean.floats(), inverse.floats(), gain.floats(), norm);

  const runtime::cuda::LstmShape cells{3, 2, 4, 2};
  runtime::cuda::Lstm lstm(context, cells);
  OnDevice in(context, std::vector<float>(static_cast<std::size_t>(2 * cells.in_values()), 0.25f));
  OnDevice p(context, std::vector<float>(static_cast<std::size_t>(2 * cells.direction_parameters()), 0.125f));
  OnDevice out(context, 2 * cells.out_values()), in_gradient(context, 2 * cells.in_values());
  OnDevice kept(context, static_cast<std::int64_t>(lstm.saved_bytes(2) / sizeof(float)));
  lstm.forward(out.floats(), kept.data(), in.floats(), p.floats(), 2);
  lstm.backward_input(in_gradient.floats(), kept.data(), out.floats(), out.floats(), p.floats(), 2);
  lstm.backward_weight(p.floats(), kept.data(), in.floats(), out.floats(), 2);
  return {c.read(), w.read(), dx.read(), gain.read(), in_gradient.read(), p.read()};
}

}  // namespace

class TestCudaFaults : public QObject {
  Q_OBJECT

 private slots:
  void init() { cuda_stand_in::reset(); }
  void cleanup() { QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str()); }

  void everyCallFailsOnce_data();
  void everyCallFailsOnce();
  void slowStreamsGiveTheSame();
  void words_data();
  void words();
  void oldDriver();
  void noDriverAndNoDevice();
  void lostDevice();
  void fullDevice();
  void otherSizesAreGivenBack();
  void withoutMemoryPools();
  void withoutDeterministicConvolutions();
  void theWorkspaceGrowsInOrder();
  void theStandInRefuses();
};

void TestCudaFaults::everyCallFailsOnce_data() {
  QTest::addColumn<int>("precision");
  QTest::newRow("fp32") << int(runtime::cuda::Precision::fp32);
  QTest::newRow("bf16") << int(runtime::cuda::Precision::bf16);
}

void TestCudaFaults::everyCallFailsOnce() {
  QFETCH(int, precision);
  int calls = 0;
  for (;; ++calls) {
    cuda_stand_in::reset();
    cuda_stand_in::fail_call(calls + 1);
    const QString words = words_of([&] { one_of_each(runtime::cuda::Precision(precision)); });
    if (!cuda_stand_in::failed()) break;
    // "cudaMemcpyAsync: asked to fail"
    const QString call = QString::fromStdString(cuda_stand_in::last_refusal()).section(':', 0, 0);
    // At the end of a context a failure to make its device current can't be reported.
    if (call == "cudaSetDevice" && calls > 0)
      QCOMPARE(words, QStringLiteral("nothing"));
    else
      QVERIFY2(words.contains("GPU 0: " + call + ": ") && words.contains("(error "), qPrintable(words));
    QVERIFY2(cuda_stand_in::alive() == 0, (words.toStdString() + " left " + cuda_stand_in::alive_words()).c_str());
  }
  QVERIFY2(calls > 100, qPrintable(QString::number(calls)));
  qInfo("each of %d calls failed once", calls);
}

void TestCudaFaults::slowStreamsGiveTheSame() {
  const auto quick = one_of_each(runtime::cuda::Precision::fp32);
  cuda_stand_in::set_delay(200);
  QCOMPARE(one_of_each(runtime::cuda::Precision::fp32), quick);
}

void TestCudaFaults::words_data() {
  QTest::addColumn<QString>("call");
  QTest::addColumn<int>("status");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* call, int status, const char* expected) {
    QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(call).arg(status)))
        << QString(call) << status << QString(expected);
  };
  row("cudaMallocAsync", cudaErrorMemoryAllocation,
      "OutOfMemory: GPU 0: cudaMallocAsync: out of memory (error 2): take a smaller micro-batch");
  row("cudaMemcpyAsync", cudaErrorECCUncorrectable, "the GPU's memory is damaged (ECC): reset the GPU");
  row("cudaMemcpyAsync", cudaErrorIllegalAddress, "run again under compute-sanitizer");
  row("cudaSetDevice", cudaErrorDevicesUnavailable, "compute mode exclusive");
  row("cudaSetDevice", cudaErrorInvalidDevice, "CUDA_VISIBLE_DEVICES leaves fewer GPUs than the plan wants");
  row("cudaSetDevice", cudaErrorNoKernelImageForDevice, "compute capability 8.0");
  row("cudaSetDevice", cudaErrorSystemNotReady, "nvidia-fabricmanager");
  row("cudaSetDevice", cudaErrorStubLibrary, "take its folder out of LD_LIBRARY_PATH");
  row("cudaStreamCreateWithFlags", cudaErrorUnknown, "look at dmesg for Xid messages");
  row("cublasLtCreate", CUBLAS_STATUS_ALLOC_FAILED, "OutOfMemory: GPU 0: cublasLtCreate");
  row("cublasLtCreate", CUBLAS_STATUS_NOT_INITIALIZED, "no room for cuBLAS, or no driver");
  row("cublasLtMatmul", CUBLAS_STATUS_ARCH_MISMATCH, "take fp32");
  row("cudnnCreate", CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED, "install all of cuDNN 9's libraries");
  row("cudnnCreate", CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, "of several versions: install one");
  row("cudnnRNNForward", CUDNN_STATUS_EXECUTION_FAILED, "CudaError: GPU 0: cudnnRNNForward");
}

void TestCudaFaults::words() {
  QFETCH(QString, call);
  QFETCH(int, status);
  QFETCH(QString, expected);
  cuda_stand_in::fail_call(1, call.toStdString(), status);
  const QString found = words_of([] { one_of_each(runtime::cuda::Precision::fp32); });
  QVERIFY(cuda_stand_in::failed());
  QVERIFY2(found.contains(expected), qPrintable(found));
}

void TestCudaFaults::oldDriver() {
  // The count stays as it was: who looks at it instead of the status finds any number.
  cuda_stand_in::set_driver(11040);
  const QString found = words_of([] { runtime::cuda::count_devices(); });
  QVERIFY2(found.contains("cudaGetDeviceCount") && found.contains("(error 35)") &&
               found.contains("found a driver for CUDA 11.4, expected one for CUDA " +
                              QString::number(CUDART_VERSION / 1000)),
           qPrintable(found));
}

void TestCudaFaults::noDriverAndNoDevice() {
  cuda_stand_in::set_driver(0);
  QString found = words_of([] { runtime::cuda::count_devices(); });
  QVERIFY2(found.contains("found no NVIDIA driver"), qPrintable(found));
  cuda_stand_in::reset();
  cuda_stand_in::set_devices(0);
  found = words_of([] { runtime::cuda::count_devices(); });
  QVERIFY2(found.contains("nvidia-smi and CUDA_VISIBLE_DEVICES"), qPrintable(found));
  cuda_stand_in::set_devices(3);
  QCOMPARE(runtime::cuda::count_devices(), 3);
}

void TestCudaFaults::lostDevice() {
  const QString found = words_of([] {
    Context context(1, runtime::cuda::Precision::fp32);
    OnDevice values(context, std::vector<float>(4, 1));
    cuda_stand_in::lose_devices(cudaErrorECCUncorrectable);
    values.read();
  });
  QVERIFY2(found.contains("GPU 1: cudaMemcpyAsync") && found.contains("(ECC)"), qPrintable(found));
}

void TestCudaFaults::fullDevice() {
  cuda_stand_in::set_memory(1 << 20);
  const QString found = words_of([] {
    Context context(0, runtime::cuda::Precision::fp32);
    context.workspace(1 << 19);
    OnDevice values(context, 1 << 18);
  });
  QVERIFY2(found.startsWith("OutOfMemory: GPU 0: cudaMallocAsync: out of memory"), qPrintable(found));
}

/// Cached blocks of other sizes, also those of a part, make room before an allocation fails.
void TestCudaFaults::otherSizesAreGivenBack() {
  const auto device = std::make_shared<runtime::cuda::CudaDevice>(0, runtime::cuda::Precision::fp32);
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>(device),
             part = std::make_shared<runtime::tensor::DeviceMemory>(memory);
  cuda_stand_in::set_memory(1 << 20);
  for (const auto& from : {memory, part}) {
    const runtime::tensor::Tensor small(from, 1, 1000);
    runtime::tensor::Tensor(from, 1, 90000).release();  // of 262144 floats
    runtime::tensor::Tensor(from, 1, 90001).release();
  }
  const runtime::tensor::Tensor large(part, 1, 200000);
  QVERIFY(!large.empty());
  const QString found = words_of([&] { runtime::tensor::Tensor(memory, 1, 100000); });
  QVERIFY2(found.startsWith("OutOfMemory"), qPrintable(found));
}

void TestCudaFaults::withoutMemoryPools() {
  cuda_stand_in::refuse_memory_pools();
  Context context(0, runtime::cuda::Precision::fp32);
  QVERIFY(context.workspace(1000) != nullptr);
  QVERIFY(context.workspace(100000) != nullptr);
}

void TestCudaFaults::withoutDeterministicConvolutions() {
  cuda_stand_in::set_strictness({.unsteady_convolutions = true});
  Context context(0, runtime::cuda::Precision::fp32);
  const runtime::layers::ConvolutionShape shape{2, 3, 3, 1, 1, 4, 4};
  runtime::cuda::Convolution convolution(context, shape);
  OnDevice x(context, std::vector<float>(static_cast<std::size_t>(shape.in_values()), 1)),
      y(context, shape.out_values());
  OnDevice w(context, std::vector<float>(static_cast<std::size_t>(shape.weights()), 1));
  convolution.forward(y.data(), x.data(), w.floats(), 1);
  QCOMPARE(y.read()[0], 8.0f);  // a corner: 2 x 2 pixels of 2 channels
  const std::string warned = context.consume_warnings();
  QCOMPARE(QString::fromStdString(warned).count("cudnnGetConvolutionForwardAlgorithm_v7"), 1);
  QVERIFY(context.consume_warnings().empty());
  runtime::cuda::Convolution(context, shape).forward(y.data(), x.data(), w.floats(), 1);
  QVERIFY(context.consume_warnings().empty());
}

void TestCudaFaults::theWorkspaceGrowsInOrder() {
  Context context(0, runtime::cuda::Precision::fp32);
  QCOMPARE(context.workspace(0), nullptr);
  void* const small = context.workspace(1000);
  QCOMPARE(context.workspace(10), small);
  context.workspace(100000);
  QVERIFY(context.workspace_bytes() >= 100000);
}

void TestCudaFaults::theStandInRefuses() {
  // Faults of a GPU: memory of the host, beyond a block, and of another device.
  Context context(0, runtime::cuda::Precision::fp32), other(1, runtime::cuda::Precision::fp32);
  context.make_current();
  runtime::cuda::GemmRunner products(context);
  OnDevice a(context, std::vector<float>(16, 1)), b(context, std::vector<float>(16, 1)), c(context, 16);
  std::vector<float> host(16);
  other.make_current();
  OnDevice elsewhere(other, 16);
  context.make_current();
  const auto product = [&](const void* left, std::int64_t rows, void* result) {
    return words_of([&] {
      products.multiply(rows, 4, 4, {left, 4, Element::fp32}, {b.data(), 4, Element::fp32}, {result, 4, Element::fp32});
    });
  };
  QCOMPARE(product(a.data(), 4, c.data()), QStringLiteral("nothing"));
  QVERIFY(product(host.data(), 4, c.data()).contains("CUBLAS_STATUS_INVALID_VALUE"));
  QCOMPARE(cuda_stand_in::last_refusal(), std::string("cublasLtMatmul: the second factor is not in a device's memory"));
  QVERIFY(product(a.data(), 5, c.data()).contains("CUBLAS_STATUS_INVALID_VALUE"));
  QVERIFY(product(a.data(), 4, elsewhere.data()).contains("CUBLAS_STATUS_INVALID_VALUE"));
  QCOMPARE(cuda_stand_in::last_refusal(), std::string("cublasLtMatmul: the result is in another device's memory"));
}

QTEST_GUILESS_MAIN(TestCudaFaults)
#include "tst_cuda_faults.moc"
