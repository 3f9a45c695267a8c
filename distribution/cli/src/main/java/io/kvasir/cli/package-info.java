/**
 * The commands of {@code bin/kvasir}, one class each, under {@link io.kvasir.cli.Main}. Each prints
 * through {@code Output}, for people or as JSON, and ends with an {@code ExitCode}.
 */
package io.kvasir.cli;
