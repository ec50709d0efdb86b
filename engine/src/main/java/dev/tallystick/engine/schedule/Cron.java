package dev.tallystick.engine.schedule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cron expression: minute, hour, day of month, month, day of week. If both days are restricted, a match of either is enough.
 *
 * <p>An expression describes local times. A local time that the zone skips is due at the next time that exists; one that occurs
 * twice is due the first time. So local times map to instants in order, each to one.
 */
public final class Cron {

    /** Two leap days may be eight years apart. */
    private static final int MOST_DAYS = 9 * 366;

    private static final Map<String, String> SHORTHANDS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private static final List<String> MONTHS =
            Stream.of(Month.values()).map(month -> month.name().substring(0, 3)).toList();
    private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    private final String text;
    private final CronField minutes;
    private final CronField hours;
    private final CronField daysOfMonth;
    private final CronField months;
    private final CronField daysOfWeek;

    private Cron(String text, String[] fields) {
        this.text = text;
        this.minutes = CronField.parse("minute", fields[0], 0, 59, List.of());
        this.hours = CronField.parse("hour", fields[1], 0, 23, List.of());
        this.daysOfMonth = CronField.parse("day of month", fields[2], 1, 31, List.of());
        this.months = CronField.parse("month", fields[3], 1, 12, MONTHS);
        this.daysOfWeek = CronField.parse("day of week", fields[4], 0, 7, DAYS);
    }

    /**
     * Parses an expression of five fields, or a shorthand such as {@code @daily}.
     *
     * @throws IllegalArgumentException if the expression is malformed or never due
     */
    public static Cron parse(String expression) {
        String text = expression.strip();
        String[] fields =
                SHORTHANDS.getOrDefault(text.toLowerCase(Locale.ROOT), text).split("\\s+");
        if (fields.length != 5) {
            throw new IllegalArgumentException(
                    "cron '" + text + "' has " + fields.length + " fields, wanted 5: minute hour day-of-month month"
                            + " day-of-week, or one of @hourly @daily @weekly @monthly @yearly");
        }
        try {
            Cron cron = new Cron(text, fields);
            if (cron.matchFrom(LocalDate.EPOCH.atStartOfDay()) == null) {
                throw new IllegalArgumentException("there is no such day");
            }
            return cron;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("cron '" + text + "': " + e.getMessage(), e);
        }
    }

    /** The first due instant after {@code after}. */
    public Instant next(Instant after, ZoneId zone) {
        ZoneRules rules = zone.getRules();
        LocalDateTime from = LocalDateTime.ofInstant(after, zone).truncatedTo(ChronoUnit.MINUTES);
        while (true) {
            LocalDateTime match = matchFrom(from);
            if (match == null) {
                throw new IllegalStateException("cron '" + text + "' came once and never comes again");
            }
            Instant instant = instantOf(match, rules);
            if (instant.isAfter(after)) {
                return instant;
            }
            from = match.plusMinutes(1);
        }
    }

    /** The last due instant from {@code first} up to and including {@code now}. */
    Instant lastUntil(Instant first, Instant now, ZoneId zone) {
        Instant last = first;
        for (Instant next = next(first, zone); !next.isAfter(now); next = next(next, zone)) {
            last = next;
        }
        return last;
    }

    private static Instant instantOf(LocalDateTime local, ZoneRules rules) {
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        return offsets.isEmpty() ? rules.getTransition(local).getInstant() : local.toInstant(offsets.getFirst());
    }

    private @Nullable LocalDateTime matchFrom(LocalDateTime from) {
        LocalDate day = from.toLocalDate();
        LocalTime earliest = from.toLocalTime();
        for (int i = 0; i < MOST_DAYS; i++) {
            if (matches(day)) {
                Optional<LocalTime> time = timeFrom(earliest);
                if (time.isPresent()) {
                    return day.atTime(time.get());
                }
            }
            day = day.plusDays(1);
            earliest = LocalTime.MIDNIGHT;
        }
        return null;
    }

    private boolean matches(LocalDate day) {
        if (!months.has(day.getMonthValue())) {
            return false;
        }
        boolean inMonth = daysOfMonth.has(day.getDayOfMonth());
        boolean inWeek = day.getDayOfWeek() == DayOfWeek.SUNDAY
                ? daysOfWeek.has(0) || daysOfWeek.has(7)
                : daysOfWeek.has(day.getDayOfWeek().getValue());
        boolean bothMustFit = daysOfMonth.isAny() || daysOfWeek.isAny();
        return bothMustFit ? (inMonth && inWeek) : (inMonth || inWeek);
    }

    private Optional<LocalTime> timeFrom(LocalTime earliest) {
        int hour = hours.from(earliest.getHour());
        if (hour == earliest.getHour()) {
            int minute = minutes.from(earliest.getMinute());
            if (minute >= 0) {
                return Optional.of(LocalTime.of(hour, minute));
            }
            hour = hours.from(hour + 1);
        }
        return hour < 0 ? Optional.empty() : Optional.of(LocalTime.of(hour, minutes.from(0)));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cron that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The expression as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
