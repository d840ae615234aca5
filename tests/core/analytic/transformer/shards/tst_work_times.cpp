// SPDX-License-Identifier: Apache-2.0
// The times of passes against closed forms: shares of the peak, bytes, launches, named parts.
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analytic/transformer/shards/work_times.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_work_times {

namespace shards = analytic::transformer::shards;
using shards::Compute;
using shards::LayerShard;
using shards::ShardProduct;
using shards::WorkKind;
using shards::WorkTime;

constexpr std::array passes{Compute::forward, Compute::recompute, Compute::input_gradient, Compute::weight_gradient};

/// 100 TFLOP/s in 16 bits, 200 in fp8, 1 TB/s; all shares 1, nothing at least.
shards::Rates ideal() {
  shards::Rates rates;
  rates.type.name = "X1";
  rates.type.peak_tflops = {{"bf16", 100}, {"fp8", 200}};
  rates.type.memory_bandwidth = gigabytes_per_second(1000);
  const PrecisionEfficiency whole{{1, 0, 0, 0}, {1, 0, 0, 0}, 0};
  rates.reached.products = {{"bf16", whole}, {"fp8", whole}};
  rates.reached.attention = {{"default", {1, 1, 0, 0}}};
  rates.reached.memory = 1;
  rates.reached.kernel = rates.reached.launch = rates.reached.layer = rates.reached.expert_layer = Seconds(0);
  return rates;
}

/// A block with one product of rows x inner by inner x columns, and its gradients.
LayerShard block_of(double rows, double inner, double columns, WorkKind kind = WorkKind::product, double times = 1) {
  LayerShard layer;
  layer.kind = "transformer";
  layer.forward.products = {{"in", kind, rows, inner, columns, times}};
  layer.backward_input.products = {{"in", kind, rows, columns, inner, times}};
  layer.backward_weight.products = {{"in", kind, inner, rows, columns, times}};
  return layer;
}

WorkTime time_of(const LayerShard& layer, Compute pass, const shards::Rates& rates, const Training& training = {}) {
  const Result<WorkTime> time = shards::work_time(layer, pass, rates, training);
  ensure(time.has_value(), "the precision is known");
  return *time;
}

double seconds(const LayerShard& layer, Compute pass, const shards::Rates& rates, const Training& training = {}) {
  return time_of(layer, pass, rates, training).total.count;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

TransformerConfig llama(int key_value_heads = 8) {
  TransformerConfig config;
  config.hidden = 4096, config.layers = 2, config.heads = 32, config.key_value_heads = key_value_heads;
  config.head_width = 128, config.feed_forward = 14336, config.gated = true, config.vocabulary = 128256;
  config.norm = NormKind::rms;
  return config;
}

std::vector<LayerShard> layers_of(const TransformerConfig& config, int sequence, const Shard& shard = {}) {
  shards::ShardOptions options;
  options.count.sequence = sequence;
  options.shard = shard;
  options.recomputed.blocks = true;
  return shards::shard_layers(config, options).value();
}

/// A device with every share below 1.
shards::Rates usual() {
  shards::Rates rates = ideal();
  rates.reached.products["bf16"] = {{0.7, 128, 128, 128}, {0.6, 200, 500, 200}, 0};
  rates.reached.products["fp8"] = {{0.6, 192, 192, 192}, {0.5, 300, 700, 300}, 3};
  rates.reached.attention["default"] = {0.7, 0.6, 16000, 32};
  rates.reached.memory = 0.7;
  rates.reached.kernel = microseconds(2);
  return rates;
}

class TestWorkTimes : public QObject {
  Q_OBJECT

 private slots:
  void large_products_reach_their_share_and_half_sizes_half() {
    shards::Rates rates = ideal();
    rates.reached.products["bf16"].plain = {0.8, 0, 0, 0};
    const LayerShard square = block_of(8192, 8192, 8192);
    const double expected = 2 * std::pow(8192.0, 3) / (0.8 * 100e12);
    for (const Compute pass : {Compute::forward, Compute::input_gradient, Compute::weight_gradient})
      QVERIFY(near(seconds(square, pass, rates), expected));
    rates.reached.products["bf16"].plain.half_inner = 8192;
    QVERIFY(near(seconds(square, Compute::forward, rates), 2 * expected));
    rates.reached.products["bf16"].plain.half_columns = 8192;
    QVERIFY(near(seconds(square, Compute::forward, rates), 4 * expected));
  }

  /// With few rows the weight gradient suffers: its inner dimension is the rows.
  void gradients_have_their_own_shapes() {
    shards::Rates rates = ideal();
    rates.reached.products["bf16"].plain.half_inner = 512;
    const LayerShard layer = block_of(512, 4096, 16384);
    const double peak = 2 * 512.0 * 4096 * 16384 / 100e12;
    QVERIFY(near(seconds(layer, Compute::forward, rates), peak * (4096 + 512) / 4096));
    QVERIFY(near(seconds(layer, Compute::input_gradient, rates), peak * (16384 + 512) / 16384));
    QVERIFY(near(seconds(layer, Compute::weight_gradient, rates), peak * 2));
  }

  /// Eight experts of 128 rows: grouped values, not those of plain products.
  void grouped_products_depend_on_rows_of_an_expert() {
    shards::Rates rates = ideal();
    rates.reached.products["bf16"].grouped = {0.5, 384, 0, 0};
    const LayerShard layer = block_of(128, 4096, 4096, WorkKind::grouped_product, 8);
    const double peak = 8 * 2 * 128.0 * 4096 * 4096 / 100e12;
    QVERIFY(near(seconds(layer, Compute::forward, rates), peak / (0.5 * 0.25)));
  }

  /// One row against 4,096 x 4,096 weights takes their bytes; a gradient's sum is read and written in fp32.
  void products_take_at_least_their_bytes() {
    const LayerShard layer = block_of(1, 4096, 4096);
    const double bytes = 2 * (4096 + 4096.0 * 4096 + 4096);
    QVERIFY(near(seconds(layer, Compute::forward, ideal()), bytes / 1e12));
    const double sums = 2 * (4096 + 4096) + 8 * 4096.0 * 4096;
    QVERIFY(near(seconds(layer, Compute::weight_gradient, ideal()), sums / 1e12));
  }

  /// Attention of 32 heads over 1,024 tokens in 16 bits, whatever the products' precision.
  void attention_has_its_own_shares() {
    shards::Rates rates = ideal();
    rates.reached.attention = {{"default", {0.5, 0.25, 0, 128}}, {"flash-2", {0.25, 0.25, 32 * 1024, 128}}};
    LayerShard layer;
    layer.kind = "transformer";
    layer.forward.products = {{"scores", WorkKind::attention, 1024, 128, 1024, 32, true},
                              {"weighted values", WorkKind::attention, 1024, 1024, 128, 32, true}};
    layer.backward_input.products = layer.forward.products;
    const double peak = 2 * 2 * 32 * 1024.0 * 1024 * 128 / 100e12;
    Training training{.products = "fp8"};
    const WorkTime forward = time_of(layer, Compute::forward, rates, training);
    QVERIFY(near(forward.attention.count, peak / (0.5 * 0.5)));
    QVERIFY(forward.products.empty());
    QVERIFY(near(seconds(layer, Compute::input_gradient, rates, training), peak / (0.25 * 0.5)));
    training.attention = "flash-2";
    QVERIFY(near(seconds(layer, Compute::forward, rates, training), peak / (0.25 * 0.5 * 0.5)));
  }

  /// Half the time of bf16 and the casts of n (h + f) numbers. The router and the head stay in 16 bits.
  void narrow_products_have_casts() {
    shards::Rates rates = ideal();
    rates.reached.products["fp8"].casts = 3;
    const Training fp8{.products = "fp8", .recipe = "delayed"};
    LayerShard layer = block_of(4096, 4096, 8192);
    const double wide = 2 * 4096.0 * 4096 * 8192 / 100e12;
    QVERIFY(near(seconds(layer, Compute::forward, rates), wide));
    QVERIFY(near(seconds(layer, Compute::forward, rates, fp8), wide / 2 + 3 * 4096.0 * 4096 / 1e12));
    QVERIFY(near(seconds(layer, Compute::input_gradient, rates, fp8), wide / 2 + 3 * 4096.0 * 8192 / 1e12));
    QVERIFY(near(seconds(layer, Compute::weight_gradient, rates, fp8), wide / 2));
    rates.reached.products["fp8-delayed"] = rates.reached.products["fp8"];
    rates.reached.products["fp8-delayed"].casts = 1;
    QVERIFY(near(seconds(layer, Compute::forward, rates, fp8), wide / 2 + 4096.0 * 4096 / 1e12));
    layer.forward.products[0].part = analytic::times::Part::router;
    QVERIFY(near(seconds(layer, Compute::forward, rates, fp8), wide));
    layer.forward.products[0].part = analytic::times::Part::rest;
    layer.kind = "linear";
    QVERIFY(near(seconds(layer, Compute::forward, rates, fp8), wide));
  }

  /// 20 launches of 5 µs and 100 µs a layer are 200 µs; the backward's 40 are of both passes. Graphs do not wait.
  void a_slow_host_stretches_all_parts() {
    shards::Rates rates = ideal();
    LayerShard layer = block_of(512, 1024, 1024);
    layer.forward.launches = 20, layer.backward_input.launches = 40;
    layer.forward.memory_bytes = layer.backward_input.memory_bytes = 1e6;
    const WorkTime device = time_of(layer, Compute::forward, rates);
    QVERIFY(!device.bound_by_host);
    rates.reached.launch = microseconds(5), rates.reached.layer = microseconds(100);
    const WorkTime host = time_of(layer, Compute::forward, rates);
    QVERIFY(host.bound_by_host);
    QVERIFY(near(host.total.count, 200e-6));
    QVERIFY(near(host.products[0].time.count / device.products[0].time.count, 200e-6 / device.total.count));
    QVERIFY(near(seconds(layer, Compute::input_gradient, rates), 200e-6));
    QVERIFY(near(seconds(layer, Compute::weight_gradient, rates), 200e-6));
    QCOMPARE(time_of(layer, Compute::forward, rates, {.graphs = Graphs::all}).total, device.total);
    rates.reached.expert_layer = microseconds(400);
    layer.kind = "experts";
    QVERIFY(near(seconds(layer, Compute::forward, rates), 500e-6));
    rates.reached.kernel = microseconds(30);  // 19 small kernels and one product
    QVERIFY(near(seconds(layer, Compute::forward, rates, {.graphs = Graphs::all}), 20 * 30e-6));
  }

  /// With adapters of rank r: two thin products more, and no gradients of frozen weights.
  void adapters_replace_weight_gradients() {
    Training lora;
    lora.adapters.rank = 16;
    const LayerShard layer = block_of(4096, 4096, 8192);
    const double down = 2 * (4096 * 4096 + 4096 * 16 + 4096 * 16), up = 2 * (4096 * 16 + 16 * 8192 + 4096.0 * 8192);
    const double frozen = seconds(layer, Compute::forward, ideal());
    QVERIFY(near(seconds(layer, Compute::forward, ideal(), lora), frozen + (down + up) / 1e12));  // bound by bytes
    QVERIFY(near(seconds(layer, Compute::input_gradient, ideal(), lora), frozen + (down + up) / 1e12));
    const double sums = 2 * 4096.0 * (4096 + 16 + 16 + 8192) + 8 * 16.0 * (4096 + 8192);
    QVERIFY(near(seconds(layer, Compute::weight_gradient, ideal(), lora), sums / 1e12));
    LayerShard head = block_of(4096, 4096, 128256);
    head.kind = "linear";
    QCOMPARE(seconds(head, Compute::weight_gradient, ideal(), lora), 0.0);
  }

  void parts_add_up_to_the_total() {
    for (const char* products : {"bf16", "fp8"})
      for (const LayerShard& layer : layers_of(llama(), 2048))
        for (const Compute pass : passes) {
          shards::Rates rates = usual();
          for (const Seconds launch : {Seconds(0), microseconds(50)}) {
            rates.reached.launch = launch;
            const WorkTime time = time_of(layer, pass, rates, {.products = products});
            Seconds sum = time.attention + time.memory;
            for (const shards::NamedTime& one : time.products) sum += one.time;
            QVERIFY(std::abs(sum.count - time.total.count) <= 1e-12 * time.total.count);
          }
        }
  }

  /// The products of a block that hide collectives are found by the collectives' names.
  void names_are_those_of_collectives() {
    for (const LayerShard& layer : layers_of(llama(), 4096, {.tensor = 4, .sequence = true}))
      for (const shards::LayerCollective& one : layer.collectives) {
        if (one.behind != Behind::input_gradient && one.behind != Behind::weight_gradient) continue;
        const Compute pass = one.behind == Behind::input_gradient ? Compute::input_gradient : Compute::weight_gradient;
        const std::vector<shards::NamedTime> found = time_of(layer, pass, usual()).products;
        QVERIFY2(std::ranges::count(found, one.product, &shards::NamedTime::name) == 1, one.product.c_str());
      }
  }

  /// Odd lengths of rows slow a product down, but not odd numbers of tokens (arXiv 2401.14489, section 6).
  void rows_that_are_no_whole_vectors_are_slow() {
    for (const int length : {64, 192, 12288}) QCOMPARE(aligned_share(length), 1.0);
    for (const int length : {1, 2, 4, 8, 16, 32}) QVERIFY(aligned_share(length) < aligned_share(2 * length));
    QVERIFY(aligned_share(150) < 0.2);
    const double aligned = seconds(block_of(4096, 4096, 4096), Compute::forward, ideal());
    QVERIFY(near(seconds(block_of(4001, 4096, 4096), Compute::forward, ideal()), aligned * 4001 / 4096));
    QVERIFY(near(seconds(block_of(4001, 4096, 4096), Compute::weight_gradient, ideal()), aligned * 4001 / 4096));
    QVERIFY(seconds(block_of(4096, 4096, 4004), Compute::forward, ideal()) > 4 * aligned);
  }

  void shared_experts_are_part_of_products() {
    TransformerConfig config = llama();
    config.experts =
        Experts{.count = 8, .per_token = 2, .feed_forward = 2048, .shared_feed_forward = 4096, .dense = {}};
    for (const LayerShard& layer : layers_of(config, 2048)) {
      const WorkTime time = time_of(layer, Compute::forward, usual());
      Seconds sum;
      for (const shards::NamedTime& one : time.products)
        if (one.name.starts_with("shared experts")) sum += one.time;
      QCOMPARE(time.shared_experts, sum);
      QCOMPARE(sum > Seconds(0), layer.kind == "experts");
    }
  }

  /// More tokens take longer; without attention, a token takes no longer than before.
  void more_tokens_take_longer() {
    for (const char* products : {"bf16", "fp8"})
      for (const Compute pass : passes) {
        const Training training{.products = products};
        const std::vector<LayerShard> few = layers_of(llama(), 1024), many = layers_of(llama(), 2048);
        for (std::size_t i = 0; i < few.size(); ++i) {
          const double before = seconds(few[i], pass, usual(), training),
                       after = seconds(many[i], pass, usual(), training);
          QVERIFY(after >= before);
          QVERIFY(few[i].kind == "transformer" || after <= 2 * before);
        }
      }
  }

  /// A division over T ranks never makes a pass more than T times as quick.
  void divided_products_are_no_more_efficient() {
    const std::vector<LayerShard> whole = layers_of(llama(), 4096);
    for (const int ranks : {2, 4, 8}) {
      const std::vector<LayerShard> part = layers_of(llama(), 4096, {.tensor = ranks, .sequence = true});
      for (std::size_t i = 0; i < whole.size(); ++i)
        for (const Compute pass : passes)
          QVERIFY(seconds(part[i], pass, usual()) >= seconds(whole[i], pass, usual()) / ranks * (1 - 1e-12));
    }
  }

  void missing_precisions_are_named() {
    const LayerShard layer = block_of(1, 1, 1);
    const auto refused = [&](const shards::Rates& rates, const char* products, const char* words) {
      const Result<WorkTime> time = shards::work_time(layer, Compute::forward, rates, {.products = products});
      return !time && time.error().code == ErrorCode::bad_input &&
             time.error().message.find(words) != std::string::npos &&
             time.error().message.find("X1") != std::string::npos;
    };
    QVERIFY(refused(ideal(), "nvfp4", "nvfp4"));
    shards::Rates rates = ideal();
    rates.type.peak_tflops["fp4"] = 400;  // in the data sheet alone
    QVERIFY(refused(rates, "nvfp4", "table"));
    rates = ideal();
    rates.type.memory_bandwidth.reset();
    QVERIFY(refused(rates, "bf16", "bandwidth"));
    rates = ideal();
    rates.reached.attention.clear();
    QVERIFY(refused(rates, "bf16", "attention"));
  }
};

PIPEDECK_TEST(TestWorkTimes)

}  // namespace pipedeck::tst_work_times

#include "tst_work_times.moc"
