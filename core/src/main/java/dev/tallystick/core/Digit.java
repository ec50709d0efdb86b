package dev.tallystick.core;

/**
 * The digit groups ("places") of the two 15-digit ledgers, by name. SQL adds the weight of a place to a ledger to increment
 * it; these weights are defined only here.
 *
 * <pre>
 *   digits   weight  activity ledger        GUID ledger
 *   1 to 3   1T      LEG1_ATTEMPTS          RESERVED
 *   4        100B    LEG1_COMPLETE          JOB_CLOSED
 *   5        10B     WORK_DONE              WORK_DONE
 *   6        1B      CHILDREN_SPAWNED       CHILDREN_SPAWNED
 *   7        100M    COMPLETION_TASKS_DONE  COMPLETION_TASKS_DONE
 *   8 to 15  1       LEG2_ENTRIES           ATTEMPTS
 * </pre>
 *
 * <p>Invariant: a place never carries into its neighbour. A flag is set once; a counter at its maximum is not incremented.
 */
public enum Digit {
    LEG1_ATTEMPTS(1_000_000_000_000L, 3, 999),
    RESERVED(1_000_000_000_000L, 3, 0),
    LEG1_COMPLETE(100_000_000_000L, 1, 1),
    JOB_CLOSED(100_000_000_000L, 1, 1),
    WORK_DONE(10_000_000_000L, 1, 1),
    CHILDREN_SPAWNED(1_000_000_000L, 1, 1),
    COMPLETION_TASKS_DONE(100_000_000L, 1, 1),
    LEG2_ENTRIES(1L, 8, 99_999_999),
    ATTEMPTS(1L, 8, 99_999_999);

    /** The number of decimal digits in a ledger. */
    public static final int COUNT = 15;

    /** The largest number that 15 digits can show; also the upper bound of the database's check. */
    public static final long CEILING = 999_999_999_999_999L;

    private final long weight;
    private final int width;
    private final int maximum;
    private final long modulus;

    Digit(long weight, int width, int maximum) {
        this.weight = weight;
        this.width = width;
        this.maximum = maximum;
        this.modulus = powerOfTen(width);
    }

    /** The amount to add to the ledger to increment this place by one. */
    public long weight() {
        return weight;
    }

    /** The largest value this place may hold: 1 for a flag. */
    public int maximum() {
        return maximum;
    }

    public boolean isFlag() {
        return maximum == 1;
    }

    /** The value of this place in {@code ledger}. */
    public int of(long ledger) {
        return (int) (ledger / weight % modulus);
    }

    /** The first decimal digit of this place, counted from 1 on the left. */
    public int first() {
        return last() - width + 1;
    }

    /** The last decimal digit of this place, counted from 1 on the left. */
    public int last() {
        int last = COUNT;
        for (long rest = weight; rest > 1; rest /= 10) {
            last--;
        }
        return last;
    }

    private static long powerOfTen(int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }
}
