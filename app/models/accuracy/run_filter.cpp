// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/accuracy/run_filter.hpp"

#include <algorithm>
#include <map>

#include <QCoreApplication>
#include <QRegularExpression>

namespace pipedeck::models::accuracy {

namespace {

struct FilterWords {
  Q_DECLARE_TR_FUNCTIONS(Accuracy)
};

constexpr std::size_t max_sources = 6;
const QString other_key = QStringLiteral("*");

QString key_of(int value) { return QString::number(value); }
template <class Enum>
QString key_of(Enum value) {
  return key_of(static_cast<int>(value));
}

/// Returns lower-case text in which a degree is one word: "tp 4" becomes "tp4".
QString searchable(QString text) {
  static const QRegularExpression degree(QStringLiteral("\\b(tp|pp|vp|cp|ep|dp)[\\s\\x{a0}](?=\\d)"));
  return text.toCaseFolded().replace(degree, QStringLiteral("\\1"));
}

QString searched_text(const RunRow& row) {
  return searchable(QStringList{row.id, row.source, row.model, row.gpu, row.precision, row.task, row.sharding,
                                row.software, mapping_text(row)}
                        .join(u' '));
}

/// Returns the sources that have a choice of their own, the most frequent first.
std::vector<QString> sources_of(std::span<const RunRow> rows, int& others) {
  std::map<QString, int> counts;
  for (const RunRow& row : rows)
    if (row.shown()) ++counts[row.source];
  std::vector<QString> sources;
  for (const auto& [source, count] : counts) sources.push_back(source);
  std::ranges::stable_sort(sources, std::ranges::greater(), [&](const QString& source) { return counts[source]; });
  others = 0;
  if (sources.size() > max_sources + 1) {
    others = static_cast<int>(sources.size() - max_sources);
    sources.resize(max_sources);
  }
  return sources;
}

}  // namespace

QString section_text(Section section) {
  switch (section) {
    case Section::gpu:
      return FilterWords::tr("GPU");
    case Section::source:
      return FilterWords::tr("Source");
    case Section::precision:
      return FilterWords::tr("Precision");
    case Section::use:
      return FilterWords::tr("Uses");
  }
  return {};
}

RunChoices::RunChoices(std::span<const RunRow> rows) : rows_(rows) {
  int others = 0;
  const std::vector<QString> sources = sources_of(rows, others);
  QSet<QString> present;
  const auto marked = [&](Section section, const QString& key) {
    present << key_of(section) + u' ' + key;
    return key;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunRow& row = rows[i];
    if (!row.shown()) continue;
    const bool named = std::ranges::find(sources, row.source) != sources.end();
    keys_.push_back(
        {i,
         {marked(Section::gpu, key_of(family_of(row.gpu))), marked(Section::source, named ? row.source : other_key),
          marked(Section::precision, key_of(precision_of(row.precision))), QString()},
         searched_text(row)});
    for (int use = 0; use < use_count; ++use)
      if (row.uses(static_cast<Use>(use))) marked(Section::use, key_of(use));
  }
  const auto add = [&](Section section, const QString& key, const QString& text) {
    if (present.contains(key_of(section) + u' ' + key))
      choices_[static_cast<std::size_t>(section)].push_back({key, text, 0, true});
  };
  for (int i = 0; i < family_count; ++i) add(Section::gpu, key_of(i), family_text(static_cast<Family>(i)));
  for (const QString& source : sources) add(Section::source, source, source);
  add(Section::source, other_key, FilterWords::tr("%1 others").arg(others));
  for (int i = 0; i < precision_count; ++i)
    add(Section::precision, key_of(i), precision_text(static_cast<PrecisionKind>(i)));
  for (int i = 0; i < use_count; ++i) add(Section::use, key_of(i), use_text(static_cast<Use>(i)));
}

bool RunChoices::passes(const Keys& keys, const RunFilter& filter, std::optional<Section> except) const {
  for (const Section section : {Section::gpu, Section::source, Section::precision})
    if (section != except && filter.of(section).contains(keys.of[static_cast<std::size_t>(section)])) return false;
  for (const QString& use : filter.of(Section::use))
    if (!rows_[keys.row].uses(static_cast<Use>(use.toInt()))) return false;
  const QStringList words = searchable(filter.words).split(u' ', Qt::SkipEmptyParts);
  return std::ranges::all_of(words, [&](const QString& word) { return keys.text.contains(word); });
}

std::vector<std::size_t> RunChoices::shown(const RunFilter& filter) const {
  std::vector<std::size_t> rows;
  for (const Keys& keys : keys_)
    if (passes(keys, filter)) rows.push_back(keys.row);
  return rows;
}

std::vector<FilterChoice> RunChoices::choices(Section section, const RunFilter& filter) const {
  std::vector<FilterChoice> choices = choices_[static_cast<std::size_t>(section)];
  for (FilterChoice& choice : choices) {
    const bool toggled = filter.of(section).contains(choice.key);
    choice.on = section == Section::use ? toggled : !toggled;
    choice.count = static_cast<int>(std::ranges::count_if(keys_, [&](const Keys& keys) {
      const bool has = section == Section::use ? rows_[keys.row].uses(static_cast<Use>(choice.key.toInt()))
                                               : keys.of[static_cast<std::size_t>(section)] == choice.key;
      return has && passes(keys, filter, section);
    }));
  }
  return choices;
}

}  // namespace pipedeck::models::accuracy
