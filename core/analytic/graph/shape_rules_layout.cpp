// SPDX-License-Identifier: Apache-2.0
// Operators that give the same elements in another shape or order, a part of them, or values that depend on sizes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/analytic/graph/shape_rules.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::analytic::graph {
namespace {

using Places = std::vector<std::size_t>;

/// Returns the positions in `shape` that `pick` maps the positions of `out` to, in row-major order.
template <class Pick>
Values picked(const SizedTensor& from, const Sizes& out, Pick pick) {
  if (!from.values || !is_small_constant(out)) return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(count_of(out)));
  Places at(out.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t rest = i;
    for (std::size_t d = out.size(); d-- > 0;) {
      at[d] = rest % static_cast<std::size_t>(out[d]);
      rest /= static_cast<std::size_t>(out[d]);
    }
    const Places source = pick(at);
    std::size_t flat = 0;
    for (std::size_t d = 0; d < source.size(); ++d) flat = flat * static_cast<std::size_t>(from.shape[d]) + source[d];
    if (flat >= from.values->size()) return std::nullopt;
    values[i] = (*from.values)[flat];
  }
  return values;
}

Result<void> reshape(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  TRY(auto wanted, call.needed_numbers(1, "shape"));
  Sizes out = std::move(wanted);
  const std::int64_t count = x->count();
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  const auto misfit = [&] {
    return call.wrong(
        fmt::format("found {} to be seen as {}, expected as many numbers (a batch that the file fixes is changed with "
                    "a dynamic axis where it is exported)",
                    sizes_text(x->shape), sizes_text(out)));
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && call.integer("allowzero", 0) == 0) {
      if (i >= x->shape.size()) return misfit();
      out[i] = x->shape[i];
    }
    if (out[i] == -1 && !open) {
      open = i;
      continue;
    }
    if (out[i] < 0 || (out[i] > 0 && known > limits::bytes / out[i])) return misfit();
    known *= out[i];
  }
  if (open) {
    if (known == 0 || count % known != 0) return misfit();
    out[*open] = count / known, known = count;
  }
  if (known != count) return misfit();
  return call.set_output(0, x->element, std::move(out), x->values);
}

Result<void> flatten(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  const Sizes& in = x->shape;
  const std::int64_t given = call.integer("axis", 1), rank = static_cast<std::int64_t>(in.size());
  if (given < -rank || given > rank) return call.wrong(fmt::format("found axis {}, expected one of {}", given, rank));
  const auto axis = static_cast<std::ptrdiff_t>(given < 0 ? given + rank : given);
  return call.set_output(0, x->element,
                         {count_of(Sizes(in.begin(), in.begin() + axis)), count_of(Sizes(in.begin() + axis, in.end()))},
                         x->values);
}

Result<void> transpose(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  const Sizes& in = x->shape;
  Sizes order(in.size());
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  TRY(const auto axes, call.axes(call.integers("perm").value_or(order), in.size()));
  if (axes.size() != in.size())
    return call.wrong(fmt::format("found an order of {} axes, expected {}", axes.size(), in.size()));
  Sizes out;
  for (const std::size_t axis : axes) out.push_back(in[axis]);
  Values values = picked(*x, out, [&](const Places& at) {
    Places source(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) source[axes[d]] = at[d];
    return source;
  });
  return call.set_output(0, x->element, std::move(out), std::move(values));
}

Result<void> concat(const ShapeInferenceContext& call) {
  TRY(const auto first, call.needed(0));
  Sizes out = first->shape;
  TRY(const auto axis, call.axis(call.integer("axis", 0), out.size()));
  Values values = first->values;
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    const SizedTensor* next = call.input(i);
    if (!next) continue;
    Sizes expected = out;
    if (next->shape.size() == out.size()) expected[axis] = next->shape[axis];
    if (next->shape != expected)
      return call.wrong(fmt::format("found {} behind {}, expected sizes alike but of axis {}", sizes_text(next->shape),
                                    sizes_text(out), axis));
    out[axis] += next->shape[axis];
    if (values && next->values && out.size() == 1 && is_small_constant(out))
      values->insert(values->end(), next->values->begin(), next->values->end());
    else
      values.reset();
    if (out[axis] > limits::bytes) return call.wrong("found a result larger than any is");
  }
  return call.set_output(0, first->element, std::move(out), std::move(values));
}

/// Returns the part from `begin` on along one axis.
Values part_of(const SizedTensor& x, const Sizes& out, std::size_t axis, std::int64_t begin, std::int64_t step = 1) {
  return picked(x, out, [&](const Places& at) {
    Places source = at;
    source[axis] = static_cast<std::size_t>(begin + static_cast<std::int64_t>(at[axis]) * step);
    return source;
  });
}

Result<void> split(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  Sizes shape = x->shape;
  TRY(const auto axis, call.axis(call.integer("axis", 0), shape.size()));
  TRY(auto parts, call.elements(1, "split"));
  const auto count = static_cast<std::int64_t>(call.output_count());
  const std::int64_t whole = shape[axis];
  if (!parts) {
    const std::int64_t each = (whole + count - 1) / count;
    parts = Sizes(call.output_count(), each);
    parts->back() = whole - each * (count - 1);
  }
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < call.output_count(); ++i) {
    if (i >= parts->size() || (*parts)[i] < 0 || (*parts)[i] > whole - begin)
      return call.wrong(
          fmt::format("found parts that are not {} in {}, expected {} of them", whole, sizes_text(*parts), count));
    shape[axis] = (*parts)[i];
    TRY_VOID(call.set_output(i, x->element, shape, part_of(*x, shape, axis, begin)));
    begin += shape[axis];
  }
  if (begin != whole) return call.wrong(fmt::format("found parts of {} in all, expected {}", begin, whole));
  return {};
}

struct Cut {
  std::int64_t begin, count, step;
};

/// Returns a slice with Python's rules: positions beyond the ends are clamped.
Cut cut_of(std::int64_t size, std::int64_t begin, std::int64_t end, std::int64_t step) {
  const auto inside = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
    return std::clamp(at < 0 ? std::max<std::int64_t>(at, -size - 1) + size : at, least, most);
  };
  if (step > 0) {
    const std::int64_t from = inside(begin, 0, size), to = inside(end, 0, size);
    return {from, to > from ? (to - from - 1) / step + 1 : 0, step};
  }
  const std::int64_t from = inside(begin, -1, size - 1), to = inside(end, -1, size - 1);
  return {from, from > to ? (from - to - 1) / -step + 1 : 0, step};
}

Result<void> slice(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  Sizes out = x->shape;
  TRY(const auto starts, call.needed_numbers(1, "starts"), ends = call.needed_numbers(2, "ends"));
  if (!ends) return tl::unexpected(ends.error());
  TRY(const auto axes_given, call.elements(3, "axes"), steps_given = call.elements(4, "steps"));
  if (!steps_given) return tl::unexpected(steps_given.error());
  Sizes in_order(starts.size());
  std::iota(in_order.begin(), in_order.end(), std::int64_t{0});
  TRY(const auto axes, call.axes(axes_given.value_or(in_order), out.size()));
  const Sizes steps = steps_given->value_or(Sizes(starts.size(), 1));
  if (ends->size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return call.wrong("found starts, ends, axes and steps of different counts, expected one of each");
  constexpr std::int64_t far = std::int64_t{1} << 60;
  std::vector<Cut> cuts;
  for (const std::int64_t size : out) cuts.push_back({0, size, 1});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t step = std::clamp(steps[i], -far, far);
    if (step == 0) return call.wrong("found a step of 0, expected another");
    cuts[axes[i]] = cut_of(out[axes[i]], starts[i], (*ends)[i], step);
  }
  for (std::size_t d = 0; d < out.size(); ++d) out[d] = cuts[d].count;
  Values values = picked(*x, out, [&](const Places& at) {
    Places source(at.size());
    for (std::size_t d = 0; d < at.size(); ++d)
      source[d] = static_cast<std::size_t>(cuts[d].begin + static_cast<std::int64_t>(at[d]) * cuts[d].step);
    return source;
  });
  return call.set_output(0, x->element, std::move(out), std::move(values));
}

Result<void> gather(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0), index = call.needed(1));
  if (!index) return tl::unexpected(index.error());
  const Sizes &in = x->shape, &where = (*index)->shape;
  TRY(const auto axis, call.axis(call.integer("axis", 0), in.size()));
  const auto at_axis = static_cast<std::ptrdiff_t>(axis);
  Sizes out(in.begin(), in.begin() + at_axis);
  out.insert(out.end(), where.begin(), where.end());
  out.insert(out.end(), in.begin() + at_axis + 1, in.end());
  Values values;
  if ((*index)->values && std::ranges::all_of(*(*index)->values, [&](double one) {
        return one >= -static_cast<double>(in[axis]) && one < static_cast<double>(in[axis]);
      }))
    values = picked(*x, out, [&](const Places& at) {
      std::size_t flat = 0;
      for (std::size_t d = 0; d < where.size(); ++d) flat = flat * static_cast<std::size_t>(where[d]) + at[axis + d];
      const std::int64_t one = whole_number((*(*index)->values)[flat]);
      Places source(at.begin(), at.begin() + at_axis);
      source.push_back(static_cast<std::size_t>(one < 0 ? one + in[axis] : one));
      source.insert(source.end(), at.begin() + at_axis + static_cast<std::ptrdiff_t>(where.size()), at.end());
      return source;
    });
  return call.set_output(0, x->element, std::move(out), std::move(values));
}

Result<void> gather_elements(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0), index = call.needed(1));
  if (!index) return tl::unexpected(index.error());
  return call.set_output(0, x->element, (*index)->shape);
}

Result<void> gather_nd(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0), index = call.needed(1));
  if (!index) return tl::unexpected(index.error());
  const Sizes &in = x->shape, &where = (*index)->shape;
  const std::int64_t batch = call.integer("batch_dims", 0), rank = static_cast<std::int64_t>(in.size());
  if (where.empty() || batch < 0 || batch > rank || where.back() < 0 || where.back() > rank - batch)
    return call.wrong(fmt::format("found indices of {} into {}, expected as many as there are axes at most",
                                  sizes_text(where), sizes_text(in)));
  Sizes out(where.begin(), where.end() - 1);
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(batch + where.back()), in.end());
  return call.set_output(0, x->element, std::move(out));
}

Result<void> squeeze(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  const Sizes& in = x->shape;
  TRY(const auto given, call.elements(1, "axes"));
  Sizes out;
  if (!given) {
    std::ranges::copy_if(in, std::back_inserter(out), [](std::int64_t size) { return size != 1; });
  } else {
    TRY(const auto axes, call.axes(*given, in.size()));
    for (std::size_t d = 0; d < in.size(); ++d) {
      const bool taken = std::ranges::find(axes, d) != axes.end();
      if (taken && in[d] != 1) return call.wrong(fmt::format("found a size of {} at axis {}, expected 1", in[d], d));
      if (!taken) out.push_back(in[d]);
    }
  }
  return call.set_output(0, x->element, std::move(out), x->values);
}

Result<void> unsqueeze(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  TRY(const auto given, call.needed_numbers(1, "axes"));
  TRY(const auto axes, call.axes(given, x->shape.size() + given.size()));
  Sizes out;
  std::size_t next = 0;
  for (std::size_t d = 0; d < x->shape.size() + axes.size(); ++d)
    out.push_back(std::ranges::find(axes, d) != axes.end() ? 1 : x->shape[next++]);
  return call.set_output(0, x->element, std::move(out), x->values);
}

Result<void> expand(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  TRY(const auto wanted, call.needed_numbers(1, "shape"));
  auto out = broadcast(x->shape, wanted);
  if (!out || std::ranges::any_of(*out, [](std::int64_t size) { return size < 0; }))
    return call.wrong(fmt::format("found {} to be repeated to {}, expected sizes that are alike or 1",
                                  sizes_text(x->shape), sizes_text(wanted)));
  Values values;
  if (x->values && is_small_constant(*out)) values = repeated_to(*out, x->shape, *x->values);
  return call.set_output(0, x->element, *std::move(out), std::move(values));
}

Result<void> tile(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  TRY(const auto times, call.needed_numbers(1, "repeats"));
  Sizes out = x->shape;
  if (times.size() != out.size())
    return call.wrong(fmt::format("found {} repeats, expected {}", times.size(), out.size()));
  for (std::size_t d = 0; d < out.size(); ++d) {
    if (times[d] < 0 || (out[d] > 0 && times[d] > limits::bytes / out[d]))
      return call.wrong(
          fmt::format("found {} repeats of {}, expected a result that a model can have", times[d], out[d]));
    out[d] *= times[d];
  }
  Values values = picked(*x, out, [&](Places at) {
    for (std::size_t d = 0; d < at.size(); ++d) at[d] %= static_cast<std::size_t>(x->shape[d]);
    return at;
  });
  return call.set_output(0, x->element, std::move(out), std::move(values));
}

Result<void> pad(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  TRY(auto pads, call.needed_numbers(1, "pads"));
  Sizes out = x->shape;
  TRY(const auto axes_given, call.elements(3, ""));
  Sizes all(out.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  TRY(const auto axes, call.axes(axes_given.value_or(all), out.size()));
  if (pads.size() != 2 * axes.size())
    return call.wrong(fmt::format("found {} sizes of borders, expected {}", pads.size(), 2 * axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (const std::int64_t border : {pads[i], pads[i + axes.size()]}) {
      if (border > limits::bytes || border < -limits::bytes) return call.wrong("found a border larger than any is");
      out[axes[i]] += border;
    }
  return call.set_output(0, x->element, std::move(out));
}

Result<void> shape_of(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  const Sizes& in = x->shape;
  const Cut cut = cut_of(static_cast<std::int64_t>(in.size()), call.integer("start", 0),
                         call.integer("end", static_cast<std::int64_t>(in.size())), 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < cut.count; ++i)
    values.push_back(static_cast<double>(in[static_cast<std::size_t>(cut.begin + i)]));
  return call.set_output(0, Element::integer_64, {cut.count}, std::move(values));
}

Result<void> size_of(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  return call.set_output(0, Element::integer_64, {}, {{static_cast<double>(x->count())}});
}

Result<void> constant(const ShapeInferenceContext& call) {
  for (const char* name : {"value", "value_int", "value_float", "value_ints", "value_floats"}) {
    const Attribute* found = call.attribute(name);
    if (!found) continue;
    if (const auto* tensor = std::get_if<Initializer>(&found->value))
      return call.set_output(0, tensor->element, tensor->shape, tensor->values);
    if (const auto* one = std::get_if<std::int64_t>(&found->value))
      return call.set_output(0, Element::integer_64, {}, {{static_cast<double>(*one)}});
    if (const auto* one = std::get_if<double>(&found->value)) return call.set_output(0, Element::real, {}, {{*one}});
    if (const auto* list = std::get_if<Sizes>(&found->value))
      return call.set_output(0, Element::integer_64, {static_cast<std::int64_t>(list->size())},
                             std::vector<double>(list->begin(), list->end()));
    if (const auto* list = std::get_if<std::vector<double>>(&found->value))
      return call.set_output(0, Element::real, {static_cast<std::int64_t>(list->size())}, *list);
  }
  return call.wrong("found no value, expected a tensor or numbers");
}

Result<void> constant_of_shape(const ShapeInferenceContext& call) {
  TRY(auto shape, call.needed_numbers(0, "shape"));
  const Attribute* given = call.attribute("value");
  const auto* tensor = given ? std::get_if<Initializer>(&given->value) : nullptr;
  const double value = tensor && tensor->values && !tensor->values->empty() ? tensor->values->front() : 0;
  Values values;
  if (is_small_constant(shape)) values.emplace(static_cast<std::size_t>(count_of(shape)), value);
  return call.set_output(0, tensor ? tensor->element : Element::real, std::move(shape), std::move(values));
}

Result<void> range(const ShapeInferenceContext& call) {
  TRY(const auto first, call.needed(0));
  double bounds[3]{};
  for (std::size_t i = 0; i < 3; ++i) {
    const SizedTensor* one = call.input(i);
    if (!one || !one->values || one->values->size() != 1)
      return call.wrong("found bounds that do not follow from sizes, expected three numbers");
    bounds[i] = one->values->front();
  }
  const double steps = std::ceil((bounds[1] - bounds[0]) / bounds[2]), count = std::max(0.0, steps);
  if (!std::isfinite(steps) || count > static_cast<double>(limits::bytes))
    return call.wrong(
        fmt::format("found a range from {} to {} by {}, expected one that ends", bounds[0], bounds[1], bounds[2]));
  const Sizes shape{static_cast<std::int64_t>(count)};
  Values values;
  if (is_small_constant(shape)) {
    values.emplace();
    for (std::int64_t i = 0; i < shape[0]; ++i) values->push_back(bounds[0] + static_cast<double>(i) * bounds[2]);
  }
  return call.set_output(0, first->element, shape, std::move(values));
}

Result<void> one_hot(const ShapeInferenceContext& call) {
  TRY(const auto index, call.needed(0), values = call.needed(2));
  if (!values) return tl::unexpected(values.error());
  TRY(const auto depth, call.needed_numbers(1, "depth"));
  Sizes out = index->shape;
  TRY(const auto axis, call.axis(call.integer("axis", -1), out.size() + 1));
  if (depth.size() != 1) return call.wrong("found no depth, expected one number");
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), depth.front());
  return call.set_output(0, (*values)->element, std::move(out));
}

/// The number of results depends on sizes only if the values do.
Result<void> non_zero(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  if (!x->values)
    return call.wrong(
        "found numbers of the batch, expected some that follow from sizes: how many are not 0 decides sizes");
  const Sizes& in = x->shape;
  std::vector<std::size_t> flat;
  for (std::size_t i = 0; i < x->values->size(); ++i)
    if ((*x->values)[i] != 0) flat.push_back(i);
  std::vector<double> values;
  std::size_t below = x->values->size();
  for (const std::int64_t size : in) {
    below /= std::max<std::size_t>(1, static_cast<std::size_t>(size));
    for (const std::size_t at : flat)
      values.push_back(static_cast<double>(at / std::max<std::size_t>(1, below) %
                                           static_cast<std::size_t>(std::max<std::int64_t>(1, size))));
  }
  return call.set_output(0, Element::integer_64,
                         {static_cast<std::int64_t>(in.size()), static_cast<std::int64_t>(flat.size())},
                         std::move(values));
}

Result<void> eye_like(const ShapeInferenceContext& call) {
  TRY(const auto x, call.needed(0));
  return call.set_output(0, Element::real, x->shape);
}

}  // namespace

ShapeRules layout_shape_rules() {
  return {{"Reshape", reshape},     {"Flatten", flatten},
          {"Transpose", transpose}, {"Concat", concat},
          {"Split", split},         {"Slice", slice},
          {"Gather", gather},       {"GatherElements", gather_elements},
          {"GatherND", gather_nd},  {"Squeeze", squeeze},
          {"Unsqueeze", unsqueeze}, {"Expand", expand},
          {"Tile", tile},           {"Pad", pad},
          {"Shape", shape_of},      {"Size", size_of},
          {"Constant", constant},   {"ConstantOfShape", constant_of_shape},
          {"Range", range},         {"OneHot", one_hot},
          {"NonZero", non_zero},    {"EyeLike", eye_like}};
}

}  // namespace pipedeck::analytic::graph
