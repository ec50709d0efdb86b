package dev.tallystick.ledger.verifier.git;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;

/** An object's type, as Git spells it, and content. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredObject(String type, byte[] content) {

    public String id() {
        MessageDigest sha1 = idDigest(type, content.length);
        return Hashes.hex(sha1.digest(content));
    }

    /** What becomes the id once the content has been added. */
    static MessageDigest idDigest(String type, long length) {
        MessageDigest sha1 = Hashes.sha1();
        sha1.update((type + " " + length + "\0").getBytes(US_ASCII));
        return sha1;
    }
}
