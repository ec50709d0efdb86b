package dev.tallystick.log.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a tile of hashes or a bundle of entries, as C2SP tlog-tiles lays them out.
 *
 * @param level the level of a hash tile, or {@link #ENTRIES}
 * @param index the number of the tile within its level
 * @param width how many hashes or entries it has; less than {@link #FULL} if it is partial
 */
public record TilePath(int level, long index, int width) {

    public static final int HEIGHT = 8;
    public static final int FULL = 1 << HEIGHT;

    /** The level of entry bundles. */
    public static final int ENTRIES = -1;

    private static final int HIGHEST_LEVEL = 7;
    private static final Pattern PATH =
            Pattern.compile("tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\\.p/([1-9][0-9]{0,2}))?");

    public TilePath {
        if (level < ENTRIES || level > HIGHEST_LEVEL || index < 0 || width < 1 || width > FULL) {
            throw new IllegalArgumentException("no tile at level " + level + ", index " + index + ", width " + width);
        }
    }

    /** The path below the directory or URL of the log. */
    public String path() {
        List<String> parts = new ArrayList<>();
        long rest = index;
        do {
            parts.addFirst("%s%03d".formatted(parts.isEmpty() ? "" : "x", rest % 1000));
            rest /= 1000;
        } while (rest > 0);
        String name = "tile/" + (level == ENTRIES ? "entries" : level) + "/" + String.join("/", parts);
        return isFull() ? name : name + ".p/" + width;
    }

    /** Parses a path, and only the form that {@link #path()} writes. */
    public static Optional<TilePath> parse(String path) {
        Matcher parts = PATH.matcher(path);
        if (!parts.matches()) {
            return Optional.empty();
        }
        int level = parts.group(1).equals("entries") ? ENTRIES : Integer.parseInt(parts.group(1));
        int width = parts.group(3) == null ? FULL : Integer.parseInt(parts.group(3));
        boolean partial = parts.group(3) != null;
        if (level > HIGHEST_LEVEL || (partial && width >= FULL)) {
            return Optional.empty();
        }
        long index = Long.parseLong(parts.group(2).replaceAll("[x/]", ""));
        return Optional.of(new TilePath(level, index, width))
                .filter(tile -> tile.path().equals(path));
    }

    public boolean isFull() {
        return width == FULL;
    }

    /** How many hashes a level has in a tree; bundles have as many entries as level 0 has hashes. */
    public static long hashesAt(int level, long size) {
        return size >>> (HEIGHT * Math.max(level, 0));
    }

    /** The tiles that hold one level of a tree of this size, from the tile {@code first} on. */
    public static List<TilePath> ofLevel(int level, long first, long size) {
        List<TilePath> tiles = new ArrayList<>();
        long hashes = hashesAt(level, size);
        for (long index = first; index * FULL < hashes; index++) {
            tiles.add(new TilePath(level, index, (int) Math.min(FULL, hashes - index * FULL)));
        }
        return tiles;
    }
}
