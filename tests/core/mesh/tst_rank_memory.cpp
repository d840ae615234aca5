// SPDX-License-Identifier: Apache-2.0
// The bytes of a rank against closed forms, enumerated schedules and published figures.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "core/analytic/transformer/layers.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/mesh/memory.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_rank_memory {

using analytic::transformer::shards::LayerShard;
using mesh::Question;
using mesh::RankMemory;
using mesh::StageMemory;

constexpr double gib = 1 << 30;

Question question_of(const TransformerConfig& config, int sequence, const Shard& shard = {}, int data = 1) {
  Question question;
  question.config = config;
  question.layer.count = {.sequence = sequence, .micro_batch = 1};
  question.layer.shard = shard;
  question.data = data;
  question.states = *cost::state_bytes("mixed-18");
  return question;
}

/// Returns the rank's stages of an even division; the rest of the blocks is in the first stages.
std::vector<StageMemory> stages_of(const Question& question, int rank) {
  const int count = question.pipeline * question.virtual_stages;
  std::vector<std::vector<LayerShard>> stages(static_cast<std::size_t>(count));
  int block = -1;
  for (const LayerShard& layer : test::shards_of(question.config, question.layer)) {
    if (layer.kind == "transformer" || layer.kind == "attention") ++block;
    const bool in_tail = layer.kind == "layer_norm" || layer.kind == "linear" || layer.kind == "softmax_cross_entropy";
    const int stage = in_tail ? count - 1 : std::max(block, 0) * count / question.config.layers;
    stages[static_cast<std::size_t>(stage)].push_back(layer);
  }
  std::vector<StageMemory> own;
  for (int stage = rank; stage < count; stage += question.pipeline) {
    const auto& layers = stages[static_cast<std::size_t>(stage)];
    const auto made = mesh::stage_memory(question, layers, stage == 0, stage == count - 1);
    if (!made) qFatal("%s", made.error().message.c_str());
    own.push_back(*made);
  }
  return own;
}
StageMemory stage_of(const Question& question, int rank = 0) { return stages_of(question, rank).front(); }
RankMemory rank_of(const Question& question, int rank = 0) {
  return mesh::rank_memory(question, rank, stages_of(question, rank));
}
/// Returns the largest peak of all ranks, in GiB.
double peak_of(const Question& question) {
  double most = 0;
  for (int rank = 0; rank < question.pipeline; ++rank) most = std::max(most, rank_of(question, rank).peak);
  return most / gib;
}

double states(const StageMemory& stage) { return stage.weights + stage.gradients + stage.optimizer; }
StageMemory blocks_alone(const Question& question, const std::vector<LayerShard>& layers) {
  return mesh::stage_memory(question, layers, false, false).value();
}

#define COMPARE_ABOUT(found, expected, tolerance) \
  QVERIFY2(std::abs((found) - (expected)) <= (tolerance), qPrintable(QString::number(found, 'g', 12)))

struct Pass {
  bool forward = true;
  int chunk = 0, micro_batch = 0;
  auto operator<=>(const Pass&) const = default;
};
/// Executes the forwards and backwards of all ranks as soon as their inputs are there. Returns the most chunks of
/// micro-batches that each rank has at the same time; nothing if the orders of the ranks wait for each other.
std::vector<int> most_alive(int ranks, int chunks, const std::vector<std::vector<Pass>>& orders) {
  std::map<std::pair<int, Pass>, bool> done;  // by stage in the order of the model
  std::vector<std::size_t> at(orders.size());
  std::vector<int> alive(orders.size()), most(orders.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      if (at[r] == orders[r].size()) continue;
      const Pass pass = orders[r][at[r]];
      const int stage = pass.chunk * ranks + rank, last = ranks * chunks - 1;
      const auto has = [&](int of, bool forward) {
        return done.contains({of, {forward, of / ranks, pass.micro_batch}});
      };
      const bool ready = pass.forward ? stage == 0 || has(stage - 1, true)
                                      : has(stage, true) && (stage == last || has(stage + 1, false));
      if (!ready) continue;
      done[{stage, pass}] = true;
      alive[r] += pass.forward ? 1 : -1;
      most[r] = std::max(most[r], alive[r]);
      ++at[r], moved = true;
    }
  }
  for (std::size_t r = 0; r < orders.size(); ++r)
    if (at[r] != orders[r].size()) return {};
  return most;
}

/// Returns a rank's passes of Megatron-LM's interleaved schedule with groups of P micro-batches (schedules.py).
std::vector<Pass> interleaved(int ranks, int chunks, int micro_batches, int rank) {
  std::vector<Pass> forwards, backwards, order;
  for (int group = 0; group < micro_batches; group += ranks)
    for (int chunk = 0; chunk < chunks; ++chunk)
      for (int i = group; i < std::min(group + ranks, micro_batches); ++i) {
        forwards.push_back({true, chunk, i});
        backwards.push_back({false, chunks - 1 - chunk, i});
      }
  const int all = chunks * micro_batches;
  const int warm = std::min(all, (ranks - rank - 1) * (chunks > 1 ? 2 : 1) + (chunks - 1) * ranks);
  order.assign(forwards.begin(), forwards.begin() + warm);
  for (int i = warm; i < all; ++i) {
    order.push_back(forwards[static_cast<std::size_t>(i)]);
    order.push_back(backwards[static_cast<std::size_t>(i - warm)]);
  }
  order.insert(order.end(), backwards.begin() + (all - warm), backwards.end());
  return order;
}

class TestRankMemory : public QObject {
  Q_OBJECT

 private slots:
  /// Llama 3.1 405B, T 8, SP, C 2, D 8: 15.75 blocks.
  void states_of_llama_405b() {
    Question question = question_of(test::llama_405b(), 8192, {.tensor = 8, .sequence = true, .context = 2}, 8);
    question.sharding.level = 1;
    const std::vector<LayerShard> blocks(63, test::shard_named(question.config, question.layer, "block_5"));
    COMPARE_ABOUT(states(blocks_alone(question, blocks)) / 4 / gib, 39.45, 0.01);
    question.states = *cost::state_bytes("mixed-16");
    COMPARE_ABOUT(states(blocks_alone(question, blocks)) / 4 / gib, 27.76, 0.01);
  }

  /// DeepSeek-V3, e 64, D 64: an expert has one copy, so nothing shards its states. 14.5 layers at 16 bytes.
  void states_of_experts() {
    Question question = question_of(test::deepseek_v3(), 4096, {.expert = 64}, 64);
    question.sharding.level = 1;
    question.states = {2, 2, 12};
    LayerShard layer = test::shard_named(question.config, question.layer, "block_7.experts");
    layer.weights.dense = layer.weights.whole = 0;
    COMPARE_ABOUT(states(blocks_alone(question, std::vector(29, layer))) / 2 / gib, 38.06, 0.01);
  }

  /// Undivided: 18 bytes of each weight, and what the profiles of one device save.
  void undivided() {
    for (const TransformerConfig& config : {test::gpt(16, 1024), test::llama(1024, 3, 8, 2, 2816, 32000)}) {
      const Question question = question_of(config, 512);
      const StageMemory stage = stage_of(question);
      double saved = 0;
      for (const auto& layer : analytic::transformer::count_layers(config, {.sequence = 512, .micro_batch = 1}).layers)
        if (layer.kind != "softmax_cross_entropy") saved += analytic::times::saved_bytes(layer);
      QCOMPARE(stage.kept, saved);
      QCOMPARE(states(stage), 18 * analytic::transformer::parameters_of(config));
      TransformerConfig tied = config;
      tied.tied = true;
      QCOMPARE(states(stage_of(question_of(tied, 512))), 18 * analytic::transformer::parameters_of(tied));
    }
  }

  /// Tied words are on both ends of a pipeline.
  void tied_ends() {
    TransformerConfig config = test::llama(1024, 4, 8, 2, 2816, 32000);
    config.tied = true;
    Question question = question_of(config, 512);
    question.pipeline = 2, question.micro_batches = 4;
    const double words = 32000.0 * 1024;
    QCOMPARE(states(stage_of(question, 0)) + states(stage_of(question, 1)),
             18 * (analytic::transformer::parameters_of(config) + words));
    // Both ends of a V are on one rank.
    question.cluster = std::make_shared<const Cluster>();
    question.order = ScheduleKind::dualpipe_v, question.virtual_stages = 2;
    double all = 0;
    const auto layers = *mesh::stage_layers(question);
    for (std::size_t s = 0; s < layers.size(); ++s)
      all += states(*mesh::stage_memory(question, layers[s], s == 0, s == 3));
    QCOMPARE(all, 18 * analytic::transformer::parameters_of(config));
  }

  void micro_batches_by_enumeration() {
    for (const int ranks : {1, 2, 3, 4, 8})
      for (const int chunks : {1, 2, 3, 5})
        for (const int times : {1, 2, 3}) {
          if (ranks == 1 && chunks > 1) continue;
          Question question;
          question.pipeline = ranks, question.virtual_stages = chunks, question.micro_batches = ranks * times;
          std::vector<std::vector<Pass>> orders;
          for (int rank = 0; rank < ranks; ++rank)
            orders.push_back(interleaved(ranks, chunks, question.micro_batches, rank));
          const std::vector<int> most = most_alive(ranks, chunks, orders);
          QCOMPARE(most.size(), orders.size());
          for (int rank = 0; rank < ranks; ++rank)
            QVERIFY(std::abs(mesh::micro_batches_kept(question, rank, 0) * chunks -
                             most[static_cast<std::size_t>(rank)]) < 1e-9);
        }
  }

  /// Full recomputation keeps the input of each block, and restores one block at a time.
  void recomputed_blocks() {
    const TransformerConfig config = test::llama(1024, 6, 8, 2, 2816, 32000);
    Question question = question_of(config, 2048);
    const LayerShard block = test::shard_named(config, question.layer, "block_1");
    const double input = 2.0 * 2048 * 1024, ends = 2 * input;  // the last norm, the head
    const StageMemory without = stage_of(question);
    question.layer.recomputed.blocks = true;
    const StageMemory with = stage_of(question);
    QCOMPARE(with.kept, 6 * input + ends);
    QCOMPARE(without.kept, 6 * bytes_of(block.kept) + ends);
    question.layer.recomputed.count = 4;
    QCOMPARE(stage_of(question).kept, 4 * input + 2 * bytes_of(block.kept) + ends);
    question.layer.recomputed.count = 0;
    QCOMPARE(stage_of(question).kept, without.kept);

    question.layer.recomputed.count = -1;
    const std::vector<LayerShard> blocks(6, test::shard_named(config, question.layer, "block_1"));
    const double restored = bytes_of(block.kept) - input;
    const double widest = 2.0 * 2048 * (1024 + 2 * 2816);  // gradients of the activation's input and of the block's
    QCOMPARE(blocks_alone(question, blocks).peak_backward, restored + widest);
  }

  /// A dense block in narrow products: norms' inputs, queries, keys, values, attention's output and the activation's
  /// input stay in 16 bits; what products alone use has the bytes of their precision.
  void narrow_products() {
    const TransformerConfig config = test::llama(1024, 2, 8, 2, 2816, 32000);
    Question question = question_of(config, 256);
    const std::vector<LayerShard> block{test::shard_named(config, question.layer, "block_1")};
    const double wide = 2 * (2 * 1024 + (8 + 2 * 2) * 128 + 8 * 128 + 2 * 2816) + 4 * 8;
    for (const auto& [products, element] :
         std::map<std::string, double>{{"fp8", 1}, {"mxfp8", 1 + 1.0 / 32}, {"nvfp4", 0.5 + 1.0 / 16}}) {
      question.training.products = products;
      const double narrow = element * (2 * 1024 + 8 * 128 + 2816);
      const StageMemory stage = blocks_alone(question, block);
      QCOMPARE(stage.kept, 256 * (wide + narrow));
      question.training.narrow_weights = true;
      const double weights = 1024 * (2 * 8 + 2 * 2) * 128 + 3 * 1024 * 2816;
      QCOMPARE(stage.copies - blocks_alone(question, block).copies, 2 * element * weights);
      question.training.narrow_weights = false;
    }
  }

  /// Frozen weights have neither gradients nor optimizer states; adapters have r (inner + columns) weights a matrix.
  void adapters() {
    Question question = question_of(test::llama(1024, 2, 8, 2, 2816, 32000), 256);
    question.training.adapters.rank = 16;
    const StageMemory stage = stage_of(question);
    const double products = (3 * 1024 + 12 * 128) + (8 * 128 + 1024) + 2 * (1024 + 2816) + (2816 + 1024);
    QCOMPARE(stage.gradients, 4 * 2 * 16 * products);
    QCOMPARE(stage.optimizer, 12 * 2 * 16 * products);
    QCOMPARE(stage.weights, 2 * (analytic::transformer::parameters_of(question.config) + 2 * 16 * products));
    question.training.adapters.rank = 0;
    QCOMPARE(stage.kept, stage_of(question).kept + 2 * 2 * 256 * 16 * 7);  // a narrow vector of each matrix's
  }

  /// A block that predicts one more token: its weights, 2 h^2 and three norms, and the embedding at the last stage.
  void multi_token_blocks() {
    Question question = question_of(test::llama(1024, 4, 8, 2, 2816, 32000), 256);
    question.pipeline = 2, question.micro_batches = 4;
    const StageMemory before = stage_of(question, 1), first = stage_of(question, 0);
    question.training.multi_token_blocks = 1;
    const StageMemory after = stage_of(question, 1);
    const LayerShard block = test::shard_named(question.config, question.layer, "block_3");
    QCOMPARE(states(after) - states(before),
             18 * (block.weights.all() + 2.0 * 1024 * 1024 + 3 * 1024 + 32000.0 * 1024));
    QCOMPARE(after.kept - before.kept, bytes_of(block.kept) + 2 * 2.0 * 256 * 1024);
    QCOMPARE(after.peak_backward - before.peak_backward, 4.0 * 256 * 32000);
    QCOMPARE(states(stage_of(question, 0)), states(first));
  }

  /// Sharding level 3: two units of a block, and both ends, whole during passes.
  void gathered_units() {
    Question question = question_of(test::llama(1024, 4, 8, 2, 2816, 32000), 256, {}, 8);
    question.sharding.level = 3;
    question.states = *cost::state_bytes("fp32-masters");
    const double block = test::shard_named(question.config, question.layer, "block_1").weights.all();
    const double ends = 2 * 32000.0 * 1024, all = analytic::transformer::parameters_of(question.config);
    const StageMemory stage = stage_of(question);
    QCOMPARE(stage.gathered, 2 * 2 * block + 2 * 4 * block + (2 + 2) * ends);
    QCOMPARE(states(stage), 16 * all / 8);
    question.sharding.reshard = Reshard::after_backward;
    QCOMPARE(stage_of(question).gathered, 2 * all + 2 * 4 * block + 2 * ends);
    question.sharding.reshard = Reshard::after_step;
    QCOMPARE(stage_of(question).gathered, 0.0);
    QCOMPARE(states(stage_of(question)), (16.0 / 8 + 2 + 4) * all);
  }

  void losses() {
    Question question = question_of(test::llama(512, 1, 4, 4, 1024, 128000), 4096);
    const double logits = 4096.0 * 128000;
    const auto peak = [&](LossKind loss) {
      question.training.loss = loss;
      return stage_of(question).peak_backward;
    };
    QCOMPARE(peak(LossKind::plain), 6 * logits);
    QCOMPARE(peak(LossKind::separate), 12 * logits);
    QCOMPARE(peak(LossKind::fused), 4 * logits + 2 * 128000.0 * 512 + 2 * 2.0 * 4096 * 512);
    QCOMPARE(peak(LossKind::in_place), 2 * logits + 2 * 128000.0 * 512 + 2 * 2.0 * 4096 * 512);
    question.training.loss_chunks = 2;
    QCOMPARE(peak(LossKind::chunked), 3 * logits);
  }

  void more_sharding_never_holds_more() {
    for (const TransformerConfig& config : {test::llama_70b(), test::deepseek_v3()})
      for (const char* recipe : {"mixed-18", "fp32-masters"}) {
        Question question = question_of(config, 4096, {}, 64);
        question.states = *cost::state_bytes(recipe);
        double before = INFINITY;
        for (const int level : {0, 1, 2, 3}) {
          double group_before = INFINITY;
          for (const int group : {1, 2, 8, 64}) {
            question.sharding = {.level = level, .group = level == 0 ? 0 : group};
            const double now = states(stage_of(question));
            QVERIFY(now <= group_before);
            group_before = now;
          }
          QVERIFY(group_before <= before);
          before = group_before;
        }
        for (const int tensor : {1, 2, 4, 8}) {
          question.layer.shard = {.tensor = tensor, .sequence = true, .expert_tensor = tensor};
          const double now = states(stage_of(question));
          QVERIFY(tensor == 1 || now <= before);
          before = now;
        }
      }
  }

  /// Less is at the peak with more recomputation, whatever the precision and the schedule.
  void more_recomputation_never_holds_more() {
    for (const TransformerConfig& config : {test::llama_70b(), test::deepseek_v3(), test::gpt(16, 2048, 32)})
      for (const char* products : {"bf16", "nvfp4"})
        for (const int chunks : {1, 2}) {
          Question question = question_of(config, 4096, {.tensor = 4, .sequence = true}, 8);
          question.pipeline = 4, question.virtual_stages = chunks, question.micro_batches = 8;
          question.training.products = products;
          const double none = peak_of(question);
          question.layer.recomputed.parts = *shards_parts("layernorm");
          const double norms = peak_of(question);
          question.layer.recomputed = {.blocks = true};
          question.layer.recomputed.count = 3;
          const double some = peak_of(question);
          question.layer.recomputed.count = -1;
          const double full = peak_of(question);
          QVERIFY(norms <= none);
          QVERIFY(some < none);
          QVERIFY(full < some);
        }
  }

  void additions() {
    Question question = question_of(test::llama(1024, 8, 8, 2, 2816, 32000), 2048);
    question.pipeline = 2, question.micro_batches = 4;
    const StageMemory plain = stage_of(question);
    const double block = bytes_of(test::shard_named(question.config, question.layer, "block_1").kept);
    const double input = 2.0 * 2048 * 1024;
    QCOMPARE(plain.transfers, 2 * input);
    question.training.keeps_stage_outputs = true;
    QCOMPARE(stage_of(question).kept - plain.kept, input);
    question.training.keeps_stage_outputs = false;
    question.training.offloaded_blocks = 3;
    QCOMPARE(plain.kept - stage_of(question).kept, 3 * block);
    QCOMPARE(stage_of(question).peak_backward - plain.peak_backward, block);
    question.training.offloaded_blocks = 0;

    const RankMemory rank = rank_of(question);
    QCOMPARE(rank.items[MemoryItem::activations].count, static_cast<std::int64_t>(2 * plain.kept));
    QVERIFY(rank.peak < rank.needed && rank.needed == rank.with_context);
    question.training.cached = 0.1;
    QCOMPARE(rank_of(question).needed, rank.needed);
    QVERIFY(rank_of(question).with_context > rank.with_context);
    question.states.step = 400;  // larger than all that passes hold
    const double weights = states(plain) / 18;
    COMPARE_ABOUT(rank_of(question).peak, states(plain) + plain.copies + 400 * weights, 8.0);

    // Bytes that the step frees before its peak are held, not needed.
    const RankMemory before = rank_of(question);
    question.states.freed = 3;
    const RankMemory after = rank_of(question);
    QCOMPARE(after.needed, before.needed);
    COMPARE_ABOUT(after.with_context - before.with_context, 3 * weights, 8.0);
    question.training.offloads_optimizer = true;  // no step on the device
    QVERIFY(rank_of(question).with_context < before.with_context);
  }

  /// Context as given; communicators of 250 MB for each group with several ranks.
  void outside_of_the_allocator() {
    Question question = question_of(test::llama(1024, 8, 8, 2, 2816, 32000), 2048, {}, 1);
    QCOMPARE(fixed_bytes(question), 1e9 + 250e6);
    question.training.own_groups = true;  // one device: no group has a second rank
    QCOMPARE(fixed_bytes(question), 1e9 + 250e6);
    question.training.context = 2e9, question.training.own_groups = false;
    question.data = 2, question.pipeline = 4, question.layer.shard.tensor = 2;
    QCOMPARE(fixed_bytes(question), 2e9 + 5 * 250e6);  // all, two neighbours, tensor, data
    question.training.own_groups = true;
    question.config.tied = false;
    QCOMPARE(fixed_bytes(question), 2e9 + 9 * 250e6);  // replica, data, pipeline, tensor
    question.config.tied = true;
    QCOMPARE(fixed_bytes(question), 2e9 + 10 * 250e6);
  }

  /// With selection by operation, the second product of a feed-forward is kept, unless a compiler drops it.
  void compiled_selection() {
    Question question = question_of(test::llama(1024, 8, 8, 2, 2816, 32000), 2048);
    question.layer.recomputed.operations = true;
    const double kept = stage_of(question).kept;
    question.training.compiled = true;
    QCOMPARE(kept - stage_of(question).kept, 8 * 2.0 * 2048 * 1024);
    question.layer.recomputed.operations = false;
    const double whole = stage_of(question).kept;
    question.training.compiled = false;
    QCOMPARE(stage_of(question).kept, whole);
  }

  /// Max allocated bytes over ranks on a B200 (SimuMax 1.2, docs/b200: 12 blocks of Llama 3 70B, 4 of DeepSeek-V3).
  void published_allocated() {
    TransformerConfig llama = test::llama_70b();
    llama.layers = 12;
    TransformerConfig deepseek = test::deepseek_v3();
    deepseek.layers = 4, deepseek.experts->dense = {0}, deepseek.experts->score_bias = false;
    struct Row {
      TransformerConfig config;
      int sequence;
      Shard shard;
      int data, pipeline, micro_batches;
      LossKind loss;
      double measured;
    };
    const auto heads = ContextKind::heads;
    const std::vector<Row> rows{
        {llama, 4096, {}, 4, 2, 4, LossKind::plain, 66.55},
        {llama, 4096, {.tensor = 2, .sequence = true}, 4, 1, 4, LossKind::plain, 60.68},
        {llama, 4096, {.tensor = 8, .sequence = true}, 1, 1, 4, LossKind::plain, 28.29},
        {llama, 131072, {.context = 8, .context_kind = heads}, 1, 1, 4, LossKind::fused, 147.99},
        {llama,
         32768,
         {.tensor = 2, .sequence = true, .context = 4, .context_kind = heads},
         1,
         1,
         4,
         LossKind::fused,
         68.43},
        {deepseek, 4096, {.expert = 8}, 8, 1, 4, LossKind::plain, 104.3},
        {deepseek, 4096, {.expert = 4}, 4, 2, 4, LossKind::plain, 114.0},
    };
    for (const Row& row : rows) {
      Question question = question_of(row.config, row.sequence, row.shard, row.data);
      question.pipeline = row.pipeline, question.micro_batches = row.micro_batches;
      question.sharding.level = 1;
      question.layer.weighs_activation = true;
      question.training.loss = row.loss;
      const double error = peak_of(question) / row.measured - 1;
      QVERIFY2(error >= -0.02 && error <= 0.03, qPrintable(QString::number(error)));
    }
  }

  /// Reserved bytes of Llama 3 8B under FSDP (torchtitan, benchmarks/llama3_h100_202412_torchtitan.md): selection by
  /// operation with and without torch.compile, on 8 and on 128 H100, and recomputation of all.
  void published_reserved() {
    Question question = question_of(test::llama(4096, 32, 32, 8, 14336), 8192, {}, 8);
    question.sharding.level = 3;
    question.layer.count.micro_batch = 2;
    question.states = *cost::state_bytes("fp32-masters");
    question.training.loss = LossKind::separate;
    question.layer.fused_loss = question.layer.keeps_gathered = true;
    question.training.fused_weight_gradients = false;
    question.training.cached = pytorch_cached;
    question.layer.recomputed.operations = true;
    const auto reserved_is = [&](double gib_measured) {
      const RankMemory rank = rank_of(question);
      const double error = (rank.with_context - (rank.needed - rank.peak)) / gib / gib_measured - 1;
      QVERIFY2(error >= -0.02 && error <= 0.08, qPrintable(QStringLiteral("%1: %2").arg(gib_measured).arg(error)));
    };
    reserved_is(82.4);
    question.data = 128;
    reserved_is(67.0);
    question.training.compiled = true;
    reserved_is(62.0);
    question.data = 8;
    reserved_is(77.0);
    question.layer.recomputed.operations = false;
    question.layer.recomputed.blocks = true;
    question.layer.count = {.sequence = 32768, .micro_batch = 1};
    reserved_is(83.9);
  }

 private:
  static Result<std::set<analytic::times::Part>> shards_parts(std::string_view module) {
    return analytic::transformer::shards::parts_of_module(module);
  }
};

PIPEDECK_TEST(TestRankMemory)

}  // namespace pipedeck::tst_rank_memory

#include "tst_rank_memory.moc"
