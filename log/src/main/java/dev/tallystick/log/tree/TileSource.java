package dev.tallystick.log.tree;

import java.io.IOException;

/** Hands out tiles and bundles by their names: from a directory, a database or a web server. */
@FunctionalInterface
public interface TileSource {

    /**
     * The bytes of a tile or bundle. The answer may be wider than the path asks for, never narrower.
     *
     * @throws java.nio.file.NoSuchFileException if the log has no such tile
     */
    byte[] read(TilePath path) throws IOException;
}
