/**
 * Which numbers a deployment computes with: names the base weights that an engine does not name
 * itself, by the content of their files, by a commit, or by an operator's own name.
 *
 * <p>Start at {@link io.kvasir.core.weights.WeightsNaming}.
 */
package io.kvasir.core.weights;
