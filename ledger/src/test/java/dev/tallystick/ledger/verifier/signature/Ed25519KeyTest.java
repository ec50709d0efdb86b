package dev.tallystick.ledger.verifier.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallystick.ledger.verifier.git.Hashes;
import dev.tallystick.ledger.verifier.git.Unsound;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures are checked as RFC 8032 has it, with one encoding of everything, and as a second implementation does. */
class Ed25519KeyTest {

    private static final HexFormat HEX = HexFormat.of();
    private static final BigInteger ORDER =
            BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));
    private static final PointTable BASE = PointTable.fullOf(CurvePoint.decode(HEX.parseHex("58" + "66".repeat(31))));

    /** A point of order 8. */
    private static final String ORDER_8 = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a";

    private final Random random = new Random(8032);

    @ParameterizedTest
    @CsvSource({
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a, '', "
                + "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c, 72, "
                + "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025, af82, "
                + "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    })
    void the_examples_of_the_rfc_hold(String key, String message, String signature) throws Unsound {
        Ed25519Key parsed = new Ed25519Key(HEX.parseHex(key));
        assertThat(parsed.verifies(HEX.parseHex(message), HEX.parseHex(signature)))
                .isTrue();
        assertThat(parsed.verifies(HEX.parseHex(message + "00"), HEX.parseHex(signature)))
                .isFalse();
    }

    @Test
    void a_second_implementation_agrees_before_and_after_the_table_is_made() throws Unsound {
        byte[] secret = bytes(32);
        byte[] encoded = new byte[32];
        Ed25519.generatePublicKey(secret, 0, encoded, 0);
        Ed25519Key key = new Ed25519Key(encoded);
        for (int i = 0; i < 200; i++) {
            byte[] message = bytes(random.nextInt(200));
            byte[] signature = new byte[64];
            Ed25519.sign(secret, 0, message, 0, message.length, signature, 0);
            assertThat(key.verifies(message, signature)).as("signature %d", i).isTrue();
            int bit = random.nextInt(512);
            signature[bit / 8] ^= (byte) (1 << bit % 8);
            boolean other = Ed25519.verify(signature, 0, encoded, 0, message, 0, message.length);
            assertThat(key.verifies(message, signature)).as("bit %d", bit).isEqualTo(other);
        }
    }

    @Test
    void extreme_scalars_are_multiplied_right() {
        CurvePoint point = CurvePoint.decode(HEX.parseHex("58" + "66".repeat(31)));
        for (BigInteger scalar : new BigInteger[] {
            BigInteger.ZERO,
            BigInteger.ONE,
            BigInteger.valueOf(31),
            BigInteger.valueOf(32),
            BigInteger.valueOf(33),
            BigInteger.valueOf(63),
            BigInteger.valueOf(64),
            ORDER.subtract(BigInteger.ONE),
            ORDER.shiftRight(1),
            BigInteger.ONE.shiftLeft(252)
        }) {
            byte[] expected = added(point, scalar).encode();
            for (PointTable table : new PointTable[] {BASE, PointTable.shortOf(point)}) {
                for (PointTable other : new PointTable[] {BASE, PointTable.shortOf(point)}) {
                    assertThat(PointTable.sum(table, scalar, other, BigInteger.ZERO)
                                    .encode())
                            .as(scalar.toString())
                            .isEqualTo(expected);
                    assertThat(PointTable.sum(table, BigInteger.ZERO, other, scalar)
                                    .encode())
                            .as(scalar.toString())
                            .isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void a_signature_has_one_form() throws Unsound {
        BigInteger secret = new BigInteger(250, random);
        byte[] encoded = times(secret).encode();
        Ed25519Key key = new Ed25519Key(encoded);
        byte[] message = bytes(20);
        byte[] r = times(BigInteger.valueOf(12345)).encode();
        BigInteger s = response(r, encoded, message, secret, BigInteger.valueOf(12345));
        assertThat(key.verifies(message, joined(r, s))).isTrue();
        assertThat(key.verifies(message, joined(r, s.add(ORDER)))).isFalse();
        // R with a part of small order: the equation holds when all of it is multiplied by 8.
        CurvePoint shifted = times(BigInteger.valueOf(12345));
        shifted.add(CurvePoint.addends(java.util.List.of(CurvePoint.decode(HEX.parseHex(ORDER_8))))[0]);
        byte[] mixed = shifted.encode();
        BigInteger response = response(mixed, encoded, message, secret, BigInteger.valueOf(12345));
        assertThat(key.verifies(message, joined(mixed, response))).isFalse();
        assertThat(key.verifies(message, new byte[63])).isFalse();
        assertThat(key.verifies(message, new byte[65])).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0100000000000000000000000000000000000000000000000000000000000000",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0000000000000000000000000000000000000000000000000000000000000080",
                ORDER_8,
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                "0100000000000000000000000000000000000000000000000000000000000080",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "0200000000000000000000000000000000000000000000000000000000000000"
            })
    void a_key_that_is_no_canonical_point_of_prime_order_is_refused(String key) {
        assertThatThrownBy(() -> new Ed25519Key(HEX.parseHex(key))).isInstanceOf(Unsound.class);
    }

    @Test
    void a_key_with_a_part_of_small_order_is_refused() {
        CurvePoint mixed = times(BigInteger.valueOf(777));
        mixed.add(CurvePoint.addends(java.util.List.of(CurvePoint.decode(HEX.parseHex(ORDER_8))))[0]);
        assertThatThrownBy(() -> new Ed25519Key(mixed.encode())).isInstanceOf(Unsound.class);
        assertThatThrownBy(() -> new Ed25519Key(new byte[31])).isInstanceOf(Unsound.class);
    }

    private static BigInteger response(byte[] r, byte[] key, byte[] message, BigInteger secret, BigInteger nonce) {
        BigInteger k = new BigInteger(1, reversed(Hashes.sha512(r, key, message)));
        return nonce.add(k.multiply(secret)).mod(ORDER);
    }

    private static CurvePoint times(BigInteger scalar) {
        return PointTable.sum(BASE, scalar, BASE, BigInteger.ZERO);
    }

    /** By doubling and adding, bit by bit. */
    private static CurvePoint added(CurvePoint point, BigInteger scalar) {
        CurvePoint.Addend addend = CurvePoint.addends(java.util.List.of(point))[0];
        CurvePoint sum = CurvePoint.neutral();
        for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
            sum.twice();
            if (scalar.testBit(bit)) {
                sum.add(addend);
            }
        }
        return sum;
    }

    private static byte[] joined(byte[] r, BigInteger s) {
        byte[] signature = Arrays.copyOf(r, 64);
        byte[] number = reversed(s.toByteArray());
        System.arraycopy(number, 0, signature, 32, Math.min(32, number.length));
        return signature;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
