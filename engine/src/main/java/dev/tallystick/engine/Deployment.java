package dev.tallystick.engine;

/** The result of an attempt to deploy a graph. */
public sealed interface Deployment {

    /**
     * The graph is durable and registered in this process; other processes on the database register it soon.
     *
     * @param before whether it was already deployed with the same text
     */
    record Deployed(DeployedGraph graph, boolean before) implements Deployment {}

    /** Nothing was written: this version already exists with a different text. Deploy the change as another version. */
    record VersionTaken(String name, int version, String by) implements Deployment {}
}
