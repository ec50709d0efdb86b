package dev.tallystick.engine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Decides which part of a closed job's record a fork starts with: everything before a step in program order, or before the
 * failure that ended the job. A branch that succeeded in parallel with the one that is cut is kept whole.
 *
 * <p>Paths alternate places and branches: {@code 3.1.2} is the second place of the first branch at place 3. The marker of a
 * patch follows its place directly, {@code 3~id}, and is kept with it.
 */
final class ForkPoint {

    private static final Pattern NUMBER = Pattern.compile("(\\d+)(?=[.~]|$)");

    private final List<Past> record;
    private final List<Past> kept = new ArrayList<>();

    private ForkPoint(List<Past> record) {
        this.record = record;
    }

    /** The record before the step at this path. */
    static List<Past> before(List<Past> record, String path) {
        ForkPoint point = new ForkPoint(record);
        point.cut("", path);
        return point.kept;
    }

    /** The record before the last activity that failed or never ended; all of it, if the body itself failed. */
    static List<Past> beforeFailure(List<Past> record) {
        ForkPoint point = new ForkPoint(record);
        point.cutFailure("");
        return point.kept;
    }

    private void cut(String scope, String path) {
        String rest = path.substring(scope.length());
        int place = number(rest).orElseThrow();
        keepPlaces(scope, each -> each < place);
        String[] parts = rest.split("\\.", 3);
        if (parts.length > 1) {
            String fork = scope + place + ".";
            int branch = Integer.parseInt(parts[1]);
            branches(fork).stream().filter(each -> each != branch).forEach(each -> keepBranch(fork + each));
            if (parts.length > 2) {
                cut(fork + branch + ".", path);
            }
        }
    }

    private void cutFailure(String scope) {
        OptionalInt last = record.stream()
                .map(past -> placeIn(scope, past))
                .flatMapToInt(OptionalInt::stream)
                .max();
        if (last.isEmpty()) {
            return;
        }
        int place = last.getAsInt();
        String path = scope + place;
        Set<Integer> branches = branches(path + ".");
        if (branches.isEmpty()) {
            keepPlaces(scope, each -> each < place || at(path).stream().allMatch(Past::succeeded));
        } else if (forkSucceeded(path, branches)) {
            keepPlaces(scope, each -> true);
        } else {
            keepPlaces(scope, each -> each < place);
            branches.forEach(each -> keepBranch(path + "." + each));
            branches.stream()
                    .filter(each -> at(path + "." + each).stream().noneMatch(Past::succeeded))
                    .forEach(each -> cutFailure(path + "." + each + "."));
        }
    }

    /** If the record says which branch decided, that branch counts; otherwise all of them do. */
    private boolean forkSucceeded(String path, Set<Integer> branches) {
        List<Past> choice = at(path);
        if (choice.isEmpty()) {
            return branches.stream()
                    .allMatch(each -> at(path + "." + each).stream().anyMatch(Past::succeeded));
        }
        byte[] decided = choice.getFirst().output();
        return decided != null
                && at(path + "." + (ByteBuffer.wrap(decided).getInt() + 1)).stream()
                        .anyMatch(Past::succeeded);
    }

    private void keepPlaces(String scope, Predicate<Integer> wanted) {
        record.stream()
                .filter(Past::done)
                .filter(past -> placeIn(scope, past).stream().anyMatch(wanted::test))
                .forEach(kept::add);
    }

    private void keepBranch(String path) {
        if (at(path).stream().anyMatch(Past::succeeded)) {
            kept.addAll(at(path));
            keepPlaces(path + ".", each -> true);
        }
    }

    private List<Past> at(String path) {
        return record.stream().filter(past -> past.path().equals(path)).toList();
    }

    private Set<Integer> branches(String fork) {
        return record.stream()
                .map(past -> placeIn(fork, past))
                .flatMapToInt(OptionalInt::stream)
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static OptionalInt placeIn(String scope, Past past) {
        return past.path().startsWith(scope) ? number(past.path().substring(scope.length())) : OptionalInt.empty();
    }

    private static OptionalInt number(String rest) {
        Matcher number = NUMBER.matcher(rest);
        return number.lookingAt() ? OptionalInt.of(Integer.parseInt(number.group(1))) : OptionalInt.empty();
    }
}
