// SPDX-License-Identifier: Apache-2.0
// export: a part of a file as a table for other programs, a document of a project, plans as a report, a plan as a batch
// job or for another training engine.
#include <algorithm>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/work/engine_export.hpp"
#include "app/cli/work/file_formats.hpp"
#include "app/cli/work/report_export.hpp"
#include "core/io/csv/tables.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/job_script.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::cli::commands {
namespace {

/// Arguments next to the file: the document of a project, the model of a job.
struct ExportRequest {
  std::string name, model, backend = "cpu", precision;
  int steps = 0, processes = 1;
  io::documents::SlurmNodes nodes{};
  bool any_of_jobs() const {
    return !model.empty() || steps != 0 || processes != 1 || backend != "cpu" || !precision.empty() || nodes.any();
  }
};

struct Part {
  std::string_view of, name, summary;
  std::function<Result<std::string>(const work::AnyFile&, const ExportRequest&)> text;
};

template <class Value>
std::function<Result<std::string>(const work::AnyFile&, const ExportRequest&)> table(
    io::csv::CsvTable (*make)(const Value&)) {
  return [make](const work::AnyFile& file, const ExportRequest&) -> Result<std::string> {
    return make(std::get<Value>(file)).text();
  };
}

Result<std::string> operations(const Timeline& timeline) {
  if (timeline.size() == 0)
    return fail(ErrorCode::bad_input, "has no operations; simulate with --intervals, or run with --timeline-every");
  return io::csv::operations_csv(timeline).text();
}

const Timeline& last_timeline(const work::RunLog& log) {
  static const Timeline none;
  const Timeline* last = &none;
  for (const RunEvent& event : log.events)
    if (const auto* measured = std::get_if<MeasuredTimeline>(&event)) last = &measured->timeline;
  return *last;
}

Result<std::string> job(io::documents::JobLauncher launcher, const Plan& plan, const ExportRequest& wish) {
  if (wish.model.empty() || wish.steps == 0)
    return fail(ErrorCode::bad_usage, "export: a job needs --model SPEC and --steps N");
  auto model = presets::open_model(wish.model);
  if (!model) return tl::unexpected(text::in_file(model.error(), wish.model));
  // The script runs in another folder.
  if (!model->data.path.empty()) model->data.path = std::filesystem::absolute(model->data.path).lexically_normal();
  const bool gpus = wish.backend == "cuda";
  if (!gpus && !wish.precision.empty())
    return fail(ErrorCode::bad_usage, "export: --precision needs --backend cuda: it has no effect on the processor");
  const auto precision = parse_product_precision(wish.precision).value_or(ProductPrecision::fp32);
  if (launcher != io::documents::JobLauncher::slurm && wish.nodes.any())
    return fail(ErrorCode::bad_usage, "export: found nodes, segments or spare nodes with job-mpirun, which has none");
  return io::documents::job_script({launcher, wish.steps, wish.processes, {gpus, precision}, wish.nodes}, plan, *model);
}

Result<std::vector<Plan>> plans_of(const store::ProjectContent& project) {
  std::vector<Plan> plans;
  for (const store::StoredDocument& document : project.documents) {
    if (document.kind != "plan") continue;
    auto plan = io::documents::plan_from_json(document.json);
    if (!plan) {
      Error error = plan.error();
      error.place = fmt::format("plan '{}'{}{}", document.name, error.place.empty() ? "" : ": ", error.place);
      return tl::unexpected(std::move(error));
    }
    plans.push_back(*std::move(plan));
  }
  return plans;
}

Result<std::string> project_plans(const work::AnyFile& file, const ExportRequest&) {
  TRY(const auto plans, plans_of(std::get<store::ProjectContent>(file)));
  std::vector<io::csv::ComparedPlanFigures> rows;
  for (const Plan& plan : plans) rows.push_back({&plan, nullptr, {}, {}, {}});
  return io::csv::plans_csv(rows).text();
}

/// The document of that kind and name, or the only one of its kind.
std::function<Result<std::string>(const work::AnyFile&, const ExportRequest&)> document(std::string kind) {
  return [kind](const work::AnyFile& file, const ExportRequest& wish) -> Result<std::string> {
    std::vector<std::string> names;
    const store::StoredDocument* found = nullptr;
    for (const store::StoredDocument& document : std::get<store::ProjectContent>(file).documents) {
      if (document.kind != kind) continue;
      names.push_back(document.name);
      if (wish.name.empty() ? names.size() == 1 : document.name == wish.name) found = &document;
    }
    if (found && (!wish.name.empty() || names.size() == 1)) return found->json;
    return fail(ErrorCode::bad_usage,
                names.empty()
                    ? fmt::format("the project holds no {}", kind)
                    : fmt::format("export: found {}, expected --name with one of: {}",
                                  wish.name.empty() ? "no --name" : "--name " + wish.name, fmt::join(names, ", ")));
  };
}

Result<std::string> calibration(const work::AnyFile& file, const ExportRequest&) {
  const auto& settings = std::get<store::ProjectContent>(file).settings;
  const auto found = settings.find("calibration");
  if (found == settings.end()) return fail(ErrorCode::bad_usage, "the project holds no calibration");
  return found->second;
}

constexpr std::string_view report_name = "report";

const std::vector<Part>& parts() {
  static const std::vector<Part> all{
      {"profile", "layers", "times and bytes of each layer", table<Profile>(io::csv::layers_csv)},
      {"graph-text", "layers", "times and bytes of each layer", table<Profile>(io::csv::layers_csv)},
      {"cluster", "devices", "node, type, memory of each device", table<Cluster>(io::csv::cluster_devices_csv)},
      {"plan", "stages", "layers and devices of each stage", table<Plan>(io::csv::stages_csv)},
      {"plan", "job-slurm", "a Slurm script that trains --model with the plan",
       [](const work::AnyFile& file, const ExportRequest& wish) {
         return job(io::documents::JobLauncher::slurm, std::get<Plan>(file), wish);
       }},
      {"plan", "job-mpirun", "the same for mpirun",
       [](const work::AnyFile& file, const ExportRequest& wish) {
         return job(io::documents::JobLauncher::mpirun, std::get<Plan>(file), wish);
       }},
      {"simulation", "devices", "busy and idle time, peak of each device", table<Simulation>(io::csv::devices_csv)},
      {"simulation", "memory", "items of each device's peak", table<Simulation>(io::csv::memory_items_csv)},
      {"simulation", "memory-curve", "memory over time", table<Simulation>(io::csv::memory_curve_csv)},
      {"simulation", "operations", "start and end of each operation",
       [](const work::AnyFile& file, const ExportRequest&) { return operations(std::get<Simulation>(file).timeline); }},
      {"run-log", "steps", "loss, time, throughput of each step",
       [](const work::AnyFile& file, const ExportRequest&) -> Result<std::string> {
         return io::csv::steps_csv(std::get<work::RunLog>(file).events).text();
       }},
      {"run-log", "samples", "busy time, memory, power, clocks over time (run --sample-every)",
       [](const work::AnyFile& file, const ExportRequest&) -> Result<std::string> {
         return io::csv::samples_csv(std::get<work::RunLog>(file).events).text();
       }},
      {"run-log", "operations", "start and end of each operation of the last timeline",
       [](const work::AnyFile& file, const ExportRequest&) {
         return operations(last_timeline(std::get<work::RunLog>(file)));
       }},
      {"project", "plans", "the plans with their predictions", project_plans},
      {"project", "profile", "the profile --name as JSON", document("profile")},
      {"project", "cluster", "the cluster --name as JSON", document("cluster")},
      {"project", "plan", "the plan --name as JSON", document("plan")},
      {"project", "model", "the model --name as JSON", document("model")},
      {"project", "calibration", "the calibration as JSON", calibration},
  };
  return all;
}

std::string export_overview() {
  std::string text = "WHAT, by the format of FILE:\n";
  for (const Part& part : parts())
    if (part.of != "graph-text") text += fmt::format("  {:<11}{:<20}{}\n", part.of, part.name, part.summary);
  for (const study::engines::Engine& engine : study::engines::engines())
    for (const study::engines::EngineOutput& output : engine.outputs)
      text += fmt::format("  {:<11}{:<20}{}\n", "plan", output.name, output.summary);
  for (const char* of : {"plan", "project"})
    text += fmt::format("  {:<11}{:<20}{}\n", of, report_name,
                        "report of the compared plans with pictures: HTML, or Markdown if -o ends with .md");
  return text;
}

class ExportCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_, "input file (format detected from content)")->required();
    app.add_option("WHAT", what_, "part to write: tables are CSV")->required();
    app.add_option("-o", out_, "output file [standard output]")->type_name("FILE");
    app.add_option("--name", wish_.name, "document of a project; plan with details in its report")->type_name("NAME");
    app.add_option("--model", wish_.model, "model of a job: a file or preset:NAME")->type_name("SPEC");
    app.add_option("--steps", wish_.steps, "optimizer steps of a job")->check(CLI::Range(1, 1 << 30))->type_name("N");
    app.add_option("--processes", wish_.processes, "processes of a job, each with a block of the plan's devices [1]")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    app.add_option("--backend", wish_.backend,
                   "backend of a job: cpu (a thread per device) or cuda (a GPU per device) [cpu]")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->type_name("NAME");
    app.add_option("--precision", wish_.precision, "precision of a job on GPUs, as for run: fp32, tf32 or bf16 [fp32]")
        ->check(CLI::IsMember({"fp32", "tf32", "bf16"}))
        ->type_name("NAME");
    app.add_option("--nodes", wish_.nodes.count, "nodes of a Slurm job, with equally many processes each")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    app.add_option("--segment", wish_.nodes.segment,
                   "nodes of a Slurm job that stay in one block of the network; needs --nodes")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    app.add_option("--spare-nodes", wish_.nodes.spare,
                   "nodes that a Slurm job asks for in addition, in the places of those that do not answer; needs "
                   "--nodes")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    engine_.inputs.declare(app, false);
    app.add_flag("--nearest", engine_.closest,
                 "write the nearest supported plan if the engine does not support this one");
    app.add_option("--nearest-plan", engine_.nearest_plan, "with --nearest: file for that plan")->type_name("FILE");
    app.add_option("--plan", report_.plans, "further plan of a report; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    report_.simulation.declare(app);
    app.footer(export_overview());
  }

  Result<int> run(std::stop_token stop) override {
    if (!what_.starts_with("job-") && wish_.any_of_jobs())
      return fail(ErrorCode::bad_usage, fmt::format("export: found options of jobs with {}, expected none", what_));
    TRY(const auto file, work::read_any_file(file_, {.profile_micro_batch = engine_.inputs.profile_micro_batch}));
    if (what_ == report_name) {
      if (const auto* plan = std::get_if<Plan>(&file)) return report(*plan, stop);
      if (const auto* project = std::get_if<store::ProjectContent>(&file)) return report(*project, stop);
    } else if (auto none = no_report_options(); !none) {
      return tl::unexpected(none.error());
    }
    std::vector<std::string_view> possible;
    for (const Part& part : parts()) {
      if (part.of != work::format_name(file)) continue;
      possible.push_back(part.name);
      if (part.name != what_) continue;
      if (!engine_.inputs.profile.empty() || !engine_.inputs.cluster.empty() || engine_.closest ||
          !engine_.nearest_plan.empty())
        return fail(ErrorCode::bad_usage,
                    fmt::format("export: found options of plans for other engines with {}, expected none", what_));
      return write(part.text(file, wish_));
    }
    if (const auto* plan = std::get_if<Plan>(&file)) {
      if (const study::engines::NamedOutput wanted = study::engines::find_engine_output(what_); wanted.engine)
        return write(work::engine_export(wanted, *plan, file_, engine_, stop));
      for (const study::engines::Engine& engine : study::engines::engines())
        for (const study::engines::EngineOutput& output : engine.outputs) possible.push_back(output.name);
    }
    if (std::holds_alternative<Plan>(file) || std::holds_alternative<store::ProjectContent>(file))
      possible.push_back(report_name);
    return fail(ErrorCode::bad_usage,
                fmt::format("a {} has no {}; possible: {}", work::format_name(file), what_, fmt::join(possible, ", ")),
                {}, file_);
  }

 private:
  Result<int> write(Result<std::string> text) const {
    if (!text) return tl::unexpected(text::in_file(text.error(), file_));
    if (!text->ends_with('\n')) *text += '\n';
    TRY_VOID(text::write_output(out_, *text));
    return 0;
  }

  template <class Content>
  Result<int> report(const Content& content, const std::stop_token& stop) {
    if (engine_.closest || !engine_.nearest_plan.empty())
      return fail(ErrorCode::bad_usage, "export: found options of jobs or engines with report, expected none");
    report_.inputs = engine_.inputs;
    report_.name = wish_.name;
    report_.out = out_;
    if (auto written = work::export_report(content, file_, report_, stop); !written)
      return tl::unexpected(text::in_file(written.error(), file_));
    return 0;
  }

  Result<void> no_report_options() const {
    if (report_.plans.empty() && report_.simulation.conventions() == SimulationOptions() &&
        report_.simulation.calibration.empty())
      return {};
    return fail(ErrorCode::bad_usage, fmt::format("export: found options of a report with {}, expected none", what_));
  }

  std::string file_, what_, out_ = "-";
  ExportRequest wish_;
  work::EngineExport engine_;
  work::ReportExport report_;
};

}  // namespace

std::unique_ptr<options::Command> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace pipedeck::cli::commands
