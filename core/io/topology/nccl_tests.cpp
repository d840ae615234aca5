// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/nccl_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/line_tally.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/printable.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_tests_text = std::size_t{16} << 20;
constexpr std::size_t tests_head = std::size_t{4} << 20;  // logs of jobs may begin with other output
constexpr std::size_t max_tests = 256, max_points = 4096, max_ranks = 65'536;
constexpr double rounding = 0.02;  // of printed bandwidths and times

using Words = std::vector<std::string_view>;

/// A test by its program. Programs that are not read are left out with a note.
struct TestProgram {
  std::string_view name;
  std::optional<CollectiveKind> kind;
  bool read = true;
};
constexpr std::array<TestProgram, 11> programs{{{"all_reduce_perf", CollectiveKind::all_reduce},
                                                {"all_gather_perf", CollectiveKind::all_gather},
                                                {"reduce_scatter_perf", CollectiveKind::reduce_scatter},
                                                {"alltoall_perf", CollectiveKind::all_to_all},
                                                {"sendrecv_perf", std::nullopt},
                                                {"broadcast_perf", std::nullopt, false},
                                                {"reduce_perf", std::nullopt, false},
                                                {"gather_perf", std::nullopt, false},
                                                {"scatter_perf", std::nullopt, false},
                                                {"alltoallv_perf", std::nullopt, false},
                                                {"hypercube_perf", std::nullopt, false}}};

/// Returns the program that a line, or a file's name without "_perf", mentions; null: none.
const TestProgram* program_in(std::string_view text, bool whole_name = true) {
  for (const TestProgram& program : programs) {
    const std::string_view name = whole_name ? program.name : program.name.substr(0, program.name.find("_perf"));
    const std::size_t at = text.find(name);
    if (at == text.npos) continue;
    const char before = at > 0 ? text[at - 1] : ' ';
    if (before != '_' && (before < 'a' || before > 'z')) return &program;
  }
  return nullptr;
}

/// Returns the line without what mpirun puts before it: "[1,0]<stdout>:".
std::string_view without_prefix(std::string_view line) {
  const std::size_t at = line.find("]<stdout>:");
  return line.starts_with('[') && at != line.npos ? line.substr(at + 10) : line;
}

bool is_table_heading(const Words& words) {
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  return has("size") && has("time") && has("algbw") && has("busbw");
}

std::optional<std::int64_t> number_after(const Words& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end() || std::next(at) == words.end()) return std::nullopt;
  return text::decimal_to_integer(*std::next(at));
}

struct TestRank {
  std::string host, gpu;
  std::int64_t device = 0;
};

/// "#  Rank  0 Group  0 Pid 4758 on host-7 device  0 [0x8f] NVIDIA H200".
std::optional<TestRank> rank_in(std::string_view line, const Words& words) {
  const auto on = std::ranges::find(words, "on");
  const auto device = number_after(words, "device");
  const std::size_t bracket = line.find("] ");
  if (!number_after(words, "Rank") || on == words.end() || std::next(on) == words.end() || !device || *device < 0 ||
      bracket == line.npos)
    return std::nullopt;
  return TestRank{std::string(*std::next(on)), std::string(text::trimmed(line.substr(bracket + 2))), *device};
}

/// A test from its first line on, while it is read.
struct OpenTest {
  int line = 0;  ///< of the heading; 0: none so far
  const TestProgram* program = nullptr;
  std::int64_t per_process = 0;  ///< nThread x nGpus; 0: not printed
  std::vector<TestRank> ranks;
  std::vector<MeasuredCollective::Point> points;
  double ratio = 0;  ///< bus bandwidth over bandwidth of the largest size with both
};

class TestsReader {
 public:
  TestsReader(const std::string& name, const std::string& path) : name_(name), path_(path) {}

  Result<void> read(std::string_view raw, int number) {
    if (!text::is_utf8(raw)) return bad("found bytes that are not UTF-8, expected text", number);
    const std::string_view line = text::trimmed(without_prefix(raw));
    const Words words = text::words_between(line);
    if (words.empty()) return {};
    if (const TestProgram* program = program_in(line)) named_ = program;
    if (std::ranges::find(words, "nThread") != words.end()) return begin(words);
    if (auto rank = rank_in(line, words)) return add_rank(*std::move(rank), number);
    if (is_table_heading(words)) return open_table(number);
    if (in_table_ && words[0].front() >= '0' && words[0].front() <= '9') return add_row(words, number);
    if (words[0].front() != '#') in_table_ = false;
    const bool other = words[0].front() != '#' && !program_in(line);
    other ? tally_.leave_out(line, number) : tally_.ignore();
    return {};
  }

  Result<FoundMachines> finish() {
    TRY_VOID(close());
    if (found_.collectives.empty())
      return fail(ErrorCode::bad_input,
                  skipped_.empty() ? "found no table of nccl-tests, expected rows of sizes, times and bandwidths"
                                   : fmt::format("found {} alone, expected all_reduce_perf, all_gather_perf, "
                                                 "reduce_scatter_perf, alltoall_perf or sendrecv_perf",
                                                 *skipped_.begin()));
    for (const std::string& program : skipped_) found_.notes.push_back(fmt::format("{} is left out", program));
    for (auto& [host, gpus] : gpus_of_) found_.machines.push_back(machine_of(host, std::move(gpus)));
    found_.shares.push_back(tally_.share());
    return std::move(found_);
  }

 private:
  static tl::unexpected<Error> bad(std::string message, int line) {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
  }

  Result<void> begin(const Words& words) {
    TRY_VOID(close());
    tally_.understand();
    const auto threads = number_after(words, "nThread"), gpus = number_after(words, "nGpus");
    if (threads && gpus && *threads > 0 && *gpus > 0 && *threads < 1000 && *gpus < 1000)
      test_.per_process = *threads * *gpus;
    return {};
  }

  Result<void> add_rank(TestRank rank, int line) {
    tally_.understand();
    if (test_.line > 0) TRY_VOID(close());
    if (test_.ranks.size() >= max_ranks)
      return bad(fmt::format("found more than {} ranks, expected at most that", max_ranks), line);
    test_.ranks.push_back(std::move(rank));
    return {};
  }

  Result<void> open_table(int line) {
    if (test_.line > 0) TRY_VOID(close());
    tally_.understand();
    test_.line = line;
    test_.program = named_;
    in_table_ = true;
    return {};
  }

  /// size, count, type, perhaps an operation and a root, then time, algbw, busbw and #wrong once or twice.
  Result<void> add_row(const Words& words, int line) {
    tally_.understand();
    std::size_t first = 3;
    while (first < words.size() && !text::decimal_to_double(words[first])) ++first;
    const std::size_t figures = words.size() - std::min(first, words.size());
    if (figures < 4 || figures > 9 || figures % 4 > 1)
      return bad(
          fmt::format("found {} columns, expected size, count, type, redop, root, and time, algbw, busbw, #wrong "
                      "once or twice",
                      words.size()),
          line);
    first += figures % 4;
    const auto bytes = text::decimal_to_integer(words[0]);
    const auto time = text::decimal_to_double(words[first], -6), rate = text::decimal_to_double(words[first + 1], 9),
               bus = text::decimal_to_double(words[first + 2], 9);
    if (!bytes || *bytes < 0 || *bytes > limits::bytes)
      return bad(
          fmt::format("found {} bytes, expected a whole number from 0 to {}", text::printable(words[0]), limits::bytes),
          line);
    if (!time || !(*time > 0) || *time > limits::seconds || !rate || *rate < 0 || !bus || *bus < 0)
      return bad("found a time or bandwidth that is none, expected microseconds and GB/s above 0", line);
    if (*bytes == 0) return {};
    if (*rate > 1e9 && std::abs(*rate * *time / static_cast<double>(*bytes) - 1) > rounding)
      return bad(fmt::format("found {:.4g} GB/s for {} bytes in {:.6g} us, expected {:.4g}", *rate / 1e9, *bytes,
                             *time * 1e6, static_cast<double>(*bytes) / *time / 1e9),
                 line);
    if (test_.points.size() >= max_points)
      return bad(fmt::format("found more than {} sizes, expected at most that", max_points), line);
    test_.points.push_back({static_cast<double>(*bytes), Seconds(*time), BytesPerSecond(*bus)});
    if (*rate > 1e9) test_.ratio = *bus / *rate;
    return {};
  }

  /// Takes the open test, if it has a table.
  Result<void> close() {
    OpenTest test = std::exchange(test_, {});
    in_table_ = false;
    if (test.line == 0) {
      test_.ranks = std::move(test.ranks);
      return {};
    }
    if (test.points.empty()) return bad("found no row below the heading, expected one of each size", test.line);
    if (!test.program) test.program = program_in(path_.substr(path_.find_last_of('/') + 1), false);
    TRY(const int ranks, ranks_of(test));
    if (!test.program && ranks > 2 &&
        std::abs(test.ratio / bytes_sent(CollectiveKind::all_reduce, ranks, 1) - 1) < rounding)
      test.program = programs.data();
    if (!test.program)
      return bad(
          "found a table without the name of its test, expected it in a line before, or in the file's name: "
          "all_gather_perf",
          test.line);
    if (!test.program->read) {
      skipped_.insert(std::string(test.program->name));
      return {};
    }
    if (found_.collectives.size() >= max_tests)
      return bad(fmt::format("found more than {} tests, expected at most that", max_tests), test.line);
    return keep(std::move(test), ranks);
  }

  /// Returns the number of ranks by their lines, else by the header's threads and GPUs, else by the bus bandwidth of an
  /// all-reduce: 2 (n - 1) / n of the bandwidth.
  Result<int> ranks_of(const OpenTest& test) const {
    if (!test.ranks.empty()) return static_cast<int>(test.ranks.size());
    if (test.per_process > 1) return static_cast<int>(test.per_process);
    const double by_ratio = test.ratio > 1 && test.ratio < 2 ? 2 / (2 - test.ratio) : 0;
    if (test.program == programs.data() && by_ratio > 1.9 && by_ratio < 128)
      return static_cast<int>(std::lround(by_ratio));
    return bad("found a table without its ranks, expected lines \"# Rank\" or \"# nThread\" before it", test.line);
  }

  Result<void> keep(OpenTest test, int ranks) {
    if (ranks < 2) return bad("found a test of one rank, expected several", test.line);
    const std::optional<CollectiveKind> kind = test.program->kind;
    const double expected = kind ? bytes_sent(*kind, ranks, 1) : 1;
    if (test.ratio > 0 && std::abs(test.ratio / expected - 1) > rounding)
      return bad(fmt::format("found a bus bandwidth of {:.4g} times the bandwidth, expected {:.4g} for {} of {} ranks",
                             test.ratio, expected, test.program->name, ranks),
                 test.line);
    MeasuredCollective made{std::string(test.program->name), test.program->kind, ranks, {}, std::move(test.points)};
    for (MeasuredCollective::Point& point : made.points) {
      // Printed bandwidths of small sizes are rounded to 0.
      const double sent = made.kind ? bytes_sent(*made.kind, ranks, point.bytes) : point.bytes;
      point.bus = BytesPerSecond(sent / point.time.count);
    }
    std::ranges::stable_sort(made.points, {}, &MeasuredCollective::Point::bytes);
    if (test.ranks.empty())
      for (int i = 0; i < ranks; ++i) test.ranks.push_back({name_, {}, i});
    for (TestRank& rank : test.ranks) {
      if (std::ranges::find(made.machines, rank.host) == made.machines.end()) made.machines.push_back(rank.host);
      gpus_of_[rank.host].insert_or_assign(rank.device, std::move(rank.gpu));
    }
    found_.collectives.push_back(std::move(made));
    return {};
  }

  static DetectedMachine machine_of(const std::string& host, std::map<std::int64_t, std::string> gpus) {
    DetectedMachine machine;
    machine.name = host;
    machine.source = "nccl-tests";
    machine.shows_links = false;
    for (auto& [device, gpu] : gpus) {
      FoundGpu& found = machine.gpus.emplace_back();
      found.label = fmt::format("GPU{}", machine.gpus.size() - 1);
      found.name = std::move(gpu);
    }
    const std::size_t n = machine.gpus.size();
    machine.joints.assign(n, std::vector<Interconnect>(n, Interconnect{InterconnectKind::unknown, 0, {}}));
    for (std::size_t i = 0; i < n; ++i) machine.joints[i][i] = Interconnect{};
    return machine;
  }

  const std::string &name_, &path_;
  const TestProgram* named_ = nullptr;
  OpenTest test_;
  bool in_table_ = false;
  std::map<std::string, std::map<std::int64_t, std::string>> gpus_of_;  ///< by host and number
  std::set<std::string> skipped_;
  text::LineTally tally_;
  FoundMachines found_;
};

}  // namespace

bool looks_like_nccl_tests(const std::string& text) {
  bool found = false;
  text::for_lines(std::string_view(text).substr(0, tests_head), [&](std::string_view line, int) {
    if (line.find("busbw") != line.npos) found = is_table_heading(text::words_between(line));
    return !found;
  });
  return found;
}

Result<FoundMachines> machines_from_nccl_tests(const std::string& text, const std::string& name,
                                               const std::string& path) {
  if (text.size() > max_tests_text)
    return fail(ErrorCode::bad_input, fmt::format("found {} bytes, expected at most {}", text.size(), max_tests_text));
  TestsReader reader(name, path);
  Result<void> read;
  text::for_lines(text,
                  [&](std::string_view line, int number) { return (read = reader.read(line, number)).has_value(); });
  if (!read) return tl::unexpected(std::move(read.error()));
  return reader.finish();
}

}  // namespace pipedeck::io::topology
