// SPDX-License-Identifier: Apache-2.0
// profile: measures a model's layers on this machine, and describes the machine as a cluster, so that plans can be made
// for it.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/text/profile_text.hpp"
#include "app/cli/work/backend.hpp"
#include "app/cli/work/gpu_links.hpp"
#include "app/cli/work/progress_log.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/importers.hpp"
#include "core/presets/machine_import.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/cuda/module.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/profile/rank_profile.hpp"

namespace pipedeck::cli::commands {
namespace {

class ProfileCommand : public options::Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--model", model_, "model: a file or preset:NAME")->required()->type_name("SPEC");
    app_ = &app;
    work::declare_backend(app, backend_);
    app.add_option("--precision", precision_, "precision of matrix products on a GPU: fp32, tf32 or bf16 [fp32]")
        ->check(CLI::IsMember({"fp32", "tf32", "bf16"}))
        ->type_name("NAME");
    app.add_flag("--no-graphs", no_graphs_, "measure passes without CUDA graphs, as run --no-graphs");
    app.add_option("--micro-batch", micro_batches_, "micro-batch sizes to measure, that of the profile first")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N,N...");
    app.add_option("--tensor-parallel", degrees_,
                   "also measure layers sharded over this number of devices (1: whole layers)")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 10))
        ->type_name("N,N...");
    app.add_option("--plan", plan_file_,
                   "measure the layers as one rank of this plan has them, with all exchanges and samples of its "
                   "micro-batch")
        ->type_name("FILE");
    app.add_option("--busy-cores", busy_cores_,
                   "cores that run the model at the same time; one is timed (1: the others are idle)")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str()
        ->type_name("N");
    app.add_flag("--links", links_,
                 "print the times of transfers between two devices; on GPUs also all-reduces, with predictions and "
                 "NCCL's own estimates");
    app.add_option("--repetitions", repetitions_,
                   "repetitions per size, instead of until the median's error is below about 0.5 %")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    app.add_option("--time-limit", time_limit_, "time limit per size in seconds [none]")
        ->check(CLI::PositiveNumber)
        ->type_name("S");
    app.add_option("--cluster-out", cluster_file_,
                   "write this machine as a cluster: its threads, or its GPUs with measured links")
        ->type_name("FILE");
    app.add_option("--devices", devices_, "devices of that cluster, one per processor thread")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str()
        ->type_name("N");
    progress_.declare(app);
    output_.declare(app);
  }

  /// The profile is kept first: what joins the devices may fail afterwards.
  Result<int> run(std::stop_token stop) override {
    TRY_VOID(check_usage());
    TRY_VOID(check_sizes());
    const auto model = presets::open_model(model_);
    if (!model) return tl::unexpected(text::in_file(model.error(), model_));
    TRY_VOID(progress_.open());
    std::optional<Gpus> gpus;
    if (on_gpus()) {
      TRY(auto found, open_gpus());
      gpus = std::move(found);
    }
    const auto profile = gpus ? profile_on_gpu(*gpus, *model, stop) : profile_on_processor(*model, stop);
    if (!profile) return tl::unexpected(text::in_file(profile.error(), plan_file_.empty() ? model_ : plan_file_));
    const std::string human = prints() ? text::measured_profile_text(*profile) : std::string();
    TRY_VOID(output_.write(io::documents::profile_to_json(*profile), human));
    if (cluster_file_.empty() && !links_) return 0;
    if (auto measured = gpus ? measure_gpus(*gpus, *profile) : measure_processor(*profile); !measured)
      return tl::unexpected(saved_suffix(measured.error()));
    return 0;
  }

 private:
  struct Gpus {
    const runtime::cuda::Module* module;
    runtime::cuda::GpusToMeasure found;
  };
  bool on_gpus() const { return backend_ == "cuda"; }
  /// Standard output is for people.
  bool prints() const { return !output_.json_on_stdout() && !progress_.on_stdout(); }

  /// The results that exist in spite of the error.
  Error saved_suffix(Error error) const {
    error.message += output_.file.empty() || output_.file == "-" ? "; the profile above was measured before"
                                                                 : "; the profile was written: " + output_.file;
    return error;
  }

  Result<void> check_usage() const {
    const auto given = [&](const char* option) { return app_->count(option) > 0; };
    for (const char* option : {"--micro-batch", "--tensor-parallel"})
      if (given("--plan") && given(option))
        return fail(ErrorCode::bad_usage, fmt::format("profile: --plan and {} exclude each other", option));
    if (!on_gpus()) {
      for (const char* option : {"--precision", "--no-graphs"})
        if (given(option))
          return fail(ErrorCode::bad_usage,
                      fmt::format("profile: {} needs --backend cuda: it has no effect on the processor", option));
      return {};
    }
    for (const char* option : {"--busy-cores", "--devices", "--plan"})
      if (given(option)) return fail(ErrorCode::bad_usage, fmt::format("profile: {} needs --backend cpu", option));
    return {};
  }

  Result<Gpus> open_gpus() const {
    TRY(const auto module, runtime::cuda::cuda_module());
    TRY(auto gpus, runtime::cuda::gpus_to_measure(*module, *runtime::cuda::parse_cuda_precision(precision_)));
    if (no_graphs_) gpus.backend.recorded.clear();
    return Gpus{module, std::move(gpus)};
  }

  /// Whole layers on one thread, or those of a plan's rank on one thread for each rank.
  Result<Profile> profile_on_processor(const ModelSpec& model, const std::stop_token& stop) {
    const runtime::profile::ProfileOptions chosen = options();
    if (plan_file_.empty()) return runtime::profile::profile_on_cpu(model, chosen, progress_.callback(), stop);
    TRY(const Plan plan, io::read_plan(plan_file_));
    return runtime::profile::profile_ranks_on_cpu(model, plan, chosen.repetitions, busy_cores_, progress_.callback(),
                                                  stop);
  }

  /// Whole layers on the first GPU.
  Result<Profile> profile_on_gpu(const Gpus& gpus, const ModelSpec& model, const std::stop_token& stop) {
    const std::vector<std::string>& names = gpus.found.names;
    const runtime::profile::ProfiledOn where{
        fmt::format("measured on {}, {}, {}", names.front(), precision_, gpus.module->libraries()),
        device_type_of(names.front()), static_cast<int>(names.size())};
    return runtime::profile::profile_with(gpus.found.backend, where, model, options(), progress_.callback(), stop);
  }

  /// As a cluster made of this machine calls it, so that the two go together; else as the driver does.
  static std::string device_type_of(const std::string& gpu) {
    const auto made = presets::cluster_of(std::vector{work::machine_of({gpu})});
    return made ? made->cluster.device_types.front().name : gpu;
  }

  /// The cluster, too, is kept before all-reduces are tried.
  Result<void> measure_gpus(const Gpus& gpus, const Profile& profile) const {
    const bool alone = gpus.found.names.size() == 1;
    if (alone && links_) text::print_note("--links: found one GPU, expected at least two");
    if (alone && cluster_file_.empty()) return {};
    try {
      if (alone) return write_cluster(work::machine_of(gpus.found.names));
      const work::GpuLinks links(gpus.found);
      if (!cluster_file_.empty()) TRY_VOID(write_cluster(work::machine_of(gpus.found.names, links.links())));
      if (!links_ || !prints()) return {};
      text::print_report(links.text());
      Bytes gradients;
      for (const Layer& layer : profile.layers) gradients += layer.parameters;
      text::print_report(links.all_reduces_text(*gpus.module, work::all_reduce_sizes(gradients)));
    } catch (const std::runtime_error& error) {
      return fail(ErrorCode::run_failed, fmt::format("{}: {}", links_ ? "--links" : "--cluster-out", error.what()));
    }
    return {};
  }

  Result<void> write_cluster(DetectedMachine machine) const {
    TRY(const auto made, presets::cluster_of(std::vector{std::move(machine)}));
    for (const std::string& note : made.notes) text::print_note(note);
    return text::write_output(cluster_file_, io::documents::cluster_to_json(made.cluster) + "\n");
  }

  Result<void> check_sizes() const {
    if (progress_.on_stdout() && output_.json_on_stdout())
      return fail(ErrorCode::bad_usage, "profile: --progress - and JSON on standard output exclude each other");
    if (std::is_sorted(micro_batches_.begin(), micro_batches_.end(), std::less_equal<>())) return {};
    return fail(ErrorCode::bad_usage, fmt::format("--micro-batch: found {}, expected sizes in ascending order",
                                                  fmt::join(micro_batches_, ",")));
  }

  /// Measurements in addition to the layers: the machine's links, and itself as a cluster.
  Result<void> measure_processor(const Profile& profile) const {
    Link link;
    if (devices_ > 1) {
      const runtime::profile::LinkMeasurement measured = runtime::profile::measure_thread_link();
      link = measured.link;
      if (links_ && prints()) text::print_report("\n" + text::measured_link_text(measured));
    } else if (links_) {
      text::print_note("--links: found one device, expected at least two (--devices 2)");
    }
    if (cluster_file_.empty()) return {};
    const Cluster cluster = runtime::profile::cpu_cluster(devices_, runtime::profile::load_of(profile, devices_), link);
    return text::write_output(cluster_file_, io::documents::cluster_to_json(cluster) + "\n");
  }

  runtime::profile::ProfileOptions options() const {
    runtime::profile::ProfileOptions options;
    options.micro_batches = micro_batches_;
    for (const int degree : degrees_)
      if (degree > 1) options.tensor_parallel.push_back(degree);
    options.busy_cores = busy_cores_;
    runtime::profile::Repetitions& repetitions = options.repetitions;
    if (repetitions_) {
      repetitions = {*repetitions_, *repetitions_, 0, repetitions.time_limit};
      if (time_limit_) repetitions.least = 1;
    }
    if (time_limit_) repetitions.time_limit = Seconds(*time_limit_);
    return options;
  }

  const CLI::App* app_ = nullptr;  ///< which options were given
  std::string model_, backend_, cluster_file_, plan_file_, precision_ = "fp32";
  std::vector<int> micro_batches_{1, 2, 4, 8};
  std::vector<int> degrees_;
  bool links_ = false, no_graphs_ = false;
  int devices_ = 2, busy_cores_ = 1;
  std::optional<int> repetitions_;
  std::optional<double> time_limit_;
  work::ProgressLog progress_;
  text::OutputOptions output_;
};

}  // namespace

std::unique_ptr<options::Command> make_profile_command() { return std::make_unique<ProfileCommand>(); }

}  // namespace pipedeck::cli::commands
