// SPDX-License-Identifier: Apache-2.0
// A model as the operators that compute it, the way exchange formats have it: what analytic profiles of any topology
// are computed from. Sizes may be names that are given numbers later; weights are their sizes alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pipedeck {

/// What a tensor holds. Reals have the width that is trained in, whatever the file stores them in.
enum class Element { real, integer_64, integer_32, integer_16, integer_8, truth, other };

/// Known, else a name ("batch") that several may share, else nobody says.
struct Dimension {
  std::int64_t size = -1;  ///< 0 or more where it is known
  std::string name;
  bool operator==(const Dimension&) const = default;
};

/// What the file says of a tensor that is computed or comes in.
struct StatedTensor {
  std::string name;
  Element element = Element::real;
  std::optional<std::vector<Dimension>> shape;  ///< absent: its rank is not known either
  bool operator==(const StatedTensor&) const = default;
};

/// Weights, or numbers that shapes are computed with.
struct FixedTensor {
  /// More numbers than these are data, not shapes.
  static constexpr std::int64_t most_values = 1024;

  std::string name;
  Element element = Element::real;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<double>> values;  ///< in row-major order, where there are few and the file has them
  bool operator==(const FixedTensor&) const = default;
};

/// Operators of its own that an operator runs (branches, bodies of loops): only that they are there.
struct InnerGraph {
  bool operator==(const InnerGraph&) const = default;
};

struct Attribute {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                             FixedTensor, InnerGraph>;
  std::string name;
  Value value;
  bool operator==(const Attribute&) const = default;
};

struct Operator {
  std::string name;                          ///< of the node: "/layer1/conv1/Conv"; may be empty
  std::string type;                          ///< "Conv"
  std::string domain;                        ///< who defines the type; empty: ONNX
  std::vector<std::string> inputs, outputs;  ///< tensors; empty: left out
  std::vector<Attribute> attributes;
  bool operator==(const Operator&) const = default;
};

struct OperatorGraph {
  std::string name;          ///< of the model
  std::string source;        ///< the program that wrote it: "pytorch 1.13.0"
  std::int64_t version = 0;  ///< of ONNX's set of operators
  std::vector<StatedTensor> inputs, outputs, inner;
  std::vector<FixedTensor> fixed;
  std::vector<Operator> operators;
  std::vector<std::string> notes;  ///< what was left out
  bool operator==(const OperatorGraph&) const = default;
};

}  // namespace pipedeck
