package dev.tallystick.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who this daemon is: an Ed25519 key that stays in its directory, registered with the server as a device, and the machine on
 * which it was made. A directory that was copied to another machine is noticed, because two daemons must not share an outbox.
 *
 * @param device the name under which it is registered
 * @param publicKey 32 bytes in base64
 * @param host a fingerprint of this machine
 */
record Identity(String device, String publicKey, String host) {

    static final String FILE = "identity.json";

    private static final int KEY_BYTES = 32;
    private static final int NAME_LENGTH = 12;
    private static final Logger LOG = LoggerFactory.getLogger(Identity.class);

    /** Reads the identity in a directory, or makes one. */
    static Identity of(DaemonDirectory directory, DaemonSettings.ClonePolicy policy) {
        Path file = directory.path().resolve(FILE);
        try {
            if (!Files.exists(file)) {
                directory.write(FILE, fresh().canonical() + "\n");
            }
            Map<String, Json> members =
                    ((Json.ObjectValue) Json.parse(Files.readString(file).strip())).members();
            String here = thisHost();
            if (!text(members, "host").equals(here)) {
                judgeClone(policy, directory.path());
            }
            if (policy == DaemonSettings.ClonePolicy.ALLOW
                    && !text(members, "host").equals(here)) {
                Map<String, Json> moved = new TreeMap<>(members);
                moved.put("host", Json.of(here));
                directory.write(FILE, new Json.ObjectValue(moved).canonical() + "\n");
            }
            return new Identity(text(members, "device"), text(members, "public_key"), here);
        } catch (IOException | ClassCastException | IllegalArgumentException e) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.UNUSABLE, "cannot read " + file + ": " + e + "; restore it", e);
        }
    }

    private static Json.ObjectValue fresh() throws IOException {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            byte[] encoded = pair.getPublic().getEncoded();
            String key = Base64.getEncoder()
                    .encodeToString(Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length));
            String name = Fingerprint.of("device", key).hex().substring(0, NAME_LENGTH);
            return new Json.ObjectValue(Map.of(
                    "device", Json.of("daemon-" + name),
                    "public_key", Json.of(key),
                    "private_key",
                            Json.of(Base64.getEncoder()
                                    .encodeToString(pair.getPrivate().getEncoded())),
                    "host", Json.of(thisHost())));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java since 15 has Ed25519", e);
        }
    }

    private static void judgeClone(DaemonSettings.ClonePolicy policy, Path directory) {
        String what = directory + " was made on another machine: two daemons must not send one outbox";
        switch (policy) {
            case REFUSE ->
                throw new DaemonStartException(
                        DaemonStartException.Kind.CLONED,
                        what
                                + ". If the other one is gone for good, start with --clone allow; else use a new directory");
            case WARN -> LOG.warn("{}", what);
            case ALLOW -> LOG.info("{}; it is allowed from now on", what);
        }
    }

    /** Tells machines apart without naming this one. */
    private static String thisHost() throws IOException {
        Path machine = Path.of("/etc/machine-id");
        String id = Files.isReadable(machine) ? Files.readString(machine, UTF_8).strip() : "";
        return Fingerprint.of("host", id.isEmpty() ? InetAddress.getLocalHost().getHostName() : id)
                .hex();
    }

    private static String text(Map<String, Json> members, String name) {
        if (members.get(name) instanceof Json.StringValue text) {
            return text.value();
        }
        throw new IllegalArgumentException("it has no " + name);
    }
}
