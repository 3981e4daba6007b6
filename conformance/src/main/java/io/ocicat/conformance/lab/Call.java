package io.ocicat.conformance.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One execution of a plugin to come: its whole environment, its stdin and the namespace it runs in.
 * Immutable.
 *
 * @param killedAfter when it is killed in the middle of its work; zero for not at all
 */
public record Call(
    Path executable,
    Map<String, Value> variables,
    Stdin stdin,
    Namespace where,
    Duration killedAfter) {
  public Call {
    variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
  }

  /** The same call of another plugin. */
  public Call of(Path other) {
    return new Call(other, variables, stdin, where, killedAfter);
  }

  public Call with(String variable, Value value) {
    Map<String, Value> changed = new LinkedHashMap<>(variables);
    changed.put(variable, value);
    return new Call(executable, changed, stdin, where, killedAfter);
  }

  public Call with(String variable, String value) {
    return with(variable, Value.of(value));
  }

  public Call without(String... names) {
    Map<String, Value> fewer = new LinkedHashMap<>(variables);
    for (String name : names) {
      fewer.remove(name);
    }
    return new Call(executable, fewer, stdin, where, killedAfter);
  }

  public Call stdin(Stdin other) {
    return new Call(executable, variables, other, where, killedAfter);
  }

  public Call stdin(String text) {
    return stdin(Stdin.of(text));
  }

  public Call stdin(Value value) {
    return stdin(new Stdin.Piped(value));
  }

  public Call in(Namespace other) {
    return new Call(executable, variables, stdin, other, killedAfter);
  }

  /** With SIGKILL, if it has not ended by then. */
  public Call killedAfter(Duration time) {
    return new Call(executable, variables, stdin, where, time);
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
      case Stdin.Piped(Value value) when value.bytes().length == 0 -> command() + " </dev/null";
      case Stdin.Piped(Value value) -> value.command() + " | " + command();
      case Stdin.Closed() -> command();
    };
  }
}
