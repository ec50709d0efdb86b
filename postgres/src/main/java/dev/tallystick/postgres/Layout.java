package dev.tallystick.postgres;

import java.nio.file.Path;

/** The files in the directory of one server. */
record Layout(Path root) {

    /** The prefix for clusters under construction; anything with this prefix was never finished. */
    static final String UNFINISHED = "data.new-";

    /** The cluster. It exists only when complete. */
    Path data() {
        return root.resolve("data");
    }

    Path configuration() {
        return data().resolve("postgresql.conf");
    }

    Path pidFile() {
        return data().resolve("postmaster.pid");
    }

    Path lockFile() {
        return root.resolve("lock");
    }

    Path passwordFile() {
        return root.resolve("password");
    }

    Path logFile() {
        return root.resolve("server.log");
    }
}
