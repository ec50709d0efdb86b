package dev.tallystick.tidy;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The modules and the arrows between them. A module may use what its row names, and nothing by way of another. */
enum Module {
    CORE,
    POSTGRES(CORE),
    TESTKIT(CORE, POSTGRES),
    SQL(CORE),
    KEYS(CORE, SQL),
    LOG(CORE),
    ENGINE(CORE, SQL, KEYS, LOG),
    EXCHANGE(CORE, SQL),
    LEDGER(CORE),
    TALLYSTICK(CORE, POSTGRES, SQL, KEYS, ENGINE, EXCHANGE, LEDGER, LOG),
    BROKER(CORE, SQL, KEYS),
    CLIENT(CORE),
    DAEMON(CORE, CLIENT),
    SERVER(CORE, POSTGRES, SQL, KEYS, ENGINE, EXCHANGE, LEDGER, LOG, TALLYSTICK, BROKER),
    CLI(CORE, POSTGRES, SQL, KEYS, ENGINE, EXCHANGE, LEDGER, LOG, TALLYSTICK, BROKER, CLIENT, DAEMON, SERVER),
    BENCH(
            CORE,
            POSTGRES,
            TESTKIT,
            SQL,
            KEYS,
            ENGINE,
            EXCHANGE,
            LEDGER,
            LOG,
            TALLYSTICK,
            BROKER,
            CLIENT,
            DAEMON,
            SERVER),
    TIDY;

    /** The four that meet only in modules above them, through interfaces that the lower one owns. */
    static final Set<Module> STRANGERS = Set.of(ENGINE, EXCHANGE, BROKER, LEDGER);

    private final Set<Module> uses;

    Module(Module... uses) {
        this.uses = Set.of(uses);
    }

    static Optional<Module> ofFolder(String folder) {
        return Stream.of(values())
                .filter(module -> module.folder().equals(folder))
                .findFirst();
    }

    boolean mayUse(Module other) {
        return this == other || uses.contains(other);
    }

    String folder() {
        return name().toLowerCase(Locale.ROOT);
    }

    String artifact() {
        return this == TALLYSTICK ? "tallystick" : "tallystick-" + folder();
    }

    /** The package below which a module's classes are. What users of the library import is at the root and in {@code workflow}. */
    boolean ownsPackage(String name) {
        return switch (this) {
            case TALLYSTICK -> name.equals("dev.tallystick") || name.equals("dev.tallystick.wiring");
            case ENGINE -> name.equals("dev.tallystick.workflow") || isBelow(name);
            default -> isBelow(name);
        };
    }

    private boolean isBelow(String name) {
        return (name + ".").startsWith("dev.tallystick." + folder() + ".");
    }
}
