/**
 * The kit that every backend, transfer path, identity policy and connector passes. A backend's
 * tests extend {@link io.kvasir.conformance.StoreContract} and give its provider and a
 * configuration; capabilities are read from its descriptor. Randomness prints its seed.
 *
 * <p>The rules, each proved by the test that bears its number:
 *
 * <table>
 * <caption>Rules of the kit</caption>
 * <tr><th>rule</th><th>what holds</th></tr>
 * RULES
 * </table>
 */
package io.kvasir.conformance;
