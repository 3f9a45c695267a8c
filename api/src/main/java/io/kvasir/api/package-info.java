/**
 * The connector API: what an engine calls. {@link io.kvasir.api.Kvasir#open} finds, checks and
 * starts the plugins; {@link io.kvasir.api.Kvasir#connect} gives a {@link
 * io.kvasir.api.KvConnector}; each prompt is a {@link io.kvasir.api.KvRequest} that looks up, loads
 * and saves blocks.
 */
package io.kvasir.api;
