// SPDX-License-Identifier: Apache-2.0
// Reads a layer's sizes one after the other, within what its kind allows, and keeps the first thing that was wrong.
#pragma once

#include <optional>
#include <string>

#include "core/domain/model.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

class SizeReader {
 public:
  explicit SizeReader(const ModelLayer& layer) : layer_(layer) {}

  /// 1 where there is an error.
  std::int64_t operator()(const std::string& key);
  /// Complains where a layer has more than 2^40 parameters or values a sample: it is a mistake, and products of such
  /// counts would overflow. `what` in words.
  void bounded(const std::string& what, double count);
  /// The window fits into its padded input and never lies in the padding alone.
  void check_window();

  Result<void> result() const {
    if (error_) return tl::unexpected(*error_);
    return {};
  }

 private:
  void complain(std::string text);

  const ModelLayer& layer_;
  std::optional<Error> error_;
};

}  // namespace pipedeck
