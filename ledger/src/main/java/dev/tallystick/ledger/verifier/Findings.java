package dev.tallystick.ledger.verifier;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong, up to a limit. */
final class Findings {

    private final List<Finding> list = new ArrayList<>();

    void add(Finding.Kind kind, String where, String detail) {
        add(kind, where, "", detail);
    }

    void add(Finding.Kind kind, String where, String transaction, String detail) {
        if (!isFull()) {
            list.add(new Finding(kind, where, transaction, detail));
        }
    }

    /** Puts findings before those from {@code position} on. */
    void insert(int position, List<Finding> earlier) {
        list.addAll(Math.min(position, list.size()), earlier);
        list.subList(Math.min(list.size(), Report.MOST_FINDINGS), list.size()).clear();
    }

    int size() {
        return list.size();
    }

    boolean isEmpty() {
        return list.isEmpty();
    }

    /** Whether more would not be kept, so that there is no use in looking for it. */
    boolean isFull() {
        return list.size() >= Report.MOST_FINDINGS;
    }

    List<Finding> list() {
        return List.copyOf(list);
    }
}
