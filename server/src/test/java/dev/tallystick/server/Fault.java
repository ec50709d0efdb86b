package dev.tallystick.server;

/** What can happen to a request between a client and a server. */
enum Fault {
    NONE(true, "nothing"),
    DROP_BEFORE(false, "the request is lost"),
    DROP_AFTER(true, "the answer is lost"),
    TRUNCATE(true, "the answer breaks off in the middle"),
    DELAY(true, "the answer does not come in time"),
    DUPLICATE(true, "the request arrives twice"),
    WRONG_TYPE(true, "the answer comes without its media type and its header `Tally-Api`"),
    EMPTY_200(false, "a proxy answers `200` and nothing"),
    BRACES_200(false, "a proxy answers `200` and `{}`"),
    PAGE_200(false, "a proxy answers `200` and a page"),
    EMPTY_204(false, "a proxy answers `204`"),
    MOVED_301(false, "a proxy answers `301`"),
    FOREIGN_404(false, "another product answers `404`, as a problem document"),
    FOREIGN_429(false, "a proxy answers `429`"),
    FOREIGN_502(false, "a proxy answers `502`"),
    ENDLESS(false, "an answer begins that never ends");

    /** Whether the request reaches the server. */
    final boolean reaches;

    final String sentence;

    Fault(boolean reaches, String sentence) {
        this.reaches = reaches;
        this.sentence = sentence;
    }

    /** Whether the client gets the server's answer as it was. */
    boolean isHarmless() {
        return this == NONE || this == DUPLICATE;
    }
}
