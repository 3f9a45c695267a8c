package io.kvasir.core.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Keys are the same in every JVM, after every restart, and under every locale, zone and charset.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KeysInAnotherJvmTest {
  private static final List<String> TURKISH =
      List.of(
          "-Duser.language=tr",
          "-Duser.country=TR",
          "-Duser.timezone=Pacific/Apia",
          "-Dfile.encoding=ISO-8859-1");
  private static final List<String> EGYPTIAN =
      List.of(
          "-Duser.language=ar",
          "-Duser.country=EG",
          "-Duser.extensions=u-nu-arab",
          "-Duser.timezone=America/St_Johns",
          "-Dfile.encoding=COMPAT");

  /** Prints every kind of identity, in ASCII. */
  static final class Child {
    private Child() {}

    /** The child's process; the first line says where it runs. */
    public static void main(String[] args) {
      System.out.println(
          "%s %s %s %s"
              .formatted(
                  Locale.getDefault(),
                  TimeZone.getDefault().getID(),
                  Charset.defaultCharset(),
                  "%d".formatted(1).equals("1") ? "ascii" : "other"));
      identities().forEach(System.out::println);
    }
  }

  private static List<String> identities() {
    List<String> out = new ArrayList<>();
    NamespaceManifest manifest =
        NamespaceManifest.of("Z\u00fcrich I\u0131\u0130i", Vectors.base(), Vectors.format())
            .withLabels(Map.of("model", "\u00fc-INSTRUCT"));
    out.add(Vectors.manifest().id().hex());
    out.add(manifest.id().hex());
    out.add(kinds().id().hex());
    out.add(refused("MAIN"));
    out.add(Weights.named("\u00fc/INSTRUCT", "RELEASE-I").hexId());
    out.add(
        FilesDigest.content(
            List.of(new FilesDigest.Entry("M\u00d6DEL-I.safetensors", 7, new byte[32]))));
    out.add(HexFormat.of().formatHex(RequestScope.salted("\u00fcI\u0131").digest()));
    for (IdentityPolicy policy :
        List.of(
            new StrictPolicy(),
            new LmdeployV1Policy().configured(Map.of("cache_prefix", "\u00fcI")))) {
      NamespaceManifest namespace = policy.namespace(manifest);
      KeyChain chain =
          new KeyChain(namespace, policy.hasher(namespace, RequestScope.NONE), 64, List.of());
      chain.append(Vectors.prompt());
      for (int shard = 0; shard < 2; shard++) {
        out.add(
            HexFormat.of()
                .formatHex(
                    policy.key(chain.keys(0, shard, 2, 3), 0).getBytes(StandardCharsets.UTF_8)));
        out.add(HexFormat.of().formatHex(chain.keys(0, shard, 2, 3).fingerprint(0)));
      }
    }
    return out;
  }

  /** Every kind has its name in the manifest: SLIDING is not s, dotless i, and so on. */
  private static NamespaceManifest kinds() {
    KvFormat f = Vectors.format();
    List<KvGroup> groups = new ArrayList<>();
    for (GroupKind kind : GroupKind.values()) {
      groups.add(
          new KvGroup(
              groups.size(),
              kind,
              HitRule.trailing(16),
              16,
              64,
              4,
              4096L,
              List.of(groups.size()),
              2,
              64,
              64,
              Dtype.INT8,
              Dtype.INT8,
              null));
    }
    return NamespaceManifest.of(
        "acme",
        Vectors.base(),
        KvFormat.of(f.config(), f.compute(), f.engine(), f.layout(), groups, f.shards()));
  }

  private static String refused(String name) {
    try {
      return Weights.named("a/b", name).hexId();
    } catch (IdentityException e) {
      return "refused";
    }
  }

  @Test
  void twoJvmsAndARestartGiveTheSameKeys() throws Exception {
    assertEquals(identities(), keys(List.of()));
    assertEquals(identities(), keys(List.of("-Xint", "-XX:hashCode=0")));
    assertEquals(Vectors.text("namespace_id"), identities().getFirst());
  }

  @Test
  void aTurkishJvmInAnotherZoneAndCharsetGivesTheSameKeys() throws Exception {
    List<String> lines = run(TURKISH);
    assertEquals("tr_TR Pacific/Apia ISO-8859-1 ascii", lines.getFirst());
    assertEquals(identities(), lines.subList(1, lines.size()));
  }

  @Test
  void aJvmWhoseDigitsAreNotAsciiGivesTheSameKeys() throws Exception {
    List<String> lines = run(EGYPTIAN);
    assertTrue(lines.getFirst().endsWith("other"), lines.getFirst());
    assertEquals(identities(), lines.subList(1, lines.size()));
  }

  private static List<String> keys(List<String> options) throws Exception {
    List<String> lines = run(options);
    return lines.subList(1, lines.size());
  }

  private static List<String> run(List<String> options)
      throws IOException, InterruptedException, URISyntaxException {
    Set<String> classPath = new LinkedHashSet<>();
    for (Class<?> type :
        List.of(
            Child.class,
            StrictPolicy.class,
            NamespaceManifest.class,
            tools.jackson.core.JsonParser.class)) {
      classPath.add(location(type));
    }
    classPath.add(resources());
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-XX:+UnlockExperimentalVMOptions");
    command.addAll(options);
    command.addAll(
        List.of("-cp", String.join(File.pathSeparator, classPath), Child.class.getName()));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    child.getOutputStream().close();
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, child.waitFor(), output);
    return output.lines().toList();
  }

  private static String location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /** The tests are patched into the module: their classes have the module's location. */
  private static String resources() throws URISyntaxException {
    Path vectors = Path.of(Vectors.class.getResource("identity.json").toURI());
    return vectors.getRoot().resolve(vectors.subpath(0, vectors.getNameCount() - 5)).toString();
  }
}
