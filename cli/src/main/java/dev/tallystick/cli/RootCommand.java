package dev.tallystick.cli;

import java.util.Map;

/** What all commands share: the global options and the process's environment. */
interface RootCommand {

    boolean wantsJson();

    /** The process's environment variables. */
    Map<String, String> environment();
}
