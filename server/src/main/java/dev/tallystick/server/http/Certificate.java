package dev.tallystick.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The server's certificate with its chain, and its private key, from two PEM files.
 */
public record Certificate(Path chain, Path key) {

    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    /** The supported key types, and their signature algorithms. */
    private static final SortedMap<String, String> SIGNATURES =
            new TreeMap<>(Map.of("EC", "SHA256withECDSA", "EdDSA", "EdDSA", "RSA", "SHA256withRSA"));

    /** Both of them, or neither: one without the other is a mistake. */
    public static Certificate of(@Nullable Path chain, @Nullable Path key) {
        if (chain == null || key == null) {
            throw new IllegalArgumentException("a certificate (--tls-cert, TALLY_TLS_CERT) and its private key"
                    + " (--tls-key, TALLY_TLS_KEY) come together");
        }
        return new Certificate(chain, key);
    }

    /** @throws IllegalArgumentException if the files are invalid, with what to do about it */
    SSLContext context() {
        char[] password = new char[0];
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, password);
            PrivateKey privateKey = privateKey();
            java.security.cert.Certificate[] certificates = certificates();
            demandPair(privateKey, certificates[0].getPublicKey());
            store.setKeyEntry("server", privateKey, password, certificates);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, password);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(chain + " and " + key + " do not go together: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + chain + " or " + key + ": " + e.getMessage(), e);
        }
    }

    /** Nothing else checks this: such a server would start, and every handshake would fail. */
    private static void demandPair(PrivateKey privateKey, PublicKey publicKey) throws GeneralSecurityException {
        byte[] something = "something".getBytes(StandardCharsets.UTF_8);
        Signature signature = Signature.getInstance(SIGNATURES.get(privateKey.getAlgorithm()));
        signature.initSign(privateKey);
        signature.update(something);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(something);
        if (!signature.verify(signed)) {
            throw new SignatureException("the key belongs to another certificate");
        }
    }

    private java.security.cert.Certificate[] certificates() throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(chain)) {
            java.security.cert.Certificate[] all = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(java.security.cert.Certificate[]::new);
            if (all.length == 0) {
                throw new IllegalArgumentException("there is no certificate in " + chain);
            }
            return all;
        }
    }

    private PrivateKey privateKey() throws IOException, GeneralSecurityException {
        Matcher pem = PKCS8.matcher(Files.readString(key));
        if (!pem.find()) {
            throw new IllegalArgumentException(key + " has no unencrypted key in PKCS#8 (BEGIN PRIVATE KEY);"
                    + " openssl pkcs8 -topk8 -nocrypt makes one");
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        for (String algorithm : SIGNATURES.keySet()) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // The key is for another algorithm.
            }
        }
        throw new IllegalArgumentException(key + " is a key for none of " + String.join(", ", SIGNATURES.keySet()));
    }
}
