// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/what_if_options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "core/base/quantity_text.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::cli::options {
namespace {

constexpr int max_devices = 1 << 30;

/// The error with the option's name in front.
tl::unexpected<Error> in_option(const char* option, const Error& error) {
  return fail(ErrorCode::bad_usage, fmt::format("{}: {}", option, error.message));
}

template <class Value, class Parse>
Result<void> take(const char* option, const std::string& text, const Parse& parse, std::optional<Value>& value) {
  if (text.empty()) return {};
  const auto parsed = parse(text);
  if (!parsed) return in_option(option, parsed.error());
  value = *parsed;
  return {};
}

/// A type of the cluster by its own name, else one of the catalogue.
Result<DeviceType> parse_device_type(const std::string& name, const Cluster& cluster) {
  if (const DeviceType* own = find_device_type(cluster, name)) return *own;
  const auto model = presets::catalogue_device(name);
  if (!model) return in_option("--device-type", model.error());
  return model->type;
}

Result<void> take_price(const std::string& text, std::map<std::string, double>& prices) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return fail(ErrorCode::bad_usage, fmt::format("--price: found \"{}\", expected TYPE=PRICE", text));
  const auto price = parse_quantity(QuantityKind::number, text.substr(equals + 1));
  if (!price) return in_option("--price", price.error());
  if (*price < 0) return fail(ErrorCode::bad_usage, fmt::format("--price: found {}, expected at least 0", *price));
  prices[text.substr(0, equals)] = *price;
  return {};
}

}  // namespace

void WhatIfOptions::declare(CLI::App& app) {
  app.add_option("--bandwidth-inside", inside,
                 "bandwidth of links inside nodes: \"300 GB/s\"; different ones keep their ratios")
      ->type_name("RATE");
  app.add_option("--bandwidth-between", between,
                 "bandwidth of links between nodes: \"100 Gbit/s\"; different ones keep their ratios")
      ->type_name("RATE");
  app.add_option("--memory", memory, "memory of every device: \"80 GiB\"; different ones keep their ratios")
      ->type_name("BYTES");
  app.add_option("--nodes", nodes, "number of nodes; additional nodes are like the last")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  app.add_option("--device-type", device_type, "device type for all devices (pipedeck-cli list device-types)")
      ->type_name("NAME");
  app.add_option("--new-micro-batch", micro_batch, "other micro-batch; 0: planners choose")
      ->check(CLI::Range(0, max_devices))
      ->type_name("N");
  app.add_option("--new-global-batch", global_batch, "other global batch")
      ->check(CLI::Range(1, max_devices))
      ->type_name("N");
  app.add_option("--price", prices, "price per hour of a device of this type; may be repeated [the catalogue's]")
      ->type_name("TYPE=PRICE")
      ->allow_extra_args(false);
}

Result<WhatIf> WhatIfOptions::change(const Cluster& cluster) const {
  WhatIf change;
  const auto rate = [](const std::string& text) { return parse_bandwidth(text, "GB/s"); };
  const auto bytes = [](const std::string& text) { return parse_bytes(text); };
  const auto type = [&](const std::string& text) { return parse_device_type(text, cluster); };
  TRY_VOID(take("--bandwidth-inside", inside, rate, change.inside));
  TRY_VOID(take("--bandwidth-between", between, rate, change.between));
  TRY_VOID(take("--memory", memory, bytes, change.memory));
  if (!device_type.empty()) {
    TRY(const auto named, type(device_type));
    change.type = named;
  }
  for (const std::string& price : prices) TRY_VOID(take_price(price, change.prices));
  change.nodes = nodes;
  change.micro_batch = micro_batch;
  change.global_batch = global_batch;
  return change;
}

}  // namespace pipedeck::cli::options
