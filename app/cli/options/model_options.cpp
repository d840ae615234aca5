// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/model_options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/cli/text/table.hpp"
#include "core/base/limits.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::cli::options {
namespace {

constexpr const char* model_group = "Models (config.json of transformers, ONNX)";

/// "batch=8"; names have signs of equality too.
Result<std::pair<std::string, std::int64_t>> named_size(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  std::int64_t size = 0;
  if (equals != text.npos && equals > 0) {
    const char* end = text.data() + text.size();
    const auto [read, problem] = std::from_chars(text.data() + equals + 1, end, size);
    if (problem == std::errc() && read == end && size > 0) return std::pair(text.substr(0, equals), size);
  }
  return fail(ErrorCode::bad_usage, fmt::format("--dim: found \"{}\", expected NAME=N, a whole number from 1", text));
}

}  // namespace

void ModelOptions::declare(CLI::App& app) {
  const auto noticed = [this](CLI::Option* option) {
    return option->group(model_group)->each([this](const std::string&) { given_any_ = true; });
  };
  const auto noticed_flag = [&](const char* name, bool& flag, const char* what) {
    return app
        .add_flag_callback(
            name, [this, &flag] { flag = given_any_ = true; }, what)
        ->group(model_group);
  };
  noticed(app.add_option("--precision", precision_,
                         "precision of activations and products, with a known peak of the device type: fp32, tf32, "
                         "fp16, bf16 [its best with 16 bits]")
              ->type_name("NAME"));
  noticed(app.add_option(
                 "--sequence", options_.sequence,
                 fmt::format(
                     "tokens per sample [the model's own, at most {}]; for an ONNX model, the open size with this name",
                     longest_assumed))
              ->check(CLI::Range(1, 1 << 24))
              ->type_name("N"));
  noticed(app.add_option("--dim", dimensions_,
                         "open size of an ONNX model, by its name, or as INPUT.1 if it has none; may be repeated")
              ->allow_extra_args(false)
              ->type_name("NAME=N"));
  noticed(app.add_option("--micro-batch", micro_batch_, "samples per micro-batch [1, or as an ONNX file fixes it]")
              ->check(CLI::Range(1, static_cast<int>(limits::samples)))
              ->type_name("N"));
  of_transformers_ = {
      noticed(app.add_option(
                     "--attention", attention_,
                     "attention weights: fused (never stored), selective (recomputed in the backward pass) or stored")
                  ->check(CLI::IsMember({"fused", "selective", "stored"}))
                  ->type_name("KIND")),
      noticed(app.add_option("--tensor-parallel", options_.degrees,
                             "tensor-parallel degrees to compute as well, ascending, such as 2,4,8")
                  ->delimiter(',')
                  ->check(CLI::Range(2, static_cast<int>(limits::devices)))
                  ->type_name("N,N...")),
      noticed_flag("--no-sequence-parallel", no_sequence_parallel_,
                   "no sequence parallelism: tensor-parallel ranks repeat norms and dropout")};
  noticed_flag("--as-llama", as_llama_,
               "read a config.json of an unknown family, or of an unknown architecture, as Llama's; what is assumed is "
               "printed");
  noticed_flag("--multi-token", multi_token_, "blocks that predict further tokens are layers, too");
  noticed_flag("--no-dropout", no_dropout_, "ignore the dropout of the configuration or graph");
  const auto reached = [&](const char* name, double& part, const char* what) {
    const std::string text = fmt::format("{} [by shape; where that is unknown, or with ONNX models, {}]", what, part);
    return of_reached_.emplace_back(noticed(app.add_option(name, part, text)->type_name("F")));
  };
  reached("--reached-products", reached_.gemms, "fraction of the arithmetic peak that large products reach");
  of_transformers_.push_back(
      reached("--reached-attention", reached_.attention, "fraction of that rate that fused attention reaches"));
  reached("--reached-memory", reached_.memory, "fraction of the memory bandwidth that the rest of a layer reaches");
  app.add_flag("--explain", explain_,
               "without OUT: print why the file is of its format, how much of it is understood, what is assumed and "
               "left out; with OUT: print every figure of a layer with its formula");
}

Result<analytic::AnalyticProfile> ModelOptions::profile(const ParsedTransformer& model,
                                                        const std::string& device) const {
  TRY(const auto found, presets::catalogue_device(device.empty() ? std::string(presets::assumed_device_type) : device));
  if (!dimensions_.empty())
    return fail(ErrorCode::bad_usage, "--dim: found a transformer's configuration, expected an ONNX model");
  AnalyticOptions options = options_;
  options.micro_batch = micro_batch_.value_or(1);
  options.precision = precision_.empty() ? analytic::times::usual_precision(found) : precision_;
  options.attention = attention_ == "stored"      ? AttentionMemory::stored
                      : attention_ == "selective" ? AttentionMemory::selective
                                                  : AttentionMemory::fused;
  options.sequence_parallel = !no_sequence_parallel_;
  options.dropout = !no_dropout_;
  if (std::ranges::any_of(of_reached_, [](const CLI::Option* option) { return option->count() > 0; }))
    options.reached = reached_;
  auto made = presets::computed_profile(model, found, options);
  if (made && device.empty())
    made->notes.push_back(
        fmt::format("No device type was given (--device): {} is assumed", presets::assumed_device_type));
  return made;
}

Result<analytic::AnalyticProfile> ModelOptions::profile(const OperatorGraph& graph, const std::string& device) const {
  TRY(const auto found, presets::catalogue_device(device.empty() ? std::string(presets::assumed_device_type) : device));
  for (const CLI::Option* option : of_transformers_)
    if (option->count() > 0)
      return fail(ErrorCode::bad_usage,
                  fmt::format("{}: found an ONNX model, expected a transformer's configuration", option->get_name()));
  analytic::graph::Options options;
  options.precision = precision_.empty() ? analytic::times::usual_precision(found) : precision_;
  options.sizes.sequence = options_.sequence;
  options.sizes.samples = micro_batch_;
  options.dropout = !no_dropout_;
  options.reached = reached_;
  for (const std::string& text : dimensions_) {
    TRY(const auto size, named_size(text));
    options.sizes.named[size.first] = size.second;
  }
  auto made = presets::computed_profile(graph, found, options);
  if (made && device.empty())
    made->notes.push_back(
        fmt::format("No device type was given (--device): {} is assumed", presets::assumed_device_type));
  return made;
}

std::string profile_table(const analytic::AnalyticProfile& made, bool explain, bool letters) {
  text::Table table({{"layer", text::Align::left}, {"parameters"}, {"kept"}, {"forward ms"}, {"backward ms"}});
  for (const Layer& layer : made.profile.layers)
    table.add({layer.name, text::memory_text(layer.parameters), text::memory_text(layer.saved),
               text::milliseconds_text(layer.forward), text::milliseconds_text(layer.backward)});
  std::string text = table.text();
  if (!explain) return text;
  if (letters)
    text +=
        "\nb samples, s tokens per sample, n = b s, h hidden, a heads, g key-value heads, d head width,\nf "
        "feed-forward, V vocabulary, e experts, k experts per token, w bytes per number\n";
  for (const analytic::LayerExplanation& layer : made.explanations) {
    text += "\n" + layer.layer + "\n";
    for (const std::string& figure : layer.figures) text += "  " + figure + "\n";
  }
  return text;
}

}  // namespace pipedeck::cli::options
