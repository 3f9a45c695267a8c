package io.kvasir.benchmarks.policies;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("trace.jsonl"), text);
  }

  @Test
  void aLineIsARequest() throws IOException {
    Trace trace =
        Trace.read(
            file(
                """
                {"timestamp": 0, "input_length": 600, "output_length": 1, "hash_ids": [0, 1]}

                {"timestamp": 9, "input_length": 1100, "output_length": 7, "hash_ids": [0, 2, 3]}
                {"timestamp": 9, "input_length": 0, "output_length": 7, "hash_ids": []}
                """));
    assertEquals(3, trace.requests().size());
    assertArrayEquals(new int[] {0, 2, 3}, trace.requests().get(1));
    assertEquals(5, trace.accesses());
    assertEquals(4, trace.distinct());
  }

  @Test
  void aLineThatIsNoRequestIsNamed() throws IOException {
    assertRefused(":2: not JSON", "{\"hash_ids\": [1]}\n{\"hash_ids\": [1\n");
    assertRefused(":1: no array \"hash_ids\"", "{\"ids\": [1]}\n");
    assertRefused("hash_ids[1] is \"b\"", "{\"hash_ids\": [1, \"b\"]}\n");
    assertRefused("hash_ids[0] is 4294967296", "{\"hash_ids\": [4294967296]}\n");
    assertRefused("holds no request", "\n");
  }

  private void assertRefused(String naming, String text) throws IOException {
    Path file = file(text);
    Exception e = assertThrows(IllegalArgumentException.class, () -> Trace.read(file));
    assertTrue(e.getMessage().contains(naming), e.getMessage());
  }
}
