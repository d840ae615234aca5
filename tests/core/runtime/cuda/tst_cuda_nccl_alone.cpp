// SPDX-License-Identifier: Apache-2.0
// NCCL on a single GPU: a group of one rank that sends to itself and reduces alone. It tests the parts of the module's
// use of NCCL that one GPU can test, and that NCCL exists and fits the driver.
#include <QtTest>

#include <vector>

#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/nccl_communicator.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

using namespace pipedeck;
using namespace std::chrono_literals;

class TestCudaNcclAlone : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void a_rank_sends_to_itself();

 private:
#ifdef PIPEDECK_CUDA_STAND_IN
  static constexpr std::int64_t floats = 1 << 16;
#else
  static constexpr std::int64_t floats = 1 << 24;
#endif
};

void TestCudaNcclAlone::a_rank_sends_to_itself() {
  runtime::transport::RunControl control(60s, {DeviceId(0)});
  const auto device = std::make_shared<runtime::cuda::CudaDevice>(0, runtime::cuda::Precision::fp32);
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>(device);
  runtime::tensor::Tensor from(memory, 1, floats), to = runtime::tensor::Tensor::zeros(memory, 1, floats);
  device->upload(from.values(), [](std::span<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 8191);
  });
  ncclUniqueId id{};
  runtime::cuda::check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  runtime::cuda::Communicator alone(control);
  alone.connect(id, 1, 0);
  const auto transfer = [&](ncclComm_t communicator) {
    const auto count = static_cast<std::size_t>(floats);
    ncclResult_t status = ncclGroupStart();
    if (status == ncclSuccess) status = ncclSend(from.data(), count, ncclFloat32, 0, communicator, device->stream());
    if (status == ncclSuccess || status == ncclInProgress)
      status = ncclRecv(to.data(), count, ncclFloat32, 0, communicator, device->stream());
    const ncclResult_t ended = ncclGroupEnd();
    return status == ncclSuccess || status == ncclInProgress ? ended : status;
  };
  std::vector<double> seconds;
  for (int round = 0; round < 5; ++round) {
    const runtime::tensor::Completion begin = device->now();
    alone.call("ncclSend", transfer);
    const runtime::tensor::Completion end = device->now();
    device->synchronise();
    seconds.push_back(std::chrono::duration<double>(end.time() - begin.time()).count());
  }
  alone.call("ncclAllReduce", [&](ncclComm_t communicator) {
    return ncclAllReduce(to.data(), to.data(), static_cast<std::size_t>(floats), ncclFloat32, ncclSum, communicator,
                         device->stream());
  });
  std::vector<float> found(static_cast<std::size_t>(floats));
  device->download(found, to.data());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != static_cast<float>(i % 8191)) QFAIL(qPrintable(QStringLiteral("value %1").arg(i)));
  std::ranges::sort(seconds);
  qInfo("NCCL to itself: %lld bytes in %.1f us", static_cast<long long>(floats) * 4, seconds[seconds.size() / 2] * 1e6);
  QVERIFY(!control.failure());
}

QTEST_GUILESS_MAIN(TestCudaNcclAlone)
#include "tst_cuda_nccl_alone.moc"
