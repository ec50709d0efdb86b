package dev.tallystick.core.api;

import java.util.List;

/** What the servers of two partners exchange: packets of messages, and hashes of their books. */
public interface PartnerApi {

    /**
     * Messages on their way.
     *
     * @param packet in base64
     */
    record Packet(String packet) {}

    record PacketTaken(int taken) {}

    record PeriodHash(String day, String hash) {}

    /**
     * The hashes of all days.
     *
     * @param books names these books in the next questions about them
     */
    record Roots(String books, List<PeriodHash> periods) {}

    record NodeHash(String node, String hash) {}

    record NodeList(List<NodeHash> nodes) {}

    /**
     * A question for the postings in some nodes.
     *
     * @param nodes at most 100
     */
    record WantedNodes(List<String> nodes) {}

    record EntryView(String id, String status, String hash) {}

    record EntryList(List<EntryView> entries) {}
}
