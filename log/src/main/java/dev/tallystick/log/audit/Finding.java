package dev.tallystick.log.audit;

/**
 * Something wrong with a log.
 *
 * @param where the entry or file, such as {@code entry 17} or {@code tile/0/000}
 */
public record Finding(String where, String what) {

    @Override
    public String toString() {
        return where + ": " + what;
    }
}
