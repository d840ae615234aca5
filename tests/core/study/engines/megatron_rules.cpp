// SPDX-License-Identifier: Apache-2.0
#include "tests/core/study/engines/megatron_rules.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace pipedeck::test {
namespace {

/// As argparse has them: a type each, or the words that it takes.
const std::set<std::string> numbers{"--tensor-model-parallel-size",
                                    "--pipeline-model-parallel-size",
                                    "--num-layers-per-virtual-pipeline-stage",
                                    "--num-virtual-stages-per-pipeline-rank",
                                    "--decoder-first-pipeline-num-layers",
                                    "--decoder-last-pipeline-num-layers",
                                    "--num-layers",
                                    "--micro-batch-size",
                                    "--global-batch-size",
                                    "--recompute-num-layers",
                                    "--hidden-size",
                                    "--ffn-hidden-size",
                                    "--num-attention-heads",
                                    "--kv-channels",
                                    "--num-query-groups",
                                    "--seq-length",
                                    "--max-position-embeddings",
                                    "--num-experts",
                                    "--moe-router-topk",
                                    "--moe-ffn-hidden-size",
                                    "--moe-shared-expert-intermediate-size",
                                    "--q-lora-rank",
                                    "--kv-lora-rank",
                                    "--qk-head-dim",
                                    "--qk-pos-emb-head-dim",
                                    "--v-head-dim",
                                    "--context-parallel-size",
                                    "--expert-model-parallel-size",
                                    "--expert-tensor-parallel-size",
                                    "--num-distributed-optimizer-instances",
                                    "--make-vocab-size-divisible-by",
                                    "--mtp-num-layers",
                                    "--cpu-offloading-num-layers"};
const std::set<std::string> flags{"--use-distributed-optimizer",
                                  "--bf16",
                                  "--grad-reduce-in-bf16",
                                  "--sequence-parallel",
                                  "--group-query-attention",
                                  "--swiglu",
                                  "--qk-layernorm",
                                  "--disable-bias-linear",
                                  "--add-qkv-bias",
                                  "--untie-embeddings-and-output-weights",
                                  "--multi-latent-attention",
                                  "--use-megatron-fsdp",
                                  "--overlap-grad-reduce",
                                  "--overlap-param-gather",
                                  "--tp-comm-overlap",
                                  "--overlap-moe-expert-parallel-comm",
                                  "--no-overlap-p2p-communication",
                                  "--cross-entropy-loss-fusion",
                                  "--moe-grouped-gemm",
                                  "--moe-pad-expert-input-to-capacity",
                                  "--moe-shared-expert-overlap",
                                  "--fp8-param-gather",
                                  "--use-precision-aware-optimizer",
                                  "--moe-shared-expert-gate",
                                  "--moe-router-enable-expert-bias",
                                  "--no-gradient-accumulation-fusion",
                                  "--accumulate-allreduce-grads-in-fp32",
                                  "--fp16",
                                  "--optimizer-cpu-offload"};
const std::set<std::string> fractions{"--moe-expert-capacity-factor", "--sgd-momentum", "--hidden-dropout",
                                      "--attention-dropout"};
const std::map<std::string, std::set<std::string>> words{
    {"--optimizer", {"adam", "sgd", "muon", "dist_muon"}},
    {"--recompute-granularity", {"full", "selective"}},
    {"--recompute-method", {"uniform", "block"}},
    {"--normalization", {"LayerNorm", "RMSNorm"}},
    {"--position-embedding-type", {"learned_absolute", "rope", "mrope", "relative", "none"}},
    {"--attention-backend", {"flash", "fused", "unfused", "local", "auto"}},
    {"--cp-comm-type", {"p2p", "all_gather", "a2a", "a2a+p2p"}},
    {"--data-parallel-sharding-strategy", {"no_shard", "optim", "optim_grads", "optim_grads_params"}},
    {"--ckpt-format", {"torch", "torch_dist", "fsdp_dtensor"}},
    {"--fp8-format", {"e4m3", "hybrid"}},
    {"--fp8-recipe", {"delayed", "tensorwise", "mxfp8", "blockwise"}},
    {"--fp4-format", {"e2m1"}},
    {"--fp4-recipe", {"nvfp4"}},
    {"--moe-token-dispatcher-type", {"allgather", "alltoall", "flex"}},
    {"--cross-entropy-fusion-impl", {"native", "te"}},
    {"--cuda-graph-impl", {"none", "local", "transformer_engine"}},
    {"--cuda-graph-scope", {"full", "attn", "full_iteration"}},
    {"--main-grads-dtype", {"fp32", "bf16"}},
    {"--exp-avg-dtype", {"fp32", "fp16", "bf16", "fp8"}},
    {"--exp-avg-sq-dtype", {"fp32", "fp16", "bf16", "fp8"}}};
const std::set<std::string> texts{"--pipeline-model-parallel-layout", "--moe-layer-freq", "--recompute-modules",
                                  "--hierarchical-context-parallel-sizes"};

std::vector<std::string> split(const std::string& words) {
  std::istringstream stream(words);
  return {std::istream_iterator<std::string>(stream), {}};
}

struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(bool holds, const std::string& rule) {
  if (!holds) throw Broken(rule);
}

class Arguments {
 public:
  explicit Arguments(const MegatronArguments& given) : given_(given) {
    for (const auto& [name, value] : given) check_type(name, value);
  }

  bool has(const std::string& name) const { return given_.contains(name); }
  int number(const std::string& name, int otherwise) const {
    return has(name) ? std::stoi(given_.at(name)) : otherwise;
  }
  int number(const std::string& name) const {
    check(has(name), name + " argument is None");
    return number(name, 0);
  }
  const std::string& text(const std::string& name) const { return given_.at(name); }

 private:
  static void check_type(const std::string& name, const std::string& value) {
    if (flags.contains(name)) return check(value.empty(), name + " takes no value");
    if (numbers.contains(name)) {
      int number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      return check(error == std::errc() && end == value.data() + value.size() && number >= 0,
                   name + ": no int: " + value);
    }
    if (fractions.contains(name)) {
      static const std::regex number("[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?");
      return check(std::regex_match(value, number), name + ": no float: " + value);
    }
    if (const auto choice = words.find(name); choice != words.end())
      return check(choice->second.contains(value), name + ": invalid choice: " + value);
    check(texts.contains(name), "unrecognized arguments: " + name);
  }

  const MegatronArguments& given_;
};

/// parse_str_to_list: commas are for the eye, (x)*n and c*n are n times, bars part the stages.
std::vector<std::string> stages_of_layout(std::string layout) {
  std::erase(layout, ',');
  for (const char* pattern : {"\\(([^)]+)\\)\\*([0-9]+)", "(.)\\*([0-9]+)"}) {
    const std::regex times(pattern);
    for (std::smatch match; std::regex_search(layout, match, times);) {
      std::string unrolled;
      for (int i = std::stoi(match[2]); i > 0; --i) unrolled += match[1];
      layout = match.prefix().str() + unrolled + match.suffix().str();
    }
  }
  std::vector<std::string> stages{""};
  for (const char c : layout) {
    if (c == '|') {
      stages.emplace_back();
      continue;
    }
    check(std::string("ELtm").find(c) != std::string::npos, std::string("Invalid layer character: ") + c);
    stages.back() += c;
  }
  return stages;
}

std::vector<MegatronPart> parts_of_layout(const Arguments& arguments, int ranks) {
  const std::vector<std::string> stages = stages_of_layout(arguments.text("--pipeline-model-parallel-layout"));
  check(stages.size() % static_cast<std::size_t>(ranks) == 0, "The length of the layout must be divisible");
  std::string all;
  std::vector<MegatronPart> parts;
  for (const std::string& stage : stages) {
    all += stage;
    parts.push_back({static_cast<int>(std::ranges::count(stage, 't')), stage.find('E') != std::string::npos,
                     stage.find('L') != std::string::npos});
  }
  // validate_layer_layout
  check(all.front() == 'E', "The first layer must be embedding");
  check(all.back() == 'L', "The last layer must be loss");
  check(std::ranges::count(all, 'E') == 1 && std::ranges::count(all, 'L') == 1, "exactly once");
  check(std::ranges::count(all, 't') == arguments.number("--num-layers"), "must match num_layers");
  return parts;
}

std::vector<MegatronPart> even_parts(int layers, int ranks, int chunks) {
  std::vector<MegatronPart> parts(static_cast<std::size_t>(ranks * chunks), MegatronPart{layers / ranks / chunks});
  return parts;
}

std::vector<MegatronPart> parts_of(const Arguments& arguments, int ranks) {
  const int layers = arguments.number("--num-layers");
  const bool layout = arguments.has("--pipeline-model-parallel-layout");
  const bool by_layers = arguments.has("--num-layers-per-virtual-pipeline-stage");
  const bool by_stages = arguments.has("--num-virtual-stages-per-pipeline-rank");
  const bool first = arguments.has("--decoder-first-pipeline-num-layers"),
             last = arguments.has("--decoder-last-pipeline-num-layers");
  check(int{layout} + int{by_layers} + int{by_stages} <= 1, "No more than one of the following arguments");
  check(!layout || (!first && !last), "a layout leaves no first and last stage");
  std::vector<MegatronPart> parts;
  if (layout) {
    parts = parts_of_layout(arguments, ranks);
  } else if (by_layers) {
    const int each = arguments.number("--num-layers-per-virtual-pipeline-stage");
    check(!first && !last, "please use --num-virtual-stages-per-pipeline-rank");
    check(layers % ranks == 0, "number of layers of the model must be divisible pipeline model parallel size");
    check(layers / ranks % each == 0, "number of layers per pipeline stage must be divisible");
    parts = even_parts(layers, ranks, layers / ranks / each);
  } else {
    int spread = layers, left = ranks;
    if (first) spread -= arguments.number("--decoder-first-pipeline-num-layers"), --left;
    if (last) spread -= arguments.number("--decoder-last-pipeline-num-layers"), --left;
    check(left == 0 || spread % left == 0, "the left over layers must be divisible by left over stages");
    check(left > 0 || spread == 0, "layers are left over");
    parts.assign(static_cast<std::size_t>(ranks), MegatronPart{left > 0 ? spread / left : 0});
    if (first) parts.front().blocks = arguments.number("--decoder-first-pipeline-num-layers");
    if (last) parts.back().blocks = arguments.number("--decoder-last-pipeline-num-layers");
  }
  if (!layout) parts.front().embedding = parts.back().loss = true;
  check(parts.size() == static_cast<std::size_t>(ranks) || ranks > 1, "pipeline-model-parallel size greater than 1");
  return parts;
}

void check_sizes(const Arguments& arguments, int tensor) {
  if (!arguments.has("--hidden-size")) return;  // the caller's own
  const int hidden = arguments.number("--hidden-size"), heads = arguments.number("--num-attention-heads");
  check(arguments.has("--kv-channels") || hidden % heads == 0, "hidden_size % num_attention_heads == 0");
  check(heads % tensor == 0, "num_attention_heads must be a multiple of tensor_model_parallel_size");
  if (arguments.has("--group-query-attention")) {
    const int groups = arguments.number("--num-query-groups");
    check(heads % groups == 0 && groups % tensor == 0,
          "num_query_groups must be a multiple of the tensor-parallel size");
  } else {
    check(!arguments.has("--num-query-groups"), "groups without group-query attention");
  }
  const int sequence = arguments.number("--seq-length");
  check(arguments.number("--max-position-embeddings") >= sequence, "max_position_embeddings must be >= seq_length");
  const bool sequence_parallel = arguments.has("--sequence-parallel");
  check(!sequence_parallel || (tensor > 1 && sequence % tensor == 0), "sequence parallelism");
  if (!arguments.has("--num-experts")) return;
  check(tensor == 1 || sequence_parallel, "experts and tensor parallelism without sequence parallelism");
  check(arguments.number("--moe-router-topk") <= arguments.number("--num-experts"), "topk");
  if (arguments.has("--moe-layer-freq")) {
    const std::string& pattern = arguments.text("--moe-layer-freq");
    check(std::regex_match(pattern, std::regex("\\[[01](,[01])*\\]")), "Invalid pattern");
    check(std::ranges::count(pattern, ',') + 1 == arguments.number("--num-layers"),
          "Invalid length of moe_layer_pattern");
  }
}

void check_recomputation(const Arguments& arguments) {
  const bool given = arguments.has("--recompute-granularity");
  const bool full = given && arguments.text("--recompute-granularity") == "full";
  check(full == arguments.has("--recompute-method"), "recompute method goes with full recomputation alone");
  check(full == arguments.has("--recompute-num-layers"), "recompute-num-layers goes with full recomputation alone");
  check(!full || arguments.number("--recompute-num-layers") > 0, "recompute-num-layers");
}

/// validate_args of degrees and overlaps, and what transformer_config.py asks of modules.
void check_dimensions(const Arguments& arguments, int tensor, int processes, int context) {
  const int expert = arguments.number("--expert-model-parallel-size", 1);
  const int expert_tensor = arguments.number("--expert-tensor-parallel-size", tensor);
  const int pipeline = arguments.number("--pipeline-model-parallel-size", 1);
  check(processes % (expert * expert_tensor * pipeline) == 0, "world size is not divisible by expert parallel sizes");
  check(!arguments.has("--tp-comm-overlap") || arguments.has("--sequence-parallel"), "tp-comm-overlap needs SP");
  check(!arguments.has("--overlap-param-gather") || arguments.has("--use-distributed-optimizer"),
        "--overlap-param-gather only supported with distributed optimizer");
  check(!arguments.has("--overlap-param-gather") || arguments.has("--overlap-grad-reduce"),
        "Must use --overlap-param-gather with --overlap-grad-reduce");
  check(arguments.has("--use-megatron-fsdp") == arguments.has("--data-parallel-sharding-strategy"), "strategy");
  check(!arguments.has("--use-precision-aware-optimizer") || arguments.has("--use-distributed-optimizer"),
        "--use-precision-aware-optimizer only supported with distributed optimizer");
  if (arguments.has("--hidden-size") && context > 1)
    check(arguments.number("--seq-length") % (2 * context) == 0, "seq-length should be a multiple of 2 * context");
  if (!arguments.has("--recompute-modules")) return;
  static const std::set<std::string> modules{"core_attn", "moe_act", "layernorm",     "mla_up_proj",
                                             "mlp",       "moe",     "shared_experts"};
  for (const std::string& module : split(arguments.text("--recompute-modules")))
    check(modules.contains(module), "Invalid choices for recompute_modules: " + module);
}

MegatronRun checked(const MegatronArguments& given, int processes, const std::string& connections) {
  const Arguments arguments(given);
  MegatronRun run;
  const int tensor = arguments.number("--tensor-model-parallel-size", 1);
  run.ranks = arguments.number("--pipeline-model-parallel-size", 1);
  const int context = arguments.number("--context-parallel-size", 1);
  check(processes % (tensor * context * run.ranks) == 0, "world size is not divisible by total_model_size");
  run.replicas = processes / (tensor * context * run.ranks);
  check(tensor == 1 || connections == "1", "CUDA_DEVICE_MAX_CONNECTIONS to 1");
  const int micro = arguments.number("--micro-batch-size"), global = arguments.number("--global-batch-size");
  check(micro > 0 && global > 0, "batch size");
  check(global % (micro * run.replicas) == 0, "global batch size is not divisible by micro batch size times replicas");
  run.micro_batches = global / (micro * run.replicas);
  run.parts = parts_of(arguments, run.ranks);
  const bool interleaved = run.parts.size() > static_cast<std::size_t>(run.ranks);
  check(!interleaved || run.micro_batches % run.ranks == 0, "number of microbatches is not divisible by the ranks");
  check(!arguments.has("--grad-reduce-in-bf16") || arguments.has("--bf16"), "16-bit gradients");
  check_recomputation(arguments);
  check_sizes(arguments, tensor);
  check_dimensions(arguments, tensor, processes, context);
  return run;
}

}  // namespace

MegatronRun megatron_run(const MegatronArguments& arguments, int processes, const std::string& connections) {
  try {
    return checked(arguments, processes, connections);
  } catch (const Broken& broken) {
    MegatronRun run;
    run.broken = broken.what();
    return run;
  }
}

}  // namespace pipedeck::test
