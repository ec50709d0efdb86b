package dev.tallystick.bench;

import java.util.List;
import javax.sql.DataSource;

/** What is measured in one run. The floor comes along by itself. */
interface Suite {

    /** Sets up what the contenders need, on a fresh database. */
    List<Contender> contenders(DataSource database) throws Exception;
}
