package dev.tallystick.ledger.verifier.signature;

import java.math.BigInteger;
import java.util.List;
import org.bouncycastle.math.ec.rfc7748.X25519Field;

/**
 * A point of the curve edwards25519 in extended coordinates, where T = U · V, changed in place. How long it takes depends on
 * the values, which are public here. Not thread-safe.
 */
final class CurvePoint {

    static final int ENCODED = 32;

    /** 2²⁵⁵ − 19. */
    private static final BigInteger PRIME = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));

    private static final int[] D = element(
            BigInteger.valueOf(-121_665).multiply(BigInteger.valueOf(121_666).modInverse(PRIME)));

    private static final int[] HALF = element(BigInteger.TWO.modInverse(PRIME));

    private final int[] x = X25519Field.create();
    private final int[] y = X25519Field.create();
    private final int[] z = X25519Field.create();
    private final int[] u = X25519Field.create();
    private final int[] v = X25519Field.create();

    private CurvePoint() {}

    /** A point in the form in which it is added to others: (y − x) / 2, (y + x) / 2 and d · x · y. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Addend(int[] halfDifference, int[] halfSum, int[] xyd) {}

    static CurvePoint neutral() {
        CurvePoint point = new CurvePoint();
        X25519Field.one(point.y);
        X25519Field.one(point.z);
        X25519Field.one(point.v);
        return point;
    }

    /** The point that these bytes stand for; they must be the canonical encoding of one (RFC 8032, 5.1.3). */
    static CurvePoint decode(byte[] encoded) {
        byte[] bytes = encoded.clone();
        int sign = bytes[ENCODED - 1] >>> 7 & 1;
        bytes[ENCODED - 1] &= 0x7f;
        CurvePoint point = new CurvePoint();
        X25519Field.decode255(bytes, point.y);
        int[] numerator = X25519Field.create();
        int[] denominator = X25519Field.create();
        X25519Field.sqr(point.y, numerator);
        X25519Field.mul(D, numerator, denominator);
        X25519Field.subOne(numerator);
        X25519Field.addOne(denominator);
        if (!X25519Field.sqrtRatioVar(numerator, denominator, point.x)) {
            throw new IllegalArgumentException("no point has this encoding");
        }
        X25519Field.normalize(point.x);
        if ((point.x[0] & 1) != sign) {
            X25519Field.negate(point.x, point.x);
            X25519Field.normalize(point.x);
        }
        point.extend();
        return point;
    }

    CurvePoint negated() {
        CurvePoint negated = copy();
        X25519Field.negate(negated.x, negated.x);
        X25519Field.carry(negated.x);
        X25519Field.negate(negated.u, negated.u);
        X25519Field.carry(negated.u);
        return negated;
    }

    CurvePoint copy() {
        CurvePoint copy = new CurvePoint();
        X25519Field.copy(x, 0, copy.x, 0);
        X25519Field.copy(y, 0, copy.y, 0);
        X25519Field.copy(z, 0, copy.z, 0);
        X25519Field.copy(u, 0, copy.u, 0);
        X25519Field.copy(v, 0, copy.v, 0);
        return copy;
    }

    byte[] encode() {
        toAffine(X25519Field::invVar);
        byte[] bytes = new byte[ENCODED];
        X25519Field.encode(y, bytes);
        bytes[ENCODED - 1] |= (byte) ((x[0] & 1) << 7);
        return bytes;
    }

    void twice() {
        int[] e = u;
        int[] h = v;
        X25519Field.add(x, y, e);
        X25519Field.sqr(x, x);
        X25519Field.sqr(y, y);
        X25519Field.sqr(z, z);
        X25519Field.add(z, z, z);
        X25519Field.apm(x, y, h, y);
        X25519Field.sqr(e, e);
        X25519Field.sub(h, e, e);
        X25519Field.add(z, y, x);
        X25519Field.carry(x);
        X25519Field.mul(x, y, z);
        X25519Field.mul(x, e, x);
        X25519Field.mul(y, h, y);
    }

    void add(Addend point) {
        add(point.halfDifference, point.halfSum, point.xyd, y, x);
    }

    void subtract(Addend point) {
        add(point.halfSum, point.halfDifference, point.xyd, x, y);
    }

    /** The negative of a point has the first two exchanged, and the sum and difference of Z and C. */
    private void add(int[] first, int[] second, int[] xyd, int[] sum, int[] difference) {
        int[] c = X25519Field.create();
        X25519Field.apm(y, x, y, x);
        X25519Field.mul(x, first, x);
        X25519Field.mul(y, second, y);
        X25519Field.mul(u, v, c);
        X25519Field.mul(c, xyd, c);
        X25519Field.apm(y, x, v, u);
        X25519Field.apm(z, c, sum, difference);
        X25519Field.mul(x, y, z);
        X25519Field.mul(x, u, x);
        X25519Field.mul(y, v, y);
    }

    /** These points in the form in which they are added: one inversion for all of them. */
    static Addend[] addends(List<CurvePoint> points) {
        int[][] products = new int[points.size()][];
        int[] product = X25519Field.create();
        X25519Field.one(product);
        for (int i = 0; i < products.length; i++) {
            products[i] = product.clone();
            X25519Field.mul(product, points.get(i).z, product);
        }
        X25519Field.invVar(product, product);
        Addend[] addends = new Addend[products.length];
        for (int i = products.length - 1; i >= 0; i--) {
            CurvePoint point = points.get(i).copy();
            int[] inverse = X25519Field.create();
            X25519Field.mul(product, products[i], inverse);
            X25519Field.mul(product, point.z, product);
            point.toAffine((ignored, result) -> X25519Field.copy(inverse, 0, result, 0));
            addends[i] = point.addend();
        }
        return addends;
    }

    private Addend addend() {
        Addend addend = new Addend(X25519Field.create(), X25519Field.create(), X25519Field.create());
        X25519Field.apm(y, x, addend.halfSum, addend.halfDifference);
        X25519Field.mul(addend.halfSum, HALF, addend.halfSum);
        X25519Field.mul(addend.halfDifference, HALF, addend.halfDifference);
        X25519Field.mul(x, y, addend.xyd);
        X25519Field.mul(addend.xyd, D, addend.xyd);
        return addend;
    }

    private interface Inversion {
        void invert(int[] element, int[] result);
    }

    private void toAffine(Inversion inversion) {
        int[] inverse = X25519Field.create();
        inversion.invert(z, inverse);
        X25519Field.mul(x, inverse, x);
        X25519Field.mul(y, inverse, y);
        X25519Field.normalize(x);
        X25519Field.normalize(y);
        extend();
    }

    private void extend() {
        X25519Field.one(z);
        X25519Field.copy(x, 0, u, 0);
        X25519Field.copy(y, 0, v, 0);
    }

    private static int[] element(BigInteger value) {
        byte[] bigEndian = value.mod(PRIME).toByteArray();
        byte[] bytes = new byte[ENCODED];
        for (int i = 0; i < bigEndian.length; i++) {
            bytes[i] = bigEndian[bigEndian.length - 1 - i];
        }
        int[] element = X25519Field.create();
        X25519Field.decode255(bytes, element);
        return element;
    }
}
