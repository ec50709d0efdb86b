package dev.tallystick.keys;

/** A handler's verdict on its request. */
public sealed interface Verdict {

    /** A verdict that can be given later, by someone who has found out what happened. */
    sealed interface Resolution extends Verdict {}

    /** A final answer, returned for every repeat of the request. */
    sealed interface Answer extends Resolution {

        StoredResponse response();
    }

    /** The request was done. */
    record Commit(StoredResponse response) implements Answer {}

    /** The request was refused, and would be again. */
    record Reject(StoredResponse response) implements Answer {}

    /** Nothing happened, for certain, and the key is free again: the next request may succeed. */
    record Release() implements Resolution {}

    /** The work may or may not be done: the owner or an operator must find out before the key can be answered. */
    record Unknown() implements Verdict {}

    static Answer commit(StoredResponse response) {
        return new Commit(response);
    }

    static Answer commit(String response) {
        return new Commit(StoredResponse.of(response));
    }

    static Answer reject(StoredResponse response) {
        return new Reject(response);
    }

    static Answer reject(String response) {
        return new Reject(StoredResponse.of(response));
    }

    static Resolution release() {
        return new Release();
    }

    static Verdict unknown() {
        return new Unknown();
    }
}
