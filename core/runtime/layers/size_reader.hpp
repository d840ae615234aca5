// SPDX-License-Identifier: Apache-2.0
// A reader of a layer's sizes. It checks each against its kind's limits and stores the first error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace pipedeck::runtime::layers {

class SizeReader {
 public:
  explicit SizeReader(const ModelLayer& layer) : layer_(layer) {}

  /// Returns the size, or 1 after an error.
  std::int64_t operator()(const std::string& key);
  /// Reports an error if a layer has more than 2^40 parameters or values per sample. That is a mistake, and products of
  /// such counts would overflow. `what` names the count.
  void bounded(const std::string& what, double count);
  /// Does the same for the product of `factors`, which may overflow.
  void bounded(const std::string& what, std::initializer_list<std::int64_t> factors);
  /// Checks that the heads of attention divide what they share (core/model/layer_kinds.hpp). Read their sizes before.
  void check_heads();
  /// Checks that the window fits into its padded input and never covers only padding.
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

}  // namespace pipedeck::runtime::layers
