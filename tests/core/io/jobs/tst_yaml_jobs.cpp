// SPDX-License-Identifier: Apache-2.0
// Jobs of NeMo, Megatron-Bridge, Accelerate, TRL and Axolotl by their YAML.
#include <QTest>

#include <random>
#include <string>

#include "core/io/files.hpp"
#include "core/io/jobs/accelerate.hpp"
#include "core/io/jobs/axolotl.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_bridge.hpp"
#include "core/io/jobs/nemo.hpp"
#include "core/io/jobs/trl.hpp"
#include "core/io/jobs/yaml.hpp"
#include "tests/support/changed_text.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_yaml_jobs {

using io::jobs::TrainingJob;
using test::replaced;

std::string fixture(const std::string& name) {
  return io::read_file(test::source_dir() + "/tests/fixtures/jobs/" + name).value();
}

TrainingJob job_of(const Result<TrainingJob>& job) {
  if (!job) qFatal("%s", job.error().text().c_str());
  return *job;
}

TrainingJob nemo(const std::string& part = {}, const std::string& with = {}) {
  const std::string text = fixture("llama3-8b.nemo.yaml");
  return job_of(io::jobs::job_from_nemo(part.empty() ? text : replaced(text, part, with), "run"));
}

TrainingJob bridge(const std::string& part = {}, const std::string& with = {}) {
  const std::string text = fixture("qwen3.bridge.yaml");
  return job_of(io::jobs::job_from_bridge(part.empty() ? text : replaced(text, part, with), "run"));
}

TrainingJob accelerate(const std::string& part = {}, const std::string& with = {}) {
  const std::string text = fixture("fsdp.accelerate.yaml");
  return job_of(io::jobs::job_from_accelerate(part.empty() ? text : replaced(text, part, with), "run"));
}

class TestYamlJobs : public QObject {
  Q_OBJECT
 private slots:
  /// NeMo's file is the job of Megatron-LM's arguments.
  void a_configuration_of_nemo() {
    const TrainingJob job = nemo();
    TrainingJob same = job_of(io::jobs::job_from_megatron(
        "python pretrain_gpt.py --micro-batch-size 1 --global-batch-size 128 --tensor-model-parallel-size 2 "
        "--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 4 --context-parallel-size 2 "
        "--seq-length 8192 --max-position-embeddings 8192 --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 "
        "--num-attention-heads 32 --group-query-attention --num-query-groups 8 --hidden-dropout 0 "
        "--attention-dropout 0 --normalization RMSNorm --disable-bias-linear --swiglu --position-embedding-type rope "
        "--cross-entropy-loss-fusion --untie-embeddings-and-output-weights --recompute-granularity selective "
        "--sequence-parallel --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather "
        "--grad-reduce-in-bf16 --tokenizer-model /models/llama-3/tokenizer.model",
        "run"));
    same.version = job.version, same.share = job.share, same.devices = 32;
    same.choices.states->step = 0;  // of Apex's optimizer
    QVERIFY(job == same);
    QVERIFY2(job.share.left_out.empty(), job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
    QCOMPARE(nemo("megatron_amp_O2: true", "megatron_amp_O2: false").share.left_out,
             std::vector<std::string>{"model.megatron_amp_O2 false"});
    QCOMPARE(nemo("distributed_fused_adam", "mcore_distributed_optim").choices.states->gradients, 4.0);
  }

  void choices_of_nemo() {
    QCOMPARE(nemo("  fp8: false", "  fp8: True").choices.training.products, std::string("fp8"));
    QCOMPARE(nemo("precision: bf16", "precision: 16-mixed").choices.training.products, std::string("fp16"));
    QVERIFY(nemo("  bias: false\n", "").model->bias_output);
    QVERIFY(nemo("  share_embeddings_and_output_weights: false\n", "").model->tied);
    const TrainingJob computed = nemo("ffn_hidden_size: 14336", "ffn_hidden_size: ${multiply:4, ${.hidden_size}}");
    QCOMPARE(computed.model->feed_forward, 10880);  // 8/3 of 4096 in whole 64s
    QVERIFY(std::ranges::any_of(computed.share.assumed, [](const std::string& one) {
      return one == "the default of model.ffn_hidden_size, which the file computes";
    }));
    const auto bad = io::jobs::job_from_nemo(
        replaced(fixture("llama3-8b.nemo.yaml"), "num_layers: 32", "num_layers: several"), "run");
    QVERIFY(!bad);
    QVERIFY2(bad.error().text().find("several") != std::string::npos, bad.error().text().c_str());
  }

  /// Megatron-Bridge's file is the job of Megatron-LM's arguments.
  void a_configuration_of_bridge() {
    const TrainingJob job = bridge();
    TrainingJob same = job_of(io::jobs::job_from_megatron(
        "python pretrain_gpt.py --micro-batch-size 1 --global-batch-size 2048 --tensor-model-parallel-size 2 "
        "--pipeline-model-parallel-size 4 --context-parallel-size 1 --expert-model-parallel-size 8 "
        "--expert-tensor-parallel-size 1 --sequence-parallel --seq-length 4096 --num-layers 6 --hidden-size 2048 "
        "--ffn-hidden-size 6144 --num-attention-heads 32 --group-query-attention --num-query-groups 4 "
        "--kv-channels 128 --hidden-dropout 0 --attention-dropout 0 --normalization RMSNorm --disable-bias-linear "
        "--swiglu --qk-layernorm --position-embedding-type rope --vocab-size 151936 "
        "--make-vocab-size-divisible-by 1187 --untie-embeddings-and-output-weights --num-experts 128 "
        "--moe-router-topk 8 --moe-ffn-hidden-size 768 --moe-layer-freq [0,1,1,1,1,1] "
        "--moe-token-dispatcher-type alltoall --moe-grouped-gemm --pipeline-model-parallel-layout \"Et*2|t|t|t*2mL\" "
        "--mtp-num-layers 1 --recompute-granularity selective --recompute-modules moe_act layernorm --bf16 "
        "--fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather --use-distributed-optimizer --overlap-grad-reduce "
        "--overlap-param-gather --cross-entropy-loss-fusion --cross-entropy-fusion-impl te "
        "--use-precision-aware-optimizer --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16 --main-grads-dtype bf16",
        "run"));
    same.version = job.version, same.share = job.share;
    QVERIFY(job == same);
    QVERIFY2(job.share.left_out.empty(), job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
  }

  void choices_of_bridge() {
    using io::jobs::looks_like_bridge;
    QVERIFY(looks_like_bridge(fixture("qwen3.bridge.yaml")));
    QVERIFY(!looks_like_bridge(fixture("llama3-8b.nemo.yaml")));
    QVERIFY(!looks_like_bridge(fixture("fsdp.accelerate.yaml")));
    const Training narrow =
        bridge("mixed_precision: bf16_with_mxfp8_mixed", "mixed_precision: fp16-with-fp8-current-scaling-mixed")
            .choices.training;
    QCOMPARE(narrow.products, std::string("fp8"));
    QCOMPARE(narrow.recipe, std::string("current"));
    QVERIFY(narrow.narrow_weights);
    // A section for overlap hides reductions and gathers by default.
    QVERIFY(!bridge("  tp_comm_overlap: false", "  tp_comm_overlap: false\n  overlap_param_gather: false")
                 .choices.training.hidden.weights);
    // The precision replaces the data-parallel section's choice.
    QCOMPARE(bridge().choices.wire->gradients, 4.0);
    QCOMPARE(bridge("mixed_precision: bf16_with_mxfp8_mixed\n", "").choices.wire->gradients, 2.0);
    QCOMPARE(bridge("  should_pad_vocab: true\n", "").choices.layers.vocabulary_multiple, 0);
    QCOMPARE(bridge("  cross_entropy_loss_fusion: true\n  cross_entropy_fusion_impl: te\n", "").choices.training.loss,
             LossKind::fused);
    const auto bad = io::jobs::job_from_bridge(
        replaced(fixture("qwen3.bridge.yaml"), "_target_: torch.bfloat16", "_target_: torch.complex64"), "run");
    QVERIFY(!bad);
    QCOMPARE(bad.error().place, std::string("optimizer.exp_avg_dtype"));
    const auto recipe =
        io::jobs::job_from_bridge(replaced(fixture("qwen3.bridge.yaml"), "bf16_with_mxfp8_mixed", "tf32"), "run");
    QVERIFY(!recipe);
    QVERIFY(recipe.error().message.find("expected a recipe of bf16 or fp16") != std::string::npos);
  }

  /// A written tree is the tree that is read, also where words look like other values.
  void yaml_comes_back() {
    using io::json::List;
    using io::json::Members;
    using io::json::Value;
    std::mt19937 random(11);
    const std::vector<std::string> words{
        "no", "NO",         "off",  "8", "1e-4", "true", "Et*3|(tt|)*2,mL", "- a",  "a: b", "null",
        "~",  "it's \"x\"", "# no", "",  "&a",   "*a",   "torch.bfloat16",  "a\nb", "Ü",    "[0,1]"};
    const auto word = [&] { return Value(words[random() % words.size()]); };
    for (int run = 0; run < 200; ++run) {
      Members tree;
      for (int m = 0; m < 5; ++m) {
        const std::string key = "key" + std::to_string(m);
        if (m == 1) {
          List list;
          for (unsigned i = 0; i < random() % 4 + 1; ++i) list.push_back(word());
          tree.emplace_back(key, list);
        } else if (m == 3) {
          tree.emplace_back(key, Members{{"inner", word()}, {"none", Value()}, {"deep", Members{{"er", word()}}}});
        } else {
          tree.emplace_back(key, word());
        }
      }
      const auto again = io::jobs::tree_from_yaml(io::jobs::yaml_of(tree));
      QVERIFY2(again, io::jobs::yaml_of(tree).c_str());
      QVERIFY2(*again == Value(tree), io::jobs::yaml_of(tree).c_str());
    }
  }

  void a_configuration_of_accelerate() {
    const TrainingJob job = accelerate();
    QCOMPARE(job.engine, std::string("Accelerate"));
    QCOMPARE(job.devices, 32);
    QCOMPARE(job.sharding, (Sharding{.level = 3, .copies = CopySync::each_micro_batch}));
    QCOMPARE(job.copies, 4);
    QVERIFY(job.recompute.all);
    QCOMPARE(*job.choices.states, (StateBytes{4, 4, 8}));
    QVERIFY2(job.share.left_out.empty(), job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
    QVERIFY(!job.model);
  }

  void choices_of_accelerate() {
    const auto sharding = [](const std::string& strategy) { return accelerate("HYBRID_SHARD", strategy).sharding; };
    QCOMPARE(sharding("FULL_SHARD"), Sharding{.level = 3});
    QCOMPARE(sharding("1"), Sharding{.level = 3});
    QCOMPARE(sharding("SHARD_GRAD_OP"), (Sharding{.level = 3, .reshard = Reshard::after_backward}));
    QCOMPARE(sharding("NO_SHARD"), Sharding{});
    QCOMPARE(accelerate("distributed_type: FSDP", "distributed_type: MULTI_GPU").sharding, Sharding{});
    QCOMPARE(
        accelerate("  fsdp_sharding_strategy: HYBRID_SHARD", "  fsdp_version: 2\n  fsdp_reshard_after_forward: false")
            .sharding,
        (Sharding{.level = 3, .reshard = Reshard::after_backward}));
    const TrainingJob offloaded = accelerate("offload_params: false", "offload_params: true");
    QCOMPARE(offloaded.share.left_out, std::vector<std::string>{"fsdp_config.fsdp_offload_params true"});
    const TrainingJob deepspeed = accelerate("distributed_type: FSDP",
                                             "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n  "
                                             "gradient_accumulation_steps: 4\n  offload_optimizer_device: cpu");
    QCOMPARE(deepspeed.engine, std::string("DeepSpeed"));
    QCOMPARE(deepspeed.sharding.level, 3);
    QCOMPARE(deepspeed.micro_batches, 4);
    QVERIFY(deepspeed.choices.training.offloads_optimizer);
    const auto bad = io::jobs::job_from_accelerate(
        replaced(fixture("fsdp.accelerate.yaml"), "num_processes: 32", "num_processes: 30"), "run");
    QVERIFY(!bad);
    QCOMPARE(bad.error().place, std::string("num_processes"));
  }

  void a_configuration_of_trl() {
    const std::string text = fixture("sft.trl.yaml");
    const auto trl = [&](const std::string& part = {}, const std::string& with = {}) {
      return job_of(io::jobs::job_from_trl(part.empty() ? text : replaced(text, part, with), "run"));
    };
    const TrainingJob job = trl();
    QCOMPARE(job.micro_batch, 2);
    QCOMPARE(job.micro_batches, 8);
    QCOMPARE(job.sequence, 4096);
    QCOMPARE(job.devices, 0);
    QCOMPARE(job.sharding, (Sharding{.level = 3, .reshard = Reshard::after_backward}));
    QVERIFY(job.recompute.all);
    QCOMPARE(*job.choices.states, (StateBytes{4, 4, 8}));
    QVERIFY2(job.share.left_out.empty(), job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
    QCOMPARE(trl("full_shard auto_wrap", "\"\"").sharding, Sharding{});
    QCOMPARE(trl("bf16: true", "fp16: true").choices.training.products, std::string("fp16"));
    QVERIFY(trl("gradient_checkpointing: false\n", "").recompute.all);
    QCOMPARE(trl("adamw_torch_fused", "paged_adamw_8bit").share.left_out,
             std::vector<std::string>{"optim paged_adamw_8bit"});
    const auto bad = io::jobs::job_from_trl(replaced(text, "batch_size: 2", "batch_size: many"), "run");
    QVERIFY(!bad);
    QCOMPARE(bad.error().place, std::string("per_device_train_batch_size"));
  }

  void a_configuration_of_axolotl() {
    const std::string text = fixture("qwen3-8b.axolotl.yaml");
    const auto axolotl = [&](const std::string& part = {}, const std::string& with = {}) {
      return job_of(io::jobs::job_from_axolotl(part.empty() ? text : replaced(text, part, with), "run"));
    };
    const TrainingJob job = axolotl();
    QCOMPARE(job.devices, 32);
    QCOMPARE(job.shard, (Shard{.tensor = 2, .context = 2}));
    QCOMPARE(job.copies, 2);
    QCOMPARE(job.sharding, (Sharding{.level = 3, .copies = CopySync::each_micro_batch}));
    QCOMPARE(job.micro_batches, 4);
    QCOMPARE(job.sequence, 8192);
    QVERIFY(job.recompute.all);
    QVERIFY(job.broken.empty());
    QVERIFY2(job.share.left_out.empty(), job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
    QCOMPARE(axolotl("micro_batch_size: 1", "micro_batch_size: 2").broken.size(), std::size_t{1});
    QCOMPARE(axolotl("dp_shard_size: 4\ndp_replicate_size: 2\n", "").devices, 0);
    QCOMPARE(axolotl("base_model", "adapter: lora\nbase_model").share.left_out,
             std::vector<std::string>{"adapter lora"});
    QVERIFY(!io::jobs::job_from_axolotl(replaced(text, "sequence_len: 8192", "sequence_len: 0"), "run"));
  }

  void context_ranks_of_accelerate() {
    const TrainingJob job = accelerate("use_cpu: false",
                                       "parallelism_config:\n  parallelism_config_cp_size: 2\n  "
                                       "parallelism_config_cp_comm_strategy: alltoall");
    QCOMPARE(job.shard.context, 2);
    QVERIFY(job.shard.context_kind == ContextKind::ring);
  }

  void hostile_yaml() {
    const auto error_of = [](const std::string& text) {
      const auto tree = io::jobs::tree_from_yaml(text);
      return tree ? std::string("none") : tree.error().text();
    };
    QVERIFY(error_of("a: [1, 2").find("line ") != std::string::npos);
    QVERIFY(error_of("a: \xff").find("UTF-8") != std::string::npos);
    QVERIFY(error_of("? [a, b]\n: 1").find("a key that is no text") != std::string::npos);
    std::string laughs = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i)
      laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
                std::to_string(i - 1) + "]\n";
    QVERIFY(error_of(laughs).find("expected fewer") != std::string::npos);
    QVERIFY(error_of(std::string(100'000, '[')) != "none");
    QVERIFY(error_of(std::string(2'000'000, 'a')).find("bytes") != std::string::npos);
    std::mt19937 random(3);
    for (const char* const name :
         {"llama3-8b.nemo.yaml", "fsdp.accelerate.yaml", "qwen3.bridge.yaml", "sft.trl.yaml", "qwen3-8b.axolotl.yaml"})
      for (int run = 0; run < (test::nightly() ? 20000 : 300); ++run) {
        std::string text = fixture(name);
        for (int i = 0; i < 4; ++i) {
          const std::size_t at = random() % text.size();
          if (random() % 2 == 0)
            text.erase(at, random() % 30);
          else
            text[at] = static_cast<char>(random() % 128);
        }
        for (const auto& job : {io::jobs::job_from_nemo(text, "run"), io::jobs::job_from_accelerate(text, "run"),
                                io::jobs::job_from_bridge(text, "run"), io::jobs::job_from_trl(text, "run"),
                                io::jobs::job_from_axolotl(text, "run")})
          if (!job) QVERIFY(!job.error().message.empty());
      }
  }
};

PIPEDECK_TEST(TestYamlJobs)

}  // namespace pipedeck::tst_yaml_jobs

#include "tst_yaml_jobs.moc"
