package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;
import static io.ocicat.conformance.subject.PluginKind.CHAINED;
import static io.ocicat.conformance.subject.PluginKind.INTERFACE;
import static io.ocicat.conformance.subject.PluginKind.IPAM;

import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import io.ocicat.conformance.lab.LabContainer;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks that DEL always succeeds in the end, whatever is missing by then, and always cleans up.
 */
final class DelChecks {
  private static final String SPEC = "spec 2, DEL";

  /** Of the time that an ADD usually takes: plugins start within a millisecond or within 100. */
  private static final int[] KILLED_AT_PERCENT = {10, 30, 50, 65, 80, 90};

  private DelChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must("del.interface-gone", "removes the interface", SPEC, DelChecks::interfaceGone)
            .on(INTERFACE),
        must(
            "del.twice",
            "succeeds at the second DEL as at the first",
            SPEC,
            lab -> {
              AddedContainer attached = lab.attach();
              lab.detach(attached);
              lab.detach(attached);
            }),
        must(
            "del.never-added",
            "succeeds at DEL of what was never added",
            SPEC,
            lab -> lab.run(lab.call("DEL", lab.config().without("prevResult"))).succeeds()),
        cleansUp(
            "del.without-prev-result",
            "without prevResult",
            (lab, attached) -> {
              var config = lab.config(attached).without("prevResult");
              return lab.call("DEL", attached.container(), config);
            }),
        cleansUp(
            "del.netns-unset",
            "without CNI_NETNS",
            (lab, attached) -> lab.call("DEL", attached).without("CNI_NETNS")),
        cleansUp(
            "del.netns-empty",
            "with an empty CNI_NETNS",
            (lab, attached) -> lab.call("DEL", attached).with("CNI_NETNS", "")),
        cleansUp(
            "del.netns-vanished",
            "when the path of the namespace is gone",
            (lab, attached) ->
                lab.call("DEL", attached).with("CNI_NETNS", lab.files().nowhere().toString())),
        should(
            "del.netns-is-a-file",
            "succeeds at DEL when CNI_NETNS is a plain file, as after a restart of the machine, and keeps no file about the container",
            SPEC,
            lab -> {
              AddedContainer attached = lab.attach();
              lab.run(
                      lab.call("DEL", attached)
                          .with("CNI_NETNS", lab.files().plainFile().toString()))
                  .succeeds();
              nothingKept(lab, attached);
            }),
        must(
                "del.interface-missing",
                "succeeds at DEL when the interface is gone already, and keeps no file about the container",
                SPEC,
                DelChecks::interfaceMissing)
            .on(INTERFACE, CHAINED),
        must(
            "del.after-failed-add",
            "succeeds at DEL after an ADD that failed",
            SPEC,
            lab -> {
              CallResult failed =
                  lab.run(lab.call("ADD").with("CNI_NETNS", lab.files().nowhere().toString()));
              failed.isInProtocol();
              lab.run(lab.call("DEL", lab.config().without("prevResult"))).succeeds();
              nothingKept(lab, lab.container());
            }),
        should(
            "del.after-killed-add",
            "cleans up at DEL after an ADD that was killed at any moment, so that ADD works again",
            SPEC,
            DelChecks::afterKilledAdd),
        must(
                "del.only-its-own",
                "leaves the attachment of another container alone",
                SPEC,
                DelChecks::onlyItsOwn)
            .on(INTERFACE, IPAM));
  }

  private static ConformanceCheck cleansUp(
      String id, String how, BiFunction<Lab, AddedContainer, LabCall> call) {
    return must(
        id,
        "succeeds at DEL %s, and keeps no file about the container".formatted(how),
        SPEC,
        lab -> {
          AddedContainer attached = lab.attach();
          lab.run(call.apply(lab, attached)).succeeds();
          nothingKept(lab, attached);
        });
  }

  private static void interfaceGone(Lab lab) {
    AddedContainer attached = lab.attach();
    lab.detach(attached);
    LabContainer container = attached.container();
    Expect.that(
        !container.namespace().hasLink(container.ifName()),
        "no interface %s after DEL".formatted(container.ifName()),
        "it is still there");
  }

  private static void interfaceMissing(Lab lab) {
    AddedContainer attached = lab.attach();
    LabContainer container = attached.container();
    container.namespace().delete(container.ifName());
    lab.detach(attached);
    nothingKept(lab, attached);
  }

  private static void afterKilledAdd(Lab lab) {
    long start = System.nanoTime();
    AddedContainer undisturbed = lab.attach();
    Duration usual = Duration.ofNanos(System.nanoTime() - start);
    lab.detach(undisturbed);
    LabContainer container = lab.container();
    for (int percent : KILLED_AT_PERCENT) {
      ObjectNode config = lab.config(lab.version(), container);
      Duration moment = usual.multipliedBy(percent).dividedBy(100).plusMillis(1);
      lab.run(lab.call("ADD", container, config).killedAfter(moment));
      // Processes that it started may have survived it and still be running.
      lab.strayProcesses();
      lab.run(lab.call("DEL", container, config.without("prevResult"))).succeeds();
      nothingKept(lab, container);
      lab.removeVeth(container);
      container = lab.restoreVeth(container);
    }
    lab.attach(lab.version(), container);
  }

  private static void onlyItsOwn(Lab lab) {
    AddedContainer first = lab.attach();
    AddedContainer second = lab.attach(lab.version(), lab.newContainer());
    LabContainer other = second.container();
    List<String> files = lab.files().about(other);
    var before = other.namespace().snapshot();
    lab.detach(first);
    Expect.unchanged("the other container", before, other.namespace()::snapshot);
    Expect.same(files, lab.files().about(other), "files about the other container:");
  }

  /** What the plugin stores in its files about a container must be gone after DEL. */
  private static void nothingKept(Lab lab, AddedContainer attached) {
    nothingKept(lab, attached.container());
  }

  private static void nothingKept(Lab lab, LabContainer container) {
    List<String> kept = lab.files().about(container);
    Expect.that(
        kept.isEmpty(), "no file about container " + container.id(), String.join(", ", kept));
  }
}
