package dev.tallystick.cli.command;

import java.util.Map;

/** What all commands share: the global options and the process's environment. */
public interface RootCommand {

    boolean wantsJson();

    /** The process's environment variables. */
    Map<String, String> environment();
}
