package dev.tallystick.workflow;

/** The code asks a different question than when the job last ran: another version of the code started the job. */
public final class WorkflowChangedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String REMEDY =
            "register the changed workflow as a new version, or guard the change with ctx.patched(id)";

    public WorkflowChangedException(String path, String recorded, String asked) {
        super("at place " + path + " the record says '" + recorded + "' and the code says '" + asked + "': " + REMEDY);
    }

    /** The record has entries after this place, but none for the place itself. */
    public WorkflowChangedException(String path, String asked) {
        super("at place " + path + " the code says '" + asked
                + "' and the record says nothing, but continues behind it: " + REMEDY);
    }
}
