package dev.tallystick;

import org.jspecify.annotations.Nullable;

/** The result of one of several submissions. */
public sealed interface Submitted<O extends @Nullable Object> {

    /** The job; if there is none, throws the reason as {@link Tallystick#submit} would. */
    JobHandle<O> job();

    /** The job exists, from this submission or an earlier one under its key. It is durable. */
    record Taken<O extends @Nullable Object>(JobHandle<O> job) implements Submitted<O> {}

    /** Nothing was done: a {@link KeyReusedException}, an input that is too large, or another reason. */
    record Refused<O extends @Nullable Object>(RuntimeException reason) implements Submitted<O> {

        @Override
        public JobHandle<O> job() {
            throw reason;
        }
    }

    /** It is unknown whether the job exists. Submit it again under the same key, and it exists once. */
    record Unknown<O extends @Nullable Object>(RuntimeException reason) implements Submitted<O> {

        @Override
        public JobHandle<O> job() {
            throw reason;
        }
    }
}
