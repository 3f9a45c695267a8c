package io.kvasir.benchmarks.compare;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What lives in this JVM: on the heap after a collection, and in arenas and buffers outside of it,
 * for which it needs {@code -XX:NativeMemoryTracking=summary}.
 */
record Memory(long heapBytes, long nativeBytes) {
  private static final Pattern OTHER =
      Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB");

  static Memory now() throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(50); // cleaners of dead buffers run
    }
    Runtime runtime = Runtime.getRuntime();
    return new Memory(runtime.totalMemory() - runtime.freeMemory(), nativeNow());
  }

  private static long nativeNow() throws IOException {
    try {
      Object summary =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "vmNativeMemory",
                  new Object[] {new String[] {"summary"}},
                  new String[] {String[].class.getName()});
      Matcher other = OTHER.matcher(summary.toString());
      return other.find() ? Long.parseLong(other.group(1)) << 10 : 0;
    } catch (JMException e) {
      throw new IOException("native memory tracking", e);
    }
  }

  long bytes() {
    return heapBytes + nativeBytes;
  }
}
