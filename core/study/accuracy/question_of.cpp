// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/question_of.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/result.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/study/accuracy/engines.hpp"
#include "core/study/accuracy/machine.hpp"
#include "core/study/accuracy/model_of.hpp"

namespace pipedeck::study::accuracy {
namespace {

using analytic::transformer::shards::Recomputed;
using mesh::Question;
using Notes = std::vector<std::string>;

tl::unexpected<Error> no_question(std::string reason) { return fail(ErrorCode::bad_input, std::move(reason)); }

/// Returns true if the words, separated by blanks, include this one.
bool has_word(std::string_view words, std::string_view word) {
  return mentions(" " + std::string(words) + " ", " " + std::string(word) + " ");
}

/// Returns the whole number behind the first `part` in the text; 0 if there is none.
int number_behind(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  int value = 0;
  if (at != text.npos) std::from_chars(text.data() + at + part.size(), text.data() + text.size(), value);
  return value;
}

class Writer {
 public:
  Writer(const PublishedRun& run, Question& question, Notes& notes)
      : run_(run), q_(question), notes_(notes), engine_(engine_of(run)), habits_(habits_of(engine_)) {}

  bool open_recomputation() const { return open_recomputation_; }

  Result<void> write() {
    TRY_VOID(set_degrees());
    TRY_VOID(set_batch());
    TRY_VOID(set_stages());
    TRY_VOID(set_sharding());
    TRY_VOID(set_precision());
    TRY_VOID(set_recomputation());
    set_hidden();
    set_layers();
    set_rest();
    return {};
  }

 private:
  void note(std::string text) { notes_.push_back(std::move(text)); }
  bool noted(std::string_view part) const { return mentions(run_.notes, part); }
  Shard& shard() { return q_.layer.shard; }
  bool is_fsdp() const {
    return engine_ == Engine::foundry || engine_ == Engine::titan || engine_ == Engine::fms ||
           engine_ == Engine::automodel || engine_ == Engine::jax;
  }

  Result<void> set_degrees() {
    Shard& s = shard();
    s.tensor = run_.tensor.value_or(1);
    s.context = run_.context.value_or(1);
    s.expert = run_.expert.value_or(1);
    s.expert_tensor = run_.expert_tensor.value_or(1);
    q_.pipeline = run_.pipeline.value_or(1);
    const int others = s.tensor * s.context * q_.pipeline;
    if (run_.data) {
      q_.data = *run_.data;
    } else {
      if (*run_.gpus % others != 0)
        return no_question(fmt::format("{} GPUs are no multiple of {}", *run_.gpus, others));
      q_.data = *run_.gpus / others;
      note(fmt::format("{} data-parallel ranks follow from the other degrees", q_.data));
    }
    if (q_.devices() != *run_.gpus)
      return no_question(fmt::format("the degrees multiply to {} GPUs, not {}", q_.devices(), *run_.gpus));
    set_sequence_parallelism();
    set_context_kind();
    return {};
  }

  void set_sequence_parallelism() {
    if (shard().tensor == 1) return;
    shard().sequence = run_.sequence_parallel ? *run_.sequence_parallel != 0 : habits_.sequence;
    if (!run_.sequence_parallel)
      note(fmt::format("sequence parallelism is assumed to be {}", shard().sequence ? "on" : "off"));
    if (!shard().sequence && run_.experts && habits_.megatron) {
      shard().sequence = true;
      note("sequence parallelism is on: Megatron-LM needs it for experts");
    }
  }

  void set_context_kind() {
    if (shard().context == 1) return;
    if (noted("a2a context parallel")) {
      shard().context_kind = ContextKind::heads;
    } else if (engine_ == Engine::titan) {
      shard().context_kind = ContextKind::gather;
      note("context ranks are assumed to gather keys and values, as torchtitan does");
    } else {
      note("context ranks are assumed to pass keys and values round a ring");
    }
  }

  Result<void> set_batch() {
    if (run_.sequence) {
      q_.layer.count.sequence = *run_.sequence;
    } else if (engine_ == Engine::internevo) {
      q_.layer.count.sequence = 2048;
      note("samples of 2,048 tokens are assumed, InternEvo's default");
    } else {
      return no_question("the number of tokens of a sample is not printed");
    }
    const int data = q_.data;
    int global = run_.global_batch.value_or(0);
    if (global == 0) global = number_behind(run_.notes, "batch size a replica ") * data;
    if (global == 0) return no_question("the global batch is not printed");
    if (!run_.global_batch) note(fmt::format("a global batch of {} follows from the batch of a replica", global));
    int micro = run_.micro_batch.value_or(0);
    if (micro == 0) {
      micro = assumed_micro_batch(global, data);
      note(fmt::format("a micro-batch of {} is assumed", micro));
    }
    if (global % (micro * data) != 0)
      return no_question(fmt::format("a global batch of {} is no multiple of {} samples on {} data-parallel ranks",
                                     global, micro, data));
    q_.layer.count.micro_batch = micro;
    q_.micro_batches = global / (micro * data);
    return {};
  }

  /// Returns what a rank has of the global batch if its engine does not accumulate or pipeline, else at most 4 samples.
  int assumed_micro_batch(int global, int data) const {
    if (q_.pipeline > 1 || global % data != 0 || engine_ == Engine::nemo) return 1;
    const int samples = global / data;
    if (!run_.global_batch) return samples;
    int micro = std::min(samples, 4);
    while (samples % micro != 0) --micro;
    return micro;
  }

  Result<void> set_stages() {
    const int blocks = q_.config.layers;
    if (run_.virtual_stages) {
      q_.virtual_stages = *run_.virtual_stages;
    } else if (q_.pipeline > 1) {
      q_.virtual_stages = assumed_virtual_stages(blocks);
      note(fmt::format("{} stages on each pipeline rank are assumed", q_.virtual_stages));
    }
    const int stages = q_.pipeline * q_.virtual_stages;
    if (stages > blocks) return no_question(fmt::format("{} blocks are fewer than {} stages", blocks, stages));
    q_.blocks = layout(blocks, stages);
    return {};
  }

  /// Returns the fewest, more than one, that divide the blocks and the micro-batches, as interleaving does.
  int assumed_virtual_stages(int blocks) const {
    if (q_.micro_batches % q_.pipeline != 0) return 1;
    for (int v = 2; v <= blocks / q_.pipeline; ++v)
      if (blocks % (q_.pipeline * v) == 0) return v;
    return 1;
  }

  std::vector<int> layout(int blocks, int stages) {
    if (blocks % stages == 0) return {};
    if (noted("either embedding counts as a block") && (blocks + 2) % stages == 0) {
      std::vector<int> sizes(static_cast<std::size_t>(stages), (blocks + 2) / stages);
      --sizes.front(), --sizes.back();
      return sizes;
    }
    const int most = (blocks + stages - 1) / stages, last = blocks - most * (stages - 1);
    if (last >= 1) {
      std::vector<int> sizes(static_cast<std::size_t>(stages), most);
      sizes.back() = last;
      if (!noted("the last stage holds") && !noted("layout "))
        note(fmt::format("stages of {} blocks are assumed, {} in the last", most, last));
      return sizes;
    }
    std::vector<int> sizes;
    for (int i = 0; i < stages; ++i) sizes.push_back(blocks / stages + (i < blocks % stages ? 1 : 0));
    note(fmt::format("stages of {} and {} blocks are assumed", most, most - 1));
    return sizes;
  }

  Result<void> set_sharding() {
    const std::string& text = run_.sharding;
    Sharding& sharding = q_.sharding;
    const int ranks = q_.data * shard().context;
    if (text.empty() || mentions(text, "none")) {
      sharding.level = 0;
      if (text.empty()) note("no sharding of states is assumed");
    } else if (mentions(text, "zero1") || mentions(text, "distributed-optimizer")) {
      sharding.level = 1;
    } else if (mentions(text, "fsdp") &&
               mentions(text, "zero2")) {  // PyTorch's SHARD_GRAD_OP: gathered in every forward
      sharding.level = 3;
      sharding.reshard = Reshard::after_backward;
    } else if (mentions(text, "zero2")) {
      sharding.level = 2;
    } else if (mentions(text, "zero3") || mentions(text, "fsdp")) {
      sharding.level = 3;
    } else {
      return no_question(fmt::format("the sharding '{}' is not known", text));
    }
    sharding.group = number_behind(text, "group ");
    if (sharding.group == 0) sharding.group = number_behind(text, "over ");
    if (mentions(text, "shard group: node")) sharding.group = run_.gpus_per_node.value_or(8);
    if (mentions(text, "groups not printed")) {
      // dgxc-benchmarking's MaxText runs of 70 billion weights shard over 128 GPUs
      const int most = run_.parameters.value_or(0) > 20 ? 128 : 8;
      sharding.group = std::min(ranks, most);
      note(fmt::format("states are assumed to be sharded over {} GPUs", sharding.group));
    }
    if (sharding.group > ranks && ranks > 0) {
      note(fmt::format("states are sharded over the {} ranks with the same weights", ranks));
      sharding.group = 0;
    }
    if (sharding.group == ranks) sharding.group = 0;
    if (sharding.group > 0 && ranks % sharding.group != 0)
      return no_question(fmt::format("groups of {} do not divide {} ranks", sharding.group, ranks));
    if (sharding.group > 0 && sharding.level == 3 && engine_ != Engine::jax)
      sharding.copies = CopySync::each_micro_batch;
    if (sharding.level == 3 && q_.pipeline > 1 && (engine_ == Engine::titan || engine_ == Engine::automodel))
      sharding.reshard = Reshard::after_step;
    return {};
  }

  Result<void> set_precision() {
    Training& t = q_.training;
    const std::string_view name = run_.precision;
    if (name == "fp8-hybrid") {  // the two formats of TransformerEngine's delayed scaling
      t.products = "fp8", t.recipe = "delayed";
    } else if (name.starts_with("fp8-")) {
      t.products = "fp8", t.recipe = name.substr(4);
    } else if (name.empty()) {
      return no_question("the precision is not printed");
    } else {
      t.products = name;
    }
    set_states();
    q_.wire.gradients = habits_.wire_gradients;
    if (engine_ == Engine::deepspeed && noted("gradients summed in fp32")) q_.wire.gradients = 4;
    if (engine_ == Engine::foundry && noted("mixed precision PURE")) q_.wire.gradients = 2;
    if (is_llama_script()) q_.wire.gradients = 2;
    if (t.products == "fp8" && gathers_narrow()) q_.wire.weights = 1;
    return {};
  }

  /// Returns true for the script in Megatron-LM's examples/llama.
  bool is_llama_script() const { return engine_ == Engine::megatron && mentions(run_.source, "llama"); }

  /// Returns true if weights are kept in 8 bits between steps (`--fp8-param-gather`, on in NVIDIA's recipes).
  bool gathers_narrow() const {
    const Training& t = q_.training;
    const bool narrow = t.products == "mxfp8" || (t.products == "fp8" && t.recipe != "blockwise");
    const bool recipes = engine_ == Engine::nemo || engine_ == Engine::bridge || is_llama_script();
    return narrow && recipes && (q_.sharding.level == 1 || mentions(run_.sharding, "megatron-fsdp"));
  }

  void set_states() {
    Training& t = q_.training;
    q_.states = *cost::state_bytes(is_llama_script() ? "mixed-16" : habits_.states);
    t.cached = habits_.cached, t.own_groups = habits_.own_groups;
    t.compiled = noted("torch.compile");
    t.fused_weight_gradients = habits_.megatron && engine_ != Engine::deepspeed;
    if (gathers_narrow()) {
      t.narrow_weights = true;
      if (t.products == "mxfp8") q_.states.weights = 2 + 1.0 / 16;
    }
    if (mentions(run_.sharding, "megatron-fsdp")) q_.states = {2, 2, 12, 0};
    if (run_.source.starts_with("nemo-24") || run_.source.starts_with("nemo-long")) q_.states.step = 0;  // apex's Adam
    if (engine_ == Engine::automodel) note("gradients and moments are assumed to have 16 bits");
    if (engine_ == Engine::deepspeed) set_deepspeed_states();
    if (engine_ == Engine::internevo) set_internevo_states();
  }

  /// Buckets are of all its ranks' sharding but FSDP's (configs/7B_sft.py, reduce_bucket_size).
  void set_internevo_states() {
    if (q_.sharding.level == 3)
      q_.states = *cost::state_bytes("internevo-fsdp");
    else
      q_.training.bucket = 512.0 * 1024 * 1024;
  }

  /// 16-bit gradients in one flat copy and in fp32 for the step, or summed in fp32 with 16-bit ones and a second copy
  /// of the weights still held. Context with kernels, as BigScience read it of both types of GPU: 1,573 and 1,271 MiB
  /// (train/tr11-176B-ml/chronicles-prequel.md), for CUDA 11 loads all kernels at once.
  void set_deepspeed_states() {
    Training& t = q_.training;
    t.keeps_stage_outputs = true;
    t.context = (mentions(run_.gpu, "V100") ? 1271 : 1573) * 0x1p20;
    if (is_without_zero()) {
      // One flat fp32 copy of gradients. Copies of single weights' take the place of activations before it
      // (fp16/fused_optimizer.py, step).
      q_.states.step = 4;
      t.cached = 0;
      return;
    }
    t.bucket = 5e8;
    if (noted("gradients summed in fp32"))
      q_.states = {6, 4, 12, 0};
    else
      q_.states.step = 6;
  }

  /// Returns true for BigScience's runs of June 2021: ZeRO did not work on that branch yet, and the page's script has
  /// stage 0 (experiments/gpt2-meg-ds-3d/meg_ds_3d_gpt2_perf_n16.slurm).
  bool is_without_zero() const { return run_.source.starts_with("bigscience-v100"); }

  Result<void> set_recomputation() {
    Recomputed& again = q_.layer.recomputed;
    const std::string_view text = run_.recompute;
    const int blocks = q_.config.layers, stage_blocks = blocks / (q_.pipeline * q_.virtual_stages);
    open_recomputation_ = text.empty() || mentions(text, "not printed") || text == "selective" ||
                          mentions(text, "in the configuration file");
    if (text.empty() || mentions(text, "not printed")) {
      again = habits_.recomputed;
      if (shard().context > 1 && engine_ == Engine::titan) again.blocks = true;
      note(again.blocks ? "every block is assumed to be recomputed" : "no recomputation is assumed");
    } else if (text.starts_with("none")) {
      again = {};
    } else if (text == "full") {
      again.blocks = true;
    } else if (text.starts_with("full of ")) {
      again.blocks = true;
      again.count = number_behind(text, "full of ");
    } else if (text.starts_with("selective:")) {
      return set_modules(text.substr(text.find(':') + 1));
    } else if (text.starts_with("selective")) {
      again.blocks = true;
      again.count = (stage_blocks + 1) / 2;
      again.operations = mentions(text, "per op");
      if (!mentions(text, "every second layer"))
        note(mentions(text, "per op")
                 ? "the time of recomputing half of the blocks stands for every second product of all"
                 : "half of the blocks are assumed to be recomputed");
    } else if (text == "minimal_flash") {
      note("products are kept: nothing is recomputed but cheap operations");
    } else {
      return no_question(fmt::format("the recomputation '{}' is not known", text));
    }
    return {};
  }

  /// Reads "moe+layernorm+core_attn".
  Result<void> set_modules(std::string_view modules) {
    while (!modules.empty()) {
      const std::string_view module = modules.substr(0, modules.find('+'));
      auto parts = analytic::transformer::shards::parts_of_module(module);
      if (!parts) return no_question(std::move(parts.error().message));
      q_.layer.recomputed.parts.merge(*parts);
      modules.remove_prefix(std::min(modules.size(), module.size() + 1));
    }
    return {};
  }

  void set_hidden() {
    Hidden& hidden = q_.training.hidden;
    const std::string_view text = run_.overlap;
    const bool interleaved = q_.virtual_stages > 1;
    hidden.pipeline = interleaved && habits_.hides_data;
    hidden.expert = has_word(text, "ep-a2a");
    if (is_fsdp()) {
      hidden.gradients = hidden.weights = true;
      hidden.tensor = has_word(text, "tp");
      return;
    }
    if (!text.empty()) {
      hidden.gradients = has_word(text, "dp-grad-reduce") || mentions(text, "fsdp prefetch") || q_.sharding.level == 3;
      hidden.weights = has_word(text, "param-gather") || mentions(text, "fsdp prefetch") || q_.sharding.level == 3;
      hidden.tensor = has_word(text, "tp");
      return;
    }
    hidden.gradients = hidden.weights = habits_.hides_data && !noted("communication is not overlapped");
    if (engine_ == Engine::internevo) hidden.weights = false;  // each rank broadcasts its part behind the step
    hidden.tensor = habits_.hides_tensor && shard().divides_tokens();
    note(hidden.gradients ? "reductions and gathers are assumed to be hidden" : "nothing is assumed to be hidden");
    if (hidden.tensor) note("tensor-parallel communication is assumed to be hidden in pieces");
  }

  void set_layers() {
    auto& layer = q_.layer;
    const bool stored = noted("attention not fused") || engine_ == Engine::deepspeed;
    layer.count.attention = stored ? AttentionMemory::stored : AttentionMemory::fused;
    if (stored && layer.recomputed.parts.erase(analytic::times::Part::attention_core) > 0)
      layer.count.attention = AttentionMemory::selective;
    if (engine_ == Engine::megatron_2021 || engine_ == Engine::deepspeed)
      q_.config.dropout = q_.config.attention_dropout = 0.1;
    q_.training.attention = run_.software.starts_with("NeMo 24.03") ? "flash-2" : habits_.attention;
    q_.training.loss = noted("cross-entropy fused") ? LossKind::fused : habits_.loss;
    layer.fused_loss = q_.training.loss != LossKind::plain;
    layer.vocabulary_multiple = habits_.megatron ? 128 : 0;
    layer.weighs_activation = habits_.megatron || engine_ == Engine::automodel;
    layer.keeps_gathered = engine_ == Engine::titan;
    if (run_.experts) set_experts();
  }

  void set_experts() {
    auto& layer = q_.layer;
    const bool flex = noted("hybridep") || noted("deepep") || noted("DeepEP");
    layer.dispatcher = flex ? Dispatcher::flex : Dispatcher::all_to_all;
    if (!flex && !noted("dispatcher alltoall")) note("tokens are assumed to be dispatched by all-to-all");
    if (noted("tokendrop")) {
      layer.capacity = 1;
      note("a capacity factor of 1 is assumed");
    }
    note(noted("balanced routing forced") ? "the run forced its routing to be balanced"
                                          : "balanced routing is assumed");
    layer.hides_behind_shared_experts = run_.shared_feed_forward.value_or(0) > 0 && !flex &&
                                        !q_.training.hidden.expert &&
                                        (engine_ == Engine::bridge || engine_ == Engine::nemo);
  }

  void set_rest() {
    Training& t = q_.training;
    // Since 2022 input gradients are reduced behind weight gradients (async_tensor_model_parallel_allreduce).
    t.waits_for_input_gradients = habits_.waits_for_input_gradients && !run_.source.starts_with("korthikanti");
    t.scatters_sends = habits_.scatters_sends;
    if (engine_ == Engine::internevo) t.owned_tensors = 9;  // of a block of InternLM (hybrid_zero_optim.py)
    if (noted("cuda graphs full_iteration"))
      t.graphs = Graphs::all;
    else if ((noted("cuda graphs ") && !noted("cuda graphs none")) || (noted("_cg") && mentions(run_.reference, "_cg")))
      t.graphs = Graphs::dense;
    if (engine_ == Engine::titan || engine_ == Engine::automodel) t.forward_ahead = GatherAhead::two;
    if (noted("one multi-token block") || noted("w/ MTP")) t.multi_token_blocks = 1;
    if (run_.task == "lora") {
      t.adapters.rank = 16;
      note(fmt::format("adapters of rank {} are assumed", t.adapters.rank));
    }
    if (noted("attention products in fp8")) note("attention is computed in 16 bits, the run had 8");
    t.offloaded_blocks = number_behind(run_.notes, "activations of ");
    t.offloads_optimizer = noted("optimizer on the host");
  }

  const PublishedRun& run_;
  Question& q_;
  Notes& notes_;
  Engine engine_;
  const EngineHabits& habits_;
  bool open_recomputation_ = false;
};

}  // namespace

Expressed question_of(const PublishedRun& run, const std::vector<DeviceModel>& catalogue) {
  Expressed expressed;
  const auto refuse = [&](std::string reason) {
    expressed.reason = std::move(reason);
    return expressed;
  };
  Machine machine = machine_of(run, catalogue);
  if (!machine.cluster) return refuse(std::move(machine.reason));
  expressed.type = machine.type;
  expressed.notes = std::move(machine.notes);
  Question question;
  question.cluster = std::move(machine.cluster);
  auto config = model_of(run, expressed.notes);
  if (!config) return refuse(std::move(config.error().message));
  question.config = *std::move(config);
  Writer writer(run, question, expressed.notes);
  if (auto written = writer.write(); !written) return refuse(std::move(written.error().message));
  expressed.open_recomputation = writer.open_recomputation();
  expressed.question = std::move(question);
  return expressed;
}

}  // namespace pipedeck::study::accuracy
