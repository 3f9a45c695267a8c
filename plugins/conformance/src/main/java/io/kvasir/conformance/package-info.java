/** The contracts of the SPIs as abstract JUnit classes, and the engine fixture they run with. */
package io.kvasir.conformance;
