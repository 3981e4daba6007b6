package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;
import static io.ocicat.conformance.subject.PluginKind.IPAM;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import io.ocicat.conformance.lab.LabContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks that GC removes what is not listed as valid, and nothing else. */
final class GcChecks {
  private static final String SPEC = "spec 2, GC";
  private static final List<String> KEYS =
      List.of("cni.dev/valid-attachments", "cni.dev/attachments");

  private GcChecks() {}

  static List<ConformanceCheck> all() {
    List<ConformanceCheck> all = new ArrayList<>();
    all.add(
        must(
            "gc.empty-list",
            "succeeds at GC with an empty list of valid attachments",
            SPEC,
            lab -> lab.run(gc(lab, config -> valid(config, List.of()))).succeedsSilently()));
    all.add(
        must(
            "gc.null-list",
            "succeeds at GC when the list is null, as Go's runtimes write an empty one",
            "libcni",
            lab ->
                lab.run(
                        gc(
                            lab,
                            config -> {
                              KEYS.forEach(key -> config.set(key, config.nullNode()));
                              return config;
                            }))
                    .succeedsSilently()));
    all.add(
        must(
            "gc.no-list",
            "succeeds at GC without a list",
            "libcni",
            lab -> lab.run(gc(lab, config -> config)).succeedsSilently()));
    all.add(
        must(
            "gc.keeps-valid",
            "keeps the attachments at GC that are listed as valid",
            SPEC,
            lab -> {
              AddedContainer attached = lab.attach();
              LabContainer c = attached.container();
              Attachment valid = new Attachment(c.id(), c.ifName());
              keeps(lab, attached, gc(lab, config -> valid(config, List.of(valid))));
            }));
    all.add(
        should(
            "gc.no-list-keeps-all",
            "leaves all attachments alone at GC without a list: it knows nothing about them",
            "libcni",
            lab -> keeps(lab, lab.attach(), gc(lab, config -> config))));
    all.add(
        must(
            "gc.other-network",
            "leaves the attachments of other networks alone",
            SPEC,
            lab ->
                keeps(
                    lab,
                    lab.attach(),
                    gc(lab, config -> valid(config.put("name", "another"), List.of())))));
    all.add(
        should(
                "gc.frees-stale",
                "frees at GC the addresses of attachments that are not listed",
                SPEC,
                GcChecks::freesStale)
            .on(IPAM));
    return all.stream().map(check -> check.since(SpecVersion.V1_1_0)).toList();
  }

  /**
   * A configuration with the attachments that are to stay, under the member's old name and its
   * present one.
   */
  static ObjectNode valid(ObjectNode config, List<Attachment> attachments) {
    for (String key : KEYS) {
      ArrayNode list = Json.array();
      attachments.forEach(attachment -> list.add(attachment.toJson()));
      config.set(key, list);
    }
    return config;
  }

  /** GC as runtimes call it: for a network, not for a container. */
  private static LabCall gc(Lab lab, UnaryOperator<ObjectNode> change) {
    ObjectNode config = lab.config();
    config.remove(List.of("prevResult", "runtimeConfig"));
    return lab.call("GC", change.apply(config))
        .with("CNI_CONTAINERID", "")
        .with("CNI_NETNS", "")
        .with("CNI_IFNAME", "");
  }

  private static void keeps(Lab lab, AddedContainer attached, LabCall gc) {
    LabContainer container = attached.container();
    var before = container.namespace().snapshot();
    var files = lab.files().about(container);
    lab.run(gc).succeeds();
    Expect.unchanged("the container", before, container.namespace()::snapshot);
    Expect.same(files, lab.files().about(container), "files about the container:");
    lab.run(lab.call("CHECK", attached)).succeeds();
  }

  private static void freesStale(Lab lab) {
    AddedContainer stale = lab.attach();
    AddedContainer live = lab.attach(lab.version(), lab.newContainer());
    LabContainer kept = live.container();
    var files = lab.files().about(kept);
    Attachment valid = new Attachment(kept.id(), kept.ifName());
    lab.run(gc(lab, config -> valid(config, List.of(valid)))).succeeds();
    Expect.same(List.of(), lab.files().about(stale.container()), "files about what is not listed:");
    Expect.same(files, lab.files().about(kept), "files about what is listed:");
  }
}
