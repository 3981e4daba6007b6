package io.ocicat.agent.config;

/**
 * A source of configuration.
 *
 * @param place where it is, for messages: a file, a resource
 */
public record ConfigSource(Strength strength, String place) {

  /** The kinds of sources, the strongest first. */
  public enum Strength {
    ENVIRONMENT,
    FILE,
    NODE_RESOURCE,
    SELECTED_RESOURCE,
    DEFAULT_RESOURCE,
    BUILT_IN
  }

  static final ConfigSource ENVIRONMENT = new ConfigSource(Strength.ENVIRONMENT, "environment");
  static final ConfigSource BUILT_IN = new ConfigSource(Strength.BUILT_IN, "built-in default");

  @Override
  public String toString() {
    return place;
  }
}
