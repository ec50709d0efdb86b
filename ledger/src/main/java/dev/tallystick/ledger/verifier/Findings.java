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
        if (list.size() < Report.MOST_FINDINGS) {
            list.add(new Finding(kind, where, transaction, detail));
        }
    }

    List<Finding> list() {
        return List.copyOf(list);
    }
}
