package dev.tallystick.exchange.books;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One side's record of the postings from a producer to a consumer, as hashes to compare. The postings of a period are the
 * leaves of a tree by the hash of their id: the root has 256 nodes by the first byte, each of those 256 by the second, and those
 * hold the postings. Equal hashes mean equal postings with equal outcomes.
 */
public interface Books {

    /** The hash of every period that has postings. */
    Map<Period, String> roots();

    /** The hashes of the nodes below the root, by their byte in hex. */
    Map<String, String> nodes(Period period);

    /** The hashes of the nodes below a node, by their two bytes in hex. */
    Map<String, String> nodes(Period period, String node);

    /** The postings below these nodes of the second level. */
    List<Entry> entries(Period period, Set<String> nodes);

    /**
     * A posting as it is compared.
     *
     * @param status of its processing
     * @param hash of its content and its outcome
     */
    record Entry(String id, String status, String hash) {}
}
