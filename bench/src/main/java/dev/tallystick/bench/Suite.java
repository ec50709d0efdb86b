package dev.tallystick.bench;

import java.util.List;
import javax.sql.DataSource;

/** What is measured in one run. The floor comes along by itself. */
interface Suite extends AutoCloseable {

    /** Sets up what the contenders need, on a fresh database. */
    List<Contender> contenders(DataSource database) throws Exception;

    /** Ends what was set up, while the database is still there. */
    @Override
    default void close() {}
}
