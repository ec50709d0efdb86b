package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A repository's own configuration. What Git can be told there ranges from another place to look for objects to programs to
 * run, so only settings that are known to be harmless may be there. Others belong into the user's own configuration.
 */
final class RepositoryConfig {

    private static final int LARGEST = 1 << 20;
    private static final Pattern SECTION = Pattern.compile("\\[([A-Za-z0-9-]+)(?: +\"([A-Za-z0-9/._-]+)\")?]");
    private static final Pattern SETTING = Pattern.compile("([A-Za-z][A-Za-z0-9-]*)[ \\t]*=[ \\t]*([^\\p{Cntrl}]*)");
    private static final Pattern HARMLESS = Pattern.compile(String.join(
            "|",
            "core\\.repositoryformatversion=0",
            "core\\.(filemode|bare|ignorecase|precomposeunicode|symlinks)=(true|false)",
            "core\\.(commitgraph|multipackindex)=(true|false)",
            "core\\.logallrefupdates=(true|false|always)",
            "core\\.sharedrepository=(umask|group|all|world|everybody|0[0-7]{3}|true|false)",
            "core\\.fsync=[a-z,-]+",
            "core\\.fsyncmethod=(fsync|writeout-only|batch)",
            "gc\\.(auto|autopacklimit)=[0-9]+",
            "gc\\.(autodetach|writecommitgraph|cruftpacks)=(true|false)",
            "gc\\.packrefs=(true|false|notbare)",
            "gc\\.(prune|reflog|worktreeprune)expire=(now|never|[0-9]+\\.(days|weeks|months)\\.ago)",
            "(pack|repack)\\.[a-z]+=([0-9]+[kmg]?|true|false)",
            "maintenance\\.auto=(true|false)",
            "maintenance\\.strategy=(none|incremental)",
            "receive\\.(denynonfastforwards|denydeletes|fsckobjects|autogc|updateserverinfo)=(true|false)",
            "(transfer|fetch)\\.fsckobjects=(true|false)",
            "gpg\\.format=ssh",
            "user\\.(name|email)=.*",
            "remote\\..+\\.(url|pushurl|fetch|push|tagopt)=.*",
            "remote\\..+\\.(mirror|prune)=(true|false)",
            "branch\\..+\\.(remote|merge|rebase)=.*"));

    private final Map<String, String> settings = new HashMap<>();

    /** Reads what is there and reports what should not be. */
    static RepositoryConfig read(Path repository, Findings findings) throws IOException {
        RepositoryConfig config = new RepositoryConfig();
        Path file = repository.resolve("config");
        if (!Files.isRegularFile(file) || Files.size(file) > LARGEST) {
            findings.add(Finding.Kind.REPOSITORY, "config", "is missing or too large");
            return config;
        }
        String section = "";
        for (String line : new String(Files.readAllBytes(file), UTF_8).split("\n", -1)) {
            // Not strip(), which takes more for white space than Git does.
            String text = line.replaceAll("^[ \\t]+|[ \\t]+$", "");
            Matcher header = SECTION.matcher(text);
            Matcher setting = SETTING.matcher(text);
            if (header.matches()) {
                section = header.group(1).toLowerCase(Locale.ROOT)
                        + (header.group(2) == null ? "" : "." + header.group(2));
            } else if (setting.matches() && !text.endsWith("\\")) {
                String key = section + "." + setting.group(1).toLowerCase(Locale.ROOT);
                if (!HARMLESS.matcher(key + "=" + setting.group(2)).matches()) {
                    findings.add(
                            Finding.Kind.REPOSITORY,
                            "config",
                            "has the setting " + key
                                    + "; remove it, or move it to your own with 'git config --global'");
                }
                config.settings.put(key, setting.group(2));
            } else if (!text.isEmpty() && !text.matches("[#;][^\\p{Cntrl}]*")) {
                findings.add(Finding.Kind.REPOSITORY, "config", "has a line that is no setting; remove it");
            }
        }
        return config;
    }

    boolean isOff(String key) {
        return "false".equals(settings.get(key));
    }
}
