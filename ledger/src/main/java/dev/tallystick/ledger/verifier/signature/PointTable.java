package dev.tallystick.ledger.verifier.signature;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Small multiples of one point, from which any other multiple is added up. A scalar is a number of 43 digits to the base 64,
 * each from −32 to 32. The full table has the multiples for every digit, and needs no doubling; the short one has those of the
 * lowest digit alone, and doubles on the way. Thread-safe.
 */
final class PointTable {

    private static final int DIGIT_BITS = 6;
    private static final int DIGITS = 43;
    private static final int LARGEST_DIGIT = 1 << (DIGIT_BITS - 1);

    /** By digit's place, then by its absolute value less one. */
    private final CurvePoint.Addend[][] multiples;

    private PointTable(CurvePoint point, int places) {
        this.multiples = new CurvePoint.Addend[places][];
        CurvePoint unit = point.copy();
        for (int place = 0; place < places; place++) {
            CurvePoint.Addend one = CurvePoint.addends(List.of(unit))[0];
            List<CurvePoint> sums = new ArrayList<>();
            CurvePoint sum = CurvePoint.neutral();
            for (int digit = 1; digit <= LARGEST_DIGIT; digit++) {
                sum.add(one);
                sums.add(sum.copy());
            }
            multiples[place] = CurvePoint.addends(sums);
            unit = sum;
            unit.twice();
        }
    }

    /** A table that is made quickly. */
    static PointTable shortOf(CurvePoint point) {
        return new PointTable(point, 1);
    }

    /** A table that makes each multiple quickly, together with another that is full. */
    static PointTable fullOf(CurvePoint point) {
        return new PointTable(point, DIGITS);
    }

    /** So many times the point of one table, and so many times that of another. */
    static CurvePoint sum(PointTable one, BigInteger times, PointTable other, BigInteger otherTimes) {
        int[] digits = digits(times);
        int[] otherDigits = digits(otherTimes);
        boolean full = one.multiples.length == DIGITS && other.multiples.length == DIGITS;
        CurvePoint sum = CurvePoint.neutral();
        for (int place = DIGITS - 1; place >= 0; place--) {
            for (int i = 0; !full && i < DIGIT_BITS; i++) {
                sum.twice();
            }
            one.add(sum, full ? place : 0, digits[place]);
            other.add(sum, full ? place : 0, otherDigits[place]);
        }
        return sum;
    }

    private void add(CurvePoint sum, int place, int digit) {
        if (digit > 0) {
            sum.add(multiples[place][digit - 1]);
        } else if (digit < 0) {
            sum.subtract(multiples[place][-digit - 1]);
        }
    }

    private static int[] digits(BigInteger scalar) {
        int[] digits = new int[DIGITS];
        int carry = 0;
        for (int place = 0; place < DIGITS; place++) {
            int digit = carry;
            for (int bit = 0; bit < DIGIT_BITS; bit++) {
                digit += scalar.testBit(place * DIGIT_BITS + bit) ? 1 << bit : 0;
            }
            carry = digit > LARGEST_DIGIT ? 1 : 0;
            digits[place] = digit - (carry << DIGIT_BITS);
        }
        return digits;
    }
}
