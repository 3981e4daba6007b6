package io.ocicat.agent.config;

import java.util.Optional;

/**
 * The value of a parameter that is in force.
 *
 * @param name the parameter, as FelixConfiguration spells it
 * @param value the value as text; empty for none
 * @param source the source that set it
 * @param problem why the value of a stronger source, or a newer one of the same source, was
 *     rejected, in one line
 */
public record ConfigValue(
    String name, String value, ConfigSource source, Use use, Optional<String> problem) {

  /** What the agent does with a parameter. */
  public enum Use {
    USED,
    /** It is Felix's, and the agent does nothing that depends on it. */
    NOT_USED,
    /** No parameter has this name. */
    UNKNOWN
  }
}
