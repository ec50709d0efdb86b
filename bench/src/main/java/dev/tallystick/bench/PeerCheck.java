package dev.tallystick.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * Whether the peers ran as fast as they can: a lead over a peer that was held back proves nothing. Each is measured against its
 * rate on a machine where it was run by itself, scaled by how the floor of this run compares with the floor there.
 */
final class PeerCheck {

    /** Below this share of what is expected, the run says so. */
    private static final double ENOUGH = 0.7;

    /** A floor there, in transactions a second: one caller, and eight. */
    private record Floor(String name, double perSecond) {}

    private static final Floor ALONE = new Floor("floor.c1", 1_370);
    private static final Floor BEST = new Floor("floor.c8", 5_400);

    private record Known(String name, double perSecond, Floor floor) {}

    private static final List<Known> PEERS = List.of(
            new Known("dbos.1step.c1", 475, ALONE),
            new Known("dbos.1step.c32", 1_474, BEST),
            new Known("dbos.3step.c32", 833, BEST),
            new Known("dbscheduler.batch100", 11_050, BEST),
            new Known("jobrunr.batch", 1_625, BEST));

    /** A line for each peer of the run that came out slower than it should. */
    static List<String> doubts(Function<String, OptionalDouble> perSecond) {
        List<String> doubts = new ArrayList<>();
        for (Known peer : PEERS) {
            OptionalDouble measured = perSecond.apply(peer.name());
            OptionalDouble floor = perSecond.apply(peer.floor().name());
            if (measured.isPresent() && floor.isPresent()) {
                double expected =
                        peer.perSecond() * floor.getAsDouble() / peer.floor().perSecond();
                double share = measured.getAsDouble() / expected;
                if (share < ENOUGH) {
                    doubts.add(String.format(
                            Locale.ROOT,
                            "doubt: %s came to %.2f of the %,.0f a second that %s promises; what is compared with it flatters",
                            peer.name(),
                            share,
                            expected,
                            peer.floor().name()));
                }
            }
        }
        return doubts;
    }

    private PeerCheck() {}
}
