// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/palette/search.hpp"

#include <algorithm>
#include <array>
#include <climits>

#include <QCoreApplication>

#include "app/models/fuzzy.hpp"

namespace pipedeck::ui::palette {

namespace {

struct SearchText {
  Q_DECLARE_TR_FUNCTIONS(Palette)
};

constexpr std::size_t lines_of_one = 8;  // of a section among several

QString section_title(Group group) {
  switch (group) {
    case Group::action:
      return SearchText::tr("Actions");
    case Group::plan:
      return SearchText::tr("Plans");
    case Group::model:
      return SearchText::tr("Models");
    case Group::cluster:
      return SearchText::tr("Clusters");
    case Group::operation:
      return SearchText::tr("Operations");
  }
  return {};
}

bool searched(Group group, QChar prefix) {
  if (prefix == u'>') return group == Group::action;
  if (prefix == u'@') return group == Group::plan;
  if (prefix == u'#') return group == Group::operation;
  return group != Group::operation;
}

struct Scored {
  Line line;
  int score = 0;
};

/// Matches the text, or text and detail together at a lower score: "llama 64 h100" finds a plan by its question.
std::optional<Scored> scored(const Entry& entry, const QString& words) {
  constexpr int of_detail = 60;
  if (auto match = models::fuzzy_match(words, entry.text)) return Scored{{entry, match->positions}, match->score};
  auto match = models::fuzzy_match(words, entry.text + u' ' + entry.detail);
  if (!match) return std::nullopt;
  std::erase_if(match->positions, [&](int at) { return at >= entry.text.size(); });
  return Scored{{entry, match->positions}, match->score - of_detail};
}

std::vector<Section> recent_section(const Entries& entries, const Request& request, const QStringList& recent) {
  Section section{SearchText::tr("Used last"), {}, 0};
  for (const QString& id : recent) {
    const auto entry = std::ranges::find(entries, id, &Entry::id);
    if (entry != entries.end() && searched(entry->group, request.prefix)) section.lines.push_back({*entry});
  }
  section.found = section.lines.size();
  return section.lines.empty() ? std::vector<Section>() : std::vector{section};
}

}  // namespace

Request parse_request(const QString& text) {
  const QString trimmed = text.trimmed();
  if (!trimmed.isEmpty() && QStringLiteral(">@#").contains(trimmed[0])) return {trimmed[0], trimmed.mid(1).trimmed()};
  return {{}, trimmed};
}

std::vector<Section> find_entries(const Entries& entries, const Request& request, const QStringList& recent) {
  struct Found {
    std::vector<Scored> lines;
    int best = INT_MIN;
  };
  std::array<Found, 5> found;
  for (const Entry& entry : entries) {
    if (!searched(entry.group, request.prefix)) continue;
    Found& group = found[static_cast<std::size_t>(entry.group)];
    // Operations were found by their own search already.
    auto line = request.words.isEmpty() || entry.group == Group::operation ? std::optional(Scored{{entry}})
                                                                           : scored(entry, request.words);
    if (!line) continue;
    if (!entry.unavailable_reason.isEmpty()) line->score -= 40;
    group.best = std::max(group.best, line->score);
    group.lines.push_back(*std::move(line));
  }
  std::vector<Section> sections;
  if (request.words.isEmpty()) sections = recent_section(entries, request, recent);
  std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return found[i].best; });
  for (const std::size_t i : order) {
    std::vector<Scored>& lines = found[i].lines;
    if (lines.empty()) continue;
    std::ranges::stable_sort(lines, std::ranges::greater(), &Scored::score);
    Section section{section_title(static_cast<Group>(i)), {}, lines.size()};
    const bool few = request.prefix.isNull() && !request.words.isEmpty();
    if (few && lines.size() > lines_of_one) lines.resize(lines_of_one);
    for (Scored& line : lines) section.lines.push_back(std::move(line.line));
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace pipedeck::ui::palette
