// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/domain/count_text.hpp"
#include "core/domain/memory_verdict.hpp"
#include "core/io/files.hpp"
#include "core/report/figures.hpp"
#include "core/report/judged_plan.hpp"
#include "core/report/plan_section.hpp"

namespace pipedeck::reports {
namespace {

Table facts_table(std::vector<std::vector<std::string>> rows, std::string of) {
  return {{{std::move(of)}, {""}}, std::move(rows), true};
}

Table model_table(const Profile& profile) {
  Bytes parameters;
  Seconds forward, backward;
  for (const Layer& layer : profile.layers) {
    parameters += layer.parameters;
    forward += layer.forward;
    backward += layer.backward;
  }
  std::vector<std::vector<std::string>> rows{
      {"Name", profile.name},
      {"Layers", fmt::format("{}, {}", profile.layers.size(), profile.is_chain() ? "a chain" : "a graph")},
      {"Weights", bytes_text(parameters)},
      {"Times", fmt::format("forward {:.3f} ms, backward {:.3f} ms for a micro-batch of {} on {}",
                            in_milliseconds(forward), in_milliseconds(backward), profile.micro_batch, profile.device)}};
  if (!profile.source.empty()) rows.push_back({"Source", profile.source});
  rows.push_back({"SHA-256", sha256_of(profile)});
  return facts_table(std::move(rows), "Model");
}

std::string node_text(const Cluster& cluster, const Node& node) {
  std::string text;
  for (const DeviceGroup& group : node.devices) {
    const DeviceType* type = find_device_type(cluster, group.type);
    text += fmt::format("{}{} \u00d7 {}", text.empty() ? "" : " + ", group.count, group.type);
    if (type) text += fmt::format(" ({})", bytes_text(type->memory));
  }
  if (node.link) text += fmt::format(", {}{} inside", rate_text(node.link->bandwidth), node.bus ? " shared" : "");
  return text;
}

/// Neighbours of one kind together: "2 nodes of 8 x V100 (16.00 GiB), 130 GB/s inside".
std::vector<std::string> nodes_texts(const Cluster& cluster) {
  std::vector<std::string> texts;
  for (std::size_t first = 0, end = 0; first < cluster.nodes.size(); first = end) {
    const std::string own = node_text(cluster, cluster.nodes[first]);
    for (end = first + 1; end < cluster.nodes.size() && node_text(cluster, cluster.nodes[end]) == own;) ++end;
    texts.push_back(fmt::format("{} of {}", count_of(end - first, "node"), own));
  }
  return texts;
}

std::string network_text(const Cluster& cluster) {
  if (cluster.bandwidth_matrix) return "bandwidths between all pairs of devices, measured";
  if (cluster.links.empty()) return "none";
  const auto [least, most] =
      std::ranges::minmax_element(cluster.links, {}, [](const NetworkLink& link) { return link.link.bandwidth; });
  const std::string rates = least->link.bandwidth == most->link.bandwidth
                                ? rate_text(least->link.bandwidth)
                                : rate_text(least->link.bandwidth) + " to " + rate_text(most->link.bandwidth);
  return fmt::format("{} of {} each way", count_of(cluster.links.size(), "link"), rates);
}

Table cluster_table(const Cluster& cluster) {
  std::vector<std::vector<std::string>> rows{{"Name", cluster.name},
                                             {"Devices", std::to_string(devices_of(cluster).size())},
                                             {"Nodes", fmt::format("{}", fmt::join(nodes_texts(cluster), "; "))},
                                             {"Between nodes", network_text(cluster)},
                                             {"SHA-256", sha256_of(cluster)}};
  return facts_table(std::move(rows), "Cluster");
}

std::string price_text(const std::optional<double>& price) { return price ? fmt::format("{:.2f}", *price) : "-"; }

/// "13.14 of 16.00 (82 %)" and the device.
std::pair<std::string, std::string> peak_texts(const Simulation& simulation) {
  const DeviceVerdict* worst = fullest_device(simulation);
  if (!worst) return {"-", "-"};
  return {fmt::format("{} of {} ({:.0f} %)", gib_text(worst->peak), gib_text(worst->capacity),
                      share_of_capacity(worst->peak, *worst) * 100),
          std::to_string(worst->device.value)};
}

class ComparisonTable {
 public:
  explicit ComparisonTable(bool prices) : prices_(prices) {
    table_.columns = {{"Plan"},
                      {"Stages"},
                      {"Schedule"},
                      {"Micro-batches", true},
                      {"Samples/s", true},
                      {"Iteration ms", true},
                      {"Over bound", true},
                      {"Bubble", true},
                      {"Exposed comm.", true},
                      {"Peak GiB", true},
                      {"On device", true},
                      {"Fits"}};
    if (prices) {
      table_.columns.push_back({"Price an hour", true});
      table_.columns.push_back({"Per million samples", true});
    }
    table_.names_rows = true;
  }

  void add(const Plan& plan, const JudgedPlan& judged) {
    const Simulation& simulation = judged.simulation;
    const double iteration = to_seconds(simulation.iteration).count;
    const Fit fit = fit_of(simulation);
    const auto [peak, device] = peak_texts(simulation);
    std::vector<std::string> cells{
        plan.name,
        short_shape_text(plan),
        schedule_text(plan),
        fmt::format("{} \u00d7 {}", plan.micro_batches, plan.micro_batch),
        fmt::format("{:.2f}", simulation.samples_per_second),
        milliseconds_text(simulation.iteration),
        judged.lower_bound.count > 0 ? percent_text(iteration / judged.lower_bound.count - 1) : "-",
        percent_text(simulation.bubble_fraction),
        percent_text(simulation.communication_fraction),
        peak,
        device,
        fit == Fit::surely     ? "yes"
        : fit == Fit::expected ? "yes (at most: no)"
                               : "no"};
    if (prices_) {
      cells.push_back(price_text(judged.price_per_hour));
      cells.push_back(price_text(judged.price_per_million_samples()));
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
  bool prices_;
  Table table_;
};

/// What of a plan is wanted when all have been judged: simulations are large.
struct Best {
  std::string name;
  double samples_per_second = 0;
  Nanoseconds iteration;
  int global_batch = 0;
  std::size_t devices = 0;
};

std::string best_text(const std::optional<Best>& best) {
  if (!best) return "No plan fits in memory and trains as one device would.";
  return fmt::format(
      "The fastest synchronous plan that fits is {}: {:.2f} samples/s, {} an iteration of {} samples, on {}.",
      best->name, best->samples_per_second, time_text(best->iteration), best->global_batch,
      count_of(best->devices, "device"));
}

using Prices = std::map<std::string, double>;

/// Of an hour, by device type: the cluster's own, else the list's.
Prices prices_of(const ReportQuestion& question) {
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

std::string price_sentence(const std::vector<DeviceModel>& list) {
  const std::string of = "Prices are of whole nodes, all their devices together";
  if (list.empty()) return of + ", as the cluster says.";
  const ListPrice& price = list.front().price;
  return fmt::format("{}: the cluster's own, else list prices of about {} ({}).", of, price.date, price.currency);
}

std::vector<std::string> assumptions_of(const ReportQuestion& question, const Prices& prices) {
  const Conventions& judged = question.problem.workload.conventions;
  std::vector<std::string> sentences{
      "All plans are judged by one simulator, whoever made them. Nothing in this report was measured by running a "
      "plan.",
      judged.network == NetworkModel::ideal
          ? "Network ideal: each pair of nodes, and of devices inside one, carries one transfer at a time each way; "
            "different pairs do not slow one another down."
          : "Network shared: transfers and all-reduces that use a link at the same time share its bandwidth.",
      judged.overlap == Overlap::none ? "Gradients are all-reduced when the last backward pass of their stage is over."
      : judged.overlap == Overlap::layer
          ? "Gradients of each layer are all-reduced as soon as they are there, beside the backward pass."
          : fmt::format("Gradients are all-reduced beside the backward pass, in buckets of {}.",
                        bytes_text(judged.bucket)),
      fmt::format("All-reduces: {}.", judged.collectives == Collectives::least
                                          ? "the quicker of a flat and a hierarchical ring"
                                          : std::string(name_of(judged.collectives)))};
  if (judged.reserve.count > 0 || judged.communication.count > 0)
    sentences.push_back(fmt::format("Every device holds {} in reserve and {} for each communicator that it is in.",
                                    bytes_text(judged.reserve), bytes_text(judged.communication)));
  std::string peaks = "Peaks are estimates; \"at most\" is what they can be however long operations take";
  if (judged.fragmentation > 0)
    peaks += fmt::format(", with {} lost to fragmentation", percent_text(judged.fragmentation));
  sentences.push_back(peaks + ".");
  if (judged.calibration != Calibration())
    sentences.push_back(
        fmt::format("Calibrated from measured runs{}: {:.1f} \u00b5s between operations, compute {:.3f} "
                    "times as long beside communication, links {:.3f} times as fast as their files say.",
                    question.calibration.empty() ? "" : " (" + question.calibration + ")",
                    in_microseconds(judged.calibration.operation_overhead), judged.calibration.overlap_slowdown,
                    judged.calibration.link_efficiency));
  if (!prices.empty()) sentences.push_back(price_sentence(question.price_list));
  return sentences;
}

class Reporter {
 public:
  explicit Reporter(const ReportQuestion& question)
      : question_(question), prices_(prices_of(question)), comparison_(!prices_.empty()) {}

  Result<Document> run(const Progress& progress, const std::stop_token& stop) {
    const Problem& problem = question_.problem;
    const auto simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    if (!simulator) return tl::unexpected(simulator.error());
    const JudgedQuestion asked{problem, *simulator, prices_};
    for (std::size_t p = 0; p < question_.plans.size(); ++p) {
      const ReportedPlan& reported = question_.plans[p];
      if (progress) progress(static_cast<double>(p) / static_cast<double>(question_.plans.size()), reported.plan->name);
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
      if (auto added = add(reported, p + 1, asked, stop); !added) return tl::unexpected(added.error());
    }
    return document();
  }

 private:
  Result<void> add(const ReportedPlan& reported, std::size_t number, const JudgedQuestion& asked,
                   const std::stop_token& stop) {
    const Plan& plan = *reported.plan;
    if (plan.stages.empty()) return without(plan, reported.note.empty() ? "no plan was found" : reported.note);
    const auto judged_plan = judged(asked, plan, stop);
    if (!judged_plan && judged_plan.error().code == ErrorCode::cancelled) return tl::unexpected(judged_plan.error());
    if (!judged_plan) return without(plan, judged_plan.error().text());
    comparison_.add(plan, *judged_plan);
    consider(plan, judged_plan->simulation);
    commands_.insert(commands_.end(), reported.commands.begin(), reported.commands.end());
    if (!reported.detailed) {
      const auto warnings = warnings_of(plan, judged_plan->simulation, asked.problem);
      warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
      return {};
    }
    auto section = plan_section(reported, *judged_plan, asked.problem, fmt::format("plan-{}", number));
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
    Document made{question_.title, {}};
    std::vector<Block>& blocks = made.blocks;
    blocks.push_back(Heading{1, question_.title});
    blocks.push_back(Paragraph{fmt::format("{}, {}", question_.program, question_.date)});
    blocks.push_back(Paragraph{best_text(best_)});
    blocks.push_back(Heading{2, "Question"});
    blocks.push_back(model_table(*question_.problem.profile));
    blocks.push_back(cluster_table(*question_.problem.cluster));
    blocks.push_back(Heading{2, "Comparison"});
    blocks.push_back(comparison_.table());
    for (const std::string& warning : warnings_) blocks.push_back(Warning{warning});
    std::ranges::move(sections_, std::back_inserter(blocks));
    blocks.push_back(Heading{2, "Assumptions"});
    blocks.push_back(List{assumptions_of(question_, prices_)});
    std::vector<std::string> lines = question_.commands;
    lines.insert(lines.end(), commands_.begin(), commands_.end());
    if (lines.empty()) return made;
    blocks.push_back(Heading{2, "To get the same figures"});
    blocks.push_back(Commands{std::move(lines)});
    return made;
  }

  const ReportQuestion& question_;
  Prices prices_;
  ComparisonTable comparison_;
  std::optional<Best> best_;
  std::vector<std::string> warnings_, commands_;
  std::vector<Block> sections_;
};

}  // namespace

Result<Document> make_report(const ReportQuestion& question, const Progress& progress, std::stop_token stop) {
  return Reporter(question).run(progress, stop);
}

}  // namespace pipedeck::reports
