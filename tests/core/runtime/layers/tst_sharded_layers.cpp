// SPDX-License-Identifier: Apache-2.0
// Layers sharded over a tensor-parallel group, compared with the layers on one device: outputs, gradients of inputs and
// weights, initial weights, and the sharded loss.
#include <QTest>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/cost/whale_bridge.hpp"
#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/layers/sharding.hpp"
#include "core/runtime/transport/profiling_collectives.hpp"
#include "core/runtime/transport/thread_group.hpp"
#include "tests/core/runtime/layers/layer_case.hpp"
#include "tests/core/runtime/thread_collective.hpp"
#include "tests/core/runtime/train/training_cases.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_sharded_layers {

using namespace pipedeck::test;

/// The results of a chain of layers for one micro-batch.
struct Passes {
  Vector output, input_gradient;
  double loss = 0;
  std::vector<std::vector<float>> initial, gradients;  ///< whole layers'
};

struct Question {
  ModelSpec model;
  int first = 0, last = 0;
  runtime::layers::Shard shard;
  bool again = false;  ///< forward twice, from what the first one keeps of its input, as a recomputed stage does
  bool with_loss() const { return last + 1 == static_cast<int>(model.layers.size()); }
};

runtime::tensor::Tensor random_tensor(const std::shared_ptr<runtime::tensor::DeviceMemory>& memory, std::int64_t width,
                                      std::uint64_t below, int seed) {
  runtime::tensor::Tensor tensor(memory, samples, width);
  Random random(static_cast<std::uint64_t>(seed));
  for (float& value : tensor.values())
    value = below > 0 ? static_cast<float>(random.uniform_int(below)) : random.normal();
  return tensor;
}

std::uint64_t tokens_of(const ModelLayer& layer) {
  return layer.kind == "embedding" ? static_cast<std::uint64_t>(layer.size("vocabulary")) : 0;
}

/// Weights as drawn plus a little, so that no bias is 0 and no gain 1, the same on one device and on parts of it.
std::vector<float> moved(const runtime::layers::LayerKernel& layer, std::uint64_t stream) {
  std::vector<float> noise(static_cast<std::size_t>(layer.replicated_parameters())),
      part(static_cast<std::size_t>(layer.parameters()));
  Random random(99, stream);
  for (float& value : noise) value = 0.3f * random.normal();
  layer.initialise(part, Random(3, stream));
  std::vector<float> own(part.size());
  runtime::layers::extract_blocks(layer.blocks(), noise, own);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] += own[i];
  return part;
}

Passes passes_of(const Question& question, const std::vector<std::unique_ptr<runtime::layers::LayerKernel>>& layers,
                 const std::optional<runtime::layers::SoftmaxCrossEntropy>& loss, Passes result) {
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
  const ModelLayer& first = question.model.layers[static_cast<std::size_t>(question.first)];
  runtime::tensor::Tensor value = random_tensor(memory, layers.front()->input_width(), tokens_of(first), 21);
  std::vector<runtime::layers::SavedTensors> saved(layers.size());
  for (runtime::layers::SavedTensors& of_layer : saved) of_layer.loss_scale = loss_scale;
  std::vector<std::vector<float>> parameters;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::vector<float> drawn(static_cast<std::size_t>(layers[i]->parameters()));
    layers[i]->initialise(drawn, Random(3, i));
    runtime::layers::insert_blocks(layers[i]->blocks(), drawn, result.initial[i]);
    parameters.push_back(moved(*layers[i], i));
    value = layers[i]->forward(std::move(value), parameters[i], saved[i]);
  }
  if (question.again) {
    for (runtime::layers::SavedTensors& of_layer : saved) of_layer.tensors.resize(1);
    value = std::move(saved[0].tensors[0]);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      saved[i].tensors.clear();
      value = layers[i]->forward(std::move(value), parameters[i], saved[i]);
    }
  }
  runtime::tensor::Tensor gradient;
  if (loss) {
    const runtime::tensor::Tensor targets =
        random_tensor(memory, loss->sequence(), static_cast<std::uint64_t>(loss->classes()), 22);
    result.loss = runtime::cpu::cross_entropy(*loss, value, targets);
    gradient = runtime::cpu::cross_entropy_gradient(std::move(value), 0.25f);
  } else {
    result.output = wide(value.values());
    gradient = random_tensor(memory, value.width(), 0, 23);
  }
  for (std::size_t i = layers.size(); i-- > 0;) {
    gradient = layers[i]->backward_input(std::move(gradient), parameters[i], saved[i], i > 0 || question.first > 0);
    std::vector<float> own(parameters[i].size());
    layers[i]->backward_weight(saved[i], own);
    runtime::layers::insert_blocks(layers[i]->blocks(), own, result.gradients[i]);
  }
  result.input_gradient = wide(gradient.values());
  return result;
}

std::optional<runtime::layers::SoftmaxCrossEntropy> loss_of(const Question& question, std::int64_t width) {
  if (!question.with_loss()) return std::nullopt;
  return runtime::layers::SoftmaxCrossEntropy::of(question.model, width).value();
}

Passes on_one_device(const Question& question) {
  std::vector<std::unique_ptr<runtime::layers::LayerKernel>> layers;
  Passes empty;
  for (int i = question.first; i < question.last; ++i) {
    layers.push_back(runtime::layers::make_layer(question.model.layers[static_cast<std::size_t>(i)],
                                                 runtime::cpu::cpu_kernel_registry())
                         .value());
    empty.initial.emplace_back(static_cast<std::size_t>(layers.back()->parameters()), NAN);
  }
  empty.gradients = empty.initial;
  return passes_of(question, layers, loss_of(question, layers.back()->output_width()), empty);
}

/// Every rank's, with whole parameters put together from those of the ranks up to it.
std::vector<Passes> on_a_group(const Question& question, const Passes& alone) {
  std::vector<Passes> ranks(static_cast<std::size_t>(question.shard.degree));
  const ModelLayer& last = question.model.layers[static_cast<std::size_t>(question.last - 1)];
  const std::int64_t width =
      runtime::layers::make_layer(last, runtime::cpu::cpu_kernel_registry()).value()->output_width();
  as_a_group(question.shard.degree, [&](int rank, const std::shared_ptr<runtime::transport::Collective>& group) {
    runtime::layers::Shard shard = question.shard;
    shard.rank = rank;
    const auto made = runtime::layers::make_sharded_layers(question.model, question.first, question.last,
                                                           runtime::cpu::cpu_kernel_registry(), shard, group)
                          .value();
    Passes empty;
    for (std::size_t i = 0; i < made.layers.size(); ++i) {
      const runtime::layers::LayerKernel& layer = *made.layers[i];
      if (layer.replicated_parameters() != static_cast<std::int64_t>(alone.initial[i].size()) ||
          layer.parameters() != runtime::layers::floats_in(layer.blocks()))
        qFatal("blocks do not add up");
      empty.initial.emplace_back(alone.initial[i].size(), NAN);
    }
    empty.gradients = empty.initial;
    auto loss = loss_of(question, width);
    if (loss && made.loss) loss = loss->over(*made.loss);
    ranks[static_cast<std::size_t>(rank)] = passes_of(question, made.layers, loss, empty);
  });
  return ranks;
}

bool agrees(const QString& what, const Vector& mine, const Vector& other) {
  const double apart = other.empty() && mine.empty() ? 0 : relative_difference(mine, other);
  if (apart < 2e-5) return true;
  qWarning("%s apart by %g", qPrintable(what), apart);
  return false;
}

/// Compares the ranks' parts, joined: no part may be missing, and parts on several ranks have equal bits.
bool agree(const QString& what, const std::vector<std::vector<float>>& expected, const std::vector<Passes>& ranks,
           std::vector<std::vector<float>> Passes::*member, bool bits) {
  for (std::size_t layer = 0; layer < expected.size(); ++layer) {
    std::vector<float> whole(expected[layer].size(), NAN);
    for (const Passes& rank : ranks)
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const float mine = (rank.*member)[layer][i];
        if (std::isnan(mine)) continue;
        if (!std::isnan(whole[i]) && mine != whole[i]) {
          qWarning("%s of layer %zu: ranks differ at %zu", qPrintable(what), layer, i);
          return false;
        }
        whole[i] = mine;
      }
    if (bits && whole != expected[layer]) return qWarning("%s of layer %zu differ", qPrintable(what), layer), false;
    if (!agrees(what + QString(" of layer %1").arg(layer), wide(whole), wide(expected[layer]))) return false;
  }
  return true;
}

bool equals_one_device(const Question& question) {
  const Passes alone = on_one_device(question);
  const std::vector<Passes> ranks = on_a_group(question, alone);
  for (const Passes& rank : ranks) {
    if (!agrees("output", rank.output, alone.output)) return false;
    if (!agrees("input gradient", rank.input_gradient, alone.input_gradient)) return false;
    if (!agrees("loss", {rank.loss}, {alone.loss})) return false;
    if (rank.output != ranks[0].output || rank.input_gradient != ranks[0].input_gradient) return false;
  }
  return agree("weights", alone.initial, ranks, &Passes::initial, true) &&
         agree("weight gradient", alone.gradients, ranks, &Passes::gradients, false);
}

ModelSpec model_of(std::vector<ModelLayer> layers) {
  ModelSpec model;
  model.layers = std::move(layers);
  return model;
}

ModelLayer loss_layer(std::int64_t classes, std::int64_t sequence) {
  return {"loss", "softmax_cross_entropy", {{"classes", classes}, {"sequence", sequence}}};
}

/// One layer of each kind that can be cut, wide enough for 4 ranks, with sizes that 3 does not divide.
std::vector<ModelLayer> one_of_each() {
  const auto image = [](std::map<std::string, std::int64_t> more) {
    more.insert({{"height", 5}, {"width", 6}});
    return more;
  };
  return {
      {"a", "embedding", {{"vocabulary", 9}, {"hidden", 10}, {"sequence", 3}}},
      {"b", "linear", {{"in", 7}, {"out", 11}, {"sequence", 3}, {"activation", 2}}},
      {"c", "linear", {{"in", 13}, {"out", 5}, {"sequence", 2}, {"activation", 1}}},
      {"d", "transformer", {{"hidden", 20}, {"heads", 5}, {"feed_forward", 14}, {"sequence", 4}, {"causal", 1}}},
      {"e", "transformer", {{"hidden", 12}, {"heads", 4}, {"feed_forward", 9}, {"sequence", 3}, {"causal", 0}}},
      {"f", "lstm", {{"in", 5}, {"hidden", 7}, {"sequence", 4}, {"directions", 1}}},
      {"g", "lstm", {{"in", 4}, {"hidden", 5}, {"sequence", 3}, {"directions", 2}}},
      {"h", "convolution",
       image({{"in", 3}, {"out", 7}, {"kernel", 3}, {"stride", 2}, {"padding", 1}, {"activation", 1}, {"bias", 1}})},
      {"i", "convolution",
       image({{"in", 9}, {"out", 4}, {"kernel", 2}, {"stride", 1}, {"padding", 0}, {"activation", 0}, {"bias", 0}})},
      {"j", "residual", image({{"in", 6}, {"out", 6}, {"stride", 1}})},
      {"k", "residual", image({{"in", 5}, {"out", 7}, {"stride", 2}})},
      {"l", "bottleneck", image({{"in", 8}, {"middle", 5}, {"out", 8}, {"stride", 1}})},
      {"m", "bottleneck", image({{"in", 4}, {"middle", 6}, {"out", 9}, {"stride", 2}})},
      {"n", "batch_norm", image({{"channels", 6}, {"activation", 1}})},
      {"o", "max_pool", image({{"channels", 5}, {"kernel", 2}, {"stride", 2}, {"padding", 0}})},
      {"p", "global_average_pool", image({{"channels", 6}})},
      {"q", "layer_norm", {{"hidden", 6}, {"sequence", 2}}},
      {"r", "rms_norm", {{"hidden", 6}, {"sequence", 2}}},
      {"s", "embedding", {{"vocabulary", 9}, {"hidden", 10}, {"sequence", 3}, {"positions", 0}}},
      {"t", "linear", {{"in", 7}, {"out", 11}, {"sequence", 3}, {"activation", 2}, {"bias", 0}}},
      {"u", "linear", {{"in", 13}, {"out", 5}, {"sequence", 2}, {"bias", 0}}},
      {"v", "decoder", {{"hidden", 20}, {"heads", 10}, {"key_value_heads", 5}, {"feed_forward", 14}, {"sequence", 4}}},
      {"w",
       "decoder",
       {{"hidden", 7},
        {"heads", 4},
        {"head_width", 6},
        {"feed_forward", 9},
        {"sequence", 5},
        {"window", 2},
        {"bias_qkv", 1},
        {"norm_heads", 1}}},
      {"x", "attention", {{"hidden", 6}, {"heads", 8}, {"key_value_heads", 4}, {"head_width", 4}, {"sequence", 3}}},
      {"y", "feed_forward", {{"hidden", 6}, {"feed_forward", 11}, {"sequence", 3}}},
      {"z",
       "experts",
       {{"hidden", 6}, {"experts", 5}, {"per_token", 2}, {"feed_forward", 7}, {"sequence", 4}, {"normalised", 0}}},
      {"zb",
       "latent_attention",
       {{"hidden", 6},
        {"heads", 5},
        {"query_rank", 4},
        {"key_value_rank", 5},
        {"plain_width", 3},
        {"rotary_width", 2},
        {"value_width", 4},
        {"sequence", 4}}},
      {"zc",
       "latent_decoder",
       {{"hidden", 6},
        {"heads", 4},
        {"key_value_rank", 3},
        {"plain_width", 2},
        {"rotary_width", 4},
        {"value_width", 3},
        {"feed_forward", 7},
        {"sequence", 3}}},
      {"za",
       "experts",
       {{"hidden", 5},
        {"experts", 3},
        {"per_token", 1},
        {"feed_forward", 4},
        {"shared_feed_forward", 9},
        {"sequence", 6},
        {"sigmoid", 1},
        {"auxiliary_loss_permille", 900},
        {"capacity_percent", 100}}},
  };
}

std::map<QString, ModelSpec> chains() {
  const auto linear = [](std::int64_t in, std::int64_t out, int activation) {
    return ModelLayer{"linear", "linear", {{"in", in}, {"out", out}, {"sequence", 1}, {"activation", activation}}};
  };
  std::map<QString, ModelSpec> models{{"mlp", small_mlp()},    {"vgg", small_cnn()}, {"resnet", small_cnn(true)},
                                      {"lstm", small_lstm(1)}, {"gpt", small_gpt()}, {"lstm both ways", small_lstm(2)}};
  for (ModelLayer& layer : models["gpt"].layers)
    if (layer.kind == "transformer") layer.sizes["heads"] = 4;
  models["llama"] = small_llama();
  models["mixtral"] = small_mixtral();
  models["wide classifier"] = model_of({linear(9, 6, 1), linear(6, 8, 2), linear(8, 50, 0), loss_layer(50, 1)});
  std::vector<ModelLayer> image = small_cnn().layers;
  image.resize(2);  // 8 channels of 4 x 4 pixels
  image.insert(image.end(), {linear(128, 6, 1), linear(6, 31, 0), loss_layer(31, 1)});
  models["flattened image"] = model_of(image);
  return models;
}

std::vector<runtime::layers::Shard> shards() {
  return {
      {0, 2, {}}, {0, 3, {}}, {0, 4, {}}, {0, 2, {0.7, 0.3}}, {0, 3, {0.2, 0.5, 0.3}}, {0, 4, {0.01, 0.9, 0.05, 0.04}}};
}

class TestShardedLayers : public QObject {
  Q_OBJECT
 private slots:
  void columns_are_cut_by_largest_remainders();
  void positions_are_divided_and_joined();
  void threads_add_up_in_rank_order_data();
  void threads_add_up_in_rank_order();
  void every_kind_is_cut();
  void every_kind_equals_one_device_data();
  void every_kind_equals_one_device();
  void chains_equal_one_device_data();
  void chains_equal_one_device();
  void products_alternate();
  void patterns_are_as_cheap_as_the_cost_models();
  void a_lone_rank_counts_what_it_would_reduce();
  void too_many_devices_are_named_data();
  void too_many_devices_are_named();
};

/// Every rank has its positions of each sample: even numbers and uneven ones, any shares of columns.
void TestShardedLayers::positions_are_divided_and_joined() {
  for (const int degree : {1, 2, 3, 4})
    for (const std::int64_t sequence : {4, 7, 12}) {
      constexpr int samples = 3;
      constexpr std::int64_t columns = 5;
      const auto value = [&](int rank, std::int64_t i) {
        Random random(static_cast<std::uint64_t>(rank) + 1, static_cast<std::uint64_t>(i));
        return random.normal();
      };
      std::atomic<int> right{0};
      as_a_group(degree, [&](int rank, const std::shared_ptr<runtime::transport::Collective>& group) {
        std::vector<double> shares(static_cast<std::size_t>(degree), 1.0);
        shares.back() = 3;
        const runtime::layers::TensorParallelGroup partners({rank, degree, shares}, group);
        runtime::tensor::Tensor partial(std::make_shared<runtime::tensor::DeviceMemory>(), samples, sequence * columns);
        for (std::int64_t i = 0; i < partial.size(); ++i) partial.data()[i] = value(rank, i);
        std::vector<float> sums;
        for (std::int64_t i = 0; i < partial.size(); ++i) {
          sums.push_back(value(0, i));
          for (int other = 1; other < degree; ++other) sums.back() += value(other, i);
        }
        const auto range = partners.local_positions(sequence);
        const runtime::tensor::Tensor own = partners.reduce_scatter_positions(partial, sequence);
        const runtime::tensor::Tensor whole = partners.gather_positions(own, sequence);
        const runtime::tensor::Tensor part = partners.scatter_positions(whole, sequence);
        bool same = range.count >= sequence / degree && range.count <= (sequence + degree - 1) / degree &&
                    own.samples() == samples && own.width() == range.count * columns &&
                    std::ranges::equal(whole.values(), sums) && std::ranges::equal(part.values(), own.values());
        for (int sample = 0; sample < samples && same; ++sample)
          for (std::int64_t i = 0; i < own.width(); ++i)
            same = same && own.data()[sample * own.width() + i] ==
                               sums[static_cast<std::size_t>((sample * sequence + range.first) * columns + i)];
        right += same;
      });
      QCOMPARE(right.load(), degree);
    }
}

void TestShardedLayers::threads_add_up_in_rank_order_data() {
  QTest::addColumn<int>("members");
  QTest::addColumn<int>("size");
  for (const int members : {2, 3, 4})
    for (const int size : {1, 7, 2048, 4097, 12345}) QTest::addRow("%d values of %d", size, members) << members << size;
}

/// To the bit: sums of floats depend on their order.
void TestShardedLayers::threads_add_up_in_rank_order() {
  QFETCH(int, members);
  QFETCH(int, size);
  std::vector<std::vector<float>> values(static_cast<std::size_t>(members));
  std::vector<DeviceId> devices;
  for (int m = 0; m < members; ++m) {
    devices.push_back(DeviceId(m));
    for (int i = 0; i < size; ++i)
      values[static_cast<std::size_t>(m)].push_back(std::sin(static_cast<float>(1 + i + 31 * m)));
  }
  std::vector<float> sums = values[0];
  for (std::size_t m = 1; m < values.size(); ++m)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[m][i];
  runtime::transport::RunControl control(std::chrono::seconds(30), devices);
  runtime::transport::ThreadGroup group(values.size(), control);
  {
    std::vector<std::jthread> threads;
    for (std::size_t m = 0; m < values.size(); ++m) threads.emplace_back([&, m] { group.all_reduce(m, values[m]); });
  }
  for (const std::vector<float>& own : values) QCOMPARE(own, sums);
}

void TestShardedLayers::columns_are_cut_by_largest_remainders() {
  using Ranges = std::vector<runtime::layers::ShardRange>;
  QVERIFY(runtime::layers::shard_columns(8, {0, 2, {}}) == (Ranges{{0, 4}, {4, 4}}));
  QVERIFY(runtime::layers::shard_columns(8, {0, 3, {}}) == (Ranges{{0, 3}, {3, 3}, {6, 2}}));
  QVERIFY(runtime::layers::shard_columns(10, {0, 2, {0.74, 0.26}}) == (Ranges{{0, 7}, {7, 3}}));
  QVERIFY(runtime::layers::shard_columns(3, {0, 3, {0.98, 0.01, 0.01}}) == (Ranges{{0, 1}, {1, 1}, {2, 1}}));
  QVERIFY(runtime::layers::shard_columns(10, {0, 3, {0.3, 0.3, 0.4}}) == (Ranges{{0, 3}, {3, 3}, {6, 4}}));
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    runtime::layers::Shard shard{0, 1 + static_cast<int>(random.uniform_int(6)), {}};
    for (int rank = 0; rank < shard.degree; ++rank) shard.fractions.push_back(0.001 + random.uniform());
    const std::int64_t columns = shard.degree + static_cast<std::int64_t>(random.uniform_int(40));
    double sum = 0;
    for (const double fraction : shard.fractions) sum += fraction;
    std::int64_t next = 0;
    const Ranges ranges = runtime::layers::shard_columns(columns, shard);
    const bool some_get_one_for_less = std::any_of(shard.fractions.begin(), shard.fractions.end(),
                                                   [&](double f) { return f / sum * double(columns) < 1; });
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
      QCOMPARE(ranges[rank].first, next);
      QVERIFY(ranges[rank].count >= 1);
      const double quota = shard.fractions[rank] / sum * double(columns);
      if (!some_get_one_for_less) QVERIFY(std::abs(double(ranges[rank].count) - quota) < 1 + 1e-9);
      next += ranges[rank].count;
    }
    QCOMPARE(next, columns);
  }
}

void TestShardedLayers::every_kind_is_cut() {
  for (const LayerKind& kind : layer_kinds()) {
    if (kind.name == "softmax_cross_entropy" || kind.name.ends_with("_norm")) continue;  // the loss; alike everywhere
    QVERIFY2(runtime::cpu::cpu_kernel_registry().sharded.contains(std::string(kind.name)),
             std::string(kind.name).c_str());
  }
}

void TestShardedLayers::every_kind_equals_one_device_data() {
  QTest::addColumn<int>("layer");
  const auto layers = one_of_each();
  for (std::size_t i = 0; i < layers.size(); ++i)
    QTest::addRow("%s %s", layers[i].kind.c_str(), layers[i].name.c_str()) << static_cast<int>(i);
}

void TestShardedLayers::every_kind_equals_one_device() {
  QFETCH(int, layer);
  const ModelLayer of_kind = one_of_each()[static_cast<std::size_t>(layer)];
  bool again = false;
  for (const runtime::layers::Shard& shard : shards()) {
    QVERIFY(equals_one_device({model_of({of_kind}), 0, 1, shard, again}));
    again = !again;
    // Behind another layer, where its input's gradient is wanted.
    if (of_kind.kind != "embedding") QVERIFY(equals_one_device({model_of({of_kind, of_kind}), 1, 2, shard, again}));
  }
}

void TestShardedLayers::chains_equal_one_device_data() {
  QTest::addColumn<QString>("name");
  for (const auto& [name, model] : chains()) QTest::newRow(qPrintable(name)) << name;
}

void TestShardedLayers::chains_equal_one_device() {
  QFETCH(QString, name);
  const ModelSpec model = chains().at(name);
  const int layers = static_cast<int>(model.layers.size()) - 1;
  Random random(8);
  for (const runtime::layers::Shard& shard : shards()) {
    QVERIFY(equals_one_device({model, 0, layers, shard, random.coin()}));
    const int cut = 1 + static_cast<int>(random.uniform_int(static_cast<std::uint64_t>(layers - 1)));
    QVERIFY(equals_one_device({model, 0, cut, shard, random.coin()}));
    QVERIFY(equals_one_device({model, cut, layers, shard, random.coin()}));
  }
}

void TestShardedLayers::products_alternate() {
  const auto patterns = [](const ModelSpec& model, int first) {
    std::vector<runtime::layers::ShardingKind> found;
    const int last = static_cast<int>(model.layers.size()) - 1;
    const auto choices =
        runtime::layers::choose_sharding(model, first, last, runtime::cpu::cpu_kernel_registry(), 2).value();
    for (const runtime::layers::ShardingChoice& choice : choices) found.push_back(choice.pattern);
    return found;
  };
  using enum runtime::layers::ShardingKind;
  using Patterns = std::vector<runtime::layers::ShardingKind>;
  const auto all = chains();
  QVERIFY(patterns(small_mlp(24, 6), 0) == (Patterns{columns, rows, columns, rows, columns, rows}));
  QVERIFY(patterns(all.at("wide classifier"), 0) == (Patterns{columns, rows, columns}));
  QVERIFY(patterns(all.at("vgg"), 0) == (Patterns{columns, channels, rows, replicated, rows}));
  QVERIFY(patterns(all.at("flattened image"), 0) == (Patterns{columns, channels, rows, columns}));
  QVERIFY(patterns(all.at("gpt"), 0) == (Patterns{columns, internal, internal, replicated, columns}));
  QVERIFY(patterns(all.at("llama"), 0) == (Patterns{columns, internal, internal, internal, replicated, columns}));
  // Where classes are cut, the logits stay where they are.
  const ModelSpec& wide = all.at("wide classifier");
  QVERIFY(!runtime::layers::choose_sharding(wide, 0, 3, runtime::cpu::cpu_kernel_registry(), 2)->back().output_whole);
  QVERIFY(runtime::layers::choose_sharding(wide, 0, 2, runtime::cpu::cpu_kernel_registry(), 2)->back().output_whole);
}

void TestShardedLayers::patterns_are_as_cheap_as_the_cost_models() {
  Random random(15);
  for (int i = 0; i < 300; ++i) {
    const int degree = 2 + static_cast<int>(random.uniform_int(3)), count = 1 + static_cast<int>(random.uniform_int(6));
    ModelSpec model = model_of({{"before", "linear", {{"in", 4}, {"out", 8}, {"sequence", 1}, {"activation", 0}}}});
    std::vector<Layer> profile;
    std::int64_t in = 8;
    for (int l = 0; l < count; ++l) {
      const auto out = 4 + static_cast<std::int64_t>(random.uniform_int(60));
      model.layers.push_back({"l", "linear", {{"in", in}, {"out", out}, {"sequence", 1}, {"activation", 0}}});
      Layer layer;
      layer.parameters = Bytes(4 * (in + 1) * out), layer.output = Bytes(4 * out);
      profile.push_back(layer);
      in = out;
    }
    model.layers.push_back(loss_layer(in + 1, 1));  // takes something else: the last output has to be whole
    const auto choices =
        runtime::layers::choose_sharding(model, 1, 1 + count, runtime::cpu::cpu_kernel_registry(), degree).value();
    std::int64_t values = 0;
    for (int l = 0; l < count; ++l) {
      const ModelLayer& layer = model.layers[static_cast<std::size_t>(l) + 1];
      const runtime::layers::ShardingChoice& choice = choices[static_cast<std::size_t>(l)];
      const bool columns = choice.pattern == runtime::layers::ShardingKind::columns;
      values += columns ? 2 * layer.size("in") : 2 * layer.size("out") + (choice.input_whole ? layer.size("in") : 0);
      if (columns && choice.output_whole) values += layer.size("out");
    }
    QCOMPARE(4 * (degree - 1) * values, cost::cheapest_patterns(profile, Bytes(4 * 8), degree).chosen.count);
  }
}

/// Megatron-LM's two all-reduces each way, and a gather as half of one.
void TestShardedLayers::a_lone_rank_counts_what_it_would_reduce() {
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
  const auto counted = [&](const ModelLayer& layer, bool wanted) {
    const auto alone = std::make_shared<runtime::transport::SingleRankCollective>(1, 2);
    const ModelSpec model = model_of({layer, layer});
    const auto made =
        runtime::layers::make_sharded_layers(model, 1, 2, runtime::cpu::cpu_kernel_registry(), {1, 2, {}}, alone)
            .value();
    std::vector<float> parameters(static_cast<std::size_t>(made.layers[0]->parameters()), 0.1f);
    runtime::layers::SavedTensors saved;
    runtime::tensor::Tensor output =
        made.layers[0]->forward(random_tensor(memory, made.layers[0]->input_width(), 0, 1), parameters, saved);
    for (const float value : output.values())
      if (!std::isfinite(value)) qFatal("numbers are not sound");
    const runtime::transport::SingleRankCollective::Taken forward = alone->all_reduce_counts();
    made.layers[0]->backward_input(std::move(output), parameters, saved, wanted);
    return std::pair(forward, alone->all_reduce_counts());
  };
  const ModelLayer block{
      "b", "transformer", {{"hidden", 8}, {"heads", 2}, {"feed_forward", 20}, {"sequence", 5}, {"causal", 1}}};
  const std::int64_t values = 4 * samples * 5 * 8;
  using Taken = runtime::transport::SingleRankCollective::Taken;
  QVERIFY(counted(block, true) == std::pair(Taken{Bytes(2 * values), 2}, Taken{Bytes(2 * values), 2}));
  const ModelLayer linear{"l", "linear", {{"in", 6}, {"out", 14}, {"sequence", 1}, {"activation", 0}}};
  QVERIFY(counted(linear, true) == std::pair(Taken{Bytes(4 * samples * 14 / 2), 1}, Taken{Bytes(4 * samples * 6), 1}));
  QVERIFY(counted(linear, false).second == Taken());
  // An LSTM gathers what is carried on at each position.
  const ModelLayer lstm{"r", "lstm", {{"in", 6}, {"hidden", 8}, {"sequence", 5}, {"directions", 1}}};
  QVERIFY(counted(lstm, true).first.meetings >= 5);
}

void TestShardedLayers::too_many_devices_are_named_data() {
  QTest::addColumn<int>("layer");
  QTest::addColumn<QString>("expected");
  QTest::newRow("heads") << 4 << "layer 'e' (transformer) has 4 heads, which can't be cut over 5 devices";
  QTest::newRow("key-value heads") << 23
                                   << "layer 'x' (attention) has 4 key-value heads, which can't be cut over 5 devices";
  QTest::newRow("columns") << 29 << "layer 'r' (linear) takes 3 columns and gives 4, which can't be cut over 5 devices";
  QTest::newRow("channels") << 30 << "layer 's' (residual) has 2 channels, which can't be cut over 5 devices";
  QTest::newRow("hidden") << 31 << "layer 't' (lstm) has 4 hidden values, which can't be cut over 5 devices";
}

void TestShardedLayers::too_many_devices_are_named() {
  QFETCH(int, layer);
  QFETCH(QString, expected);
  auto layers = one_of_each();
  layers.push_back({"r", "linear", {{"in", 3}, {"out", 4}, {"sequence", 1}, {"activation", 0}}});
  layers.push_back({"s", "residual", {{"in", 2}, {"out", 2}, {"stride", 1}, {"height", 4}, {"width", 4}}});
  layers.push_back({"t", "lstm", {{"in", 6}, {"hidden", 4}, {"sequence", 1}, {"directions", 1}}});
  const ModelSpec model = model_of({layers[1], layers[static_cast<std::size_t>(layer)]});
  const auto made =
      runtime::layers::make_sharded_layers(model, 1, 2, runtime::cpu::cpu_kernel_registry(), {0, 5, {}}, nullptr);
  QVERIFY(!made);
  QCOMPARE(QString::fromStdString(made.error().message), expected);
  QCOMPARE(QString::fromStdString(made.error().place), "/layers/1");
}

PIPEDECK_TEST(TestShardedLayers)

}  // namespace pipedeck::tst_sharded_layers

#include "tst_sharded_layers.moc"
