package dev.tallystick.keys;

import java.util.List;
import java.util.UUID;

/** The credentials of reservation holders, as the arrays that {@code unnest} takes. */
final class HolderColumns {

    private final KeyColumns keys;
    private final UUID[] ids;
    private final String[] owners;
    private final long[] fences;

    private HolderColumns(KeyColumns keys, int size) {
        this.keys = keys;
        ids = new UUID[size];
        owners = new String[size];
        fences = new long[size];
    }

    static HolderColumns of(List<Settlement> settlements) {
        HolderColumns columns = new HolderColumns(KeyColumns.of(settlements, Settlement::key), settlements.size());
        for (int i = 0; i < settlements.size(); i++) {
            Reservation reservation = settlements.get(i).reservation();
            columns.ids[i] = reservation.id();
            columns.owners[i] = reservation.owner().name();
            columns.fences[i] = reservation.fence();
        }
        return columns;
    }

    KeyColumns keys() {
        return keys;
    }

    UUID[] ids() {
        return ids;
    }

    String[] owners() {
        return owners;
    }

    long[] fences() {
        return fences;
    }
}
