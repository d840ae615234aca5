// SPDX-License-Identifier: Apache-2.0
// The items that sub-layers of a transformer have in common: products, norms, kept tensors.
#pragma once

#include <string>

#include "core/analytic/times/layer_count.hpp"
#include "core/analytic/transformer/layers.hpp"

namespace pipedeck::analytic::transformer {

/// A set of tags of a saved item.
struct Kept {
  bool divided = false;
  times::Part part = times::Part::rest;
  double key_values = 0;  ///< numbers per token
  bool gathered = false;
};

class LayerParts {
 public:
  LayerParts(const TransformerConfig& config, const CountOptions& options)
      : c_(&config), s_(options.sequence), b_(options.micro_batch), w_(options.element) {}

 protected:
  using Part = times::Part;
  using Cut = times::Cut;

  // Sizes in elements.
  double n() const { return s_ * b_; }
  double h() const { return c_->hidden; }
  double heads_width() const { return static_cast<double>(c_->heads) * c_->head_width; }
  double value_width() const { return c_->value_width > 0 ? c_->value_width : c_->head_width; }
  double norm_weights(double width) const;
  double pass(double numbers) const { return w_ * n() * numbers; }  ///< bytes of `numbers` elements per token
  const char* norm_formula() const;

  void keep(times::LayerCount& layer, std::string name, std::string formula, double numbers_a_token,
            const Kept& kept = {}) const;
  static void move(times::LayerCount& layer, const times::TrafficItem& item);
  void save_mask(times::LayerCount& layer, double probability, std::string name) const;
  /// Adds a matmul of n tokens with weights of `in` x `out`. After row shards, the ranks' outputs are summed, then each
  /// rank adds all biases.
  void through(times::LayerCount& layer, std::string name, std::string sizes, double in, double out, double bias,
               Cut cut = Cut::columns, Part part = Part::rest) const;
  static void add_whole(times::LayerCount& layer, std::string name, std::string formula, double count);
  /// `part`: of which the norm is; `input`: of which its input is.
  void norm(times::LayerCount& layer, std::string name, Part part = Part::rest, Part input = Part::rest) const;
  void mix_streams(times::LayerCount& layer, const std::string& name) const;
  /// Adds the norm behind a sub-layer, if there is one, dropout and the sum with the residual.
  void join(times::LayerCount& layer, const std::string& name, Part part = Part::rest) const;

  bool norms_input() const { return c_->norm_place != NormPlace::after; }
  bool norms_output() const { return c_->norm_place == NormPlace::after || c_->norm_place == NormPlace::around; }

  const TransformerConfig* c_;  ///< of the current block
  double s_, b_, w_;
};

}  // namespace pipedeck::analytic::transformer
