/**
 * {@code kvasir verify}: the kit against a real backend. {@link io.kvasir.cli.verify.Verification}
 * runs it; {@link io.kvasir.cli.verify.Subject} is the backend as an operator configured it.
 */
package io.kvasir.cli.verify;
