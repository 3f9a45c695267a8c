/** The commands of {@code bin/kvasir}, one class each. */
package io.kvasir.cli;
