package dev.tallystick.broker.member;

/** A quota is used up. Nothing was created. */
public final class QuotaExceededException extends RuntimeException {

    /**
     * @param what the full quota, as in {@code the mesh has 10 topics}
     * @param setting the operator's setting that raises it
     */
    public QuotaExceededException(String what, String setting) {
        super(what + " already: delete one first, or have the operator raise " + setting);
    }
}
