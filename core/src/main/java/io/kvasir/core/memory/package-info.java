/** Native memory that direct I/O is fast from; start at {@link io.kvasir.core.memory.HugePages}. */
package io.kvasir.core.memory;
