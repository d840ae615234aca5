#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the losses of run logs (pipedeck-cli run --events), a chart a log side by side.

Written by hand so that nothing has to be installed. usage: tools/plot_losses.py OUT.svg TITLE=LOG.jsonl ...
"""
import json
import sys

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 380, 240, 60, 40, 50, 60
SMOOTH = 20  # steps of the running mean


def read(path):
    with open(path) as file:
        events = [json.loads(line) for line in file]
    return [event["loss"] for event in events if event["event"] == "step"]


def means(losses):
    for i in range(len(losses)):
        window = losses[max(0, i - SMOOTH + 1):i + 1]
        yield sum(window) / len(window)


def line(values, x, y, style):
    points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in enumerate(values, 1))
    return f'<polyline points="{points}" fill="none" {style}/>'


def chart(title, losses, left):
    top = max(1, -(-max(losses) // 1))
    x = lambda step: left + WIDTH * (step - 1) / max(1, len(losses) - 1)
    y = lambda loss: TOP + HEIGHT * (1 - loss / top)
    out = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{title}</text>']
    for tick in range(int(top) + 1):
        out.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
    for part in range(5):
        step = 1 if part == 0 else round(len(losses) * part / 4)
        out.append(f'<text x="{x(step):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{step}</text>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">step</text>')
    out.append(line(losses, x, y, 'stroke="#0072b2" stroke-opacity="0.3"'))
    out.append(line(means(losses), x, y, 'stroke="#0072b2" stroke-width="2"'))
    return out


def main():
    if len(sys.argv) < 3 or any("=" not in argument for argument in sys.argv[2:]):
        sys.exit(__doc__)
    charts = [argument.split("=", 1) for argument in sys.argv[2:]]
    width = LEFT + len(charts) * (WIDTH + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HEIGHT + BOTTOM}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for i, (title, path) in enumerate(charts):
        out += chart(title, read(path), LEFT + i * (WIDTH + GAP))
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
