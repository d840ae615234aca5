// SPDX-License-Identifier: Apache-2.0
// How near the kernels come to what a GPU's memory gives: each one's bytes a second beside those of a copy within the
// GPU, and products' and attention's operations a second. Medians of some runs, timed by the GPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "core/runtime/cuda/cuda_device.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/rounded.hpp"

using namespace pipedeck;
using namespace pipedeck::cuda;

namespace {

constexpr int runs = 21, warm_runs = 3;
// GPT-2's small model on eight samples.
constexpr std::int64_t rows = 8 * 1024, hidden = 768, wide = 4 * hidden, vocabulary = 50257;

Event timed_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return Event(event);
}

double median_seconds(CudaDevice& device, const std::function<void()>& work) {
  std::vector<double> seconds;
  const Event begin = timed_event(), end = timed_event();
  for (int run = -warm_runs; run < runs; ++run) {
    check(cudaEventRecord(begin.get(), device.stream()), "cudaEventRecord");
    work();
    check(cudaEventRecord(end.get(), device.stream()), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
    if (run >= 0) seconds.push_back(double{milliseconds} / 1e3);
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

class Bench {
 public:
  explicit Bench(cuda::Precision precision)
      : device_(std::make_shared<CudaDevice>(0, precision)), memory_(std::make_shared<DeviceMemory>(device_)) {}

  CudaDevice& device() const { return *device_; }
  cudaStream_t stream() const { return device_->stream(); }
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

  /// Values around 0, always the same.
  Tensor tensor(std::int64_t count, float most = 1) const {
    Tensor made(memory_, 1, count);
    for (std::int64_t first = 0; first < count; first += piece) {
      const std::int64_t size = std::min(piece, count - first);
      device_->upload({made.data() + first, static_cast<std::size_t>(size)}, [&](std::span<float> to) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = most * std::sin(static_cast<float>(i % 1999));
      });
    }
    return made;
  }
  Tensor zeros(std::int64_t count) const { return Tensor::zeros(memory_, 1, count); }

  void moved(const char* name, double bytes, const std::function<void()>& work) {
    const double rate = bytes / median_seconds(*device_, work);
    if (ceiling_ == 0) ceiling_ = rate;
    std::printf("%-28s %9.1f GB/s  %5.1f %% of a copy\n", name, rate / 1e9, 100 * rate / ceiling_);
  }
  void computed(const char* name, double operations, const std::function<void()>& work) const {
    std::printf("%-28s %9.2f TFLOP/s\n", name, operations / median_seconds(*device_, work) / 1e12);
  }

 private:
  static constexpr std::int64_t piece = 1 << 20;
  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<DeviceMemory> memory_;
  double ceiling_ = 0;  ///< bytes a second of a copy
};

void* scratch(const Bench& bench, std::size_t bytes) { return bench.device().context().workspace(bytes); }

void memory_bound(Bench& bench) {
  constexpr double word = sizeof(float);
  constexpr std::int64_t many = std::int64_t{64} << 20;
  const cudaStream_t stream = bench.stream();
  {
    Tensor from = bench.zeros(many), to = bench.zeros(many);
    bench.moved("copy (cudaMemcpyAsync)", 2 * word * many, [&] { bench.device().copy(to.data(), from.data(), many); });
    bench.moved("add", 3 * word * many, [&] { add(stream, to.data(), from.data(), many); });
  }
  constexpr std::int64_t values = rows * wide;
  Tensor in = bench.tensor(values), out = bench.zeros(values), bias = bench.tensor(wide), sums = bench.zeros(wide);
  bench.moved("gelu", 2 * word * values, [&] { gelu(stream, out.data(), in.data(), values); });
  bench.moved("gelu, backward", 3 * word * values, [&] { gelu_backward(stream, out.data(), in.data(), values); });
  bench.moved("column sums", word * values, [&] {
    add_column_sums(stream, sums.data(), in.data(), scratch(bench, column_sums_scratch(rows, wide)), rows, wide);
  });
  Tensor mean = bench.zeros(rows), inverse = bench.zeros(rows), gain = bench.tensor(hidden),
         shift = bench.tensor(hidden);
  constexpr std::int64_t narrow = rows * hidden;
  bench.moved("layer norm", 2 * word * narrow, [&] {
    layer_norm(stream, out.data(), mean.data(), inverse.data(), in.data(), gain.data(), shift.data(), rows, hidden);
  });
  Tensor gradient = bench.tensor(narrow);
  bench.moved("layer norm, backward", 4 * word * narrow, [&] {
    layer_norm_backward(stream, out.data(), sums.data(), sums.data() + hidden, gradient.data(), in.data(), mean.data(),
                        inverse.data(), gain.data(), scratch(bench, layer_norm_backward_scratch(rows, hidden)), rows,
                        hidden);
  });
  {
    Tensor logits = bench.tensor(rows * vocabulary), targets = bench.zeros(rows), loss = bench.zeros(2);
    // Read for the sums, read and written for the gradient.
    bench.moved("softmax cross-entropy", 3 * word * rows * vocabulary, [&] {
      softmax_cross_entropy(stream, logits.data(), targets.data(), reinterpret_cast<double*>(loss.data()),
                            scratch(bench, softmax_cross_entropy_scratch(rows)), rows, vocabulary);
    });
  }
  Tensor weights = bench.zeros(many), slopes = bench.zeros(many), first = bench.zeros(many), second = bench.zeros(many);
  bench.moved("Adam", 8 * word * many, [&] {
    adam_update(stream, weights.data(), slopes.data(), first.data(), second.data(), nullptr, {1e-3f, 1}, many);
  });
}

void products(cuda::Precision precision, const char* name) {
  const Bench bench(precision);
  const Tensor left = bench.tensor(rows * hidden), right = bench.tensor(hidden * wide);
  Tensor result = bench.zeros(rows * wide);
  const Factor a(left), b(right);
  bench.computed(name, 2.0 * rows * hidden * wide, [&] {
    bench.device().products().multiply(rows, wide, hidden, a.matrix(hidden), b.matrix(wide),
                                       {result.data(), wide, Element::fp32});
  });
}

template <class T>
void attend(const char* forward, const char* backward) {
  const Bench bench(sizeof(T) == 2 ? cuda::Precision::bf16 : cuda::Precision::fp32);
  const AttentionShape shape{8, 1024, 12, 64, true};
  // Room for floats, whatever T is; 16-bit values are the floats' halves.
  Tensor qkv = bench.zeros(3 * rows * hidden), out = bench.zeros(rows * hidden), sums = bench.zeros(rows * shape.heads),
         out_gradient = bench.zeros(rows * hidden), gradient = bench.zeros(3 * rows * hidden);
  const auto at = [](Tensor& tensor) { return reinterpret_cast<T*>(tensor.data()); };
  // Two products of sequence x sequence x head forward, five backward, half of each where causal.
  const double product = 2.0 * 8 * 12 * 1024 * 1024 * 64 / 2;
  bench.computed(forward, 2 * product, [&] { attention<T>(bench.stream(), at(out), sums.data(), at(qkv), shape); });
  bench.computed(backward, 5 * product, [&] {
    attention_backward<T>(bench.stream(), at(gradient), at(out_gradient), at(out), sums.data(), at(qkv),
                          scratch(bench, attention_backward_scratch(shape)), shape);
  });
}

}  // namespace

int main() {
  try {
    if (count_devices() == 0) throw CudaError("there is no GPU");
    Bench bench(cuda::Precision::fp32);
    memory_bound(bench);
    products(cuda::Precision::fp32, "product, fp32");
    products(cuda::Precision::tf32, "product, tf32");
    products(cuda::Precision::bf16, "product, bf16");
    attend<float>("attention, fp32", "attention backward, fp32");
    attend<Bf16>("attention, bf16", "attention backward, bf16");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cuda_kernels: %s\n", error.what());
    return 2;
  }
}
