// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion between layers and rows of a spreadsheet.
#include <algorithm>
#include <array>
#include <optional>

#include <QCoreApplication>
#include <QStringList>

#include "app/session/profile/layers.hpp"
#include "core/base/quantity_text.hpp"

namespace pipedeck::session::profile {

namespace {

struct PasteText {
  Q_DECLARE_TR_FUNCTIONS(ProfileEdits)
};

/// Headings are not translated, since the text is exchanged with other programs.
constexpr std::array<const char*, 7> headings{"Layer", "Kind", "Forward", "Backward", "Output", "Saved", "Parameters"};
constexpr int figures_from = 2;
constexpr int max_rows = 5'000;

struct Column {
  int field = -1;    ///< index in `headings`; -1: ignored
  std::string unit;  ///< of figures without a unit
};

LayerFigure figure_at(int field) { return static_cast<LayerFigure>(field - figures_from); }
bool is_time(int field) { return field < figures_from + 2; }

QString cell_of(const Layer& layer, int field) {
  if (field == 0) return QString::fromStdString(layer.name);
  if (field == 1) return QString::fromStdString(layer.kind);
  const double value = figure_of(layer, figure_at(field));
  return is_time(field) ? QString::number(value * 1e3, 'g', QLocale::FloatingPointShortest) + QStringLiteral(" ms")
                        : QString::number(static_cast<qint64>(value)) + QStringLiteral(" B");
}

/// Parses a heading: "Forward (us)" means times in microseconds.
std::optional<Column> column_headed(const QString& cell) {
  const QString name = cell.section(QLatin1Char('('), 0, 0).trimmed();
  for (std::size_t i = 0; i < headings.size(); ++i) {
    if (name.compare(QLatin1String(headings[i]), Qt::CaseInsensitive) != 0) continue;
    Column column{static_cast<int>(i), i < figures_from ? "" : is_time(static_cast<int>(i)) ? "ms" : "B"};
    if (cell.contains(QLatin1Char('(')))
      column.unit = cell.section(QLatin1Char('('), 1).section(QLatin1Char(')'), 0, 0).trimmed().toStdString();
    return column;
  }
  return std::nullopt;
}

/// Returns the columns that a heading row names; empty if the row is not a heading.
std::vector<Column> columns_of_heading(const QStringList& cells) {
  std::vector<Column> columns;
  bool any = false;
  for (const QString& cell : cells) {
    const auto column = column_headed(cell);
    any = any || column;
    columns.push_back(column.value_or(Column{}));
  }
  const auto named = [](const Column& column) { return column.field == 0; };
  return any && std::ranges::any_of(columns, named) ? columns : std::vector<Column>{};
}

std::vector<Column> parse_columns(int column, qsizetype count) {
  std::vector<Column> columns;
  for (qsizetype i = 0; i < count && column + i < static_cast<int>(headings.size()); ++i) {
    const int field = column + static_cast<int>(i);
    columns.push_back({field, field < figures_from ? "" : is_time(field) ? "ms" : "B"});
  }
  return columns;
}

/// Writes cells into a layer; empty and unchanged ones have no effect.
Result<void> take_row(Profile& profile, Layer& layer, const QStringList& cells, const std::vector<Column>& columns,
                      qsizetype line) {
  for (std::size_t i = 0; i < columns.size() && static_cast<qsizetype>(i) < cells.size(); ++i) {
    const QString cell = cells[static_cast<qsizetype>(i)].trimmed();
    const int field = columns[i].field;
    if (field < 0 || cell.isEmpty() || cell == cell_of(layer, field)) continue;
    if (field == 0) layer.name = cell.toStdString();
    if (field == 1) layer.kind = cell.toStdString();
    if (field < figures_from) continue;
    const auto value =
        parse_quantity(is_time(field) ? QuantityKind::time : QuantityKind::bytes, cell.toStdString(), columns[i].unit);
    Result<void> set = value ? set_figure(layer, profile.micro_batch, figure_at(field), *value)
                             : Result<void>(tl::unexpected(value.error()));
    if (set) continue;
    set.error().place = PasteText::tr("row %1, %2")
                            .arg(line)
                            .arg(QLatin1String(headings[static_cast<std::size_t>(field)]))
                            .toStdString();
    return set;
  }
  return {};
}

int named(const Profile& profile, const QString& name) {
  const auto found = std::ranges::find(profile.layers, name.toStdString(), &Layer::name);
  return found == profile.layers.end() ? -1 : static_cast<int>(found - profile.layers.begin());
}

/// Inserts a layer of this row after `position`.
Result<Profile> with_row_added(Profile profile, int position, const QStringList& cells,
                               const std::vector<Column>& columns, qsizetype line) {
  Layer layer;
  TRY_VOID(take_row(profile, layer, cells, columns, line));
  layer.name = unused_layer_name(profile, layer.name.empty() ? PasteText::tr("new layer").toStdString() : layer.name);
  if (layer.parameters.count > 0) layer.backward_weight = layer.backward * 0.5;
  return with_new_layer(std::move(profile), position + 1, std::move(layer));
}

}  // namespace

QString layers_to_text(const Profile& profile, const Layers& layers) {
  QStringList heading;
  for (const char* name : headings) heading << QLatin1String(name);
  QStringList rows{heading.join(QLatin1Char('\t'))};
  for (const int number : layers) {
    QStringList cells;
    for (int field = 0; field < static_cast<int>(headings.size()); ++field)
      cells << cell_of(profile.layers[static_cast<std::size_t>(number)], field)
                   .replace(QLatin1Char('\t'), QLatin1Char(' '));
    rows << cells.join(QLatin1Char('\t'));
  }
  return rows.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

Result<Profile> with_text_pasted(Profile profile, int position, int column, const QString& text) {
  QStringList rows = text.split(QLatin1Char('\n'));
  while (!rows.isEmpty() && rows.last().trimmed().isEmpty()) rows.removeLast();
  // Plans and other documents are JSON on the clipboard.
  if (!rows.isEmpty() && (rows.first().startsWith(QLatin1Char('{')) || rows.first().startsWith(QLatin1Char('['))))
    return fail(ErrorCode::bad_input, PasteText::tr("The clipboard has no rows of layers.").toStdString());
  if (rows.isEmpty()) return fail(ErrorCode::bad_input, PasteText::tr("The clipboard has no text.").toStdString());
  if (rows.size() > max_rows)
    return fail(ErrorCode::bad_input,
                PasteText::tr("The clipboard has more than %1 rows.").arg(max_rows).toStdString());
  const auto cells_of = [](const QString& row) {
    return QString(row).remove(QLatin1Char('\r')).split(QLatin1Char('\t'));
  };
  const std::vector<Column> headed = columns_of_heading(cells_of(rows.first()));
  int at = std::clamp(position, 0, static_cast<int>(profile.layers.size()) - 1);
  for (qsizetype i = headed.empty() ? 0 : 1; i < rows.size(); ++i) {
    const QStringList cells = cells_of(rows[i]);
    const std::vector<Column> columns = headed.empty() ? parse_columns(std::max(column, 0), cells.size()) : headed;
    int target = at + (headed.empty() ? static_cast<int>(i) : 0);
    if (!headed.empty()) {
      const auto name = std::ranges::find(headed, 0, &Column::field) - headed.begin();
      target = name < cells.size() ? named(profile, cells[name].trimmed()) : -1;
    }
    if (target >= 0 && target < static_cast<int>(profile.layers.size())) {
      TRY_VOID(take_row(profile, profile.layers[static_cast<std::size_t>(target)], cells, columns, i + 1));
      continue;
    }
    const int behind = headed.empty() ? static_cast<int>(profile.layers.size()) - 1 : at++;
    auto added = with_row_added(std::move(profile), behind, cells, columns, i + 1);
    if (!added) return added;
    profile = *std::move(added);
  }
  return checked(std::move(profile));
}

}  // namespace pipedeck::session::profile
