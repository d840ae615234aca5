// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/checkpoint/resume.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::checkpoint {
namespace {

namespace fs = std::filesystem;

/// Returns the steps of DIR, or only DIR/step-N.
Result<std::vector<StepFolder>> candidates(const std::string& folder) {
  const fs::path path = fs::path(folder) / "";  // gives "DIR/step-1/" and "DIR/step-1" the same parent
  const fs::path step = path.parent_path();
  std::error_code ignored;
  if (fs::is_directory(step, ignored)) {
    const auto beside = steps_in(step.parent_path().empty() ? "." : step.parent_path().string());
    if (beside)
      for (const StepFolder& found : *beside)
        if (fs::equivalent(found.path, step, ignored)) return std::vector{found};
  }
  return steps_in(folder);
}

std::string mismatch_reason(const StepContent& content) {
  std::string text;
  for (const Error& problem : content.problems) text += (text.empty() ? "" : "; ") + problem.text();
  if (!content.complete()) text += fmt::format("{}{} missing", text.empty() ? "" : "; ", content.missing);
  return text;
}

tl::unexpected<Error> differs(const std::string& what, const std::string& found, const std::string& expected) {
  return fail(ErrorCode::bad_input, fmt::format("{} is {}, expected {}, the model's: resume the model that the "
                                                "checkpoint was made of, or begin anew in another folder",
                                                what, found, expected));
}

std::string size_text(const ModelLayer& layer, const std::string& key) {
  const auto found = find_size(layer, key);
  return found ? std::to_string(*found) : "absent";
}

Result<void> check_layer(std::size_t index, const ModelLayer& found, const ModelLayer& expected) {
  const std::string layer = fmt::format("of another model: layer {} '{}'", index, found.name);
  if (found.kind != expected.kind) return differs(layer, "of kind " + found.kind, expected.kind);
  for (const auto* sizes : {&found.sizes, &expected.sizes})
    for (const auto& [key, value] : *sizes)
      if (size_text(found, key) != size_text(expected, key))
        return differs(fmt::format("{} ({}): size '{}'", layer, found.kind, key), size_text(found, key),
                       size_text(expected, key));
  return {};
}

std::string data_text(const DataSource& data) {
  const std::string source = data.path.empty() ? data.kind : data.kind + ":" + data.path;
  return fmt::format("{} with seed {}", source, data.seed);
}

}  // namespace

Result<Checkpoint> Checkpoint::open(const std::string& folder) {
  TRY(const auto steps, candidates(folder));
  Checkpoint checkpoint;
  std::string reasons;
  for (const StepFolder& step : steps) {
    checkpoint.content_ = inspect(step, true);
    if (checkpoint.content_.complete()) {
      for (const Error& problem : checkpoint.content_.problems) checkpoint.warnings_.push_back(problem.text());
      return checkpoint;
    }
    const std::string reason = fmt::format("step {}: {}", step.step, mismatch_reason(checkpoint.content_));
    checkpoint.warnings_.push_back(reason + ": passed over");
    reasons += (reasons.empty() ? ": " : "; ") + reason;
  }
  return fail(ErrorCode::bad_input,
              fmt::format("found no checkpoint that is complete, expected one step at least that every stage has{}",
                          reasons.empty() ? ", and there is none at all" : reasons),
              {}, folder);
}

Result<std::vector<std::string>> Checkpoint::check(const ModelSpec& model, const Plan& plan) const {
  const Origin& from = origin();
  const auto here = [&](auto failed) {
    failed.value().file = path();
    return failed;
  };
  for (std::size_t i = 0; i < std::min(from.layers.size(), model.layers.size()); ++i)
    if (auto same = check_layer(i, from.layers[i], model.layers[i]); !same)
      return here(tl::unexpected(std::move(same.error())));
  if (from.layers.size() != model.layers.size())
    return here(differs("of another model: its number of layers", std::to_string(from.layers.size()),
                        std::to_string(model.layers.size())));
  if (from.optimizer != plan.optimizer)
    return here(fail(ErrorCode::bad_input,
                     fmt::format("its optimizer is {}, expected {}, the plan's: what an optimizer remembers is of no "
                                 "use to another one; resume with a plan of optimizer {}",
                                 name_of(from.optimizer), name_of(plan.optimizer), name_of(from.optimizer))));
  std::vector<std::string> differences;
  if (!(from.data == model.data))
    differences.push_back(
        fmt::format("the checkpoint was trained on {}, now on {}: training continues at its sample {}",
                    data_text(from.data), data_text(model.data), from.samples));
  if (from.learning_rate != model.learning_rate)
    differences.push_back(
        fmt::format("the checkpoint's learning rate was {}, now {}", from.learning_rate, model.learning_rate));
  return differences;
}

Result<void> Checkpoint::check_frozen_weights(std::uint64_t seed) const {
  if (origin().seed == seed) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("its adapters were trained next to frozen weights of seed or hash {:x}, found {:x}: give the "
                          "weights that its run began with (--weights), or the model with its seed",
                          origin().seed, seed),
              {}, path());
}

int Checkpoint::older(int layer) const {
  for (const ShardFile& file : content_.parts)
    for (const LayerPart& part : file.part().layers)
      if (part.layer == layer) return part.older;
  return 0;
}

Result<std::uint64_t> Checkpoint::read_whole(int layer, int state, std::vector<float>& whole) const {
  std::uint64_t updates = 0;
  std::vector<float> own;
  for (const ShardFile& file : content_.parts)
    for (std::size_t i = 0; i < file.part().layers.size(); ++i) {
      const LayerPart& part = file.part().layers[i];
      if (part.layer != layer) continue;
      own.resize(static_cast<std::size_t>(part.floats()));
      whole.resize(static_cast<std::size_t>(part.whole));
      TRY_VOID(file.read(i, state, own));
      layers::insert_blocks(part.blocks, own, whole);
      updates = part.updates;
    }
  return updates;
}

Result<std::uint64_t> Checkpoint::read(int layer, int state, std::int64_t parameters,
                                       std::span<const layers::ParameterBlock> blocks, std::span<float> own) const {
  std::vector<float> whole;
  auto updates = read_whole(layer, state, whole);
  if (!updates) return updates;
  if (static_cast<std::int64_t>(whole.size()) != parameters)
    return fail(ErrorCode::bad_input,
                fmt::format("layer {} has {} parameters, expected {}, as many as this program gives it", layer,
                            whole.size(), parameters),
                {}, path());
  layers::extract_blocks(blocks, whole, own);
  return updates;
}

Result<std::vector<std::vector<float>>> Checkpoint::parameters() const {
  const bool loss = origin().layers.back().kind == "softmax_cross_entropy";
  std::vector<std::vector<float>> layers(origin().layers.size() - (loss ? 1 : 0));
  for (std::size_t i = 0; i < layers.size(); ++i) TRY_VOID(read_whole(static_cast<int>(i), 0, layers[i]));
  return layers;
}

}  // namespace pipedeck::runtime::checkpoint
