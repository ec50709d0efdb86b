package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** A directory: names in Git's order, each with its mode and the id of what it names. */
record Tree(Map<String, Tree.Entry> entries) {

    static final Tree EMPTY = new Tree(Map.of());

    record Entry(String mode, String id) {

        boolean isDirectory() {
            return mode.equals("40000");
        }

        boolean isFile() {
            return mode.equals("100644");
        }
    }

    static Tree parse(byte[] bytes) throws Unsound {
        Map<String, Entry> entries = new LinkedHashMap<>();
        int at = 0;
        while (at < bytes.length) {
            int zero = at;
            while (zero < bytes.length && bytes[zero] != 0) {
                zero++;
            }
            String[] parts = new String(bytes, at, zero - at, UTF_8).split(" ", 2);
            if (parts.length != 2 || zero + 21 > bytes.length) {
                throw new Unsound("a tree is cut short");
            }
            String id = Hashes.hex(Arrays.copyOfRange(bytes, zero + 1, zero + 21));
            if (entries.put(parts[1], new Entry(parts[0], id)) != null) {
                throw new Unsound("a tree names '" + parts[1] + "' twice");
            }
            at = zero + 21;
        }
        return new Tree(entries);
    }

    /** The id under this name, or empty if there is none. */
    String id(String name) {
        Entry entry = entries.get(name);
        return entry == null ? "" : entry.id;
    }
}
