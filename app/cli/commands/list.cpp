// SPDX-License-Identifier: Apache-2.0
// list: what there is to choose from.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/checkpoint_text.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/file_formats.hpp"
#include "core/io/text/printable.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/instance_types.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/schedule/build.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::cli::commands {
namespace {

/// A name with a summary. Presets have the argument to type, backends a report.
struct Item {
  std::string name, summary, argument{};
  std::optional<runtime::machine::BackendReport> report{};
};
using Items = Result<std::vector<Item>>;

Items list_planners() {
  std::vector<Item> items;
  for (const planner::PlannerInfo& planner : planner::planners()) items.push_back({planner.name, planner.summary});
  return items;
}

Items list_schedules() {
  std::vector<Item> items;
  for (const ScheduleTraits& schedule : all_schedules)
    items.push_back({std::string(schedule.name), std::string(schedule.summary)});
  return items;
}

Items list_models() {
  std::vector<Item> items;
  for (const std::string& name : presets::model_preset_names()) {
    TRY(const auto model, presets::model_preset(name));
    items.push_back(
        {name,
         fmt::format("{} layers{}{}", model.layers.size(), model.trainable_here ? ", trains here in seconds" : "",
                     model.source.empty() ? "" : "; " + model.source),
         "preset:" + presets::model_preset_alias(name)});
  }
  for (const std::string& name : presets::paper_profile_names()) {
    TRY(const auto profile, presets::profile_preset(name));
    items.push_back({name, fmt::format("{} layers, a profile alone; {}", profile.layers.size(), profile.source),
                     "preset:" + presets::model_preset_alias(name)});
  }
  for (const std::string& name : presets::transformer_preset_names())
    items.push_back({name,
                     fmt::format("a transformer's published configuration with a computed profile; {}",
                                 presets::model_preset(name) ? "the runtime has its layers" : "a profile alone"),
                     "preset:" + presets::model_preset_alias(name)});
  return items;
}

Items list_clusters() {
  std::vector<Item> items;
  for (const presets::ClusterPreset& cluster : presets::cluster_presets())
    items.push_back({cluster.name,
                     fmt::format("{} {} in {} {}; {}", cluster.devices, cluster.devices == 1 ? "device" : "devices",
                                 cluster.nodes, cluster.nodes == 1 ? "node" : "nodes", cluster.group),
                     "preset:" + cluster.alias});
  return items;
}

/// The last line of a backend has its report, which the window reads.
Items list_devices() {
  std::vector<Item> items;
  for (const runtime::machine::BackendReport& backend : runtime::profile::backends_here()) {
    for (const std::string& line : backend.lines) items.push_back({line, ""});
    items.back().report = backend;
  }
  return items;
}

Items list_device_types() {
  std::vector<Item> items;
  for (const DeviceModel& model : presets::device_catalogue())
    items.push_back({model.type.name, presets::device_summary(model)});
  return items;
}

Items list_cloud_shapes() {
  std::vector<Item> items;
  for (const presets::InstanceType& shape : presets::instance_types())
    items.push_back({shape.name, presets::cloud_shape_summary(shape)});
  return items;
}

Items list_formats() {
  std::vector<Item> items;
  for (const work::FileFormat& format : work::file_formats())
    items.push_back({std::string(format.name), std::string(format.summary)});
  return items;
}

/// Names are those of export.
Items list_engines() {
  std::vector<Item> items;
  for (const study::engines::Engine& engine : study::engines::engines())
    for (const study::engines::EngineOutput& output : engine.outputs)
      items.push_back({std::string(output.name),
                       fmt::format("{}; names and rules of {} {}", output.summary, engine.name, engine.version)});
  return items;
}

struct List {
  const char* name;
  Items (*items)();
};
constexpr std::array<List, 9> lists{{{"planners", list_planners},
                                     {"schedules", list_schedules},
                                     {"models", list_models},
                                     {"clusters", list_clusters},
                                     {"devices", list_devices},
                                     {"device-types", list_device_types},
                                     {"cloud-shapes", list_cloud_shapes},
                                     {"formats", list_formats},
                                     {"engines", list_engines}}};

void add_report(nlohmann::ordered_json& item, const runtime::machine::BackendReport& report) {
  item["backend"] = report.name;
  item["usable"] = report.usable;
  if (!report.usable) item["why_not"] = report.unavailable_reason;
  for (const runtime::machine::GpuKind& kind : report.gpus)
    item["gpus"].push_back({{"count", kind.count}, {"name", kind.name}});
}

std::string items_json(const std::vector<Item>& items) {
  auto json = nlohmann::ordered_json::array();
  for (const Item& item : items) {
    nlohmann::ordered_json one{{"name", item.name}};
    if (!item.argument.empty()) one["argument"] = item.argument;
    if (!item.summary.empty()) one["summary"] = item.summary;
    if (item.report) add_report(one, *item.report);
    json.push_back(std::move(one));
  }
  return json.dump(2);
}

std::string items_text(const std::vector<Item>& items) {
  text::Table table({{"", text::Align::left}, {"", text::Align::left}});
  for (const Item& item : items)
    table.add(item.argument.empty() ? std::vector<std::string>{item.name, item.summary}
                                    : std::vector<std::string>{item.argument, item.name + ": " + item.summary});
  return table.text();
}

class ListCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    std::vector<std::string> names;
    for (const List& list : lists) names.emplace_back(list.name);
    names.emplace_back("checkpoints");
    app.add_option("WHAT", what_,
                   "planners, schedules, models, clusters, devices (of this machine), device-types (of the catalogue), "
                   "cloud-shapes, formats, engines (that plans are exported to), or checkpoints of a folder")
        ->required()
        ->check(CLI::IsMember(names));
    app.add_option("FOLDER", folder_, "folder that run --checkpoint wrote into, for checkpoints");
    app.add_flag("--json", json_, "write only JSON on standard output");
  }

  Result<int> run(std::stop_token) override {
    if ((what_ == "checkpoints") == folder_.empty())
      return fail(ErrorCode::bad_usage, folder_.empty() ? "list checkpoints: found no FOLDER, expected one"
                                                        : "list: FOLDER needs checkpoints");
    if (what_ == "checkpoints") return list_checkpoints();
    for (const List& list : lists) {
      if (what_ != list.name) continue;
      const Items items = list.items();
      if (!items) return tl::unexpected(items.error());
      TRY_VOID(json_ ? text::write_output("-", items_json(*items) + "\n") : text::print_answer(items_text(*items)));
    }
    return 0;
  }

 private:
  Result<int> list_checkpoints() const {
    TRY(const auto steps, text::checkpoints_in(folder_));
    if (json_) {
      TRY_VOID(text::write_output("-", text::checkpoints_json(steps) + "\n"));
    } else {
      TRY_VOID(text::print_answer(steps.empty() ? "found no checkpoints in " + io::text::printable(folder_) + "\n"
                                                : text::checkpoints_text(steps)));
    }
    return 0;
  }

  std::string what_, folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace pipedeck::cli::commands
