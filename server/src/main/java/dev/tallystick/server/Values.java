package dev.tallystick.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Tells readers of the OpenAPI document what a component of a record may be; it is checked where it is used. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Values {

    /** All that it may be, or that each element of a list may be; any if empty. */
    String[] oneOf() default {};

    long least() default Long.MIN_VALUE;

    long most() default Long.MAX_VALUE;

    /** What it is taken for if it is missing, in JSON; nothing if empty. */
    String ifMissing() default "";
}
