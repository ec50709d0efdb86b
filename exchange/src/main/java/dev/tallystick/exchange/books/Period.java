package dev.tallystick.exchange.books;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** A day in UTC. A posting belongs to the day of its inception, which both sides know. */
public record Period(LocalDate day) implements Comparable<Period> {

    public static Period of(Instant inception) {
        return new Period(LocalDate.ofInstant(inception, ZoneOffset.UTC));
    }

    static Period ofEpochDay(int day) {
        return new Period(LocalDate.ofEpochDay(day));
    }

    public Instant begin() {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    public Instant end() {
        return day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    @Override
    public int compareTo(Period other) {
        return day.compareTo(other.day);
    }

    @Override
    public String toString() {
        return day.toString();
    }
}
