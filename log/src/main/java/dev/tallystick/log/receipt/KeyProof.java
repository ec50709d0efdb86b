package dev.tallystick.log.receipt;

import dev.tallystick.core.Json;
import dev.tallystick.core.Unicode;
import dev.tallystick.log.entry.JsonFields;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.map.MapProof;
import dev.tallystick.log.map.MapProof.Shown;
import dev.tallystick.log.note.SignedNote;
import dev.tallystick.log.ring.Rotation;
import dev.tallystick.log.tree.Hash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Proves how often a member's key was accepted, by one checkpoint: exactly once, never, or, after an expiry, again. For every
 * generation of the member's secret it shows the secret and that numbers 0, 1, … are present up to the first that is absent; and
 * that the map has no further generation.
 *
 * @param head the head entry that ends the log of the checkpoint
 * @param generations all generations of the member's secret, the first one first
 * @param noFurther the absence of the next generation
 * @param descendants of the jobs that are shown
 */
public record KeyProof(
        String mesh,
        String member,
        String key,
        SealedEntry head,
        List<Generation> generations,
        MapProof noFurther,
        Descendants descendants,
        SignedNote checkpoint,
        List<Rotation> rotations) {

    public static final String FORMAT = "tally-key-proof-v1";

    private static final int MOST = 1_000;

    public KeyProof {
        generations = List.copyOf(generations);
        rotations = List.copyOf(rotations);
    }

    /**
     * One generation of the secret.
     *
     * @param secret the secret itself
     * @param committed the presence of its commitment
     * @param numbers what the map has for the acceptances 0, 1, …; the last one is absent
     */
    public record Generation(Hash secret, MapProof committed, List<Numbered> numbers) {

        public Generation {
            numbers = List.copyOf(numbers);
        }
    }

    /**
     * One number of a generation.
     *
     * @param job the job of a present one, with what opens it; its {@code value} is the id. Null if the holder does not show it
     */
    public record Numbered(
            MapProof proof,
            @org.jspecify.annotations.Nullable Opened job) {}

    /**
     * What a key proof proves: of the member's key, and of no other member's. The tags of another member are made with another
     * secret, and the map holds each secret at the position of its mesh and member.
     *
     * @param mesh the id of the mesh, for which the log commits to the secrets that are shown
     * @param member the id of the member, likewise
     * @param secrets how many generations the member's secret has; with none, the log has never accepted a key of this member
     * @param acceptances one for each acceptance; the id of its job, or an empty text if the holder does not show it
     * @param more whether the holder says that there are more descendants
     */
    public record Facts(
            Standing standing,
            String mesh,
            String member,
            String key,
            int secrets,
            List<String> acceptances,
            List<Descendants.Descendant> descendants,
            boolean more) {

        /** As a person reads it. */
        public String words() {
            String often = switch (acceptances.size()) {
                case 0 -> "was never accepted";
                case 1 ->
                    "was accepted exactly once"
                            + (acceptances.getFirst().isEmpty() ? "" : ", as job " + acceptances.getFirst());
                default -> "was accepted " + acceptances.size() + " times, each after the one before had expired";
            };
            StringBuilder words = new StringBuilder("the key " + quoted(key) + " of member " + quoted(member)
                    + " in mesh " + quoted(mesh) + " " + often + "\n  " + standing.asOf());
            if (secrets == 0) {
                words.append("\n  the log has no secret of this member, so it accepted none of its keys: check the id");
            }
            descendants.forEach(each -> words.append("\n  ").append(each.words()));
            return more ? words.append("\n  and others").toString() : words.toString();
        }

        /** The holder of the proof chose these texts; quotes in them must not end them. */
        private static String quoted(String text) {
            return Json.of(text).canonical();
        }
    }

    /** Verifies a key proof; any bytes may be given. */
    public static Verdict<Facts> verify(byte[] json, Trust trust) {
        return Verdict.of(bytes -> parse(bytes).facts(trust), json);
    }

    private Facts facts(Trust trust) {
        Standing standing = Standing.of(checkpoint, rotations, trust);
        LogEntry.MapHead last = head.asLastHead(standing.checkpoint());
        List<String> acceptances = new ArrayList<>();
        for (int i = 0; i < generations.size(); i++) {
            acceptances.addAll(acceptances(last.root(), i + 1, generations.get(i)));
        }
        int next = generations.size() + 1;
        if (!(shown(noFurther, MemberSecret.position(mesh, member, next), last.root()) instanceof Shown.Absent)) {
            throw new IllegalArgumentException("the log has a generation " + next + " of the secret that is not shown");
        }
        return new Facts(
                standing,
                mesh,
                member,
                key,
                generations.size(),
                acceptances,
                descendants.check(standing.checkpoint(), acceptances),
                descendants.more());
    }

    private List<String> acceptances(Hash root, int number, Generation generation) {
        MemberSecret secret = new MemberSecret(mesh, member, number, generation.secret);
        boolean committed = generation
                .committed
                .check(secret.position(), root)
                .filter(there -> there instanceof Shown.Present present
                        && present.commitment().equals(secret.commitment()))
                .isPresent();
        if (!committed) {
            throw new IllegalArgumentException(
                    "the log does not commit to the secret of generation " + number + " for this member and mesh");
        }
        List<String> jobs = new ArrayList<>();
        for (int n = 0; n < generation.numbers.size(); n++) {
            Numbered each = generation.numbers.get(n);
            Hash tag = secret.tag(MemberSecret.ACCEPT_DOOR, key, n);
            boolean last = n == generation.numbers.size() - 1;
            switch (shown(each.proof, tag, root)) {
                case Shown.Present present when !last -> jobs.add(job(each, present.commitment()));
                case Shown.Absent absent when last -> {}
                default ->
                    throw new IllegalArgumentException("the numbers of generation " + number
                            + " must be present up to the last one, which must be absent");
            }
        }
        if (generation.numbers.isEmpty()) {
            throw new IllegalArgumentException("generation " + number + " shows no number");
        }
        return jobs;
    }

    private static Shown shown(MapProof proof, Hash tag, Hash root) {
        return proof.check(tag, root)
                .orElseThrow(() -> new IllegalArgumentException("a proof does not lead to the root of the key map"));
    }

    private static String job(Numbered number, Hash commitment) {
        Opened job = number.job;
        if (job == null) {
            return "";
        }
        if (job.value() instanceof Json.StringValue id && job.opens(commitment, id.value(), LogEntry.JOB)) {
            return printable("the id of a job", id.value());
        }
        throw new IllegalArgumentException("an acceptance is of another job than the one shown");
    }

    /** A line break in a name could look like another verdict. */
    static String printable(String what, String text) {
        if (text.isEmpty() || !Unicode.isPrintable(text)) {
            throw new IllegalArgumentException(what + " has only printable characters");
        }
        return text;
    }

    public static KeyProof parse(byte[] json) {
        JsonFields fields = Document.open("a key proof", FORMAT, json);
        Document document = Document.parse(fields);
        List<Generation> generations = new ArrayList<>();
        for (Json each : fields.list("generations", MOST)) {
            JsonFields generation = JsonFields.of("a generation", each);
            List<Numbered> numbers = new ArrayList<>();
            for (Json one : generation.list("numbers", MOST)) {
                JsonFields number = JsonFields.of("a number", one);
                numbers.add(new Numbered(
                        MapProofJson.read(number.object("map")),
                        number.findObject("job").map(Opened::parse).orElse(null)));
                number.end();
            }
            generations.add(new Generation(
                    generation.hash("secret"), MapProofJson.read(generation.object("committed")), numbers));
            generation.end();
        }
        KeyProof proof = new KeyProof(
                printable("the id of a mesh", fields.text("mesh")),
                printable("the id of a member", fields.text("member")),
                printable("a key", fields.text("key")),
                SealedEntry.parse(fields.object("head")),
                generations,
                MapProofJson.read(fields.object("no_further")),
                Descendants.read(fields),
                document.checkpoint(),
                document.rotations());
        fields.end();
        return proof;
    }

    public Json json() {
        Map<String, Json> members = new TreeMap<>(new Document(checkpoint, rotations).json(FORMAT));
        members.put("mesh", Json.of(mesh));
        members.put("member", Json.of(member));
        members.put("key", Json.of(key));
        members.put("head", head.json());
        members.put("no_further", MapProofJson.write(noFurther));
        descendants.write(members);
        members.put(
                "generations",
                new Json.ArrayValue(generations.stream().map(KeyProof::json).toList()));
        return new Json.ObjectValue(members);
    }

    private static Json json(Generation generation) {
        List<Json> numbers = new ArrayList<>();
        for (Numbered number : generation.numbers) {
            Map<String, Json> members = new TreeMap<>();
            members.put("map", MapProofJson.write(number.proof));
            if (number.job != null) {
                members.put("job", number.job.json());
            }
            numbers.add(new Json.ObjectValue(members));
        }
        return new Json.ObjectValue(Map.of(
                "secret", Json.of(generation.secret.base64()),
                "committed", MapProofJson.write(generation.committed),
                "numbers", new Json.ArrayValue(numbers)));
    }
}
