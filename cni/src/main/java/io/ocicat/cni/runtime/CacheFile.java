package io.ocicat.cni.runtime;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * The content of a cache file, in libcni's format since 0.8.0. libcni ignores unknown members, so
 * {@value #OWN} can hold what its format has no place for.
 */
final class CacheFile {
  static final String KIND = "cniCacheV1";
  private static final String OWN = "io.ocicat";
  private static final String LIST = "list";

  private CacheFile() {}

  /** The kinds of file content. */
  sealed interface Content {
    record Entry(CachedAttachment attachment) implements Content {}

    /** The bare result that versions of libcni before 0.8.0 wrote. */
    record Legacy(ObjectNode result) implements Content {}

    /** Neither of them. */
    record Corrupt(CniException why) implements Content {}
  }

  static byte[] write(CachedAttachment attachment) {
    Container container = attachment.container();
    ObjectNode json =
        Json.object()
            .put("kind", KIND)
            .put("containerId", container.id().value())
            .put("config", Base64.getEncoder().encodeToString(attachment.config()))
            .put("ifName", container.ifName().value())
            .put("networkName", attachment.network().value());
    if (!container.netns().isEmpty()) {
      json.put("netns", container.netns());
    }
    if (!container.args().args().isEmpty()) {
      ArrayNode pairs = json.putArray("cniArgs");
      container
          .args()
          .args()
          .forEach(arg -> pairs.add(Json.array(List.of(arg.key(), arg.value()))));
    }
    if (!container.capabilityArgs().isEmpty()) {
      ObjectNode capabilities = json.putObject("capabilityArgs");
      container.capabilityArgs().forEach((name, value) -> capabilities.set(name, value.deepCopy()));
    }
    attachment.rawResult().ifPresent(result -> json.set("result", result));
    attachment.effectiveList().ifPresent(list -> json.set(OWN, Json.object().set(LIST, list)));
    return Json.compactBytes(json);
  }

  static Content read(byte[] bytes) {
    JsonNode document;
    try {
      document = CniJson.parse(bytes);
    } catch (CniException e) {
      return new Content.Corrupt(e.prefixed("decoding version from network config: "));
    }
    JsonFields in = JsonValue.of(document).object();
    if (!(document instanceof ObjectNode object)) {
      return new Content.Corrupt(corrupt(in));
    }
    boolean ours =
        in.value("kind").raw().filter(kind -> kind.equals(StringNode.valueOf(KIND))).isPresent();
    if (!ours) {
      return new Content.Legacy(object);
    }
    try {
      CachedAttachment attachment = attachment(in);
      return in.problems().isEmpty()
          ? new Content.Entry(attachment)
          : new Content.Corrupt(corrupt(in));
    } catch (CniException e) {
      return new Content.Corrupt(e);
    }
  }

  private static CniException corrupt(JsonFields in) {
    return new CniException(ErrorCode.DECODING_FAILURE, in.problems().describe());
  }

  private static CachedAttachment attachment(JsonFields in) {
    CacheKey key =
        CacheKey.of(
            in.text("networkName").or(""), in.text("containerId").or(""), in.text("ifName").or(""));
    byte[] config = in.text("config").map(Base64.getDecoder()::decode, new byte[0]).or(new byte[0]);
    Container container =
        new Container(
            key.container(),
            in.text("netns").or(""),
            key.ifName(),
            args(in.value("cniArgs")),
            capabilityArgs(in.object("capabilityArgs")));
    return new CachedAttachment(
        key.network(),
        container,
        config,
        object(in.object(OWN).value(LIST)),
        object(in.value("result")));
  }

  /** Pairs that CNI_ARGS cannot represent are left out: libcni does not check what it is given. */
  private static CniArgs args(JsonValue pairs) {
    List<CniArgs.Arg> args = new ArrayList<>();
    for (JsonValue pair : pairs.items()) {
      List<String> texts = pair.texts().or(List.of());
      if (texts.size() == 2) {
        try {
          args.add(new CniArgs.Arg(texts.getFirst(), texts.getLast()));
        } catch (CniException _) {
          // ADD could not have passed it on, either.
        }
      } else {
        pair.problem("must be a list of two strings");
      }
    }
    return new CniArgs(args);
  }

  private static Map<String, JsonNode> capabilityArgs(JsonFields in) {
    Map<String, JsonNode> args = new LinkedHashMap<>();
    in.names().forEach(name -> in.value(name).raw().ifPresent(value -> args.put(name, value)));
    return args;
  }

  private static @Nullable ObjectNode object(JsonValue value) {
    value.object();
    return value.raw().orElse(null) instanceof ObjectNode object ? object : null;
  }
}
