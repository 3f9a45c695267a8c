package io.kvasir.api.store;

import java.util.ArrayList;
import java.util.List;

/**
 * What a backend is.
 *
 * @param name name in a configuration: lower-case letters, digits and hyphens
 * @param configuration record that the core fills from the configuration file; {@link None} where
 *     there is nothing to configure
 * @param capabilities what it can do
 * @param policies names of the identity policies that it supports
 */
public record StoreDescriptor(
    String name,
    Class<? extends Record> configuration,
    Capabilities capabilities,
    List<String> policies) {

  /** The configuration of a backend that has none. */
  public record None() {}

  /** Checks the name. */
  public StoreDescriptor {
    if (!name.matches("[a-z][a-z0-9-]{0,31}")) {
      throw new IllegalArgumentException(
          "store name \"" + name + "\": write 1 to 32 of a-z, 0-9 and -, a letter first");
    }
    policies = List.copyOf(policies);
  }

  /** {@return a builder of the descriptor with this name} */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Collects a descriptor; a capability that is not named is not claimed. */
  public static final class Builder {
    private final String name;
    private Class<? extends Record> configuration = None.class;
    private boolean persistent;
    private boolean leases;
    private boolean scopedDelete;
    private boolean enumerate;
    private boolean prefixClosed;
    private boolean checksum;
    private boolean usage;
    private boolean deviceMemory;
    private final List<String> policies = new ArrayList<>(List.of("strict", "lmdeploy-v1"));

    private Builder(String name) {
      this.name = name;
    }

    /** Names the record that holds the configuration. */
    public Builder config(Class<? extends Record> type) {
      this.configuration = type;
      return this;
    }

    /** Claims {@link Capabilities#persistent()}. */
    public Builder persistent() {
      this.persistent = true;
      return this;
    }

    /** Claims {@link Capabilities#leases()}. */
    public Builder leases() {
      this.leases = true;
      return this;
    }

    /** Claims {@link Capabilities#scopedDelete()}. */
    public Builder scopedDelete() {
      this.scopedDelete = true;
      return this;
    }

    /** Claims {@link Capabilities#enumerate()}. */
    public Builder enumerate() {
      this.enumerate = true;
      return this;
    }

    /** Claims {@link Capabilities#prefixClosed()}. */
    public Builder prefixClosed() {
      this.prefixClosed = true;
      return this;
    }

    /** Claims {@link Capabilities#checksum()}. */
    public Builder checksum() {
      this.checksum = true;
      return this;
    }

    /** Claims {@link Capabilities#usage()}. */
    public Builder usage() {
      this.usage = true;
      return this;
    }

    /** Claims {@link Capabilities#deviceMemory()}. */
    public Builder deviceMemory() {
      this.deviceMemory = true;
      return this;
    }

    /** Adds an identity policy of the backend's own. */
    public Builder policy(String name) {
      policies.add(name);
      return this;
    }

    /** {@return the descriptor} */
    public StoreDescriptor build() {
      return new StoreDescriptor(
          name,
          configuration,
          new Capabilities(
              persistent,
              leases,
              scopedDelete,
              enumerate,
              prefixClosed,
              checksum,
              usage,
              deviceMemory),
          policies);
    }
  }
}
