// SPDX-License-Identifier: Apache-2.0
#include "core/io/simulators/calculon.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/io/simulators/machine.hpp"
#include "core/io/simulators/members.hpp"

namespace pipedeck::io::simulators {
namespace {

using json::ErrorCollector;
using json::ObjectReader;
using json::Value;

constexpr std::int64_t max_width = 1 << 24, max_blocks = 100'000;
constexpr int gpt_words = 51'200;  // GPT-2's 50,257 in whole 128s on 8 ranks (Megatron-LM)
constexpr double gpt_dropout = 0.1;

/// Reads the peaks of a unit: {"float16": {"tflops": 312, ...}}. The larger unit of a precision counts.
void read_peaks(ObjectReader& in, std::string_view unit, DeviceType& type) {
  if (!in.has(unit)) return;
  in.object(unit, [&](ObjectReader& peaks) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
        {{"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}, {"float8", "fp8"}}};
    for (const auto& [theirs, ours] : names) {
      if (!peaks.has(theirs)) continue;
      peaks.object(theirs, [&](ObjectReader& peak) {
        double& kept = type.peak_tflops[std::string(ours)];
        kept = std::max(kept, peak.number("tflops", 0, 1e12));
      });
    }
  });
}

}  // namespace

bool looks_like_calculon_model(const Value& document) {
  return document.find("attn_heads") && document.find("num_blocks");
}

bool looks_like_calculon_system(const Value& document) { return document.find("mem1") && document.find("networks"); }

Result<ParsedTransformer> model_from_calculon(const Value& document, const std::string& name) {
  ErrorCollector problems;
  ParsedTransformer out;
  TransformerConfig& config = out.config;
  {
    ObjectReader in(document, "", problems);
    config.name = name, config.family = "calculon";
    config.hidden = in.count("hidden", 1, max_width);
    config.feed_forward = in.count("feedforward", 1, max_width);
    config.positions = config.longest = in.count("seq_size", 1, max_width);
    config.heads = config.key_value_heads = in.count("attn_heads", 1, max_width);
    config.head_width = in.count("attn_size", 1, max_width);
    config.layers = in.count("num_blocks", 1, max_blocks);
    out.share = share_of(document, in);
  }
  if (problems) return tl::unexpected(*std::move(problems.first));
  config.vocabulary = gpt_words;
  config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
  config.tied = true;
  config.dropout = config.attention_dropout = gpt_dropout;
  out.share.assumed = {
      fmt::format("a vocabulary of {} words and learned positions, as GPT-3 has: the file has neither", gpt_words),
      "blocks of GPT: layer norms, biases, a plain feed-forward layer, dropout 0.1; the head shares the words' table"};
  for (const std::string& assumed : out.share.assumed) out.notes.push_back("Assumed: " + assumed);
  return out;
}

Result<FoundMachines> machines_from_calculon(const Value& document, const std::string& name) {
  ErrorCollector problems;
  DescribedMachine machine;
  machine.source = "Calculon";
  machine.type.name = name;
  ImportShare share;
  {
    ObjectReader in(document, "", problems);
    for (const char* unit : {"matrix", "vector"}) read_peaks(in, unit, machine.type);
    in.object("mem1", [&](ObjectReader& memory) {
      machine.type.memory = gibibytes(memory.number("GiB", 0, 1e6));
      machine.type.memory_bandwidth = gigabytes_per_second(memory.number("GBps", 1e-6, 1e9));
    });
    int level = 0;
    in.objects("networks", [&](ObjectReader& network) {
      const int size = network.count("size", 1, limits::samples);
      const BytesPerSecond rate = gigabytes_per_second(network.number("bandwidth", 1e-6, 1e9));
      if (level == 0) machine.devices = size, machine.link = rate;
      if (level == 1) machine.card = rate;
      ++level;
    });
    if (!problems && level == 0) in.fail("networks", "found no network, expected one inside of a machine");
    share = share_of(document, in);
  }
  if (problems) return tl::unexpected(*std::move(problems.first));
  return machine_of(machine, std::move(share));
}

}  // namespace pipedeck::io::simulators
