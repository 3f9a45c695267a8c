package io.kvasir.benchmarks.policies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Requests in the order of their arrival, each a chain of block ids: equal for equal prefixes.
 *
 * <p>Read from a file with a JSON object a line, as the traces of kvcache-ai/Mooncake (FAST'25)
 * are: {@code hash_ids} are the blocks of a prompt, the last of them perhaps not full.
 *
 * @param requests block ids of each
 */
record Trace(List<int[]> requests) {

  static Trace read(Path file) throws IOException {
    JsonMapper json = new JsonMapper();
    List<int[]> requests = new ArrayList<>();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      if (!line.isBlank()) {
        requests.add(ids(json, line, file + ":" + number));
      }
    }
    if (requests.isEmpty()) {
      throw new IllegalArgumentException(file + " holds no request");
    }
    return new Trace(requests);
  }

  private static int[] ids(JsonMapper json, String line, String where) {
    JsonNode ids;
    try {
      ids = json.readTree(line).path("hash_ids");
    } catch (JacksonException e) {
      throw new IllegalArgumentException(where + ": not JSON: " + e.getOriginalMessage(), e);
    }
    if (!ids.isArray()) {
      throw new IllegalArgumentException(where + ": no array \"hash_ids\"");
    }
    int[] request = new int[ids.size()];
    for (int i = 0; i < request.length; i++) {
      if (!ids.get(i).isInt()) {
        throw new IllegalArgumentException(
            "%s: hash_ids[%d] is %s, not a 32-bit number".formatted(where, i, ids.get(i)));
      }
      request[i] = ids.get(i).intValue();
    }
    return request;
  }

  /** {@return the number of different blocks: the working set} */
  int distinct() {
    return (int) requests.stream().flatMapToInt(Arrays::stream).distinct().count();
  }

  /** {@return blocks of all requests together} */
  long accesses() {
    return requests.stream().mapToLong(request -> request.length).sum();
  }
}
