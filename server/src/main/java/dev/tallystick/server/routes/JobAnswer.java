package dev.tallystick.server.routes;

import dev.tallystick.keys.StoredResponse;
import org.jspecify.annotations.Nullable;

/**
 * What is kept with a key, so that the answers to a submission and its repeats say the same of its job.
 *
 * @param acceptance the number of the key's acceptance, if that was promised to be sealed; null if nothing was promised
 */
record JobAnswer(int version, @Nullable Integer acceptance) {

    /** The version, and after a space the number of the acceptance; nothing at all for a job of the library. */
    StoredResponse stored() {
        return StoredResponse.of(acceptance == null ? Integer.toString(version) : version + " " + acceptance);
    }

    static JobAnswer of(StoredResponse stored) {
        String text = stored.text();
        int space = text.indexOf(' ');
        if (space >= 0) {
            return new JobAnswer(Integer.parseInt(text, 0, space, 10), Integer.valueOf(text.substring(space + 1)));
        }
        return new JobAnswer(text.isEmpty() ? 1 : Integer.parseInt(text), null);
    }
}
