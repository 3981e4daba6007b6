package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.resource.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The fields of a kind's table, each with a document that has nothing but that field. */
final class TableFields {
  private TableFields() {}

  /** A step on the path to a field: a member, or the only item of a list. */
  private record Step(String name, boolean item) {}

  /**
   * A field.
   *
   * @param shape a scalar, or a list
   */
  record Field(Kind kind, List<Step> way, Shape.Member member, Shape shape) {
    String path() {
      StringBuilder path = new StringBuilder();
      for (Step step : way) {
        path.append(path.isEmpty() ? "" : ".").append(step.name()).append(step.item() ? "[0]" : "");
      }
      return path.toString();
    }

    /**
     * Returns what is wrong with this field when it has this value, without rules between fields.
     */
    Optional<String> problem(JsonNode value) {
      return problem(Optional.of(value));
    }

    /** Returns what is wrong when it is absent. */
    Optional<String> problemWhenAbsent() {
      return problem(Optional.empty());
    }

    private Optional<String> problem(Optional<JsonNode> value) {
      ObjectNode document = Json.object();
      ObjectNode at = document;
      for (Step step : way.subList(0, way.size() - 1)) {
        at = step.item() ? at.putArray(step.name()).addObject() : at.putObject(step.name());
      }
      if (value.isPresent() && way.getLast().item()) {
        at.putArray(way.getLast().name()).add(value.get());
      } else if (value.isPresent()) {
        at.set(way.getLast().name(), value.get());
      }
      Problems problems = new Problems();
      ShapeCheck.run(withoutRules(Shapes.of(kind)), document, problems);
      return problems.entries().stream()
          .filter(problem -> problem.path().equals(path()))
          .map(Problems.Problem::message)
          .findFirst();
    }

    @Override
    public String toString() {
      return kind + " " + path();
    }
  }

  static List<Field> of(Kind kind) {
    List<Field> fields = new ArrayList<>();
    collect(kind, Shapes.of(kind), List.of(), fields);
    return fields;
  }

  private static void collect(Kind kind, Shape.Struct struct, List<Step> way, List<Field> fields) {
    for (Shape.Member member : struct.members()) {
      collect(kind, member, member.shape(), with(way, new Step(member.name(), false)), fields);
    }
  }

  private static void collect(
      Kind kind, Shape.Member member, Shape shape, List<Step> way, List<Field> fields) {
    switch (shape) {
      case Shape.Struct struct -> collect(kind, struct, way, fields);
      case Shape.ListOf list -> {
        fields.add(new Field(kind, way, member, list));
        Step item = new Step(way.getLast().name(), true);
        List<Step> inside = with(way.subList(0, way.size() - 1), item);
        collect(kind, member, list.item(), inside, fields);
      }
      case Shape.Leaf leaf -> fields.add(new Field(kind, way, member, leaf));
      case Shape.MapOf _, Shape.Anything _ -> {}
    }
  }

  private static List<Step> with(List<Step> way, Step step) {
    List<Step> longer = new ArrayList<>(way);
    longer.add(step);
    return List.copyOf(longer);
  }

  private static Shape.Struct withoutRules(Shape.Struct struct) {
    return new Shape.Struct(
        struct.members().stream().map(member -> member.with(withoutRules(member.shape()))).toList(),
        List.of());
  }

  private static Shape withoutRules(Shape shape) {
    return switch (shape) {
      case Shape.Struct struct -> withoutRules(struct);
      case Shape.ListOf list ->
          new Shape.ListOf(withoutRules(list.item()), list.min(), list.max(), list.distinct());
      case Shape.Leaf _, Shape.MapOf _, Shape.Anything _ -> shape;
    };
  }
}
