package dev.tallystick.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.client.Devices;
import dev.tallystick.client.RefusedException;
import dev.tallystick.core.CrashPoints;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.Json;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who this daemon is: an Ed25519 key that stays in its directory, registered with the server as a device, and the machine on
 * which it was made. A directory that was copied to another machine is noticed, because two daemons must not share an outbox.
 * Thread-safe.
 *
 * <p>The key can be replaced. The next one is on disk before the server hears of it, and the current one stays until the server
 * has confirmed the next: whatever happens in between, the daemon has a key that the server knows.
 */
final class Identity {

    static final String FILE = "identity.json";

    private static final String DEVICE = "device";
    private static final String HOST = "host";
    private static final String PUBLIC = "public_key";
    private static final String PRIVATE = "private_key";
    private static final String NEXT = "next_";
    private static final String GRACE = "grace_seconds";

    private static final int KEY_BYTES = 32;
    private static final int NAME_LENGTH = 12;
    private static final Logger LOG = LoggerFactory.getLogger(Identity.class);

    private final DaemonDirectory directory;
    private final DaemonSettings.ClonePolicy policy;
    private final String host;
    private final CrashPoints crashPoints;
    private Map<String, Json> members;

    private Identity(
            DaemonDirectory directory,
            DaemonSettings.ClonePolicy policy,
            String host,
            CrashPoints crashPoints,
            Map<String, Json> members) {
        this.directory = directory;
        this.policy = policy;
        this.host = host;
        this.crashPoints = crashPoints;
        this.members = members;
    }

    /** Reads the identity in a directory, or makes one. */
    static Identity of(DaemonDirectory directory, DaemonSettings.ClonePolicy policy, CrashPoints crashPoints) {
        Path file = directory.path().resolve(FILE);
        try {
            String here = thisHost();
            if (!Files.exists(file)) {
                write(directory, fresh(here));
            }
            Map<String, Json> members =
                    ((Json.ObjectValue) Json.parse(Files.readString(file).strip())).members();
            for (String name : new String[] {DEVICE, PUBLIC, PRIVATE}) {
                String unused = text(members, name);
            }
            if (!text(members, HOST).equals(here)) {
                judgeClone(policy, directory.path());
                if (policy == DaemonSettings.ClonePolicy.ALLOW) {
                    members = with(members, HOST, Json.of(here));
                    write(directory, members);
                }
            }
            return new Identity(directory, policy, here, crashPoints, members);
        } catch (IOException | ClassCastException | IllegalArgumentException e) {
            throw new DaemonStartException(
                    DaemonStartException.Kind.UNUSABLE, "cannot read " + file + ": " + e + "; restore it", e);
        }
    }

    private static Map<String, Json> fresh(String host) {
        Map<String, Json> members = new TreeMap<>(keyPair(""));
        String name = Fingerprint.of(DEVICE, text(members, PUBLIC)).hex().substring(0, NAME_LENGTH);
        members.put(DEVICE, Json.of("daemon-" + name));
        members.put(HOST, Json.of(host));
        return members;
    }

    private static Map<String, Json> keyPair(String prefix) {
        try {
            KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            byte[] encoded = pair.getPublic().getEncoded();
            Base64.Encoder base64 = Base64.getEncoder();
            return Map.of(
                    prefix + PUBLIC,
                    Json.of(base64.encodeToString(
                            Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length))),
                    prefix + PRIVATE,
                    Json.of(base64.encodeToString(pair.getPrivate().getEncoded())));
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
        return Fingerprint.of(HOST, id.isEmpty() ? InetAddress.getLocalHost().getHostName() : id)
                .hex();
    }

    /** The name of the device, its public key, and the next one if there is one. */
    synchronized Map<String, Json> view() {
        Map<String, Json> view = new TreeMap<>(members);
        view.keySet().retainAll(Set.of(DEVICE, PUBLIC, NEXT + PUBLIC));
        return view;
    }

    /**
     * Makes the next key, unless there is one already. The daemon hands it to the server when they next meet.
     *
     * @param grace how long the current key still counts afterwards; null for the server's default
     */
    synchronized void rotate(@Nullable Duration grace) throws IOException {
        if (!members.containsKey(NEXT + PUBLIC)) {
            Map<String, Json> rotating = new TreeMap<>(members);
            rotating.putAll(keyPair(NEXT));
            if (grace != null) {
                rotating.put(GRACE, Json.of(grace.toSeconds()));
            }
            write(directory, rotating);
            members = rotating;
        }
        crashPoints.reached(IdentityCrashPoint.NEXT_KEY_KEPT);
    }

    /** Says to the server who this daemon is, and replaces its key there and here if that is due. */
    void introduce(Devices devices) {
        Map<String, Json> now = current();
        if (!now.containsKey(NEXT + PUBLIC)) {
            DeviceView unused = register(devices, text(now, PUBLIC));
            return;
        }
        String next = text(now, NEXT + PUBLIC);
        DeviceView device = registerEither(devices, text(now, PUBLIC), next);
        if (!device.publicKey().equals(next)) {
            Duration grace = now.get(GRACE) instanceof Json.NumberValue seconds
                    ? Duration.ofSeconds((long) seconds.value())
                    : null;
            DeviceView unused = devices.rotate(device.name(), text(now, PUBLIC), next, grace);
        }
        crashPoints.reached(IdentityCrashPoint.REPLACED_THERE);
        replace(now);
        crashPoints.reached(IdentityCrashPoint.REPLACED_HERE);
    }

    private synchronized Map<String, Json> current() {
        return members;
    }

    /** After a rotation whose answer was lost, the server may know only the next key by now. */
    private DeviceView registerEither(Devices devices, String key, String next) {
        try {
            return register(devices, key);
        } catch (RefusedException e) {
            if (!e.code().equals(ProblemCode.DEVICE_TAKEN.word())) {
                throw e;
            }
            return register(devices, next);
        }
    }

    private DeviceView register(Devices devices, String key) {
        Devices.IfCloned ifCloned = switch (policy) {
            case REFUSE -> Devices.IfCloned.REFUSE;
            case WARN -> Devices.IfCloned.WARN;
            case ALLOW -> Devices.IfCloned.ALLOW;
        };
        DeviceView device = devices.register(text(current(), DEVICE), key, host, ifCloned);
        if (!host.equals(device.hostFingerprint())) {
            LOG.warn(
                    "the device {} was registered on another machine: two daemons must not send one outbox",
                    device.name());
        }
        return device;
    }

    private synchronized void replace(Map<String, Json> rotating) {
        Map<String, Json> replaced = new TreeMap<>(rotating);
        for (String name : new String[] {PUBLIC, PRIVATE}) {
            replaced.put(name, Json.of(text(rotating, NEXT + name)));
            replaced.remove(NEXT + name);
        }
        replaced.remove(GRACE);
        try {
            write(directory, replaced);
            members = replaced;
            LOG.info("the key of this device is now {}", text(replaced, PUBLIC));
        } catch (IOException e) {
            // The server has the next key, and the file has both: this is tried again at the next meeting.
            LOG.warn("cannot write {}: {}", FILE, e.toString());
        }
    }

    private static Map<String, Json> with(Map<String, Json> members, String name, Json value) {
        Map<String, Json> changed = new TreeMap<>(members);
        changed.put(name, value);
        return changed;
    }

    private static void write(DaemonDirectory directory, Map<String, Json> members) throws IOException {
        directory.write(FILE, new Json.ObjectValue(members).canonical() + "\n");
    }

    private static String text(Map<String, Json> members, String name) {
        if (members.get(name) instanceof Json.StringValue text) {
            return text.value();
        }
        throw new IllegalArgumentException("it has no " + name);
    }
}
