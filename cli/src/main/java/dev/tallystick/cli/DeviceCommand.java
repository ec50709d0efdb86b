package dev.tallystick.cli;

import dev.tallystick.cli.command.CommandGroup;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.cli.command.ServerConnection;
import dev.tallystick.client.TallyClient;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A member's devices. */
@Command(
        name = "device",
        description = {
            "Register your devices by public key, rotate their keys, and revoke devices.",
            "A key identifies a device; only your token grants rights."
        },
        subcommands = {
            DeviceCommand.Register.class,
            DeviceCommand.Rotate.class,
            DeviceCommand.Ls.class,
            DeviceCommand.Revoke.class
        },
        footer = {
            "  tally device register laptop --public-key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
            "  tally device rotate laptop --replaces 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= --public-key …",
            "  tally device ls",
            "  tally device revoke laptop",
        })
final class DeviceCommand extends CommandGroup {

    /** A command about one device. */
    abstract static class OfOne extends ServerConnection {

        @Parameters(index = "0", paramLabel = "NAME", description = "The name of the device.")
        private String name;

        final String name() {
            return name;
        }
    }

    /** A command that sets a device's key. */
    abstract static class WithKey extends OfOne {

        @Option(
                names = "--public-key",
                paramLabel = "BASE64",
                required = true,
                description = "The Ed25519 public key: 32 bytes in base64.")
        private String key;

        final String key() {
            return key;
        }
    }

    @Command(name = "register", description = "Register a device by its public key.")
    static final class Register extends WithKey {

        @Override
        public ExitCode run(TallyClient client) {
            client.devices().register(name(), key());
            return answer("device " + name() + (isNew() ? " is registered" : " was registered before"));
        }
    }

    @Command(name = "rotate", description = "Replace a device's key.")
    static final class Rotate extends WithKey {

        @Option(names = "--replaces", paramLabel = "BASE64", required = true, description = "The device's current key.")
        private String replaced;

        @Option(
                names = "--grace",
                paramLabel = "SECONDS",
                description = "How long the replaced key still counts, at most 30 days (default: a day).")
        private @Nullable Integer grace;

        @Override
        public ExitCode run(TallyClient client) {
            client.devices().rotate(name(), replaced, key(), grace == null ? null : Duration.ofSeconds(grace));
            return answer("device " + name() + " has its new key");
        }
    }

    @Command(name = "ls", description = "List your devices.")
    static final class Ls extends ServerConnection {

        @Override
        public ExitCode run(TallyClient client) {
            return answer(client.devices().list(), Ls::line);
        }

        private static String line(DeviceView device) {
            return "%-20s %s  %s"
                    .formatted(device.name(), device.publicKey(), device.revokedAt() == null ? "" : "revoked")
                    .stripTrailing();
        }
    }

    @Command(name = "revoke", description = "Revoke a device.")
    static final class Revoke extends OfOne {

        @Override
        public ExitCode run(TallyClient client) {
            client.devices().revoke(name());
            return answer("device " + name() + " is revoked");
        }
    }
}
