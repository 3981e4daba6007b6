package io.ocicat.plugins.portmap;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Capability;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PortMapping;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The configuration of the portmap plugin. Members that only choose between implementations ({@code
 * backend}, {@code markMasqBit}, {@code externalSetMarkChain}) are checked and have no effect:
 * there is one here, nf_tables, where clients are masqueraded without marks.
 *
 * @param snat whether clients are masqueraded where the container could not reply to them otherwise
 * @param masqAll whether all clients are masqueraded
 */
record PortmapConf(
    boolean snat,
    boolean masqAll,
    Conditions conditionsV4,
    Conditions conditionsV6,
    List<PortMapping> mappings) {
  private static final String IPTABLES = "iptables";
  private static final String NFTABLES = "nftables";
  private static final String EXTERNAL_CHAIN = "externalSetMarkChain";
  private static final String MARK_BIT = "markMasqBit";

  /** More than anybody publishes as a range, and few enough to be created in seconds. */
  private static final int MAX_MAPPINGS = 16_384;

  PortmapConf {
    mappings = List.copyOf(mappings);
  }

  /**
   * Reads it, with what the runtime supplies.
   *
   * @throws io.ocicat.cni.CniException with code 7, naming every bad field
   */
  static PortmapConf read(PluginConfig config) {
    return config.read(PortmapConf::read);
  }

  private static PortmapConf read(JsonFields in) {
    checkBackend(in);
    checkMarks(in);
    return new PortmapConf(
        in.bool("snat").or(true),
        in.bool("masqAll").or(false),
        conditions(in, FamilySets.V4),
        conditions(in, FamilySets.V6),
        mappings(in.object("runtimeConfig")));
  }

  Conditions conditions(FamilySets family) {
    return family == FamilySets.V4 ? conditionsV4 : conditionsV6;
  }

  /** Options of the other backend are rejected, as in the Go plugin. */
  private static void checkBackend(JsonFields in) {
    String backend = in.text("backend").or("");
    List<String> ofIptables = new ArrayList<>();
    List<String> ofNftables = new ArrayList<>();
    if (!in.text(EXTERNAL_CHAIN).or("").isEmpty()) {
      ofIptables.add(EXTERNAL_CHAIN);
    }
    for (FamilySets family : FamilySets.BOTH) {
      List<String> tokens = tokens(in, family);
      if (!tokens.isEmpty()) {
        (Conditions.areOfIptables(tokens) ? ofIptables : ofNftables).add("conditions" + family);
      }
    }
    switch (backend) {
      case "" -> {}
      case IPTABLES -> refuseOptions(in, IPTABLES, NFTABLES, ofNftables);
      case NFTABLES -> refuseOptions(in, NFTABLES, IPTABLES, ofIptables);
      default ->
          in.problem(
              "backend",
              "is an unrecognized backend: must be \"iptables\" or \"nftables\", not "
                  + Quoted.brief(backend));
    }
  }

  private static void refuseOptions(
      JsonFields in, String backend, String other, List<String> options) {
    if (!options.isEmpty()) {
      in.problem(
          "backend",
          "does not fit: %s backend was requested but configuration contains %s-specific options [%s]"
              .formatted(backend, other, String.join(" ", options)));
    }
  }

  private static void checkMarks(JsonFields in) {
    in.longInteger(MARK_BIT, Long.MIN_VALUE, Long.MAX_VALUE)
        .map(PortmapConf::checkBit, 0L)
        .optional();
    if (in.has(MARK_BIT) && !in.text(EXTERNAL_CHAIN).or("").isEmpty()) {
      in.problem(MARK_BIT, "cannot be used: cannot specify both it and externalSetMarkChain");
    }
  }

  private static Long checkBit(Long bit) {
    if (bit < 0 || bit > 31) {
      throw new IllegalArgumentException("must be between 0 and 31, not " + bit);
    }
    return bit;
  }

  private static List<String> tokens(JsonFields in, FamilySets family) {
    return in.texts("conditions" + family).or(List.of());
  }

  private static Conditions conditions(JsonFields in, FamilySets family) {
    return in.texts("conditions" + family)
        .map(
            tokens ->
                Conditions.parse(
                    family,
                    Conditions.areOfIptables(tokens)
                        ? IptablesWords.toNft(family, tokens)
                        : tokens),
            Conditions.NONE)
        .or(Conditions.NONE);
  }

  private static List<PortMapping> mappings(JsonFields runtime) {
    Set<PortMapping> mappings = new LinkedHashSet<>();
    for (JsonFields in : runtime.objects(Capability.PORT_MAPPINGS)) {
      mappings.add(PortMapping.read(in));
    }
    if (mappings.size() > MAX_MAPPINGS) {
      runtime.problem(
          Capability.PORT_MAPPINGS,
          "are too many: %d, at most %d can be made for one container"
              .formatted(mappings.size(), MAX_MAPPINGS));
    }
    return List.copyOf(mappings);
  }
}
