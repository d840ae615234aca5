// SPDX-License-Identifier: Apache-2.0
// Attention through cuDNN's graphs, or their stand-in, against plain loops in double and against own kernels.
#include <QtTest>

#include "core/base/random.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/device.hpp"
#include "tests/core/runtime/cuda/closeness.hpp"
#include "tests/core/runtime/cuda/on_device.hpp"
#include "tests/core/runtime/cuda/plain_attention.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"
#include "tests/core/runtime/cuda/training_on_gpus.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::AttentionShape;
using runtime::cuda::Bf16;
using runtime::cuda::CudaDevice;
using runtime::cuda::Element;

namespace {

std::vector<double> doubles(const std::vector<float>& values) { return {values.begin(), values.end()}; }
double to_bf16(double value) { return double{of_bf16(bf16_of(static_cast<float>(value)))}; }
std::vector<float> bf16_values(std::int64_t count, Random& random) {
  return rounded(random_values(count, random), Element::bf16);
}
Bf16* halves(OnDevice& values) { return static_cast<Bf16*>(values.data()); }

/// The length of found - expected, by that of expected; infinite where a value is none.
double distance(const std::vector<float>& found, const std::vector<double>& expected) {
  double apart = 0, whole = 1e-30;
  for (std::size_t i = 0; i < found.size(); ++i)
    apart += std::pow(double{found[i]} - expected[i], 2), whole += expected[i] * expected[i];
  return std::isfinite(apart) && found.size() == expected.size() ? std::sqrt(apart / whole) : INFINITY;
}

/// One shape on a device: random values, and room for the results.
struct Case {
  Case(CudaDevice& on, const AttentionShape& of, std::uint64_t seed)
      : shape(of),
        random(seed),
        qkv_values(bf16_values(shape.rows() * 3 * shape.hidden(), random)),
        gradient_values(bf16_values(shape.rows() * shape.hidden(), random)),
        device(on),
        qkv(on.context(), qkv_values, Element::bf16),
        out_gradient(on.context(), gradient_values, Element::bf16),
        out(on.context(), shape.rows() * shape.hidden(), Element::bf16),
        sums(on.context(), shape.rows() * shape.heads),
        qkv_gradient(on.context(), shape.rows() * 3 * shape.hidden(), Element::bf16) {}

  bool forward() { return device.fused_attention().forward(halves(out), sums.floats(), halves(qkv), shape); }
  bool backward() {
    return device.fused_attention().backward(halves(qkv_gradient), halves(out_gradient), halves(out), sums.floats(),
                                             halves(qkv), shape);
  }
  /// By whichever kernels the runtime takes.
  void both() {
    runtime::cuda::run_attention(device, halves(out), sums.floats(), static_cast<const Bf16*>(halves(qkv)), shape);
    runtime::cuda::run_attention_backward(device, halves(qkv_gradient), static_cast<const Bf16*>(halves(out_gradient)),
                                          static_cast<const Bf16*>(halves(out)), sums.floats(),
                                          static_cast<const Bf16*>(halves(qkv)), shape);
  }
  PlainAttention expected() const { return {doubles(qkv_values), doubles(gradient_values), shape, to_bf16}; }
  std::vector<std::vector<float>> results() const { return {out.read(), sums.read(), qkv_gradient.read()}; }

  AttentionShape shape;
  Random random;
  std::vector<float> qkv_values, gradient_values;
  CudaDevice& device;
  OnDevice qkv, out_gradient, out, sums, qkv_gradient;
};

/// As tst_cuda_attention: weights and results are rounded to 16 bits.
constexpr double within = 1e-2;

void compare(const Case& found, bool backward) {
  const PlainAttention expected = found.expected();
  VERIFY_BELOW(distance(found.out.read(), expected.out), within);
  VERIFY_BELOW(distance(found.sums.read(), expected.logsumexp), 1e-5);
  if (backward) VERIFY_BELOW(distance(found.qkv_gradient.read(), expected.qkv_gradient), within);
}

#ifdef PIPEDECK_CUDA_STAND_IN
/// The run's first warning about attention; empty: none.
std::string warned(const Trained& run) {
  for (const RunWarning& warning : run.log.of<RunWarning>())
    if (warning.message.find("attention") != std::string::npos) return warning.message;
  return {};
}

/// The words of what `work` throws.
template <class Work>
QString words_of(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return QStringLiteral("nothing");
}
#endif

}  // namespace

class TestCudaFusedAttention : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { SKIP_WITHOUT_GPU(1); }
  void cleanup();
  void agrees_with_plain_loops_data();
  void agrees_with_plain_loops();
  void repeated_calls_give_the_same_bits();
  void what_cudnn_does_not_compute_is_said_once();
  void own_kernels_compute_the_rest();
  void addresses_that_break_the_promise_are_not_taken();
  void graphs_hold_it();
  void a_model_trains_with_it_and_without();
#ifdef PIPEDECK_CUDA_STAND_IN
  void an_engine_may_refuse_any_step();
  void every_call_fails_once();
  void the_stand_in_refuses();
  void a_wrong_graph_gives_other_numbers();
#endif
};

void TestCudaFusedAttention::cleanup() {
  sum_as(Sums::exact);
#ifdef PIPEDECK_CUDA_STAND_IN
  QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str());
  cuda_stand_in::reset();
#endif
}

void TestCudaFusedAttention::agrees_with_plain_loops_data() {
  QTest::addColumn<QList<qint64>>("sizes");
  QTest::addColumn<bool>("causal");
  QTest::addColumn<Sums>("sums");
  Random random(std::uint64_t{31});
  QList<QList<qint64>> all{{1, 1, 1, 8},    {2, 7, 3, 8},    {1, 130, 2, 32}, {1, 97, 2, 64},
                           {1, 70, 1, 128}, {2, 33, 1, 256}, {3, 2, 5, 16},   {1, 129, 1, 72}};
  for (int i = 0; i < 3; ++i)
    all.append({1 + qint64(random.uniform_int(2)), 2 + qint64(random.uniform_int(99)),
                1 + qint64(random.uniform_int(3)), 8 * (1 + qint64(random.uniform_int(16)))});
  for (const Sums sums : sums_here())
    for (const auto& sizes : all)
      for (const bool causal : {false, true})
        QTest::addRow("%s%s", text_of({sizes[0], sizes[1], sizes[2], sizes[3], causal}).c_str(), words_of(sums))
            << sizes << causal << sums;
}

void TestCudaFusedAttention::agrees_with_plain_loops() {
  QFETCH(QList<qint64>, sizes);
  QFETCH(bool, causal);
  QFETCH(Sums, sums);
  sum_as(sums);
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  Case found(device, {sizes[0], sizes[1], sizes[2], sizes[3], causal}, 7);
  const bool forward = found.forward(), backward = forward && found.backward();
  const std::string refusals = device.consume_warnings();
#ifdef PIPEDECK_CUDA_STAND_IN
  QVERIFY2(forward && backward == (sizes[1] > 1), refusals.c_str());
  QCOMPARE(cuda_stand_in::fused_attention_passes() > 0, true);
#endif
  if (!forward) QSKIP(refusals.c_str());
  if (!refusals.empty()) qInfo("%s", refusals.c_str());
  compare(found, backward);
}

void TestCudaFusedAttention::repeated_calls_give_the_same_bits() {
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  Case found(device, {2, 100, 3, 64, true}, 11);
  found.both();
  const auto first = found.results();
  for (int i = 0; i < 5; ++i) {
    found.both();
    QCOMPARE(found.results(), first);
  }
}

void TestCudaFusedAttention::what_cudnn_does_not_compute_is_said_once() {
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  for (const auto& [head, words] : {std::pair{12, "multiple of 8"}, {264, "256 values"}}) {
    Case found(device, {1, 3, 1, head, false}, 3);
    QVERIFY(!found.forward());
    QVERIFY(!found.backward());
    const std::string said = device.consume_warnings();
    QVERIFY2(said.find(words) != std::string::npos && said.find("by own kernels") != std::string::npos, said.c_str());
    QVERIFY(!found.forward());
    QCOMPARE(device.consume_warnings(), std::string());
  }
  QCOMPARE(device.fused_attention().plans(), std::size_t{0});
}

void TestCudaFusedAttention::own_kernels_compute_the_rest() {
  CudaDevice device(0, runtime::cuda::Precision::bf16);
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::refuse_fused_attention();
  Case refused(device, {2, 37, 2, 16, true}, 5);
  refused.both();
  QCOMPARE(cuda_stand_in::fused_attention_passes(), 0);
  compare(refused, true);
  const std::string said = device.consume_warnings();
  QVERIFY2(said.find("heuristics offer nothing") != std::string::npos, said.c_str());
#endif
  Case odd(device, {2, 37, 2, 12, true}, 5);
  odd.both();
  compare(odd, true);
}

void TestCudaFusedAttention::addresses_that_break_the_promise_are_not_taken() {
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  Case found(device, {1, 5, 2, 8, true}, 9);
  OnDevice beside(device.context(), found.qkv_values, Element::bf16, 1);  // 2 bytes behind an aligned address
  QVERIFY(!device.fused_attention().forward(halves(found.out), found.sums.floats(), halves(beside), found.shape));
  runtime::cuda::run_attention(device, halves(found.out), found.sums.floats(), static_cast<const Bf16*>(halves(beside)),
                               found.shape);
  VERIFY_BELOW(distance(found.out.read(), found.expected().out), within);
}

void TestCudaFusedAttention::graphs_hold_it() {
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  Case found(device, {2, 33, 2, 32, true}, 13);
  QVERIFY_THROWS_EXCEPTION(runtime::tensor::CaptureUnsupported, device.record([&] { found.both(); }));
  found.both();
  const auto first = found.results();
  const auto graph = device.record([&] { found.both(); });
  found.qkv.write(std::vector<float>(found.qkv_values.size(), 0.5f));
  graph->launch();
  QVERIFY(found.results() != first);
  found.qkv.write(found.qkv_values);
  graph->launch();
  QCOMPARE(found.results(), first);
}

void TestCudaFusedAttention::a_model_trains_with_it_and_without() {
  ModelSpec model = small_gpt(2, 32, 12, 12);  // heads of 16
  model.learning_rate = 0.05;
  const Plan plan = cut_plan(model, {1, 1}, {1, 1});
  const Trained expected = trained_on(runtime::cpu::cpu_backend(), model, plan, steps_of(4)),
                first = trained_on(runtime::cpu::cpu_backend(), model, plan, steps_of(0));
  const double moved = parameter_difference(first.parameters, expected.parameters);
  const auto near = [&](const Trained& found) {
    VERIFY_BELOW(parameter_difference(found.parameters, expected.parameters), moved / 10);
    VERIFY_BELOW(loss_difference(found.log.losses(), expected.log.losses()), 1e-2);
  };
  const Trained with = trained_on(gpus_for(plan, runtime::cuda::Precision::bf16), model, plan, steps_of(4));
  near(with);
#ifdef PIPEDECK_CUDA_STAND_IN
  QVERIFY(cuda_stand_in::fused_attention_passes() > 0);
  QVERIFY(cuda_stand_in::graphs_launched() > 0);
  QCOMPARE(warned(with), std::string());
  cuda_stand_in::reset();
  cuda_stand_in::refuse_fused_attention();
  const Trained without = trained_on(gpus_for(plan, runtime::cuda::Precision::bf16), model, plan, steps_of(4));
  near(without);
  QCOMPARE(cuda_stand_in::fused_attention_passes(), 0);
  QVERIFY(parameter_difference(with.parameters, without.parameters) > 0);
  QVERIFY2(warned(without).find("heads of 16 by own kernels instead of cuDNN's: its heuristics offer nothing") !=
               std::string::npos,
           warned(without).c_str());
#endif
}

#ifdef PIPEDECK_CUDA_STAND_IN

/// Each call in turn answers "not supported", as an older version does: own kernels compute what cuDNN does not, and
/// nothing is left behind. Once a plan is there, a refusal is an error.
void TestCudaFusedAttention::an_engine_may_refuse_any_step() {
  const AttentionShape shape{1, 9, 2, 8, true};
  int own = 0, errors = 0;
  for (const char* function :
       {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize", "cudnnBackendGetAttribute"})
    for (int nth = 1;; nth += nth < 20 ? 1 : 5) {
      cuda_stand_in::reset();
      CudaDevice device(0, runtime::cuda::Precision::bf16);
      Case found(device, shape, 17);
      cuda_stand_in::fail_call(nth, function, CUDNN_STATUS_NOT_SUPPORTED);
      const QString words = words_of([&] { found.both(); });
      if (!cuda_stand_in::failed()) break;
      if (words == "nothing") {
        ++own;
        compare(found, true);
        QVERIFY(cuda_stand_in::fused_attention_passes() <= 2);
      } else {
        ++errors;
        QVERIFY2(words.contains(QString("GPU 0: ") + function), qPrintable(words));
      }
    }
  QVERIFY2(own > 50 && errors > 1, qPrintable(QString("%1 by own kernels, %2 errors").arg(own).arg(errors)));
}

void TestCudaFusedAttention::every_call_fails_once() {
  int calls = 0;
  for (;; ++calls) {
    cuda_stand_in::reset();
    cuda_stand_in::fail_call(calls + 1);
    const QString words = words_of([] {
      CudaDevice device(0, runtime::cuda::Precision::bf16);
      Case found(device, {1, 3, 1, 8, true}, 19);
      found.both();
      found.results();
    });
    if (!cuda_stand_in::failed()) break;
    const QString call = QString::fromStdString(cuda_stand_in::last_refusal()).section(':', 0, 0);
    // In destructors a failure can't be reported.
    if (words != "nothing" || (call != "cudaSetDevice" && call != "cudaStreamSynchronize"))
      QVERIFY2(words.contains("GPU 0: " + call + ": ") && words.contains("(error "),
               qPrintable(QString("%1: %2: %3").arg(calls).arg(call, words)));
    QVERIFY2(cuda_stand_in::alive() == 0, (words.toStdString() + " left " + cuda_stand_in::alive_words()).c_str());
  }
  QVERIFY2(calls > 500, qPrintable(QString::number(calls)));
  qInfo("each of %d calls failed once", calls);
}

void TestCudaFusedAttention::the_stand_in_refuses() {
  using runtime::cuda::fused::Descriptor;
  const auto refused = [](const auto& work, const char* why) {
    const QString words = words_of(work);
    QVERIFY2(words.contains("cudnnBackend") && words.contains(why), qPrintable(words));
  };
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR), product(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  refused([&] { tensor.finalise(); }, "an attribute is missing");
  refused([&] { tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, true); }, "of another type");
  refused([&] { tensor.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT); }, "without this attribute");
  const std::array<std::int64_t, 4> sizes{1, 1, 2, 8}, strides{16, 16, 8, 1};
  refused([&] { tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(sizes).first(3)); },
          "more or fewer values");
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, std::int64_t{1});
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_BFLOAT16);
  tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
  tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(sizes));
  tensor.set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const std::int64_t>(strides));
  Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  how.finalise();
  product.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how.get());
  for (const auto name :
       {CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_ATTR_OPERATION_MATMUL_CDESC})
    product.set(name, tensor.get());
  refused([&] { product.finalise(); }, "is not finalised");
  tensor.finalise();
  refused([&] { tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, std::int64_t{2}); }, "is not changed");
  refused([&] { product.finalise(); }, "do not fit");  // 2 x 8 times 2 x 8
}

/// The stand-in computes a graph's operations, not its purpose: without the mask it is no causal attention.
void TestCudaFusedAttention::a_wrong_graph_gives_other_numbers() {
  CudaDevice device(0, runtime::cuda::Precision::bf16);
  Case found(device, {1, 12, 1, 8, true}, 23);
  const PlainAttention expected = found.expected();
  found.shape.causal = false;
  QVERIFY(found.forward());
  QVERIFY(distance(found.out.read(), expected.out) > 0.1);
}

#endif

QTEST_GUILESS_MAIN(TestCudaFusedAttention)
#include "tst_cuda_fused_attention.moc"
