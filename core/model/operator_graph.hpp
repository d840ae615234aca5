// SPDX-License-Identifier: Apache-2.0
// A model as a graph of operators, as in exchange formats. Analytic profiles of any topology are computed from it.
// Sizes may be names that get values later; weights have only their sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/import_share.hpp"

namespace pipedeck {

/// An element type of a tensor. Reals have the width of the training precision, whatever the file stores.
enum class Element { real, integer_64, integer_32, integer_16, integer_8, boolean, other };

/// A dimension: known, or a name ("batch") that several may share, or unknown.
struct Dimension {
  std::int64_t size = -1;  ///< 0 or more if known
  std::string name;
  bool operator==(const Dimension&) const = default;
};

/// A tensor that is computed or an input, with the shape stated by the file.
struct ValueInfo {
  std::string name;
  Element element = Element::real;
  std::optional<std::vector<Dimension>> shape;  ///< absent: the rank is unknown, too
  bool operator==(const ValueInfo&) const = default;
};

/// A tensor of weights, or of constants that shapes are computed from.
struct Initializer {
  /// Tensors with more elements are data, not shapes.
  static constexpr std::int64_t max_values = 1024;

  std::string name;
  Element element = Element::real;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<double>> values;  ///< in row-major order; only if there are few and the file has them
  bool operator==(const Initializer&) const = default;
};

/// A nested graph (branches, loop bodies). Only its presence is recorded.
struct Subgraph {
  bool operator==(const Subgraph&) const = default;
};

struct Attribute {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                             Initializer, Subgraph>;
  std::string name;
  Value value;
  bool operator==(const Attribute&) const = default;
};

struct Operator {
  std::string name;                          ///< name of the node: "/layer1/conv1/Conv"; may be empty
  std::string type;                          ///< "Conv"
  std::string domain;                        ///< organization that defines the type; empty: ONNX
  std::vector<std::string> inputs, outputs;  ///< tensors; empty: omitted
  std::vector<Attribute> attributes;
  bool operator==(const Operator&) const = default;
};

struct OperatorGraph {
  std::string name;          ///< name of the model
  std::string source;        ///< the program that wrote it: "pytorch 1.13.0"
  std::int64_t version = 0;  ///< of ONNX's operator set
  std::vector<ValueInfo> inputs, outputs, inner;
  std::vector<Initializer> fixed;
  std::vector<Operator> operators;
  std::vector<std::string> notes;  ///< omitted parts
  ImportShare share{};             ///< of the operators
  bool operator==(const OperatorGraph&) const = default;
};

}  // namespace pipedeck
