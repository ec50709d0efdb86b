package dev.tallystick;

import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Ids;
import dev.tallystick.core.Opened;
import dev.tallystick.engine.model.EngineSettings;
import dev.tallystick.engine.model.Tracing;
import dev.tallystick.exchange.ExchangeSettings;
import dev.tallystick.exchange.partner.Identity;
import dev.tallystick.exchange.transport.Transport;
import dev.tallystick.keys.KeyLedger;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.keys.Recovery;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.SchemaName;
import dev.tallystick.wiring.Foundation;
import dev.tallystick.workflow.Codec;
import dev.tallystick.workflow.JsonCodec;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Configures the database and the engine. One of {@link #dataSource} and {@link #embedded} is required; everything else has
 * defaults.
 */
public final class Builder {

    /** Only one process can use the directory of an embedded database. */
    private static final KeyOwner ONLY_ONE = new KeyOwner("embedded");

    private @Nullable DataSource dataSource;
    private @Nullable Path directory;
    private SchemaName schema = SchemaName.DEFAULT;
    private Scope scope = Scope.DEFAULT;
    private @Nullable KeyOwner instance;
    private Codec codec = new JsonCodec();
    private EngineSettings settings = EngineSettings.DEFAULT;
    private @Nullable Tracing tracing;
    private Map<String, String> environment = System.getenv();
    private @Nullable Membership membership;

    Builder() {}

    /**
     * Uses this Postgres, version 15 or newer, with durable commits. The library needs at least 4 of the pool's connections.
     */
    public Builder dataSource(DataSource source) {
        dataSource = source;
        return this;
    }

    /** Uses an embedded Postgres in this directory; needs the module {@code tallystick-postgres} on the class path. */
    public Builder embedded(Path where) {
        directory = where;
        return this;
    }

    /** The schema for the library's tables; {@code tally} by default. */
    public Builder schema(String name) {
        schema = new SchemaName(name);
        return this;
    }

    /** The mesh that owns the jobs and keys; {@code default} unless set. */
    public Builder mesh(String mesh) {
        scope = new Scope(mesh, scope.member());
        return this;
    }

    /** The member that this process submits as; {@code library} by default. */
    public Builder member(String member) {
        scope = new Scope(scope.mesh(), member);
        return this;
    }

    /**
     * The name of this process: the same after each restart, and different from every other running process.
     * {@link Tallystick#keys} holds keys under this name. When the process restarts after a crash, it decides the keys that it
     * held, and its jobs resume at once; the jobs of an unnamed process wait until its leases expire. A process with an
     * embedded database needs no name, because no other process can use its directory. Any other unnamed process that crashes
     * leaves its {@link Tallystick#once} keys pending until you pass its name to {@link dev.tallystick.keys.KeyLedger#recover}.
     */
    public Builder instance(String name) {
        instance = new KeyOwner(name);
        return this;
    }

    /** Encodes payloads; an encrypting codec wraps another one. */
    public Builder codec(Codec other) {
        codec = other;
        return this;
    }

    /**
     * How many bodies and pieces of work run at once in this process, and how many of one workflow; 200 and 100 unless said
     * otherwise. More wait for their turn. A body counts once, however many branches it has, and not while it only waits; at most
     * 50 branches of one body are inside a step at the same time.
     */
    public Builder atOnce(int most, int mostOfOneWorkflow) {
        settings = settings.atOnce(most, mostOfOneWorkflow);
        return this;
    }

    public Builder settings(EngineSettings other) {
        settings = other;
        return this;
    }

    /**
     * Creates spans for jobs, in the trace of their submitter. The trace context is stored with the job, so that its spans find
     * their trace in whichever process it runs.
     */
    public Builder openTelemetry(OpenTelemetry telemetry) {
        tracing = Tracing.with(telemetry);
        return this;
    }

    /**
     * Takes part in the exchange: jobs may ask partners with {@link dev.tallystick.workflow.Context#remote}, and
     * {@link Tallystick#exchange} answers what partners ask. The transport stays the caller's, who closes it last.
     */
    public Builder exchange(Identity identity, Transport transport) {
        return exchange(identity, transport, ExchangeSettings.DEFAULT);
    }

    public Builder exchange(Identity identity, Transport transport, ExchangeSettings limits) {
        membership = new Membership(identity, transport, limits);
        return this;
    }

    /** Who this process is in the exchange. */
    record Membership(Identity identity, Transport transport, ExchangeSettings settings) {}

    /** Null if this process takes no part in an exchange. */
    @Nullable
    Membership membership() {
        return membership;
    }

    /** Where settings such as {@code TALLY_KEY_RETENTION_DAYS} are read; the process's environment by default. */
    public Builder environment(Map<String, String> other) {
        environment = Map.copyOf(other);
        return this;
    }

    /**
     * Creates or upgrades the library's tables in the {@link #dataSource}; needs a role that may do so. Processes that run jobs
     * then only need the rights to read and write these tables.
     *
     * @return the steps that were missing
     */
    public List<String> migrate() {
        if (dataSource == null) {
            throw new IllegalStateException("name the database: dataSource(…)");
        }
        return Foundation.TABLES.migrate(Database.on(dataSource).in(schema));
    }

    /** Opens the database and upgrades its schema if necessary, which needs a role that may create tables. */
    public Tallystick build() {
        return Wiring.build(this);
    }

    /** Null if this process cannot be recognised after a restart. */
    @Nullable
    KeyOwner instance() {
        return instance == null && directory != null ? ONLY_ONE : instance;
    }

    Codec codec() {
        return codec;
    }

    Scope scope() {
        return scope;
    }

    EngineSettings settings() {
        KeyOwner name = instance();
        EngineSettings named = name == null ? settings : settings.instance(name.name());
        return tracing == null ? named : named.tracing(tracing);
    }

    Map<String, String> environment() {
        return environment;
    }

    Foundation open(Opened owned) {
        DataSource source = openDataSource(owned);
        PoolCheck.demandEnough(source);
        return Foundation.on(source, schema, Foundation.TABLES, Clock.systemUTC(), CrashPoints.NONE, owned);
    }

    /** Decides what an instance of this name held when it crashed, before anything runs. */
    KeyLedger openKeys(Database database, KeyRetention retention, Ids ids, Opened owned) {
        GroupCommitter committer = new GroupCommitter(database, GroupCommitter.Limits.DEFAULT);
        owned.add(committer);
        KeyOwner name = instance();
        KeyOwner owner = name == null ? new KeyOwner("library-" + ids.next()) : name;
        KeyLedger keys = new KeyLedger(database, committer, owner, retention, ids);
        if (name != null) {
            Recovery unused = keys.recover(name);
        }
        return keys;
    }

    private DataSource openDataSource(Opened owned) {
        if (dataSource != null && directory == null) {
            return dataSource;
        }
        if (directory == null || dataSource != null) {
            throw new IllegalStateException("name one database: dataSource(…) or embedded(…)");
        }
        return EmbeddedDatabase.open(directory, owned);
    }
}
