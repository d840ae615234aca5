// SPDX-License-Identifier: Apache-2.0
// Rules for degrees of parallelism: each is kept by published settings and broken by one change.
#include <QTest>

#include <functional>
#include <set>
#include <string>

#include "core/plan/mesh_rules.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_rules {

using plan::MeshQuestion;

TransformerConfig qwen3_235b() {
  TransformerConfig config;
  config.hidden = 4096, config.layers = 94, config.heads = 64, config.key_value_heads = 4, config.head_width = 128;
  config.gated = true, config.vocabulary = 151936, config.feed_forward = 12288;
  config.experts.emplace();
  config.experts->count = 128, config.experts->per_token = 8, config.experts->feed_forward = 1536;
  return config;
}

TransformerConfig llama_405b() {
  TransformerConfig config;
  config.hidden = 16384, config.layers = 126, config.heads = 128, config.key_value_heads = 8, config.head_width = 128;
  config.gated = true, config.vocabulary = 128256, config.feed_forward = 53248;
  return config;
}

/// Llama 3.1 405B on 1,024 GPUs (arXiv 2407.21783, table 4, with a shorter pipeline).
MeshQuestion llama_question(const TransformerConfig& model) {
  MeshQuestion question;
  question.model = &model;
  question.shard = {.tensor = 8, .sequence = true, .context = 2};
  question.devices = 1024, question.pipeline = 8;
  question.sequence = 8192, question.micro_batches = 16, question.global_batch = 128;
  question.even_blocks = false;
  return question;
}

MeshQuestion qwen_question(const TransformerConfig& model) {
  MeshQuestion question;
  question.model = &model;
  question.shard = {.tensor = 2, .sequence = true, .expert = 32};
  question.devices = 256, question.pipeline = 8;
  question.sequence = 4096, question.micro_batches = 16, question.global_batch = 256;
  question.even_blocks = false;
  return question;
}

using Change = std::function<void(MeshQuestion&)>;

/// Changes the question to one stage with sharded weights alone.
void data_parallel(MeshQuestion& q) {
  q.pipeline = q.virtual_stages = 1, q.devices = 256, q.global_batch = 0;
  q.shard = {}, q.sharding = {.level = 3};
}

class TestMeshRules : public QObject {
  Q_OBJECT

  const TransformerConfig llama_ = llama_405b(), qwen_ = qwen3_235b();

 private slots:
  void published_settings_keep_all_rules() {
    for (const MeshQuestion& question : {llama_question(llama_), qwen_question(qwen_)}) {
      const auto right = plan::check_mesh(question);
      QVERIFY2(right.has_value(), right ? "" : right.error().message.c_str());
      const auto broken = plan::broken_rules(question, "Megatron-LM");
      QVERIFY2(broken.empty(), broken.empty() ? "" : broken.front().c_str());
    }
  }

  void one_change_breaks_one_rule_data() {
    QTest::addColumn<QString>("engine");
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* engine, Change change, const char* message) {
      QTest::newRow(name) << engine << change << message;
    };
    // Every plan.
    row(
        "devices", "", [](MeshQuestion& q) { q.devices = 1000, q.global_batch = 0; }, "found a stage of 125 devices");
    row(
        "pipeline", "", [](MeshQuestion& q) { q.pipeline = 7, q.global_batch = 0; }, "a multiple of 7 pipeline ranks");
    row(
        "batch", "", [](MeshQuestion& q) { q.global_batch = 100; }, "16 micro-batches of 1 on 16 data ranks = 256");
    row(
        "heads", "",
        [](MeshQuestion& q) { q.shard.tensor = 128, q.shard.expert = 1, q.devices = 1024, q.global_batch = 0; },
        "found 64 heads");
    row(
        "experts", "", [](MeshQuestion& q) { q.shard.expert = 3, q.devices = 768, q.global_batch = 0; },
        "found 128 experts, expected a multiple of 3 expert ranks");
    row(
        "columns of an expert", "",
        [](MeshQuestion& q) {
          q.shard.expert = 1, q.shard.expert_tensor = 5, q.devices = 240, q.pipeline = 8, q.shard.tensor = 1,
          q.global_batch = 0;
        },
        "found 1536 columns of an expert, expected a multiple of 5");
    row(
        "tokens", "", [](MeshQuestion& q) { q.sequence = 4095; },
        "found 4095 tokens per sample, expected a multiple of 2");
    row(
        "exchanged heads", "",
        [](MeshQuestion& q) {
          q.shard.tensor = 1, q.shard.sequence = false, q.shard.context = 128, q.devices = 1024, q.global_batch = 0,
          q.shard.context_kind = ContextKind::heads, q.shard.expert = 1;
        },
        "found 64 heads of a tensor rank, expected a multiple of 128 context ranks that exchange heads");
    // Megatron-LM.
    row(
        "sequence parallelism", "Megatron-LM", [](MeshQuestion& q) { q.shard.sequence = false; },
        "expected sequence parallelism (Megatron-LM: moe_layer.py:636)");
    row(
        "chunks", "Megatron-LM", [](MeshQuestion& q) { q.shard.context = 4, q.sequence = 4100; },
        "expected a multiple of 8 chunks");
    row(
        "blocks", "Megatron-LM", [](MeshQuestion& q) { q.even_blocks = true; }, "found 94 blocks");
    row(
        "virtual stages", "Megatron-LM", [](MeshQuestion& q) { q.virtual_stages = 2, q.pipeline = 1; },
        "expected 2 ranks or more");
    row(
        "virtual stages without overlap", "Megatron-LM",
        [](MeshQuestion& q) { q.virtual_stages = 2, q.pipeline = 2, q.hides_pipeline = false; }, "expected 3 ranks");
    row(
        "interleaved", "Megatron-LM", [](MeshQuestion& q) { q.virtual_stages = 2, q.micro_batches = 17; },
        "found 17 micro-batches in groups of 8, expected 8 or more in the last group");
    row(
        "groups", "Megatron-LM", [](MeshQuestion& q) { q.virtual_stages = 2, q.group = 4; },
        "found groups of 4 micro-batches, expected 8 to 16");
    row(
        "gathers", "Megatron-LM", [](MeshQuestion& q) { q.hides_gathers = true; }, "without sharded states");
    row(
        "gathers alone", "Megatron-LM", [](MeshQuestion& q) { q.hides_gathers = true, q.sharding.level = 1; },
        "expected hidden reductions of gradients, too");
    row(
        "hidden TP", "Megatron-LM",
        [](MeshQuestion& q) { q.hides_tensor = true, q.shard.sequence = false, q.shard.tensor = 1; },
        "found hidden tensor-parallel communication");
    row(
        "schedule", "Megatron-LM", [](MeshQuestion& q) { q.schedule = ScheduleKind::zb_v, q.virtual_stages = 2; },
        "found the schedule 'zb-v', expected 1f1b or interleaved");
    row(
        "sharded gradients", "Megatron-LM", [](MeshQuestion& q) { q.sharding.level = 2; },
        "found sharding level 2 on 8 pipeline ranks, expected level 0 or 1");
    row(
        "schedule of one stage", "torchtitan",
        [](MeshQuestion& q) { q.sharding.level = 3, q.schedule = ScheduleKind::zb_h1; },
        "found 'zb-h1', expected 1f1b, interleaved, zb-v or dualpipev");
    row(
        "stages of a V", "torchtitan",
        [](MeshQuestion& q) { q.sharding.level = 3, q.schedule = ScheduleKind::dualpipe_v; },
        "found 1 stages on each pipeline rank, expected 2 for 'dualpipev'");
    row(
        "whole sequences", "torchtitan", [](MeshQuestion& q) { q.sharding.level = 3, q.shard.sequence = false; },
        "found 2 tensor ranks without sequence parallelism");
    row(
        "level", "torchtitan", [](MeshQuestion& q) { q.sharding.level = 1; },
        "found sharding level 1, expected 0 or 3");
    row(
        "stages of a rank", "DeepSpeed", [](MeshQuestion& q) { q.virtual_stages = 2, q.shard.expert = 16; },
        "found the schedule '1f1b' with 2 stages on a pipeline rank, expected 1f1b with one");
    row(
        "FSDP2", "Megatron-LM with torch FSDP2", [](MeshQuestion&) {}, "found 8 pipeline and 32 expert ranks");
    row(
        "exchanged key-value heads", "TransformerEngine",
        [](MeshQuestion& q) { q.shard.context = 8, q.shard.context_kind = ContextKind::heads; },
        "found 2 key-value heads of a tensor rank, expected a multiple of 8");
    row(
        "exchanged heads", "torchtitan",
        [](MeshQuestion& q) { q.sharding.level = 3, q.shard.context = 2, q.shard.context_kind = ContextKind::heads; },
        "by heads, expected gather or ring");
    row(
        "expert tensor", "torchtitan",
        [](MeshQuestion& q) { q.sharding.level = 3, q.shard.expert_tensor = 2, q.shard.expert = 16; },
        "found 2 expert-tensor ranks, expected 1");
    row(
        "tokens of parts", "torchtitan",
        [](MeshQuestion& q) {
          q.sharding.level = 3, q.shard.context = 4, q.shard.context_kind = ContextKind::gather, q.sequence = 4104;
        },
        "found 4104 tokens per sample, expected a multiple of 16");
    row(
        "experts over sharding ranks", "torchtitan", [](MeshQuestion&) {},
        "found 2 sharding x tensor ranks, expected a multiple of 32 expert ranks");
    row(
        "ZeRO 2", "DeepSpeed", [](MeshQuestion& q) { q.sharding.level = 2, q.shard.expert = 16; },
        "found 8 pipeline ranks at ZeRO 2");
    row(
        "context", "DeepSpeed", [](MeshQuestion& q) { q.shard.context = 2, q.shard.expert = 1; },
        "by ring, expected heads");
    row(
        "experts over data ranks", "DeepSpeed", [](MeshQuestion&) {}, "found 16 data ranks, expected a multiple of 32");
    // Accelerate and Axolotl: a stage of 256 devices.
    for (const char* const engine : {"Accelerate", "Axolotl"}) {
      const std::string name = engine;
      row((name + ", pipeline").c_str(), engine, [](MeshQuestion& q) { data_parallel(q), q.pipeline = 8; },
          "found 8 pipeline ranks, expected 1");
      row((name + ", experts").c_str(), engine, [](MeshQuestion& q) { data_parallel(q), q.shard.expert = 4; },
          "found 4 expert and 1 expert-tensor ranks");
      row((name + ", heads").c_str(), engine,
          [](MeshQuestion& q) { data_parallel(q), q.shard.context = 2, q.shard.context_kind = ContextKind::heads; },
          "found context parallelism by heads");
      row((name + ", context").c_str(), engine,
          [](MeshQuestion& q) { data_parallel(q), q.shard.context = 2, q.sharding.level = 1; },
          "found 2 context ranks at sharding level 1, expected level 3");
      row((name + ", copies").c_str(), engine,
          [](MeshQuestion& q) { data_parallel(q), q.shard.tensor = 2, q.sharding.level = 0; },
          "found 128 copies without shards on 2 tensor and 1 context ranks");
    }
    row(
        "Accelerate, chunks", "Accelerate",
        [](MeshQuestion& q) { data_parallel(q), q.shard.context = 4, q.sequence = 4100; },
        "expected a multiple of 8 chunks");
  }
  void one_change_breaks_one_rule() {
    QFETCH(QString, engine);
    QFETCH(Change, change);
    QFETCH(QString, message);
    MeshQuestion question = qwen_question(qwen_);
    change(question);
    const auto broken = plan::broken_rules(question, engine.toStdString());
    QCOMPARE(broken.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(broken.front()).contains(message), broken.front().c_str());
    const auto checked = plan::check_mesh(question);
    if (engine.isEmpty()) QCOMPARE(checked.error(), (Error{ErrorCode::bad_input, broken.front(), {}, {}}));
  }

  /// Key-value heads divide the tensor ranks, or the ranks divide them.
  void key_value_heads() {
    for (const auto& [groups, tensor, right] : {std::tuple{8, 4, true}, {8, 16, true}, {6, 4, false}, {1, 8, true}}) {
      TransformerConfig model = llama_;
      model.heads = 48, model.key_value_heads = groups;
      MeshQuestion question;
      question.model = &model;
      question.shard.tensor = question.devices = tensor;
      QCOMPARE(plan::check_mesh(question).has_value(), right);
    }
  }

  void every_rule_has_engine_source_and_name() {
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const plan::MeshRule& rule : plan::mesh_rules()) {
      QVERIFY(!rule.name.empty() && !rule.source.empty() && rule.broken);
      QVERIFY(names.emplace(rule.engine, rule.name).second);
    }
  }

  /// A model without experts, and without a shape at all, has fewer rules.
  void rules_of_absent_parts() {
    MeshQuestion question = llama_question(llama_);
    question.shard.expert = 2;
    QVERIFY(plan::check_mesh(question).error().message.starts_with("found 2 expert ranks, expected 1"));
    question.model = nullptr;
    QVERIFY(plan::check_mesh(question).has_value());
  }

  void vocabularies_are_padded() {
    QCOMPARE(plan::padded_vocabulary(128256, 8, 128), 129024);
    QCOMPARE(plan::padded_vocabulary(129024, 8, 128), 129024);
    QCOMPARE(plan::padded_vocabulary(50257, 1, 128), 50304);  // GPT-2 in Megatron-LM
    QCOMPARE(plan::padded_vocabulary(50257, 8, 0), 50257);
    QCOMPARE(plan::usual_vocabulary_multiple(50257, 1), 128);
    QCOMPARE(plan::usual_vocabulary_multiple(128256, 8), 0);
    QCOMPARE(plan::usual_vocabulary_multiple(30520, 1), 0);
    QCOMPARE(plan::usual_vocabulary_multiple(30520, 2), 128);
  }
};

PIPEDECK_TEST(TestMeshRules)

}  // namespace pipedeck::tst_mesh_rules

#include "tst_mesh_rules.moc"
