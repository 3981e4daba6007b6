package io.ocicat.sandbox.seccomp;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The runtime's default seccomp profile, as the {@code linux.seccomp} object of an OCI runtime
 * specification.
 *
 * <p>What is listed is allowed. A call that is known to be denied fails with EPERM, and one that
 * nobody had heard of when the list was made with ENOSYS: C libraries then use the older call,
 * whereas EPERM would make them give up. For the same reason clone3, whose flags a filter cannot
 * see, does not exist for whoever may not create namespaces.
 */
public final class DefaultSeccomp {
  private static final int EPERM = 1;
  private static final int ENOSYS = 38;
  private static final long NEW_NAMESPACES = 0x7e020000L;
  private static final List<Long> PERSONALITIES = List.of(0L, 8L, 0x20000L, 0x20008L, 0xffffffffL);
  private static final long AF_ALG = 38;
  private static final long AF_VSOCK = 40;
  private static final Map<String, List<String>> ARCHITECTURES =
      Map.of(
          "amd64", List.of("SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"),
          "aarch64", List.of("SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"));

  private DefaultSeccomp() {}

  /** Returns the profile of a process with these capabilities, named as {@code CAP_SYS_ADMIN}. */
  public static ObjectNode of(Set<String> capabilities) {
    ObjectNode lists = lists();
    ObjectNode profile = Json.object().put("defaultAction", "SCMP_ACT_ERRNO");
    profile.put("defaultErrnoRet", ENOSYS);
    profile.set("architectures", Json.array(architectures()));
    ArrayNode rules = profile.putArray("syscalls");
    List<String> allowed = new ArrayList<>(texts(lists.get("allowed")));
    List<String> denied = new ArrayList<>(texts(lists.get("denied")));
    JsonNode groups = lists.get("byCapability");
    for (String capability : groups.propertyNames()) {
      (capabilities.contains(capability) ? allowed : denied).addAll(texts(groups.get(capability)));
    }
    // Some calls need any one of several capabilities.
    denied.removeAll(allowed);
    rule(rules, allowed, "SCMP_ACT_ALLOW");
    rule(rules, denied.stream().distinct().toList(), "SCMP_ACT_ERRNO").put("errnoRet", EPERM);
    for (long personality : PERSONALITIES) {
      compare(rule(rules, List.of("personality"), "SCMP_ACT_ALLOW"), personality, 0, "SCMP_CMP_EQ");
    }
    compare(rule(rules, List.of("socket"), "SCMP_ACT_ALLOW"), AF_ALG, 0, "SCMP_CMP_LT");
    compare(rule(rules, List.of("socket"), "SCMP_ACT_ALLOW"), AF_ALG + 1, 0, "SCMP_CMP_EQ");
    compare(rule(rules, List.of("socket"), "SCMP_ACT_ALLOW"), AF_VSOCK, 0, "SCMP_CMP_GT");
    if (capabilities.contains("CAP_SYS_ADMIN")) {
      rule(rules, List.of("clone", "clone3"), "SCMP_ACT_ALLOW");
    } else {
      compare(
          rule(rules, List.of("clone"), "SCMP_ACT_ALLOW"), NEW_NAMESPACES, 0, "SCMP_CMP_MASKED_EQ");
    }
    return profile;
  }

  private static ObjectNode rule(ArrayNode rules, List<String> names, String action) {
    ObjectNode rule = rules.addObject();
    rule.set("names", Json.array(names));
    return rule.put("action", action);
  }

  private static void compare(ObjectNode rule, long value, long valueTwo, String operator) {
    rule.putArray("args")
        .addObject()
        .put("index", 0)
        .put("value", value)
        .put("valueTwo", valueTwo)
        .put("op", operator);
  }

  private static List<String> architectures() {
    return ARCHITECTURES.getOrDefault(System.getProperty("os.arch"), List.of());
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asString()));
    return texts;
  }

  private static ObjectNode lists() {
    try (InputStream in =
        Objects.requireNonNull(DefaultSeccomp.class.getResourceAsStream("default.json"))) {
      return (ObjectNode) CniJson.parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
