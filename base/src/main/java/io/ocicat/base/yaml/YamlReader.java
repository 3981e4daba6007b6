package io.ocicat.base.yaml;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonReader;
import io.ocicat.base.json.JsonReader.DuplicateKeys;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a stream of YAML or JSON documents as Kubernetes' tools do ({@link PlainScalar}). Quoted
 * text stays text, and a name that comes twice in one mapping is a mistake. Only plain values are
 * made; what aliases may grow to is bounded.
 */
public final class YamlReader {
  private static final int MAX_DEPTH = 128;
  private static final JsonReader JSON =
      new JsonReader(64 << 20, JsonReader.ANY_NUMBER_OF_TOKENS, DuplicateKeys.LAST_COUNTS);
  private static final Set<Tag> NUMBERS = Set.of(Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL);

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** What is read, and how much of it. */
  private enum Kind {
    /** Documents of any number, with values of all types. */
    STREAM(64 << 20, 5_000_000),
    /** One document of texts. A kubeconfig with a hundred clusters' certificates is smaller. */
    TEXTS(4 << 20, 100_000);

    private final int maxLength;
    private final int maxValues;

    Kind(int maxLength, int maxValues) {
      this.maxLength = maxLength;
      this.maxValues = maxValues;
    }

    LoadSettings settings() {
      return LoadSettings.builder()
          .setSchema(new FailsafeSchema())
          .setCodePointLimit(maxLength)
          .build();
    }

    String place(int document) {
      return this == STREAM ? "document " + document + ": " : "";
    }
  }

  private final Kind kind;
  private int values;

  private YamlReader(Kind kind) {
    this.kind = kind;
  }

  /**
   * One document that is not empty.
   *
   * @param number which of the stream, from 1
   */
  public record Document(int number, JsonNode value) {}

  /**
   * Reads all documents of a text.
   *
   * @throws IllegalArgumentException saying where and why it cannot be read
   */
  public static List<Document> readAll(String text) {
    Optional<JsonNode> json = asJson(text);
    return json.isPresent()
        ? List.of(new Document(1, json.get()))
        : new YamlReader(Kind.STREAM).documents(text);
  }

  /**
   * Reads one document of names and texts, such as a kubeconfig: what stands there without quotes
   * is text as well, unless it is null.
   *
   * @throws IllegalArgumentException saying where and why it cannot be read
   */
  public static ObjectNode readTexts(String text) {
    List<Document> documents = new YamlReader(Kind.TEXTS).documents(text);
    if (documents.size() == 1 && documents.getFirst().value() instanceof ObjectNode object) {
      return object;
    }
    throw new IllegalArgumentException("not a map of names and values");
  }

  /** YAML differs from JSON in how it writes characters beyond the first 65,536. */
  private static Optional<JsonNode> asJson(String text) {
    String start = text.stripLeading();
    if (!start.startsWith("{") && !start.startsWith("[")) {
      return Optional.empty();
    }
    try {
      ObjectNode around = JSON.parseObject("{\"value\":" + text + "}");
      return around.size() == 1 ? Optional.of(around.path("value")) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private List<Document> documents(String text) {
    List<Document> documents = new ArrayList<>();
    int number = 1;
    try {
      Iterator<Node> nodes = new Compose(kind.settings()).composeAllFromString(text).iterator();
      while (nodes.hasNext()) {
        JsonNode value = value(nodes.next(), 0);
        if (!value.isNull()) {
          documents.add(new Document(number, value));
        }
        number++;
      }
      return documents;
    } catch (MarkedYamlEngineException e) {
      throw refusal(number, e.getProblemMark(), String.valueOf(e.getProblem()), e);
    } catch (YamlEngineException e) {
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw refusal(number, Optional.empty(), why, e);
    } catch (StackOverflowError e) {
      // The library composes nodes by recursion, without a limit of its own.
      throw new IllegalArgumentException(kind.place(number) + "not valid YAML: nested too deep", e);
    } catch (Wrong e) {
      throw refusal(number, e.node.getStartMark(), String.valueOf(e.getMessage()), e);
    }
  }

  private IllegalArgumentException refusal(
      int document, Optional<Mark> where, String why, Exception cause) {
    String place = kind.place(document);
    return where.isEmpty()
        ? new IllegalArgumentException(place + "not valid YAML: " + why, cause)
        : new YamlSyntaxException(
            place, where.get().getLine() + 1, where.get().getColumn() + 1, why, cause);
  }

  /** What is YAML, but not what we read. */
  private static final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Node node;

    Wrong(Node node, String why) {
      super(why);
      this.node = node;
    }
  }

  private static Wrong wrong(Node node, String why) {
    return new Wrong(node, why);
  }

  private JsonNode value(Node node, int depth) {
    values++;
    if (values > kind.maxValues || depth > MAX_DEPTH) {
      throw wrong(
          node,
          values > kind.maxValues ? "too many values, or aliases of aliases" : "nested too deep");
    }
    return switch (node) {
      case MappingNode mapping -> object(mapping, depth);
      case SequenceNode sequence -> {
        ArrayNode array = Json.array();
        sequence.getValue().forEach(item -> array.add(value(item, depth + 1)));
        yield array;
      }
      case ScalarNode scalar -> scalar(scalar);
      default -> throw wrong(node, "unexpected " + node.getNodeType());
    };
  }

  private ObjectNode object(MappingNode mapping, int depth) {
    ObjectNode object = Json.object();
    for (NodeTuple entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode name)) {
        throw wrong(entry.getKeyNode(), "a name must be text");
      }
      // Kubernetes' tools read names as values and write them as text again: on is true.
      JsonNode read = scalar(name);
      String member = read.isNull() ? name.getValue() : read.asString();
      if (object.has(member)) {
        throw wrong(name, "%s comes twice".formatted(Quoted.brief(member)));
      }
      object.set(member, value(entry.getValueNode(), depth + 1));
    }
    return object;
  }

  private JsonNode scalar(ScalarNode scalar) {
    String text = scalar.getValue();
    Tag tag = scalar.getTag();
    if (!isTagged(scalar)) {
      return scalar.isPlain() ? plain(text) : NODES.stringNode(text);
    }
    if (tag.equals(Tag.STR)) {
      return NODES.stringNode(text);
    }
    JsonNode value = plain(text);
    boolean fits =
        (tag.equals(Tag.NULL) && value.isNull())
            || (tag.equals(Tag.BOOL) && value.isBoolean())
            || (tag.equals(Tag.INT) && value.isIntegralNumber())
            || (tag.equals(Tag.FLOAT) && value.isNumber());
    if (fits) {
      return value;
    }
    throw wrong(
        scalar,
        NUMBERS.contains(tag)
            ? Quoted.brief(text) + " is not a number"
            : "tag %s is not supported: leave it out".formatted(tag.getValue()));
  }

  private JsonNode plain(String text) {
    JsonNode value = PlainScalar.read(text);
    return kind == Kind.TEXTS && !value.isNull() ? NODES.stringNode(text) : value;
  }

  /** The library says of text without a tag what it says of text tagged as such. */
  private static boolean isTagged(ScalarNode scalar) {
    return scalar
        .getStartMark()
        .map(
            mark ->
                mark.getPointer() < mark.getBuffer().length
                    && mark.getBuffer()[mark.getPointer()] == '!')
        .orElse(false);
  }
}
