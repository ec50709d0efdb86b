package dev.tallystick;

import dev.tallystick.core.Ids;
import dev.tallystick.engine.Codec;
import dev.tallystick.engine.EngineSchema;
import dev.tallystick.engine.EngineSettings;
import dev.tallystick.engine.JsonCodec;
import dev.tallystick.engine.Tracing;
import dev.tallystick.keys.KeyLedger;
import dev.tallystick.keys.KeyOwner;
import dev.tallystick.keys.KeyRetention;
import dev.tallystick.keys.KeySchema;
import dev.tallystick.keys.Recovery;
import dev.tallystick.keys.Scope;
import dev.tallystick.sql.Database;
import dev.tallystick.sql.GroupCommitter;
import dev.tallystick.sql.Schema;
import dev.tallystick.sql.SchemaName;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Says on which database, and how. One of {@link #dataSource} and {@link #embedded} is needed; the rest has defaults. */
public final class Builder {

    /** The one process that can be on the directory of an embedded database. */
    private static final KeyOwner ONLY_ONE = new KeyOwner("embedded");

    private static final Schema TABLES = Schema.of(KeySchema.migrations(), EngineSchema.MIGRATIONS);

    private @Nullable DataSource dataSource;
    private @Nullable Path directory;
    private SchemaName schema = SchemaName.DEFAULT;
    private Scope scope = Scope.DEFAULT;
    private @Nullable KeyOwner instance;
    private Codec codec = new JsonCodec();
    private EngineSettings settings = EngineSettings.DEFAULT;
    private @Nullable Tracing tracing;
    private Map<String, String> environment = System.getenv();

    Builder() {}

    /** On this Postgres, version 15 or newer, durable. The pool needs at least 4 connections for us. */
    public Builder dataSource(DataSource source) {
        dataSource = source;
        return this;
    }

    /** On a Postgres of our own in this directory; needs the module {@code tallystick-postgres} on the class path. */
    public Builder embedded(Path where) {
        directory = where;
        return this;
    }

    /** In which schema of the database our tables are; {@code tally} unless said otherwise. */
    public Builder schema(String name) {
        schema = new SchemaName(name);
        return this;
    }

    /** Whose jobs and keys these are; {@code default} unless said otherwise. */
    public Builder mesh(String mesh) {
        scope = new Scope(mesh, scope.member());
        return this;
    }

    /** As whom this process submits; {@code library} unless said otherwise. */
    public Builder member(String member) {
        scope = new Scope(scope.mesh(), member);
        return this;
    }

    /**
     * What this process is called, the same after each restart and of no other that is up. Under it keys are held by
     * {@link Tallystick#keys}, and what it held when it died is decided when it starts again; jobs that it was running go on at
     * once, while those of a process without a name wait until its leases are over. A process with an embedded
     * database needs no name, for no other can be on its directory. Any other without a name leaves the keys of {@link
     * Tallystick#once} pending when it dies, until somebody names it to {@link dev.tallystick.keys.KeyLedger#recover}.
     */
    public Builder instance(String name) {
        instance = new KeyOwner(name);
        return this;
    }

    /** How payloads are written; a codec that encrypts wraps another one. */
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
        settings = settings.bodies(most, mostOfOneWorkflow);
        return this;
    }

    public Builder settings(EngineSettings other) {
        settings = other;
        return this;
    }

    /**
     * Makes spans of what jobs do, in the trace of whoever submits them. What a job was submitted under is kept with it, so that its
     * spans find their trace in whichever process it runs.
     */
    public Builder openTelemetry(OpenTelemetry telemetry) {
        tracing = Tracing.with(telemetry);
        return this;
    }

    /** Where settings such as {@code TALLY_KEY_RETENTION_DAYS} are read; the process's environment unless said otherwise. */
    public Builder environment(Map<String, String> other) {
        environment = Map.copyOf(other);
        return this;
    }

    /**
     * Makes or upgrades our tables in the {@link #dataSource}, as a role that may. Those who run jobs then need no more than the
     * rights to read and write them.
     *
     * @return the steps that were missing
     */
    public List<String> migrate() {
        if (dataSource == null) {
            throw new IllegalStateException("name the database: dataSource(…)");
        }
        return TABLES.migrate(Database.on(dataSource).in(schema));
    }

    /** Opens the database and brings its schema up to date, if it is not: that takes a role that may create tables. */
    public Tallystick build() {
        return Wiring.build(this);
    }

    /** Null if nobody can tell which process this was when it comes back. */
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

    Database openDatabase(List<AutoCloseable> owned) {
        DataSource source = openDataSource(owned);
        Database database = Database.on(source).in(schema);
        PoolCheck.demandEnough(source);
        List<String> unused = TABLES.migrate(database);
        return database;
    }

    /** What an instance of this name held when it died is decided before anything runs. */
    KeyLedger openKeys(Database database, KeyRetention retention, Ids ids, List<AutoCloseable> owned) {
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

    private DataSource openDataSource(List<AutoCloseable> owned) {
        if (dataSource != null && directory == null) {
            return dataSource;
        }
        if (directory == null || dataSource != null) {
            throw new IllegalStateException("name one database: dataSource(…) or embedded(…)");
        }
        return EmbeddedDatabase.open(directory, owned);
    }
}
