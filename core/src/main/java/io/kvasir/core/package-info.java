/** The runtime behind {@code Kvasir.open}: connector, workers, guards and configuration. */
package io.kvasir.core;
