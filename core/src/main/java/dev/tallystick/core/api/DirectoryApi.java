package dev.tallystick.core.api;

import java.util.List;

/** Topics with their subscribers, and queues. */
public interface DirectoryApi {

    record Named(String name) {}

    record Names(List<String> names) {}

    record Subscribers(String topic, List<String> members) {}

    /** There are no settings beyond the name. */
    record Nothing() {}
}
