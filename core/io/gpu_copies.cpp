// SPDX-License-Identifier: Apache-2.0
#include "core/io/gpu_copies.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/domain/limits.hpp"
#include "core/io/decimal.hpp"
#include "core/io/json_value.hpp"
#include "core/io/text_lines.hpp"
#include "core/io/utf8.hpp"

namespace pipedeck {
namespace {

constexpr std::size_t most_gpus = 1024;
constexpr std::size_t most_text = std::size_t{16} << 20;
constexpr std::size_t looked_at = std::size_t{1} << 18;
constexpr double most_seconds = 1;  // of a latency

using Words = std::vector<std::string_view>;

enum class Shown { bandwidth, latency };

/// What the table under a title shows, and the power of ten of its unit.
struct Title {
  Shown shown;
  int shift;
};

bool has(std::string_view line, std::string_view part) { return line.find(part) != line.npos; }

/// "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", "memcpy CE GPU(row) -> GPU(column) bandwidth
/// (GB/s)" and their kind. Of both directions at once ("Bidirectional", "<->") nobody knows each one's share.
std::optional<Title> title_in(std::string_view line) {
  const bool rows = has(line, "GPU(row)") && has(line, "GPU(column)");
  if ((has(line, "Unidirectional P2P=") && has(line, "Bandwidth")) ||
      (rows && !has(line, "<->") && has(line, "bandwidth") && has(line, "(GB/s)")))
    return Title{Shown::bandwidth, 9};
  if (has(line, "P2P=") && has(line, "Latency") && has(line, "(us)")) return Title{Shown::latency, -6};
  if (rows && has(line, "latency") && has(line, "(ns)")) return Title{Shown::latency, -9};
  return std::nullopt;
}

struct Named {
  std::size_t number;
  std::string_view name;
};

/// "Device: 0, NVIDIA A100-SXM4-40GB, pciBusID: 7, ..." and "Device 0: NVIDIA H200 (00000000:19:00)"; of several
/// processes each tells its own: "Process 4 (host-1): device 0: ...".
std::optional<Named> name_in(std::string_view line) {
  constexpr std::string_view of_process = "): device ";
  const Words words = words_between(line);
  if (words.size() < 3) return std::nullopt;
  std::size_t begin = line.npos;
  std::string_view end = " (";
  if (words[0] == "Process" && has(line, of_process)) {
    begin = line.find(": ", line.find(of_process) + of_process.size());
  } else if (words[0] == "Device" && words[1].ends_with(':')) {
    begin = line.find(": ");
  } else if (words[0] == "Device:" && words[1].ends_with(',')) {
    begin = line.find(", ");
    end = ",";
  }
  const auto number = decimal_to_integer(words[1].substr(0, words[1].find_last_not_of(":,") + 1));
  if (begin == line.npos || !number || *number < 0 || *number >= static_cast<std::int64_t>(most_gpus))
    return std::nullopt;
  std::string_view name = line.substr(begin + 2);
  name = name.substr(0, std::min(name.find(end), name.find_last_not_of(" \t\r") + 1));
  return Named{static_cast<std::size_t>(*number), name};
}

class Reader {
 public:
  explicit Reader(const std::string& name) { machine_.name = name; }

  bool take(std::string_view line, int number) {
    if (!is_utf8(line)) return refuse("found bytes that are not UTF-8, expected text", number);
    const Words words = words_between(line);
    if (machine_.source.empty() && has(line, "P2P=")) machine_.source = "p2pBandwidthLatencyTest";
    if (machine_.source.empty() && has(line, "GPU(row)")) machine_.source = "nvbandwidth";
    if (const auto title = title_in(line)) return begin(*title, number);
    if (const auto named = name_in(line)) names_.insert_or_assign(named->number, std::string(named->name));
    if (!title_ || words.empty()) return true;
    return columns_ == 0 ? read_heading(words, number) : read_row(words, number);
  }

  Result<FoundMachines> finish() {
    if (!error_ && title_) end_table();
    if (error_) return tl::unexpected(std::move(*error_));
    if (size_ == 0)
      return fail(ErrorCode::bad_input,
                  "found no bandwidths of copies in one direction, expected what p2pBandwidthLatencyTest or "
                  "nvbandwidth prints between GPUs");
    make_gpus();
    make_joints();
    FoundMachines found;
    found.machines.push_back(std::move(machine_));
    return found;
  }

 private:
  bool refuse(std::string message, int line) {
    error_ = Error{ErrorCode::bad_input, std::move(message), {}, fmt::format("line {}", line)};
    return false;
  }

  bool begin(const Title& title, int line) {
    if (title_ && !end_table()) return false;
    title_ = title;
    title_line_ = line;
    columns_ = rows_ = 0;
    return true;
  }

  /// The GPUs' numbers, behind "D\D" or "GPU" where something stands before them. That of the processors ("CPU") is
  /// of what calls took to return.
  bool read_heading(const Words& words, int line) {
    const std::size_t first = words[0] == "D\\D" || words[0] == "GPU" ? 1 : 0;
    for (std::size_t i = first; i < words.size(); ++i)
      if (decimal_to_integer(words[i]) != static_cast<std::int64_t>(i - first))
        return refuse(
            fmt::format("found {} above a column, expected GPU {}", json::describe(json::Value(words[i])), i - first),
            line);
    columns_ = words.size() - first;
    if (columns_ == 0 || columns_ > most_gpus)
      return refuse(fmt::format("found {} columns, expected from 1 to {}", columns_, most_gpus), line);
    if (size_ > 0 && columns_ != size_)
      return refuse(fmt::format("found {} columns, expected the {} of the table before", columns_, size_), line);
    if (size_ == 0) {
      size_ = columns_;
      for (auto* table : {&bandwidths_, &latencies_}) table->assign(size_, std::vector<double>(size_));
    }
    return true;
  }

  bool read_row(const Words& words, int line) {
    if (decimal_to_integer(words[0]) != static_cast<std::int64_t>(rows_))
      return refuse(
          fmt::format("found a row of {}, expected that of GPU {}", json::describe(json::Value(words[0])), rows_),
          line);
    if (words.size() != columns_ + 1)
      return refuse(fmt::format("found {} values of GPU {}, expected one for each of the {} GPUs", words.size() - 1,
                                rows_, columns_),
                    line);
    for (std::size_t j = 0; j < columns_; ++j)
      if (j != rows_ && words[j + 1] != "N/A" && !read_value(words[j + 1], j, line)) return false;
    if (++rows_ == columns_) title_.reset();
    return true;
  }

  bool read_value(std::string_view word, std::size_t column, int line) {
    const bool latency = title_->shown == Shown::latency;
    const auto value = decimal_to_double(word, title_->shift);
    const double most = latency ? most_seconds : static_cast<double>(limits::bytes_per_second);
    if (!value || !(*value > 0) || *value > most)
      return refuse(fmt::format("found {} between GPU {} and GPU {}, expected a figure above 0",
                                json::describe(json::Value(word)), rows_, column),
                    line);
    double& kept = (latency ? latencies_ : bandwidths_)[rows_][column];
    kept = kept == 0 ? *value : latency ? std::min(kept, *value) : std::max(kept, *value);
    return true;
  }

  bool end_table() {
    if (columns_ > 0 && rows_ == columns_) return true;
    return refuse(columns_ == 0 ? std::string("found a title without a table, expected one below it")
                                : fmt::format("found {} rows in the table, expected one for each of the {} GPUs", rows_,
                                              columns_),
                  title_line_);
  }

  void make_gpus() {
    for (std::size_t i = 0; i < size_; ++i) {
      FoundGpu gpu;
      gpu.label = fmt::format("GPU{}", i);
      if (const auto name = names_.find(i); name != names_.end()) gpu.name = name->second;
      machine_.gpus.push_back(std::move(gpu));
    }
  }

  void make_joints() {
    machine_.joints.assign(size_, std::vector<Joint>(size_));
    int apart = 0;
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = i + 1; j < size_; ++j) {
        Joint joint{JointKind::untold, 0, {}};
        const double slower = std::min(bandwidths_[i][j], bandwidths_[j][i]);
        if (slower > 0)
          joint.measured = Link{BytesPerSecond(slower), Seconds(std::max(latencies_[i][j], latencies_[j][i]))};
        else
          ++apart;
        machine_.joints[i][j] = machine_.joints[j][i] = joint;
      }
    if (apart > 0)
      machine_.notes.push_back(
          fmt::format("{}: {} of {} pairs were not measured", machine_.source, apart, size_ * (size_ - 1) / 2));
  }

  FoundMachine machine_;
  std::map<std::size_t, std::string> names_;
  std::optional<Title> title_;  ///< of the table that is being read
  int title_line_ = 0;
  std::size_t size_ = 0, columns_ = 0, rows_ = 0;
  std::vector<std::vector<double>> bandwidths_, latencies_;  ///< from row to column; 0: not measured
  std::optional<Error> error_;
};

}  // namespace

bool looks_like_gpu_copies(const std::string& text) {
  bool found = false;
  for_lines(std::string_view(text).substr(0, looked_at), [&](std::string_view line, int) {
    found = line.starts_with("[P2P") || line.starts_with("nvbandwidth") || has(line, "directional P2P=") ||
            (has(line, "GPU(row)") && has(line, "GPU(column)"));
    return !found;
  });
  return found;
}

Result<FoundMachines> machines_from_gpu_copies(const std::string& text, const std::string& name) {
  if (text.size() > most_text)
    return fail(ErrorCode::bad_input, fmt::format("found {} bytes, expected at most {}", text.size(), most_text));
  Reader reader(name);
  for_lines(text, [&](std::string_view line, int number) { return reader.take(line, number); });
  return reader.finish();
}

}  // namespace pipedeck
