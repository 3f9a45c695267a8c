package io.kvasir.conformance;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What this process holds of the machine's memory. How much of the heap is resident is the
 * collector's business: what lives in it counts.
 *
 * @param heap bytes that live in the heap
 * @param outside bytes that are resident outside of it; 0 where the system does not say that
 */
public record Footprint(long heap, long outside) {
  private static final int COLLECTIONS = 3; // one alone may leave what it did not compact
  private static final Path MAPPINGS = Path.of("/proc/self/smaps");
  private static final Pattern ADDRESS = Pattern.compile("0x([0-9a-f]{8,16})");

  /** {@return what it is now, after collections of the garbage} */
  @SuppressWarnings("SystemGc")
  public static Footprint now() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return new Footprint(least, outsideHeap());
  }

  /** {@return both together} */
  public long bytes() {
    return heap + outside;
  }

  /** {@return what came to it since then} */
  public Footprint since(Footprint before) {
    return new Footprint(heap - before.heap, outside - before.outside);
  }

  /** {@return in MiB} */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%.1f MiB in the heap and %.1f MiB outside",
        heap / (double) (1 << 20),
        outside / (double) (1 << 20));
  }

  private static long outsideHeap() {
    LongSummaryStatistics heap = addresses();
    if (heap.getCount() == 0 || !Files.isReadable(MAPPINGS)) {
      return 0;
    }
    boolean counts = false;
    long bytes = 0;
    try {
      for (String line : Files.readAllLines(MAPPINGS)) {
        if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
          long from = Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16);
          counts = from < heap.getMin() || from >= heap.getMax();
        } else if (counts && line.startsWith("Rss:")) {
          bytes += Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
        }
      }
    } catch (IOException e) {
      return 0; // a container that hides it
    }
    return bytes;
  }

  /** {@return the addresses that the JVM says of its heap, none if it says nothing} */
  private static LongSummaryStatistics addresses() {
    try {
      Object said =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "gcHeapInfo",
                  null,
                  null);
      String heap = said.toString().replaceAll("(?s)Metaspace.*", "");
      return ADDRESS
          .matcher(heap)
          .results()
          .mapToLong(found -> Long.parseUnsignedLong(found.group(1), 16))
          .summaryStatistics();
    } catch (JMException e) {
      return new LongSummaryStatistics(); // another JVM
    }
  }
}
