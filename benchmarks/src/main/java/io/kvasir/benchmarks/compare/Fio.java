package io.kvasir.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One run of {@code fio}: the same blocks in the same file, past the page cache, as deep. */
final class Fio {
  private Fio() {}

  /**
   * {@return bytes a second}
   *
   * @param bytes of the file's start, all of them once and in order
   */
  static double bytesPerSecond(Path program, Path file, boolean write, long bytes, int blockBytes)
      throws IOException {
    ProcessBuilder fio =
        new ProcessBuilder(
            program.toString(),
            "--name=yardstick",
            "--filename=" + file,
            "--rw=" + (write ? "write" : "read"),
            "--bs=" + blockBytes,
            "--size=" + bytes,
            "--direct=1",
            "--ioengine=io_uring",
            "--iodepth=" + RawDisk.DEPTH,
            "--invalidate=0",
            "--iomem_align=2m",
            "--thread",
            "--output-format=json");
    // as the yardstick's own frames: malloc asks for huge pages, and blocks lie on whole ones
    fio.environment().put("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    Process process = fio.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String out =
          new String(
              process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException("fio ended with " + process.exitValue());
      }
      return parse(out, write);
    } catch (InterruptedException e) {
      throw new IOException("interrupted", e);
    }
  }

  static double parse(String out, boolean write) throws IOException {
    int start = out.indexOf('{'); // warnings may come first
    if (start < 0) {
      throw new IOException("fio printed no JSON: " + out);
    }
    JsonNode job = new JsonMapper().readTree(out.substring(start)).at("/jobs/0");
    JsonNode bandwidth = job.at(write ? "/write/bw_bytes" : "/read/bw_bytes");
    if (!bandwidth.isNumber() || bandwidth.asDouble() <= 0) {
      throw new IOException("fio printed no bandwidth: " + out);
    }
    return bandwidth.asDouble();
  }
}
