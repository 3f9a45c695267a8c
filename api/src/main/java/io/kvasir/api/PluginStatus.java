package io.kvasir.api;

/**
 * A plugin that was found.
 *
 * @param id the plugin's id
 * @param version its version
 * @param state what became of it
 * @param detail why it failed or is disabled; empty where it started
 */
public record PluginStatus(String id, String version, State state, String detail) {
  /** What became of a plugin. */
  public enum State {
    /** It runs. */
    STARTED,
    /** It could not be loaded or started. */
    FAILED,
    /** The configuration leaves it out. */
    DISABLED
  }
}
