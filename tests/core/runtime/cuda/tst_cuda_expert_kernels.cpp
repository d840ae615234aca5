// SPDX-License-Identifier: Apache-2.0
// The kernels of a mixture of experts compared with references in double precision: choices and their weights, places
// in the order of experts with and without a capacity, rows on both ways, and all gradients.
#include <QtTest>

#include <algorithm>
#include <numeric>

#include "core/runtime/cuda/expert_kernels.hpp"
#include "tests/core/runtime/cuda/kernel_case.hpp"

using namespace pipedeck;
using namespace pipedeck::test;
using runtime::cuda::Bf16;
using runtime::cuda::ChosenRows;
using runtime::cuda::ExpertRouting;

namespace {

void expect_equal(const char* what, const std::vector<int>& found, const std::vector<int>& expected) {
  if (found != expected) throw std::runtime_error(std::string(what) + " differ");
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// Scores, choices and weights of tokens, by sorting each token's experts.
struct Routed {
  std::vector<double> scores, weights;
  std::vector<int> choices;
};
Routed routed(const std::vector<float>& logits, const ExpertRouting& of) {
  Routed result;
  for (std::int64_t token = 0; token < of.tokens(); ++token) {
    std::vector<double> score;
    for (std::int64_t i = 0; i < of.experts; ++i) {
      const double logit = to_double(logits[size(token * of.experts + i)]);
      score.push_back(of.sigmoid ? logistic(logit) : std::exp(logit));
    }
    if (const double sum = std::accumulate(score.begin(), score.end(), 0.0); !of.sigmoid)
      for (double& one : score) one /= sum;
    std::vector<int> order(score.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](int i) { return score[static_cast<std::size_t>(i)]; });
    order.resize(size(of.per_token));
    double chosen = 0;
    for (const int i : order) chosen += score[static_cast<std::size_t>(i)];
    for (const int i : order)
      result.weights.push_back(to_double(of.scale) * score[static_cast<std::size_t>(i)] / (of.normalised ? chosen : 1));
    result.choices.insert(result.choices.end(), order.begin(), order.end());
    result.scores.insert(result.scores.end(), score.begin(), score.end());
  }
  return result;
}

/// Places of choices, by going through them expert by expert.
struct Placed {
  std::vector<int> places, first, loads;
};
Placed placed(const std::vector<int>& choices, const ExpertRouting& of) {
  Placed result{std::vector<int>(choices.size(), -1), {0}, std::vector<int>(size(of.samples * of.experts))};
  int row = 0;
  for (int expert = 0; expert < of.experts; ++expert) {
    for (std::size_t c = 0; c < choices.size(); ++c) {
      if (choices[c] != expert) continue;
      int& load = result.loads[c / size(of.sample_choices()) * size(of.experts) + size(expert)];
      if (load++ < of.capacity) result.places[c] = row++;
    }
    result.first.push_back(row);
  }
  return result;
}

/// Logits with ties: some tokens have equal ones.
std::vector<float> logits_for(const ExpertRouting& of, Fresh& fresh) {
  std::vector<float> logits = fresh.of<float>(of.tokens() * of.experts, 2);
  for (std::int64_t token = 0; token < of.tokens(); token += 5)
    for (std::int64_t i = 1; i < of.experts; i += 2)
      logits[size(token * of.experts + i)] = logits[size(token * of.experts + i - 1)];
  return logits;
}

std::vector<ExpertRouting> routings(Fresh& fresh) {
  const std::int64_t experts = fresh.between(2, 70), k = fresh.between(1, std::min<std::int64_t>(experts, 6)),
                     sequence = fresh.between(1, 60);
  std::vector<ExpertRouting> all{{1, 1, 1, 1, false, true, 1, 1},        {2, 9, 4, 2, false, true, 1, 18},
                                 {3, 8, 8, 3, true, true, 2.5f, 4},      {1, 300, 33, 4, false, false, 1, 1200},
                                 {2, 270, 3, 2, true, false, 0.5f, 150}, {1, 3, 300, 8, false, true, 1, 24}};
  all.push_back({2, sequence, experts, k, false, true, 1, fresh.between(1, sequence * k)});
  return all;
}

}  // namespace

class TestCudaExpertKernels : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (const std::string why = why_no_device(); !why.empty()) QSKIP(why.c_str());
    qInfo("%s", fresh_.seed_text().c_str());
  }
  void choices();
  void choices_by_biased_scores();
  void biases_move_against_the_excess();
  void choices_of_ranks();
  void numbers_that_are_none();
  void router_gradients();
  void rows() { rows_of<float, float>(), rows_of<Bf16, Bf16>(), rows_of<Bf16, float>(); }
  void gates() { gates_of<float>(), gates_of<Bf16>(); }

 private:
  template <class To, class From>
  void rows_of();
  template <class T>
  void gates_of();

  Fresh fresh_;
};

void TestCudaExpertKernels::choices() {
  for (const ExpertRouting& of : routings(fresh_)) {
    const std::vector<float> logits = logits_for(of, fresh_);
    const Routed expected = routed(logits, of);
    const Placed rows = placed(expected.choices, of);
    same_in_every_order([&] {
      OnDevice<float> in(logits), scores(logits), weights(std::vector<float>(expected.weights.size()));
      OnDevice<int> chosen(expected.choices), places(expected.choices), first(rows.first), loads(rows.loads);
      OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::place_choices_scratch(of)));
      runtime::cuda::choose_experts(nullptr, scores.data(), chosen.data(), weights.data(), in.data(), nullptr, of);
      expect("scores", scores.values(), expected.scores, 1e-5);
      expect("weights", weights.values(), expected.weights, 1e-5);
      expect_equal("choices", chosen.values(), expected.choices);
      runtime::cuda::place_choices(nullptr, places.data(), first.data(), loads.data(), nullptr, chosen.data(),
                                   scratch.data(), of);
      expect_equal("places", places.values(), rows.places);
      expect_equal("first rows", first.values(), rows.first);
      expect_equal("loads", loads.values(), rows.loads);
      scratch.values();
      return bytes_of(scores.values(), weights.values(), chosen.values(), places.values());
    });
  }
}

/// Biases decide which experts are chosen. Weights are of the scores without them.
void TestCudaExpertKernels::choices_by_biased_scores() {
  for (const ExpertRouting& of : routings(fresh_)) {
    const std::vector<float> logits = logits_for(of, fresh_);
    std::vector<float> biases;
    for (std::int64_t i = 0; i < of.experts; ++i) biases.push_back(static_cast<float>(fresh_.between(-5, 2)) * 0.25f);
    const Routed plain = routed(logits, of);
    same_in_every_order([&] {
      OnDevice<float> in(logits), scores(logits), weights(std::vector<float>(plain.weights.size())), added(biases);
      OnDevice<int> chosen(plain.choices);
      runtime::cuda::choose_experts(nullptr, scores.data(), chosen.data(), weights.data(), in.data(), added.data(), of);
      expect("scores", scores.values(), plain.scores, 1e-5);
      const std::vector<float> score = scores.values();
      std::vector<int> choices;
      std::vector<double> shares;
      for (std::int64_t token = 0; token < of.tokens(); ++token) {
        const auto own = [&](int i) { return score[size(token * of.experts + i)]; };
        std::vector<int> order(size(of.experts));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, std::greater<>(),
                                 [&](int i) { return own(i) + biases[static_cast<std::size_t>(i)]; });
        order.resize(size(of.per_token));
        double sum = 0;
        for (const int i : order) sum += to_double(own(i));
        for (const int i : order) shares.push_back(to_double(of.scale) * to_double(own(i)) / (of.normalised ? sum : 1));
        choices.insert(choices.end(), order.begin(), order.end());
      }
      expect_equal("choices", chosen.values(), choices);
      expect("weights", weights.values(), shares, 1e-5);
      return bytes_of(scores.values(), weights.values(), chosen.values());
    });
  }
}

/// An expert's excess is its choices times the number of experts, less all choices.
void TestCudaExpertKernels::biases_move_against_the_excess() {
  for (const ExpertRouting& of : routings(fresh_)) {
    const std::vector<int> choices = routed(logits_for(of, fresh_), of).choices;
    const Placed rows = placed(choices, of);
    std::vector<float> before, biases;
    for (std::int64_t i = 0; i < of.experts; ++i) {
      before.push_back(static_cast<float>(fresh_.between(-3, 3)));
      biases.push_back(static_cast<float>(fresh_.between(-4, 4)));
    }
    std::vector<double> sums(doubles(before)), moved(doubles(biases));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::int64_t sample = 0; sample < of.samples; ++sample)
        sums[i] += double(rows.loads[size(sample * of.experts) + i]) * double(of.experts);
      sums[i] -= double(of.choices());
      moved[i] -= 0.125 * (sums[i] > 0 ? 1 : sums[i] < 0 ? -1 : 0);
    }
    same_in_every_order([&] {
      OnDevice<float> excess(before), own(biases);
      OnDevice<int> loads(rows.loads);
      runtime::cuda::add_load_excess(nullptr, excess.data(), loads.data(), of);
      expect("excess", excess.values(), sums, 0);
      runtime::cuda::balance_biases(nullptr, own.data(), excess.data(), 0.125f, of.experts);
      expect("biases", own.values(), moved, 0);
      expect("zeroed excess", excess.values(), std::vector<double>(sums.size()), 0);
      return bytes_of(own.values(), excess.values());
    });
  }
}

/// Ranks with consecutive positions of every sample drop what one rank with all of them drops.
void TestCudaExpertKernels::choices_of_ranks() {
  for (const ExpertRouting& of : routings(fresh_)) {
    const int ranks = static_cast<int>(std::min<std::int64_t>(of.sequence, fresh_.between(1, 4)));
    const std::vector<int> all = routed(logits_for(of, fresh_), of).choices;
    const Placed whole = placed(all, of);
    const std::int64_t counts = of.samples * of.experts;
    std::vector<ExpertRouting> shapes;
    std::vector<std::vector<int>> own, kept;  // of each rank; kept: those of `whole`
    std::vector<int> gathered;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::int64_t first = of.sequence * rank / ranks, end = of.sequence * (rank + 1) / ranks;
      shapes.push_back(of);
      shapes.back().sequence = end - first;
      own.emplace_back(), kept.emplace_back();
      for (std::int64_t sample = 0; sample < of.samples; ++sample)
        for (std::int64_t c = first * of.per_token; c < end * of.per_token; ++c) {
          own.back().push_back(all[size(sample * of.sample_choices() + c)]);
          kept.back().push_back(whole.places[size(sample * of.sample_choices() + c)] >= 0 ? 1 : 0);
        }
      OnDevice<int> loads(std::vector<int>(size(counts))), choices(own.back());
      OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::place_choices_scratch(shapes.back())));
      runtime::cuda::count_choices(nullptr, loads.data(), choices.data(), scratch.data(), shapes.back());
      const std::vector<int> found = loads.values();
      gathered.insert(gathered.end(), found.begin(), found.end());
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<int>& choices = own[static_cast<std::size_t>(rank)];
      const ExpertRouting& shape = shapes[static_cast<std::size_t>(rank)];
      OnDevice<int> earlier(std::vector<int>(size(counts))), sums(earlier.values()), of_ranks(gathered),
          loads(earlier.values()), chosen(choices), places(choices), first(std::vector<int>(size(of.experts + 1)));
      OnDevice<unsigned char> scratch(std::vector<unsigned char>(runtime::cuda::place_choices_scratch(shape)));
      runtime::cuda::sum_loads(nullptr, earlier.data(), sums.data(), of_ranks.data(), counts, ranks, rank);
      expect_equal("sums of loads", sums.values(), whole.loads);
      runtime::cuda::place_choices(nullptr, places.data(), first.data(), loads.data(), earlier.data(), chosen.data(),
                                   scratch.data(), shape);
      // Places are those of the kept choices alone, expert by expert.
      std::vector<int> expected(choices.size(), -1), ends{0};
      for (int expert = 0, row = 0; expert < of.experts; ++expert) {
        for (std::size_t c = 0; c < choices.size(); ++c)
          if (choices[c] == expert && kept[static_cast<std::size_t>(rank)][c] == 1) expected[c] = row++;
        ends.push_back(row);
      }
      expect_equal("places of a rank", places.values(), expected);
      expect_equal("first rows of a rank", first.values(), ends);
    }
  }
}

/// Where a training has failed, choices are still experts: rows stay inside their arrays.
void TestCudaExpertKernels::numbers_that_are_none() {
  const ExpertRouting of{1, 6, 5, 3, false, true, 1, 18};
  std::vector<float> logits = fresh_.of<float>(of.tokens() * of.experts);
  logits[7] = NAN, logits[12] = INFINITY;
  OnDevice<float> in(logits), scores(logits), weights(std::vector<float>(18));
  OnDevice<int> chosen(std::vector<int>(18));
  runtime::cuda::choose_experts(nullptr, scores.data(), chosen.data(), weights.data(), in.data(), nullptr, of);
  for (const int one : chosen.values()) QVERIFY2(one >= 0 && one < of.experts, qPrintable(QString::number(one)));
  const std::vector<float> found = weights.values();
  for (std::size_t c = 0; c < found.size(); ++c) QCOMPARE(std::isnan(found[c]), c / 3 == 1 || c / 3 == 2);
}

void TestCudaExpertKernels::router_gradients() {
  for (const ExpertRouting& of : routings(fresh_))
    for (const float factor : {0.0f, 0.3f}) {
      const std::vector<float> logits = logits_for(of, fresh_), gradient = fresh_.of<float>(of.choices());
      const Routed known = routed(logits, of);
      const Placed rows = placed(known.choices, of);
      std::vector<double> expected;
      for (std::int64_t token = 0; token < of.tokens(); ++token) {
        const double* const s = known.scores.data() + token * of.experts;
        const int* const load = rows.loads.data() + token / of.sequence * of.experts;
        const auto fraction = [&](std::int64_t i) { return double(load[i]) / double(of.sample_choices()); };
        std::vector<double> dscore(size(of.experts));
        double all = 0, mean = 0, chosen = 0, projection = 0;
        for (std::int64_t i = 0; i < of.experts; ++i) all += s[i], mean += fraction(i) * s[i];
        for (std::int64_t i = 0; i < of.experts; ++i)  // of f_i s_i / sum of s, where softmax keeps the sum at 1
          dscore[size(i)] = to_double(factor) * (of.sigmoid ? (fraction(i) - mean / all) / all : fraction(i));
        for (std::int64_t c = token * of.per_token; c < (token + 1) * of.per_token; ++c) {
          chosen += s[known.choices[size(c)]];
          projection += to_double(gradient[size(c)]) * s[known.choices[size(c)]];
        }
        for (std::int64_t c = token * of.per_token; c < (token + 1) * of.per_token; ++c) {
          const double own = to_double(gradient[size(c)]);
          dscore[static_cast<std::size_t>(known.choices[size(c)])] +=
              to_double(of.scale) * (of.normalised ? (own - projection / chosen) / chosen : own);
        }
        double product = 0;
        for (std::int64_t i = 0; i < of.experts; ++i) product += dscore[size(i)] * s[i];
        for (std::int64_t i = 0; i < of.experts; ++i)
          expected.push_back(s[i] * (of.sigmoid ? dscore[size(i)] * (1 - s[i]) : dscore[size(i)] - product));
      }
      same_in_every_order([&] {
        OnDevice<float> to(logits), dweights(gradient), scores(rounded_to<float>(known.scores));
        OnDevice<int> chosen(known.choices), loads(rows.loads);
        runtime::cuda::router_backward(nullptr, to.data(), dweights.data(), chosen.data(), scores.data(),
                                       factor == 0 ? nullptr : loads.data(), factor, of);
        expect("gradient of the logits", to.values(), expected, 3e-5);
        return bytes_of(to.values());
      });
    }
}

template <class To, class From>
void TestCudaExpertKernels::rows_of() {
  for (const ExpertRouting& of : routings(fresh_))
    for (const std::int64_t width : {std::int64_t{1}, std::int64_t{24}, fresh_.between(1, 300)}) {
      const Routed known = routed(logits_for(of, fresh_), of);
      const Placed rows = placed(known.choices, of);
      const auto in = fresh_.of<From>(of.tokens() * width);
      const auto permuted = fresh_.of<To>(of.choices() * width);
      const auto sums = fresh_.of<float>(of.tokens() * width);
      const auto weights = rounded_to<float>(known.weights);
      std::vector<double> copied(doubles(permuted)), weighed(copied), added(doubles(sums)), plain(added);
      for (std::int64_t c = 0; c < of.choices(); ++c)
        for (std::int64_t i = 0; i < width && rows.places[size(c)] >= 0; ++i) {
          const std::size_t at = size(rows.places[size(c)] * width + i), token = size(c / of.per_token * width + i);
          copied[at] = to_double(in[token]), weighed[at] = copied[at] * to_double(weights[size(c)]);
          added[token] += to_double(weights[size(c)]) * to_double(permuted[at]),
              plain[token] += to_double(permuted[at]);
        }
      const ChosenRows shape{of.tokens(), of.per_token, width};
      same_in_every_order([&] {
        OnDevice<From> from(in);
        OnDevice<To> to(permuted), scaled(permuted), back(permuted);
        OnDevice<float> w(weights), sum(sums), alone(sums);
        OnDevice<int> places(rows.places);
        runtime::cuda::permute_rows(nullptr, to.data(), from.data(), places.data(), nullptr, shape);
        runtime::cuda::permute_rows(nullptr, scaled.data(), from.data(), places.data(), w.data(), shape);
        runtime::cuda::add_unpermuted_rows(nullptr, sum.data(), back.data(), places.data(), w.data(), shape);
        runtime::cuda::add_unpermuted_rows(nullptr, alone.data(), back.data(), places.data(), nullptr, shape);
        expect("rows", to.values(), copied, tolerance<To>());
        expect("weighed rows", scaled.values(), weighed, tolerance<To>());
        expect("weighed sums", sum.values(), added, 1e-5);
        expect("sums", alone.values(), plain, 1e-5);
        return bytes_of(to.values(), scaled.values(), sum.values(), alone.values());
      });
    }
}

template <class T>
void TestCudaExpertKernels::gates_of() {
  for (const ExpertRouting& of : routings(fresh_))
    for (const std::int64_t width : {std::int64_t{1}, std::int64_t{16}, fresh_.between(1, 700)}) {
      const Routed known = routed(logits_for(of, fresh_), of);
      const Placed rows = placed(known.choices, of);
      const auto in = fresh_.of<T>(2 * of.choices() * width, 2), out = fresh_.of<T>(of.choices() * width),
                 gradient = fresh_.of<T>(of.choices() * width), before = fresh_.of<T>(2 * of.choices() * width);
      const auto weights = rounded_to<float>(known.weights);
      std::vector<double> dgates(doubles(before)), dweights(size(of.choices()));
      for (std::int64_t c = 0; c < of.choices(); ++c)
        for (std::int64_t i = 0; i < width && rows.places[size(c)] >= 0; ++i) {
          const std::int64_t row = rows.places[size(c)];
          const std::size_t gate = size(2 * row * width + i), up = gate + size(width), at = size(row * width + i);
          const double x = to_double(in[gate]), u = to_double(in[up]), s = logistic(x),
                       g = to_double(weights[size(c)]) * to_double(gradient[at]);
          dgates[gate] = g * u * (s + x * s * (1 - s)), dgates[up] = g * x * s;
          dweights[size(c)] += to_double(gradient[at]) * to_double(out[at]);
        }
      same_in_every_order([&] {
        OnDevice<T> x(in), y(out), g(gradient), to(before);
        OnDevice<float> w(weights), dw(weights);
        OnDevice<int> places(rows.places);
        runtime::cuda::expert_gate_backward(nullptr, to.data(), dw.data(), g.data(), x.data(), y.data(), places.data(),
                                            w.data(), {of.tokens(), of.per_token, width});
        expect("gradient of gates and ups", to.values(), dgates, tolerance<T>());
        expect("gradient of weights", dw.values(), dweights, 3e-5);
        return bytes_of(to.values(), dw.values());
      });
    }
}

QTEST_GUILESS_MAIN(TestCudaExpertKernels)
#include "tst_cuda_expert_kernels.moc"
