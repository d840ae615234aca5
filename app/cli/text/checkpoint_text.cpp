// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/checkpoint_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::cli::text {
namespace {

std::string state_of(const runtime::checkpoint::StepContent& step) {
  if (!step.complete()) return "incomplete";
  return step.problems.empty() ? "complete" : "complete, with additional damaged files";
}

const runtime::checkpoint::Origin* origin_of(const runtime::checkpoint::StepContent& step) {
  return step.parts.empty() ? nullptr : &step.parts.front().part().origin;
}

}  // namespace

Result<std::vector<runtime::checkpoint::StepContent>> checkpoints_in(const std::string& folder) {
  TRY(const auto steps, runtime::checkpoint::steps_in(folder));
  std::vector<runtime::checkpoint::StepContent> contents;
  for (const runtime::checkpoint::StepFolder& step : steps)
    contents.push_back(runtime::checkpoint::inspect(step, true));
  return contents;
}

std::string summary_of(const runtime::checkpoint::StepContent& step) {
  std::string text = fmt::format("step {}: {}", step.folder.step, state_of(step));
  if (const runtime::checkpoint::Origin* origin = origin_of(step))
    text += fmt::format(", {} with {}, {} files, {} bytes", origin->model, origin->plan, step.parts.size(),
                        step.bytes().count);
  if (!step.complete()) text += fmt::format("; {} missing", step.missing);
  if (!step.folder.unfinished.empty()) text += fmt::format("; {} files unfinished", step.folder.unfinished.size());
  return text;
}

std::string checkpoints_text(const std::vector<runtime::checkpoint::StepContent>& steps) {
  Table table({{"step"},
               {"samples"},
               {"model", Align::left},
               {"plan", Align::left},
               {"optimizer", Align::left},
               {"files"},
               {"bytes"},
               {"state", Align::left}});
  for (const runtime::checkpoint::StepContent& step : steps) {
    std::vector<std::string> row{std::to_string(step.folder.step), "", "", "", "", "", "", ""};
    if (const runtime::checkpoint::Origin* origin = origin_of(step))
      row = {std::to_string(step.folder.step),
             std::to_string(origin->samples),
             shortened(origin->model, 30),
             shortened(origin->plan, 30),
             std::string(name_of(origin->optimizer)),
             std::to_string(step.parts.size()),
             std::to_string(step.bytes().count),
             ""};
    row.back() = step.complete() ? state_of(step) : fmt::format("incomplete: {} missing", step.missing);
    table.add(std::move(row));
    for (const Error& problem : step.problems) table.add({"", "", "", "", "", "", "", problem.text()});
  }
  return table.text();
}

std::string checkpoints_json(const std::vector<runtime::checkpoint::StepContent>& steps) {
  auto list = nlohmann::ordered_json::array();
  for (const runtime::checkpoint::StepContent& step : steps) {
    nlohmann::ordered_json one{
        {"step", step.folder.step}, {"path", io::text::to_utf8(step.folder.path)}, {"complete", step.complete()}};
    if (const runtime::checkpoint::Origin* origin = origin_of(step)) {
      one["samples"] = origin->samples;
      one["model"] = io::text::to_utf8(origin->model);
      one["plan"] = io::text::to_utf8(origin->plan);
      one["optimizer"] = name_of(origin->optimizer);
      one["files"] = step.parts.size();
      one["bytes"] = step.bytes().count;
    }
    if (!step.complete()) one["missing"] = io::text::to_utf8(step.missing);
    auto problems = nlohmann::ordered_json::array();
    for (const Error& problem : step.problems)
      problems.push_back({{"file", io::text::to_utf8(problem.file)}, {"message", io::text::to_utf8(problem.message)}});
    if (!problems.empty()) one["problems"] = std::move(problems);
    list.push_back(std::move(one));
  }
  return list.dump(2);
}

std::string summary_of(const runtime::checkpoint::ShardFile& file) {
  const runtime::checkpoint::Part& part = file.part();
  std::string layers;
  for (const runtime::checkpoint::LayerPart& layer : part.layers)
    layers += fmt::format("{}'{}'", layers.empty() ? "" : ", ",
                          part.origin.layers[static_cast<std::size_t>(layer.layer)].name);
  return fmt::format("step {} of {} with {}, device {}, layers {}", part.origin.step, part.origin.model,
                     part.origin.plan, part.device.value, shortened(layers, 80));
}

}  // namespace pipedeck::cli::text
