package dev.tallystick.log.files;

import dev.tallystick.log.tree.TilePath;

/** A tile or bundle with its bytes. */
public record TileBytes(TilePath path, byte[] bytes) {}
