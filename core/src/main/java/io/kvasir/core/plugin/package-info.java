/**
 * Plugins: found as folders and zips, checked, and started one {@link java.lang.ModuleLayer} each.
 * Start at {@link io.kvasir.core.plugin.Plugins}.
 *
 * <p>PF4J does ids, versions, dependencies and states ({@code PluginHost}); its types are in no
 * signature outside of this package, and a plugin holds no class of it. What a plugin may require
 * is decided by reading its descriptors ({@code Inspection}), so that the answer is the same in the
 * distribution, on a module path and on a class path. Its code is loaded by {@code PluginCode}.
 */
package io.kvasir.core.plugin;
