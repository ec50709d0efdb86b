package dev.tallystick.broker;

/** There are as many of something as there may be. Nothing was created. */
public final class QuotaExceededException extends RuntimeException {

    /**
     * @param what there is, as in {@code the mesh has 10 topics}
     * @param setting the operator's setting that allows more
     */
    public QuotaExceededException(String what, String setting) {
        super(what + " already: delete one first, or have the operator raise " + setting);
    }
}
