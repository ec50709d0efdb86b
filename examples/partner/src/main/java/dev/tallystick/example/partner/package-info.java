/** A supplier: it has its own database and takes orders from a customer through the exchange. */
@NullMarked
package dev.tallystick.example.partner;

import org.jspecify.annotations.NullMarked;
