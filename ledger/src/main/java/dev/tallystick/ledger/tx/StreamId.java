package dev.tallystick.ledger.tx;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.git.Digests;
import java.util.HexFormat;
import java.util.List;

/**
 * A document and its stream of transactions. The document's name never becomes a path, only its hash does; so any text without
 * control characters is allowed.
 */
public record StreamId(Collection collection, String document) {

    public static final int LONGEST_DOCUMENT = 1024;

    public static final String DOCUMENTS = "documents";

    public StreamId {
        int bytes = document.getBytes(UTF_8).length;
        if (bytes == 0 || bytes > LONGEST_DOCUMENT) {
            throw new IllegalArgumentException("a document's name has 1 to 1024 bytes, not " + bytes);
        }
        for (int i = 0; i < document.length(); i++) {
            char c = document.charAt(i);
            if (Character.isISOControl(c)) {
                throw new IllegalArgumentException(
                        "a document's name must not have control characters; there is one at " + i);
            }
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < document.length()
                    && Character.isLowSurrogate(document.charAt(i + 1));
            if (Character.isSurrogate(c) && !pair) {
                throw new IllegalArgumentException(
                        "a document's name must be valid Unicode; a lone surrogate is at " + i);
            }
            i += pair ? 1 : 0;
        }
    }

    public static StreamId of(String collection, String document) {
        return new StreamId(new Collection(collection), document);
    }

    /** The directories from the root of the tree to the stream. */
    public List<String> path() {
        byte[] name = (collection.name() + "/" + document).getBytes(UTF_8);
        String hash = HexFormat.of().formatHex(Digests.sha256().digest(name));
        return List.of(DOCUMENTS, collection.name(), hash.substring(0, 2), hash.substring(2, 4), "DOC_" + hash);
    }

    @Override
    public String toString() {
        return collection + "/" + document;
    }
}
