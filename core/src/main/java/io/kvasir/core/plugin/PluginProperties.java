package io.kvasir.core.plugin;

import io.kvasir.api.KvasirException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pf4j.DefaultPluginDescriptor;
import org.pf4j.DefaultVersionManager;
import org.pf4j.PluginDescriptor;
import org.pf4j.PropertiesPluginDescriptorFinder;

/** Reads {@code plugin.properties}, PF4J's keys and our own, and says what is wrong with it. */
final class PluginProperties extends PropertiesPluginDescriptorFinder {
  /** What PF4J knows of a plugin, and the modules that ask for native access. */
  static final class Descriptor extends DefaultPluginDescriptor {
    private Set<String> nativeAccess = Set.of();

    Set<String> nativeAccess() {
      return nativeAccess;
    }
  }

  private static final String NATIVE_ACCESS = "kvasir.native-access";

  @Override
  protected Properties readProperties(Path folder) {
    Path file = folder.resolve(DEFAULT_PROPERTIES_FILE_NAME);
    if (!Files.isRegularFile(file)) {
      throw new KvasirException("holds no plugin.properties; it is no plugin");
    }
    Properties properties = new Properties();
    try (var in = Files.newInputStream(file)) {
      properties.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw new KvasirException("plugin.properties: cannot be read: " + e.getMessage(), e);
    }
    String id = properties.getProperty(PLUGIN_ID, "");
    if (!id.matches("[a-z0-9][a-z0-9._-]*")) {
      throw new KvasirException(
          "plugin.properties: plugin.id \"%s\" is not an id; write a-z 0-9 . _ and -"
              .formatted(id));
    }
    String version = properties.getProperty(PLUGIN_VERSION, "");
    try {
      new DefaultVersionManager().compareVersions(version, version);
    } catch (RuntimeException e) {
      throw new KvasirException(
          "plugin.properties: plugin.version \"%s\" is not a version; write one such as 1.0.0"
              .formatted(version),
          e);
    }
    return properties;
  }

  @Override
  protected PluginDescriptor createPluginDescriptor(Properties properties) {
    Descriptor descriptor = (Descriptor) super.createPluginDescriptor(properties);
    descriptor.nativeAccess =
        Stream.of(properties.getProperty(NATIVE_ACCESS, "").split(",", -1))
            .map(String::strip)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toUnmodifiableSet());
    return descriptor;
  }

  @Override
  protected DefaultPluginDescriptor createPluginDescriptorInstance() {
    return new Descriptor();
  }
}
