package dev.tallystick;

import org.jspecify.annotations.Nullable;

/** What came of one of several submissions. */
public sealed interface Submitted<O extends @Nullable Object> {

    /** The job, or else the reason why there is none, thrown as {@link Tallystick#submit} would. */
    JobHandle<O> job();

    /** There is the job, since now or since an earlier submission under its key. It is durable. */
    record Taken<O extends @Nullable Object>(JobHandle<O> job) implements Submitted<O> {}

    /** Nothing was done: a {@link KeyReusedException}, an input that is too large, or whatever else the reason says. */
    record Refused<O extends @Nullable Object>(RuntimeException reason) implements Submitted<O> {

        @Override
        public JobHandle<O> job() {
            throw reason;
        }
    }

    /** Nobody can tell whether there is the job. Submitted again under the same key, it is there once. */
    record Unknown<O extends @Nullable Object>(RuntimeException reason) implements Submitted<O> {

        @Override
        public JobHandle<O> job() {
            throw reason;
        }
    }
}
