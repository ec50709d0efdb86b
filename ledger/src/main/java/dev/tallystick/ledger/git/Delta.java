package dev.tallystick.ledger.git;

/** Git's deltas: instructions that rebuild an object from pieces of another. Read, never written. */
final class Delta {

    private static final int LARGEST_COPY_MARKER = 0x10000;

    private final byte[] delta;
    private int position;

    private Delta(byte[] delta) {
        this.delta = delta;
    }

    static byte[] apply(byte[] base, byte[] delta) throws DamagedObjectException {
        try {
            return new Delta(delta).applyTo(base);
        } catch (IndexOutOfBoundsException e) {
            throw new DamagedObjectException("a delta reaches outside its base or its result", e);
        }
    }

    private byte[] applyTo(byte[] base) throws DamagedObjectException {
        if (size() != base.length) {
            throw new DamagedObjectException("a delta was made for another base");
        }
        long length = size();
        if (length < 0 || length > Pack.LARGEST_OBJECT) {
            throw new DamagedObjectException("a delta yields an object of " + length + " bytes");
        }
        byte[] result = new byte[(int) length];
        int filled = 0;
        while (position < delta.length) {
            int instruction = delta[position++] & 0xff;
            if ((instruction & 0x80) != 0) {
                int offset = number(instruction, 4);
                int wanted = number(instruction >>> 4, 3);
                int piece = wanted == 0 ? LARGEST_COPY_MARKER : wanted;
                System.arraycopy(base, offset, result, filled, piece);
                filled += piece;
            } else if (instruction != 0) {
                System.arraycopy(delta, position, result, filled, instruction);
                position += instruction;
                filled += instruction;
            } else {
                throw new DamagedObjectException("a delta holds a reserved instruction");
            }
        }
        if (filled != result.length) {
            throw new DamagedObjectException("a delta yields fewer bytes than it says");
        }
        return result;
    }

    private long size() {
        long size = 0;
        int next;
        int shift = 0;
        do {
            next = delta[position++] & 0xff;
            size |= (long) (next & 0x7f) << shift;
            shift += 7;
        } while ((next & 0x80) != 0);
        return size;
    }

    private int number(int present, int bytes) {
        int number = 0;
        for (int i = 0; i < bytes; i++) {
            if ((present >>> i & 1) != 0) {
                number |= (delta[position++] & 0xff) << (8 * i);
            }
        }
        return number;
    }
}
