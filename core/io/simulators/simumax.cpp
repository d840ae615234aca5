// SPDX-License-Identifier: Apache-2.0
#include "core/io/simulators/simumax.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/io/simulators/machine.hpp"
#include "core/io/simulators/members.hpp"

namespace pipedeck::io::simulators {
namespace {

using json::ErrorCollector;
using json::ObjectReader;
using json::Value;

constexpr std::int64_t widest_layer = 1 << 24, most_blocks = 100'000, most_tokens = std::int64_t{1} << 30;
constexpr int assumed_longest = 4096;

void read_latent(ObjectReader& in, TransformerConfig& config) {
  if (in.text_or("attention_type", "mha") != "mla") return;
  LatentAttention& latent = config.latent.emplace();
  latent.query_rank = in.has("q_lora_rank") ? in.count("q_lora_rank", 0, widest_layer) : 0;
  latent.key_value_rank = in.count("kv_lora_rank", 1, widest_layer);
  latent.plain_width = in.count("qk_head_dim", 1, widest_layer);
  latent.rotary_width = in.count("qk_pos_emb_head_dim", 0, widest_layer);
  latent.value_width = in.count("v_head_dim", 1, widest_layer);
  config.head_width = latent.plain_width + latent.rotary_width;
}

void read_experts(ObjectReader& in, TransformerConfig& config) {
  const int count = in.count_or("expert_num", 1, 0, most_blocks);
  if (count < 2) return;
  Experts& experts = config.experts.emplace();
  experts.count = count;
  experts.per_token = in.count("topk", 1, count);
  experts.feed_forward = in.count_or("moe_ffn_hidden_size", config.feed_forward, 1, widest_layer);
  experts.shared_feed_forward = in.count_or("moe_shared_expert_intermediate_size", 0, 0, widest_layer);
  experts.dense.resize(static_cast<std::size_t>(in.count_or("dense_layers", 0, 0, std::max(0, config.layers - 1))));
  std::iota(experts.dense.begin(), experts.dense.end(), 0);
}

/// Reads a network's rate each way, per device.
BytesPerSecond rate_of(ObjectReader& networks, std::string_view key) {
  BytesPerSecond rate;
  networks.object(key, [&](ObjectReader& network) {
    network.object("bandwidth",
                   [&](ObjectReader& bandwidth) { rate = gigabytes_per_second(bandwidth.number("gbps", 1e-6, 1e9)); });
  });
  return rate;
}

}  // namespace

bool looks_like_simumax_model(const Value& document) { return document.find("head_num") && document.find("layer_num"); }

bool looks_like_simumax_system(const Value& document) {
  return document.find("accelerator") && document.find("networks");
}

Result<ParsedTransformer> model_from_simumax(const Value& document, const std::string& name) {
  ErrorCollector problems;
  ParsedTransformer out;
  TransformerConfig& config = out.config;
  {
    ObjectReader in(document, "", problems);
    in.text_or("model_type", {});
    config.name = in.text_or("model_name", name), config.family = "simumax";
    config.hidden = in.count("hidden_size", 1, widest_layer);
    config.layers = in.count("layer_num", 1, most_blocks);
    config.heads = in.count("head_num", 1, widest_layer);
    config.key_value_heads = in.count_or("kv_head_num", config.heads, 1, widest_layer);
    config.head_width =
        in.count_or("head_size", std::max(1, config.hidden / std::max(1, config.heads)), 1, widest_layer);
    config.feed_forward = in.count("intermediate_size", 1, widest_layer);
    config.vocabulary = in.count("vocab_size", 1, most_tokens);
    config.gated = in.bool_or("use_swiglu", true);
    read_latent(in, config);
    read_experts(in, config);
    if (!problems && config.heads % config.key_value_heads != 0)
      in.fail("kv_head_num",
              fmt::format("found {}, expected a divisor of {} heads", config.key_value_heads, config.heads));
    out.share = share_of(document, in);
  }
  if (problems) return tl::unexpected(*std::move(problems.first));
  config.longest = assumed_longest;
  config.norm = NormKind::rms;
  out.share.assumed = {fmt::format("sequences of up to {} tokens: the file has no length", assumed_longest),
                       "blocks of Llama: root-mean-square norms, no biases, rotary positions, a head of its own"};
  for (const std::string& assumed : out.share.assumed) out.notes.push_back("Assumed: " + assumed);
  return out;
}

Result<FoundMachines> machines_from_simumax(const Value& document, const std::string& name) {
  ErrorCollector problems;
  DescribedMachine machine;
  machine.source = "SimuMax";
  ImportShare share;
  {
    ObjectReader in(document, "", problems);
    machine.type.name = in.text_or("sys_name", name);
    machine.devices = in.count("num_per_node", 1, limits::samples);
    in.object("accelerator", [&](ObjectReader& device) {
      machine.type.memory = gibibytes(device.number("mem_gbs", 0, 1e6));
      device.object("op", [&](ObjectReader& operations) {
        operations.object("default", [&](ObjectReader& usual) {
          machine.type.peak_tflops["bf16"] = usual.number("tflops", 1e-6, 1e12);
        });
      });
      if (device.has("bandwidth"))
        device.object("bandwidth", [&](ObjectReader& memory) {
          if (memory.has("default"))
            memory.object("default", [&](ObjectReader& usual) {
              machine.type.memory_bandwidth = gigabytes_per_second(usual.number("gbps", 1e-6, 1e9));
            });
        });
    });
    in.object("networks", [&](ObjectReader& networks) {
      for (const std::string& key : networks.names()) {
        if (key == "inter_node") machine.card = rate_of(networks, key);
        if (key.find("intra_node") != key.npos) machine.link = std::max(machine.link, rate_of(networks, key));
      }
      if (networks.ok() && machine.link.count == 0)
        networks.fail("high_intra_node", "found no network inside of a node, expected one");
    });
    share = share_of(document, in);
  }
  if (problems) return tl::unexpected(*std::move(problems.first));
  share.assumed.emplace_back("rates of networks are those of each device; the peak is that of bf16");
  auto found = machine_of(machine, std::move(share));
  if (found) found->notes.push_back("Assumed: " + found->shares[0].assumed.front());
  return found;
}

}  // namespace pipedeck::io::simulators
