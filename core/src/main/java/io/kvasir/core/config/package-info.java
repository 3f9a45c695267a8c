/**
 * The configuration file and how it becomes records.
 *
 * <p>{@link io.kvasir.core.config.ConfigFile#read} gives the root {@link
 * io.kvasir.core.config.Section}; {@link io.kvasir.core.config.Settings} holds what the runtime
 * reads of it; {@link io.kvasir.core.config.RecordBinder} fills the record of a store, a policy or
 * the connector. Whatever is wrong becomes a {@link io.kvasir.api.KvasirException} that names the
 * file, the key, the value and what would be right.
 */
package io.kvasir.core.config;
