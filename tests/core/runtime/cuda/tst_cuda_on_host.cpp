// SPDX-License-Identifier: Apache-2.0
// The runner of kernels on the processor finds the errors that it is made for.
#include <QTest>
#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "core/runtime/cuda/launch.hpp"

using cuda_on_host::Order;
using cuda_on_host::Schedule;
using pipedeck::runtime::cuda::launch;
using pipedeck::runtime::cuda::shared_memory;

namespace {

constexpr int threads = 64;

void record_indices(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

/// Reverses a block's values through shared memory; without the barrier it is a race.
void reverse_values(float* values, bool with_barrier) {
  auto* shared = pipedeck::runtime::cuda::shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  if (with_barrier) __syncthreads();
  values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

/// Each lane reads what the other half of its warp wrote.
void exchange_in_warp(float* values, bool with_barrier) {
  auto* shared = pipedeck::runtime::cuda::shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  if (with_barrier) __syncwarp();
  values[threadIdx.x] = shared[threadIdx.x ^ 16u];
}

/// A warp writes what the other one reads, after a meeting of its own.
void overwrite_after_shuffle(float* values, bool with_barrier) {
  auto* shared = pipedeck::runtime::cuda::shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = __shfl_xor_sync(0xffffffffu, shared[threadIdx.x ^ 32u], 0);
  if (with_barrier) __syncthreads();
  shared[threadIdx.x] = -1;
}

void sum_of_warp(float* values) {
  float sum = values[threadIdx.x];
  for (int difference = 16; difference > 0; difference /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, difference);
  values[threadIdx.x] = sum;
}

void last_block_writes(unsigned* out) { *out = blockIdx.x; }

void half_at_barrier(float*) {
  if (threadIdx.x < threads / 2) __syncthreads();
}
void ends_before_barrier(float*) {
  if (threadIdx.x == 3) return;
  __syncthreads();
}
void half_warp_shuffles(float* values) {
  if (threadIdx.x % 32 < 16) values[threadIdx.x] = __shfl_xor_sync(0xffffffffu, values[threadIdx.x], 1);
}
void shuffles_from_outside(float* values) {
  if (threadIdx.x % 32 < 16) values[threadIdx.x] = __shfl_sync(0x0000ffffu, values[threadIdx.x], 20);
}
void different_shuffles(float* values) {
  if (threadIdx.x % 2 == 0)
    values[threadIdx.x] = __shfl_sync(0xffffffffu, values[threadIdx.x], 0);
  else
    __syncwarp();
}
void writes_past_shared(float*) { pipedeck::runtime::cuda::shared_memory<float>()[threads] = 1; }
void misaligned(float* values) { values[0] = pipedeck::runtime::cuda::load_vector<float4>(values + 1).x; }
void reads_unwritten(float* values) {
  values[threadIdx.x] = pipedeck::runtime::cuda::shared_memory<float>()[threadIdx.x];
}

using Kernel = void (*)(float*);

std::vector<float> counted() {
  std::vector<float> values(threads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

const std::array<Schedule, 3> schedules{{{Order::forward}, {Order::reverse}, {Order::random, 7}}};

}  // namespace

class TestCudaOnHost : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { cuda_on_host::set_schedule({}); }
  void every_thread_runs_once();
  void barriers_make_orders_alike_data();
  void barriers_make_orders_alike();
  void a_warp_that_is_ahead_is_seen();
  void blocks_run_in_the_order_asked_for();
  void shuffles_add_up();
  void mistakes_end_in_errors_data();
  void mistakes_end_in_errors();
  void goes_on_after_an_error();
  void shared_memory_begins_as_nan();
  void shapes_no_gpu_takes();
  void work_goes_where_it_is_submitted();
};

void TestCudaOnHost::every_thread_runs_once() {
  for (const Schedule schedule : schedules) {
    cuda_on_host::set_schedule(schedule);
    std::vector<unsigned> out(3 * 2 * 2 * 4 * 3 * 2, 0);
    pipedeck::runtime::cuda::launch(record_indices, {{3, 2, 2}, {4, 3, 2}}, nullptr, out.data());
    for (unsigned i = 0; i < out.size(); ++i) QCOMPARE(out[i], i / 24 * 1000 + i % 24);
  }
}

void TestCudaOnHost::barriers_make_orders_alike_data() {
  QTest::addColumn<bool>("of_warp");
  QTest::addColumn<bool>("with_barrier");
  for (const bool of_warp : {false, true})
    for (const bool with_barrier : {false, true})
      QTest::addRow("%s, %s", of_warp ? "warp" : "block", with_barrier ? "barrier" : "race") << of_warp << with_barrier;
}

void TestCudaOnHost::barriers_make_orders_alike() {
  QFETCH(bool, of_warp);
  QFETCH(bool, with_barrier);
  std::set<std::vector<std::uint32_t>> results;
  for (const Schedule schedule : schedules) {
    cuda_on_host::set_schedule(schedule);
    std::vector<float> values = counted();
    pipedeck::runtime::cuda::launch(of_warp ? exchange_in_warp : reverse_values, {1, threads, threads * sizeof(float)},
                                    nullptr, values.data(), with_barrier);
    std::vector<std::uint32_t> bits(values.size());
    std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
    results.insert(bits);
    if (with_barrier)
      for (unsigned i = 0; i < threads; ++i)
        QCOMPARE(values[i], static_cast<float>(of_warp ? (i ^ 16u) : threads - 1 - i));
  }
  QCOMPARE(results.size() == 1, with_barrier);
}

void TestCudaOnHost::a_warp_that_is_ahead_is_seen() {
  for (const bool with_barrier : {false, true}) {
    std::vector<float> values = counted();
    pipedeck::runtime::cuda::launch(overwrite_after_shuffle, {1, threads, threads * sizeof(float)}, nullptr,
                                    values.data(), with_barrier);
    QCOMPARE(values[32] == 0.0f, with_barrier);
  }
}

void TestCudaOnHost::blocks_run_in_the_order_asked_for() {
  unsigned last = 99;
  pipedeck::runtime::cuda::launch(last_block_writes, {5, 1}, nullptr, &last);
  QCOMPARE(last, 4u);
  cuda_on_host::set_schedule({Order::reverse});
  pipedeck::runtime::cuda::launch(last_block_writes, {5, 1}, nullptr, &last);
  QCOMPARE(last, 0u);
}

void TestCudaOnHost::shuffles_add_up() {
  for (const Schedule schedule : schedules) {
    cuda_on_host::set_schedule(schedule);
    std::vector<float> values = counted();
    pipedeck::runtime::cuda::launch(sum_of_warp, {1, threads}, nullptr, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) QCOMPARE(values[i], i < 32 ? 496.0f : 1520.0f);
  }
}

void TestCudaOnHost::mistakes_end_in_errors_data() {
  QTest::addColumn<quintptr>("kernel");
  QTest::addColumn<QString>("message");
  const auto row = [](const char* name, Kernel kernel, const char* message) {
    QTest::newRow(name) << reinterpret_cast<quintptr>(kernel) << message;
  };
  row("half of a block at a barrier", half_at_barrier, "32 wait at __syncthreads");
  row("ends before a barrier", ends_before_barrier, "63 wait at __syncthreads");
  row("half of a warp shuffles", half_warp_shuffles, "32 for lanes of their warp");
  row("from a lane outside", shuffles_from_outside, "a shuffle from a lane that takes no part in it");
  row("different operations", different_shuffles, "meet at different operations");
  row("past shared memory", writes_past_shared, "outside its shared memory");
  row("misaligned", misaligned, "a vector aligned to 16 bytes");
}

void TestCudaOnHost::mistakes_end_in_errors() {
  QFETCH(quintptr, kernel);
  QFETCH(QString, message);
  for (const Schedule schedule : schedules) {
    cuda_on_host::set_schedule(schedule);
    alignas(16) std::array<float, threads> values{};
    QString found;
    try {
      pipedeck::runtime::cuda::launch(reinterpret_cast<Kernel>(kernel), {1, threads, threads * sizeof(float)}, nullptr,
                                      values.data());
    } catch (const cuda_on_host::Error& error) {
      found = error.what();
    }
    QVERIFY2(found.contains(message), qPrintable("found: " + found));
  }
}

void TestCudaOnHost::goes_on_after_an_error() {
  std::vector<float> values = counted();
  QVERIFY_THROWS_EXCEPTION(cuda_on_host::Error,
                           pipedeck::runtime::cuda::launch(half_at_barrier, {1, threads}, nullptr, values.data()));
  shuffles_add_up();
}

void TestCudaOnHost::shared_memory_begins_as_nan() {
  std::vector<float> values = counted();
  pipedeck::runtime::cuda::launch(reads_unwritten, {2, threads, threads * sizeof(float)}, nullptr, values.data());
  for (const float value : values) QVERIFY(std::isnan(value));
}

void TestCudaOnHost::shapes_no_gpu_takes() {
  std::vector<float> values = counted();
  for (const pipedeck::runtime::cuda::Shape& shape : std::vector<pipedeck::runtime::cuda::Shape>{
           {0, 32}, {1, 0}, {1, 1025}, {{1, 65536}, 32}, {1, {64, 32}}, {1, 32, 100 * 1024}})
    QVERIFY_THROWS_EXCEPTION(cuda_on_host::Error,
                             pipedeck::runtime::cuda::launch(reads_unwritten, shape, nullptr, values.data()));
}

void TestCudaOnHost::work_goes_where_it_is_submitted() {
  static std::vector<std::pair<cudaStream_t, std::function<void()>>> queue;
  queue.clear();
  cuda_on_host::set_submit(
      [](cudaStream_t stream, std::function<void()> work, std::size_t) { queue.emplace_back(stream, work); });
  unsigned last = 99;
  auto* const stream = reinterpret_cast<cudaStream_t>(&last);
  pipedeck::runtime::cuda::launch(last_block_writes, {5, 1}, stream, &last);
  cuda_on_host::set_submit(nullptr);
  QCOMPARE(last, 99u);
  QCOMPARE(queue.size(), 1u);
  QCOMPARE(queue[0].first, stream);
  queue[0].second();
  QCOMPARE(last, 4u);
}

QTEST_MAIN(TestCudaOnHost)
#include "tst_cuda_on_host.moc"
