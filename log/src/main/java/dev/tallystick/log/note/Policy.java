package dev.tallystick.log.note;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which logs and witnesses to trust, and how many witnesses are enough: the file of C2SP tlog-policy. Immutable. */
public final class Policy {

    private static final int LONGEST = 256 * 1024;
    private static final int MOST_NAMES = 1_000;
    private static final String NONE = "none";

    /** A witness, and where to ask it, if the file says so. */
    public record Witness(String name, VerifierKey key, Optional<String> url) {}

    /** At least {@code threshold} of the members. */
    private record Group(int threshold, List<String> members) {}

    private final List<VerifierKey> logs;
    private final Map<String, Witness> witnesses;
    private final Map<String, Group> groups;
    private final String quorum;

    private Policy(List<VerifierKey> logs, Map<String, Witness> witnesses, Map<String, Group> groups, String quorum) {
        this.logs = List.copyOf(logs);
        this.witnesses = Map.copyOf(witnesses);
        this.groups = Map.copyOf(groups);
        this.quorum = quorum;
    }

    /** A policy without witnesses. */
    public static Policy unwitnessed() {
        return new Policy(List.of(), Map.of(), Map.of(), NONE);
    }

    /** Names are bytes to this format, and nothing is compared but bytes. */
    public static Policy parse(byte[] file) {
        if (file.length > LONGEST) {
            throw new IllegalArgumentException("a policy has at most 256 KiB");
        }
        return new Reader().read(new String(file, ISO_8859_1));
    }

    /** The keys of the logs that the file names; none if it leaves that to its reader. */
    public List<VerifierKey> logs() {
        return logs;
    }

    public List<Witness> witnesses() {
        return witnesses.values().stream()
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .toList();
    }

    /** Whether the policy wants any witness at all. */
    public boolean wantsWitnesses() {
        return !quorum.equals(NONE);
    }

    /** Whether the witnesses that cosigned the note are a quorum. */
    public boolean isMetBy(SignedNote note) {
        Set<String> cosigned = new HashSet<>();
        witnesses.forEach((name, witness) -> {
            if (note.isSignedBy(witness.key())) {
                cosigned.add(name);
            }
        });
        return isMet(quorum, cosigned);
    }

    private boolean isMet(String name, Set<String> cosigned) {
        if (name.equals(NONE)) {
            return true;
        }
        Group group = groups.get(name);
        return group == null
                ? cosigned.contains(name)
                : group.members.stream()
                                .filter(member -> isMet(member, cosigned))
                                .count()
                        >= group.threshold;
    }

    /**
     * The latest time that a quorum of witnesses vouches for: at that time the log had this size for all of them. Empty if the
     * policy wants no witnesses or the note lacks a quorum.
     */
    public Optional<Instant> cosignedAt(SignedNote note) {
        if (!wantsWitnesses() || !isMetBy(note)) {
            return Optional.empty();
        }
        Map<String, Instant> times = new HashMap<>();
        witnesses.forEach((name, witness) -> note.cosignedAt(witness.key()).ifPresent(at -> times.put(name, at)));
        return times.values().stream()
                .sorted((one, other) -> other.compareTo(one))
                .filter(at -> isMet(quorum, notBefore(times, at)))
                .findFirst();
    }

    private static Set<String> notBefore(Map<String, Instant> times, Instant earliest) {
        Set<String> names = new HashSet<>();
        times.forEach((name, at) -> {
            if (!at.isBefore(earliest)) {
                names.add(name);
            }
        });
        return names;
    }

    private static final class Reader {

        private final List<VerifierKey> logs = new ArrayList<>();
        private final Map<String, Witness> witnesses = new LinkedHashMap<>();
        private final Map<String, Group> groups = new LinkedHashMap<>();
        private final Set<String> keys = new HashSet<>();
        private final Set<String> used = new HashSet<>();
        private String quorum = "";

        Policy read(String file) {
            if (file.chars().anyMatch(c -> (c < ' ' && c != '\t' && c != '\n') || c == 0x7f)) {
                throw new IllegalArgumentException("a policy has no control characters but tab and line end");
            }
            int number = 0;
            for (String line : file.split("\n", -1)) {
                number++;
                String text = trim(line);
                if (!text.isEmpty() && !text.startsWith("#")) {
                    try {
                        line(text.split("[ \t]+"));
                    } catch (IllegalArgumentException e) {
                        throw new IllegalArgumentException("line " + number + " of the policy: " + e.getMessage(), e);
                    }
                }
            }
            if (quorum.isEmpty()) {
                throw new IllegalArgumentException("the policy has no line 'quorum NAME'");
            }
            return new Policy(logs, witnesses, groups, quorum);
        }

        private static String trim(String line) {
            return line.replaceAll("^[ \t]+|[ \t]+$", "");
        }

        private void line(String[] words) {
            if (logs.size() + witnesses.size() + groups.size() > MOST_NAMES) {
                throw new IllegalArgumentException("more than 1,000 logs, witnesses and groups");
            }
            switch (words[0]) {
                case "log" -> log(words);
                case "witness" -> witness(words);
                case "group" -> group(words);
                case "quorum" -> quorum(words);
                default -> throw new IllegalArgumentException("unknown word '" + words[0] + "'");
            }
        }

        private void log(String[] words) {
            requireWords(words, 2, 3);
            logs.add(key(words[1], VerifierKey.Type.NOTE));
        }

        private void witness(String[] words) {
            requireWords(words, 3, 4);
            requireNew(words[1]);
            VerifierKey key = key(words[2], VerifierKey.Type.COSIGNATURE);
            Optional<String> url = words.length == 4 ? Optional.of(words[3]) : Optional.empty();
            witnesses.put(words[1], new Witness(words[1], key, url));
        }

        private void group(String[] words) {
            requireWords(words, 4, MOST_NAMES);
            requireNew(words[1]);
            List<String> members = List.of(words).subList(3, words.length);
            for (String member : members) {
                requireKnown(member);
                if (!used.add(member)) {
                    throw new IllegalArgumentException("'" + member + "' is a member twice");
                }
            }
            long threshold = switch (words[2]) {
                case "all" -> members.size();
                case "any" -> 1;
                default -> Checkpoint.decimal(words[2]);
            };
            if (threshold < 1 || threshold > members.size()) {
                throw new IllegalArgumentException(
                        "a threshold of " + threshold + " for " + members.size() + " members");
            }
            groups.put(words[1], new Group((int) threshold, List.copyOf(members)));
        }

        private void quorum(String[] words) {
            requireWords(words, 2, 2);
            if (!quorum.isEmpty()) {
                throw new IllegalArgumentException("a second quorum");
            }
            if (!words[1].equals(NONE)) {
                requireKnown(words[1]);
            }
            quorum = words[1];
        }

        private VerifierKey key(String text, VerifierKey.Type type) {
            VerifierKey key =
                    VerifierKey.parse(new String(text.getBytes(ISO_8859_1), java.nio.charset.StandardCharsets.UTF_8));
            if (key.type() != type) {
                throw new IllegalArgumentException("a key of another type");
            }
            if (!keys.add(type + java.util.HexFormat.of().formatHex(key.raw()))) {
                throw new IllegalArgumentException("a key that is already in the policy");
            }
            return key;
        }

        private void requireNew(String name) {
            if (name.equals(NONE) || witnesses.containsKey(name) || groups.containsKey(name)) {
                throw new IllegalArgumentException("the name '" + name + "' is taken");
            }
        }

        private void requireKnown(String name) {
            if (!witnesses.containsKey(name) && !groups.containsKey(name)) {
                throw new IllegalArgumentException("no witness or group '" + name + "' on an earlier line");
            }
        }

        private static void requireWords(String[] words, int least, int most) {
            if (words.length < least || words.length > most) {
                throw new IllegalArgumentException("too few or too many words after '" + words[0] + "'");
            }
        }
    }
}
