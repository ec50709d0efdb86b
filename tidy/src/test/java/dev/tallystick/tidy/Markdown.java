package dev.tallystick.tidy;

import java.util.ArrayList;
import java.util.List;

/**
 * A page taken apart into its prose and its fenced blocks.
 *
 * @param prose the lines outside of fences
 * @param blocks the fenced blocks in their order
 */
record Markdown(List<Line> prose, List<Block> blocks) {

    /** A line and its number in the file, from 1. */
    record Line(int number, String text) {}

    /** What stands between two fences; {@code language} is the word behind the opening one, or empty. */
    record Block(String path, int line, String language, List<String> lines) {}

    private static final String FENCE = "```";

    static Markdown of(SourceFile file) {
        List<Line> prose = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        boolean inBlock = false;
        int number = 0;
        for (String line : file.lines()) {
            number++;
            if (line.startsWith(FENCE)) {
                if (!inBlock) {
                    String language = line.substring(FENCE.length()).strip();
                    blocks.add(new Block(file.path(), number, language, new ArrayList<>()));
                }
                inBlock = !inBlock;
            } else if (inBlock) {
                blocks.getLast().lines().add(line);
            } else {
                prose.add(new Line(number, line));
            }
        }
        return new Markdown(prose, blocks);
    }
}
