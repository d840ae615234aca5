// SPDX-License-Identifier: Apache-2.0
// Reads Python pickles of plain data, protocols 2 to 5: dictionaries, lists, tuples, texts, bytes, numbers, None, True
// and False. The list of opcodes is closed. An opcode that imports, calls or builds anything is refused, so that
// reading a file executes nothing. Format: the module pickletools of Python; PyTorch's own pickler writes a subset.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string_view>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/io/pickle/tree.hpp"

namespace pipedeck::io::pickle {

/// Bounds of a file that anybody may have written.
struct Limits {
  std::size_t nodes = std::size_t{1} << 25;  ///< values; a node takes 40 bytes beyond its text
  std::size_t depth = 64;                    ///< marks that are open at the same time
};

/// Returns true for content that begins as a pickle of protocol 2 to 5.
bool looks_like_pickle(std::string_view content);

/// Returns the value. It takes time and memory in proportion to the content, at most. Errors: bad_input with "byte N".
Result<Tree> read(std::string_view content, const std::stop_token& stop = {}, const Progress& progress = {},
                  const Limits& limits = {});

}  // namespace pipedeck::io::pickle
