package dev.tallystick.log.witness;

import dev.tallystick.log.note.NoteSignature;

/** What came of asking a witness. */
public sealed interface Cosigning {

    /** The witness has cosigned, and its key made this signature. */
    record Cosigned(NoteSignature signature) implements Cosigning {}

    /** The witness has cosigned a checkpoint that this one does not continue, or says so. */
    record Contradicted(String why) implements Cosigning {}

    /** The answer is of no use, for this reason. */
    record Refused(String why) implements Cosigning {}

    /** There was no answer in time. The witness may have cosigned; asking again does no harm. */
    record Unanswered(String why) implements Cosigning {}
}
