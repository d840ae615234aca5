// SPDX-License-Identifier: Apache-2.0
// The tensors of a published language model, by the names that the library "transformers" gives them, and the places of
// their values in the parameters of this runtime's layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace pipedeck::runtime::layers {

/// The names of a mixture of experts' tensors, which differ between families.
enum class ExpertNames {
  mixtral,  ///< "block_sparse_moe.experts.0.w1"
  qwen,     ///< "mlp.experts.0.gate_proj"
};

/// A tensor of a published model. Its value (row, column) is that of the layer's parameters at
/// first + row * row_stride + column * column_stride; a vector has one row.
struct PublishedTensor {
  std::string name;                 ///< "model.layers.0.self_attn.q_proj.weight"
  std::vector<std::int64_t> shape;  ///< of one or two sizes
  std::size_t layer = 0;            ///< of the model
  std::int64_t first = 0, row_stride = 0, column_stride = 1;

  std::int64_t rows() const { return shape.size() == 1 ? 1 : shape.front(); }
  std::int64_t columns() const { return shape.back(); }
};

/// Returns the tensors of a model of an embedding, decoder blocks or their halves, a last norm and a head. They cover
/// all parameters; a head that shares the embedding's table has none. bad_input names a layer that published models do
/// not have.
Result<std::vector<PublishedTensor>> published_tensors(const ModelSpec& model, ExpertNames names);

}  // namespace pipedeck::runtime::layers
