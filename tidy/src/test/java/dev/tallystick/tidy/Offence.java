package dev.tallystick.tidy;

/** Where a rule is broken, printed so that an editor or terminal can jump there. */
record Offence(String path, int line, String what) {

    Offence(SourceFile file, int line, String what) {
        this(file.path(), line, what);
    }

    @Override
    public String toString() {
        return path + ":" + line + ": " + what;
    }
}
