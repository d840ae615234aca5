// SPDX-License-Identifier: Apache-2.0
// Times kernels, products, attention and convolutions of GPT-2 124M, ResNet-50 and VGG-16 on one GPU. Memory-bound
// kernels are compared with a copy inside the GPU, products with one product of 8192 x 8192 x 8192. All values are
// random, as in training: zeros make a GPU faster. Two sets of arrays alternate, so that the second-level cache holds
// neither. A time is the median of several samples, each of up to 20 launches between two events.
//
// --small: sizes that the stand-in for NVIDIA's libraries computes in seconds; its times have no meaning for a GPU.
// Exit status: 0, 1 if a library refused a case (it is printed), 2 if there is no GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/runtime/cuda/bf16_copy.hpp"
#include "core/runtime/cuda/convolution.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/products.hpp"

using namespace pipedeck;

namespace {

/// GPT-2 124M on eight samples; kernels of narrow rows on four times as many, which no cache holds.
struct Sizes {
  std::int64_t values = std::int64_t{64} << 20;  ///< of one array of a copy, an addition, Adam
  std::int64_t samples = 8, sequence = 1024, heads = 12, head = 64, wide = 3072, vocabulary = 50257;
  std::int64_t many_rows = 32 * 1024, square = 8192, images = 32, channels = 1;  ///< channels are divided by that
  int launches = 20, samples_timed = 11;
  std::int64_t hidden() const { return heads * head; }
  std::int64_t rows() const { return samples * sequence; }
  /// The least multiple of 64 that is not below the vocabulary.
  std::int64_t padded_vocabulary() const { return (vocabulary + 63) / 64 * 64; }
};

constexpr Sizes small{.values = 1 << 12,
                      .samples = 1,
                      .sequence = 16,
                      .heads = 2,
                      .head = 16,
                      .wide = 64,
                      .vocabulary = 101,
                      .many_rows = 32,
                      .square = 32,
                      .images = 1,
                      .channels = 32,
                      .launches = 2,
                      .samples_timed = 1};

template <class T>
constexpr const char* name_of = sizeof(T) == 2 ? "bf16" : "fp32";

runtime::cuda::Event timed_event() {
  cudaEvent_t event = nullptr;
  runtime::cuda::check(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return runtime::cuda::Event(event);
}

class Bench {
 public:
  /// Gets the number of the set of arrays that it uses: 0 or 1.
  using Work = std::function<void(int set)>;

  Bench(runtime::cuda::Precision precision, const Sizes& sizes)
      : device_(std::make_shared<runtime::cuda::CudaDevice>(0, precision)),
        memory_(std::make_shared<runtime::tensor::DeviceMemory>(device_)),
        begin_(timed_event()),
        end_(timed_event()),
        sizes_(sizes) {}

  runtime::cuda::CudaDevice& device() const { return *device_; }
  cudaStream_t stream() const { return device_->stream(); }
  const std::shared_ptr<runtime::tensor::DeviceMemory>& memory() const { return memory_; }
  void* scratch(std::size_t bytes) const { return device_->context().workspace(bytes); }

  /// Random values of that deviation around 0.
  template <class T = float>
  runtime::tensor::Tensor random(std::int64_t count, float deviation = 1) const {
    return drawn<T>(count, [deviation](Random& random) { return deviation * random.normal(); });
  }
  template <class T = float>
  runtime::tensor::Tensor drawn(std::int64_t count, const std::function<float(Random&)>& draw) const {
    if constexpr (sizeof(T) == 2) {
      const runtime::tensor::Tensor floats = drawn<float>(count, draw);
      runtime::tensor::Tensor rounded = runtime::cuda::make_bf16_buffer(memory_, count);
      runtime::cuda::convert(stream(), reinterpret_cast<runtime::cuda::Bf16*>(rounded.data()), floats.data(), count);
      return rounded;
    } else {
      runtime::tensor::Tensor made(memory_, 1, count);
      Random random(1);
      std::vector<float> block(static_cast<std::size_t>(std::min(count, drawn_at_once)));
      std::ranges::generate(block, [&] { return draw(random); });
      for (std::int64_t first = 0; first < count; first += drawn_at_once) {
        const auto size = static_cast<std::size_t>(std::min(drawn_at_once, count - first));
        device_->upload({made.data() + first, size},
                        [&](std::span<float> to) { std::copy_n(block.begin(), size, to.begin()); });
      }
      return made;
    }
  }

  void moved(const std::string& name, double bytes, const Work& work) {
    report(name, bytes, 1e9, "GB/s", "of a copy", work);
  }
  void computed(const std::string& name, double operations, const Work& work) {
    report(name, operations, 1e12, "TFLOP/s", "of the large product", work);
  }

  static inline bool refused = false;

 private:
  // No divisor or multiple of a row's length, so that rows are unlike.
  static constexpr std::int64_t drawn_at_once = (1 << 22) - 3;

  void report(const std::string& name, double amount, double unit, const char* unit_name, const char* whole,
              const Work& work) {
    try {
      const double seconds = median_seconds(work), rate = amount / seconds;
      if (ceiling_ == 0) ceiling_ = rate;
      fmt::print("{:<44} {:>11.1f} us {:>9.2f} {} {:>6.1f} % {}\n", name, seconds * 1e6, rate / unit, unit_name,
                 100 * rate / ceiling_, whole);
    } catch (const std::exception& error) {
      refused = true;
      fmt::print("{:<44} REFUSED: {}\n", name, error.what());
    }
  }

  double seconds_of(int launches, const Work& work) {
    runtime::cuda::check(cudaEventRecord(begin_.get(), stream()), "cudaEventRecord");
    for (int launch = 0; launch < launches; ++launch) work(launch % 2);
    runtime::cuda::check(cudaEventRecord(end_.get(), stream()), "cudaEventRecord");
    runtime::cuda::check(cudaEventSynchronize(end_.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    runtime::cuda::check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
    return double{milliseconds} / 1e3 / launches;
  }

  double median_seconds(const Work& work) {
    seconds_of(2, work);  // loads kernels, chooses algorithms
    constexpr double sample = 0.01, slow = 0.1;
    const double first = seconds_of(2, work);
    const int launches = std::clamp(static_cast<int>(sample / std::max(first, 1e-9)), 2, sizes_.launches);
    const int samples = first > slow ? 1 : sizes_.samples_timed;
    std::vector<double> seconds;
    for (int i = 0; i < samples; ++i) seconds.push_back(seconds_of(launches, work));
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
  }

  std::shared_ptr<runtime::cuda::CudaDevice> device_;
  std::shared_ptr<runtime::tensor::DeviceMemory> memory_;
  runtime::cuda::Event begin_, end_;
  const Sizes& sizes_;
  double ceiling_ = 0;  ///< the rate of the first case: a copy, or the large product
};

/// Two tensors alike.
template <class T = float>
class Pair {
 public:
  Pair(const Bench& bench, std::int64_t count, float deviation = 1)
      : tensors_{bench.random<T>(count, deviation), bench.random<T>(count, deviation)} {}
  T* operator[](int set) { return reinterpret_cast<T*>(tensors_[static_cast<std::size_t>(set)].data()); }

 private:
  std::array<runtime::tensor::Tensor, 2> tensors_;
};

/// "gelu, bf16"
template <class T>
std::string with_type(const char* name) {
  return fmt::format("{}, {}", name, name_of<T>);
}

void copies(Bench& bench, const Sizes& sizes) {
  const std::int64_t n = sizes.values;
  Pair<> in(bench, n), out(bench, n);
  Pair<runtime::cuda::Bf16> rounded(bench, n);
  const auto count = static_cast<double>(n);
  const cudaStream_t stream = bench.stream();
  bench.moved("copy (cudaMemcpyAsync)", 8 * count, [&](int i) { bench.device().copy(out[i], in[i], n); });
  bench.moved("add, fp32", 12 * count, [&](int i) { runtime::cuda::add(stream, out[i], in[i], n); });
  bench.moved("add, bf16", 6 * count, [&](int i) { runtime::cuda::add(stream, rounded[i], rounded[1 - i], n); });
  bench.moved("convert, fp32 to bf16", 6 * count, [&](int i) { runtime::cuda::convert(stream, rounded[i], in[i], n); });
  bench.moved("convert, bf16 to fp32", 6 * count,
              [&](int i) { runtime::cuda::convert(stream, out[i], rounded[i], n); });
}

template <class T>
void activations(Bench& bench, const Sizes& sizes) {
  const std::int64_t rows = sizes.rows(), columns = sizes.wide, n = rows * columns;
  constexpr double word = sizeof(T);
  const auto values = static_cast<double>(n);
  const cudaStream_t stream = bench.stream();
  Pair<T> in(bench, n), out(bench, n);
  Pair<> bias(bench, columns), sums(bench, columns);
  const auto scratch = [&] { return bench.scratch(runtime::cuda::column_sums_scratch(rows, columns)); };
  bench.moved(with_type<T>("gelu"), 2 * word * values, [&](int i) { runtime::cuda::gelu(stream, out[i], in[i], n); });
  bench.moved(with_type<T>("gelu, backward"), 3 * word * values,
              [&](int i) { runtime::cuda::gelu_backward(stream, out[i], in[i], n); });
  bench.moved(with_type<T>("bias"), 2 * word * values,
              [&](int i) { runtime::cuda::add_bias(stream, out[i], bias[i], rows, columns); });
  bench.moved(with_type<T>("bias and gelu"), 2 * word * values,
              [&](int i) { runtime::cuda::bias_gelu(stream, out[i], in[i], bias[i], rows, columns); });
  bench.moved(with_type<T>("bias and gelu, backward"), 3 * word * values, [&](int i) {
    runtime::cuda::bias_gelu_backward(stream, out[i], sums[i], in[i], bias[i], scratch(), rows, columns);
  });
  bench.moved(with_type<T>("gradient of a bias"), word * values,
              [&](int i) { runtime::cuda::add_column_sums(stream, sums[i], in[i], scratch(), rows, columns); });
}

template <class T>
void layer_norms(Bench& bench, const Sizes& sizes) {
  const std::int64_t rows = sizes.many_rows, columns = sizes.hidden(), n = rows * columns;
  const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(n);
  const cudaStream_t stream = bench.stream();
  Pair<T> in(bench, n), more(bench, n), out(bench, n);
  Pair<> mean(bench, rows), inverse(bench, rows), gain(bench, columns), shift(bench, columns), gains(bench, columns),
      shifts(bench, columns);
  bench.moved(with_type<T>("layer norm"), 2 * bytes, [&](int i) {
    runtime::cuda::layer_norm(stream, out[i], mean[i], inverse[i], in[i], gain[i], shift[i], rows, columns);
  });
  bench.moved(with_type<T>("addition and layer norm"), 4 * bytes, [&](int i) {
    runtime::cuda::add_layer_norm(stream, more[i], out[i], mean[i], inverse[i], in[i], more[i], gain[i], shift[i], rows,
                                  columns);
  });
  bench.moved(with_type<T>("layer norm, backward"), 4 * bytes, [&](int i) {
    runtime::cuda::layer_norm_backward(
        stream, out[i], static_cast<const T*>(out[i]), gains[i], shifts[i], more[i], in[i], mean[i], inverse[i],
        gain[i], bench.scratch(runtime::cuda::layer_norm_backward_scratch(rows, columns)), rows, columns);
  });
}

/// The kernels of today's language models; four query heads share keys and values.
template <class T>
void decoders(Bench& bench, const Sizes& sizes) {
  const std::int64_t rows = sizes.rows(), columns = sizes.hidden(), n = rows * columns;
  const runtime::cuda::GroupedHeads heads{sizes.samples, sizes.sequence, sizes.heads,
                                          std::max<std::int64_t>(1, sizes.heads / 4), sizes.head};
  const runtime::layers::RotaryAngles angles{500'000};
  const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(n),
               key_bytes = bytes * static_cast<double>(heads.key_width()) / static_cast<double>(heads.query_width());
  const cudaStream_t stream = bench.stream();
  Pair<T> in(bench, 3 * n), out(bench, 3 * n), more(bench, n), keys(bench, n), values(bench, n);
  Pair<> inverse(bench, rows), gain(bench, columns), gains(bench, columns);
  bench.moved(with_type<T>("rms norm"), 2 * bytes, [&](int i) {
    runtime::cuda::rms_norm(stream, out[i], inverse[i], static_cast<const T*>(in[i]), gain[i], 1e-5f, rows, columns);
  });
  // The gains' sums read the gradient and the input once more.
  bench.moved(with_type<T>("rms norm, backward"), 6 * bytes, [&](int i) {
    runtime::cuda::rms_norm_backward(stream, out[i], static_cast<const T*>(out[i]), gains[i], more[i], in[i],
                                     inverse[i], gain[i],
                                     bench.scratch(runtime::cuda::column_sums_scratch(rows, columns)), rows, columns);
  });
  bench.moved(with_type<T>("gated activation"), 3 * bytes,
              [&](int i) { runtime::cuda::silu_gate(stream, out[i], in[i], rows, columns); });
  bench.moved(with_type<T>("gated activation, backward"), 5 * bytes,
              [&](int i) { runtime::cuda::silu_gate_backward(stream, out[i], more[i], in[i], rows, columns); });
  bench.moved(with_type<T>("rotary heads, packed"), 4 * bytes + 2 * key_bytes,
              [&](int i) { runtime::cuda::pack_heads(stream, out[i], more[i], keys[i], values[i], heads, angles); });
  bench.moved(with_type<T>("rotary heads, backward"), 4 * bytes + 2 * key_bytes,
              [&](int i) { runtime::cuda::unpack_heads(stream, more[i], keys[i], values[i], in[i], heads, angles); });
}

/// `tokens`: uniform over the vocabulary, or a text's bytes, of which one in six is a space.
void embeddings(Bench& bench, const Sizes& sizes, const char* name, const std::function<float(Random&)>& token) {
  const runtime::cuda::EmbeddingShape shape{2 * sizes.samples, sizes.sequence, sizes.hidden(), sizes.vocabulary};
  const double bytes = 4.0 * static_cast<double>(shape.rows() * shape.width);
  Pair<> out(bench, shape.rows() * shape.width), table(bench, shape.vocabulary * shape.width),
      positions(bench, shape.sequence * shape.width);
  runtime::tensor::Tensor tokens = bench.drawn(shape.rows(), token);
  bench.moved(fmt::format("embedding of {}", name), 2 * bytes, [&](int i) {
    runtime::cuda::embedding(bench.stream(), out[i], tokens.data(), table[i], positions[i], shape);
  });
  // Rows of the gradient are read twice, for tokens and positions; the tables' rows are read and written.
  bench.moved(fmt::format("embedding of {}, backward", name), 4 * bytes, [&](int i) {
    runtime::cuda::embedding_backward(bench.stream(), table[i], positions[i], out[i], tokens.data(),
                                      bench.scratch(runtime::cuda::embedding_backward_scratch(shape)), shape);
  });
}

template <class T>
void losses(Bench& bench, const Sizes& sizes, std::int64_t columns) {
  const std::int64_t rows = sizes.rows();
  Pair<T> logits(bench, rows * columns);
  Pair<> loss(bench, 2);
  runtime::tensor::Tensor targets = bench.drawn(rows, [&](Random& random) {
    return static_cast<float>(random.uniform_int(static_cast<std::uint64_t>(columns)));
  });
  // Read for the sums, read and written for the gradient.
  bench.moved(fmt::format("softmax cross-entropy of {}, {}", columns, name_of<T>),
              3.0 * sizeof(T) * static_cast<double>(rows * columns), [&](int i) {
                runtime::cuda::softmax_cross_entropy(
                    bench.stream(), logits[i], targets.data(), reinterpret_cast<double*>(loss[i]), 1,
                    bench.scratch(runtime::cuda::softmax_cross_entropy_scratch(rows)), {rows, columns, columns});
              });
}

void updates(Bench& bench, const Sizes& sizes) {
  const std::int64_t n = sizes.values;
  runtime::tensor::Tensor weights = bench.random(n), gradient = bench.random(n), first = bench.random(n),
                          second = bench.drawn(n, [](Random&random) { return static_cast<float>(random.uniform()); }),
                          rounded = runtime::cuda::make_bf16_buffer(bench.memory(), n);
  for (const bool copy : {false, true})
    bench.moved(copy ? "Adam, with a copy in bf16" : "Adam", (copy ? 34.0 : 32.0) * static_cast<double>(n), [&](int) {
      runtime::cuda::adam_update(bench.stream(), weights.data(), gradient.data(), first.data(), second.data(),
                                 copy ? reinterpret_cast<runtime::cuda::Bf16*>(rounded.data()) : nullptr, {1e-3f, 1},
                                 n);
    });
}

template <class T>
constexpr runtime::cuda::Element element_of = sizeof(T) == 2 ? runtime::cuda::Element::bf16
                                                             : runtime::cuda::Element::fp32;

/// The three products of one layer's weights, as layers call them. `T` is what factors and a block's results are.
template <class T>
void products_of(Bench& bench, const std::string& name, std::int64_t rows, std::int64_t in, std::int64_t out,
                 bool results_are_floats) {
  const float deviation = 1 / std::sqrt(static_cast<float>(in));
  // Rows of the output begin aligned, as the layer before the loss has them.
  const std::int64_t pitch = runtime::cuda::row_pitch(out, element_of<T>),
                     stride = results_are_floats ? runtime::cuda::row_pitch(out, runtime::cuda::Element::fp32) : out;
  Pair<T> input(bench, rows * in), weights(bench, in * pitch, deviation), output_gradient(bench, rows * pitch);
  Pair<> output(bench, rows * stride), input_gradient(bench, rows * in), weights_gradient(bench, in * out);
  const runtime::cuda::ProductShape shape{rows, in, out, stride};
  const double operations = 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
  const auto factor = [&](Pair<T>& of, int set, std::int64_t of_rows, std::int64_t width) {
    return runtime::cuda::GemmOperand(bench.memory(), of[set], {of_rows, width, width == out ? pitch : width});
  };
  bench.computed(name, operations, [&](int i) {
    const runtime::cuda::GemmOperand x = factor(input, i, rows, in), w = factor(weights, i, in, out);
    if (results_are_floats)
      runtime::cuda::product(bench.device(), shape, output[i], x, w, nullptr);
    else
      runtime::cuda::product(bench.device(), shape, reinterpret_cast<T*>(output[i]), x, w, nullptr);
  });
  bench.computed(name + ", input's gradient", operations, [&](int i) {
    runtime::cuda::product_backward(bench.device(), shape, input_gradient[i], factor(output_gradient, i, rows, out),
                                    factor(weights, i, in, out));
  });
  bench.computed(name + ", weights' gradient", operations, [&](int i) {
    runtime::cuda::add_product_gradient(bench.device(), shape, weights_gradient[i], factor(input, i, rows, in),
                                        factor(output_gradient, i, rows, out));
  });
}

/// The ceiling of all that computes.
template <class T>
void large_product(Bench& bench, const char* type, const Sizes& sizes) {
  const std::int64_t n = sizes.square;
  Pair<T> left(bench, n * n), right(bench, n * n);
  Pair<> result(bench, n * n);
  constexpr runtime::cuda::Element element =
      sizeof(T) == 2 ? runtime::cuda::Element::bf16 : runtime::cuda::Element::fp32;
  bench.computed(fmt::format("large product, {}", type), 2 * std::pow(static_cast<double>(n), 3), [&](int i) {
    bench.device().gemms().multiply(n, n, n, {left[i], n, element}, {right[i], n, element},
                                    {result[i], n, runtime::cuda::Element::fp32});
  });
}

template <class T>
void products(Bench& bench, const char* type, const Sizes& sizes) {
  const std::int64_t hidden = sizes.hidden();
  const auto name = [&](const char* layer, std::int64_t in, std::int64_t out) {
    return fmt::format("{} {} x {}, {}", layer, in, out, type);
  };
  for (const std::int64_t vocabulary : {sizes.vocabulary, sizes.padded_vocabulary()})
    products_of<T>(bench, name("head", hidden, vocabulary), sizes.rows(), hidden, vocabulary, true);
  products_of<T>(bench, name("qkv", hidden, 3 * hidden), sizes.rows(), hidden, 3 * hidden, false);
  products_of<T>(bench, name("out", hidden, hidden), sizes.rows(), hidden, hidden, true);
  products_of<T>(bench, name("up", hidden, sizes.wide), sizes.rows(), hidden, sizes.wide, false);
  products_of<T>(bench, name("down", sizes.wide, hidden), sizes.rows(), sizes.wide, hidden, true);
}

template <class T>
void attend(Bench& bench, const Sizes& sizes) {
  const runtime::cuda::AttentionShape shape{sizes.samples, sizes.sequence, sizes.heads, sizes.head, true};
  const std::int64_t values = shape.rows() * shape.hidden();
  Pair<T> qkv(bench, 3 * values), out(bench, values), out_gradient(bench, values), gradient(bench, 3 * values);
  Pair<> sums(bench, shape.rows() * shape.heads);
  // Two products of sequence x sequence x head forward, five backward, half of each where causal.
  const double product = 2.0 * static_cast<double>(shape.samples * shape.heads * shape.head_size) *
                         static_cast<double>(shape.sequence * shape.sequence) / 2;
  bench.computed(with_type<T>("attention"), 2 * product,
                 [&](int i) { runtime::cuda::attention<T>(bench.stream(), out[i], sums[i], qkv[i], shape); });
  bench.computed(with_type<T>("attention, backward"), 5 * product, [&](int i) {
    runtime::cuda::attention_backward<T>(bench.stream(), gradient[i], out_gradient[i], out[i], sums[i], qkv[i],
                                         bench.scratch(runtime::cuda::attention_backward_scratch(shape)), shape);
  });
  if constexpr (sizeof(T) == 2) {
    runtime::cuda::FusedAttention& fused = bench.device().fused_attention();
    const auto taken = [&](bool done) {
      if (!done) throw runtime::cuda::CudaError(bench.device().consume_warnings());
    };
    bench.computed(with_type<T>("attention by cuDNN"), 2 * product,
                   [&](int i) { taken(fused.forward(out[i], sums[i], qkv[i], shape)); });
    bench.computed(with_type<T>("attention by cuDNN, backward"), 5 * product,
                   [&](int i) { taken(fused.backward(gradient[i], out_gradient[i], out[i], sums[i], qkv[i], shape)); });
  }
}

template <class T>
void convolutions(Bench& bench, const char* type, const Sizes& sizes) {
  const struct {
    const char* name;
    runtime::layers::ConvolutionShape shape;
  } layers[] = {{"ResNet-50, first", {3, 64, 7, 2, 3, 224, 224}},   {"ResNet-50, 3 x 3", {64, 64, 3, 1, 1, 56, 56}},
                {"ResNet-50, 1 x 1", {256, 1024, 1, 1, 0, 14, 14}}, {"ResNet-50, stride", {512, 512, 3, 2, 1, 14, 14}},
                {"VGG-16, first", {3, 64, 3, 1, 1, 224, 224}},      {"VGG-16, second", {64, 64, 3, 1, 1, 224, 224}},
                {"VGG-16, last", {512, 512, 3, 1, 1, 14, 14}}};
  for (auto [name, shape] : layers) {
    if (sizes.channels > 1) {
      shape.in = std::max(shape.in / sizes.channels, std::int64_t{1}), shape.out /= sizes.channels;
      shape.height = shape.width = 8;
    }
    runtime::cuda::Convolution convolution(bench.device().context(), shape);
    const auto images = static_cast<int>(sizes.images);
    Pair<T> in(bench, images * shape.in_values()), out(bench, images * shape.out_values());
    Pair<> weights(bench, shape.weights(), 0.05f), gradient(bench, shape.weights());
    const double operations =
        2.0 * static_cast<double>(sizes.images * shape.out_height() * shape.out_width() * shape.weights());
    const std::string layer = fmt::format("{}, {}", name, type);
    bench.computed(layer, operations, [&](int i) { convolution.forward(out[i], in[i], weights[i], images); });
    bench.computed(layer + ", input's gradient", operations,
                   [&](int i) { convolution.backward_input(in[i], out[i], weights[i], images); });
    bench.computed(layer + ", weights' gradient", operations,
                   [&](int i) { convolution.backward_weight(gradient[i], in[i], out[i], images); });
  }
}

/// All that computes rather than moves memory, in one precision.
template <class T>
void computations(runtime::cuda::Precision precision, const char* type, const Sizes& sizes) {
  Bench bench(precision, sizes);
  large_product<T>(bench, type, sizes);
  products<T>(bench, type, sizes);
  if (precision != runtime::cuda::Precision::tf32) attend<T>(bench, sizes);  // in tf32 as in fp32
  convolutions<T>(bench, type, sizes);
}

void memory_bound(const Sizes& sizes) {
  Bench bench(runtime::cuda::Precision::fp32, sizes);
  copies(bench, sizes);
  layer_norms<runtime::cuda::Bf16>(bench, sizes);
  layer_norms<float>(bench, sizes);
  decoders<runtime::cuda::Bf16>(bench, sizes);
  decoders<float>(bench, sizes);
  activations<runtime::cuda::Bf16>(bench, sizes);
  activations<float>(bench, sizes);
  for (const std::int64_t columns : {sizes.vocabulary, sizes.padded_vocabulary()}) {
    losses<float>(bench, sizes, columns);
    losses<runtime::cuda::Bf16>(bench, sizes, columns);
  }
  const auto vocabulary = static_cast<std::uint64_t>(sizes.vocabulary);
  embeddings(bench, sizes, "a vocabulary",
             [=](Random& random) { return static_cast<float>(random.uniform_int(vocabulary)); });
  embeddings(bench, sizes, "bytes", [=](Random& random) {
    constexpr std::uint64_t space = 32, bytes = 256;
    return static_cast<float>(random.uniform_int(6) == 0 ? space : random.uniform_int(std::min(bytes, vocabulary)));
  });
  updates(bench, sizes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const bool is_small = argc == 2 && std::strcmp(argv[1], "--small") == 0;
    if (argc > 1 && !is_small) throw std::invalid_argument(fmt::format("found '{}', expected --small", argv[1]));
    if (runtime::cuda::count_devices() == 0) throw runtime::cuda::CudaError("there is no GPU");
    // A line is written when it is known: who ends this program keeps what was measured.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    const Sizes sizes = is_small ? small : Sizes();
    memory_bound(sizes);
    computations<runtime::cuda::Bf16>(runtime::cuda::Precision::bf16, "bf16", sizes);
    computations<float>(runtime::cuda::Precision::tf32, "tf32", sizes);
    computations<float>(runtime::cuda::Precision::fp32, "fp32", sizes);
    return Bench::refused ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cuda_kernels: {}\n", error.what());
    return 2;
  }
}
