package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;

/** An object's type, as Git spells it, and content. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record StoredObject(String type, byte[] content) {

    String id() {
        MessageDigest sha1 = Hashes.digest("SHA-1");
        sha1.update((type + " " + content.length + "\0").getBytes(US_ASCII));
        return Hashes.hex(sha1.digest(content));
    }
}
