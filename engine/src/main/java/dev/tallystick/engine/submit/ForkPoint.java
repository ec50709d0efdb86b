package dev.tallystick.engine.submit;

import dev.tallystick.engine.model.ClosedActivity;
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

    private final List<ClosedActivity> record;
    private final List<ClosedActivity> kept = new ArrayList<>();

    private ForkPoint(List<ClosedActivity> record) {
        this.record = record;
    }

    /** The record before the step at this path. */
    static List<ClosedActivity> before(List<ClosedActivity> record, String path) {
        ForkPoint point = new ForkPoint(record);
        point.cut("", path);
        return point.kept;
    }

    /** The record before the last activity that failed or never ended; all of it, if the body itself failed. */
    static List<ClosedActivity> beforeFailure(List<ClosedActivity> record) {
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
                .map(closedActivity -> placeIn(scope, closedActivity))
                .flatMapToInt(OptionalInt::stream)
                .max();
        if (last.isEmpty()) {
            return;
        }
        int place = last.getAsInt();
        String path = scope + place;
        Set<Integer> branches = branches(path + ".");
        if (branches.isEmpty()) {
            keepPlaces(scope, each -> each < place || at(path).stream().allMatch(ClosedActivity::succeeded));
        } else if (forkSucceeded(path, branches)) {
            keepPlaces(scope, each -> true);
        } else {
            keepPlaces(scope, each -> each < place);
            branches.forEach(each -> keepBranch(path + "." + each));
            branches.stream()
                    .filter(each -> at(path + "." + each).stream().noneMatch(ClosedActivity::succeeded))
                    .forEach(each -> cutFailure(path + "." + each + "."));
        }
    }

    /** If the record says which branch decided, that branch counts; otherwise all of them do. */
    private boolean forkSucceeded(String path, Set<Integer> branches) {
        List<ClosedActivity> choice = at(path);
        if (choice.isEmpty()) {
            return branches.stream()
                    .allMatch(each -> at(path + "." + each).stream().anyMatch(ClosedActivity::succeeded));
        }
        byte[] decided = choice.getFirst().output();
        return decided != null
                && at(path + "." + (ByteBuffer.wrap(decided).getInt() + 1)).stream()
                        .anyMatch(ClosedActivity::succeeded);
    }

    private void keepPlaces(String scope, Predicate<Integer> wanted) {
        record.stream()
                .filter(ClosedActivity::done)
                .filter(closedActivity ->
                        placeIn(scope, closedActivity).stream().anyMatch(wanted::test))
                .forEach(kept::add);
    }

    private void keepBranch(String path) {
        if (at(path).stream().anyMatch(ClosedActivity::succeeded)) {
            kept.addAll(at(path));
            keepPlaces(path + ".", each -> true);
        }
    }

    private List<ClosedActivity> at(String path) {
        return record.stream()
                .filter(closedActivity -> closedActivity.path().equals(path))
                .toList();
    }

    private Set<Integer> branches(String fork) {
        return record.stream()
                .map(closedActivity -> placeIn(fork, closedActivity))
                .flatMapToInt(OptionalInt::stream)
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static OptionalInt placeIn(String scope, ClosedActivity closedActivity) {
        return closedActivity.path().startsWith(scope)
                ? number(closedActivity.path().substring(scope.length()))
                : OptionalInt.empty();
    }

    private static OptionalInt number(String rest) {
        Matcher number = NUMBER.matcher(rest);
        return number.lookingAt() ? OptionalInt.of(Integer.parseInt(number.group(1))) : OptionalInt.empty();
    }
}
