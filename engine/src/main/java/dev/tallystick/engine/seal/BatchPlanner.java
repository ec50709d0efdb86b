package dev.tallystick.engine.seal;

import dev.tallystick.core.Json;
import dev.tallystick.engine.seal.DocumentQueue.Document;
import dev.tallystick.engine.seal.FactStore.Named;
import dev.tallystick.engine.seal.OtherFactStore.Placed;
import dev.tallystick.engine.seal.OtherFactStore.PlacedDocument;
import dev.tallystick.engine.seal.OtherFactStore.Waiting;
import dev.tallystick.engine.seal.SealStore.Queued;
import dev.tallystick.engine.seal.SealedStore.Member;
import dev.tallystick.engine.seal.SealedStore.SealedJob;
import dev.tallystick.log.entry.InstallationSecret;
import dev.tallystick.log.entry.JobSalt;
import dev.tallystick.log.entry.LogEntry;
import dev.tallystick.log.entry.MemberSecret;
import dev.tallystick.log.tree.Hash;
import dev.tallystick.sql.Tx;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns the facts at the head of the queue into entries: each job's acceptance before its end, and the secret of a member
 * before the first tag that needs it. A fact that is sealed already is left out.
 */
final class BatchPlanner {

    /** Until a secret has to be replaced, all members are in the first generation. */
    static final int GENERATION = 1;

    private static final int MOST_ROWS = 500;
    private static final int MOST_ACCEPTANCES = 10_000;

    /**
     * What a batch says, without the head that ends it.
     *
     * @param queued the rows of the queue that it covers
     */
    record Planned(
            List<LogEntry> entries,
            Map<UUID, SealedJob> jobs,
            Map<Member, Long> members,
            List<Placed> others,
            List<PlacedDocument> documents,
            long[] queued) {}

    private final InstallationSecret secret;
    private final SecureRandom random;
    private final int mostFacts;
    private final SealStore store = new SealStore();
    private final FactStore factStore = new FactStore();
    private final SealedStore sealed = new SealedStore();
    private final OtherFacts otherFacts = new OtherFacts();
    private final DocumentQueue documents;

    BatchPlanner(InstallationSecret secret, SecureRandom random, int mostFacts, DocumentQueue documents) {
        this.secret = secret;
        this.random = random;
        this.mostFacts = mostFacts;
        this.documents = documents;
    }

    /** The head of the queue, with all that its entries are made of. */
    record Facts(
            List<Queued> rows,
            List<Waiting> others,
            List<Document> documents,
            Map<UUID, SealedJob> known,
            Map<UUID, FactStore.Accepted> acceptances,
            Map<UUID, FactStore.Closed> ends,
            Map<UUID, List<FactStore.Digits>> digits,
            Map<Member, Long> members) {}

    /** Reads the facts of the next batch. */
    Facts read(Tx tx) throws SQLException {
        List<Queued> queued = store.queued(tx, MOST_ROWS);
        List<Queued> head = head(queued);
        OtherFacts.Taken taken = otherFacts.take(tx, head, head.size() < queued.size() || queued.size() == MOST_ROWS);
        List<Queued> rows = taken.rows();
        Map<UUID, Named> accepted = new LinkedHashMap<>();
        List<UUID> closed = new ArrayList<>();
        for (Queued row : rows) {
            for (int i = 0; i < row.accepted().size(); i++) {
                UUID job = row.accepted().get(i);
                accepted.put(
                        job, new Named(job, row.keys().get(i), row.members().get(i)));
            }
            closed.addAll(row.closed());
        }
        List<UUID> all = new ArrayList<>(accepted.keySet());
        all.addAll(closed);
        Map<UUID, FactStore.Accepted> acceptances =
                accepted.isEmpty() ? Map.of() : factStore.accepted(tx, List.copyOf(accepted.values()));
        return new Facts(
                rows,
                taken.facts(),
                documents.waiting(tx, mostFacts),
                all.isEmpty() ? Map.of() : sealed.read(tx, all),
                acceptances,
                closed.isEmpty() ? Map.of() : factStore.closed(tx, closed),
                closed.isEmpty() ? Map.of() : factStore.digits(tx, closed),
                members(tx, acceptances.values()));
    }

    private Map<Member, Long> members(Tx tx, Collection<FactStore.Accepted> acceptances) throws SQLException {
        List<Member> needed = acceptances.stream()
                .filter(fact -> fact.member() != null)
                .map(fact -> new Member(fact.mesh(), String.valueOf(fact.member())))
                .distinct()
                .toList();
        return needed.isEmpty() ? Map.of() : sealed.members(tx, needed, GENERATION);
    }

    /**
     * Works the batch out. This may take a while, so no transaction is open meanwhile.
     *
     * @param isMapped whether a tag is in the key map
     */
    Planned plan(Facts facts, long size, Predicate<Hash> isMapped) {
        Plan plan = new Plan(facts, size, isMapped);
        Iterator<Waiting> others = facts.others().iterator();
        Waiting next = others.hasNext() ? others.next() : null;
        for (Queued row : facts.rows()) {
            while (next != null && next.id() < row.id()) {
                plan.add(next);
                next = others.hasNext() ? others.next() : null;
            }
            row.accepted().forEach(plan::accept);
            row.closed().forEach(plan::close);
        }
        while (next != null) {
            plan.add(next);
            next = others.hasNext() ? others.next() : null;
        }
        facts.documents().forEach(plan::add);
        return new Planned(
                plan.entries,
                plan.written,
                plan.newMembers,
                plan.others,
                plan.documents,
                facts.rows().stream().mapToLong(Queued::id).toArray());
    }

    private List<Queued> head(List<Queued> rows) {
        int count = 0;
        for (int i = 0; i < rows.size(); i++) {
            count += rows.get(i).facts();
            if (count >= mostFacts) {
                return rows.subList(0, i + 1);
            }
        }
        return rows;
    }

    /** The batch while it is made. */
    private final class Plan {

        private final Facts facts;
        private final long size;
        private final Predicate<Hash> isMapped;
        private final List<LogEntry> entries = new ArrayList<>();
        private final Set<Hash> tags = new HashSet<>();
        private final Map<UUID, SealedJob> written = new LinkedHashMap<>();
        private final Map<Member, Long> newMembers = new LinkedHashMap<>();
        private final Map<Member, MemberSecret> secrets = new HashMap<>();
        private final List<Placed> others = new ArrayList<>();
        private final List<PlacedDocument> documents = new ArrayList<>();

        Plan(Facts facts, long size, Predicate<Hash> isMapped) {
            this.facts = facts;
            this.size = size;
            this.isMapped = isMapped;
        }

        void accept(UUID job) {
            FactStore.Accepted fact = facts.acceptances().get(job);
            if (fact == null || find(job) != null) {
                return;
            }
            JobSalt salt = JobSalt.draw(job.toString(), random);
            Map<String, Json> record = SealRecords.accepted(fact);
            Map<String, Hash> commitments = salt.commit(record);
            Hash tag = null;
            Long named = null;
            if (fact.key() != null && fact.member() != null) {
                MemberSecret member = secrets.computeIfAbsent(
                        new Member(fact.mesh(), fact.member()), id -> secret.of(id.mesh(), id.member(), GENERATION));
                named = secretOf(member);
                tag = free(member, fact.key());
            }
            long index = add(new LogEntry.Accepted(
                    tag,
                    origin(fact, commitments),
                    named,
                    fact.expiresAt() == null ? fact.at() : fact.expiresAt(),
                    commitments));
            written.put(job, new SealedJob(job, fact.mesh(), salt.bytes(), index, bytes(record), null, null, false));
        }

        void close(UUID job) {
            FactStore.Closed fact = facts.ends().get(job);
            SealedJob before = find(job);
            if (fact == null || (before != null && before.closed() != null)) {
                return;
            }
            byte[] kept = before == null ? null : before.salt();
            JobSalt salt = kept == null ? JobSalt.draw(job.toString(), random) : JobSalt.of(job.toString(), kept);
            Map<String, Json> record = SealRecords.closed(fact, facts.digits().getOrDefault(job, List.of()));
            Long accepted = before == null ? null : before.accepted();
            long index = add(new LogEntry.Closed(accepted, salt.commit(record)));
            written.put(
                    job,
                    new SealedJob(
                            job,
                            fact.mesh(),
                            salt.bytes(),
                            accepted,
                            before == null ? null : before.acceptedRecord(),
                            index,
                            bytes(record),
                            true));
        }

        void add(Waiting fact) {
            JobSalt salt = JobSalt.draw(fact.subject(), random);
            others.add(new Placed(fact.id(), salt.bytes(), add(OtherFacts.entry(fact, salt))));
        }

        void add(Document document) {
            JobSalt salt = JobSalt.draw(document.subject(), random);
            long index = add(new LogEntry.ExchangeDocument(salt.commit(document.record())));
            documents.add(new PlacedDocument(document, bytes(document.record()), salt.bytes(), index));
        }

        private @Nullable SealedJob find(UUID job) {
            SealedJob here = written.get(job);
            return here == null ? facts.known().get(job) : here;
        }

        /** The entry of the member's secret, added here if there is none yet. */
        private Long secretOf(MemberSecret member) {
            Member id = new Member(member.mesh(), member.member());
            Long there = facts.members().get(id);
            if (there != null) {
                return there;
            }
            return newMembers.computeIfAbsent(id, none -> add(LogEntry.SecretCommitted.of(member)));
        }

        /** The tag of the key's next acceptance: the first one that the map does not have. */
        private Hash free(MemberSecret member, String key) {
            for (int acceptance = 0; acceptance < MOST_ACCEPTANCES; acceptance++) {
                Hash tag = member.tag(MemberSecret.ACCEPT_DOOR, key, acceptance);
                if (!isMapped.test(tag) && tags.add(tag)) {
                    return tag;
                }
            }
            throw new IllegalStateException("a key was accepted " + MOST_ACCEPTANCES + " times");
        }

        private long add(LogEntry entry) {
            entries.add(entry);
            return size + entries.size() - 1;
        }
    }

    private static LogEntry.@Nullable Origin origin(FactStore.Accepted fact, Map<String, Hash> commitments) {
        if (fact.kind() == null) {
            return null;
        }
        return new LogEntry.Origin(
                LogEntry.OriginKind.valueOf(fact.kind().toUpperCase(Locale.ROOT)),
                Objects.requireNonNull(commitments.get(LogEntry.Origin.FIELD)));
    }

    private static byte[] bytes(Map<String, Json> record) {
        return new Json.ObjectValue(new TreeMap<>(record)).canonicalBytes();
    }
}
