package io.ocicat.agent.config;

import java.util.Map;
import java.util.function.Function;

/**
 * A parameter that the agent acts on.
 *
 * @param name as FelixConfiguration spells it
 * @param initial the default, on a machine with this environment
 */
record Parameter<T>(String name, ValueType<T> type, Function<Map<String, String>, T> initial) {
  static <T> Parameter<T> of(String name, ValueType<T> type, T initial) {
    return new Parameter<>(name, type, _ -> initial);
  }
}
