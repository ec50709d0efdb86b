package dev.tallystick.ledger.git;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Big-endian numbers in byte arrays, as in Git's packs, indexes and IDs. */
public final class Bytes {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Bytes() {}

    public static int int32(byte[] bytes, int offset) {
        return (int) INT.get(bytes, offset);
    }

    static long int64(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    public static void putInt32(byte[] bytes, int offset, int value) {
        INT.set(bytes, offset, value);
    }

    static void putInt64(byte[] bytes, int offset, long value) {
        LONG.set(bytes, offset, value);
    }
}
