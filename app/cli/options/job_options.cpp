// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/job_options.hpp"

#include <fmt/format.h>

#include "core/base/limits.hpp"

namespace pipedeck::cli::options {

void JobOptions::declare(CLI::App& app) {
  constexpr const char* group = "Jobs of other engines (arguments, configurations)";
  app.add_option("--profile", profile, "profile of the job's model, if its file has no shape: a file or preset:NAME")
      ->group(group)
      ->type_name("P");
  app.add_option("--gpus", gpus, "GPUs of the job, if its file does not state them [the fewest for its degrees]")
      ->check(CLI::Range(1, static_cast<int>(limits::devices)))
      ->group(group)
      ->type_name("N");
  app.add_option("--set", settings, "value of a variable that a job's script expects; may be repeated")
      ->allow_extra_args(false)
      ->group(group)
      ->type_name("NAME=VALUE");
}

Result<std::vector<std::pair<std::string, std::string>>> JobOptions::variables() const {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == setting.npos || equals == 0)
      return fail(ErrorCode::bad_usage, fmt::format("--set: found \"{}\", expected NAME=VALUE", setting));
    variables.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return variables;
}

}  // namespace pipedeck::cli::options
