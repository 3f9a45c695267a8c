/** Whether blocks scattered over layers are saved as fast as blocks in one piece. */
package io.kvasir.benchmarks.hostpath;
