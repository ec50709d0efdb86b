package dev.tallystick.engine;

/** What came of an attempt to deploy a graph. */
public sealed interface Deployment {

    /**
     * The graph is durable, and registered in this process; other processes on the database register it soon.
     *
     * @param before whether it was deployed already, with the same text
     */
    record Deployed(DeployedGraph graph, boolean before) implements Deployment {}

    /** Nothing was written: this version is there already and says something else. Deploy the change as another version. */
    record VersionTaken(String name, int version, String by) implements Deployment {}
}
