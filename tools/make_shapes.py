#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a small set of labelled images to train on: ten shapes at random places, sizes and shades, with noise.

Writes MNIST's format: NAME-images-idx3-ubyte.gz and NAME-labels-idx1-ubyte.gz. The same seed draws the same images.
usage: tools/make_shapes.py NAME [--count N] [--size PIXELS] [--noise 0..255] [--seed N]
"""
import argparse
import gzip
import random
import struct

SHAPES = [  # whether a point (-1..1 each way, y down) is inside
    ("disc", lambda x, y: x * x + y * y < 1),
    ("ring", lambda x, y: 0.4 < x * x + y * y < 1),
    ("square", lambda x, y: True),
    ("frame", lambda x, y: max(abs(x), abs(y)) > 0.6),
    ("triangle up", lambda x, y: abs(x) < (y + 1) / 2),
    ("triangle down", lambda x, y: abs(x) < (1 - y) / 2),
    ("plus", lambda x, y: min(abs(x), abs(y)) < 0.3),
    ("cross", lambda x, y: abs(abs(x) - abs(y)) < 0.35),
    ("bars", lambda x, y: int((y + 1) * 2.49) % 2 == 0),
    ("posts", lambda x, y: int((x + 1) * 2.49) % 2 == 0),
]


def image(rng, inside, size, noise):
    radius = rng.uniform(0.25, 0.42) * size
    left, top = (rng.uniform(radius, size - radius) for _ in range(2))
    ground, shade = rng.uniform(0, 80), rng.uniform(150, 255)
    for row in range(size):
        for column in range(size):
            x, y = (column + 0.5 - left) / radius, (row + 0.5 - top) / radius
            value = shade if max(abs(x), abs(y)) <= 1 and inside(x, y) else ground
            yield min(255, max(0, round(value + rng.gauss(0, noise))))


def write(path, head, data):
    with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(head + bytes(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--size", type=int, default=28)
    parser.add_argument("--noise", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    labels = [i % len(SHAPES) for i in range(options.count)]
    pixels = bytearray()
    for label in labels:
        pixels.extend(image(rng, SHAPES[label][1], options.size, options.noise))
    write(options.name + "-images-idx3-ubyte.gz",
          struct.pack(">BBBBIII", 0, 0, 8, 3, options.count, options.size, options.size), pixels)
    write(options.name + "-labels-idx1-ubyte.gz", struct.pack(">BBBBI", 0, 0, 8, 1, options.count), labels)


if __name__ == "__main__":
    main()
