// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/thumbnail.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <QImage>
#include <QPainter>
#include <QSaveFile>

#include "app/session/thumbnail.hpp"
#include "app/views/compare/start_cards.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::ui::window {

namespace {

constexpr rlim_t most_processor_seconds = 10, most_memory = rlim_t{1} << 30, most_output = rlim_t{16} << 20;
constexpr unsigned most_seconds = 20;

void limit(__rlimit_resource what, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(what, &limits);
}

}  // namespace

void limit_for_thumbnail() {
  limit(RLIMIT_CPU, most_processor_seconds);
  limit(RLIMIT_DATA, most_memory);
  limit(RLIMIT_FSIZE, most_output);
  limit(RLIMIT_CORE, 0);
  ::alarm(most_seconds);
}

Result<void> write_thumbnail(const QString& project, int size, const QString& picture) {
  TRY(const auto simulation, session::simulate_for_thumbnail(project));
  const views::widgets::Theme& theme = views::widgets::Theme::light();
  QImage image(size, size * 3 / 4, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  const double side = size / 16.0;
  painter.setPen(theme.border);
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(image.rect()).adjusted(0.5, 0.5, -0.5, -0.5), side, side);
  painter.setRenderHint(QPainter::Antialiasing, false);
  views::compare::paint_schedule(painter, QRectF(image.rect()).adjusted(side, side, -side, -side), simulation->timeline,
                                 theme);
  painter.end();
  QSaveFile out(picture);
  if (out.open(QIODevice::WriteOnly) && image.save(&out, "PNG") && out.commit()) return {};
  return fail(ErrorCode::io, out.errorString().toStdString(), {}, picture.toStdString());
}

}  // namespace pipedeck::ui::window
