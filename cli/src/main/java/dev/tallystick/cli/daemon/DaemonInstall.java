package dev.tallystick.cli.daemon;

import dev.tallystick.cli.command.CommandFailed;
import dev.tallystick.cli.command.ExitCode;
import dev.tallystick.core.Json;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes the file with which systemd or launchd starts the daemon when the user logs in. */
@Command(
        name = "install",
        description = {
            "Let systemd (Linux) or launchd (macOS) start the daemon when you log in.",
            "Start it once by hand before, so that it remembers its server and token file."
        })
final class DaemonInstall extends LocalCommand {

    @Option(names = "--print", description = "Print the file instead of writing it.")
    private boolean print;

    @Override
    public ExitCode run() {
        boolean isMac = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
        Path home = Path.of(environment().getOrDefault("HOME", System.getProperty("user.home")));
        Path target = isMac
                ? home.resolve("Library/LaunchAgents/dev.tallystick.daemon.plist")
                : home.resolve(".config/systemd/user/tally-daemon.service");
        String content = isMac ? plist() : unit();
        if (print) {
            return print(content.stripTrailing());
        }
        if (DaemonCommand.remembered(directory(), "token_file") == null) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "the daemon in " + directory() + " remembers no token file, so it could deliver nothing",
                    "Start it once with --server and --token-file, then install it.");
        }
        try {
            Files.createDirectories(target.resolveSibling(""));
            Files.writeString(target, content);
        } catch (IOException e) {
            throw new CommandFailed(ExitCode.USAGE, "cannot write " + target + ": " + e, "Pass --print.");
        }
        String next = isMac ? "launchctl load -w " + target : "systemctl --user enable --now tally-daemon";
        return answer(
                "wrote " + target + "\nNow run: " + next,
                new Json.ObjectValue(Map.of("file", Json.of(target.toString()), "next", Json.of(next))));
    }

    /** This Java and this class path: an upgrade of either must not change what runs. */
    static List<String> javaCommand(String mainClass) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                absolute(System.getProperty("java.class.path")),
                mainClass);
    }

    private static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private List<String> foreground() {
        List<String> command = new ArrayList<>(javaCommand(mainClass()));
        command.addAll(List.of(
                "daemon",
                "start",
                "--foreground",
                "--dir",
                directory().toAbsolutePath().toString()));
        return command;
    }

    /** A daemon that cannot start, because of its outbox or its directory, must not be started again and again. */
    private String unit() {
        return """
            [Unit]
            Description=Tallystick daemon: keeps what you send until the server has it
            StartLimitIntervalSec=60
            StartLimitBurst=5

            [Service]
            ExecStart=%s
            Restart=on-failure
            RestartSec=2
            RestartPreventExitStatus=2 4
            UMask=0077
            NoNewPrivileges=true

            [Install]
            WantedBy=default.target
            """.formatted(foreground().stream().map(DaemonInstall::quoted).collect(Collectors.joining(" ")));
    }

    private static String quoted(String word) {
        return "\""
                + word.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("%", "%%")
                        .replace("$", "$$") + "\"";
    }

    private String plist() {
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key><string>dev.tallystick.daemon</string>
                <key>RunAtLoad</key><true/>
                <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
                <key>ThrottleInterval</key><integer>30</integer>
                <key>Umask</key><integer>63</integer>
                <key>ProgramArguments</key>
                <array>
            %s
                </array>
            </dict>
            </plist>
            """.formatted(foreground().stream()
                .map(word -> "        <string>" + escaped(word) + "</string>")
                .collect(Collectors.joining("\n")));
    }

    private static String escaped(String word) {
        return word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
