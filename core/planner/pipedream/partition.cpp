// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/partition.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stop_token>

#include <fmt/format.h>

#include "core/planner/pipedream/line.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double max_effort_for_graphs = 1e10;  // steps of the search, some per nanosecond
constexpr double max_partition_effort = 1e11;

std::string levels_text(const Topology& topology) {
  std::string text;
  for (std::size_t k = topology.levels.size(); k-- > 0;)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", topology.levels[k].components);
  return text.empty() ? "1" : text;
}

/// A run of the searches that --levels requests, with the best answer of all.
class Partitioner {
 public:
  Partitioner(search::Chain& chain, int size, const Request& wanted, const PlannerContext& context)
      : chain_(chain), size_(size), wanted_(wanted), context_(context) {
    own_ = pipedream_topology(chain.network(), wanted.levels == Levels::flat);
    flat_ = pipedream_topology(chain.network(), true);
  }

  /// Steps of the search in one topological order, the least that it can be asked for.
  double min_effort() const { return effort(search::Ideals::of_order(chain_.profile(), chain_.order())); }

  Result<std::optional<Partition>> best() {
    std::optional<search::Ideals> all = search::Ideals::of(chain_.profile(), search::Ideals::most, context_.stop);
    TRY_VOID(check_stop(context_));
    graph_ = all && (all->is_chain() || effort(*all) <= max_effort_for_graphs);
    figures_.emplace(chain_, graph_ ? *std::move(all) : search::Ideals::of_order(chain_.profile(), chain_.order()),
                     size_);
    search_with_idle(own_, "PipeDream slowest stage A^L");
    spaces_ = fmt::format("the levels {}", levels_text(own_));
    if (wanted_.levels == Levels::any && !cut_short()) search_other_levels();
    TRY_VOID(check_stop(context_));
    if (!answer_) return std::optional<Partition>();
    return found();
  }

 private:
  const PlanConstraints& pins() const { return chain_.problem().pins; }

  double effort(const search::Ideals& ideals) const {
    const double own = effort(ideals, own_);
    return wanted_.levels == Levels::any ? own + effort(ideals, flat_) : own;
  }

  /// With idle devices, at most as much for every choice of the used ones.
  double effort(const search::Ideals& ideals, const Topology& topology) const {
    double choices = 1;
    for (const Level& level : topology.levels) choices *= wanted_.allow_idle ? level.components : 1;
    return choices * PipedreamSearch::search_budget(ideals, topology, pins());
  }

  void keep(std::optional<Answer> answer, const std::string& objective) {
    if (!answer) return;
    note_plan(context_);
    if (answer_ && answer_->slowest <= answer->slowest) return;
    answer_ = std::move(answer), objective_ = objective;
  }

  /// Fewer devices only where they can do all layers within the best time so far, and the pinned ones are among them.
  bool worth_a_search(const Topology& topology) const {
    const double balance = figures_->time().back() / static_cast<double>(topology.devices.size());
    const auto has = [&](const auto& pin) {
      return std::find(topology.devices.begin(), topology.devices.end(), pin.second) != topology.devices.end();
    };
    return (!answer_ || balance < answer_->slowest.count) &&
           std::all_of(pins().layers.begin(), pins().layers.end(), has);
  }

  void search_with_idle(const Topology& topology, const std::string& objective) {
    search(topology, objective);
    if (!wanted_.allow_idle) return;
    for (const Topology& smaller : smaller_topologies(topology))
      if (!cut_short() && worth_a_search(smaller)) search(smaller, objective);
    figures_->use(chain_.devices());
  }

  void search(const Topology& topology, const std::string& objective) {
    figures_->use(static_cast<int>(topology.devices.size()));
    PipedreamSearch search(*figures_, topology, wanted_.search, pins(),
                           {end_.get_token(), context_.deadline_token, [this] { note_plan(context_); }});
    if (!answer_) keep(search.one_stage(), objective);
    keep(in_time([&] { return search.run(); }), objective);
    proven_ = proven_ && search.proven();
    truncated_ = truncated_ || (answer_ && deadline_expired(context_));
  }

  /// Runs the search until the user's time is over if there is an answer, else to its end.
  template <class Search>
  std::optional<Answer> in_time(Search search) {
    const bool answered = answer_.has_value();
    const std::stop_callback hurried(context_.deadline_token, [this, answered] {
      if (answered) end_.request_stop();
    });
    auto found = search();
    truncated_ = truncated_ || end_.stop_requested();
    return found;
  }

  static double bound_of(const std::optional<Answer>& answer) {
    return answer ? answer->slowest.count : std::numeric_limits<double>::infinity();
  }

  bool line_is_possible() const {
    const double states = static_cast<double>(figures_->ideals().count()) * figures_->devices() * figures_->devices() *
                          pins().stages.value_or(pins().max_stages.value_or(1));
    return figures_->devices() <= Line::max_devices && states <= 5e7;
  }

  /// Searches the other levels: --levels any is the best of three, so never worse than the other two.
  void search_other_levels() {
    if (own_.levels.size() > 1) {
      search_with_idle(flat_, "PipeDream slowest stage A^1, all devices one level");
      spaces_ += ", on one level";
    }
    if (cut_short()) return;
    if (!line_is_possible()) {
      notes_.push_back(
          "Stages on consecutive devices of their own bandwidths are not searched: the cluster is too large.");
      return;
    }
    for (std::size_t used = own_.devices.size(); used >= (wanted_.allow_idle ? 1 : own_.devices.size()); --used) {
      if (cut_short()) return;
      search_line(used);
    }
    spaces_ = fmt::format("{}, or {}", spaces_, "on any consecutive devices");
  }

  void search_line(std::size_t used) {
    Topology first{{}, own_.devices};
    first.devices.resize(used);
    if (!worth_a_search(first)) return;
    figures_->use(static_cast<int>(used));
    Line line(*figures_, chain_.network(), first.devices, wanted_.search, pins(), end_.get_token());
    keep(in_time([&] { return line.run(bound_of(answer_)); }), "PipeDream slowest stage, consecutive devices");
    figures_->use(chain_.devices());
  }

  /// Returns true if the user's time is over and there is an answer.
  bool cut_short() {
    truncated_ = truncated_ || (answer_ && deadline_expired(context_));
    return truncated_;
  }

  Result<std::optional<Partition>> found() {
    const search::Ideals& ideals = figures_->ideals();
    std::vector<LayerId> order = ideals.order(answer_->nested).value_or(order_of(Plan(), chain_.profile()));
    TRY(auto chain, search::Chain::of(chain_.problem(), std::move(order)));
    Partition partition{std::move(chain), {}, answer_->slowest, objective_, {}, notes_, truncated_};
    for (std::size_t s = 0; s < answer_->devices.size(); ++s)
      partition.stages.push_back(
          search::stage_on(ideals.size(answer_->nested[s]), ideals.size(answer_->nested[s + 1]), answer_->devices[s]));
    if (!graph_)
      partition.notes.push_back("The layer graph has too many cuts: planned in one topological order of it.");
    if (proven_ && !truncated_)
      partition.proven = fmt::format("no partition over {} that uses {} has a quicker slowest stage{}", spaces_,
                                     wanted_.allow_idle ? "all or the first components of each level" : "every device",
                                     graph_ ? "" : " in one topological order of the graph");
    return std::optional(std::move(partition));
  }

  search::Chain& chain_;
  int size_;
  const Request& wanted_;
  const PlannerContext& context_;
  Topology own_, flat_;
  std::optional<Figures> figures_;
  std::stop_source end_;  ///< of a search: cancelled, or out of time with an answer
  std::stop_callback<std::function<void()>> cancelled_{context_.stop, [this] { end_.request_stop(); }};
  bool graph_ = true;  ///< all ideals are searched, not those of one order
  std::optional<Answer> answer_;
  std::string objective_, spaces_;
  std::vector<std::string> notes_;
  bool proven_ = true, truncated_ = false;
};

}  // namespace

Result<std::optional<Partition>> pipedream_partition(search::Chain& chain, int size, const Request& wanted,
                                                     const PlannerContext& context) {
  return Partitioner(chain, size, wanted, context).best();
}

bool too_large_for_pipedream(search::Chain& chain, const Request& wanted, const PlannerContext& context) {
  return Partitioner(chain, 1, wanted, context).min_effort() > max_partition_effort;
}

}  // namespace pipedeck::planner::pipedream
