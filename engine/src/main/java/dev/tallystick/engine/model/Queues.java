package dev.tallystick.engine.model;

import java.util.Collection;

/** The names of the queues in which postings wait. */
public final class Queues {

    /** Postings that no worker is needed for: timers, ends of children, cancels. */
    public static final String ENGINE = "$engine";

    private Queues() {}

    /** Jobs keep their version, so each version has its own queue. */
    public static String of(String workflow, int version) {
        return workflow + "@" + version;
    }

    /** The queue for a graph's work that needs no worker: only processes that have the graph read it. */
    public static String ofGraph(String graph) {
        return "$graph:" + graph;
    }

    public static String[] ofGraphs(Collection<String> graphs) {
        return graphs.stream().map(Queues::ofGraph).toArray(String[]::new);
    }
}
