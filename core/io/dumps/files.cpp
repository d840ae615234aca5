// SPDX-License-Identifier: Apache-2.0
#include "core/io/dumps/files.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "core/io/files.hpp"
#include "core/io/json/value.hpp"
#include "core/io/pickle/reader.hpp"

namespace pipedeck::io::dumps {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;
constexpr std::size_t looked_at = 1024;  // bytes

Error error_in_file(Error error, const std::string& path) {
  error.file = path;
  return error;
}

bool is_json(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != content.npos && content[first] == '{';
}

Result<pickle::Tree> tree_in(const std::string& content, const std::stop_token& stop, const Progress& progress) {
  if (pickle::looks_like_pickle(content)) return pickle::read(content, stop, progress);
  if (!is_json(content))
    return fail(ErrorCode::bad_input,
                "found neither a pickle of protocol 2 to 5 nor JSON, expected a memory snapshot of PyTorch, a dump of "
                "its flight recorder or a trace");
  TRY(const json::Value value, json::parse(content));
  return pickle::tree_of(value);
}

Result<Dump> dump_in(const pickle::Tree& tree, const std::string& path) {
  if (looks_like_memory_snapshot(tree))
    return memory_snapshot_of(tree).map([](auto&& one) { return Dump(std::move(one)); });
  if (!looks_like_flight_dump(tree))
    return fail(ErrorCode::bad_input,
                fmt::format("found {}, expected a memory snapshot of PyTorch ('segments') or a dump of its flight "
                            "recorder ('version', 'entries')",
                            tree.describe(tree.root())));
  const auto rank = rank_in_file_name(path);
  if (!rank)
    return fail(
        ErrorCode::bad_input,
        "found a dump of the flight recorder whose name has no rank at its end, expected \"nccl_trace_rank_3\"");
  return flight_dump_of(tree, *rank).map([](auto&& one) { return Dump(std::move(one)); });
}

}  // namespace

bool looks_like_dump(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;  // a pipe can be read only once
  std::string first(looked_at, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(file.gcount()));
  if (pickle::looks_like_pickle(first)) return true;
  return is_json(first) && (first.find("\"comm_lib_version\"") != first.npos ||
                            first.find("\"pg_config\"") != first.npos || first.find("\"record_id\"") != first.npos);
}

Result<Dump> dump_of(const std::string& path, const std::string& content, const std::stop_token& stop,
                     const Progress& progress) {
  auto tree = tree_in(content, stop, progress);
  if (!tree) return tl::unexpected(error_in_file(std::move(tree).error(), path));
  auto dump = dump_in(*tree, path);
  if (!dump) return tl::unexpected(error_in_file(std::move(dump).error(), path));
  return dump;
}

Result<Dump> read_dump(const std::string& path, const std::stop_token& stop, const Progress& progress) {
  TRY(const std::string content, read_file(path, largest_file));
  return dump_of(path, content, stop, progress);
}

}  // namespace pipedeck::io::dumps
