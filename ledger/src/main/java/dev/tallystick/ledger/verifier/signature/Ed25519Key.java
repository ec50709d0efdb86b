package dev.tallystick.ledger.verifier.signature;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/**
 * An Ed25519 key that checks signatures, as RFC 8032 (5.1.7) has it and as strictly as it allows: the key is a canonical point
 * of prime order, S is below that order, and R must be the very bytes of S · B − k · A.
 *
 * <p>Most signatures of a ledger are by one key. So the multiples of a key that is used often are kept, which takes the time
 * of about a dozen checks and makes each several times as fast. Thread-safe.
 */
final class Ed25519Key {

    private static final BigInteger ORDER =
            BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));

    private static final CurvePoint BASE = CurvePoint.decode(HexFormat.of().parseHex("58" + "66".repeat(31)));

    private static final PointTable BASE_MULTIPLES = PointTable.shortOf(BASE);

    private static final int OFTEN = 64;

    /** Of the base point, once a key is used often. */
    private static final class Full {
        private static final PointTable BASE_MULTIPLES = PointTable.fullOf(BASE);
    }

    private final byte[] encoded;
    private final CurvePoint negated;
    private final AtomicInteger checks = new AtomicInteger();
    private volatile PointTable multiples;

    Ed25519Key(byte[] encoded) throws Unsound {
        if (encoded.length != Ed25519.PUBLIC_KEY_SIZE || !Ed25519.validatePublicKeyFull(encoded, 0)) {
            throw new Unsound("is not an Ed25519 key");
        }
        this.encoded = encoded;
        this.negated = CurvePoint.decode(encoded).negated();
        this.multiples = PointTable.shortOf(negated);
    }

    boolean verifies(byte[] message, byte[] signature) {
        if (signature.length != Ed25519.SIGNATURE_SIZE) {
            return false;
        }
        byte[] r = Arrays.copyOf(signature, CurvePoint.ENCODED);
        BigInteger s = number(Arrays.copyOfRange(signature, CurvePoint.ENCODED, signature.length));
        if (s.compareTo(ORDER) >= 0) {
            return false;
        }
        int number = checks.incrementAndGet();
        if (number == OFTEN) {
            multiples = PointTable.fullOf(negated);
        }
        BigInteger k = number(Hashes.sha512(r, encoded, message)).mod(ORDER);
        PointTable base = number < OFTEN ? BASE_MULTIPLES : Full.BASE_MULTIPLES;
        return Arrays.equals(PointTable.sum(multiples, k, base, s).encode(), r);
    }

    private static BigInteger number(byte[] littleEndian) {
        byte[] bigEndian = new byte[littleEndian.length];
        for (int i = 0; i < littleEndian.length; i++) {
            bigEndian[i] = littleEndian[littleEndian.length - 1 - i];
        }
        return new BigInteger(1, bigEndian);
    }
}
