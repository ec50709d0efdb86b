package dev.tallystick.engine.code;

import dev.tallystick.engine.model.LegOne;
import dev.tallystick.engine.model.LegTwo;
import dev.tallystick.engine.model.NewJob;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What a commit of a job adds to its pending results. Not thread-safe. */
final class Additions {

    private final List<LegTwo> results = new ArrayList<>(2);
    private final List<LegOne> dispatches = new ArrayList<>(1);
    private final List<NewJob> jobs = new ArrayList<>(1);
    private List<String> places = List.of();

    Additions result(LegTwo result) {
        results.add(result);
        return this;
    }

    Additions dispatch(LegOne dispatch) {
        dispatches.add(dispatch);
        return this;
    }

    /** A job that one of the dispatched activities starts, or that continues this one. */
    Additions job(NewJob job) {
        jobs.add(job);
        return this;
    }

    /** The job waits until one of these places is done. */
    Additions waitingFor(Collection<String> any) {
        places = List.copyOf(any);
        return this;
    }

    List<LegTwo> results() {
        return results;
    }

    List<LegOne> dispatches() {
        return dispatches;
    }

    List<NewJob> jobs() {
        return jobs;
    }

    List<String> places() {
        return places;
    }
}
