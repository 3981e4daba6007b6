package io.ocicat.sandbox.container.oci;

import io.ocicat.base.json.Json;
import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.cgroup.Cgroups;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The {@code linux.resources} object of a specification, without what this machine cannot limit:
 * kubelet always states limits for huge pages, and runc fails where the kernel has none.
 */
public final class ResourcesSpec {
  private ResourcesSpec() {}

  public static ObjectNode of(LinuxResources limits) {
    return of(limits, Cgroups.hasHugePages(), Cgroups.limitsSwap(), Cgroups.isUnified());
  }

  static ObjectNode of(
      LinuxResources limits, boolean hugePages, boolean limitsSwap, boolean unified) {
    ObjectNode json = Json.object();
    ObjectNode cpu = Json.object();
    put(cpu, "shares", limits.cpuShares());
    put(cpu, "quota", limits.cpuQuota());
    put(cpu, "period", limits.cpuPeriod());
    put(cpu, "cpus", limits.cpusetCpus());
    put(cpu, "mems", limits.cpusetMems());
    if (!cpu.isEmpty()) {
      json.set("cpu", cpu);
    }
    ObjectNode memory = Json.object();
    put(memory, "limit", limits.memoryLimit());
    if (limitsSwap) {
      // Without a limit of its own, swap would double the memory.
      put(
          memory,
          "swap",
          limits.memorySwapLimit() != 0 ? limits.memorySwapLimit() : limits.memoryLimit());
    }
    if (!memory.isEmpty()) {
      json.set("memory", memory);
    }
    if (hugePages && !limits.hugepageLimits().isEmpty()) {
      ArrayNode pages = json.putArray("hugepageLimits");
      limits
          .hugepageLimits()
          .forEach(
              each ->
                  pages.addObject().put("pageSize", each.pageSize()).put("limit", each.limit()));
    }
    if (unified && !limits.unified().isEmpty()) {
      ObjectNode files = json.putObject("unified");
      limits.unified().forEach(files::put);
    }
    return json;
  }

  private static void put(ObjectNode json, String name, long value) {
    if (value != 0) {
      json.put(name, value);
    }
  }

  private static void put(ObjectNode json, String name, String value) {
    if (!value.isEmpty()) {
      json.put(name, value);
    }
  }
}
