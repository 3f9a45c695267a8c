/**
 * Looks at plugin-local from within its package, which two places of a class path may share: begin
 * with {@link io.kvasir.plugin.local.LookupProbe}.
 */
package io.kvasir.plugin.local;
