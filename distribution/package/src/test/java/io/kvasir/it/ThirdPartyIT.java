package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.it.Installed.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/** Who writes a backend outside of this repository has its installed artifacts, and no more. */
class ThirdPartyIT {
  private static final Path ROOT = Path.of("../..");
  private static final Path GUIDE = ROOT.resolve("docs/write-a-backend.md");
  private static final Pattern SHELL = Pattern.compile("(?s)```sh\n(.*?)```");
  private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```");

  @TempDir Path temp;
  private Installed installed;
  private Path bin;

  @BeforeEach
  void install() throws IOException {
    installed = new Installed(temp);
    Path repository = repository();
    bin = Files.createDirectories(temp.resolve("bin"));
    program(
        "mvn",
        "exec '%s' -o -Dmaven.repo.local='%s' \"$@\""
            .formatted(System.getProperty("maven.program"), repository));
    program(
        "kvasir",
        "KVASIR_JAVA='%s' exec '%s' \"$@\""
            .formatted(Installed.JAVA_HOME, Installed.HOME.resolve("bin/kvasir")));
  }

  /** JUnit would warn of each link that leads out of its folder. */
  @AfterEach
  void unlink() throws IOException {
    for (String folder : List.of("repository", "repository/io")) {
      try (Stream<Path> entries = Files.list(temp.resolve(folder))) {
        for (Path entry : entries.filter(Files::isSymbolicLink).toList()) {
          Files.delete(entry);
        }
      }
    }
  }

  private void program(String name, String line) throws IOException {
    Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  /**
   * {@return a local repository that has this build's artifacts, as "mvn install" leaves them, and
   * those of others from the repository of this build}
   */
  private Path repository() throws IOException {
    Path all = Path.of(System.getProperty("maven.repository"));
    Path own = Files.createDirectories(temp.resolve("repository/io/kvasir"));
    link(all, temp.resolve("repository"), "io");
    link(all.resolve("io"), temp.resolve("repository/io"), "kvasir");
    artifact(own, "kvasir-parent", ROOT, "");
    artifact(own, "kvasir-plugins", ROOT.resolve("plugins"), "");
    artifact(own, "kvasir-api", ROOT.resolve("api"), ".jar");
    artifact(own, "kvasir-conformance", ROOT.resolve("plugins/conformance"), ".jar");
    return temp.resolve("repository");
  }

  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals(except)) {
          Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
        }
      }
    }
  }

  private static void artifact(Path group, String name, Path module, String packaging)
      throws IOException {
    String file = name + "-" + Installed.VERSION;
    Path folder = Files.createDirectories(group.resolve(name).resolve(Installed.VERSION));
    Files.copy(module.resolve("pom.xml"), folder.resolve(file + ".pom"));
    if (!packaging.isEmpty()) {
      Path built = module.resolve("target").resolve(file + packaging);
      Files.copy(built, folder.resolve(file + packaging));
    }
  }

  private Outcome shell(String script, Map<String, String> more) throws Exception {
    Map<String, String> environment = new java.util.HashMap<>(more);
    environment.put("PATH", bin + ":" + System.getenv("PATH"));
    return installed.run(environment, List.of("sh", "-e", "-c", script));
  }

  @Test
  void theGuideLeadsFromAnEmptyFolderToAVerifiedBackend() throws Exception {
    StringBuilder script = new StringBuilder();
    for (MatchResult block : SHELL.matcher(Files.readString(GUIDE)).results().toList()) {
      script.append(block.group(1));
    }
    Path work = Files.createDirectories(temp.resolve("work"));
    String out = shell("cd '" + work + "'\n" + script, Map.of()).good();
    assertTrue(out.contains(" rules hold, 0 broken, "), out);
    assertTrue(Files.exists(work.resolve("plugins/my-store-1.0.0.zip")), out);
    String report = Files.readString(work.resolve("my-store/target/verify/TEST-kvasir-verify.xml"));
    assertTrue(report.contains("failures=\"0\""), report);
    List<String> own;
    try (Stream<Path> all = Files.walk(work.resolve("my-store/target/surefire-reports"))) {
      own =
          all.map(Path::toString).filter(name -> name.endsWith("MyStoreContractTest.xml")).toList();
    }
    assertEquals(1, own.size(), "the kit ran in the third party's build");
  }

  @Test
  void theGuidesProgramsArePartsOfExamplesThatAreTested() throws IOException {
    String shelf =
        Files.readString(
                ROOT.resolve("examples/shelf/src/main/java/io/kvasir/examples/shelf/Shelf.java"))
            + Files.readString(
                ROOT.resolve(
                    "examples/shelf/src/test/java/io/kvasir/examples/shelf/ShelfContractTest.java"));
    List<String> programs =
        JAVA.matcher(Files.readString(GUIDE)).results().map(block -> block.group(1)).toList();
    assertTrue(programs.size() >= 5, "programs in the guide: " + programs.size());
    for (String program : programs) {
      assertTrue(shelf.contains(program), "not in the example:\n" + program);
    }
  }

  @Test
  void aBackendOnRedisIsBuiltFromInstalledArtifactsAndVerifiedInEachShape() throws Exception {
    Path project = temp.resolve("plugin-redis");
    try (Stream<Path> files = Files.walk(ROOT.resolve("examples/plugin-redis"))) {
      for (Path file : files.filter(f -> !f.toString().contains("target")).toList()) {
        Path to = project.resolve(ROOT.resolve("examples/plugin-redis").relativize(file));
        Files.copy(file, to);
      }
    }
    Optional<Path> program = redis();
    String mvn = "mvn -q -f '" + project + "/pom.xml' ";
    Path zip = project.resolve("target/plugin-redis-1.0.0.zip");
    if (program.isEmpty()) {
      shell(mvn + "package -DskipTests", Map.of()).good();
      assertTrue(Files.exists(zip));
    }
    assumeTrue(
        program.isPresent(),
        "built, not tried: there is no redis-server on the PATH (apt install redis-server), and"
            + " REDIS_SERVER names none");
    Map<String, String> server = Map.of("REDIS_SERVER", program.get().toString());
    shell(mvn + "package", server).good();
    kit(project, "the kit, with the client as an automatic module");
    shell(mvn + "package -Dsurefire.useModulePath=false", server).good();
    kit(project, "the kit on the class path");
    try (Redis redis = new Redis(program.get())) {
      Path config =
          Files.writeString(
              temp.resolve("verify.json"),
              Files.readString(project.resolve("verify.json")).replace("6379", "" + redis.port()));
      Outcome outcome = shell("kvasir verify '%s' -c '%s'".formatted(zip, config), Map.of());
      assertTrue(outcome.good().contains(" rules hold, 0 broken, "), outcome.out());
      assertEquals(":0", redis.size(), "keys that the kit left in Redis");
      Outcome ended =
          installed.interrupted("R-ID-", "", "verify", zip.toString(), "-c", config.toString());
      assertEquals(":0", redis.size(), "keys that an interrupted run left: " + ended.out());
      embedded(zip, redis);
    }
  }

  /** Fails unless a build ran every rule of the kit, and none is broken. */
  private static void kit(Path project, String how) throws Exception {
    Path reports = project.resolve("target/surefire-reports");
    Element suite =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(reports.resolve("TEST-io.kvasir.examples.redis.RedisContractTest.xml").toFile())
            .getDocumentElement();
    int rules = Integer.parseInt(suite.getAttribute("tests"));
    int skipped = Integer.parseInt(suite.getAttribute("skipped"));
    System.out.println("plugin-redis, %s: %d rules, %d skipped".formatted(how, rules, skipped));
    assertTrue(rules > 70 && skipped < 25, how + ": " + rules + ", " + skipped + " skipped");
    assertEquals("0", suite.getAttribute("failures"), how);
    assertEquals("0", suite.getAttribute("errors"), how);
    try (Stream<Path> files = Files.walk(reports)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file); // the next count is another run's
      }
    }
  }

  /** What one process saves the next finds, wherever Kvasir and the backend lie. */
  private void embedded(Path zip, Redis redis) throws Exception {
    Path plugins = Files.createDirectories(temp.resolve("plugins"));
    Files.copy(zip, plugins.resolve("plugin-redis.zip"));
    Path none = Files.createDirectories(temp.resolve("none"));
    String store = "{\"redis\":{\"address\":\"127.0.0.1:%d\"}}".formatted(redis.port());
    Path engine = Sources.engine(installed, temp);
    Path asPlugin = installed.configuration("plugin.json", store, plugins);
    Path asLibrary = installed.configuration("library.json", store, none);
    String first = installed.onModulePath(engine, asPlugin.toString()).good();
    assertEquals(List.of("4"), Installed.lines(first, "saved"), first);
    Path unpacked = installed.unpacked(zip);
    for (Outcome next :
        List.of(
            installed.onModulePath(engine, asPlugin.toString()),
            installed.onClassPath(engine, asPlugin.toString()),
            installed.onClassPath(unpacked.resolve("lib"), engine, asLibrary.toString()))) {
      assertEquals(List.of("64"), Installed.lines(next.good(), "cached"), next.out());
    }
  }

  /** A server of a test, on loopback and in memory. */
  private final class Redis implements AutoCloseable {
    private final int port;
    private final Process process;

    Redis(Path program) throws IOException {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = socket.getLocalPort();
      }
      process =
          new ProcessBuilder(
                  program.toString(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "")
              .redirectErrorStream(true)
              .redirectOutput(temp.resolve("redis.log").toFile())
              .directory(temp.toFile())
              .start();
    }

    int port() {
      return port;
    }

    /** {@return Redis's answer to DBSIZE, such as {@code :0}} */
    String size() throws IOException {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.getOutputStream().write("DBSIZE\r\n".getBytes(StandardCharsets.UTF_8));
        return new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
      }
    }

    @Override
    public void close() {
      process.destroy();
      process.onExit().join();
    }
  }

  private static Optional<Path> redis() {
    String named = System.getenv().getOrDefault("REDIS_SERVER", "");
    return named.isEmpty()
        ? Stream.of(System.getenv("PATH").split(":", -1))
            .map(folder -> Path.of(folder, "redis-server"))
            .filter(Files::isExecutable)
            .findFirst()
        : Optional.of(Path.of(named));
  }
}
