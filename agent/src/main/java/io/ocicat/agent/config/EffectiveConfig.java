package io.ocicat.agent.config;

import static java.util.Objects.requireNonNull;

import io.ocicat.agent.config.ConfigSources.Entry;
import io.ocicat.agent.config.ConfigSources.Layer;
import io.ocicat.agent.config.ConfigValue.Use;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration in force: for each parameter the value of the strongest source that has a valid
 * one. Where a source that had a valid value changes to an invalid one, the valid one stays. As
 * long as no value changes, {@link #config} stays the same object.
 *
 * @param values every parameter that the agent acts on, and every other one that is set, by name
 * @param problems what was rejected and what is in force instead, one line each
 */
public record EffectiveConfig(AgentConfig config, List<ConfigValue> values, List<String> problems) {
  private static final Set<String> USED =
      FelixParameters.ALL.stream().map(Parameter::name).collect(Collectors.toUnmodifiableSet());

  public EffectiveConfig {
    values = List.copyOf(values);
    problems = List.copyOf(problems);
  }

  /**
   * Evaluates the sources.
   *
   * @param previous what was in force until now; null at the start
   */
  public static EffectiveConfig of(ConfigSources sources, @Nullable EffectiveConfig previous) {
    List<String> problems = new ArrayList<>();
    List<Layer> layers = sources.layers(problems);
    Map<String, ConfigValue> used = new LinkedHashMap<>();
    for (Parameter<?> parameter : FelixParameters.ALL) {
      ConfigValue value =
          value(parameter, layers, sources.environment(), previous(previous, parameter.name()));
      value.problem().ifPresent(problems::add);
      used.put(parameter.name(), value);
    }
    List<ConfigValue> values = new ArrayList<>(used.values());
    values.addAll(others(layers));
    values.sort(Comparator.comparing(ConfigValue::name));
    return new EffectiveConfig(
        previous != null && previous.hasValues(used)
            ? previous.config()
            : new TypedValues(used).config(),
        values,
        problems);
  }

  /** Equal patterns are not equal objects: the same values are the same configuration. */
  private boolean hasValues(Map<String, ConfigValue> used) {
    return values.stream()
        .filter(value -> value.use() == Use.USED)
        .allMatch(value -> value.value().equals(requireNonNull(used.get(value.name())).value()));
  }

  /** The value of a parameter by its name in FelixConfiguration. */
  public Optional<ConfigValue> value(String name) {
    return values.stream().filter(value -> value.name().equals(name)).findFirst();
  }

  private static Optional<ConfigValue> previous(@Nullable EffectiveConfig config, String name) {
    return config == null ? Optional.empty() : config.value(name);
  }

  private static <T> ConfigValue value(
      Parameter<T> parameter,
      List<Layer> layers,
      Map<String, String> environment,
      Optional<ConfigValue> previous) {
    List<String> rejected = new ArrayList<>();
    for (Layer layer : layers) {
      Entry entry = layer.entries().get(parameter.name());
      if (entry == null) {
        continue;
      }
      try {
        T value = parameter.type().read(entry.text());
        return inForce(parameter, value, layer.source(), rejected);
      } catch (IllegalArgumentException e) {
        rejected.add(entry.place() + " " + e.getMessage());
        if (previous.filter(last -> last.source().equals(layer.source())).isPresent()) {
          T last = parameter.type().reread(previous.get().value());
          return inForce(parameter, last, layer.source(), rejected);
        }
      }
    }
    return inForce(
        parameter, parameter.initial().apply(environment), ConfigSource.BUILT_IN, rejected);
  }

  private static <T> ConfigValue inForce(
      Parameter<T> parameter, T value, ConfigSource source, List<String> rejected) {
    String text = parameter.type().print(value);
    return new ConfigValue(
        parameter.name(),
        text,
        source,
        Use.USED,
        rejected.isEmpty()
            ? Optional.empty()
            : Optional.of(
                "%s; %s stays in force (%s)"
                    .formatted(
                        String.join("; ", rejected), text.isEmpty() ? "no value" : text, source)));
  }

  private static List<ConfigValue> others(List<Layer> layers) {
    Map<String, ConfigValue> others = new LinkedHashMap<>();
    for (Layer layer : layers) {
      for (Entry entry : layer.entries().values()) {
        if (!USED.contains(entry.name())) {
          others.putIfAbsent(
              entry.name(),
              new ConfigValue(
                  entry.name(),
                  entry.text(),
                  layer.source(),
                  entry.known() ? Use.NOT_USED : Use.UNKNOWN,
                  Optional.empty()));
        }
      }
    }
    return List.copyOf(others.values());
  }
}
