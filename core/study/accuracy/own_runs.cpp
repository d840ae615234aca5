// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/own_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::study::accuracy {
namespace {

/// Pulls scales towards 1 where runs do not ask for others.
constexpr double prior = 0.002;

EfficiencyTable with_row(EfficiencyTable table, const DeviceEfficiency& row) {
  const auto found = std::ranges::find(table.devices, row.device, &DeviceEfficiency::device);
  if (found == table.devices.end())
    table.devices.push_back(row);
  else
    *found = row;
  return table;
}

/// A fit of one device type's scales.
class Fit {
 public:
  Fit(std::vector<PublishedRun> runs, const std::vector<DeviceModel>& catalogue, const EfficiencyTable& table,
      DeviceEfficiency row, const Predict& predict, int threads)
      : runs_(std::move(runs)),
        catalogue_(catalogue),
        table_(table),
        row_(std::move(row)),
        predict_(predict),
        threads_(threads) {}

  SpeedScales run() {
    best_ = loss(scales_);
    const bool links = static_cast<int>(runs_.size()) >= least_runs_for_links;
    for (int round = 0; round < (links ? 3 : 1); ++round) {
      search(&SpeedScales::compute);
      if (links) search(&SpeedScales::link), search(&SpeedScales::network);
    }
    return scales_;
  }

  /// Returns the errors of runs under these scales.
  std::vector<double> errors(std::span<const PublishedRun> runs, const SpeedScales& scales) const {
    const EfficiencyTable table = with_row(table_, scaled(row_, scales));
    std::vector<double> errors;
    for (const Outcome& outcome : outcomes_of(runs, catalogue_, table, predict_, threads_))
      if (const auto error = outcome.error(); error && outcome.judged) errors.push_back(*error);
    return errors;
  }

 private:
  double loss(const SpeedScales& scales) const {
    double sum = 0;
    const std::vector<double> all = errors(runs_, scales);
    for (const double error : all) sum += std::abs(std::log1p(error));
    for (const double scale : {scales.compute, scales.link, scales.network})
      sum += prior * std::log(scale) * std::log(scale);
    return all.empty() ? 0 : sum / static_cast<double>(all.size());
  }

  /// Walks along one scale by ever smaller steps for as long as that lowers the loss.
  void search(double SpeedScales::*scale) {
    for (double step = 1.25; step > 1.002; step = std::sqrt(step)) {
      for (const double factor : {step, 1 / step}) {
        while (true) {
          SpeedScales other = scales_;
          other.*scale = std::clamp(other.*scale * factor, 1 / most_scale, most_scale);
          if (other == scales_) break;
          const double found = loss(other);
          if (found >= best_ - 1e-9) break;
          best_ = found, scales_ = other;
        }
      }
    }
  }

  std::vector<PublishedRun> runs_;
  const std::vector<DeviceModel>& catalogue_;
  const EfficiencyTable& table_;
  DeviceEfficiency row_;
  const Predict& predict_;
  const int threads_;
  SpeedScales scales_;
  double best_ = 0;
};

}  // namespace

DeviceEfficiency scaled(DeviceEfficiency row, const SpeedScales& by) {
  const auto scale = [](double& share, double factor) { share = std::min(1.0, share * factor); };
  for (auto& [name, precision] : row.products)
    for (ProductEfficiency* const product : {&precision.plain, &precision.grouped}) scale(product->share, by.compute);
  for (auto& [name, kernel] : row.attention) scale(kernel.forward, by.compute), scale(kernel.backward, by.compute);
  scale(row.memory, by.compute);
  for (Seconds* const time : {&row.kernel, &row.launch, &row.layer, &row.expert_layer}) *time = *time / by.compute;
  scale(row.link, by.link), scale(row.network, by.network);
  row.link_call = row.link_call / by.link, row.network_call = row.network_call / by.network;
  return row;
}

Result<OwnRunsTable> fit_to_own_runs(std::span<const PublishedRun> runs, const std::vector<DeviceModel>& catalogue,
                                     const EfficiencyTable& rates, const Predict& predict, const std::string& source,
                                     int threads) {
  std::map<std::string, std::vector<PublishedRun>> by_device;
  for (const Outcome& outcome : outcomes_of(runs, catalogue, rates, predict, threads))
    if (outcome.judged && outcome.error()) by_device[outcome.device].push_back(outcome.run);
  OwnRunsTable table{rates, {}};
  std::string few;
  for (const auto& [device, own] : by_device) {
    if (own.size() < least_own_runs) {
      few += fmt::format("{}{} of {}", few.empty() ? "" : ", ", own.size(), device);
      continue;
    }
    DeviceEfficiency row = *find_efficiency(rates, device);
    row.device = device;
    Fit fit(own, catalogue, rates, row, predict, threads);
    OwnRunsFit fitted{device, fit.run(), {}, {}, {}};
    fitted.before = summary_of(fit.errors(own, {}));
    fitted.after = summary_of(fit.errors(own, fitted.scales));
    if (own.size() >= 2 * least_own_runs) {
      std::array<std::vector<PublishedRun>, 2> halves;
      for (std::size_t i = 0; i < own.size(); ++i) halves[i % 2].push_back(own[i]);
      std::vector<double> errors;
      for (const std::size_t half : {0u, 1u}) {
        const SpeedScales scales = Fit(halves[half], catalogue, rates, row, predict, threads).run();
        const std::vector<double> others = fit.errors(halves[1 - half], scales);
        errors.insert(errors.end(), others.begin(), others.end());
      }
      fitted.held_out = summary_of(std::move(errors));
    }
    DeviceEfficiency scaled_row = scaled(row, fitted.scales);
    scaled_row.source = fmt::format("{}; scaled to {} own runs of {}", row.source, own.size(), source);
    table.rates = with_row(std::move(table.rates), scaled_row);
    table.fits.push_back(std::move(fitted));
  }
  if (table.fits.empty())
    return fail(ErrorCode::bad_input,
                fmt::format("found {} predicted runs with a time and a full shape, expected at least {} of one device "
                            "type",
                            few.empty() ? "no" : few, least_own_runs));
  return table;
}

}  // namespace pipedeck::study::accuracy
