package io.ocicat.sandbox.store;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.LinuxResources.HugepageLimit;
import io.ocicat.sandbox.SecurityProfile;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The parts that the records of sandboxes and of containers have in common. */
public final class ResourcesJson {
  private ResourcesJson() {}

  public static ObjectNode write(LinuxResources resources) {
    ObjectNode json = Json.object();
    json.put("cpuPeriod", resources.cpuPeriod());
    json.put("cpuQuota", resources.cpuQuota());
    json.put("cpuShares", resources.cpuShares());
    json.put("memoryLimit", resources.memoryLimit());
    json.put("oomScoreAdj", resources.oomScoreAdj());
    json.put("cpusetCpus", resources.cpusetCpus());
    json.put("cpusetMems", resources.cpusetMems());
    ArrayNode pages = json.putArray("hugepageLimits");
    for (HugepageLimit limit : resources.hugepageLimits()) {
      pages.addObject().put("pageSize", limit.pageSize()).put("limit", limit.limit());
    }
    json.set("unified", pairs(resources.unified()));
    json.put("memorySwapLimit", resources.memorySwapLimit());
    return json;
  }

  public static LinuxResources read(JsonFields in) {
    return new LinuxResources(
        number(in, "cpuPeriod"),
        number(in, "cpuQuota"),
        number(in, "cpuShares"),
        number(in, "memoryLimit"),
        number(in, "oomScoreAdj"),
        in.text("cpusetCpus").or(""),
        in.text("cpusetMems").or(""),
        in.objects("hugepageLimits").stream()
            .map(each -> new HugepageLimit(each.text("pageSize").or(""), number(each, "limit")))
            .toList(),
        readPairs(in.object("unified")),
        number(in, "memorySwapLimit"));
  }

  public static ObjectNode write(SecurityProfile profile) {
    return Json.object().put("kind", profile.kind().name()).put("localhost", profile.localhost());
  }

  public static SecurityProfile readProfile(JsonFields in) {
    return new SecurityProfile(
        in.choice("kind", SecurityProfile.Kind.values(), SecurityProfile.Kind::name)
            .or(SecurityProfile.Kind.UNCONFINED),
        in.text("localhost").or(""));
  }

  /** In alphabetical order. */
  public static ObjectNode pairs(Map<String, String> pairs) {
    ObjectNode json = Json.object();
    new TreeMap<>(pairs).forEach(json::put);
    return json;
  }

  public static Map<String, String> readPairs(JsonFields in) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String name : in.names()) {
      pairs.put(name, in.text(name).or(""));
    }
    return pairs;
  }

  public static long number(JsonFields in, String name) {
    return in.longInteger(name, Long.MIN_VALUE, Long.MAX_VALUE).or(0L);
  }
}
