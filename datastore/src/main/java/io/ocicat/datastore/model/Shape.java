package io.ocicat.datastore.model;

import io.ocicat.datastore.json.Problems;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a JSON value of a resource looks like: the types and rules of its fields, their order, and
 * which of them Calico leaves out when they are empty. One description serves both for writing
 * ({@link CanonicalForm}) and for checking ({@link ShapeCheck}).
 */
sealed interface Shape {

  /** For objects whose members have nothing to do with each other. */
  ObjectRule NO_RULE = (_, _, _) -> {};

  /** A value without parts. */
  record Leaf(Type type, Rule rule) implements Shape {}

  /** A list whose items are alike. */
  record ListOf(Shape item) implements Shape {}

  /** Names and values, written in the order of the names. */
  record MapOf(NameRule names, Leaf values) implements Shape {}

  /** A JSON object with known members; others are allowed, kept, and written behind them. */
  record Struct(List<Member> members, ObjectRule rule) implements Shape {
    public Struct {
      members = List.copyOf(members);
    }

    public Struct(Member... members) {
      this(List.of(members), NO_RULE);
    }

    /** The same with one more rule for the object as a whole. */
    Struct where(ObjectRule rule) {
      return new Struct(members, rule);
    }
  }

  /** Whatever it is. */
  record Anything() implements Shape {}

  /** JSON types of values without parts. */
  enum Type {
    TEXT("a string"),
    FLAG("true or false"),
    WHOLE("a whole number"),
    NUMBER("a number"),
    WHOLE_OR_TEXT("a whole number or a string");

    private final String description;

    Type(String description) {
      this.description = description;
    }

    String description() {
      return description;
    }
  }

  /** When a member is written. */
  enum Presence {
    /** Also when it is absent, with its empty value. */
    ALWAYS,
    /** Go's omitempty on a value: not when it is "", 0, false, or has no items. */
    UNLESS_EMPTY,
    /** Go's omitempty on a pointer: whenever there is one. */
    IF_PRESENT
  }

  /**
   * A member of an object.
   *
   * @param required whether an empty one is a mistake
   */
  record Member(String name, Shape shape, Presence presence, boolean required) {
    Member always() {
      return new Member(name, shape, Presence.ALWAYS, required);
    }

    Member ifPresent() {
      return new Member(name, shape, Presence.IF_PRESENT, required);
    }

    Member require() {
      return new Member(name, shape, presence, true);
    }
  }

  /** What is wrong with a value of the right type, as the rest of a sentence; null for nothing. */
  @FunctionalInterface
  interface Rule {
    @Nullable String problem(JsonNode value);
  }

  /** What is wrong with a name in a map, as the rest of a sentence; null for nothing. */
  @FunctionalInterface
  interface NameRule {
    @Nullable String problem(String name);
  }

  /** What must hold among the members of an object whose members are right by themselves. */
  @FunctionalInterface
  interface ObjectRule {
    void check(ObjectNode object, String path, Problems problems);
  }

  static Member field(String name, Shape shape) {
    return new Member(name, shape, Presence.UNLESS_EMPTY, false);
  }

  static Member text(String name) {
    return field(name, new Leaf(Type.TEXT, Rules.ANY));
  }

  static Member text(String name, Rule rule) {
    return field(name, new Leaf(Type.TEXT, rule));
  }

  static Member texts(String name, Rule rule) {
    return field(name, new ListOf(new Leaf(Type.TEXT, rule)));
  }

  static Member texts(String name) {
    return texts(name, Rules.ANY);
  }

  static Member flag(String name) {
    return field(name, new Leaf(Type.FLAG, Rules.ANY));
  }

  static Leaf wholeNumber(long min, long max) {
    return new Leaf(Type.WHOLE, Rules.between(min, max));
  }

  static Member whole(String name, long min, long max) {
    return field(name, wholeNumber(min, max));
  }

  static Member structs(String name, Struct item) {
    return field(name, new ListOf(item));
  }

  /** Pointers to objects are written even when the object is empty. */
  static Member struct(String name, Struct struct) {
    return field(name, struct).ifPresent();
  }
}
