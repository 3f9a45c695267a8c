package io.kvasir.cli;

import io.kvasir.api.Deadline;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.StoreException;
import io.kvasir.core.Deployment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvasir rm}. */
@Command(name = "rm", description = "Removes one namespace of the store, and nothing else.")
final class RmCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @Mixin private Common common;

  @Parameters(
      paramLabel = "NAMESPACE",
      description = "Hexadecimal digits of the namespace, 8 or more.")
  private String name;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  RmCommand() {}

  @Override
  public Integer call() throws StoreException {
    Output output = common.output();
    try (Deployment deployment = common.deployment()) {
      if (Namespaces.named(name, deployment.view().namespaces()) == null) {
        return absent(output); // and the store is not created for that
      }
      NamespaceSummary found = Namespaces.named(name, deployment.store().namespaces());
      if (found == null) {
        return absent(output);
      }
      String what =
          "%s: %d blocks, %s"
              .formatted(found.id().prefix(), found.blocks(), Quantities.bytes(found.bytes()));
      if (!yes && !confirmed(output, what)) {
        return output.error("nothing was removed", ExitCode.FAILED);
      }
      deployment.store().store().remove(found.id(), Deadline.after(LIMIT));
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("removed", found.id().hex());
      json.put("blocks", found.blocks());
      json.put("bytes", found.bytes());
      output.value(json);
      output.line("removed " + what);
      return ExitCode.OK;
    }
  }

  private int absent(Output output) {
    return output.error("the store has no namespace " + name, ExitCode.FAILED);
  }

  private static boolean confirmed(Output output, String what) {
    output.err().print("remove " + what + "? Write yes: ");
    output.err().flush();
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
      return "yes".equals(in.readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
