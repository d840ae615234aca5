// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/assumptions.hpp"

#include "core/study/reports/figures.hpp"
#include "core/study/reports/kind_words.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::study::reports {
namespace {

std::string price_text(const Translator& words, const std::vector<DeviceModel>& list) {
  const std::string currency = price_currency(list);
  if (currency.empty()) return words("Prices are of whole nodes, all their devices together, from the cluster.");
  return words(
      "Prices are of whole nodes, all their devices together: the cluster's own, else list prices of about {} ({}).",
      price_dates(list), currency);
}

std::string network_text(const Translator& words, NetworkModel model) {
  if (model == NetworkModel::shared)
    return words("Network shared: transfers and all-reduces that use a link at the same time share its bandwidth.");
  return words(
      "Network ideal: each pair of nodes, and of devices inside one, carries one transfer at a time each way; "
      "different pairs do not slow one another down.");
}

std::string overlap_text(const Translator& words, const SimulationOptions& simulation) {
  if (simulation.overlap == Overlap::none)
    return words("Gradients are all-reduced when the last backward pass of their stage is over.");
  if (simulation.overlap == Overlap::layer)
    return words("Gradients of each layer are all-reduced as soon as they are ready, overlapping the backward pass.");
  return words("Gradients are all-reduced in buckets of {}, overlapping the backward pass.",
               bytes_text(words, simulation.bucket));
}

std::string peaks_text(const Translator& words, const SimulationOptions& simulation) {
  if (simulation.fragmentation > 0)
    return words(
        "Peaks are estimates; \"at most\" is what they can be however long operations take, with {} lost to "
        "fragmentation.",
        percent_text(words, simulation.fragmentation));
  return words("Peaks are estimates; \"at most\" is what they can be however long operations take.");
}

std::string calibration_text(const Translator& words, const Calibration& by, const std::string& from) {
  const double overhead = in_microseconds(by.operation_overhead);
  if (from.empty())
    return words(
        "Calibrated from measured runs: {:.1f} \u00b5s between operations, compute {:.3f} times as long during "
        "communication, links {:.3f} times as fast as in their files.",
        overhead, by.overlap_slowdown, by.link_efficiency);
  return words(
      "Calibrated from measured runs ({}): {:.1f} \u00b5s between operations, compute {:.3f} times as long during "
      "communication, links {:.3f} times as fast as in their files.",
      from, overhead, by.overlap_slowdown, by.link_efficiency);
}

std::string times_text(const Translator& words, FigureSource source) {
  return source == FigureSource::measured
             ? words("The layer times were measured; all other figures are computed from them.")
             : words("The layer times were computed, and so were all figures.");
}

}  // namespace

std::vector<std::string> assumptions_of(const Translator& words, const Request& question, const Prices& prices) {
  const SimulationOptions& simulation = question.problem.workload.conventions;
  std::vector<std::string> sentences{words("All plans ran in one simulator, whoever made them. Nothing in this "
                                           "report was measured by running a plan."),
                                     times_text(words, source_of_times(*question.problem.profile)),
                                     network_text(words, simulation.network), overlap_text(words, simulation),
                                     words("All-reduces: {}.", label_of(words, simulation.collectives))};
  if (simulation.reserve.count > 0 || simulation.communication.count > 0)
    sentences.push_back(words("Every device holds {} in reserve and {} for each communicator that it is in.",
                              bytes_text(words, simulation.reserve), bytes_text(words, simulation.communication)));
  sentences.push_back(peaks_text(words, simulation));
  if (simulation.calibration != Calibration())
    sentences.push_back(calibration_text(words, simulation.calibration, question.calibration));
  for (const std::string& assumed : question.problem.assumptions)
    sentences.push_back(words("Assumed: {}.", words.translate(assumed)));
  if (const auto work = work_of(*question.problem.profile))
    sentences.push_back(words.translate(mfu_convention(work->precision)) + '.');
  if (!prices.empty()) sentences.push_back(price_text(words, question.price_list));
  return sentences;
}

}  // namespace pipedeck::study::reports
