/**
 * A whole backend in one class, {@link io.kvasir.examples.shelf.Shelf}: the example of the README.
 */
package io.kvasir.examples.shelf;
