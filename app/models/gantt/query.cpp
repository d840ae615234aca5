// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/query.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <QCoreApplication>
#include <QRegularExpression>

namespace pipedeck::models::gantt {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(Query)
};

using Kinds = std::vector<OpKind>;

struct KindWord {
  const char* word;
  Kinds kinds;
};

const std::vector<KindWord>& kind_labels() {
  using enum OpKind;
  static const Kinds backwards{backward, backward_input};
  static const std::vector<KindWord> words{{"f", {forward}},
                                           {"forward", {forward}},
                                           {"fwd", {forward}},
                                           {"b", backwards},
                                           {"backward", backwards},
                                           {"bwd", backwards},
                                           {"bi", {backward_input}},
                                           {"input", {backward_input}},
                                           {"inputgradient", {backward_input}},
                                           {"backwardinput", {backward_input}},
                                           {"w", {backward_weight}},
                                           {"bw", {backward_weight}},
                                           {"weight", {backward_weight}},
                                           {"weightgradient", {backward_weight}},
                                           {"backwardweight", {backward_weight}},
                                           {"r", {recompute}},
                                           {"recompute", {recompute}},
                                           {"t", {send, receive}},
                                           {"transfer", {send, receive}},
                                           {"send", {send, receive}},
                                           {"receive", {send, receive}},
                                           {"ar", {all_reduce}},
                                           {"allreduce", {all_reduce}},
                                           {"o", {optimizer}},
                                           {"opt", {optimizer}},
                                           {"optimizer", {optimizer}},
                                           {"step", {optimizer}}};
  return words;
}

/// Converts to lower case without spaces, hyphens and underscores: "All-Reduce" becomes "allreduce".
QString bare(const QString& word) {
  static const QRegularExpression between(QStringLiteral("[\\s_\\-\u00a0]+"));
  return word.toLower().remove(between);
}

enum class Place { micro_batch, stage, device };

std::optional<Place> position_word(const QString& word) {
  static const std::pair<const char*, Place> words[] = {
      {"mb", Place::micro_batch}, {"m", Place::micro_batch},     {"microbatch", Place::micro_batch},
      {"#", Place::micro_batch},  {"s", Place::stage},           {"stage", Place::stage},
      {"g", Place::device},       {"gpu", Place::device},        {"device", Place::device},
      {"dev", Place::device},     {"batch", Place::micro_batch},
  };
  for (const auto& [known, place] : words)
    if (word == QLatin1String(known)) return place;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(const QueryWords& words) : words_(words) {}

  ParsedQuery parse(const QString& text) {
    static const QRegularExpression gaps(QStringLiteral("[\\s,;]+"));
    const QStringList parts = text.split(gaps, Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < parts.size() && parsed_.problem.isEmpty();) i += take(parts, i);
    return std::move(parsed_);
  }

 private:
  /// Returns the number of parts from `i` on that were parsed together.
  qsizetype take(const QStringList& parts, qsizetype i) {
    if (const qsizetype device = words_.devices.indexOf(parts[i]); device >= 0) {
      set(parsed_.query.device, DeviceId(static_cast<int>(device)), parts[i]);
      return 1;
    }
    constexpr qsizetype most_words = 3;
    // A group of words ends with the first that has a number: "3 4" is not 34.
    qsizetype most = 1;
    while (most < std::min(most_words, parts.size() - i) && !parts[i + most - 1].back().isDigit()) ++most;
    for (qsizetype count = most; count > 0; --count)
      if (take_words(bare(parts.mid(i, count).join(QString())))) return count;
    parsed_.problem = Text::tr("“%1” is not a micro-batch, stage, device or kind").arg(parts[i]);
    return 1;
  }

  bool take_words(const QString& words) {
    static const QRegularExpression form(QStringLiteral("^(\\D*)(\\d*)$"));
    const QRegularExpressionMatch match = form.match(words);
    if (!match.hasMatch()) return false;
    const QString name = match.captured(1);
    const bool numbered = !match.captured(2).isEmpty();
    bool fits = true;
    const int number = numbered ? match.captured(2).toInt(&fits) : 0;
    if (!fits) return false;
    if (name.isEmpty()) return numbered && take_number(Place::micro_batch, number, words);
    if (const auto place = position_word(name)) return numbered && take_number(*place, number, words);
    return take_kind(name) && (!numbered || take_number(Place::micro_batch, number, words));
  }

  bool take_kind(const QString& name) {
    std::vector<OpKind> kinds;
    for (const KindWord& known : kind_labels())
      if (name == QLatin1String(known.word)) kinds = known.kinds;
    for (qsizetype kind = 0; kind < words_.kinds.size(); ++kind)
      if (bare(words_.kinds[kind]) == name) kinds.push_back(static_cast<OpKind>(kind));
    for (const OpKind kind : kinds) parsed_.query.kinds[static_cast<std::size_t>(kind)] = true;
    return !kinds.empty();
  }

  bool take_number(Place place, int number, const QString& words) {
    if (place == Place::device) return set(parsed_.query.device, DeviceId(number), words);
    return set(place == Place::stage ? parsed_.query.stage : parsed_.query.micro_batch, number, words);
  }

  template <class Value>
  bool set(std::optional<Value>& field, Value value, const QString& words) {
    if (field && *field != value) parsed_.problem = Text::tr("“%1” is given twice: give each once").arg(words);
    field = value;
    return true;
  }

  const QueryWords& words_;
  ParsedQuery parsed_;
};

}  // namespace

bool Query::empty() const { return *this == Query{}; }

bool Query::any_kind() const {
  return std::ranges::none_of(kinds, [](bool wanted) { return wanted; });
}

bool Query::matches(OpKind kind, int of_stage, int of_micro_batch) const {
  if (micro_batch && *micro_batch != of_micro_batch) return false;
  if (stage && *stage != of_stage) return false;
  // All-reduces and optimizer steps belong to no micro-batch, regardless of their column.
  if (micro_batch && (kind == OpKind::all_reduce || kind == OpKind::optimizer)) return false;
  return any_kind() || kinds[static_cast<std::size_t>(kind)];
}

ParsedQuery parse_gantt_query(const QString& text, const QueryWords& words) { return Parser(words).parse(text); }

QString query_help() {
  return Text::tr(
      "12 or mb 12: micro-batch 12\ns3: stage 3\nG5: device 5\nF, B, W, R: forward, backward, weight gradient, "
      "recompute\ntransfer, all-reduce, optimizer: operations of this kind\nB 12 s3: all of these together");
}

}  // namespace pipedeck::models::gantt
