package dev.tallystick.sql;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A batch transposed into one array per column, as {@code unnest} takes them. Without streams, which are expensive for small
 * batches with many columns.
 */
public record Columns<T>(List<T> items) {

    public UUID[] uuids(Function<T, @Nullable UUID> column) {
        return fill(new UUID[items.size()], column);
    }

    public String[] texts(Function<T, @Nullable String> column) {
        return fill(new String[items.size()], column);
    }

    public byte[][] bytes(Function<T, byte @Nullable []> column) {
        return fill(new byte[items.size()][], column);
    }

    public Long[] optionalLongs(Function<T, @Nullable Long> column) {
        return fill(new Long[items.size()], column);
    }

    private <V> V[] fill(V[] values, Function<T, ? extends @Nullable V> column) {
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(items.get(i));
        }
        return values;
    }

    public long[] longs(ToLongFunction<T> column) {
        long[] values = new long[items.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.applyAsLong(items.get(i));
        }
        return values;
    }

    public int[] ints(ToIntFunction<T> column) {
        int[] values = new int[items.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.applyAsInt(items.get(i));
        }
        return values;
    }

    public boolean[] flags(Predicate<T> column) {
        boolean[] values = new boolean[items.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.test(items.get(i));
        }
        return values;
    }
}
