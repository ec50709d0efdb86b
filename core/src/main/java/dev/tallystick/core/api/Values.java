package dev.tallystick.core.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Documents the allowed values of a record's component in the OpenAPI document; the check is where the value is used. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Values {

    /** The allowed values, of the component or of each element of a list; any if empty. */
    String[] oneOf() default {};

    long least() default Long.MIN_VALUE;

    long most() default Long.MAX_VALUE;

    /** The record that each element of a list is, unless it is a problem; void for anything else. */
    Class<?> recordOrProblem() default void.class;

    /** The default if it is missing, in JSON; none if empty. */
    String ifMissing() default "";
}
