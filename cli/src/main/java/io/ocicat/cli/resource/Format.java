package io.ocicat.cli.resource;

import io.ocicat.base.Quoted;
import java.util.List;

/** An output format of {@code get}. */
sealed interface Format {
  /** A table of calicoctl's columns, few or more. */
  record Rows(boolean wide) implements Format {}

  /** A table of chosen columns. */
  record CustomColumns(List<String> names) implements Format {
    public CustomColumns {
      names = List.copyOf(names);
    }
  }

  /** Whole documents. */
  record Yaml() implements Format {}

  /** Whole documents. */
  record PrintedJson() implements Format {}

  /** {@code ippool/blue}. */
  record Name() implements Format {}

  /** What a template finds in the documents. */
  record Template(JsonPathTemplate template) implements Format {}

  /**
   * Parses the value of {@code -o}.
   *
   * @throws UsageException when it is not a format
   */
  static Format parse(String text) {
    int equals = text.indexOf('=');
    String name = equals < 0 ? text : text.substring(0, equals);
    String rest = equals < 0 ? "" : text.substring(equals + 1);
    return switch (name) {
      case "", "ps" -> new Rows(false);
      case "wide" -> new Rows(true);
      case "yaml", "yml" -> new Yaml();
      case "json" -> new PrintedJson();
      case "name" -> new Name();
      case "custom-columns" -> {
        if (rest.isEmpty()) {
          throw new UsageException(
              "-o custom-columns needs columns, as in custom-columns=NAME,CIDR");
        }
        yield new CustomColumns(List.of(rest.split(",", -1)));
      }
      case "jsonpath" -> {
        if (rest.isEmpty()) {
          throw new UsageException("-o jsonpath needs a template, as in jsonpath='{.spec.cidr}'");
        }
        yield new Template(JsonPathTemplate.parse(rest));
      }
      case "go-template", "go-template-file" ->
          throw new UsageException(
              "-o %s is not supported: use jsonpath='{.spec.cidr}' or custom-columns=NAME,CIDR"
                  .formatted(name));
      default ->
          throw new UsageException(
              "-o must be ps, wide, yaml, json, name, custom-columns=… or jsonpath=…, not "
                  + Quoted.brief(text));
    };
  }
}
