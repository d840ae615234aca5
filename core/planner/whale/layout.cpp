// SPDX-License-Identifier: Apache-2.0
#include "core/planner/whale/layout.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace pipedeck::planner::whale {

namespace {

constexpr std::size_t max_runs = 4;  // of layers that a degree can split, the heaviest

/// Returns the degrees for which some layer has times, 1 included.
std::set<int> degrees_of(const Profile& profile) {
  std::set<int> degrees{1};
  for (const Layer& layer : profile.layers)
    for (const TensorParallelPoint& point : layer.tensor_parallel) degrees.insert(point.degree);
  return degrees;
}

struct Run {
  int first = 0, last = 0;
  Bytes parameters{};
};

class Layouts {
 public:
  Layouts(WhaleCosts& costs, const LayoutOptions& options, bool uneven)
      : costs_(costs), options_(options), uneven_(uneven), pins_(costs.chain().problem().pins) {}

  std::vector<Layout> run() {
    for (const int degree : degrees_of(chain().profile())) {
      if (pins_.tensor_parallel && degree != *pins_.tensor_parallel) continue;
      if (degree > devices()) continue;
      for (int graphs = 1; graphs * degree <= devices() && graphs <= chain().layers(); ++graphs)
        if (wanted(degree, graphs)) add_alike(degree, graphs);
      if (degree > 1 && options_.split && !pins_.tensor_parallel) add_mixed(degree);
    }
    return std::move(layouts_);
  }

 private:
  search::Chain& chain() const { return costs_.chain(); }
  int devices() const { return chain().devices(); }

  bool number_allowed(int graphs) const {
    if (options_.task_graphs > 0 && graphs != options_.task_graphs) return false;
    if (pins_.stages && graphs != *pins_.stages) return false;
    return !pins_.max_stages || graphs <= *pins_.max_stages;
  }

  bool wanted(int degree, int graphs) const {
    if (!number_allowed(graphs)) return false;
    if (degree > 1) return options_.split && costs_.splittable(0, chain().layers(), degree);
    return graphs == 1 ? options_.replicate : options_.pipeline;
  }

  // --- TaskGraphs of equal numbers of devices

  void add_alike(int degree, int graphs) {
    const int asked = graphs * degree;
    int copies = devices() / asked;
    if (pins_.replicas) {
      if (*pins_.replicas > copies) return;
      copies = *pins_.replicas;
    } else if (devices() % asked != 0) {
      const bool named = options_.task_graphs > 0 || pins_.stages || uneven_;
      if (named) add_uneven(degree, graphs);
      return;
    }
    const std::vector<int> each(static_cast<std::size_t>(graphs), degree);
    const std::string primitive = degree == 1 ? "replicate(1)" : fmt::format("split({})", degree);
    add_both(each, each, {}, copies,
             graphs == 1 && degree == 1
                 ? fmt::format("replicate({})", copies)
                 : fmt::format("{} x {}{}", graphs, primitive, copies > 1 ? fmt::format(", {} copies", copies) : ""));
  }

  /// Adds TaskGraphs as even as whole replicas allow, larger ones first.
  void add_uneven(int degree, int graphs) {
    const int replicas = devices() / degree;
    if (replicas < graphs) return;
    std::vector<int> asked, degrees;
    for (int g = 0; g < graphs; ++g) {
      asked.push_back(degree * (replicas / graphs + (g < replicas % graphs ? 1 : 0)));
      degrees.push_back(degree);
    }
    add(by_memory(devices()), asked, degrees, {}, 1, true,
        fmt::format("{} x {}, unequal", graphs, degree == 1 ? "replicate" : fmt::format("split({})", degree)));
  }

  // --- some layers split, the others before and after replicated

  /// Returns the heaviest runs of layers that can be split, and the heaviest single layer (the classifier of the
  /// paper's example 2).
  std::vector<Run> runs(int degree) const {
    std::vector<Run> found;
    Run heaviest;
    for (int p = 0; p < chain().layers(); ++p) {
      if (!costs_.splittable(p, p + 1, degree)) continue;
      const Bytes own = chain().parameters(p, p + 1);
      if (heaviest.last == 0 || own > heaviest.parameters) heaviest = {p, p + 1, own};
      if (found.empty() || found.back().last != p) found.push_back({p, p, {}});
      found.back().last = p + 1;
      found.back().parameters += own;
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Run& a, const Run& b) { return a.parameters > b.parameters; });
    if (found.size() > max_runs) found.resize(max_runs);
    const auto same = [&](const Run& run) { return run.first == heaviest.first && run.last == heaviest.last; };
    if (heaviest.last > 0 && std::none_of(found.begin(), found.end(), same)) found.push_back(heaviest);
    return found;
  }

  void add_mixed(int degree) {
    for (const Run& run : runs(degree)) {
      const bool front = run.first > 0, behind = run.last < chain().layers();
      const int others = (front ? 1 : 0) + (behind ? 1 : 0);
      if (others == 0 || !number_allowed(1 + others)) continue;
      for (int copies = 1; copies * (degree + others) <= devices(); ++copies)
        if (devices() % copies == 0) add_mixed(degree, run, copies);
    }
  }

  void add_mixed(int degree, const Run& run, int copies) {
    const int rest = devices() / copies - degree;
    const bool front = run.first > 0, behind = run.last < chain().layers();
    if (!behind) return add_mixed(degree, run, copies, rest, 0);
    if (!front) return add_mixed(degree, run, copies, 0, rest);
    // In proportion to the work, rounded down and up.
    const int kind = costs_.kind_of(std::vector{DeviceId(0)}), samples = chain().profile().micro_batch;
    const double before = costs_.time(kind, samples, 0, run.first);
    const double after = costs_.time(kind, samples, run.last, chain().layers());
    const int share = before + after > 0 ? static_cast<int>(rest * before / (before + after)) : rest / 2;
    const int low = std::clamp(share, 1, rest - 1), high = std::clamp(share + 1, 1, rest - 1);
    add_mixed(degree, run, copies, low, rest - low);
    if (high != low) add_mixed(degree, run, copies, high, rest - high);
  }

  void add_mixed(int degree, const Run& run, int copies, int front, int behind) {
    std::vector<int> asked, degrees;
    std::vector<std::pair<int, int>> layers;
    std::string name;
    const auto graph = [&](int count, int first, int last, bool split) {
      if (count == 0) return;
      asked.push_back(count);
      degrees.push_back(split ? count : 1);
      layers.emplace_back(first, last);
      name += fmt::format("{}{}({})", name.empty() ? "" : ", ", split ? "split" : "replicate", count);
    };
    graph(front, 0, run.first, false);
    graph(degree, run.first, run.last, true);
    graph(behind, run.last, chain().layers(), false);
    if (copies > 1) name += fmt::format(", {} copies", copies);
    add_both(asked, degrees, layers, copies, name);
  }

  // --- devices

  /// Returns devices by memory, largest first: earlier TaskGraphs hold more micro-batches (section 3.3.2). Ties: faster
  /// ones, then cluster order.
  std::vector<DeviceId> by_memory(int count, int first = 0) const {
    std::vector<DeviceId> order;
    for (int d = first; d < first + count; ++d) order.push_back(DeviceId(d));
    const cost::Network& network = chain().network();
    std::stable_sort(order.begin(), order.end(), [&](DeviceId a, DeviceId b) {
      const DeviceType &x = network.type(a), &y = network.type(b);
      return x.memory != y.memory ? x.memory > y.memory : x.relative_speed > y.relative_speed;
    });
    return order;
  }

  void add_both(const std::vector<int>& asked, const std::vector<int>& degrees,
                const std::vector<std::pair<int, int>>& layers, int copies, const std::string& name) {
    const int each = std::accumulate(asked.begin(), asked.end(), 0);
    if (asked.size() == 1) {
      std::vector<DeviceId> in_order;
      for (int d = 0; d < each * copies; ++d) in_order.push_back(DeviceId(d));
      return add(in_order, asked, degrees, layers, copies, true, name);
    }
    if (options_.copies_together) {
      std::vector<DeviceId> order;
      for (int c = 0; c < copies; ++c)
        for (const DeviceId device : by_memory(each, c * each)) order.push_back(device);
      add(order, asked, degrees, layers, copies, false, name);
    }
    if (options_.replicas_together) add(by_memory(each * copies), asked, degrees, layers, copies, true, name);
  }

  /// Adds a layout. `order` has the devices copy by copy, or TaskGraph by TaskGraph (`replicas_together`).
  void add(const std::vector<DeviceId>& order, const std::vector<int>& asked, const std::vector<int>& degrees,
           const std::vector<std::pair<int, int>>& layers, int copies, bool replicas_together,
           const std::string& name) {
    Layout layout;
    layout.name = name;
    const int each = std::accumulate(asked.begin(), asked.end(), 0);
    for (std::size_t g = 0, before = 0; g < asked.size(); before += static_cast<std::size_t>(asked[g++])) {
      TaskGraph graph{degrees[g], {}};
      if (!layers.empty()) graph.layers = layers[g];
      for (int c = 0; c < copies; ++c) {
        const std::size_t from =
            replicas_together ? before * static_cast<std::size_t>(copies) + static_cast<std::size_t>(c * asked[g])
                              : static_cast<std::size_t>(c * each) + before;
        for (int d = 0; d < asked[g]; ++d) graph.devices.push_back(order[from + static_cast<std::size_t>(d)]);
      }
      layout.graphs.push_back(std::move(graph));
    }
    if (pins_.replicas)
      for (const TaskGraph& graph : layout.graphs)
        if (graph.replicas() != *pins_.replicas) return;
    const auto devices_alike = [&](const Layout& other) {
      return std::equal(layout.graphs.begin(), layout.graphs.end(), other.graphs.begin(), other.graphs.end(),
                        [](const TaskGraph& a, const TaskGraph& b) {
                          return a.degree == b.degree && a.devices == b.devices && a.layers == b.layers;
                        });
    };
    if (std::none_of(layouts_.begin(), layouts_.end(), devices_alike)) layouts_.push_back(std::move(layout));
  }

  WhaleCosts& costs_;
  const LayoutOptions& options_;
  bool uneven_;
  const PlanConstraints& pins_;
  std::vector<Layout> layouts_;
};

}  // namespace

std::vector<Layout> layouts_of(WhaleCosts& costs, const LayoutOptions& options, bool uneven) {
  return Layouts(costs, options, uneven).run();
}

}  // namespace pipedeck::planner::whale
