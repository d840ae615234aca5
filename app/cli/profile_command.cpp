// SPDX-License-Identifier: Apache-2.0
// profile: measures a model's layers on this machine, and describes the machine as a cluster, so that plans can be made
// for it.
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/backend.hpp"
#include "app/cli/command.hpp"
#include "app/cli/console.hpp"
#include "app/cli/table.hpp"
#include "core/io/json_formats.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/profiler.hpp"

namespace pipedeck::cli {
namespace {

std::string profile_table(const Profile& profile) {
  Table table({{"layer", Align::left},
               {"kind", Align::left},
               {"forward ms"},
               {"backward ms"},
               {"weight part ms"},
               {"output"},
               {"saved"},
               {"parameters"}});
  for (const Layer& layer : profile.layers)
    table.add({layer.name, layer.kind, milliseconds_text(layer.forward), milliseconds_text(layer.backward),
               milliseconds_text(layer.backward_weight), memory_text(layer.output), memory_text(layer.saved),
               memory_text(layer.parameters)});
  return fmt::format("{} on {}, micro-batch {}\n\n{}", profile.name, profile.device, profile.micro_batch, table.text());
}

class ProfileCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--model", model_, "model: a file or preset:NAME")->required()->type_name("SPEC");
    declare_backend(app, backend_);
    app.add_option("--micro-batch", micro_batches_, "micro-batch sizes to measure, the profile's own first")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N,N...");
    app.add_option("--cluster-out", cluster_file_, "write this machine's threads as a cluster into FILE")
        ->type_name("FILE");
    app.add_option("--devices", devices_, "devices of that cluster, one a thread")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str()
        ->type_name("N");
    output_.declare(app);
  }

  Result<int> run(std::stop_token stop) override {
    if (auto backend = check_backend(backend_); !backend) return tl::unexpected(backend.error());
    if (auto sizes = check_sizes(); !sizes) return tl::unexpected(sizes.error());
    const auto model = open_model(model_);
    if (!model) return tl::unexpected(in_file(model.error(), model_));
    auto profile = measure(*model, stop);
    if (!profile) return tl::unexpected(in_file(profile.error(), model_));
    if (!cluster_file_.empty())
      if (auto written = write_output(cluster_file_, cluster_to_json(cpu_cluster(devices_)) + "\n"); !written)
        return tl::unexpected(written.error());
    const std::string human = output_.json_on_stdout() ? std::string() : profile_table(*profile);
    if (auto written = output_.write(profile_to_json(*profile), human); !written)
      return tl::unexpected(written.error());
    return 0;
  }

 private:
  Result<void> check_sizes() const {
    if (std::is_sorted(micro_batches_.begin(), micro_batches_.end(), std::less_equal<>())) return {};
    return fail(ErrorCode::bad_usage,
                fmt::format("--micro-batch: found {}, expected sizes in rising order", fmt::join(micro_batches_, ",")));
  }

  Result<Profile> measure(const ModelSpec& model, std::stop_token stop) const {
    ProgressLine progress;
    return profile_on_cpu(model, micro_batches_, progress.callback(), stop);
  }

  std::string model_, backend_, cluster_file_;
  std::vector<int> micro_batches_{1, 2, 4, 8};
  int devices_ = 2;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_profile_command() { return std::make_unique<ProfileCommand>(); }

}  // namespace pipedeck::cli
