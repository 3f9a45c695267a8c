package io.kvasir.cli;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.core.Deployment;
import io.kvasir.core.Identified;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvasir identity show}. The store is not opened. */
@Command(
    name = "show",
    description = "Shows the namespace that an engine's blocks would be kept in.")
final class ShowCommand implements Callable<Integer> {
  @Mixin private Common common;
  @Mixin private EngineOptions engine;

  ShowCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    try (Deployment deployment = common.deployment()) {
      Identified identified = deployment.identify(engine.spec(common));
      NamespaceManifest manifest = identified.deployment();
      NamespaceManifest namespace = identified.namespace();
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("namespace", namespace.id().hex());
      json.put("policy", identified.policy().policy().name());
      json.put("unsafe", identified.policy().missing());
      json.put("weights", manifest.weights().hexId());
      json.put("labels", manifest.labels());
      json.put("manifest", manifest.json());
      output.value(json);
      output.line("namespace  " + namespace.id().hex());
      output.line("policy     " + identified.policy().policy().name());
      output.line("tenant     " + manifest.tenant());
      output.line(
          "weights    "
              + manifest.weights().hexId()
              + " "
              + CanonicalJson.text(manifest.weights().json()));
      output.line("labels     " + CanonicalJson.text(manifest.labels()));
      output.line("manifest   " + CanonicalJson.text(manifest.json()));
      identified.policy().warning().ifPresent(w -> output.line("warning    " + w));
      return ExitCode.OK;
    }
  }
}
