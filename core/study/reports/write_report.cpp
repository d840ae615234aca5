// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/write_report.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "core/io/files.hpp"

namespace pipedeck::study::reports {
namespace {

namespace fs = std::filesystem;

/// The folder that pictures are put into; one that was made here goes where they can't be.
class PictureFolder {
 public:
  explicit PictureFolder(fs::path path) : path_(std::move(path)) {}
  PictureFolder(const PictureFolder&) = delete;
  PictureFolder& operator=(const PictureFolder&) = delete;
  ~PictureFolder() {
    std::error_code ignored;
    if (made_ && !kept_) fs::remove(path_, ignored);  // empty, else it stays
  }

  Result<void> make() {
    std::error_code problem;
    made_ = fs::create_directory(path_, problem);
    if (problem)
      return fail(ErrorCode::io, fmt::format("the folder can't be made: {}", problem.message()), {}, path_.string());
    return {};
  }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool made_ = false, kept_ = false;
};

Result<void> write_markdown(const std::string& path, const Document& document) {
  const fs::path file(path);
  const fs::path folder = file.parent_path() / (file.stem().string() + "-pictures");
  const MarkdownText made = to_markdown(document, folder.filename().string());
  PictureFolder pictures(folder);
  TRY_VOID(pictures.make());
  std::vector<io::FileText> files;
  for (const PictureFile& picture : made.pictures) files.push_back({(folder / picture.name).string(), picture.svg});
  files.push_back({path, made.text});
  TRY_VOID(io::write_files(files));
  pictures.keep();
  return {};
}

}  // namespace

bool is_markdown_file(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".md" || ending == ".markdown";
}

Result<void> write_report(const std::string& path, const Document& document) {
  return is_markdown_file(path) ? write_markdown(path, document) : io::write_file(path, to_html(document));
}

}  // namespace pipedeck::study::reports
