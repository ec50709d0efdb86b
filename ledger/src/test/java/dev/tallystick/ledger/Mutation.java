package dev.tallystick.ledger;

import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Changes good files at random. */
public final class Mutation {

    /** Lengths, counts and offsets that readers stumble over, big-endian. */
    private static final int[] NUMBERS = {0, 1, -1, 0x7fffffff, 0x80000000, 0x10000000, 0xff, 0x100, 0xffff, 0x01000000
    };

    private static final byte[] OCTETS = {0, 1, -1, 0x7f, (byte) 0x80, ' ', '\n', '/', '"', '{', '[', '9', '-'};
    private static final int MOST_CHANGES = 4;
    private static final int LONGEST_STRETCH = 64;

    private Mutation() {}

    public static byte[] of(List<byte[]> good, RandomGenerator random) {
        byte[] bytes = good.get(random.nextInt(good.size())).clone();
        int changes = 1 + random.nextInt(MOST_CHANGES);
        for (int i = 0; i < changes; i++) {
            bytes = changed(bytes, good, random);
        }
        return bytes;
    }

    private static byte[] changed(byte[] bytes, List<byte[]> good, RandomGenerator random) {
        if (bytes.length == 0) {
            return new byte[] {(byte) random.nextInt()};
        }
        int at = random.nextInt(bytes.length);
        int length = Math.min(bytes.length - at, 1 + random.nextInt(LONGEST_STRETCH));
        return switch (random.nextInt(9)) {
            case 0 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                yield bytes;
            }
            case 1 -> {
                bytes[at] = OCTETS[random.nextInt(OCTETS.length)];
                yield bytes;
            }
            case 2 -> Arrays.copyOf(bytes, at);
            case 3 -> joined(bytes, 0, at, bytes, at + length, bytes.length);
            case 4 -> joined(joined(bytes, 0, at + length, bytes, at, at + length), bytes, at + length, bytes.length);
            case 5 -> {
                int number = NUMBERS[random.nextInt(NUMBERS.length)];
                for (int i = 0; i < 4 && at + i < bytes.length; i++) {
                    bytes[at + i] = (byte) (number >>> (24 - 8 * i));
                }
                yield bytes;
            }
            case 6 -> {
                byte[] other = good.get(random.nextInt(good.size()));
                int from = random.nextInt(other.length);
                int some = Math.min(other.length - from, length);
                yield joined(joined(bytes, 0, at, other, from, from + some), bytes, at, bytes.length);
            }
            case 7 -> {
                byte[] noise = new byte[length];
                for (int i = 0; i < length; i++) {
                    noise[i] = (byte) random.nextInt();
                }
                yield joined(joined(bytes, 0, at, noise, 0, length), bytes, at, bytes.length);
            }
            default -> {
                byte[] same = new byte[length];
                Arrays.fill(same, OCTETS[random.nextInt(OCTETS.length)]);
                yield joined(joined(bytes, 0, at, same, 0, length), bytes, at, bytes.length);
            }
        };
    }

    private static byte[] joined(byte[] one, byte[] other, int from, int to) {
        return joined(one, 0, one.length, other, from, to);
    }

    private static byte[] joined(byte[] one, int from, int to, byte[] other, int otherFrom, int otherTo) {
        byte[] joined = Arrays.copyOf(Arrays.copyOfRange(one, from, to), to - from + otherTo - otherFrom);
        System.arraycopy(other, otherFrom, joined, to - from, otherTo - otherFrom);
        return joined;
    }
}
