// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/io/text/utf8.hpp"

namespace pipedeck::io::csv {
namespace {

constexpr std::string_view overlap_suffix = "OVERLAP_F_B";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

constexpr std::array<std::pair<std::string_view, OpKind>, 5> letters{{{"F", OpKind::forward},
                                                                      {"B", OpKind::backward},
                                                                      {"I", OpKind::backward_input},
                                                                      {"W", OpKind::backward_weight},
                                                                      {"R", OpKind::recompute}}};
/// PyTorch's actions that the plan implies, so that they need not be listed.
constexpr std::array<std::string_view, 7> implied{"SEND_F",  "RECV_F",  "SEND_B",     "RECV_B",
                                                  "UNSHARD", "RESHARD", "REDUCE_GRAD"};

std::string cell_of(const Operation& operation) {
  const auto letter =
      std::find_if(letters.begin(), letters.end(), [&](const auto& one) { return one.second == operation.kind; });
  return fmt::format("{}{}{}", operation.stage.value, letter->first, operation.micro_batch);
}

bool is_backward(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

/// Returns true if the recompute at `at` comes right before its backward, or before the overlapped pair with it.
bool is_implied(const LaneOrder& order, int at) {
  const Operation recompute = operation_at(order, at);
  const int count = operation_count(order);
  int next = at + 1;
  while (next < count && operation_at(order, next).kind == OpKind::recompute) ++next;
  for (; next < count; ++next) {
    const Operation behind = operation_at(order, next);
    if (is_backward(behind.kind) && behind.stage == recompute.stage && behind.micro_batch == recompute.micro_batch)
      return true;
    if (!behind.overlapped_with_next) return false;
  }
  return false;
}

std::string row_of(const LaneOrder& order) {
  std::string row;
  const int count = operation_count(order);
  for (int i = 0; i < count; ++i) {
    const Operation operation = operation_at(order, i);
    if (operation.kind == OpKind::recompute && is_implied(order, i)) continue;
    if (!row.empty()) row += ',';
    if (operation.overlapped_with_next && i + 1 < count)
      row += fmt::format("({};{}){}", cell_of(operation), cell_of(operation_at(order, ++i)), overlap_suffix);
    else
      row += cell_of(operation);
  }
  return row;
}

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string quote(std::string_view cell) {
  constexpr std::size_t longest = 40;
  return '"' + text::to_utf8(cell.substr(0, longest)) + (cell.size() > longest ? "...\"" : "\"");
}

struct Place {
  int line = 1, cell = 0;  // cell 0: the whole line
  std::string text() const {
    return cell == 0 ? fmt::format("line {}", line) : fmt::format("line {}, cell {}", line, cell);
  }
};

tl::unexpected<Error> bad(const Place& place, std::string message) {
  return fail(ErrorCode::bad_input, std::move(message), place.text());
}

/// Digits at the front of `text`, which moves behind them.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The rows of one file, checked against the plan that they are for.
class Reader {
 public:
  Reader(const Plan& base, const std::string& text) : base_(base), chunks_(stage_copies(base)), text_(text) {}

  Result<Plan> run() {
    if (!base_.synchronous())
      return fail(ErrorCode::bad_input, fmt::format("found a plan of the asynchronous schedule '{}', expected a "
                                                    "synchronous one: lists end with the iteration",
                                                    pipedeck::name_of(base_.schedule)));
    if (Result<void> read = read_rows(); !read) return tl::unexpected(read.error());
    Plan plan = base_;
    plan.operations.emplace();
    for (const DeviceId device : devices_used(base_)) plan.operations->push_back(lists_[row_of_[device]]);
    if (num_stage_copies(base_) > 1) plan.chunks = chunks_;
    plan.schedule = ScheduleKind::explicit_order;
    plan.warmup_counts.reset();
    plan.objective.reset();
    plan.predicted.reset();
    plan.certificate.reset();
    plan.rationale.clear();
    plan.merits.clear();
    return plan;
  }

 private:
  Result<void> read_rows() {
    std::string_view text = text_;
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::vector<std::string_view> rows = split(text, '\n');
    if (without_blanks(rows.back()).empty()) rows.pop_back();
    if (rows.empty()) return bad({}, "found an empty file, expected a row a device");
    if (Result<void> given = assign_rows(rows.size()); !given) return given;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (Result<void> read = read_row(rows[row], row); !read) return read;
    return {};
  }

  /// Which row each device runs.
  Result<void> assign_rows(std::size_t rows) {
    const std::vector<DeviceId> devices = devices_used(base_);
    const std::vector<PipelineRank> ranks = pipeline_ranks(base_);
    if (rows == devices.size()) {
      for (std::size_t d = 0; d < devices.size(); ++d) row_of_[devices[d]] = d;
      return {};
    }
    if (rows != ranks.size())
      return bad(
          {static_cast<int>(rows), 0},
          fmt::format("found {} rows, expected {}, one a device of the plan{}", rows, devices.size(),
                      ranks.size() < devices.size() ? fmt::format(", or {}, one a rank of its pipeline", ranks.size())
                                                    : std::string()));
    // Ranks as PyTorch counts them: by the first stage of which they have the first copy.
    std::vector<DeviceId> leads;
    for (const StageCopy& chunk : chunks_)
      if (chunk.copy == 0 && std::find(leads.begin(), leads.end(), chunk.devices.front()) == leads.end())
        leads.push_back(chunk.devices.front());
    for (const PipelineRank& rank : ranks) {
      const auto row = std::find(leads.begin(), leads.end(), rank.devices.front()) - leads.begin();
      for (const DeviceId device : rank.devices) row_of_[device] = static_cast<std::size_t>(row);
    }
    return {};
  }

  Result<void> read_row(std::string_view row, std::size_t number) {
    const auto device = std::find_if(row_of_.begin(), row_of_.end(), [&](const auto& d) { return d.second == number; });
    device_ = device->first;
    place_ = {static_cast<int>(number) + 1, 0};
    list_.clear();
    seen_.clear();
    for (const std::string_view cell : split(row, ',')) {
      ++place_.cell;
      if (Result<void> read = read_cell(without_blanks(cell)); !read) return read;
    }
    place_.cell = 0;
    if (Result<void> complete = check_complete(); !complete) return complete;
    lists_.push_back(with_recompute());
    return {};
  }

  Result<void> read_cell(std::string_view cell) {
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = without_blanks(cell.substr(1, cell.size() - 2));
    if (cell.empty()) return {};  // idle
    if (cell.front() != '(') return read_action(cell, false);
    const std::size_t end = cell.find(')');
    if (end == cell.npos || cell.substr(end + 1) != overlap_suffix)
      return bad(place_, fmt::format("found {}, expected two actions as (0F1;1B0){}", quote(cell), overlap_suffix));
    const std::vector<std::string_view> two = split(cell.substr(1, end - 1), ';');
    if (two.size() != 2)
      return bad(place_, fmt::format("found {} actions in {}, expected two", two.size(), quote(cell)));
    const std::size_t before = list_.size();
    for (const std::string_view action : two)
      if (Result<void> read = read_action(without_blanks(action), true); !read) return read;
    if (list_[before].stage == list_[before + 1].stage && list_[before].micro_batch == list_[before + 1].micro_batch)
      return bad(place_, fmt::format("found {}, expected two actions that do not wait for one another", quote(cell)));
    list_[before].overlapped_with_next = true;
    return {};
  }

  /// STAGE, letters, MICRO-BATCH.
  Result<void> read_action(std::string_view action, bool joined) {
    std::string_view rest = action;
    const auto stage = take_number(rest);
    if (!stage) return bad(place_, fmt::format("found {}, expected a stage number first, as in 0F0", quote(action)));
    const std::size_t word = std::min(rest.find_first_of("0123456789"), rest.size());
    const std::string_view name = rest.substr(0, word);
    rest.remove_prefix(word);
    if (!joined && std::find(implied.begin(), implied.end(), name) != implied.end()) return {};
    const auto letter =
        std::find_if(letters.begin(), letters.end(), [&](const auto& one) { return one.first == name; });
    if (letter == letters.end())
      return bad(place_, fmt::format("found {}, expected F, B, I, W or R behind the stage", quote(action)));
    const auto micro_batch = take_number(rest);
    if (!micro_batch || !rest.empty())
      return bad(place_, fmt::format("found {}, expected a micro-batch number last, as in 0F0", quote(action)));
    return add({letter->second, StageId(std::int32_t{*stage}), *micro_batch}, action);
  }

  Result<void> add(const Operation& operation, std::string_view action) {
    const int stages = static_cast<int>(base_.stages.size());
    if (operation.stage.value >= stages)
      return bad(place_, fmt::format("found stage {} in {}, expected 0 to {}, the plan's stages", operation.stage.value,
                                     quote(action), stages - 1));
    if (operation.micro_batch >= base_.micro_batches)
      return bad(place_, fmt::format("found micro-batch {} in {}, expected 0 to {}, the plan's micro_batches",
                                     operation.micro_batch, quote(action), base_.micro_batches - 1));
    if (!runs_on_device(operation))
      return bad(place_,
                 fmt::format("found stage {} for micro-batch {} on device {}, expected stages that the plan has there",
                             operation.stage.value, operation.micro_batch, device_.value));
    if (operation.kind == OpKind::recompute && !base_.stages[operation.stage.index()].recompute.any())
      return bad(place_, fmt::format("found {}, expected none: stage {} of the plan does not recompute", quote(action),
                                     operation.stage.value));
    const auto [first, fresh] = seen_.try_emplace(key(operation), place_.cell);
    if (!fresh)
      return bad(place_,
                 fmt::format("found {} a second time, expected it in cell {} alone", quote(action), first->second));
    list_.push_back(operation);
    return {};
  }

  using Key = std::tuple<std::int32_t, int, OpKind>;
  static Key key(const Operation& operation) { return {operation.stage.value, operation.micro_batch, operation.kind}; }
  bool mark_seen(const StageCopy& chunk, int micro_batch, OpKind kind) const {
    return seen_.count({chunk.stage.value, micro_batch, kind}) > 0;
  }

  int copy_of(int micro_batch) const {
    return Schedule{base_.micro_batches, true, {}, num_stage_copies(base_)}.copy_of(micro_batch);
  }
  bool is_here(const StageCopy& chunk) const {
    return std::find(chunk.devices.begin(), chunk.devices.end(), device_) != chunk.devices.end();
  }
  bool runs_on_device(const Operation& operation) const {
    return std::any_of(chunks_.begin(), chunks_.end(), [&](const StageCopy& chunk) {
      return chunk.stage == operation.stage && chunk.copy == copy_of(operation.micro_batch) && is_here(chunk);
    });
  }

  Result<void> check_complete() const {
    for (const StageCopy& chunk : chunks_)
      for (int m = 0; is_here(chunk) && m < base_.micro_batches; ++m) {
        if (copy_of(m) != chunk.copy) continue;
        const bool whole = mark_seen(chunk, m, OpKind::backward);
        const bool input = mark_seen(chunk, m, OpKind::backward_input),
                   weight = mark_seen(chunk, m, OpKind::backward_weight);
        if (!mark_seen(chunk, m, OpKind::forward))
          return bad(place_, fmt::format("found no {}F{}, expected a forward of every micro-batch on device {}",
                                         chunk.stage.value, m, device_.value));
        if (whole == (input || weight) || input != weight)
          return bad(place_, fmt::format("found {}{}{} of micro-batch {} on stage {}, expected B, or I and W",
                                         whole ? "B" : "", input ? "I" : "", weight ? "W" : "", m, chunk.stage.value));
      }
    return {};
  }

  /// Before every backward of a stage that recomputes, unless the row has it; for an overlapped pair before both.
  std::vector<Operation> with_recompute() const {
    std::vector<Operation> out;
    const auto add_before = [&](const Operation& operation) {
      if (!is_backward(operation.kind) || !base_.stages[operation.stage.index()].recompute.any()) return;
      const Operation recompute{OpKind::recompute, operation.stage, operation.micro_batch};
      if (seen_.count(key(recompute)) == 0) out.push_back(recompute);
    };
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (i == 0 || !list_[i - 1].overlapped_with_next) add_before(list_[i]);
      if (list_[i].overlapped_with_next) add_before(list_[i + 1]);
      out.push_back(list_[i]);
    }
    return out;
  }

  const Plan& base_;
  std::vector<StageCopy> chunks_;
  const std::string& text_;
  std::map<DeviceId, std::size_t> row_of_;
  std::vector<std::vector<Operation>> lists_;  // by row
  // State of the current row:
  DeviceId device_;
  Place place_;
  std::vector<Operation> list_;
  std::map<Key, int> seen_;  // the cell of each operation
};

}  // namespace

std::string schedule_to_csv(const Schedule& schedule) {
  std::string text;
  for (const DeviceLane& lane : schedule.lanes) text += row_of(lane.order) + '\n';
  return text;
}

Result<Plan> plan_with_schedule_csv(const Plan& base, const std::string& text) { return Reader(base, text).run(); }

}  // namespace pipedeck::io::csv
