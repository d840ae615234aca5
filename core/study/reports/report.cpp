// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/count_text.hpp"
#include "core/io/checksum.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/plan/agreement.hpp"
#include "core/study/reports/assumptions.hpp"
#include "core/study/reports/figures.hpp"
#include "core/study/reports/kind_words.hpp"
#include "core/study/reports/plan_figures.hpp"
#include "core/study/reports/plan_section.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::study::reports {
namespace {

Table facts_table(std::vector<std::vector<std::string>> rows, std::string of) {
  return {{{std::move(of)}, {""}}, std::move(rows), true};
}

std::string times_text(const Translator& words, const Profile& profile, Seconds forward, Seconds backward) {
  return words("forward {:.3f} ms, backward {:.3f} ms for a micro-batch of {} on {}", in_milliseconds(forward),
               in_milliseconds(backward), profile.micro_batch, profile.device);
}

Table model_table(const Translator& words, const Profile& profile) {
  Bytes parameters;
  Seconds forward, backward;
  for (const Layer& layer : profile.layers) {
    parameters += layer.parameters;
    forward += layer.forward;
    backward += layer.backward;
  }
  std::vector<std::vector<std::string>> rows{
      {words("Name"), profile.name},
      {words("Layers"),
       profile.is_chain() ? words("{}, a chain", profile.layers.size()) : words("{}, a graph", profile.layers.size())},
      {words("Weights"), bytes_text(words, parameters)},
      {words("Times"), times_text(words, profile, forward, backward)}};
  if (!profile.source.empty()) rows.push_back({words("Source"), profile.source});
  rows.push_back({"SHA-256", io::sha256_of(profile)});
  return facts_table(std::move(rows), words("Model"));
}

std::string node_text(const Translator& words, const Cluster& cluster, const Node& node) {
  std::string text;
  for (const DeviceGroup& group : node.devices) {
    const DeviceType* type = find_device_type(cluster, group.type);
    text += fmt::format("{}{} \u00d7 {}", text.empty() ? "" : " + ", group.count, group.type);
    if (type) text += fmt::format(" ({})", bytes_text(words, type->memory));
  }
  if (node.link) {
    const std::string rate = rate_text(words, node.link->bandwidth);
    text = node.bus              ? words("{}, {} shared inside", text, rate)
           : node.domain.empty() ? words("{}, {} inside", text, rate)
                                 : words("{}, {} inside and to the other nodes of {}", text, rate, node.domain);
  }
  return node.nic ? words("{}, {} network per device", text, rate_text(words, *node.nic)) : text;
}

/// Neighbours of one kind together: "2 nodes of 8 x V100 (16.00 GiB), 130 GB/s inside".
std::vector<std::string> nodes_texts(const Translator& words, const Cluster& cluster) {
  std::vector<std::string> texts;
  for (std::size_t first = 0, end = 0; first < cluster.nodes.size(); first = end) {
    const std::string own = node_text(words, cluster, cluster.nodes[first]);
    for (end = first + 1; end < cluster.nodes.size() && node_text(words, cluster, cluster.nodes[end]) == own;) ++end;
    texts.push_back(words.count(end - first, "1 node of {}", "{} nodes of {}", own));
  }
  return texts;
}

std::string network_text(const Translator& words, const Cluster& cluster) {
  if (cluster.bandwidth_matrix) return words("bandwidths between all pairs of devices, measured");
  if (cluster.links.empty()) return words("none");
  const auto [least, most] =
      std::ranges::minmax_element(cluster.links, {}, [](const NetworkLink& link) { return link.link.bandwidth; });
  const std::string slowest = rate_text(words, least->link.bandwidth),
                    quickest = rate_text(words, most->link.bandwidth);
  const std::string rates = slowest == quickest ? slowest : words("{} to {}", slowest, quickest);
  return words.count(cluster.links.size(), "1 link of {} each way", "{} links of {} each way", rates);
}

Table cluster_table(const Translator& words, const Cluster& cluster) {
  std::vector<std::vector<std::string>> rows{
      {words("Name"), cluster.name},
      {words("Devices"), std::to_string(devices_of(cluster).size())},
      {words("Nodes"), fmt::format("{}", fmt::join(nodes_texts(words, cluster), "; "))},
      {words("Between nodes"), network_text(words, cluster)},
      {"SHA-256", io::sha256_of(cluster)}};
  return facts_table(std::move(rows), words("Cluster"));
}

std::string price_text(const Translator& words, const std::optional<double>& price) {
  return price ? words.figure("{:.2f}", *price) : "-";
}

/// "13.14 of 16.00 (82 %)" and the device.
std::pair<std::string, std::string> peak_texts(const Translator& words, const Simulation& simulation) {
  const SimulatedDevice* worst = most_loaded_device(simulation);
  if (!worst) return {"-", "-"};
  return {words("{} of {} ({:.0f} %)", gib_text(words, worst->peak), gib_text(words, worst->capacity),
                share_of_capacity(worst->peak, *worst) * 100),
          std::to_string(worst->device.value)};
}

std::string exposed_text(const Translator& words, const TimeBreakdown& parts) {
  const auto percent = [&](TimePart part) { return 100 * parts.share(parts[part]); };
  return words.figure("{:.1f} / {:.1f} / {:.1f}", percent(TimePart::tensor_parallel), percent(TimePart::point_to_point),
                      percent(TimePart::all_reduce));
}

class ComparisonTable {
 public:
  ComparisonTable(const Translator& words, bool tokens, bool prices) : words_(words), tokens_(tokens), prices_(prices) {
    table_.columns = {{words("Plan")},
                      {words("Stages")},
                      {words("Schedule")},
                      {words("Micro-batches"), true},
                      {words("Samples/s"), true},
                      {words("Iteration ms"), true},
                      {words("At most from optimal"), true},
                      {words("Bubble"), true},
                      {words("Exposed comm."), true},
                      {words("TP / PP / DP %"), true},
                      {words("Peak GiB"), true},
                      {words("On device"), true},
                      {words("Fits")}};
    if (tokens) {
      table_.columns.push_back({words("Tokens/s"), true});
      table_.columns.push_back({words("Tokens/s per device"), true});
      table_.columns.push_back({words("MFU"), true});
    }
    if (prices) {
      table_.columns.push_back({words("Price per hour"), true});
      table_.columns.push_back({words("Per million samples"), true});
    }
    table_.names_rows = true;
  }

  void add(const Plan& plan, const PlanFigures& figures) {
    const Simulation& simulation = figures.simulation;
    const auto same = std::ranges::find_if(
        added_, [&](const Added& row) { return plan::agree(*row.plan, row.peaks, plan, simulation); });
    if (same != added_.end()) {  // one row: "DAPPLE 8:8 = Whale 2 x replicate(8)"
      table_.rows[same->row].front() += " = " + plan.name;
      return;
    }
    added_.push_back({table_.rows.size(), &plan, peaks_of(simulation)});
    const double iteration = to_seconds(simulation.iteration).count;
    const auto [peak, device] = peak_texts(words_, simulation);
    std::vector<std::string> cells{
        plan.name,
        short_shape_text(words_, plan),
        schedule_text(plan),
        fmt::format("{} \u00d7 {}", plan.micro_batches, plan.micro_batch),
        words_.figure("{:.2f}", simulation.samples_per_second),
        milliseconds_text(words_, simulation.iteration),
        figures.lower_bound.count > 0 ? percent_text(words_, iteration / figures.lower_bound.count - 1) : "-",
        percent_text(words_, simulation.bubble_fraction),
        share_text(words_, simulation.parts.communication(), simulation.parts.total()),
        exposed_text(words_, simulation.parts),
        peak,
        device,
        label_of(words_, fit_of(simulation))};
    if (tokens_ && figures.utilization) {
      const Utilization& rates = *figures.utilization;
      cells.push_back(words_.figure("{:.0f}", rates.tokens_per_second));
      cells.push_back(words_.figure("{:.1f}", rates.tokens_per_second_per_device));
      cells.push_back(rates.peak_per_device > 0 ? percent_text(words_, rates.mfu) : "-");
    }
    if (prices_) {
      cells.push_back(price_text(words_, figures.price_per_hour));
      cells.push_back(price_text(words_, figures.price_per_million_samples()));
    }
    table_.rows.push_back(std::move(cells));
  }

  /// The reason stands below the table.
  void add_without(const Plan& plan) {
    std::vector<std::string> cells(table_.columns.size(), "-");
    cells.front() = plan.name;
    table_.rows.push_back(std::move(cells));
  }

  const Table& table() const { return table_; }

 private:
  /// A row of the table. Its simulation is large, so only its time and peaks are kept.
  struct Added {
    std::size_t row = 0;
    const Plan* plan = nullptr;
    Simulation peaks;
  };

  static Simulation peaks_of(const Simulation& simulation) {
    Simulation peaks;
    peaks.iteration = simulation.iteration;
    peaks.fits = simulation.fits;
    for (const SimulatedDevice& device : simulation.devices) peaks.devices.emplace_back().peak = device.peak;
    return peaks;
  }

  const Translator& words_;
  bool tokens_, prices_;
  Table table_;
  std::vector<Added> added_;
};

/// A plan's values that the report needs after all simulations, which are large.
struct Best {
  std::string name;
  double samples_per_second = 0;
  Nanoseconds iteration;
  int global_batch = 0;
  std::size_t devices = 0;
};

std::string best_text(const Translator& words, const std::optional<Best>& best) {
  if (!best) return words("No plan fits in memory and trains as one device would.");
  return words.count(
      best->devices,
      "The fastest synchronous plan that fits is {}: {:.2f} samples/s, {} an iteration of {} samples, on 1 device.",
      "The fastest synchronous plan that fits is {1}: {2:.2f} samples/s, {3} an iteration of {4} samples, on {0} "
      "devices.",
      best->name, best->samples_per_second, time_text(words, best->iteration), best->global_batch);
}

/// Per hour, by device type: the cluster's own prices, else the list's.
Prices prices_of(const Request& question) {
  Prices prices;
  for (const DeviceType& type : question.problem.cluster->device_types) {
    const DeviceModel* known = find_device_model(question.price_list, type.name);
    if (type.price_per_hour)
      prices[type.name] = *type.price_per_hour;
    else if (known && known->type.price_per_hour)
      prices[type.name] = *known->type.price_per_hour;
  }
  return prices;
}

class Reporter {
 public:
  explicit Reporter(const Request& question)

      : question_(question),
        words_(question.translation.get()),
        prices_(prices_of(question)),
        work_(work_of(*question.problem.profile)),
        comparison_(words_, work_.has_value(), !prices_.empty()) {}

  Result<Document> run(const Progress& progress, const std::stop_token& stop) {
    const Problem& problem = question_.problem;
    TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
    const FiguresRequest asked{problem, simulator, prices_, work_, question_.price_list};
    for (std::size_t p = 0; p < question_.plans.size(); ++p) {
      const ReportedPlan& reported = question_.plans[p];
      if (progress) progress(static_cast<double>(p) / static_cast<double>(question_.plans.size()), reported.plan->name);
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
      TRY_VOID(add(reported, p + 1, asked, stop));
    }
    return document();
  }

 private:
  Result<void> add(const ReportedPlan& reported, std::size_t number, const FiguresRequest& asked,
                   const std::stop_token& stop) {
    const Plan& plan = *reported.plan;
    if (plan.stages.empty())
      return without(plan, reported.note.empty() ? words_("no plan was found") : words_.translate(reported.note));
    const auto figures = plan_figures(asked, plan, stop);
    if (!figures && figures.error().code == ErrorCode::cancelled) return tl::unexpected(figures.error());
    if (!figures) return without(plan, words_.error(figures.error()));
    comparison_.add(plan, *figures);
    if (figures->utilization && figures->utilization->above_peak())
      warnings_.push_back(fmt::format("{}: {}", plan.name, words_.translate(above_peak_reason(*figures->utilization))));
    consider(plan, figures->simulation);
    commands_.insert(commands_.end(), reported.commands.begin(), reported.commands.end());
    if (!reported.detailed) {
      const auto warnings = warnings_of(words_, plan, figures->simulation, asked.problem);
      warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
      return {};
    }
    auto section = plan_section(words_, reported, *figures, asked.problem, fmt::format("plan-{}", number));
    std::ranges::move(section, std::back_inserter(sections_));
    return {};
  }

  Result<void> without(const Plan& plan, const std::string& why) {
    comparison_.add_without(plan);
    warnings_.push_back(fmt::format("{}: {}", plan.name, why));
    return {};
  }

  void consider(const Plan& plan, const Simulation& simulation) {
    if (!simulation.fits || !plan.synchronous()) return;
    if (best_ && best_->samples_per_second >= simulation.samples_per_second) return;
    best_ = Best{plan.name, simulation.samples_per_second, simulation.iteration, plan.global_batch,
                 simulation.devices.size()};
  }

  Document document() {
    Document made{question_.title, {}, words_.language()};
    std::vector<Block>& blocks = made.blocks;
    blocks.push_back(Heading{1, question_.title});
    blocks.push_back(Paragraph{fmt::format("{}, {}", question_.program, question_.date)});
    blocks.push_back(Paragraph{best_text(words_, best_)});
    blocks.push_back(Heading{2, words_("Question")});
    blocks.push_back(model_table(words_, *question_.problem.profile));
    blocks.push_back(cluster_table(words_, *question_.problem.cluster));
    blocks.push_back(Heading{2, words_("Comparison")});
    blocks.push_back(comparison_.table());
    for (const std::string& warning : warnings_) blocks.push_back(Warning{warning});
    std::ranges::move(sections_, std::back_inserter(blocks));
    blocks.push_back(Heading{2, words_("Assumptions")});
    blocks.push_back(List{assumptions_of(words_, question_, prices_)});
    std::vector<std::string> lines = question_.commands;
    lines.insert(lines.end(), commands_.begin(), commands_.end());
    if (lines.empty()) return made;
    blocks.push_back(Heading{2, words_("To get the same figures")});
    blocks.push_back(Commands{std::move(lines)});
    return made;
  }

  const Request& question_;
  Translator words_;
  Prices prices_;
  std::optional<SampleWork> work_;
  ComparisonTable comparison_;
  std::optional<Best> best_;
  std::vector<std::string> warnings_, commands_;
  std::vector<Block> sections_;
};

}  // namespace

Result<Document> make_report(const Request& question, const Progress& progress, std::stop_token stop) {
  return Reporter(question).run(progress, stop);
}

}  // namespace pipedeck::study::reports
