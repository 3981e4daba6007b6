package io.ocicat.conformance.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A plugin call to be run: its whole environment, its stdin and the namespace it runs in.
 * Immutable.
 *
 * @param killedAfter when it is killed in the middle of its work; zero for not at all
 */
public record LabCall(
    Path executable,
    Map<String, RawValue> variables,
    Stdin stdin,
    LabNamespace where,
    Duration killedAfter) {
  public LabCall {
    variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
  }

  /** The same call of another plugin. */
  public LabCall of(Path other) {
    return new LabCall(other, variables, stdin, where, killedAfter);
  }

  public LabCall with(String variable, RawValue value) {
    Map<String, RawValue> changed = new LinkedHashMap<>(variables);
    changed.put(variable, value);
    return new LabCall(executable, changed, stdin, where, killedAfter);
  }

  public LabCall with(String variable, String value) {
    return with(variable, RawValue.of(value));
  }

  public LabCall without(String... names) {
    Map<String, RawValue> fewer = new LinkedHashMap<>(variables);
    for (String name : names) {
      fewer.remove(name);
    }
    return new LabCall(executable, fewer, stdin, where, killedAfter);
  }

  public LabCall stdin(Stdin other) {
    return new LabCall(executable, variables, other, where, killedAfter);
  }

  public LabCall stdin(String text) {
    return stdin(Stdin.of(text));
  }

  public LabCall stdin(RawValue value) {
    return stdin(new Stdin.Piped(value));
  }

  public LabCall in(LabNamespace other) {
    return new LabCall(executable, variables, stdin, other, killedAfter);
  }

  /** With SIGKILL, if it has not ended by then. */
  public LabCall killedAfter(Duration time) {
    return new LabCall(executable, variables, stdin, where, time);
  }

  /** A command that runs the plugin with this environment and namespace, its stdin aside. */
  String command() {
    return "%snsenter --net=%s env -i %s %s%s"
        .formatted(
            killedAfter.isZero()
                ? ""
                : "timeout -s KILL %d.%03d "
                    .formatted(killedAfter.toSeconds(), killedAfter.toMillisPart()),
            Shell.quote(where.path().toString()),
            variables.entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue().word())
                .collect(Collectors.joining(" ")),
            Shell.quote(executable.toString()),
            stdin instanceof Stdin.Closed ? " <&-" : "");
  }

  /** The same with its stdin. */
  String pipeline() {
    return switch (stdin) {
      case Stdin.Piped(RawValue value) when value.bytes().length == 0 -> command() + " </dev/null";
      case Stdin.Piped(RawValue value) -> value.command() + " | " + command();
      case Stdin.Closed() -> command();
    };
  }
}
