// SPDX-License-Identifier: Apache-2.0
// A document as a page that is XML too.
#include <fmt/format.h>

#include "core/study/reports/document.hpp"
#include "core/study/reports/palette.hpp"
#include "core/study/reports/plain_text.hpp"

namespace pipedeck::study::reports {
namespace {

/// Dark where the screen is, light on paper.
constexpr std::string_view style = R"(*{box-sizing:border-box}
body{margin:0;background:var(--window);color:var(--text);font:15px/1.5 system-ui,"Noto Sans","DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 40px 48px;background:var(--panel)}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:20px;line-height:1.3;margin:40px 0 8px;padding-top:12px;border-top:1px solid var(--border)}
h3{font-size:15px;margin:24px 0 6px}
h1,h2,h3,p,li{overflow-wrap:anywhere}
p{margin:6px 0}
h1+p{color:var(--muted);margin-bottom:16px}
ul{margin:6px 0;padding-left:22px}
.warning{border-left:3px solid var(--warning);background:var(--window);padding:6px 12px;margin:8px 0}
.table{display:inline-block;vertical-align:top;max-width:100%;overflow-x:auto;margin:8px 40px 12px 0}
table{border-collapse:collapse;font-size:12.5px;font-variant-numeric:tabular-nums}
th,td{padding:4px 8px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--border);overflow-wrap:break-word}
th+th,th+td,td+td{padding-left:8px}
thead th{color:var(--muted);font-weight:500;border-bottom:1px solid var(--muted)}
tbody th{font-weight:500;min-width:5.5em}
th.f,td.f{text-align:right}td.f{white-space:nowrap}thead th{vertical-align:bottom}
figure{margin:12px 0;overflow-x:auto}
figure svg{display:block;width:100%;height:auto}
pre{background:var(--window);border:1px solid var(--border);border-radius:4px;padding:10px 12px;overflow-x:auto;font:12.5px/1.5 ui-monospace,"DejaVu Sans Mono",monospace}
@media screen and (max-width:700px){main{padding:20px 16px 32px}}
@media print{@page{margin:14mm}body{background:none;font-size:12px}main{max-width:none;padding:0}table{font-size:9px}td.f{white-space:normal}th,td{padding:3px 4px 3px 0}th+th,th+td,td+td{padding-left:6px}h2,h3{break-after:avoid}figure,tr,.warning,li{break-inside:avoid}thead{display:table-header-group}.table,figure,pre{overflow:visible}pre{white-space:pre-wrap;overflow-wrap:anywhere}svg,.warning,pre{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)";

std::string style_sheet() {
  // Only a screen turns dark: whoever prints at night wants paper.
  return fmt::format(
      "\n:root{{color-scheme:light dark;{}}}\n{}@media screen and (prefers-color-scheme:dark){{:root{{{}}}{}}}\n",
      properties(false), style, properties(true), dark_rules());
}

class Html {
 public:
  std::string operator()(const Heading& heading) const {
    return fmt::format("<h{0}>{1}</h{0}>\n", heading.level, xml_text(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    return fmt::format("<p>{}</p>\n", xml_text(paragraph.text));
  }
  std::string operator()(const Warning& warning) const {
    return fmt::format("<p class=\"warning\">{}</p>\n", xml_text(warning.text));
  }
  std::string operator()(const List& list) const {
    std::string text = "<ul>\n";
    for (const std::string& item : list.items) text += fmt::format("<li>{}</li>\n", xml_text(item));
    return text + "</ul>\n";
  }
  std::string operator()(const Table& table) const {
    std::string text = "<div class=\"table\"><table>\n<thead><tr>";
    for (const Column& column : table.columns)
      text += fmt::format("<th scope=\"col\"{}>{}</th>", kind(column), xml_text(column.title));
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      text += "<tr>";
      for (std::size_t c = 0; c < table.columns.size(); ++c) text += cell(table, c, row[c]);
      text += "</tr>\n";
    }
    return text + "</tbody>\n</table></div>\n";
  }
  std::string operator()(const Picture& picture) const { return "<figure>\n" + picture.svg + "</figure>\n"; }
  std::string operator()(const Commands& commands) const {
    std::string text;
    for (const std::string& line : commands.lines) text += xml_text(line) + '\n';
    return "<pre><code>" + text + "</code></pre>\n";
  }

 private:
  static std::string_view kind(const Column& column) { return column.figures ? " class=\"f\"" : ""; }
  static std::string cell(const Table& table, std::size_t column, const std::string& text) {
    if (column == 0 && table.names_rows) return fmt::format("<th scope=\"row\">{}</th>", xml_text(text));
    return fmt::format("<td{}>{}</td>", kind(table.columns[column]), xml_text(text));
  }
};

}  // namespace

std::string to_html(const Document& document) {
  std::string body;
  for (const Block& block : document.blocks) body += std::visit(Html(), block);
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"{}\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      xml_text(document.language), xml_text(document.title), style_sheet(), body);
}

}  // namespace pipedeck::study::reports
