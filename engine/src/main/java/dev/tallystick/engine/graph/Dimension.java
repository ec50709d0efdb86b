package dev.tallystick.engine.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The dimension in which activities of a graph live: {@code poll:3} is the fourth round of {@code poll},
 * {@code outer:1/inner:0} the first round of {@code inner} in the second of {@code outer}.
 *
 * @param path its name; empty for the outermost dimension
 * @param around the path of the enclosing dimension
 * @param opener the node that opened it
 * @param round its round, counted from 0
 */
public record Dimension(String path, String around, String opener, int round) {

    /** Orders the paths of one node by round. */
    public static final Comparator<String> ROUNDS = (one, other) -> Arrays.compare(numbers(one), numbers(other));

    private static final Dimension OUTERMOST = new Dimension("", "", "", 0);

    /** The dimension at this path and all enclosing ones, outermost first. */
    public static List<Dimension> around(String path) {
        List<Dimension> all = new ArrayList<>();
        all.add(OUTERMOST);
        if (!path.isEmpty()) {
            for (String round : path.split("/", -1)) {
                int colon = round.indexOf(':');
                String opener = round.substring(0, colon);
                all.add(all.getLast().opened(opener, Integer.parseInt(round.substring(colon + 1))));
            }
        }
        return all;
    }

    /** The path of what follows a node at {@code path} if the node opens a dimension for this round. */
    public static String opened(String path, String opener, int round) {
        return (path.isEmpty() ? "" : path + "/") + opener + ":" + round;
    }

    /** The path where the opener of an enclosing round lives; a cycle enters the opener there again. */
    public static String outside(String path, String opener) {
        return around(path).stream()
                .filter(each -> each.opener().equals(opener))
                .map(Dimension::around)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("'" + path + "' lies in no round of '" + opener + "'"));
    }

    public boolean isOutermost() {
        return path.isEmpty();
    }

    private Dimension opened(String node, int number) {
        return new Dimension(opened(path, node, number), path, node, number);
    }

    private static int[] numbers(String path) {
        return around(path).stream()
                .filter(each -> !each.isOutermost())
                .mapToInt(Dimension::round)
                .toArray();
    }
}
