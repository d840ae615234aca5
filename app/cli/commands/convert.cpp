// SPDX-License-Identifier: Apache-2.0
// convert: any format that is read, into any format that can hold the same; descriptions of machines into a cluster,
// configurations of transformers, ONNX models and traces of modules into a profile, traces of a run's ranks into its
// log.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/job_options.hpp"
#include "app/cli/options/machine_options.hpp"
#include "app/cli/options/model_options.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/import_text.hpp"
#include "app/cli/text/profile_text.hpp"
#include "app/cli/work/explained_import.hpp"
#include "app/cli/work/file_formats.hpp"
#include "app/cli/work/job_plan.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/profiles/csv.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/traces/events.hpp"
#include "core/mesh/job.hpp"
#include "core/presets/measured_links.hpp"
#include "core/presets/presets.hpp"
#include "core/presets/traced_profile.hpp"

namespace pipedeck::cli::commands {
namespace {

constexpr std::string_view preset = "preset:";

class ConvertCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    std::vector<std::string> names;
    for (const work::FileFormat& format : work::file_formats()) names.emplace_back(format.name);
    app.add_option("IN", files_,
                   "input files (format detected from content), or preset:NAME (pipedeck-cli list models). Without -o "
                   "the last is the output; - is standard "
                   "output. Several inputs: machine descriptions, or per-rank traces of one run")
        ->type_name("IN ... OUT");
    app.add_option("-o,--output", out_, "output file; - is standard output")->type_name("OUT");
    app.add_option("--to", to_, "format to write [by the ending of OUT, else that of IN]")
        ->check(CLI::IsMember(names))
        ->type_name("FORMAT");
    app.add_option("--profile-micro-batch", profile_micro_batch_,
                   "samples per micro-batch of a graph text, a table or a trace")
        ->check(CLI::Range(1, 1 << 30))
        ->type_name("N");
    app.add_option("--time-unit", time_unit_, "unit of the times of a workload of Piper or dnn-partitioning [s, ms]")
        ->check(CLI::IsMember({"s", "ms", "us"}))
        ->type_name("UNIT");
    app.add_option("--columns", columns_,
                   "columns of a table of layers: name=Layer,forward_ms=Fwd:us,...; keys are those of a profile's "
                   "layers, and other columns are found by their key")
        ->type_name("KEY=HEADING[:UNIT],...");
    app.add_option("--trace-depth", trace_depth_,
                   "module depth of the layers that a trace becomes, 0: outermost [repeated blocks are found]")
        ->check(CLI::Range(0, 1000))
        ->type_name("N");
    machines_.declare(app);
    models_.declare(app);
    jobs_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    if (models_.explain() && out_.empty() && files_.size() == 1) return explain(files_.front(), stop);
    TRY_VOID(take_output());
    if (machines_.local_machine()) {
      if (!files_.empty()) return fail(ErrorCode::bad_usage, "--this-machine: found an input file, expected none");
      return write_cluster(machines_.cluster_here());
    }
    if (!machines_.cloud().empty()) {
      if (!files_.empty()) return fail(ErrorCode::bad_usage, "--cloud: found an input file, expected none");
      return write_cluster(machines_.cluster_of_cloud());
    }
    if (files_.size() == 1 && files_.front().starts_with(preset))
      return write_preset(files_.front().substr(preset.size()));
    if (!columns_.empty()) return write_table();
    if (files_.size() == 1 && asked_format() == "profile" && io::traces::looks_like_trace(files_.front()))
      return write_traced(stop);
    if (files_.size() > 1 && std::ranges::all_of(files_, io::traces::looks_like_trace)) return write_ranks(stop);
    if (trace_depth_)
      return fail(ErrorCode::bad_usage, "--trace-depth: found no trace to become a profile, expected one");
    FoundMachines found;
    ImportShare share;
    TRY(auto how, read_options());
    how.share = &share;
    for (const std::string& file : files_) {
      TRY(auto read, work::read_any_file(file, how, stop));
      auto* machines = std::get_if<FoundMachines>(&read);
      if (!machines) {
        const bool profile = std::holds_alternative<Profile>(read);
        TRY(const int status, write_other(std::move(read)));
        if (profile || !share.left_out.empty()) print_share(share);
        return status;
      }
      if (auto added = presets::add_found(found, std::move(*machines)); !added)
        return tl::unexpected(text::in_file(added.error(), file));
    }
    return write_cluster(machines_.cluster(std::move(found)));
  }

 private:
  Result<io::ReadOptions> read_options() const {
    TRY(auto variables, jobs_.variables());
    return io::ReadOptions{profile_micro_batch_, models_.as_llama(), models_.multi_token(), std::move(variables),
                           time_unit()};
  }

  Result<int> explain(const std::string& file, const std::stop_token& stop) {
    if (file.starts_with(preset))
      return fail(ErrorCode::bad_usage, "--explain: found a preset without OUT, expected a file, or OUT");
    TRY(auto how, read_options());
    TRY(const auto made, work::explained_import(file, std::move(how), machines_, models_, stop));
    text::print_report(text::import_text(file, made.share, made.evidence, made.open));
    return 0;
  }

  /// Prints what was assumed and the share of a file that was understood.
  static void print_share(const ImportShare& share) {
    for (const std::string& assumed : share.assumed) text::print_note(io::text::printable(assumed));
    text::print_note(line_of(share));
  }

  Result<void> take_output() {
    const bool read_nothing = machines_.local_machine() || !machines_.cloud().empty();
    if (out_.empty() && !files_.empty()) {
      out_ = files_.back();
      files_.pop_back();
      if (!files_.empty() && io::traces::looks_like_trace(out_) &&
          std::ranges::all_of(files_, io::traces::looks_like_trace))
        return fail(ErrorCode::bad_usage,
                    fmt::format("convert: found the trace {} as OUT, where it would be lost; expected -o OUT", out_));
    }
    if (out_.empty() || (files_.empty() && !read_nothing))
      return fail(ErrorCode::bad_usage, "convert: expected IN, a file to read, and OUT, one to write");
    return {};
  }

  /// A transformer by its published configuration, computed for any device with any options; other presets are known
  /// by their times alone.
  Result<int> write_preset(const std::string& name) {
    if (presets::is_transformer_preset(name)) {
      TRY(const auto model, presets::transformer_preset(name));
      return write_other(model);
    }
    TRY(auto profile, presets::profile_preset(name, profile_micro_batch_));
    return write_other(std::move(profile));
  }

  /// A table of layers with its columns.
  Result<int> write_table() {
    const auto columns = io::profiles::profile_columns(columns_);
    if (!columns) return fail(ErrorCode::bad_usage, "--columns: " + columns.error().message);
    if (!profile_micro_batch_)
      return fail(ErrorCode::bad_usage, "--columns: found no --profile-micro-batch, expected one");
    TRY(const auto content, io::read_file(files_.front()));
    const std::string name = io::text::to_utf8(std::filesystem::path(files_.front()).stem().string());
    ImportShare share;
    auto profile = io::profiles::profile_from_csv(content, name, *profile_micro_batch_, *columns, &share);
    if (!profile) return tl::unexpected(text::in_file(profile.error(), files_.front()));
    share.format = "layer-table";
    TRY(const int status, write_other(*std::move(profile)));
    print_share(share);
    return status;
  }

  /// The modules that a profiler saw at work, as layers.
  Result<int> write_traced(const std::stop_token& stop) {
    if (machines_.given()) return fail(ErrorCode::bad_usage, "found options of machines with a trace, expected none");
    if (models_.given()) return fail(ErrorCode::bad_usage, "found options of models with a trace, expected none");
    const analytic::recorded::Options options{trace_depth_, profile_micro_batch_, machines_.device()};
    TRY(const auto made, presets::read_traced_profile(files_.front(), options, stop));
    for (const std::string& note : made.notes) text::print_note(note);
    if (out_ != "-") text::print_report(text::layers_table(made.profile));
    return write(io::documents::profile_to_json(made.profile));
  }

  /// Traces of one run's ranks.
  Result<int> write_ranks(const std::stop_token& stop) {
    if (asked_format() == "profile")
      return fail(ErrorCode::bad_usage,
                  fmt::format("found {} traces to become a profile, expected one: that of a rank", files_.size()));
    if (machines_.given() || models_.given() || trace_depth_ || profile_micro_batch_)
      return fail(ErrorCode::bad_usage, "found options of machines, models or profiles with traces, expected none");
    TRY(auto log, work::read_traces_as_run(files_, stop));
    return write_traced_run(std::move(log));
  }

  /// With what was made of it; a run's log is written as it is, however large.
  Result<int> write_traced_run(work::RunLog log) {
    for (const RunEvent& event : log.events)
      if (const auto* note = std::get_if<RunWarning>(&event)) text::print_note(note->message);
    const work::AnyFile file(std::move(log));
    if (target(file) == "run-log")
      return written(text::write_output(out_, work::lines_of(std::get<work::RunLog>(file))));
    auto text = work::text_of(file, target(file));
    if (!text) return tl::unexpected(text::in_file(text.error(), files_.front()));
    return write(*std::move(text));
  }

  /// A file that describes no machine is converted alone.
  Result<int> write_other(work::AnyFile file) {
    if (files_.size() > 1)
      return fail(ErrorCode::bad_usage,
                  fmt::format("found {} files and a {} among them, expected one, or machine descriptions",
                              files_.size(), work::format_name(file)));
    if (machines_.given())
      return fail(ErrorCode::bad_usage,
                  fmt::format("found options of machines with a {}, expected none", work::format_name(file)));
    if (const auto* job = std::get_if<io::jobs::TrainingJob>(&file)) return write_job(*job);
    if (jobs_.given())
      return fail(ErrorCode::bad_usage,
                  fmt::format("found options of jobs with a {}, expected none", work::format_name(file)));
    if (const auto* model = std::get_if<ParsedTransformer>(&file)) return write_profile(*model, true);
    if (const auto* graph = std::get_if<OperatorGraph>(&file)) return write_profile(*graph, false);
    if (models_.given() || !machines_.device().empty())
      return fail(ErrorCode::bad_usage,
                  fmt::format("found options of models with a {}, expected none", work::format_name(file)));
    if (auto* log = std::get_if<work::RunLog>(&file); log && log->text.empty())
      return write_traced_run(std::move(*log));
    auto text = work::text_of(file, target(file));
    if (!text) return tl::unexpected(text::in_file(text.error(), files_.front()));
    return write(*std::move(text));
  }

  /// A job of another engine becomes a plan, or the profile of its model.
  Result<int> write_job(const io::jobs::TrainingJob& read) {
    if (models_.given()) return fail(ErrorCode::bad_usage, "found options of models with a job, expected none");
    const std::string format = asked_format().empty() ? "plan" : std::string(asked_format());
    if (format != "plan" && format != "profile")
      return fail(ErrorCode::bad_usage, fmt::format("a job cannot be written as {}; possible: plan, profile", format));
    TRY_VOID(work::check_gpus(read, jobs_));
    const io::jobs::TrainingJob job = mesh::completed(read, jobs_.gpus);
    const auto in_file = [&](const Error& error) { return tl::unexpected(text::in_file(error, files_.front())); };
    const auto model = work::model_of(job, jobs_);
    if (!model) return in_file(model.error());
    if (format == "profile") {
      const auto made = work::profile_of(job, *model, machines_.device());
      if (!made) return in_file(made.error());
      for (const std::string& note : made->notes) text::print_note(note);
      print_notes(job);
      return write(io::documents::profile_to_json(made->profile));
    }
    const auto plan = work::plan_of(job, *model);
    if (!plan) return in_file(plan.error());
    print_notes(job);
    return write(io::documents::plan_to_json(*plan));
  }

  static void print_notes(const io::jobs::TrainingJob& job) {
    for (const io::jobs::BrokenOption& rule : job.broken)
      text::print_warning(fmt::format("{} breaks a rule of {}: {}", job.name, job.engine, rule.message));
    for (const std::string& note : notes_of(job)) text::print_note(io::text::printable(note));
  }

  template <class Model>
  Result<int> write_profile(const Model& model, bool letters) {
    const auto made = models_.profile(model, machines_.device());
    if (!made)
      return tl::unexpected(made.error().code == ErrorCode::bad_input ? text::in_file(made.error(), files_.front())
                                                                      : made.error());
    TRY_VOID(expect_target("a model", "profile"));
    for (const std::string& note : made->notes) text::print_note(note);
    if (out_ != "-") text::print_report(options::profile_table(*made, models_.explain(), letters));
    return write(io::documents::profile_to_json(made->profile));
  }

  Result<int> write_cluster(const Result<presets::ImportedCluster>& made) {
    if (!made) return tl::unexpected(files_.size() == 1 ? text::in_file(made.error(), files_.front()) : made.error());
    TRY_VOID(expect_target("machines", "cluster"));
    if (models_.given()) return fail(ErrorCode::bad_usage, "found options of models with machines, expected none");
    if (out_ != "-")
      for (const MeasuredCollective& test : made->collectives)
        text::print_report(presets::comparison_table(test, made->cluster, made->by_data_sheet));
    for (const std::string& note : made->notes) text::print_note(note);
    return write(io::documents::cluster_to_json(made->cluster));
  }

  /// The file's name, or --to, asks for the only thing that `what` can become.
  Result<void> expect_target(const char* what, std::string_view format) const {
    const std::string_view asked = asked_format().empty() ? format : asked_format();
    if (asked == format) return {};
    return fail(ErrorCode::bad_usage, fmt::format("{} cannot be written as {}; possible: {}", what, asked, format));
  }

  Result<int> write(std::string text) {
    if (!text.ends_with('\n')) text += '\n';
    return written(text::write_output(out_, text));
  }

  static Result<int> written(const Result<void>& output) {
    if (!output) return tl::unexpected(output.error());
    return 0;
  }

  /// By --to, else by OUT's ending; empty: by neither.
  std::string_view asked_format() const {
    if (!to_.empty()) return to_;
    const work::FileFormat* by_name = work::file_format_of_name(out_);
    return by_name ? by_name->name : std::string_view();
  }

  std::optional<Seconds> time_unit() const {
    if (time_unit_.empty()) return std::nullopt;
    return Seconds(time_unit_ == "s" ? 1 : time_unit_ == "ms" ? 1e-3 : 1e-6);
  }

  std::string target(const work::AnyFile& file) const {
    return std::string(asked_format().empty() ? work::format_name(file) : asked_format());
  }

  std::vector<std::string> files_;
  std::string out_, to_, columns_, time_unit_;
  std::optional<int> profile_micro_batch_, trace_depth_;
  options::MachineOptions machines_;
  options::ModelOptions models_;
  options::JobOptions jobs_;
};

}  // namespace

std::unique_ptr<options::Command> make_convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace pipedeck::cli::commands
