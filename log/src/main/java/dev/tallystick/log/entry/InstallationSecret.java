package dev.tallystick.log.entry;

import dev.tallystick.log.tree.Hash;
import java.security.SecureRandom;

/** The secret of an installation, kept outside its database. All secrets of members derive from it. */
public final class InstallationSecret {

    public static final int BYTES = 32;

    private final byte[] secret;
    private final Hash extracted;

    private InstallationSecret(byte[] secret) {
        if (secret.length != BYTES) {
            throw new IllegalArgumentException("an installation's secret has 32 bytes, not " + secret.length);
        }
        this.secret = secret;
        this.extracted = HmacSha256.extract("tally-secret-v1", secret);
    }

    public static InstallationSecret draw(SecureRandom random) {
        byte[] secret = new byte[BYTES];
        random.nextBytes(secret);
        return new InstallationSecret(secret);
    }

    public static InstallationSecret of(byte[] secret) {
        return new InstallationSecret(secret.clone());
    }

    /** To be stored where only this installation can read it. */
    public byte[] bytes() {
        return secret.clone();
    }

    /** Tells two secrets apart, and nothing else about them. */
    public Hash id() {
        return HmacSha256.extract("tally-installation-v1", secret);
    }

    public MemberSecret of(String mesh, String member, int generation) {
        Hash derived = HmacSha256.expand(
                extracted,
                HmacSha256.lengthPrefixed(mesh),
                HmacSha256.lengthPrefixed(member),
                HmacSha256.number(generation));
        return new MemberSecret(mesh, member, generation, derived);
    }
}
