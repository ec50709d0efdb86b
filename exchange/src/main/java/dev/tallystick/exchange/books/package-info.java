/**
 * What both sides can be asked: their postings, their consistency issues, the evidence for one message, and whether their books
 * agree.
 *
 * <p>Main types: {@link dev.tallystick.exchange.books.Issues}, {@link dev.tallystick.exchange.books.Books},
 * {@link dev.tallystick.exchange.books.Reconciliation}, {@link dev.tallystick.exchange.books.Bundle}.
 *
 * <p>Invariant: an issue is recorded before the message that raised it is acknowledged.
 *
 * <p>Changes no status.
 */
@NullMarked
package dev.tallystick.exchange.books;

import org.jspecify.annotations.NullMarked;
