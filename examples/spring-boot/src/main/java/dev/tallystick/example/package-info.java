/** An application that takes orders: Spring Boot brings the data source and the versions, the library runs the jobs. */
@NullMarked
package dev.tallystick.example;

import org.jspecify.annotations.NullMarked;
