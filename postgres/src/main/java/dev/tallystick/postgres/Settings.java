package dev.tallystick.postgres;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The server's settings: our defaults, the caller's overrides, and a few that callers must not override.
 *
 * <p>Written to {@code postgresql.conf} before each start. The server can report the fingerprint of the settings it was
 * started with, so that we adopt a running server only if it matches what we would have started.
 */
record Settings(SortedMap<String, String> values) {

    /** A custom setting, which the server stores and returns without interpreting it. */
    static final String FINGERPRINT_SETTING = "tally.settings";

    /** Each is durable unless it is off; {@code synchronous_commit} has several values beyond on. */
    static final Set<String> DURABILITY = Set.of("fsync", "full_page_writes", "synchronous_commit");

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("fsync", "on"),
            Map.entry("full_page_writes", "on"),
            Map.entry("synchronous_commit", "on"),
            Map.entry("max_connections", "100"),
            Map.entry("shared_buffers", "128MB"),
            Map.entry("wal_buffers", "16MB"),
            Map.entry("max_wal_size", "1GB"),
            Map.entry("random_page_cost", "1.1"),
            Map.entry("jit", "off"),
            // A dead client loses its locks within a second, even in mid-statement.
            Map.entry("client_connection_check_interval", "1s"),
            // Strangers may connect up to the password prompt, but not occupy a connection for the default minute.
            Map.entry("authentication_timeout", "10s"),
            Map.entry("timezone", "UTC"),
            Map.entry("log_timezone", "UTC"),
            Map.entry("lc_messages", "C"));

    private static final Map<String, String> ALWAYS = Map.of(
            "listen_addresses", "127.0.0.1",
            "unix_socket_directories", "",
            "password_encryption", "scram-sha-256",
            "logging_collector", "off",
            "log_destination", "stderr");

    private static final Set<String> OURS = Set.of(
            "port",
            "data_directory",
            "config_file",
            "hba_file",
            "ident_file",
            "external_pid_file",
            FINGERPRINT_SETTING);

    private static final Set<String> DURABLE_WORDS = Set.of("on", "local", "remote_write", "remote_apply");

    Settings {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    static Settings defaults() {
        return new Settings(new TreeMap<>(DEFAULTS));
    }

    Settings with(String name, String value) {
        if (!name.matches("[a-z_]+(\\.[a-z_]+)?") || name.startsWith("include")) {
            throw new IllegalArgumentException("not a valid setting name: " + name);
        }
        if (ALWAYS.containsKey(name) || OURS.contains(name)) {
            throw new IllegalArgumentException(
                    name + " cannot be overridden: it keeps the server private and in its directory");
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the value of " + name + " contains a control character");
        }
        if (DURABILITY.contains(name) && !DURABLE_WORDS.contains(value)) {
            throw new NotDurableException(name, value);
        }
        SortedMap<String, String> changed = new TreeMap<>(values);
        changed.put(name, value);
        return new Settings(changed);
    }

    String asConfiguration(int port, String fingerprint) {
        return """
            # Written before every start; changes made here do not last.
            port = %d
            %s = %s
            %s
            """.formatted(port, FINGERPRINT_SETTING, quoted(fingerprint), lines());
    }

    /** Equal if and only if the same programs would run with the same settings. */
    String fingerprint(Binaries binaries) {
        byte[] everything = (binaries.home().getFileName() + "\n" + lines()).getBytes(StandardCharsets.UTF_8);
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(everything));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }

    private String lines() {
        SortedMap<String, String> all = new TreeMap<>(values);
        all.putAll(ALWAYS);
        return all.entrySet().stream()
                .map(setting -> setting.getKey() + " = " + quoted(setting.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static String quoted(String value) {
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'";
    }
}
