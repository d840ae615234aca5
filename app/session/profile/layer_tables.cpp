// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/profile/layer_tables.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/files.hpp"
#include "core/io/profiles/graph_text.hpp"

namespace pipedeck::session::profile {

namespace {

struct LayerTableText {
  Q_DECLARE_TR_FUNCTIONS(LayerTables)
};

constexpr qint64 looked_at = 1 << 18;

QString separator_text(char separator) {
  if (separator == '\t') return LayerTableText::tr("tabs");
  if (separator == ';') return LayerTableText::tr("semicolons");
  if (separator == '|') return LayerTableText::tr("bars");
  return separator == ',' ? LayerTableText::tr("commas") : QString(QLatin1Char(separator));
}

QString meaning_of(std::size_t key) { return column_meanings().value(static_cast<int>(key)); }

/// Returns the first column of each meaning; the window assigns each meaning to one column.
io::profiles::ProfileColumns declared_columns(const std::vector<ColumnMeaning>& chosen,
                                              const std::vector<std::string>& headings) {
  io::profiles::ProfileColumns columns;
  for (std::size_t at = 0; at < std::min(chosen.size(), headings.size()); ++at)
    if (chosen[at].key >= 0)
      columns.try_emplace(std::string(io::profiles::column_keys()[static_cast<std::size_t>(chosen[at].key)].name),
                          io::profiles::TableColumn{headings[at], chosen[at].unit, at});
  return columns;
}

/// A list of the findings of one reading, as sentences.
class Findings {
 public:
  Findings(const TablePreview& preview, const std::vector<ColumnMeaning>& chosen,
           const io::profiles::ParsedTable& table)
      : preview_(preview), chosen_(chosen), table_(table) {}

  std::vector<TableFinding> all(int samples) {
    add_wrong();
    add_assumed(samples);
    add_understood();
    return std::move(found_);
  }

 private:
  void add(TableFinding::Kind kind, const QString& text, int line = 0, std::optional<std::size_t> column = {}) {
    found_.push_back({kind, text, line, column});
  }

  bool reads(const io::profiles::ProfileKey& key) const { return table_.columns.contains(std::string(key.name)); }

  void add_wrong() {
    const auto keys = io::profiles::column_keys();
    bool complete = true;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (!keys[k].needed || reads(keys[k])) continue;
      add(TableFinding::wrong, LayerTableText::tr("No column is chosen for: %1").arg(meaning_of(k)));
      complete = false;
    }
    if (complete)
      for (const io::profiles::TableProblem& problem : table_.problems) add_problem(problem);
    if (preview_.rows->size() < 2)
      add(TableFinding::wrong, LayerTableText::tr("The table has no layers below its heading."));
  }

  void add_problem(const io::profiles::TableProblem& problem) {
    const QString place = problem.column ? LayerTableText::tr("Line %1, column %2 (%3)")
                                               .arg(problem.line)
                                               .arg(*problem.column + 1)
                                               .arg(text::to_qstring(preview_.headings()[*problem.column]))
                                         : LayerTableText::tr("Line %1").arg(problem.line);
    add(TableFinding::wrong, QStringLiteral("%1: %2").arg(place, text::to_qstring(problem.message)), problem.line,
        problem.column);
  }

  void add_assumed(int samples) {
    const auto keys = io::profiles::column_keys();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::string name(keys[k].name);
      if (std::ranges::find(table_.unit_assumed, name) == table_.unit_assumed.end()) continue;
      const io::profiles::TableColumn& read = table_.columns.at(name);
      add(TableFinding::assumed,
          LayerTableText::tr("%1: figures without a unit are in %2").arg(meaning_of(k), text::to_qstring(read.unit)), 0,
          read.position);
    }
    if (!preview_.micro_batch)
      add(TableFinding::assumed,
          LayerTableText::tr("Times are for %1: the table does not name the device")
              .arg(work::format_count(samples, LayerTableText::tr("sample"), LayerTableText::tr("samples"))));
    const std::pair<const char*, QString> missing[] = {
        {"kind", LayerTableText::tr("Kinds of layers: by their names")},
        {"backward_weight_ms",
         LayerTableText::tr("Gradients of weights: half of the backward time, where a layer has parameters")},
        {"saved_bytes", LayerTableText::tr("Saved for the backward pass: as large as the output")},
        {"workspace_bytes", LayerTableText::tr("Workspace: none")}};
    for (const auto& [key, text] : missing)
      if (!table_.columns.contains(key)) add(TableFinding::assumed, text);
  }

  void add_understood() {
    add(TableFinding::understood,
        LayerTableText::tr("%1, a row each, fields between %2")
            .arg(work::format_count(static_cast<qint64>(preview_.rows->size()) - 1, LayerTableText::tr("layer"),
                                    LayerTableText::tr("layers")),
                 preview_.separator));
    if (preview_.micro_batch) add(TableFinding::understood, LayerTableText::tr("Micro-batch from the file's name"));
    const auto keys = io::profiles::column_keys();
    QStringList left;
    for (std::size_t at = 0; at < chosen_.size(); ++at) {
      const QString heading = text::to_qstring(preview_.headings()[at]);
      if (chosen_[at].key < 0) {
        left << heading;
        continue;
      }
      const auto key = static_cast<std::size_t>(chosen_[at].key);
      const auto read = table_.columns.find(std::string(keys[key].name));
      if (read == table_.columns.end() || read->second.position != at) continue;
      const QString unit = text::to_qstring(read->second.unit);
      add(TableFinding::understood,
          unit.isEmpty() ? LayerTableText::tr("%1: column %2").arg(meaning_of(key), heading)
                         : LayerTableText::tr("%1: column %2, in %3").arg(meaning_of(key), heading, unit),
          0, at);
    }
    if (!left.isEmpty())
      add(TableFinding::understood, LayerTableText::tr("Not used: %1").arg(left.join(QStringLiteral(", "))));
  }

  const TablePreview& preview_;
  const std::vector<ColumnMeaning>& chosen_;
  const io::profiles::ParsedTable& table_;
  std::vector<TableFinding> found_;
};

std::vector<ColumnMeaning> guessed_meanings(const std::vector<std::string>& headings) {
  std::vector<ColumnMeaning> meanings(headings.size());
  const auto keys = io::profiles::column_keys();
  for (const auto& [name, column] : io::profiles::infer_profile_columns(headings)) {
    const auto key = std::ranges::find(keys, name, &io::profiles::ProfileKey::name);
    meanings[*column.position] = {static_cast<int>(key - keys.begin()), column.unit};
  }
  return meanings;
}

}  // namespace

bool is_layer_table(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  const std::string start = file.read(looked_at).toStdString();
  const QString ending = QFileInfo(path).suffix().toLower();
  const bool named = ending == QLatin1String("csv") || ending == QLatin1String("tsv");
  return (named && !start.empty() && start.front() != '{' && start.front() != '[') ||
         io::profiles::looks_like_profile_csv(start);
}

Result<TablePreview> layer_table_in(const QString& file) {
  TRY(const auto content, io::read_file(file.toStdString()));
  auto rows = io::csv::csv_rows(content, io::profiles::layer_table_limits);
  if (!rows) {
    rows.error().file = file.toStdString();
    return tl::unexpected(std::move(rows.error()));
  }
  if (rows->empty())
    return fail(ErrorCode::bad_input,
                LayerTableText::tr("The table is empty: expected a heading and a row for each layer.").toStdString(),
                {}, file.toStdString());
  TablePreview preview;
  preview.name = QFileInfo(file).completeBaseName();
  preview.separator = separator_text(io::csv::csv_separator(content));
  preview.micro_batch = io::profiles::micro_batch_in_file_name(file.toStdString());
  preview.guessed = guessed_meanings(rows->front().fields);
  preview.rows = std::make_shared<const std::vector<io::csv::CsvRow>>(*std::move(rows));
  return preview;
}

TableReading TablePreview::read(const std::vector<ColumnMeaning>& columns, const QString& profile_name,
                                int samples) const {
  io::profiles::ParsedTable table = io::profiles::read_layer_rows(*rows, declared_columns(columns, headings()), false);
  TableReading reading;
  reading.findings = Findings(*this, columns, table).all(samples);
  const bool wrong = reading.findings.front().kind == TableFinding::wrong;
  if (wrong) return reading;
  ImportShare share = io::profiles::share_of(table, headings());
  share.format = "layer-table";
  reading.findings.push_back({TableFinding::understood, text::to_qstring(line_of(share)), 0, {}});
  auto profile = io::profiles::profile_of_table(std::move(table), profile_name.toStdString(), samples);
  if (profile)
    reading.profile = *std::move(profile);
  else
    reading.findings.insert(reading.findings.begin(),
                            TableFinding{TableFinding::wrong, text::to_qstring(profile.error()), 0, {}});
  return reading;
}

QStringList column_meanings() {
  return {LayerTableText::tr("Name"),
          LayerTableText::tr("Kind"),
          LayerTableText::tr("Forward time"),
          LayerTableText::tr("Backward time"),
          LayerTableText::tr("Gradient of weights"),
          LayerTableText::tr("Output"),
          LayerTableText::tr("Saved for backward"),
          LayerTableText::tr("Parameters"),
          LayerTableText::tr("Workspace")};
}

QStringList column_units(int key) {
  const auto measure = key < 0 ? std::nullopt : io::profiles::column_keys()[static_cast<std::size_t>(key)].measure;
  if (!measure) return {};
  if (*measure == QuantityKind::time)
    return {QStringLiteral("ns"), QStringLiteral("us"), QStringLiteral("ms"), QStringLiteral("s")};
  QStringList units{QStringLiteral("B")};
  for (const char* prefix : {"k", "M", "G"}) units << QLatin1String(prefix) + QStringLiteral("B");
  for (const char* prefix : {"K", "M", "G"}) units << QLatin1String(prefix) + QStringLiteral("iB");
  return units;
}

QString usual_unit(int key) {
  return key < 0 ? QString()
                 : text::to_qstring(std::string(io::profiles::column_keys()[static_cast<std::size_t>(key)].unit));
}

}  // namespace pipedeck::session::profile
