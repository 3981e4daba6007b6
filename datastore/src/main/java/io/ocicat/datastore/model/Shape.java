package io.ocicat.datastore.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The shape of a resource's JSON value: the types, limits and defaults of its fields, their order,
 * the rules between them, and which of them Calico omits when they are empty. One table per kind
 * serves for writing ({@link CanonicalForm}), for checking ({@link ShapeCheck}) and for the schemas
 * of custom resources ({@link Schema}).
 */
sealed interface Shape {

  /** A scalar value. */
  record Leaf(Type type, List<ValueLimit> limits, ValueForm form) implements Shape {
    public Leaf {
      limits = List.copyOf(limits);
    }

    Leaf(Type type, ValueLimit... limits) {
      this(type, List.of(limits), ValueForm.PLAIN);
    }

    Leaf and(ValueLimit limit) {
      List<ValueLimit> all = new ArrayList<>(limits);
      all.add(limit);
      return new Leaf(type, all, form);
    }
  }

  /**
   * A list of items of one shape.
   *
   * @param distinct whether duplicates are invalid
   */
  record ListOf(Shape item, int min, int max, boolean distinct) implements Shape {
    ListOf(Shape item) {
      this(item, 0, Integer.MAX_VALUE, false);
    }
  }

  /** Names and values, written in the order of the names. */
  record MapOf(NameRule names, Leaf values) implements Shape {}

  /** A JSON object with known members; others are allowed, preserved, and written after them. */
  record Struct(List<Member> members, List<FieldRule> rules) implements Shape {
    public Struct {
      members = List.copyOf(members);
      rules = List.copyOf(rules);
    }

    public Struct(Member... members) {
      this(List.of(members), List.of());
    }

    /** Adds rules between the members. */
    Struct where(FieldRule... more) {
      List<FieldRule> all = new ArrayList<>(rules);
      all.addAll(Arrays.asList(more));
      return new Struct(members, all);
    }

    Struct where(String words, String cel, FieldRule.Check check) {
      return where(new FieldRule(words, cel, check));
    }

    /** With a rule that only applies to writes through this program. */
    Struct where(String words, FieldRule.Check check) {
      return where(new FieldRule(words, null, check));
    }
  }

  /** Any value: what Kubernetes' own schema leaves open. */
  record Anything() implements Shape {}

  /** The JSON types of scalars. */
  enum Type {
    TEXT("a string"),
    FLAG("true or false"),
    WHOLE("a whole number"),
    WHOLE_OR_NULL("a whole number or null"),
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
    /** Also when it is absent, as null. */
    OR_NULL,
    /** Go's omitempty on a value: not when it is "", 0, false, or has no items. */
    UNLESS_EMPTY,
    /** Go's omitempty on a pointer: whenever it is present. */
    IF_PRESENT
  }

  /**
   * A member of an object.
   *
   * @param required whether it must not be empty
   * @param initial the default; null for none
   */
  record Member(
      String name,
      Shape shape,
      Presence presence,
      boolean required,
      @Nullable JsonNode initial,
      String description) {

    Member with(Shape other) {
      return new Member(name, other, presence, required, initial, description);
    }

    private Member with(Presence other) {
      return new Member(name, shape, other, required, initial, description);
    }

    Member always() {
      return with(Presence.ALWAYS);
    }

    Member orNull() {
      return with(Presence.OR_NULL);
    }

    Member ifPresent() {
      return with(Presence.IF_PRESENT);
    }

    Member require() {
      return new Member(name, shape, presence, true, initial, description);
    }

    Member initially(String value) {
      return new Member(
          name, shape, presence, required, JsonNodeFactory.instance.stringNode(value), description);
    }

    /** Limits the value, or each item of the list. */
    Member is(ValueLimit limit) {
      return switch (shape) {
        case Leaf leaf -> with(leaf.and(limit));
        case ListOf list when list.item() instanceof Leaf leaf ->
            with(new ListOf(leaf.and(limit), list.min(), list.max(), list.distinct()));
        default -> throw new IllegalStateException(name + " has no value to limit");
      };
    }

    Member max(int length) {
      return is(new ValueLimit.Length(length));
    }

    Member in(String... allowed) {
      return is(new ValueLimit.OneOf(List.of(allowed)));
    }

    Member matches(String regex, String must) {
      return is(new ValueLimit.Matches(Pattern.compile(regex), must));
    }

    /** Limits the number of items. */
    Member items(int min, int max) {
      return shape instanceof ListOf list
          ? with(new ListOf(list.item(), min, max, list.distinct()))
          : this;
    }

    Member distinct() {
      return shape instanceof ListOf list
          ? with(new ListOf(list.item(), list.min(), list.max(), true))
          : this;
    }
  }

  /**
   * Returns why a value of the right type is invalid, as the rest of a sentence; null when valid.
   */
  @FunctionalInterface
  interface Rule {
    @Nullable String problem(JsonNode value);
  }

  /** Returns why a name in a map is invalid, as the rest of a sentence; null when valid. */
  @FunctionalInterface
  interface NameRule {
    @Nullable String problem(String name);
  }

  static Member field(String name, String description, Shape shape) {
    return new Member(name, shape, Presence.UNLESS_EMPTY, false, null, description);
  }

  static Member text(String name, String description) {
    return field(name, description, new Leaf(Type.TEXT));
  }

  static Member texts(String name, String description) {
    return field(name, description, new ListOf(new Leaf(Type.TEXT)));
  }

  static Member flag(String name, String description) {
    return field(name, description, new Leaf(Type.FLAG));
  }

  static Leaf wholeNumber(long min, long max) {
    return new Leaf(Type.WHOLE, new ValueLimit.Range(min, max));
  }

  static Member whole(String name, String description, long min, long max) {
    return field(name, description, wholeNumber(min, max));
  }

  static Member structs(String name, String description, Struct item) {
    return field(name, description, new ListOf(item));
  }

  /** Pointers to objects are written even when the object is empty. */
  static Member struct(String name, String description, Struct struct) {
    return field(name, description, struct).ifPresent();
  }

  /** A pointer to a duration. */
  static Member duration(String name, String description) {
    return field(name, description, new Leaf(Type.TEXT, List.of(), ValueForm.DURATION)).ifPresent();
  }
}
