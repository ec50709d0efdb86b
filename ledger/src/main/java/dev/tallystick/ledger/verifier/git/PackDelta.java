package dev.tallystick.ledger.verifier.git;

/** An object as the difference to another one. */
final class PackDelta {

    private PackDelta() {}

    static byte[] apply(byte[] base, byte[] delta) throws Unsound {
        int[] at = {0};
        try {
            if (size(delta, at) != base.length) {
                throw new Unsound("a delta was made for another base");
            }
            byte[] result = new byte[length(size(delta, at))];
            int filled = 0;
            while (at[0] < delta.length) {
                int code = delta[at[0]++] & 0xff;
                if (code >= 0x80) {
                    int from = 0;
                    int length = 0;
                    for (int bit = 0; bit < 7; bit++) {
                        int octet = (code >>> bit & 1) == 0 ? 0 : delta[at[0]++] & 0xff;
                        from |= bit < 4 ? octet << (8 * bit) : 0;
                        length |= bit < 4 ? 0 : octet << (8 * (bit - 4));
                    }
                    length = length == 0 ? 0x10000 : length;
                    System.arraycopy(base, from, result, filled, length);
                    filled += length;
                } else {
                    System.arraycopy(delta, at[0], result, filled, code);
                    at[0] += code;
                    filled += code;
                }
            }
            if (filled != result.length) {
                throw new Unsound("a delta makes an object of another length");
            }
            return result;
        } catch (IndexOutOfBoundsException e) {
            throw new Unsound("a delta reaches too far");
        }
    }

    private static long size(byte[] delta, int[] at) {
        long size = 0;
        int shift = 0;
        int next = 0x80;
        while ((next & 0x80) != 0) {
            next = delta[at[0]++];
            size |= (next & 0x7fL) << shift;
            shift += 7;
        }
        return size;
    }

    private static int length(long claimed) throws Unsound {
        if (claimed < 0 || claimed > PackFile.LARGEST_OBJECT) {
            throw new Unsound("a delta makes an object of " + claimed + " bytes");
        }
        return (int) claimed;
    }
}
