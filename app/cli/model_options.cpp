// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_options.hpp"

#include <fmt/format.h>

#include "app/cli/table.hpp"
#include "core/domain/limits.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::cli {
namespace {

constexpr const char* group = "Models (config.json of transformers)";

}  // namespace

void ModelOptions::declare(CLI::App& app) {
  const auto noticed = [this](CLI::Option* option) {
    option->group(group)->each([this](const std::string&) { given_any_ = true; });
  };
  const auto noticed_flag = [&](const char* name, bool& flag, const char* what) {
    app.add_flag_callback(
           name, [this, &flag] { flag = given_any_ = true; }, what)
        ->group(group);
  };
  noticed(app.add_option("--precision", precision_,
                         "of activations and products, one that the device type has a peak for: fp32, tf32, fp16, "
                         "bf16; else its best of 16 bits")
              ->type_name("NAME"));
  noticed(
      app.add_option("--sequence", options_.sequence,
                     fmt::format("tokens of a sample; else what the model was made for, at most {}", longest_assumed))
          ->check(CLI::Range(1, 1 << 24))
          ->type_name("N"));
  noticed(app.add_option("--micro-batch", options_.micro_batch, "samples of a micro-batch")
              ->check(CLI::Range(1, static_cast<int>(limits::samples)))
              ->type_name("N"));
  noticed(
      app.add_option("--attention", attention_,
                     "fused: one kernel that keeps the weights of attention to itself; selective: they are computed "
                     "again in the backward pass; stored: they are kept")
          ->check(CLI::IsMember({"fused", "selective", "stored"}))
          ->type_name("KIND"));
  noticed(app.add_option("--tensor-parallel", options_.degrees, "degrees to compute too, ascending, such as 2,4,8")
              ->delimiter(',')
              ->check(CLI::Range(2, static_cast<int>(limits::devices)))
              ->type_name("N,N..."));
  noticed_flag("--no-sequence-parallel", no_sequence_parallel_, "tensor-parallel ranks repeat norms and dropout");
  noticed_flag("--no-dropout", no_dropout_, "without the dropout that the configuration asks for");
  const auto reached = [&](const char* name, double& part, const char* what) {
    noticed(app.add_option(name, part, fmt::format("{} [{}]", what, part))->type_name("F"));
  };
  reached("--reached-products", options_.reached.products, "part of the arithmetic peak that large products reach");
  reached("--reached-attention", options_.reached.attention, "part of that which fused attention reaches");
  reached("--reached-memory", options_.reached.memory,
          "part of the memory's bandwidth that the rest of a layer reaches");
  noticed_flag("--explain", explain_, "print every figure of a layer with its formula");
}

Result<AnalyticProfile> ModelOptions::profile(const ReadTransformer& model, const std::string& device) const {
  const auto found = catalogue_device(device.empty() ? std::string(assumed_device_type) : device);
  if (!found) return tl::unexpected(found.error());
  AnalyticOptions options = options_;
  options.precision = precision_.empty() ? usual_precision(*found) : precision_;
  options.attention = attention_ == "stored"      ? AttentionMemory::stored
                      : attention_ == "selective" ? AttentionMemory::selective
                                                  : AttentionMemory::fused;
  options.sequence_parallel = !no_sequence_parallel_;
  options.dropout = !no_dropout_;
  auto made = analytic_profile(model, *found, options);
  if (made && device.empty())
    made->notes.push_back(fmt::format("No device type was named (--device): {} is assumed", assumed_device_type));
  return made;
}

std::string profile_table(const AnalyticProfile& made, bool explain) {
  Table table({{"layer", Align::left}, {"parameters"}, {"kept"}, {"forward ms"}, {"backward ms"}});
  for (const Layer& layer : made.profile.layers)
    table.add({layer.name, memory_text(layer.parameters), memory_text(layer.saved), milliseconds_text(layer.forward),
               milliseconds_text(layer.backward)});
  std::string text = table.text();
  if (!explain) return text;
  text +=
      "\nb samples, s tokens of a sample, n = b s, h hidden, a heads, g heads of keys and values, d head width,\n"
      "f feed-forward, V vocabulary, e experts, k experts a token, w bytes of a number\n";
  for (const LayerExplanation& layer : made.explanations) {
    text += "\n" + layer.layer + "\n";
    for (const std::string& figure : layer.figures) text += "  " + figure + "\n";
  }
  return text;
}

}  // namespace pipedeck::cli
