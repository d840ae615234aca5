// SPDX-License-Identifier: Apache-2.0
// check: a training job of another engine, read from its arguments or configuration: the rules that it breaks, the
// nearest values that keep them, and what it will take.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/job_options.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/table.hpp"
#include "app/cli/work/file_formats.hpp"
#include "app/cli/work/job_plan.hpp"
#include "core/base/count_text.hpp"
#include "core/io/text/printable.hpp"
#include "core/mesh/job.hpp"
#include "core/presets/presets.hpp"
#include "core/study/engines/job_check.hpp"

namespace pipedeck::cli::commands {
namespace {

using Json = nlohmann::ordered_json;
using study::engines::BrokenRule;
using study::engines::NearestJob;

/// A prediction, or why there is none.
using Price = Result<mesh::Prediction>;

struct Report {
  io::jobs::TrainingJob job;  ///< completed
  study::engines::JobCheck check;
  std::optional<Plan> plan{};
  std::optional<Price> price{};     ///< of the job itself, if it keeps all rules
  std::vector<Price> of_nearest{};  ///< empty without a cluster
};

std::string price_text(const Price& price) {
  if (!price) return io::text::printable(price.error().message);
  return fmt::format("{} ms, {:.1f} tokens/s/GPU, needs {} of {}: {}", text::milliseconds_text(price->iteration),
                     price->tokens_per_second_per_device, text::memory_text(price->needed),
                     text::memory_text(price->capacity), price->fits ? "fits" : "does NOT fit");
}

Json price_json(const Price& price) {
  if (!price) return {{"reason", price.error().message}};
  return {{"iteration_ms", in_milliseconds(price->iteration)},
          {"tokens_per_s_per_device", price->tokens_per_second_per_device},
          {"needed_bytes", price->needed.count},
          {"capacity_bytes", price->capacity.count},
          {"fits", price->fits}};
}

std::string rule_text(const BrokenRule& rule) {
  return fmt::format("  {} ({}{}{}): {}\n", rule.name, rule.engine, rule.engine.empty() ? "" : ": ", rule.source,
                     io::text::printable(rule.message));
}

std::string report_text(const Report& report) {
  const io::jobs::TrainingJob& job = report.job;
  std::string text;
  for (const std::string& note : notes_of(job)) text += io::text::printable(note) + "\n";
  if (report.plan)
    text += fmt::format("{}  {}  {}, {} of {} on each data rank\n", io::text::printable(job.name),
                        degrees_text(*report.plan), name_of(report.plan->schedule),
                        counted(job.micro_batches, "micro-batch"), job.micro_batch);
  const std::size_t broken = report.check.broken.size();
  text += fmt::format("{} of {} rules broken\n", broken, report.check.rules);
  for (const BrokenRule& rule : report.check.broken) text += rule_text(rule);
  if (!report.check.nearest.empty()) text += "nearest values that keep them:\n";
  for (std::size_t n = 0; n < report.check.nearest.size(); ++n)
    text += fmt::format("  {}{}\n", report.check.nearest[n].change,
                        n < report.of_nearest.size() ? ": " + price_text(report.of_nearest[n]) : "");
  text += fmt::format("{} GPUs needed\n", job.devices);
  if (report.price) text += "prediction: " + price_text(*report.price) + "\n";
  return text;
}

Json report_json(const Report& report) {
  const io::jobs::TrainingJob& job = report.job;
  Json json{{"engine", job.engine},
            {"version", job.version},
            {"options", job.share.parts()},
            {"understood", job.share.understood},
            {"without_effect", job.share.without_effect},
            {"left_out", job.share.left_out},
            {"assumed", job.share.assumed},
            {"gpus", job.devices},
            {"rules", report.check.rules}};
  json["broken"] = Json::array();
  for (const BrokenRule& rule : report.check.broken)
    json["broken"].push_back(
        {{"rule", rule.name}, {"engine", rule.engine}, {"source", rule.source}, {"message", rule.message}});
  json["nearest"] = Json::array();
  for (std::size_t n = 0; n < report.check.nearest.size(); ++n) {
    json["nearest"].push_back({{"change", report.check.nearest[n].change}});
    if (n < report.of_nearest.size()) json["nearest"].back()["price"] = price_json(report.of_nearest[n]);
  }
  if (report.price) json["prediction"] = price_json(*report.price);
  return json;
}

class CheckCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("FILE", file_, "arguments or configuration of another engine (format detected from content)")
        ->required();
    app.add_option("--cluster", cluster_, "cluster that prices are predicted for: a file or preset:NAME")
        ->type_name("C");
    job_.declare(app);
    app.add_flag("--json", json_, "write only JSON on standard output");
    app.footer("Exit status: 0 if the job keeps all rules, 1 if it breaks one, 2 if the file cannot be read.");
  }

  Result<int> run(std::stop_token stop) override {
    TRY(auto variables, job_.variables());
    TRY(const auto file, work::read_any_file(file_, {.variables = std::move(variables)}, stop));
    const auto* job = std::get_if<io::jobs::TrainingJob>(&file);
    if (!job)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found a {}, expected arguments or a configuration of another engine", work::format_name(file)),
          {}, file_);
    auto report = report_on(*job);
    if (!report) return tl::unexpected(text::in_file(report.error(), file_));
    TRY_VOID(
        json_ ? text::write_output("-", report_json(*report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n")
              : text::print_answer(report_text(*report)));
    return report->check.broken.empty() ? 0 : 1;
  }

 private:
  Result<Report> report_on(const io::jobs::TrainingJob& job) const {
    TRY_VOID(work::check_gpus(job, job_));
    std::shared_ptr<const Cluster> cluster;
    int gpus = job_.gpus;
    if (!cluster_.empty()) {
      auto opened = presets::open_cluster(cluster_);
      if (!opened) return tl::unexpected(text::in_file(opened.error(), cluster_));
      cluster = std::make_shared<const Cluster>(*std::move(opened));
      if (gpus == 0) gpus = static_cast<int>(devices_of(*cluster).size());
    }
    std::optional<TransformerConfig> model = job.model;
    if (!job_.profile.empty()) {
      TRY(model, work::model_of(job, job_));
    }
    Report report{mesh::completed(job, gpus), study::engines::check_job(job, gpus, model ? &*model : nullptr)};
    if (!model) {
      report.job.share.assumed.emplace_back("nothing of the model's shape: --profile gives it");
      return report;
    }
    if (!cluster) report.job.share.assumed.emplace_back("no machine: --cluster gives times and memory");
    if (report.check.broken.empty()) {
      TRY(report.plan, work::plan_of(report.job, *model, cluster));
      if (cluster) report.price = work::predicted(report.job, *model, cluster);
    }
    if (cluster)
      for (const NearestJob& near : report.check.nearest)
        report.of_nearest.push_back(work::predicted(near.job, *model, cluster));
    return report;
  }

  std::string file_, cluster_;
  options::JobOptions job_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace pipedeck::cli::commands
