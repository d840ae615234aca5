// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/recorded/calls.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace pipedeck::analytic::recorded {
namespace {

constexpr int deepest = 200;

using Spans = std::vector<RecordedSpan>;

/// Returns true for a collective of torch.distributed: "nccl:all_reduce", "hccl:allgather", "gloo:broadcast".
bool is_collective_name(std::string_view name) {
  const std::string_view backend = name.substr(0, std::min(name.find(':'), name.size()));
  return backend.size() < name.size() &&
         (backend.ends_with("ccl") || backend == "gloo" || backend == "mpi" || backend == "ucc");
}

/// Returns true for annotations that name a pass or belong to a library, which are no modules: "forward 3",
/// "Optimizer.step#SGD.step", "PP:2F0" of torch.distributed.pipelining, "attn(F)" of DualPipe, functions of C++
/// ("Stage::run"), and what benchmarks measure ("[param|alex_net|0|measure|forward]").
bool is_pass_name(std::string_view name) {
  static const std::set<std::string, std::less<>> words{
      "forward", "fwd",  "backward", "bwd",  "optimizer", "optim", "step",  "pass",  "micro",     "batch", "microbatch",
      "mb",      "zero", "grad",     "loss", "train",     "data",  "model", "stage", "iteration", "iter",  "training"};
  constexpr std::array<std::string_view, 7> beginnings{
      "Optimizer.", "enumerate(", "DistributedDataParallel.", "FullyShardedDataParallel.", "FSDP::", "## ", "PP:"};
  constexpr std::array<std::string_view, 4> endings{"(F)", "(B)", "(I)", "(W)"};
  if (name == "1F1B" || name.starts_with('[') || name.find("::") != name.npos || is_collective_name(name) ||
      std::ranges::any_of(beginnings, [&](auto text) { return name.starts_with(text); }) ||
      std::ranges::any_of(endings, [&](auto text) { return name.ends_with(text); }))
    return true;
  bool pass = false;
  std::string word;
  const auto known = [&] {
    const bool fits = word.empty() || words.contains(word);
    pass = pass || word.starts_with("forward") || word == "fwd" || word.starts_with("backward") || word == "bwd" ||
           word.starts_with("optim") || word == "zero" || word == "data" || word.starts_with("iter") ||
           word.starts_with("train") || word == "step";
    word.clear();
    return fits;
  };
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower >= 'a' && lower <= 'z')
      word += lower;
    else if (!known())
      return false;
  }
  return known() && pass;
}

/// A record of the times when autograd works on each thread: its outermost spans.
class BackwardTimes {
 public:
  explicit BackwardTimes(const Spans& sorted) {
    for (const RecordedSpan& span : sorted) {
      auto& spans = by_track_[span.track];
      if (spans.empty() || span.start >= spans.back().end) spans.push_back({span.start, span.end});
      starts_.push_back(span.start);
    }
    std::ranges::sort(starts_);
  }

  bool contains(const RecordedSpan& span) const {
    const auto found = by_track_.find(span.track);
    if (found == by_track_.end()) return false;
    const auto after = std::ranges::upper_bound(found->second, span.start, {}, &RecordedStep::start);
    return after != found->second.begin() && span.start < std::prev(after)->end;
  }

  /// Returns true if a backward function began in [from, to).
  bool began(std::int64_t from, std::int64_t to) const {
    const auto first = std::ranges::lower_bound(starts_, from);
    return first != starts_.end() && *first < to;
  }

 private:
  std::map<std::uint32_t, std::vector<RecordedStep>> by_track_;
  std::vector<std::int64_t> starts_;
};

/// Returns the thread with the longest total time of outermost modules, without those that ran again.
std::uint32_t main_track(const Spans& modules, const BackwardTimes& backward) {
  std::map<std::uint32_t, std::int64_t> taken;
  const RecordedSpan* outer = nullptr;
  for (const RecordedSpan& span : modules) {
    if (outer && outer->track == span.track && span.start < outer->end) continue;
    outer = &span;
    if (!backward.contains(span)) taken[span.track] += span.duration();
  }
  const auto longest = std::ranges::max_element(taken, {}, [](const auto& one) { return one.second; });
  return longest == taken.end() ? modules.front().track : longest->first;
}

/// An outermost module with all modules inside it. A module that ends after the one that it began in is truncated
/// there.
struct Tree {
  std::vector<Call> calls;
};

Result<std::vector<Tree>> call_trees(const Spans& modules, const ProfilerTrace& recording,
                                     const BackwardTimes& backward, Calls& calls) {
  std::vector<Tree> trees;
  std::vector<std::size_t> open;
  const std::int64_t process = recording.processes[calls.track];
  for (std::size_t i = 0; i < modules.size();) {
    const RecordedSpan& outer = modules[i];
    std::size_t end = i + 1;
    while (end < modules.size() && modules[end].track == outer.track && modules[end].start < outer.end) ++end;
    if (outer.track != calls.track || backward.contains(outer)) {
      if (!backward.contains(outer)) {
        ++calls.elsewhere;
      } else if (recording.processes[outer.track] == process) {
        ++calls.recomputed;
        for (std::size_t at = i; at < end; ++at)
          calls.again.push_back({modules[at].track, modules[at].name, modules[at].start, modules[at].end});
      }
      i = end;
      continue;
    }
    Tree& tree = trees.emplace_back();
    open.clear();
    const auto close = [&] {
      tree.calls[open.back()].next = tree.calls.size();
      open.pop_back();
    };
    for (; i < end; ++i) {
      const RecordedSpan& span = modules[i];
      while (!open.empty() && tree.calls[open.back()].end <= span.start) close();
      if (open.size() >= deepest)
        return fail(ErrorCode::bad_input,
                    fmt::format("found more than {} modules in one another at \"{}\", expected a model's few", deepest,
                                recording.names[span.name]));
      const std::int64_t last = open.empty() ? span.end : std::min(span.end, tree.calls[open.back()].end);
      tree.calls.push_back({span.name, static_cast<int>(open.size()), span.start, last, 0});
      open.push_back(tree.calls.size() - 1);
    }
    while (!open.empty()) close();
  }
  return trees;
}

/// Returns the number of outermost modules per pass, for a sequence of `names` without a backward pass in between.
std::size_t period_of(const std::vector<std::uint32_t>& names, bool alone_is_whole) {
  for (std::size_t period = alone_is_whole ? 1 : 2; period < names.size(); ++period) {
    if (names.size() % period != 0 || names[period] != names[0]) continue;
    bool repeats = true;
    for (std::size_t i = period; i < names.size() && repeats; ++i) repeats = names[i] == names[i - period];
    if (repeats) return period;
  }
  return names.size();
}

void add_passes(std::vector<Pass>& passes, std::vector<Tree>::iterator begin, std::vector<Tree>::iterator end,
                bool annotated) {
  std::vector<std::uint32_t> names;
  for (auto tree = begin; tree != end; ++tree) names.push_back(tree->calls.front().name);
  const bool whole = !annotated || begin->calls.size() > 1;
  const std::size_t period = period_of(names, whole);
  for (std::size_t i = 0; begin != end; ++begin, ++i) {
    if (i % period == 0) passes.emplace_back();
    Pass& pass = passes.back();
    const std::size_t before = pass.calls.size();
    for (Call& call : begin->calls) call.next += before;
    pass.calls.insert(pass.calls.end(), begin->calls.begin(), begin->calls.end());
    pass.end = pass.calls[before].end;
  }
}

std::vector<Pass> passes_of(std::vector<Tree> trees, const ProfilerTrace& recording, const BackwardTimes& backward,
                            bool annotated) {
  std::vector<Pass> passes;
  std::vector<std::int64_t> steps;
  for (const RecordedStep& step : recording.steps) steps.push_back(step.start);
  std::ranges::sort(steps);
  const auto parted = [&](const Tree& before, const Tree& after) {
    const std::int64_t from = before.calls.front().end, to = after.calls.front().start;
    const auto step = std::ranges::lower_bound(steps, from);
    return (step != steps.end() && *step <= to) || backward.began(from, to);
  };
  for (auto begin = trees.begin(); begin != trees.end();) {
    auto end = std::next(begin);
    while (end != trees.end() && !parted(*std::prev(end), *end)) ++end;
    add_passes(passes, begin, end, annotated);
    begin = end;
  }
  return passes;
}

std::uint64_t form_number(const Pass& pass) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const Call& call : pass.calls)
    hash = (hash ^ (static_cast<std::uint64_t>(call.depth) << 32 | call.name)) * 1099511628211ULL;
  return hash;
}

/// Keeps the passes with the most frequent list of modules; among equals the longest list.
void keep_typical_passes(Calls& calls) {
  struct Seen {
    std::size_t times = 0, calls = 0;
    auto operator<=>(const Seen&) const = default;
  };
  std::map<std::uint64_t, Seen> seen;
  std::vector<std::uint64_t> forms;
  for (const Pass& pass : calls.passes) {
    forms.push_back(form_number(pass));
    Seen& one = seen[forms.back()];
    ++one.times, one.calls = pass.calls.size();
  }
  const std::uint64_t usual = std::ranges::max_element(seen, {}, [](const auto& one) { return one.second; })->first;
  std::vector<Pass> kept;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (forms[i] == usual) kept.push_back(std::move(calls.passes[i]));
  calls.left_out = calls.passes.size() - kept.size();
  calls.passes = std::move(kept);
}

}  // namespace

Result<Calls> calls_in(ProfilerTrace& recording) {
  sort_nested(recording.evaluations);
  Calls calls;
  for (const RecordedSpan& span : recording.annotations)
    if (recording.names[span.name].starts_with("Optimizer.")) calls.optimizer.push_back(span);
  calls.annotated = recording.modules.empty();
  Spans& modules = calls.annotated ? recording.annotations : recording.modules;
  if (calls.annotated)
    std::erase_if(modules, [&](const RecordedSpan& span) { return is_pass_name(recording.names[span.name]); });
  if (modules.empty())
    return fail(
        ErrorCode::bad_input,
        fmt::format("found no modules among {} events, expected those that torch.profiler.profile(with_stack=True, "
                    "record_shapes=True) or record_function around each module write",
                    recording.events));
  sort_nested(modules);
  const BackwardTimes backward(recording.evaluations);
  calls.track = main_track(modules, backward);
  TRY(auto trees, call_trees(modules, recording, backward, calls));
  if (trees.empty())
    return fail(ErrorCode::bad_input, "found modules within backward passes alone, expected a forward pass");
  calls.passes = passes_of(std::move(trees), recording, backward, calls.annotated);
  keep_typical_passes(calls);
  return calls;
}

}  // namespace pipedeck::analytic::recorded
